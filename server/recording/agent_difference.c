/* See agent_difference.h. */
#include "server/recording/agent_difference.h"

#include <stdlib.h>
#include <string.h>

void agent_pairs_fini(struct agent_pairs *pairs) {
    free(pairs->ids[0]);
    free(pairs->ids[1]);
    free(pairs->pairs);
    free(pairs->differs);
    free(pairs->singles);
    *pairs = (struct agent_pairs){.world = {NULL}};
}

/* ---- pairing ---- */

static bool read_ids(struct agent_pairs *pairs, int side) {
    const int32_t count = world_agent_count(pairs->world[side]);
    uint32_t *ids = calloc((size_t)count + 1, sizeof *ids);
    if (ids == NULL) {
        return false;
    }
    int32_t row = 0;
    int32_t done = 0;
    uint32_t first = 0;
    uint32_t run = 0;
    while (world_image_ids(pairs->world[side], &row, &first, &run)) {
        for (uint32_t i = 0; i < run && done < count; i++) {
            ids[done++] = first + i;
        }
    }
    pairs->ids[side] = ids;
    pairs->count[side] = done;
    return true;
}

static void add_single(struct agent_pairs *pairs, uint32_t id, int side) {
    pairs->singles[pairs->single_count++] = (struct agent_single){id, side};
}

static bool take_memory(struct agent_pairs *pairs) {
    const int32_t most = pairs->count[0] < pairs->count[1] ? pairs->count[0] : pairs->count[1];
    const size_t all = (size_t)pairs->count[0] + (size_t)pairs->count[1];
    pairs->pairs = calloc((size_t)most + 1, sizeof *pairs->pairs);
    pairs->differs = calloc((size_t)most + 1, sizeof *pairs->differs);
    pairs->singles = calloc(all + 1, sizeof *pairs->singles);
    return pairs->pairs != NULL && pairs->differs != NULL && pairs->singles != NULL;
}

static bool pair_up(struct agent_pairs *pairs) {
    int32_t a = 0;
    int32_t b = 0;
    if (!take_memory(pairs)) {
        return false;
    }
    while (a < pairs->count[0] || b < pairs->count[1]) {
        const bool has_a = a < pairs->count[0];
        const bool has_b = b < pairs->count[1];
        if (has_a && has_b && pairs->ids[0][a] == pairs->ids[1][b]) {
            pairs->pairs[pairs->pair_count][0] = a++;
            pairs->pairs[pairs->pair_count++][1] = b++;
        } else if (!has_b || (has_a && pairs->ids[0][a] < pairs->ids[1][b])) {
            add_single(pairs, pairs->ids[0][a++], 0);
        } else {
            add_single(pairs, pairs->ids[1][b++], 1);
        }
    }
    return true;
}

/* ---- columns ---- */

bool agent_column_is_dense(const struct image_column *column) {
    return strcmp(column->name, "own_body") != 0 && strcmp(column->name, "heading") != 0;
}

static size_t entry_bytes(const struct image_column *column) {
    return (size_t)column->width * column->count;
}

/* The whole column by row: malloc'd; NULL without memory. */
static unsigned char *take_column(const struct world *world, int index, const struct image_column *column) {
    const int32_t count = world_agent_count(world);
    const size_t bytes = entry_bytes(column);
    unsigned char *entries = calloc((size_t)count + 1, bytes);
    struct image_cursor cursor = {.column = index};
    for (int32_t done = 0; entries != NULL && done < count;) {
        const int32_t taken = world_image_take(world, &cursor, entries + bytes * (size_t)done, count - done);
        if (taken <= 0) {
            break;
        }
        done += taken;
    }
    return entries;
}

static bool compare_column(struct agent_pairs *pairs, int index, const struct image_column *column) {
    const size_t bytes = entry_bytes(column);
    unsigned char *a = take_column(pairs->world[0], index, column);
    unsigned char *b = take_column(pairs->world[1], index, column);
    for (int32_t i = 0; a != NULL && b != NULL && i < pairs->pair_count; i++) {
        pairs->differs[i] |= memcmp(a + bytes * (size_t)pairs->pairs[i][0],
                                    b + bytes * (size_t)pairs->pairs[i][1], bytes) != 0;
    }
    const bool is_done = a != NULL && b != NULL;
    free(a);
    free(b);
    return is_done;
}

/* The body is taken where the column "flags" says that the agent has its own. */
static struct agent_sparse sparse_of(const struct world *world, int32_t row, bool has_body) {
    const struct agent_view view = world_agent(world, row);
    struct agent_sparse sparse = {.heading = view.heading};
    if (has_body) {
        sparse.body[0] = view.mass;
        sparse.body[1] = view.radius;
        sparse.body[2] = view.max_speed;
        sparse.body[3] = view.max_force;
    }
    return sparse;
}

static int flags_column(struct image_column *column) {
    int index = 0;
    while (world_image_column(index, column) && strcmp(column->name, "flags") != 0) {
        index++;
    }
    return index;
}

struct agent_sparse agent_sparse_of(const struct world *world, int32_t row) {
    struct image_column column;
    unsigned char entry[WORLD_ENTRY_BYTES] = {0};
    struct image_cursor cursor = {.column = flags_column(&column), .row = row, .entry = row};
    (void)world_image_take(world, &cursor, entry, 1);
    return sparse_of(world, row, entry[0] != 0);
}

_Static_assert(sizeof(struct agent_sparse) == 6 * sizeof(float), "compared as bytes");

static bool compare_sparse(struct agent_pairs *pairs) {
    struct image_column column;
    const int index = flags_column(&column);
    unsigned char *flags[2] = {take_column(pairs->world[0], index, &column),
                               take_column(pairs->world[1], index, &column)};
    const bool is_done = flags[0] != NULL && flags[1] != NULL;
    for (int32_t i = 0; is_done && i < pairs->pair_count; i++) {
        const int32_t *rows = pairs->pairs[i];
        const struct agent_sparse a = sparse_of(pairs->world[0], rows[0], flags[0][rows[0]] != 0);
        const struct agent_sparse b = sparse_of(pairs->world[1], rows[1], flags[1][rows[1]] != 0);
        pairs->differs[i] |=
            memcmp((const char *)&a, (const char *)&b, sizeof a) != 0; /* floats alone: no padding */
    }
    free(flags[0]);
    free(flags[1]);
    return is_done;
}

/* ---- both ---- */

bool agent_pairs_compare(struct agent_pairs *pairs, const struct world *a, const struct world *b) {
    struct image_column column;
    *pairs = (struct agent_pairs){.world = {a, b}};
    if (!read_ids(pairs, 0) || !read_ids(pairs, 1) || !pair_up(pairs)) {
        return false;
    }
    for (int index = 0; world_image_column(index, &column); index++) {
        if (agent_column_is_dense(&column) && !compare_column(pairs, index, &column)) {
            return false;
        }
    }
    return compare_sparse(pairs);
}

static void add_id(struct agent_difference *out, uint32_t id) {
    if (out->id_count < LIMIT_DIVERGED_AGENTS) {
        out->ids[out->id_count++] = id;
    }
    out->count++;
}

/* Pairs and singles ascend, each by themselves. */
static void list_ids(const struct agent_pairs *pairs, struct agent_difference *out) {
    int32_t single = 0;
    for (int32_t i = 0; i < pairs->pair_count; i++) {
        const uint32_t id = pairs->ids[0][pairs->pairs[i][0]];
        for (; single < pairs->single_count && pairs->singles[single].id < id; single++) {
            add_id(out, pairs->singles[single].id);
        }
        if (pairs->differs[i]) {
            add_id(out, id);
        }
    }
    for (; single < pairs->single_count; single++) {
        add_id(out, pairs->singles[single].id);
    }
}

bool agent_difference_find(const struct world *a, const struct world *b, struct agent_difference *out) {
    struct agent_pairs pairs;
    *out = (struct agent_difference){0};
    const bool is_done = agent_pairs_compare(&pairs, a, b);
    if (is_done) {
        list_ids(&pairs, out);
    }
    agent_pairs_fini(&pairs);
    return is_done;
}
