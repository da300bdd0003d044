/* Part of steering_kernel.inc.h: what stands and flows in the world. */
#include "server/sim/scenery/scenery.h"
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/path_following.inc.h"

LANES_INLINE struct pair place_at(const struct steering_batch *batch, int32_t place) {
    return pair_load(batch->x + place, batch->y + place);
}

/* ---- paths ---- */

/* What agents remember of paths, by place. */
struct path_memories {
    BATCH_COLUMN(number); /* path_number; 0: none */
    BATCH_COLUMN(s);      /* px; afterwards of t+1 */
};

static void recall_paths(const struct steering_batch *batch, place_set wanted,
                         struct path_memories *memories) {
    for (; wanted != 0; wanted &= wanted - 1) {
        const int32_t place = places_first(wanted);
        memories->number[place] = (float)batch->memory[place].path;
        memories->s[place] = batch->memory[place].path_s;
    }
}

static void note_paths(const struct steering_batch *batch, place_set wanted,
                       const struct path_memories *memories) {
    for (; wanted != 0; wanted &= wanted - 1) {
        const int32_t place = places_first(wanted);
        const struct path *path = &batch->scenery->paths[(int32_t)batch->path[place]];
        batch->memory[place].path = path_number(batch->scenery, path);
        batch->memory[place].path_s = memories->s[place];
    }
}

/* Which numbers of a column are this whole one. */
LANES_INLINE lanes_mask is_number(const float *column, float number) {
    return lanes_less(lanes_abs(lanes_sub(lanes_load(column), lanes_all(number))), lanes_all(0.5f));
}

/* The agents of a block that follow one path. */
static void follow_one_path(const struct steering_batch *batch, const struct behavior_def *behavior,
                            int32_t place, int32_t index, lanes_mask wanted, struct path_memories *memories,
                            struct steering_columns *out) {
    const struct path *path = &batch->scenery->paths[index];
    const struct path_followers followers = {
        .agents = agents_at(batch, place),
        .place = place_at(batch, place),
        .mass = lanes_load(batch->mass + place),
        .exact_rate = lanes_load(batch->exact_rate + place),
        .sign = lanes_load(batch->path_sign + place),
        .s = lanes_load(memories->s + place),
        .is_known = is_number(memories->number + place, (float)path_number(batch->scenery, path)),
        .wanted = wanted,
    };
    const struct path_course course =
        follow_path(path, &batch->bounds, &followers, behavior->prediction, behavior->window, batch->dt);
    store_pair_where(wanted, out->desired_x + place, out->desired_y + place, course.output.desired);
    store_pair_where(wanted, out->force_x + place, out->force_y + place, course.output.force);
    lanes_store(memories->s + place, lanes_select(wanted, course.here.s, followers.s));
}

static void rule_follow_path(const struct steering_batch *batch, const struct behavior_def *behavior,
                             place_set wanted, struct steering_columns *out) {
    struct path_memories memories;
    recall_paths(batch, wanted, &memories);
    out->active = wanted;
    FOR_BLOCKS(batch, wanted, place, bits) {
        for (uint32_t left = (uint32_t)bits; left != 0;) {
            const float path = batch->path[place + __builtin_ctz(left)];
            const uint32_t same = left & lanes_bits(is_number(batch->path + place, path));
            follow_one_path(batch, behavior, place, (int32_t)path, lanes_from_bits(same), &memories, out);
            left &= ~same;
        }
    }
    note_paths(batch, wanted, &memories);
}

/* ---- solids ---- */

/* The cells of a block's places in the grid of solids, -1 where they are outside. */
LANES_INLINE void find_cells(const struct solid_grid *grid, struct pair place, int32_t *cells) {
    const struct pair in = pair_sub(place, pair_all(grid->origin.x, grid->origin.y));
    const lanes columns = lanes_div(in.x, lanes_all(grid->cell.x));
    const lanes rows = lanes_div(in.y, lanes_all(grid->cell.y));
    const lanes none = lanes_all(0.0f);
    const lanes_mask right = lanes_less(columns, lanes_all((float)grid->columns));
    const lanes_mask above = lanes_less(rows, lanes_all((float)grid->rows));
    const lanes_mask inside =
        lanes_at_most_where(lanes_at_most_where(lanes_both(right, above), none, columns), none, rows);
    lanes_store_cells(cells, lanes_keep(inside, rows), lanes_keep(inside, columns), grid->columns);
    const uint32_t bits = lanes_bits(inside);
    for (int32_t lane = 0; lane < LANES_WIDTH; lane++) {
        cells[lane] = (bits >> lane & 1) != 0 ? cells[lane] : -1;
    }
}

static void find_room(struct steering_batch *batch) {
    const struct scenery *scenery = batch->scenery;
    int32_t cells[LANES_WIDTH];
    for (int32_t place = 0; place < batch->count; place += LANES_WIDTH) {
        if (scenery->solid_count == 0) {
            lanes_store(batch->room + place, lanes_all(3e38f));
            continue;
        }
        find_cells(&scenery->grid, place_at(batch, place), cells);
        for (int32_t lane = 0; lane < LANES_WIDTH; lane++) {
            batch->room[place + lane] = cells[lane] < 0 ? -3e38f : scenery->grid.room[cells[lane]];
        }
    }
}

static place_set clear(const struct steering_batch *batch, place_set wanted) {
    place_set found = 0;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct pair next = pair_load(batch->next_x + place, batch->next_y + place);
        const struct pair step = pair_sub(next, place_at(batch, place));
        const lanes length = lanes_sqrt(pair_dot(step, step));
        const lanes reach =
            lanes_add(lanes_add(length, lanes_load(batch->radius + place)), lanes_all(SCENERY_SKIN));
        found |= places_at(place, bits, lanes_less(reach, lanes_load(batch->room + place)));
    }
    return found;
}

/* Lanes whose agents have had a solid in the way just now. */
LANES_INLINE uint32_t beside_solids(const struct steering_batch *batch, int32_t place, uint32_t bits) {
    uint32_t found = 0;
    for (; bits != 0; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const bool is_beside =
            solid_is_recent(&batch->memory[place + lane], SOLID_KEEP_PACE, batch->tick, batch->dt);
        found |= (uint32_t)is_beside << lane;
    }
    return found;
}

/* Only agents with a solid near, and those that have just passed one, have something to do. The probe is not
 * measured exactly: it is at least as long as the one of behavior_avoid_obstacles. */
static void rule_avoid_obstacles(const struct steering_batch *batch, const struct behavior_def *behavior,
                                 place_set wanted, struct steering_columns *out) {
    out->active = 0;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct pair velocity = velocity_at(batch, place);
        const lanes slow = lanes_mul(lanes_all(SOLID_SLOW_PROBE), lanes_load(batch->max_speed + place));
        const lanes speed = lanes_max(lanes_sqrt(pair_dot(velocity, velocity)), slow);
        const lanes length = lanes_mul(speed, lanes_all(1.001f * behavior->horizon));
        const lanes wide =
            lanes_add(lanes_load(batch->radius + place), lanes_all(behavior->clearance + SOLID_TOUCHING));
        const lanes_mask is_free = lanes_less(lanes_add(length, wide), lanes_load(batch->room + place));
        const uint32_t free = (uint32_t)bits & lanes_bits(is_free);
        const uint32_t busy = ((uint32_t)bits & ~free) | beside_solids(batch, place, free);
        out->left |= (place_set)busy << place;
    }
}
