/* The tick of many agents at once: what each wants is found behavior by behavior, in lanes where the behavior
 * has a rule for lanes (kernels.h), otherwise agent by agent, and what becomes of it in lanes again.
 *
 * Agents of all states that steer alike go together (world_ways.c). The result is that of world_step_agent,
 * bit for bit. What only the agent itself reads, its state and memory, is written in place. */
#include <assert.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/tick/crowd.h"
#include "server/sim/tick/world_sights.h"
#include "server/sim/world/world_internal.h"

/* ---- tick t ---- */

/* Whether agents of the kind never have a state to decide for, nor what begins with a tick to remember. */
static bool is_steady(const struct kind *kind) {
    return kind->def.state_count == 1 && !kind->pursues;
}

static bool is_same_state(struct state_ref a, struct state_ref b) {
    return a.kind == b.kind && a.state == b.state;
}

static void add_to_program(struct crowd *crowd, struct state_ref state, place_set places) {
    int index = 0;
    while (index < crowd->program_count && !is_same_state(crowd->programs[index].state, state)) {
        index++;
    }
    if (index == crowd->program_count) {
        crowd->programs[crowd->program_count++] = (struct crowd_program){state, 0};
    }
    crowd->programs[index].places |= places;
}

static void begin_states(struct crowd *crowd, const struct crowd_group *group,
                         const struct watchers *watchers) {
    struct world *world = crowd->world;
    place_set left = is_steady(group->kind) ? 0 : group->places;
    for (int32_t place; places_next(&left, &place);) {
        const int32_t slot = crowd->batch.begin + place;
        world_begin_state(world, world->state[slot], group->state, &world->memory[slot]);
        if (group->kind->timer_count > 0) {
            world_run_timers(world, group->kind, conditions_decision(watchers, group->state, place),
                             world->state[slot], &world->timers[slot]);
        }
        world->state[slot] = (uint8_t)group->state;
    }
}

/* Puts agents of a kind into a state. Returns those of them that are not steered in lanes: they begin it
 * themselves. */
static place_set enter(struct crowd *crowd, const struct watchers *watchers, int state, place_set places) {
    const struct kind *kind = watchers->kind;
    const struct crowd_group group = {kind, state, places};
    if (places == 0) {
        return 0;
    }
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        crowd->state[place] = (uint8_t)state;
    }
    if (!world_combines_in_lanes(&kind->def, state)) {
        return places;
    }
    begin_states(crowd, &group, watchers);
    crowd->groups[crowd->group_count++] = group;
    add_to_program(crowd, kind->states[state].program, places);
    return 0;
}

/* Decides for states of the agents of a kind. */
static place_set decide_kind(struct crowd *crowd, const struct kind *kind, place_set places) {
    const int last = kind->def.state_count - 1;
    struct watchers watchers = {
        .world = crowd->world,
        .kind = kind,
        .row = crowd->row,
        .memory = crowd->batch.memory,
        .timers = crowd->world->timers + crowd->batch.begin,
        .first = crowd_sight(crowd, 0),
        .kernel = crowd->kernel,
        .batch = &crowd->batch,
        .sights = &crowd->sights,
    };
    place_set alone = 0;
    conditions_begin(&watchers, places);
    for (int state = 0; state < last && places != 0; state++) {
        const place_set found = conditions_met(&watchers, state, places);
        alone |= enter(crowd, &watchers, state, found);
        places &= ~found;
    }
    return alone | enter(crowd, &watchers, last, places);
}

/* Decides for states, and finds the agents whose states steer alike. Returns the places whose state is not
 * steered in lanes. */
static place_set decide(struct crowd *crowd, place_set wanted) {
    place_set alone = 0;
    crowd->program_count = crowd->group_count = 0;
    for (uint64_t kinds = crowd->kinds; kinds != 0; kinds &= kinds - 1) {
        const int kind = __builtin_ctzll(kinds);
        alone |= decide_kind(crowd, &crowd->world->kinds[kind], crowd->of_kind[kind] & wanted);
    }
    return alone;
}

/* ---- what agents notice ---- */

/* The point that a behavior is about, whatever the agent does; false when it is about something else. limit:
 * px^2, how near the agent must be to notice it. */
static bool find_point(const struct world *world, int32_t row, const struct behavior_def *behavior,
                       const struct ref_runtime *target, vec2 *point, float *limit) {
    *limit = INFINITY;
    if (world_aimed_point(world, row, behavior, point)) {
        return true;
    }
    if (target->mode != REF_TARGET || behavior_has_trait(behavior->type, TRAIT_CATCHES)) {
        return false;
    }
    const float within = behavior->target.within;
    *point = world->targets[target->index].at;
    *limit = within > 0.0f ? within * within : INFINITY;
    return true;
}

/* Makes agents look for what a reference is about. */
static void look_for(struct crowd *crowd, const struct ref_runtime *ref, place_set places) {
    if (ref->mode == REF_KIND) {
        world_sights_look(crowd->world, &crowd->sights, ref->index, places);
    }
}

/* Makes agents that will be asked one by one look for all that a behavior is about. One that remembers a quarry
 * hardly ever needs another. */
static void look_for_all(struct crowd *crowd, int index, place_set places) {
    for (int i = 0; i < crowd->group_count; i++) {
        const struct crowd_group *group = &crowd->groups[i];
        const struct behavior_runtime *runtime = &group->kind->states[group->state].behaviors[index];
        place_set here = group->places & places, keeping = 0;
        if (here == 0) {
            continue;
        }
        look_for(crowd, &runtime->second, here);
        place_set left = group->kind->def.states[group->state].behaviors[index].keep ? here : 0;
        for (int32_t place; places_next(&left, &place);) {
            keeping |= (place_set)(crowd->batch.memory[place].quarry != 0) << place;
        }
        look_for(crowd, &runtime->target, here & ~keeping);
    }
}

/* Of some agents, one by one. */
static place_set find_alone(struct crowd *crowd, int index, place_set places) {
    struct steering_batch *batch = &crowd->batch;
    _Alignas(64) float limit[BATCH_ROOM];
    place_set points = 0, there = 0;
    look_for_all(crowd, index, places);
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        const struct behavior_def *behavior = &crowd_state(crowd, place)->behaviors[index];
        const struct behavior_runtime *runtime = &crowd_runtime(crowd, place)->behaviors[index];
        const int32_t row = crowd->row[place];
        struct target_info first = {.is_there = false};
        if (find_point(crowd->world, row, behavior, &runtime->target, &first.offset, &limit[place])) {
            points |= UINT64_C(1) << place;
        } else {
            struct steering_context *context = crowd_context(crowd, place);
            there |= (place_set)world_resolve_targets(crowd->world, row, behavior, runtime, context) << place;
            first = context->first;
        }
        batch->offset_x[place] = first.offset.x;
        batch->offset_y[place] = first.offset.y;
        batch->other_vx[place] = first.velocity.x;
        batch->other_vy[place] = first.velocity.y;
    }
    return there | crowd->kernel->look(batch, limit, points);
}

/* The same point for all. limit: px^2. */
static place_set look_at(struct crowd *crowd, vec2 point, float limit, place_set places) {
    struct steering_batch *batch = &crowd->batch;
    _Alignas(64) float limits[BATCH_ROOM];
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        batch->offset_x[place] = point.x;
        batch->offset_y[place] = point.y;
        limits[place] = limit;
    }
    return crowd->kernel->look(batch, limits, places);
}

/* The agents that are seen. */
static void turn_to(struct crowd *crowd, const struct sight_columns *seen, place_set places) {
    struct steering_batch *batch = &crowd->batch;
    const struct motion *motion = crowd->world->grid.motion;
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        const struct motion *other = &motion[seen->slot[place]];
        batch->offset_x[place] = other->x;
        batch->offset_y[place] = other->y;
        batch->other_vx[place] = other->vx;
        batch->other_vy[place] = other->vy;
    }
    crowd->kernel->turn_to(batch, places);
}

/* What agents of one kind in one state do not choose one by one. *left: for which nothing is found out. */
static place_set find_together(struct crowd *crowd, const struct crowd_group *group, int index,
                               place_set places, place_set *left) {
    const struct behavior_def *behavior = &group->kind->def.states[group->state].behaviors[index];
    const struct ref_runtime *target = &group->kind->states[group->state].behaviors[index].target;
    const int32_t any = crowd->row[places_first(places)];
    vec2 point;
    float limit;
    *left = places;
    if (crowd->world->has_sent && world_is_aimed(behavior->type)) {
        return 0;
    }
    if (find_point(crowd->world, any, behavior, target, &point, &limit)) {
        *left = 0;
        return look_at(crowd, point, limit, places);
    }
    if (target->mode != REF_KIND || behavior->keep ||
        behavior_target_count((enum behavior_type)behavior->type) != 1 ||
        behavior_has_trait(behavior->type, TRAIT_CATCHES)) {
        return 0;
    }
    look_for(crowd, target, places);
    const struct sight_answer answer = world_sights_near(&crowd->sights, crowd->kernel, &crowd->batch,
                                                         target->index, behavior->target.within, places);
    *left = places & ~answer.known;
    if (answer.near != 0) {
        turn_to(crowd, answer.seen, answer.near);
    }
    return answer.near;
}

/* Finds what a behavior is about; returns the places for which it is there. */
static place_set find_targets(struct crowd *crowd, int index, place_set places) {
    place_set there = 0, alone = 0;
    for (int i = 0; i < crowd->group_count; i++) {
        const place_set here = crowd->groups[i].places & places;
        if (here != 0) {
            place_set left;
            there |= find_together(crowd, &crowd->groups[i], index, here, &left);
            alone |= left;
        }
    }
    return alone == 0 ? there : there | find_alone(crowd, index, alone);
}

/* The vectors that agents are driven with; returns the places that have one which is new enough. */
static place_set find_drives(struct crowd *crowd, const struct behavior_def *behavior, place_set places) {
    struct steering_batch *batch = &crowd->batch;
    place_set fresh = 0;
    place_set left = crowd->world->has_driven ? places : 0;
    for (int32_t place; places_next(&left, &place);) {
        const struct drive *drive = &crowd->world->drive[crowd->row[place]];
        fresh |= (place_set)drive_is_fresh(drive, behavior->hold) << place;
        batch->offset_x[place] = drive->vector.x;
        batch->offset_y[place] = drive->vector.y;
    }
    return fresh;
}

/* The paths that agents follow, and in which direction. */
static void find_paths(struct crowd *crowd, int index, place_set places) {
    struct steering_batch *batch = &crowd->batch;
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        batch->path[place] = (float)crowd_runtime(crowd, place)->behaviors[index].path;
        batch->path_sign[place] = crowd_state(crowd, place)->behaviors[index].direction < 0.0f ? -1.0f : 1.0f;
    }
}

/* ---- forces ---- */

/* A behavior of agents of a program that go alone. sums: NULL, or those of its neighbors. */
static void evaluate_alone(struct crowd *crowd, int index, place_set places,
                           const struct sums_columns *sums) {
    struct steering_columns *output = &crowd->output;
    look_for_all(crowd, index, places);
    output->active = places;
    world_count_alone(crowd->world, crowd_runtime(crowd, places_first(places)), index, places);
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        const struct behavior_def *behavior = &crowd_state(crowd, place)->behaviors[index];
        struct steering_context *context = crowd_context(crowd, place);
        struct neighbor_sums own_sums;
        context->rank = world_rank(crowd->world, crowd->row[place]);
        context->group = world_kind_population(crowd->world, crowd->world->kind[crowd->row[place]]);
        if (sums != NULL) {
            own_sums = sums_columns_get(sums, place);
            crowd->known.behavior = behavior;
            crowd->known.sums = &own_sums;
        }
        const struct steering_output one =
            world_evaluate(crowd->world, crowd->row[place], behavior,
                           &crowd_runtime(crowd, place)->behaviors[index], context, NULL);
        output->desired_x[place] = one.desired.x;
        output->desired_y[place] = one.desired.y;
        output->force_x[place] = one.force.x;
        output->force_y[place] = one.force.y;
    }
    crowd->kernel->add(&crowd->batch, 1.0f, places, output); /* it is weighted already */
}

/* Whether a rule has what it needs to know about neighbors; points the batch to it. */
static bool has_neighbors(struct crowd *crowd, struct state_ref program, int index, enum behavior_type type) {
    crowd->batch.sums = crowd_sums_of(crowd, program, index);
    crowd->batch.threats = crowd_threats_of(crowd, program, index);
    return behavior_neighbor_use(type) == NEIGHBORS_UNUSED || crowd->batch.sums != NULL ||
           crowd->batch.threats != NULL;
}

static void evaluate(struct crowd *crowd, const struct crowd_program *program, int index) {
    const struct state_def *state =
        &crowd->world->kinds[program->state.kind].def.states[program->state.state];
    const struct behavior_def *behavior = &state->behaviors[index];
    const enum behavior_type type = (enum behavior_type)behavior->type;
    const place_set places = program->places;
    const enum steering_way way =
        crowd->world->kinds[program->state.kind].states[program->state.state].behaviors[index].way;
    if (behavior_is_velocity_filter(type)) {
        return;
    }
    if (!has_neighbors(crowd, program->state, index, type) || way != WAY_LANES) {
        evaluate_alone(crowd, index, places, crowd->batch.sums);
        return;
    }
    const place_set there = behavior_target_count(type) > 0 ? find_targets(crowd, index, places)
                            : behavior_has_trait(behavior->type, TRAIT_DRIVEN)
                                ? find_drives(crowd, behavior, places)
                                : places;
    if (behavior_has_path(type)) {
        find_paths(crowd, index, places);
    }
    crowd->output.left = 0;
    crowd->kernel->rules[type](&crowd->batch, behavior, there, &crowd->output);
    const place_set left = crowd->output.left;
    crowd->kernel->add(&crowd->batch, behavior->weight, places & ~left, &crowd->output);
    if (left != 0) {
        evaluate_alone(crowd, index, left, NULL);
    }
}

static void sum_tiers(struct crowd *crowd, const struct crowd_program *program) {
    const struct kind *kind = &crowd->world->kinds[program->state.kind];
    const struct state_def *state = &kind->def.states[program->state.state];
    const struct state_runtime *runtime = &kind->states[program->state.state];
    crowd->kernel->begin(&crowd->batch, runtime->weight_sum, program->places);
    bool is_first = true;
    for (int i = 0; i < state->behavior_count; i++) {
        evaluate(crowd, program, runtime->order[i]);
        const bool is_last = i + 1 == state->behavior_count;
        if (is_last ||
            state->behaviors[runtime->order[i + 1]].tier != state->behaviors[runtime->order[i]].tier) {
            if (runtime->is_led) {
                crowd->kernel->lead_tier(&crowd->batch, is_first, is_last, program->places);
            }
            crowd->kernel->end_tier(&crowd->batch, is_first && is_last, program->places);
            is_first = false;
        }
    }
}

/* Containment of those that it acts on. */
static void contain(struct crowd *crowd, place_set places) {
    place_set left = crowd->kernel->leaves(&crowd->batch, places);
    for (int32_t place; places_next(&left, &place);) {
        struct intent intent = crowd_intent(crowd, place);
        world_contain(crowd->world, crowd_context(crowd, place), &intent, NULL);
        crowd_set_intent(crowd, place, &intent);
    }
}

/* ---- tick t+1 ---- */

/* Solids and the edge. */
static void settle(struct crowd *crowd, place_set places) {
    struct steering_batch *batch = &crowd->batch;
    const struct world *world = crowd->world;
    const place_set done = crowd->kernel->inside(batch, crowd->kernel->clear(batch, places));
    place_set left = places & ~done;
    for (int32_t place; places_next(&left, &place);) {
        const struct motion moved = {batch->next_x[place], batch->next_y[place], batch->next_vx[place],
                                     batch->next_vy[place]};
        const struct motion next =
            world_move(world, world->grid.motion[batch->begin + place], moved, batch->radius[place]);
        assert(next.x - next.x == 0.0f && next.y - next.y == 0.0f);
        batch->next_x[place] = next.x;
        batch->next_y[place] = next.y;
        batch->next_vx[place] = next.vx;
        batch->next_vy[place] = next.vy;
    }
}

static void tire(struct crowd *crowd, place_set places) {
    for (int i = 0; i < crowd->group_count; i++) {
        const struct kind *kind = crowd->groups[i].kind;
        const float rate = kind->def.states[crowd->groups[i].state].stamina_rate;
        place_set left = kind->is_tireless ? 0 : crowd->groups[i].places & places;
        for (int32_t place; places_next(&left, &place);) {
            world_tire(&crowd->batch.memory[place], rate, kind->def.body.max_stamina, crowd->world->dt);
        }
    }
}

static void move(struct crowd *crowd, enum locomotion locomotion, place_set places) {
    struct steering_batch *batch = &crowd->batch;
    crowd->kernel->move(batch, locomotion, places);
    settle(crowd, places);
    crowd->kernel->scatter(batch, places, crowd->world->grid.next + batch->begin);
    crowd->kernel->turn(batch, places);
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        crowd->world->next_heading[batch->begin + place] =
            vec2_make(batch->heading_x[place], batch->heading_y[place]);
    }
    tire(crowd, places);
}

/* ---- the tick ---- */

/* The agents of all programs that move in the same way move together. */
static void move_all(struct crowd *crowd) {
    place_set moving[LOCOMOTION_COUNT] = {0};
    for (int i = 0; i < crowd->program_count; i++) {
        const struct crowd_program *program = &crowd->programs[i];
        moving[crowd->world->kinds[program->state.kind].def.body.locomotion] |= program->places;
    }
    for (int locomotion = 0; locomotion < LOCOMOTION_COUNT && !world_is_given_up(crowd->world);
         locomotion++) {
        if (moving[locomotion] != 0) {
            move(crowd, (enum locomotion)locomotion, moving[locomotion]);
        }
    }
}

/* Makes agents that are stepped one by one look for all that their kinds look for. */
static void look_for_anything(struct crowd *crowd, place_set places) {
    for (uint64_t kinds = places != 0 ? crowd->kinds : 0; kinds != 0; kinds &= kinds - 1) {
        const int k = __builtin_ctzll(kinds);
        const struct kind *kind = &crowd->world->kinds[k];
        for (int i = 0; i < kind->look_count && (crowd->of_kind[k] & places) != 0; i++) {
            world_sights_look(crowd->world, &crowd->sights, kind->looks[i].kind, crowd->of_kind[k] & places);
        }
    }
}

/* The tick of those agents in slots [begin, end), at most BATCH_MAX, that are at `wanted`: in lanes where the
 * behaviors have rules for lanes. */
static void world_step_crowd(struct world *world, int32_t begin, int32_t end, place_set wanted) {
    assert(begin < end && end - begin <= BATCH_MAX && !world->is_pure_flock);
    struct crowd crowd;
    crowd_begin(&crowd, world, begin, end);
    world_sights_of(&crowd.sights, begin);
    const place_set alone = decide(&crowd, wanted);
    crowd_find_neighbors(&crowd);
    if (world_is_given_up(world)) {
        return; /* some sums are missing */
    }
    for (int i = 0; i < crowd.program_count; i++) {
        sum_tiers(&crowd, &crowd.programs[i]);
    }
    if (world->bounds.edge == EDGE_CONTAIN) {
        contain(&crowd, wanted & ~alone);
    }
    crowd_filter_velocities(&crowd);
    move_all(&crowd);
    look_for_anything(&crowd, alone);
    place_set left = alone;
    for (int32_t place; places_next(&left, &place);) {
        const struct precomputed_sums precomputed = {.sight = crowd_sight(&crowd, place)};
        world_step_agent(world, begin + place, &precomputed);
    }
}

/* ---- batch ---- */

/* The tick of agents in consecutive slots of the grid, a batch at a time so that what is found for all of them
 * at once is used while it is in the cache. Kinds that merely flock go through kernels.h, all others
 * one by one. */

enum { WORTHWHILE_SHARE = 4 /* a flock of fewer than one in so many of a batch is not worth its kernel */ };

static place_set places_of_kind(const uint8_t *kinds, int32_t count, int kind) {
    place_set places = 0;
    for (int32_t i = 0; i < count; i++) {
        places |= (place_set)(kinds[i] == kind) << i;
    }
    return places;
}

/* ---- a flock and nothing else ---- */

static struct flock_rules make_rules(const struct world *world, const struct kind *kind) {
    const struct behavior_def *behavior = &kind->def.states[0].behaviors[0];
    const struct body *body = &kind->body;
    struct steering_context context = {.body = body, .dt = world->dt};
    behavior_rates(&context, kind->states[0].weight_sum);
    return (struct flock_rules){
        .rule_weight = {behavior->zones[0].weight, behavior->zones[1].weight, behavior->zones[2].weight},
        .weight = behavior->weight,
        .cohesion_radius = behavior->zones[ZONE_COHESION].radius,
        .max_speed = body->max_speed,
        .max_force = body->max_force,
        .radius = body->radius,
        .mass = body->mass,
        .exact_rate = context.exact_rate,
        .dt = world->dt,
        .turn = kind->turn,
    };
}

static void step_flock(struct world *world, int kind_index, int32_t begin, int32_t end) {
    const struct kind *kind = &world->kinds[kind_index];
    const struct neighbor_batch batch = world_neighbor_batch(world, kind, &kind->states[0].behaviors[0]);
    const struct flock_rules rules = make_rules(world, kind);
    const struct flock_out out = {
        .kind = kind_index,
        .next = world->grid.next,
        .cell = world->grid.has_cells ? world->grid.key : NULL,
        .heading = world->is_pure_flock ? world->heading : world->next_heading,
        .only_of_resting = world->is_pure_flock,
    };
    flock_kernel_step(world->simd, &batch, &rules, begin, end, &out);
    for (int32_t slot = begin; !kind->is_tireless && slot < end; slot++) {
        if (world->grid.kind[slot] == kind_index) {
            const int32_t row = world->grid.row[slot];
            world_age(world, row, 0, world_memory(world, row));
        }
    }
}

/* ---- all kinds ---- */

/* The kinds whose agents a kernel for flocks can move, a bit each. */
static uint64_t flocking_kinds(const struct world *world) {
    uint64_t kinds = 0;
    for (int k = 0; k < world->kind_count; k++) {
        kinds |= (uint64_t)world_can_use_flock_kernel(world, &world->kinds[k]) << k;
    }
    return kinds;
}

/* Kinds that merely flock, each by itself; all other agents together. */
static void step_batch(struct world *world, uint64_t flocking, int32_t begin, int32_t end) {
    place_set crowd = places_until(end - begin);
    for (; flocking != 0; flocking &= flocking - 1) {
        const int kind = __builtin_ctzll(flocking);
        const place_set places = places_of_kind(world->grid.kind + begin, end - begin, kind);
        const int32_t found = places_count(places);
        const bool is_worthwhile = found * WORTHWHILE_SHARE >= end - begin || world->is_pure_flock;
        if (found > 0 && is_worthwhile) {
            step_flock(world, kind, begin, end);
            crowd &= ~places;
        }
    }
    if (crowd != 0) {
        world_step_crowd(world, begin, end, crowd);
    }
}

void world_step_slots(struct world *world, int32_t begin, int32_t end) {
    assert(begin >= 0 && begin < end && end <= world->grid.count);
    const int only = world->grid.kind[begin];
    if (!world->grid.has_kinds && world_can_use_flock_kernel(world, &world->kinds[only])) {
        step_flock(world, only, begin, end);
        return;
    }
    const uint64_t flocking = flocking_kinds(world);
    for (int32_t first = begin; first < end && !world_is_given_up(world); first += BATCH_MAX) {
        step_batch(world, flocking, first, end - first < BATCH_MAX ? end : first + BATCH_MAX);
    }
}
