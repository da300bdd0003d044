/* Threats of kernels.h, for LANES_WIDTH agents at once. */

enum { LINE = 128, LINE_ROOM = LINE + LANES_WIDTH, FOUND = 64 };

/* Candidates that approach agents of a block. */
struct found {
    int32_t count;
    int32_t slot[FOUND + 1];
    uint32_t lanes[FOUND + 1]; /* of the agents */
};

/* Pairs in line, of an agent and one that approaches it. */
struct line {
    int32_t count;
    int32_t slot[LINE_ROOM], other_slot[LINE_ROOM];
    float bodies[LINE_ROOM]; /* px, both radii */
    struct motion own[LINE_ROOM], other[LINE_ROOM];
};

/* ---- the front of the line ---- */

LANES_INLINE void load_approach(const struct threat_plan *plan, const struct line *line, int32_t first,
                                struct approach *approach) {
    struct lanes_motion own, other;
    lanes_load_motion(line->own + first, &own);
    lanes_load_motion(line->other + first, &other);
    approach->offset = (struct pair){lanes_sub(other.x, own.x), lanes_sub(other.y, own.y)};
    if (plan->near.batch->bounds->edge == EDGE_WRAP) {
        approach->offset.x = short_way(approach->offset.x, plan->near.size_x, plan->near.half_x);
        approach->offset.y = short_way(approach->offset.y, plan->near.size_y, plan->near.half_y);
    }
    approach->own = (struct pair){own.vx, own.vy};
    approach->theirs = (struct pair){other.vx, other.vy};
    approach->room = lanes_add(lanes_load_loose(line->bodies + first), lanes_all(plan->clearance));
}

/* Directions where two will be in the same place. */
static void split(const struct threat_plan *plan, const struct line *line, int32_t first, uint32_t which,
                  float *away_x, float *away_y) {
    const struct neighbor_batch *batch = plan->near.batch;
    const int32_t *row = batch->grid->row;
    for (; which != 0; which &= which - 1) {
        const int32_t lane = __builtin_ctz(which), pair = first + lane;
        const vec2 direction =
            neighbors_split(batch->ids[row[line->slot[pair]]], batch->ids[row[line->other_slot[pair]]]);
        away_x[lane] = -direction.x;
        away_y[lane] = -direction.y;
    }
}

LANES_INLINE struct pair push_apart(const struct threat_plan *plan, const struct line *line, int32_t first,
                                    const struct approach *approach, const struct threat *threat,
                                    uint32_t threats) {
    struct pair away = threat_away(approach, threat);
    const uint32_t same =
        lanes_bits(lanes_less(pair_dot(away, away), lanes_all(NEIGHBORS_COINCIDENT))) & threats;
    if (same != 0) {
        _Alignas(64) float x[LANES_WIDTH], y[LANES_WIDTH];
        pair_store(x, y, away);
        split(plan, line, first, same, x, y);
        away = pair_load(x, y);
    }
    return threat_push(approach, threat, away, plan->clearance, plan->horizon);
}

/* The threats among the pairs [first, first + there), added to their agents. */
LANES_INLINE void add_threats(const struct threat_plan *plan, const struct line *line, int32_t first,
                              uint32_t there, int32_t begin, struct threat_columns *out) {
    struct approach approach;
    load_approach(plan, line, first, &approach);
    const struct threat threat = threat_predict(&approach, plan->horizon);
    const uint32_t threats = lanes_bits(threat.is_one) & there;
    if (threats == 0) {
        return;
    }
    _Alignas(64) float x[LANES_WIDTH], y[LANES_WIDTH];
    pair_store(x, y, push_apart(plan, line, first, &approach, &threat, threats));
    for (uint32_t left = threats; left != 0; left &= left - 1) {
        const int32_t lane = __builtin_ctz(left), place = line->slot[first + lane] - begin;
        out->count[place] += 1.0f;
        out->push_x[place] += x[lane];
        out->push_y[place] += y[lane];
    }
}

static void clear_line(const struct threat_plan *plan, struct line *line, int32_t begin,
                       struct threat_columns *out) {
    for (int32_t first = 0; first < line->count; first += LANES_WIDTH) {
        const int32_t left = line->count - first, there = left < LANES_WIDTH ? left : LANES_WIDTH;
        add_threats(plan, line, first, (uint32_t)((UINT64_C(1) << there) - 1), begin, out);
    }
    line->count = 0;
}

/* ---- its end ---- */

/* One pair a turn, whichever candidate it belongs to: how many agents a candidate approaches cannot be
 * predicted. */
static void put_in_line(const struct threat_plan *plan, int32_t first, struct found *found, int32_t begin,
                        struct line *line, struct threat_columns *out) {
    const struct grid *grid = plan->near.batch->grid;
    found->lanes[found->count] = 0; /* read, not used */
    uint32_t left = found->lanes[0];
    for (int32_t i = 0; i < found->count;) {
        const int32_t slot = first + __builtin_ctz(left), other = found->slot[i], pair = line->count++;
        line->slot[pair] = slot;
        line->other_slot[pair] = other;
        line->bodies[pair] = grid->radius[slot] + grid->radius[other];
        line->own[pair] = grid->motion[slot];
        line->other[pair] = grid->motion[other];
        left &= left - 1;
        i += left == 0;
        left = left == 0 ? found->lanes[i] : left;
        if (line->count == LINE) {
            clear_line(plan, line, begin, out);
        }
    }
    found->count = 0;
}

/* The lanes for which a candidate is in the zone and not on its way apart. */
LANES_INLINE uint32_t approached_lanes(const struct kernel_plan *plan, const struct block *block,
                                       const struct motion *motion, bool has_cones) {
    struct candidate other = candidate_from(plan, block, motion);
    if (has_cones) {
        other.facing = candidate_facing(&other, block->heading_x, block->heading_y, block->core);
    }
    const lanes_mask is_in = zone_contains(&plan->zones[ZONE_SEPARATION], &other, has_cones);
    const struct pair offset = {other.x, other.y};
    const struct pair relative = {lanes_sub(lanes_all(motion->vx), block->at.vx),
                                  lanes_sub(lanes_all(motion->vy), block->at.vy)};
    return lanes_bits(lanes_at_most_where(is_in, pair_dot(offset, relative), lanes_all(0.0f)));
}

LANES_INLINE void visit_block(const struct threat_plan *plan, const struct block *block, bool has_cones,
                              int32_t begin, struct line *line, struct threat_columns *out) {
    const struct grid *grid = plan->near.batch->grid;
    struct grid_walk walk = block->walk;
    struct found found;
    found.count = 0;
    for (int32_t run, run_end; grid_walk_next(&walk, &run, &run_end);) {
        for (int32_t slot = run; slot < run_end; slot++) {
            if (!does_count(&plan->near, slot)) {
                continue;
            }
            uint32_t which =
                approached_lanes(&plan->near, block, &grid->motion[slot], has_cones) & block->wanted;
            if (slot >= block->first && slot < block->first + block->count) {
                which &= ~(UINT32_C(1) << (slot - block->first));
            }
            found.slot[found.count] = slot;
            found.lanes[found.count] = which;
            found.count += which != 0;
            if (found.count == FOUND) {
                put_in_line(plan, block->first, &found, begin, line, out);
            }
        }
    }
    put_in_line(plan, block->first, &found, begin, line, out);
}

static void sum_threats(const struct threat_plan *plan, int32_t begin, int32_t end, uint64_t wanted,
                        struct threat_columns *out) {
    struct search search = begin_search(&plan->near, begin, end, wanted);
    struct line line;
    line.count = 0;
    struct block block;
    while (next_block(&search, &block)) {
        const lanes_mask mask = lanes_from_bits(block.wanted);
        const int32_t place = block.first - begin;
        store_where(out->count + place, mask, lanes_all(0.0f));
        store_where(out->push_x + place, mask, lanes_all(0.0f));
        store_where(out->push_y + place, mask, lanes_all(0.0f));
        if (plan->near.has_cones) {
            find_cones(&plan->near, &block);
            visit_block(plan, &block, true, begin, &line, out);
        } else {
            visit_block(plan, &block, false, begin, &line, out);
        }
    }
    clear_line(plan, &line, begin, out);
}
