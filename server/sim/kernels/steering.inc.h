/* Steering of kernels.h, for LANES_WIDTH agents at once. */

/* The behaviors that have a rule for lanes: X(ENUMERATOR, name) of behavior_list.h; rule_NAME is below. */
/* clang-format off */
#define STEERING_RULE_LIST(X)                                                                                \
    X(SEEK,         seek)                                                                                    \
    X(FLEE,         flee)                                                                                    \
    X(ARRIVE,       arrive)                                                                                  \
    X(PURSUE,       pursue)                                                                                  \
    X(EVADE,        evade)                                                                                   \
    X(WANDER,       wander)                                                                                  \
    X(SEPARATION,   separation)                                                                              \
    X(COHESION,     cohesion)                                                                                \
    X(AVOID_AGENTS, avoid_agents)                                                                            \
    X(AVOID_OBSTACLES, avoid_obstacles)                                                                      \
    X(FOLLOW_PATH,  follow_path)                                                                             \
    X(EXTERNAL,     external)
/* clang-format on */

#define TUTORIAL_RATE 60.0f /* 1/s: steering is applied once a frame at 60 frames a second */

/* The lanes of a block that starts at a place. */
LANES_INLINE uint32_t lanes_wanted(place_set wanted, int32_t place) {
    return (uint32_t)(wanted >> place) & (uint32_t)((UINT64_C(1) << LANES_WIDTH) - 1);
}

/* Every block with a place that is wanted: its first place, and which of its lanes are. */
#define FOR_BLOCKS(batch, wanted, place, bits)                                                               \
    for (int32_t place = 0, bits = 0; place < (batch)->count; place += LANES_WIDTH)                          \
        if ((bits = (int32_t)lanes_wanted(wanted, place)) != 0)

LANES_INLINE struct pair velocity_at(const struct steering_batch *batch, int32_t place) {
    return pair_load(batch->vx + place, batch->vy + place);
}

LANES_INLINE void store_output(struct steering_columns *out, int32_t place,
                               const struct steering_pairs *output) {
    pair_store(out->desired_x + place, out->desired_y + place, output->desired);
    pair_store(out->force_x + place, out->force_y + place, output->force);
}

/* Where the mask is false a column keeps what it has. */
LANES_INLINE void store_pair_where(lanes_mask mask, float *x, float *y, struct pair value) {
    pair_store(x, y, pair_select(mask, value, pair_load(x, y)));
}

/* ---- behaviors ---- */

LANES_INLINE struct rule_lanes agents_at(const struct steering_batch *batch, int32_t place) {
    const vec2 size = batch->bounds.size, half = batch->half;
    return (struct rule_lanes){
        .size = pair_all(size.x, size.y),
        .half = pair_all(half.x, half.y),
        .velocity = velocity_at(batch, place),
        .max_speed = lanes_load(batch->max_speed + place),
        .max_force = lanes_load(batch->max_force + place),
        .rate = lanes_load(batch->rate + place),
    };
}

LANES_INLINE struct pair heading_at(const struct steering_batch *batch, int32_t place) {
    return pair_load(batch->heading_x + place, batch->heading_y + place);
}

LANES_INLINE struct pair offset_at(const struct steering_batch *batch, int32_t place) {
    return pair_load(batch->offset_x + place, batch->offset_y + place);
}

/* The places of a block's lanes. */
LANES_INLINE place_set places_at(int32_t place, int32_t bits, lanes_mask mask) {
    return (place_set)((uint32_t)bits & lanes_bits(mask)) << place;
}

static void rule_seek(const struct steering_batch *batch, const struct behavior_def *behavior,
                      place_set wanted, struct steering_columns *out) {
    (void)behavior;
    out->active = wanted;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct rule_lanes agents = agents_at(batch, place);
        const struct steering_pairs output = seek(&agents, offset_at(batch, place));
        store_output(out, place, &output);
    }
}

static void rule_flee(const struct steering_batch *batch, const struct behavior_def *behavior,
                      place_set wanted, struct steering_columns *out) {
    out->active = wanted;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct rule_lanes agents = agents_at(batch, place);
        const struct pair offset = offset_at(batch, place);
        const struct steering_pairs output = run_from(&agents, offset, heading_at(batch, place));
        out->active &= ~places_at(place, bits, is_beyond(offset, behavior->panic_distance));
        store_output(out, place, &output);
    }
}

LANES_INLINE struct steering_pairs arrive(const struct steering_batch *batch, int32_t place,
                                          const struct behavior_def *behavior) {
    const struct rule_lanes agents = agents_at(batch, place);
    const struct pair offset = offset_at(batch, place), still = pair_all(0.0f, 0.0f);
    if (behavior->law == ARRIVE_LINEAR) {
        return arrive_linear(&agents, offset, behavior->slowing_distance);
    }
    const lanes braking = planned_braking(agents.max_force, lanes_load(batch->mass + place));
    const struct stopping at = stop_at(pair_load(batch->x + place, batch->y + place), offset, still,
                                       behavior->slowing_distance, agents.max_speed, braking, batch->dt);
    return match_velocity(at.velocity, agents.velocity, lanes_load(batch->exact_rate + place));
}

static void rule_arrive(const struct steering_batch *batch, const struct behavior_def *behavior,
                        place_set wanted, struct steering_columns *out) {
    out->active = wanted;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct steering_pairs output = arrive(batch, place, behavior);
        store_output(out, place, &output);
    }
}

/* Where the others will be. */
LANES_INLINE struct pair ahead_at(const struct steering_batch *batch, int32_t place,
                                  const struct rule_lanes *agents, float max_prediction) {
    const struct pair offset = offset_at(batch, place);
    return place_ahead(agents, offset, pair_load(batch->other_vx + place, batch->other_vy + place),
                       time_ahead(offset, max_prediction, agents->max_speed));
}

static void rule_pursue(const struct steering_batch *batch, const struct behavior_def *behavior,
                        place_set wanted, struct steering_columns *out) {
    out->active = wanted;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct rule_lanes agents = agents_at(batch, place);
        const struct steering_pairs output =
            pursue(&agents, ahead_at(batch, place, &agents, behavior->max_prediction));
        store_output(out, place, &output);
    }
}

static void rule_evade(const struct steering_batch *batch, const struct behavior_def *behavior,
                       place_set wanted, struct steering_columns *out) {
    out->active = wanted;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct rule_lanes agents = agents_at(batch, place);
        const struct steering_pairs output = run_from(
            &agents, ahead_at(batch, place, &agents, behavior->max_prediction), heading_at(batch, place));
        out->active &= ~places_at(place, bits, is_beyond(offset_at(batch, place), behavior->panic_distance));
        store_output(out, place, &output);
    }
}

LANES_INLINE float noise_of(const struct steering_batch *batch, int32_t place) {
    struct rng dice = rng_begin_at(batch->noise_key, batch->id[place], RNG_WANDER);
    return rng_between(&dice, -WANDER_NOISE, WANDER_NOISE);
}

LANES_INLINE lanes wander_noise(const struct steering_batch *batch, int32_t place, uint32_t bits) {
    _Alignas(64) float noise[LANES_WIDTH] = {0.0f};
    if (bits_count(bits) <= LANES_WIDTH / 4) {
        for (uint32_t left = bits; left != 0; left &= left - 1) {
            const int32_t lane = __builtin_ctz(left);
            noise[lane] = noise_of(batch, place + lane);
        }
    } else {
        for (int32_t lane = 0; lane < LANES_WIDTH; lane++) {
            noise[lane] = noise_of(batch, place + lane);
        }
    }
    return lanes_load(noise);
}

LANES_INLINE struct pair load_goals(const struct steering_batch *batch, int32_t place, uint32_t bits) {
    _Alignas(64) float x[LANES_WIDTH] = {0.0f}, y[LANES_WIDTH] = {0.0f};
    for (uint32_t left = bits; left != 0; left &= left - 1) {
        const int32_t lane = __builtin_ctz(left);
        x[lane] = batch->memory[place + lane].wander.x;
        y[lane] = batch->memory[place + lane].wander.y;
    }
    return pair_load(x, y);
}

LANES_INLINE void store_goals(const struct steering_batch *batch, int32_t place, uint32_t bits,
                              struct pair goals) {
    _Alignas(64) float x[LANES_WIDTH], y[LANES_WIDTH];
    pair_store(x, y, goals);
    for (uint32_t left = bits; left != 0; left &= left - 1) {
        const int32_t lane = __builtin_ctz(left);
        batch->memory[place + lane].wander = vec2_make(x[lane], y[lane]);
    }
}

static void rule_wander(const struct steering_batch *batch, const struct behavior_def *behavior,
                        place_set wanted, struct steering_columns *out) {
    out->active = wanted;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct rule_lanes agents = agents_at(batch, place);
        const struct wandering at =
            wander(&agents, heading_at(batch, place), load_goals(batch, place, (uint32_t)bits),
                   wander_noise(batch, place, (uint32_t)bits), behavior, batch->dt_root);
        store_goals(batch, place, (uint32_t)bits, at.goal);
        store_output(out, place, &at.output);
    }
}

static void rule_separation(const struct steering_batch *batch, const struct behavior_def *behavior,
                            place_set wanted, struct steering_columns *out) {
    const struct sums_columns *sums = batch->sums;
    (void)behavior;
    out->active = 0;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct rule_lanes agents = agents_at(batch, place);
        const struct pair sum = pair_load(sums->separation_x + place, sums->separation_y + place);
        const struct steering_pairs output = pushed(&agents, separation_strength(sum));
        const lanes count = lanes_load(sums->separation_count + place);
        out->active |= places_at(place, bits, lanes_less(lanes_all(0.0f), count));
        store_output(out, place, &output);
    }
}

static void rule_cohesion(const struct steering_batch *batch, const struct behavior_def *behavior,
                          place_set wanted, struct steering_columns *out) {
    const struct sums_columns *sums = batch->sums;
    const float full = flock_full_inverse(behavior->zones[ZONE_COHESION].radius);
    out->active = 0;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct rule_lanes agents = agents_at(batch, place);
        const struct pair sum = pair_load(sums->offset_x + place, sums->offset_y + place);
        const struct pair strength = cohesion_strength(sum, lanes_load(sums->offset_weight + place), full);
        const struct steering_pairs output = pushed(&agents, strength);
        const lanes count = lanes_load(sums->cohesion_count + place);
        out->active |= places_at(place, bits, lanes_less(lanes_all(0.0f), count));
        store_output(out, place, &output);
    }
}

static void rule_avoid_agents(const struct steering_batch *batch, const struct behavior_def *behavior,
                              place_set wanted, struct steering_columns *out) {
    const struct threat_columns *threats = batch->threats;
    (void)behavior;
    out->active = 0;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct rule_lanes agents = agents_at(batch, place);
        const struct pair push = pair_load(threats->push_x + place, threats->push_y + place);
        const struct steering_pairs output = pushed(&agents, pair_truncate_often(push, lanes_all(1.0f)));
        const lanes count = lanes_load(threats->count + place);
        out->active |= places_at(place, bits, lanes_less(lanes_all(0.0f), count));
        store_output(out, place, &output);
    }
}

/* The vectors that agents are driven with stand where other behaviors have offsets. */
static void rule_external(const struct steering_batch *batch, const struct behavior_def *behavior,
                          place_set wanted, struct steering_columns *out) {
    const lanes dt = lanes_all(batch->dt);
    out->active = wanted;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct rule_lanes agents = agents_at(batch, place);
        const struct pair vector = offset_at(batch, place);
        const lanes push = lanes_div(dt, lanes_load(batch->mass + place));
        const struct steering_pairs output =
            behavior->mode == EXTERNAL_FORCE
                ? drive_force(&agents, vector, behavior->limit, push)
                : drive_velocity(&agents, vector, behavior->limit, lanes_load(batch->exact_rate + place));
        store_output(out, place, &output);
    }
}

/* ---- what agents notice ---- */

static void gather(struct steering_batch *batch, const struct motion *motion) {
    for (int32_t place = 0; place < batch->count; place += LANES_WIDTH) {
        struct lanes_motion at;
        lanes_load_motion(motion + place, &at);
        pair_store(batch->x + place, batch->y + place, (struct pair){at.x, at.y});
        pair_store(batch->vx + place, batch->vy + place, (struct pair){at.vx, at.vy});
    }
}

/* To the point that stands in the column. */
LANES_INLINE struct pair offset_to(const struct steering_batch *batch, int32_t place) {
    const vec2 size = batch->bounds.size, half = batch->half;
    const struct pair at = pair_load(batch->x + place, batch->y + place);
    const struct pair way = pair_sub(offset_at(batch, place), at);
    return (struct pair){wrap_difference(way.x, lanes_all(size.x), lanes_all(half.x)),
                         wrap_difference(way.y, lanes_all(size.y), lanes_all(half.y))};
}

static place_set look(struct steering_batch *batch, const float *limit, place_set wanted) {
    place_set far = 0;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const lanes_mask mask = lanes_from_bits((uint32_t)bits);
        const struct pair offset = offset_to(batch, place);
        far |= places_at(place, bits, lanes_less(lanes_load(limit + place), pair_dot(offset, offset)));
        store_pair_where(mask, batch->offset_x + place, batch->offset_y + place, offset);
        store_pair_where(mask, batch->other_vx + place, batch->other_vy + place, pair_all(0.0f, 0.0f));
    }
    return wanted & ~far;
}

static void turn_to(struct steering_batch *batch, place_set wanted) {
    FOR_BLOCKS(batch, wanted, place, bits) {
        const lanes_mask mask = lanes_from_bits((uint32_t)bits);
        store_pair_where(mask, batch->offset_x + place, batch->offset_y + place, offset_to(batch, place));
    }
}

static place_set within(const struct steering_batch *batch, const float *squared, float limit,
                        place_set wanted) {
    place_set far = 0;
    FOR_BLOCKS(batch, wanted, place, bits) {
        far |= places_at(place, bits, lanes_less(lanes_all(limit), lanes_load(squared + place)));
    }
    return wanted & ~far;
}

/* ---- what stands and flows in the world ---- */

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
        for (int32_t at = place; scenery->mover_count > 0 && at < place + LANES_WIDTH && at < batch->count;
             at++) {
            batch->room[at] = scenery_room(scenery, &batch->bounds, vec2_make(batch->x[at], batch->y[at]));
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
        const lanes rate =
            lanes_add(speed, lanes_all(batch->scenery->fastest)); /* of what may come towards it */
        const lanes length = lanes_mul(rate, lanes_all(1.001f * behavior->horizon));
        const lanes wide =
            lanes_add(lanes_load(batch->radius + place), lanes_all(behavior->clearance + SOLID_TOUCHING));
        const lanes_mask is_free = lanes_less(lanes_add(length, wide), lanes_load(batch->room + place));
        const uint32_t free = (uint32_t)bits & lanes_bits(is_free);
        const uint32_t busy = ((uint32_t)bits & ~free) | beside_solids(batch, place, free);
        out->left |= (place_set)busy << place;
    }
}

/* ---- forces ---- */

static void begin(struct steering_batch *batch, float weight_sum, place_set wanted) {
    const lanes combined = lanes_all(weight_sum > 1.0f ? weight_sum : 1.0f);
    const struct pair none = pair_all(0.0f, 0.0f);
    FOR_BLOCKS(batch, wanted, place, bits) {
        const lanes_mask mask = lanes_from_bits((uint32_t)bits);
        const lanes exact =
            lanes_div(lanes_load(batch->mass + place), lanes_mul(lanes_all(batch->dt), combined));
        const lanes rate = lanes_min(exact, lanes_all(TUTORIAL_RATE));
        store_pair_where(mask, batch->exact_rate + place, batch->rate + place, (struct pair){exact, rate});
        store_pair_where(mask, batch->desired_x + place, batch->desired_y + place, none);
        store_pair_where(mask, batch->force_x + place, batch->force_y + place, none);
        store_pair_where(mask, batch->tier_x + place, batch->tier_y + place, none);
    }
}

/* Adds a weighted pair of columns; zeros where `active` is false. */
LANES_INLINE void add_weighted(lanes_mask wanted, lanes_mask active, lanes weight, const float *x,
                               const float *y, float *to_x, float *to_y) {
    const struct pair added = pair_scale(pair_keep(active, pair_load(x, y)), weight);
    store_pair_where(wanted, to_x, to_y, pair_add(pair_load(to_x, to_y), added));
}

static void add(struct steering_batch *batch, float weight, place_set wanted,
                const struct steering_columns *output) {
    const lanes factor = lanes_all(weight);
    FOR_BLOCKS(batch, wanted, place, bits) {
        const lanes_mask mask = lanes_from_bits((uint32_t)bits);
        const lanes_mask active = lanes_from_bits(lanes_wanted(output->active, place));
        add_weighted(mask, active, factor, output->desired_x + place, output->desired_y + place,
                     batch->desired_x + place, batch->desired_y + place);
        add_weighted(mask, active, factor, output->force_x + place, output->force_y + place,
                     batch->tier_x + place, batch->tier_y + place);
    }
}

/* What the tiers so far leave of max_force. */
LANES_INLINE lanes left_at(const struct steering_batch *batch, int32_t place) {
    const struct pair taken = pair_load(batch->force_x + place, batch->force_y + place);
    const lanes left = lanes_sub(lanes_load(batch->max_force + place), lanes_sqrt(pair_dot(taken, taken)));
    return lanes_max(left, lanes_all(0.0f));
}

static void lead_tier(struct steering_batch *batch, bool is_first, bool is_last, place_set wanted) {
    FOR_BLOCKS(batch, wanted, place, bits) {
        const lanes_mask mask = lanes_from_bits((uint32_t)bits);
        const struct rule_lanes agents = agents_at(batch, place);
        const struct pair desired = pair_load(batch->desired_x + place, batch->desired_y + place);
        const struct pair force = pair_load(batch->tier_x + place, batch->tier_y + place);
        const struct pair from =
            is_first ? agents.velocity : pair_load(batch->led_x + place, batch->led_y + place);
        const struct pair led = pair_add(from, lead(&agents, desired, force, left_at(batch, place)));
        store_pair_where(mask, batch->led_x + place, batch->led_y + place, led);
        store_pair_where(mask, batch->desired_x + place, batch->desired_y + place,
                         is_last ? led : pair_all(0.0f, 0.0f));
    }
}

static void end_tier(struct steering_batch *batch, bool is_only, place_set wanted) {
    FOR_BLOCKS(batch, wanted, place, bits) {
        const lanes_mask mask = lanes_from_bits((uint32_t)bits);
        const struct pair tier = pair_load(batch->tier_x + place, batch->tier_y + place);
        const struct pair force = pair_load(batch->force_x + place, batch->force_y + place);
        const struct pair fitting = is_only ? tier : pair_truncate_often(tier, left_at(batch, place));
        store_pair_where(mask, batch->force_x + place, batch->force_y + place, pair_add(force, fitting));
        store_pair_where(mask, batch->tier_x + place, batch->tier_y + place, pair_all(0.0f, 0.0f));
    }
}

/* ---- velocity filters ---- */

static void prefer(struct steering_batch *batch, place_set wanted) {
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct pair desired = pair_load(batch->desired_x + place, batch->desired_y + place);
        const struct pair force = pair_load(batch->force_x + place, batch->force_y + place);
        const lanes asked = lanes_add(pair_dot(desired, desired), pair_dot(force, force));
        const struct pair preferred =
            pair_select(lanes_less(lanes_all(0.0f), asked), desired, velocity_at(batch, place));
        pair_store(batch->preferred_x + place, batch->preferred_y + place,
                   pair_truncate_often(preferred, lanes_load(batch->max_speed + place)));
    }
}

/* As world_filter_velocity does it; the rate is the exact one of a single behavior. */
static void filter(struct steering_batch *batch, float share, place_set wanted) {
    const lanes part = lanes_all(share), rest = lanes_all(1.0f - share);
    FOR_BLOCKS(batch, share > 0.0f ? wanted : 0, place, bits) {
        const lanes_mask mask = lanes_from_bits((uint32_t)bits);
        const lanes max_force = lanes_load(batch->max_force + place);
        const lanes rate =
            lanes_div(lanes_load(batch->mass + place), lanes_mul(lanes_all(batch->dt), lanes_all(1.0f)));
        const struct pair permitted = pair_load(batch->permitted_x + place, batch->permitted_y + place);
        const struct steering_pairs output = match_velocity(permitted, velocity_at(batch, place), rate);
        const struct pair force = pair_load(batch->force_x + place, batch->force_y + place);
        const struct pair preferred = pair_load(batch->preferred_x + place, batch->preferred_y + place);
        const struct pair own = pair_scale(pair_truncate_often(force, max_force), rest);
        const struct pair instead = pair_scale(pair_truncate_often(output.force, max_force), part);
        store_pair_where(mask, batch->force_x + place, batch->force_y + place, pair_add(own, instead));
        store_pair_where(mask, batch->desired_x + place, batch->desired_y + place,
                         pair_add(pair_scale(preferred, rest), pair_scale(output.desired, part)));
    }
}

/* ---- motion ---- */

LANES_INLINE lanes_mask is_inside(lanes value, lanes low, lanes high) {
    return lanes_both(lanes_less(low, value), lanes_less(value, high));
}

static place_set leaves(const struct steering_batch *batch, place_set wanted) {
    const struct pair size = pair_all(batch->bounds.size.x, batch->bounds.size.y);
    place_set staying = 0;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const lanes braking =
            lanes_div(lanes_load(batch->max_force + place), lanes_load(batch->mass + place));
        const struct pair at = pair_load(batch->x + place, batch->y + place),
                          velocity = velocity_at(batch, place);
        const lanes horizon = braking_horizon(velocity, braking, 2.0f * batch->dt);
        const struct pair future = pair_add(at, pair_scale(velocity, horizon));
        const lanes radius = lanes_load(batch->radius + place);
        const lanes x = lowest_place(size.x, radius), y = lowest_place(size.y, radius);
        staying |= places_at(place, bits,
                             lanes_both(is_inside(future.x, x, lanes_sub(size.x, x)),
                                        is_inside(future.y, y, lanes_sub(size.y, y))));
    }
    return wanted & ~staying;
}

LANES_INLINE struct pair velocity_after(const struct steering_batch *batch, enum locomotion locomotion,
                                        int32_t place, struct pair desired) {
    const lanes max_speed = lanes_load(batch->max_speed + place);
    const lanes max_force = lanes_load(batch->max_force + place);
    const lanes push = lanes_div(lanes_all(batch->dt), lanes_load(batch->mass + place));
    const struct pair force = pair_load(batch->force_x + place, batch->force_y + place);
    const struct pair velocity = velocity_at(batch, place);
    switch (locomotion) {
    case LOCOMOTION_DIRECT:
        return pair_truncate_often(desired, max_speed);
    case LOCOMOTION_CONSTANT_SPEED:
        return constant_velocity(velocity, desired, force, max_force, push, max_speed);
    case LOCOMOTION_WHEELED: /* agent by agent (world_combines_in_lanes) */
    case LOCOMOTION_STEERED:
        break;
    }
    return steered_velocity(velocity, force, max_force, push, max_speed);
}

static void move(struct steering_batch *batch, enum locomotion locomotion, place_set wanted) {
    FOR_BLOCKS(batch, wanted, place, bits) {
        const lanes_mask mask = lanes_from_bits((uint32_t)bits);
        const struct pair desired =
            pair_truncate_often(pair_load(batch->desired_x + place, batch->desired_y + place),
                                lanes_load(batch->max_speed + place));
        const struct pair velocity = velocity_after(batch, locomotion, place, desired);
        const struct pair at = pair_load(batch->x + place, batch->y + place);
        store_pair_where(mask, batch->next_x + place, batch->next_y + place,
                         pair_add(at, pair_scale(velocity, lanes_all(batch->dt))));
        store_pair_where(mask, batch->next_vx + place, batch->next_vy + place, velocity);
    }
}

static place_set inside(const struct steering_batch *batch, place_set wanted) {
    const enum edge edge = batch->bounds.edge;
    const float most = edge == EDGE_WRAP ? 0.0f : (float)LIMIT_COORDINATE;
    const struct pair size = edge == EDGE_WRAP || edge == EDGE_BOUNCE
                                 ? pair_all(batch->bounds.size.x, batch->bounds.size.y)
                                 : pair_all(0.0f, 0.0f);
    place_set found = 0;
    FOR_BLOCKS(batch, wanted, place, bits) {
        const lanes radius = lanes_load(batch->radius + place);
        struct pair low = pair_all(-most, -most);
        if (edge == EDGE_BOUNCE) {
            low = (struct pair){lowest_place(size.x, radius), lowest_place(size.y, radius)};
        }
        found |= places_at(
            place, bits,
            lanes_both(is_inside(lanes_load(batch->next_x + place), low.x, lanes_sub(size.x, low.x)),
                       is_inside(lanes_load(batch->next_y + place), low.y, lanes_sub(size.y, low.y))));
    }
    return found;
}

static void scatter(const struct steering_batch *batch, place_set wanted, struct motion *motion) {
    const uint32_t all = (uint32_t)((UINT64_C(1) << LANES_WIDTH) - 1);
    FOR_BLOCKS(batch, wanted, place, bits) {
        const struct lanes_motion next = {
            lanes_load(batch->next_x + place), lanes_load(batch->next_y + place),
            lanes_load(batch->next_vx + place), lanes_load(batch->next_vy + place)};
        if ((uint32_t)bits == all) {
            lanes_store_motion(motion + place, &next);
            continue;
        }
        struct motion each[LANES_WIDTH];
        lanes_store_motion(each, &next);
        for (int32_t lane = 0; lane < LANES_WIDTH; lane++) {
            if (((uint32_t)bits >> lane) & 1) {
                motion[place + lane] = each[lane];
            }
        }
    }
}

LANES_INLINE lanes hold_squared(lanes max_speed) {
    const lanes hold = lanes_mul(lanes_all(HEADING_HOLD_SHARE), max_speed);
    return lanes_max(lanes_mul(hold, hold), lanes_all(SLOWEST_SQUARED));
}

static void turn(struct steering_batch *batch, place_set wanted) {
    FOR_BLOCKS(batch, wanted, place, bits) {
        const lanes_mask mask = lanes_from_bits((uint32_t)bits);
        const struct pair heading = pair_load(batch->heading_x + place, batch->heading_y + place);
        const struct pair most = pair_load(batch->turn_x + place, batch->turn_y + place);
        const struct pair next =
            turned_heading(heading, pair_load(batch->next_vx + place, batch->next_vy + place),
                           hold_squared(lanes_load(batch->max_speed + place)), most);
        store_pair_where(mask, batch->heading_x + place, batch->heading_y + place, next);
    }
}

static const struct steering_kernel steering = {
#define RULE(enumerator, name) [BEHAVIOR_##enumerator] = rule_##name,
    .rules = {STEERING_RULE_LIST(RULE)},
#undef RULE
    .gather = gather,
    .find_room = find_room,
    .clear = clear,
    .look = look,
    .turn_to = turn_to,
    .within = within,
    .begin = begin,
    .add = add,
    .lead_tier = lead_tier,
    .end_tier = end_tier,
    .prefer = prefer,
    .filter = filter,
    .leaves = leaves,
    .move = move,
    .inside = inside,
    .scatter = scatter,
    .turn = turn,
};
