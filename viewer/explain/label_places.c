/* See label_places.h. */
#include "viewer/explain/label_places.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

enum { SIDES = 8 };

static const float marker_cost = 20.0f, keep_bonus = 30.0f;
static const float back_margin_px = 6.0f; /* free room around a place where a name appears again */

/* From the middle of the marker, in the order in which they are tried. */
static const vec2 directions[][SIDES] = {
    [LABEL_RIGHT] = {{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}},
    [LABEL_ABOVE] = {{0, -1}, {0, 1}, {1, 0}, {-1, 0}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}},
};

uint32_t label_places_key(char sort, const char *words) {
    uint32_t key = 2166136261u ^ (uint32_t)(unsigned char)sort;
    for (const char *c = words; *c != '\0'; c++) {
        key = (key ^ (uint32_t)(unsigned char)*c) * 16777619u;
    }
    return key;
}

static bool overlaps(const struct label_box *a, const struct label_box *b) {
    return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y;
}

/* The words at one side of the marker; at a corner they begin where the ring is, not where its square is. */
static struct label_box box_of(const struct label_wish *wish, int place) {
    const vec2 way = directions[wish->side][place], half = vec2_scale(wish->size, 0.5f);
    const bool is_corner = way.x != 0.0f && way.y != 0.0f;
    const float reach = is_corner ? 0.7071f * wish->reach : wish->reach;
    const vec2 middle =
        vec2_make(wish->at.x + way.x * (reach + half.x), wish->at.y + way.y * (reach + half.y));
    const vec2 low = vec2_make(roundf(middle.x - half.x), roundf(middle.y - half.y));
    return (struct label_box){low, vec2_add(low, wish->size)};
}

static struct label_box grown(const struct label_box *box, float by) {
    return (struct label_box){vec2_make(box->low.x - by, box->low.y - by),
                              vec2_make(box->high.x + by, box->high.y + by)};
}

static int overlap_count(const struct label_box *box, const struct label_box *others, int count) {
    int found = 0;
    for (int i = 0; i < count; i++) {
        found += overlaps(box, &others[i]) ? 1 : 0;
    }
    return found;
}

static bool is_free(const struct label_room *room, const struct label_box *box, const struct label_box *names,
                    int name_count) {
    return box->low.x >= 0.0f && box->low.y >= 0.0f && box->high.x <= room->picture.x &&
           box->high.y <= room->picture.y && overlap_count(box, room->covers, room->cover_count) == 0 &&
           overlap_count(box, names, name_count) == 0;
}

/* The side of the frame before; -1: none was free, SIDES: the name is new. */
static int place_before(const struct label_places *places, uint32_t key) {
    int place = SIDES;
    for (int i = 0; i < places->count; i++) {
        place = places->rows[i].key == key ? places->rows[i].place : place;
    }
    return place;
}

/* The best free side, or -1. */
static int choose(const struct label_room *room, const struct label_wish *wish, int before,
                  const struct label_box *names, int name_count) {
    int best = -1;
    float least = INFINITY;
    for (int place = 0; place < SIDES; place++) {
        const struct label_box box = box_of(wish, place);
        const struct label_box needed = grown(&box, before < 0 ? back_margin_px : 0.0f);
        const float cost = (float)place - (place == before ? keep_bonus : 0.0f) +
                           marker_cost * (float)overlap_count(&box, room->markers, room->marker_count);
        if (cost < least && is_free(room, &needed, names, name_count)) {
            least = cost;
            best = place;
        }
    }
    return best;
}

void label_places_find(struct label_places *places, const struct label_room *room,
                       const struct label_wish *wishes, int count, vec2 *corner, bool *shown) {
    assert(count >= 0 && count <= LABEL_PLACES_MOST);
    struct label_box names[LABEL_PLACES_MOST];
    struct label_places next = {.count = count};
    int name_count = 0;
    for (int i = 0; i < count; i++) {
        const int place = choose(room, &wishes[i], place_before(places, wishes[i].key), names, name_count);
        next.rows[i].key = wishes[i].key;
        next.rows[i].place = place;
        shown[i] = place >= 0;
        corner[i] = wishes[i].at;
        if (place >= 0) {
            names[name_count] = box_of(&wishes[i], place);
            corner[i] = names[name_count++].low;
        }
    }
    *places = next;
    assert(name_count <= count);
}
