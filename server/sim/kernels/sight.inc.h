/* Sights of kernels.h, for LANES_WIDTH agents at once. */

#define NONE 3e38f /* px^2, and a row: beyond all there are */

/* The nearest candidates so far. */
struct sight {
    lanes squared, row, entry; /* px^2; NONE: there is none yet */
};

/* An agent that is looked for. */
struct seen_agent {
    float x, y, row;
    int32_t entry, lane; /* the lane of this very agent; others are in none */
};

LANES_INLINE void see(const struct sight_query *query, const struct lanes_motion *at,
                      const struct seen_agent *other, bool wraps, struct sight *nearest) {
    const vec2 size = {query->grid->across.size, query->grid->down.size};
    lanes x = lanes_sub(lanes_all(other->x), at->x);
    lanes y = lanes_sub(lanes_all(other->y), at->y);
    if (wraps) {
        x = short_way(x, size.x, 0.5f * size.x);
        y = short_way(y, size.y, 0.5f * size.y);
    }
    lanes squared = lanes_add(lanes_mul(x, x), lanes_mul(y, y));
    if (other->lane >= 0 && other->lane < LANES_WIDTH) {
        squared = lanes_select(lanes_from_bits(UINT32_C(1) << other->lane), lanes_all(NONE), squared);
    }
    const lanes row = lanes_all(other->row);
    const lanes_mask is_nearer = lanes_less(squared, nearest->squared);
    const lanes_mask is_lower = lanes_less(row, nearest->row);
    const lanes_mask is_next =
        lanes_either(is_nearer, lanes_at_most_where(is_lower, squared, nearest->squared));
    nearest->squared = lanes_select(is_next, squared, nearest->squared);
    nearest->row = lanes_select(is_next, row, nearest->row);
    nearest->entry = lanes_select(is_next, lanes_all((float)other->entry), nearest->entry);
}

/* Those of some entries that are of the kind. */
LANES_INLINE void see_run(const struct sight_query *query, const struct lanes_motion *at, int32_t first,
                          int32_t begin, int32_t end, bool wraps, struct sight *nearest) {
    const struct sight_index *index = query->index;
    for (int32_t entry = begin; entry < end; entry++) {
        const struct seen_agent other = {index->x[entry], index->y[entry], index->row[entry], entry,
                                         index->slot[entry] - first};
        see(query, at, &other, wraps, nearest);
    }
}

LANES_INLINE void see_slots(const struct sight_query *query, const struct lanes_motion *at, int32_t first,
                            int32_t begin, int32_t end, bool wraps, struct sight *nearest) {
    const struct grid *grid = query->grid;
    for (int32_t slot = begin; slot < end; slot++) {
        if (grid->kind[slot] == query->kind) {
            const struct seen_agent other = {grid->motion[slot].x, grid->motion[slot].y,
                                             (float)grid->row[slot], slot, slot - first};
            see(query, at, &other, wraps, nearest);
        }
    }
}

LANES_INLINE struct sight look_around(const struct sight_query *query, int32_t first, float reach,
                                      const struct sight_area *area, bool wraps) {
    const struct sight_kind *kind = &query->index->kinds[query->kind];
    const lanes none = lanes_all(NONE);
    struct lanes_motion at;
    lanes_load_motion(query->grid->motion + first, &at);
    struct sight nearest = {lanes_all(reach * reach), none, none};
    for (int band = 0; band < area->band_count; band++) {
        for (int32_t row = area->bands[band].first; row <= area->bands[band].last; row++) {
            const int32_t *cells = kind->begin + (ptrdiff_t)row * kind->across.cells;
            for (int piece = 0; piece < area->piece_count; piece++) {
                const int32_t begin = cells[area->pieces[piece].first];
                const int32_t end = cells[area->pieces[piece].last + 1];
                if (kind->is_in_grid) {
                    see_slots(query, &at, first, begin, end, wraps, &nearest);
                } else {
                    see_run(query, &at, first, begin, end, wraps, &nearest);
                }
            }
        }
    }
    return nearest;
}

/* Writes what the lanes of some agents have found: the bits of those that have found nothing. */
LANES_INLINE uint32_t note_sights(const struct sight_query *query, const struct sight *nearest,
                                  uint32_t agents, float *squared, int32_t *slot) {
    _Alignas(64) float entries[LANES_WIDTH];
    lanes_store(entries, nearest->entry);
    const lanes_mask is_found = lanes_less(nearest->entry, lanes_all(NONE));
    const lanes squares = lanes_select(is_found, nearest->squared, lanes_all(INFINITY));
    const lanes before = lanes_load_loose(squared);
    lanes_store_loose(squared, lanes_select(lanes_from_bits(agents), squares, before));
    for (int lane = 0; lane < LANES_WIDTH; lane++) {
        slot[lane] = (agents >> lane) & 1 ? -1 : slot[lane];
    }
    const uint32_t found = lanes_bits(is_found) & agents;
    const bool is_in_grid = query->index->kinds[query->kind].is_in_grid;
    for (uint32_t left = found; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const int32_t entry = (int32_t)entries[lane];
        slot[lane] = is_in_grid ? entry : query->index->slot[entry];
    }
    return agents & ~found;
}

/* Some agents of a block to be searched for together, and the cells for them. */
LANES_INLINE uint32_t choose_agents(const struct sight_query *query, int32_t first, uint32_t wanted,
                                    float reach, struct sight_area *area) {
    const lanes low = lanes_all(-NONE), high = lanes_all(NONE);
    struct lanes_motion at;
    lanes_load_motion(query->grid->motion + first, &at);
    for (;;) {
        const lanes_mask mask = lanes_from_bits(wanted);
        const vec2 least = {lanes_lowest(lanes_select(mask, at.x, high)),
                            lanes_lowest(lanes_select(mask, at.y, high))};
        const vec2 most = {lanes_highest(lanes_select(mask, at.x, low)),
                           lanes_highest(lanes_select(mask, at.y, low))};
        const uint32_t chosen = sight_choose_agents(query, wanted, least, most, reach, area);
        if (chosen == wanted) {
            return wanted;
        }
        wanted = chosen;
    }
}

/* What some agents of a block see within `reach`: the bits of those that see nothing. */
LANES_INLINE uint32_t search_within(const struct sight_query *query, int32_t first, uint32_t wanted,
                                    float reach, float *squared, int32_t *slot) {
    uint32_t missing = 0;
    while (wanted != 0) {
        struct sight_area area;
        const uint32_t agents = choose_agents(query, first, wanted, reach, &area);
        const struct sight nearest = area.wraps ? look_around(query, first, reach, &area, true)
                                                : look_around(query, first, reach, &area, false);
        missing |= note_sights(query, &nearest, agents, squared, slot);
        wanted &= ~agents;
    }
    return missing;
}

LANES_INLINE void search_block(const struct sight_query *query, int32_t first, uint32_t wanted,
                               float *squared, int32_t *slot) {
    const float near = query->index->kinds[query->kind].near, within = query->within;
    for (float reach = near < within ? near : within;; reach *= 2.0f) {
        reach = reach < within ? reach : within;
        wanted = search_within(query, first, wanted, reach, squared, slot);
        if (wanted == 0 || reach >= within || grid_is_given_up(query->grid)) {
            return;
        }
    }
}

static void find_sights(const struct sight_query *query, int32_t begin, int32_t end, uint64_t wanted,
                        struct sight_columns *out) {
    int32_t row = begin < end ? row_before(query->grid, begin) : 0;
    for (int32_t first = begin, next; first < end; first = next) {
        next = row_end(query->grid, first, &row);
        next = next < end ? next : end;
        next = next - first < LANES_WIDTH ? next : first + LANES_WIDTH;
        const int32_t place = first - begin;
        const uint64_t all = (UINT64_C(1) << (next - first)) - 1;
        const uint32_t bits = (uint32_t)((wanted >> place) & all);
        if (bits != 0) {
            search_block(query, first, bits, out->squared + place, out->slot + place);
        }
    }
}
