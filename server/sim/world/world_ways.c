/* The one place that says which way each behavior of each kind takes, and what became of it in the last tick.
 *
 * The tick itself asks here (world_crowd.c, crowd.c). It only counts agents that go alone: these cost many
 * times what counting them does. Sums of whole numbers do not depend on the order in which threads add. */

#include <assert.h>
#include <string.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/world/world_internal.h"

const char *const way_reasons[WAY_COUNT] = {
    [WAY_NO_RULE] = "no_rule",
    [WAY_MIXED_FLOCK] = "mixed_flock",
    [WAY_MAX_NEIGHBORS] = "max_neighbors",
    [WAY_DITHERED] = "dithered",
    [WAY_WHEELED] = "wheeled",
    [WAY_SEVERAL_FILTERS] = "several_filters",
    [WAY_NEAR_SOLIDS] = "near_solids",
};

static int filter_count(const struct state_def *state) {
    int count = 0;
    for (int b = 0; b < state->behavior_count; b++) {
        count += behavior_is_velocity_filter((enum behavior_type)state->behaviors[b].type);
    }
    return count;
}

/* The way of one of the behaviors of a state in a crowd. */
static enum steering_way way_in_crowd(const struct kind_def *kind, int s, int index) {
    const struct state_def *state = &kind->states[s];
    const struct behavior_def *behavior = &state->behaviors[index];
    const enum behavior_type type = (enum behavior_type)behavior->type;
    const enum neighbor_use use = behavior_neighbor_use(type);
    if (!world_combines_in_lanes(kind, s)) {
        return state->combine == COMBINE_SUM ? WAY_WHEELED : WAY_DITHERED;
    }
    if (behavior_is_velocity_filter(type)) {
        return filter_count(state) > 1                              ? WAY_SEVERAL_FILTERS
               : behavior_has_trait((int)type, TRAIT_FILTER_KERNEL) ? WAY_LANES
                                                                    : WAY_NO_RULE;
    }
    if (use == NEIGHBORS_SUMS && behavior->max_neighbors != 0) {
        return WAY_MAX_NEIGHBORS;
    }
    if (steering_has_rule(type)) {
        return WAY_LANES;
    }
    return behavior_has_trait((int)type, TRAIT_FLOCK_KERNEL) ? WAY_MIXED_FLOCK : WAY_NO_RULE;
}

/* Finds out which way each behavior takes; after world_match_programs. */
static void world_choose_ways(struct world *world) {
    int counters = 0;
    for (int k = 0; k < world->kind_count; k++) {
        for (int s = 0; s < world->kinds[k].def.state_count; s++) {
            const struct state_def *state = &world->kinds[k].def.states[s];
            struct state_runtime *runtime = &world->kinds[k].states[s];
            for (int b = 0; b < state->behavior_count; b++) {
                runtime->behaviors[b].way = way_in_crowd(&world->kinds[k].def, s, b);
            }
            const struct state_ref first = runtime->program;
            if (first.kind != k || first.state != s) {
                runtime->first_counter = world->kinds[first.kind].states[first.state].first_counter;
            } else if (counters + state->behavior_count <= WAY_COUNTERS) {
                runtime->first_counter = counters;
                counters += state->behavior_count;
            } else {
                runtime->first_counter = -1;
            }
        }
    }
    world->counter_count = counters;
    world->has_counted = false;
}

void world_begin_counting(struct world *world) {
    for (int i = 0; i < world->counter_count; i++) {
        atomic_store_explicit(&world->alone[i], 0, memory_order_relaxed);
    }
    world->has_counted = true;
}

void world_count_alone(struct world *world, const struct state_runtime *runtime, int behavior,
                       place_set places) {
    if (runtime->first_counter >= 0) {
        assert(runtime->first_counter + behavior < world->counter_count);
        atomic_fetch_add_explicit(&world->alone[runtime->first_counter + behavior],
                                  (unsigned)places_count(places), memory_order_relaxed);
    }
}

/* ---- one agent ---- */

enum steering_way world_way_of_agent(const struct world *world, int32_t row,
                                     const struct behavior_def *behavior,
                                     const struct behavior_runtime *runtime) {
    if (world_can_use_flock_kernel(world, &world->kinds[world->kind[row]])) {
        return WAY_LANES;
    }
    const struct motion motion = world_motion(world, row);
    const vec2 place = {motion.x, motion.y};
    struct body own;
    const struct body *body = world_body_at(world, world_body(world, row), place, &own);
    const float room = scenery_room(&world->scenery, &world->bounds, place);
    const bool is_near =
        behavior_is_velocity_filter((enum behavior_type)behavior->type) && world->scenery.solid_count > 0 &&
        world_filter_meets_solids(behavior, body->radius, body->max_speed + world->scenery.fastest, room);
    return runtime->way == WAY_LANES && is_near ? WAY_NEAR_SOLIDS : runtime->way;
}

/* ---- the last tick ---- */

/* How many of the agents that are stepped here are in each state of each kind, and in all states that steer alike: by the
 * first of these. */
struct state_counts {
    int32_t own[LIMIT_KINDS][LIMIT_STATES], alike[LIMIT_KINDS][LIMIT_STATES];
};

/* Whether agents may be in different states of their kind. */
static bool has_several_states(const struct world *world) {
    bool several = false;
    if (world->is_pure_flock) { /* other kinds have no agents */
        return false;
    }
    for (int k = 0; k < world->kind_count; k++) {
        several |= world->kinds[k].def.state_count > 1;
    }
    return several;
}

static struct world_slots stepped_here(const struct world *world) {
    const bool is_copy = world->exchange != NULL && !world_is_partial(world);
    return is_copy ? world_copy_share(world) : world_own_slots(world);
}

static void count_states(const struct world *world, struct state_counts *counts) {
    memset(counts, 0, sizeof *counts);
    const bool is_shared = world->exchange != NULL;
    if (is_shared || has_several_states(world)) {
        const struct world_slots slots = stepped_here(world);
        for (int32_t slot = slots.begin; slot < slots.end; slot++) {
            const int state = world->is_pure_flock ? 0 : world->state[slot];
            counts->own[world->grid.kind[slot]][state]++;
        }
    }
    for (int k = 0; k < world->kind_count; k++) {
        if (!is_shared && world->kinds[k].def.state_count == 1) { /* whether they were counted or not */
            counts->own[k][0] = world_kind_population(world, k);
        }
        for (int s = 0; s < world->kinds[k].def.state_count; s++) {
            const struct state_ref first = world->kinds[k].states[s].program;
            counts->alike[first.kind][first.state] += counts->own[k][s];
        }
    }
}

/* Which part of the agents of a state had a behavior alone. */
static double share_alone(const struct world *world, const struct state_counts *counts,
                          const struct state_runtime *runtime, int behavior) {
    const int32_t alike = counts->alike[runtime->program.kind][runtime->program.state];
    const enum steering_way way = runtime->behaviors[behavior].way;
    if (way == WAY_DITHERED || way == WAY_WHEELED) {
        return 1.0;
    }
    if (runtime->first_counter < 0 || alike <= 0) {
        return way == WAY_LANES ? 0.0 : 1.0;
    }
    const unsigned alone =
        atomic_load_explicit(&world->alone[runtime->first_counter + behavior], memory_order_relaxed);
    return (double)alone < (double)alike ? (double)alone / (double)alike : 1.0;
}

/* The agents of a kind that had a behavior, and how many of them went alone. */
struct way_tally {
    enum behavior_type type;
    double agents, alone;
};

/* The tally of a behavior: one of the first `*count`, or a further one. */
static struct way_tally *find_tally(struct way_tally *tallies, int *count, enum behavior_type type) {
    int i = 0;
    while (i < *count && tallies[i].type != type) {
        i++;
    }
    if (i == *count) {
        tallies[(*count)++] = (struct way_tally){.type = type};
    }
    return &tallies[i];
}

static void tally_state(const struct world *world, const struct state_counts *counts, struct state_ref state,
                        struct way_tally *tallies, int *count) {
    const struct state_def *def = &world->kinds[state.kind].def.states[state.state];
    const struct state_runtime *runtime = &world->kinds[state.kind].states[state.state];
    const double agents = (double)counts->own[state.kind][state.state];
    for (int b = 0; agents > 0.0 && b < def->behavior_count; b++) {
        struct way_tally *tally = find_tally(tallies, count, (enum behavior_type)def->behaviors[b].type);
        tally->agents += agents;
        tally->alone += agents * share_alone(world, counts, runtime, b);
    }
}

int world_ways(const struct world *world, struct way_share *out, int room) {
    struct state_counts counts;
    int count = 0;
    if (!world->has_counted || world->is_spoiled) {
        return 0;
    }
    count_states(world, &counts);
    for (int k = 0; k < world->kind_count; k++) {
        struct way_tally tallies[LIMIT_STATES * LIMIT_BEHAVIORS];
        int found = 0;
        for (int s = 0; s < world->kinds[k].def.state_count; s++) {
            tally_state(world, &counts, (struct state_ref){(uint8_t)k, (uint8_t)s}, tallies, &found);
        }
        for (int i = 0; i < found && count < room; i++) {
            const double lanes = 1.0 - tallies[i].alone / tallies[i].agents;
            out[count++] = (struct way_share){k, tallies[i].type, lanes};
        }
    }
    return count;
}

/* ---- programs ---- */

/* Which states of all kinds steer alike, so that their agents can be steered side by side: the same behaviors
 * in the same order with the same numbers, whatever target, path or direction each of them is about. */

/* A behavior without what is looked up for each agent. */
static void strip(const struct behavior_def *behavior, struct behavior_def *bare) {
    memset(bare, 0, sizeof *bare);
    memcpy(bare, behavior, sizeof *bare);
    memset(&bare->target, 0, sizeof bare->target);
    memset(&bare->second, 0, sizeof bare->second);
    memset(bare->path, 0, sizeof bare->path);
    memset(bare->flow_field, 0, sizeof bare->flow_field);
    memset(bare->kinds, 0, sizeof bare->kinds); /* its bits are compared */
    bare->direction = 0.0f;
    bare->keep = false;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/* The kinds that count as neighbors; 0 for a behavior that asks about none. */
static uint64_t kinds_of(const struct state_runtime *state, const struct state_def *def, int behavior) {
    const enum behavior_type type = (enum behavior_type)def->behaviors[behavior].type;
    return behavior_neighbor_use(type) != NEIGHBORS_UNUSED ? state->behaviors[behavior].kinds : 0;
}

static uint64_t hash_of(const struct kind *kind, int state) {
    const struct state_def *def = &kind->def.states[state];
    uint64_t hash = mix(UINT64_C(0xCBF29CE484222325), &kind->def.body.locomotion, sizeof(int));
    hash = mix(hash, &def->combine, sizeof def->combine);
    for (int b = 0; b < def->behavior_count; b++) {
        struct behavior_def bare;
        strip(&def->behaviors[b], &bare);
        hash = mix(hash, &bare, sizeof bare);
        const uint64_t kinds = kinds_of(&kind->states[state], def, b);
        hash = mix(hash, &kinds, sizeof kinds);
    }
    return hash;
}

static bool is_same(const struct kind *a, int a_state, const struct kind *b, int b_state) {
    const struct state_def *one = &a->def.states[a_state], *other = &b->def.states[b_state];
    bool same = a->states[a_state].program_hash == b->states[b_state].program_hash &&
                a->def.body.locomotion == b->def.body.locomotion && one->combine == other->combine &&
                one->behavior_count == other->behavior_count;
    for (int i = 0; same && i < one->behavior_count; i++) {
        struct behavior_def bare, other_bare;
        strip(&one->behaviors[i], &bare);
        strip(&other->behaviors[i], &other_bare);
        same = memcmp((const char *)&bare, (const char *)&other_bare, sizeof bare) == 0 &&
               kinds_of(&a->states[a_state], one, i) == kinds_of(&b->states[b_state], other, i);
    }
    return same;
}

static struct state_ref first_alike(const struct world *world, int kind, int state) {
    for (int k = 0; k <= kind; k++) {
        const struct kind *other = &world->kinds[k];
        for (int s = 0; s < other->def.state_count && (k < kind || s < state); s++) {
            if (is_same(other, s, &world->kinds[kind], state)) {
                return (struct state_ref){(uint8_t)k, (uint8_t)s};
            }
        }
    }
    return (struct state_ref){(uint8_t)kind, (uint8_t)state};
}

void world_match_programs(struct world *world, int changed) {
    struct kind *kind = &world->kinds[changed];
    for (int s = 0; s < kind->def.state_count; s++) {
        kind->states[s].program_hash = hash_of(kind, s);
    }
    for (int k = 0; k < world->kind_count; k++) {
        for (int s = 0; s < world->kinds[k].def.state_count; s++) {
            world->kinds[k].states[s].program = first_alike(world, k, s);
        }
    }
    world_choose_ways(world);
}
