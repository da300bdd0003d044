/* See trails.h. */
#include "viewer/model/trails.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/model/torus.h"

static const double rounding_s = 1e-6;
static const int segments_most = 12000; /* of all trails: what a frame can draw */

int trails_init(struct trails *trails) {
    memset(trails, 0, sizeof *trails);
    trails->rows = calloc(TRAILS_AGENTS, sizeof *trails->rows);
    trails->others = calloc(TRAILS_AGENTS, sizeof *trails->others);
    if (trails->rows == NULL || trails->others == NULL) {
        trails_fini(trails);
        return -1;
    }
    return 0;
}

void trails_fini(struct trails *trails) {
    free(trails->rows);
    free(trails->others);
    memset(trails, 0, sizeof *trails);
}

void trails_clear(struct trails *trails) {
    trails->count = trails->time_count = 0;
    trails->next_s = 0.0;
}

static int with_trail(int32_t agents) {
    return agents < TRAILS_AGENTS ? (int)agents : TRAILS_AGENTS;
}

int trails_points(int32_t agents) {
    assert(agents >= 0);
    const int count = with_trail(agents), share = count > 0 ? segments_most / count : TRAILS_POINTS;
    return share < TRAILS_POINTS ? share : TRAILS_POINTS;
}

/* Ids ascend in both: `from` says where to go on looking. */
static const struct trail *find_old(const struct trails *trails, uint32_t id, int *from) {
    while (*from < trails->count && trails->rows[*from].id < id) {
        (*from)++;
    }
    return *from < trails->count && trails->rows[*from].id == id ? &trails->rows[*from] : NULL;
}

static void add_point(struct trail *trail, vec2 point, float jump_px, vec2 wrap_size, int kept) {
    bool breaks = trail->count == 0;
    if (!breaks) {
        const int last = (trail->begin + trail->count - 1) % TRAILS_POINTS;
        breaks = vec2_length(torus_short_way(vec2_sub(point, trail->points[last]), wrap_size)) > jump_px;
    }
    while (trail->count >= kept) {
        trail->begin = (trail->begin + 1) % TRAILS_POINTS;
        trail->count--;
    }
    const int at = (trail->begin + trail->count++) % TRAILS_POINTS;
    trail->points[at] = point;
    trail->is_broken[at] = breaks;
}

/* Notes the time of new points. Returns how many points a trail may have with them, without those that are too old. */
static int note_time(struct trails *trails, double now_s) {
    const double span_s = trails->points_kept * TRAILS_STEP_S - 2.0 * rounding_s;
    int kept = 1;
    while (kept < trails->points_kept && kept <= trails->time_count &&
           now_s - trails->times_s[kept - 1] <= span_s) {
        kept++;
    }
    memmove(trails->times_s + 1, trails->times_s, (TRAILS_POINTS - 1) * sizeof *trails->times_s);
    trails->times_s[0] = now_s;
    trails->time_count = kept;
    return kept;
}

void trails_add(struct trails *trails, const struct frame *frame, float jump_px, vec2 wrap_size) {
    assert(jump_px > 0.0f);
    const double now_s = frame->time_s + rounding_s;
    if (now_s < trails->next_s - 2.0 * TRAILS_STEP_S) {
        trails_clear(trails);
    }
    if (now_s < trails->next_s) {
        return;
    }
    trails->next_s = now_s - trails->next_s > 4.0 * TRAILS_STEP_S ? frame->time_s + TRAILS_STEP_S
                                                                  : trails->next_s + TRAILS_STEP_S;
    const float late = (float)fmax((now_s - trails->last_s) / TRAILS_JUMP_S, 1.0);
    trails->last_s = now_s;
    const int count = with_trail(frame->settled_count);
    trails->points_kept = trails_points(frame->settled_count);
    const int kept = note_time(trails, now_s);
    for (int i = 0, from = 0; i < count; i++) {
        const struct trail *old = find_old(trails, frame->id[i], &from);
        struct trail *trail = &trails->others[i];
        if (old != NULL) {
            *trail = *old;
        } else {
            trail->id = frame->id[i];
            trail->begin = trail->count = 0;
        }
        add_point(trail, vec2_make(frame->x[i], frame->y[i]), jump_px * late, wrap_size, kept);
    }
    struct trail *rows = trails->rows;
    trails->rows = trails->others;
    trails->others = rows;
    trails->count = count;
}

const struct trail *trails_find(const struct trails *trails, uint32_t id) {
    int low = 0, high = trails->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (trails->rows[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < trails->count && trails->rows[low].id == id ? &trails->rows[low] : NULL;
}

vec2 trail_point(const struct trail *trail, int index, bool *is_broken) {
    assert(index >= 0 && index < trail->count && is_broken != NULL);
    const int at = (trail->begin + index) % TRAILS_POINTS;
    *is_broken = trail->is_broken[at];
    return trail->points[at];
}
