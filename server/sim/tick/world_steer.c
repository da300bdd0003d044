/* The state that an agent is in for the coming tick: the conditions of its kind's states, evaluated. */
#include "server/sim/tick/world_sights.h"

#include <assert.h>

#include "server/sim/steering/locomotion.h"
#include "server/sim/tick/crowd.h"
#include "server/sim/world/world_internal.h"

/* ---- what agents notice ---- */

/* Of the agents at some places, looked at one by one. */
static place_set notice_alone(const struct watchers *watchers, const struct target_ref *ref,
                              const struct ref_runtime *runtime, place_set places) {
    place_set near = 0;
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        const struct sight_place known = {watchers->first.sights, watchers->first.place + place};
        near |= (place_set)world_notices(watchers->world, watchers->row[place], ref, runtime, known) << place;
    }
    return near;
}

static place_set notice_target(const struct watchers *watchers, const struct target_ref *ref,
                               const struct ref_runtime *runtime, place_set places) {
    struct steering_batch *batch = watchers->batch;
    const vec2 at = watchers->world->targets[runtime->index].at;
    _Alignas(64) float limit[BATCH_ROOM];
    crowd_fill(limit, batch->count, ref->within > 0.0f ? ref->within * ref->within : INFINITY);
    crowd_fill(batch->offset_x, batch->count, at.x);
    crowd_fill(batch->offset_y, batch->count, at.y);
    return watchers->kernel->look(batch, limit, places);
}

/* However they are turned and whatever stands between. */
static place_set notice_near(const struct watchers *watchers, const struct target_ref *ref,
                             const struct ref_runtime *runtime, place_set places) {
    if (watchers->batch == NULL) {
        return notice_alone(watchers, ref, runtime, places);
    }
    if (runtime->mode == REF_TARGET) {
        return notice_target(watchers, ref, runtime, places);
    }
    struct sight_answer answer = {NULL, 0, 0};
    if (runtime->mode == REF_KIND) {
        world_sights_look(watchers->world, watchers->sights, runtime->index, places);
        answer = world_sights_near(watchers->first.sights, watchers->kernel, watchers->batch, runtime->index,
                                   ref->within, places);
    }
    return answer.near | notice_alone(watchers, ref, runtime, places & ~answer.known);
}

static place_set notice(const struct watchers *watchers, int state, int index, place_set places) {
    const struct condition_def *node = &watchers->kind->def.states[state].conditions[index];
    const struct state_runtime *runtime = &watchers->kind->states[state];
    const struct ref_runtime *ref = &runtime->conditions[index];
    place_set found = notice_near(watchers, &node->target, ref, places);
    const bool is_plain = !node->is_visible && runtime->cosine[index] == WORLD_ALL_ROUND;
    place_set left = is_plain ? 0 : found;
    for (int32_t place; places_next(&left, &place);) {
        const struct sight_place known = {watchers->first.sights, watchers->first.place + place};
        if (!world_sees(watchers->world, watchers->row[place], node, ref, runtime->cosine[index], known)) {
            found &= ~(UINT64_C(1) << place);
        }
    }
    return found;
}

/* ---- conditions ---- */

/* Whether the chance of a tick comes about; each condition of a kind draws a number of its own. */
static bool draws(const struct world *world, int32_t row, int ordinal, float per_second) {
    const enum rng_stream stream = (enum rng_stream)(RNG_CHANCE + ordinal);
    struct rng dice = rng_begin(world->seed, world->tick, world->id[row], stream);
    return rng_unit(&dice) < per_second * world->dt;
}

static vec2 place_of(const struct world *world, int32_t row) {
    const struct motion motion = world_motion(world, row);
    return vec2_make(motion.x, motion.y);
}

/* A condition about where an agent is, what it remembers, hears, or is driven with. */
static bool remembers(const struct watchers *watchers, int state, int index, int32_t place) {
    const struct world *world = watchers->world;
    const struct condition_def *node = &watchers->kind->def.states[state].conditions[index];
    const struct state_runtime *runtime = &watchers->kind->states[state];
    const struct memory *memory = &watchers->memory[place];
    const float max_stamina = watchers->kind->def.body.max_stamina;
    switch ((enum condition_type)node->type) {
    case CONDITION_EXHAUSTED:
        return memory->is_exhausted;
    case CONDITION_STAMINA_BELOW:
        return memory->stamina < node->value * max_stamina;
    case CONDITION_STAMINA_ABOVE:
        return memory->stamina > node->value * max_stamina;
    case CONDITION_TIME_OVER:
        return (float)((uint32_t)world->tick - memory->state_since) * world->dt >= node->value;
    case CONDITION_HAS_QUARRY:
        return memory->quarry != 0 && world_find_agent(world, memory->quarry) >= 0;
    case CONDITION_DRIVEN:
        return drive_is_fresh(&world->drive[watchers->row[place]], watchers->kind->hold);
    case CONDITION_COOLDOWN:
        return watchers->timers[place].left[runtime->timer[index]] == 0;
    case CONDITION_CHANCE:
        return draws(world, watchers->row[place], state * LIMIT_CONDITIONS + index, node->value);
    case CONDITION_HEARD:
        return world_hears(world, watchers->row[place], runtime->conditions[index].index, node->value);
    case CONDITION_IN:
        return area_holds(&world->scenery.def.areas[runtime->conditions[index].index - 1], &world->bounds,
                          place_of(world, watchers->row[place]));
    default:
        assert(false);
        return false;
    }
}

static place_set remember(const struct watchers *watchers, int state, int index, place_set places) {
    place_set found = 0;
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        found |= (place_set)remembers(watchers, state, index, place) << place;
    }
    return found;
}

/* Those that notice something, or did so not long ago. */
static place_set notice_or_remember(const struct watchers *watchers, int state, int index, place_set places) {
    const int timer = watchers->kind->states[state].timer[index];
    if (timer < 0) {
        return notice(watchers, state, index, places);
    }
    place_set found = watchers->held[timer] & places, left = places & ~found;
    for (int32_t place; places_next(&left, &place);) {
        found |= (place_set)(watchers->timers[place].left[timer] > 0) << place;
    }
    return found;
}

/* Evaluates the node at *index and moves *index past all that belongs to it. */
static place_set hold(const struct watchers *watchers, int state, place_set places, int *index) {
    const struct state_def *def = &watchers->kind->def.states[state];
    assert(*index < def->condition_count);
    const struct condition_def *node = &def->conditions[*index];
    const int at = (*index)++;
    switch ((enum condition_type)node->type) {
    case CONDITION_NEAR:
        return notice_or_remember(watchers, state, at, places);
    case CONDITION_NOT:
        return places & ~hold(watchers, state, places, index);
    case CONDITION_ALL:
    case CONDITION_ANY:
        break;
    default:
        return remember(watchers, state, at, places);
    }
    /* Every child is walked, so that *index ends behind the last; with the agents that it may matter for. */
    const bool is_all = node->type == CONDITION_ALL;
    place_set open = places;
    for (int i = 0; i < node->count; i++) {
        const place_set child = hold(watchers, state, open, index);
        open = is_all ? child : open & ~child;
    }
    return is_all ? open : places & ~open;
}

place_set conditions_met(const struct watchers *watchers, int state, place_set places) {
    int index = 0;
    const bool has_conditions = watchers->kind->def.states[state].condition_count > 0;
    return has_conditions ? hold(watchers, state, places, &index) : places;
}

void conditions_begin(struct watchers *watchers, place_set places) {
    for (int i = 0; i < watchers->kind->timer_count; i++) {
        const struct timer_ref *ref = &watchers->kind->timers[i];
        const int type = watchers->kind->def.states[ref->state].conditions[ref->node].type;
        watchers->held[i] = type == CONDITION_NEAR ? notice(watchers, ref->state, ref->node, places) : 0;
    }
}

struct decision conditions_decision(const struct watchers *watchers, int state, int32_t place) {
    struct decision decision = {state, 0};
    for (int i = 0; i < watchers->kind->timer_count; i++) {
        decision.held |= (uint32_t)((watchers->held[i] >> place) & 1) << i;
    }
    return decision;
}

struct decision world_decide(const struct world *world, int32_t row, struct sight_place known) {
    assert(row >= 0 && row < world->agent_count);
    const struct kind *kind = &world->kinds[world->kind[row]];
    const struct memory *memory = world_sights_memory(world, row, known);
    struct watchers one = {
        .world = world,
        .kind = kind,
        .row = &row,
        .memory = memory,
        .timers = &world->timers[memory - world->memory],
        .first = known,
    };
    int state = 0;
    conditions_begin(&one, 1);
    while (state < kind->def.state_count - 1 && conditions_met(&one, state, 1) == 0) {
        state++;
    }
    return conditions_decision(&one, state, 0);
}

/* Of so many seconds. */
static uint32_t ticks_of(const struct world *world, float seconds) {
    return (uint32_t)((double)seconds * world->tick_hz + 0.5);
}

void world_run_timers(const struct world *world, const struct kind *kind, struct decision decision,
                      int before, struct timers *timers) {
    for (int i = 0; i < kind->timer_count; i++) {
        const struct timer_ref *ref = &kind->timers[i];
        const struct condition_def *node = &kind->def.states[ref->state].conditions[ref->node];
        const bool is_sight = node->type == CONDITION_NEAR;
        const int about = kind->states[ref->state].conditions[ref->node].index - 1; /* a cooldown's state */
        uint32_t left = timers->left[i];
        if (!is_sight && before == about && decision.state != about) {
            left = ticks_of(world, node->value);
        }
        left -= left > 0;
        timers->left[i] = (decision.held >> i) & 1 ? ticks_of(world, node->remember) : left;
    }
}

/* ---- steer ---- */

/* What one agent wants: the state it decides for, and the behaviors of that state combined.
 *
 * Within a tier the forces are a weighted sum (the "movement manager"); tiers act in order, each truncated to
 * what the ones before left of max_force (Buckland's truncated running sum). Containment, when it acts, is a
 * tier above them all.
 */

/* An agent's own aim, or its kind's, stands over what seek, arrive and queue are about. */
bool world_aimed_point(const struct world *world, int32_t row, const struct behavior_def *behavior,
                       vec2 *point) {
    if (!world_is_aimed(behavior->type)) {
        return false;
    }
    const struct aim *aim = &world->aim[row];
    if (aim->mode == AIM_BEHAVIOR) {
        aim = &world->kinds[world->kind[row]].aim;
    }
    if (aim->mode == AIM_BEHAVIOR) {
        return false;
    }
    *point = aim->mode == AIM_POINT ? aim->point : world->targets[aim->target].at;
    return true;
}

/* A pursue with keep stays with the quarry it remembers, as long as that is there; otherwise it takes the
 * nearest. */
static struct target_info kept_quarry(const struct world *world, int32_t row,
                                      const struct behavior_def *behavior, const struct ref_runtime *runtime,
                                      struct sight_place known, struct memory *memory) {
    if (memory->quarry != 0) {
        const struct target_ref ref = {.agent = memory->quarry};
        const struct ref_runtime kept = {.mode = REF_AGENT};
        const struct target_info info = world_resolve_target(world, row, &ref, &kept, known);
        if (info.is_there) {
            return info;
        }
    }
    const struct target_info info = world_resolve_target(world, row, &behavior->target, runtime, known);
    memory->quarry = info.is_there ? info.id : 0;
    return info;
}

/* Whether a pursuer touches its quarry, and whether it is the first tick that it does. Bodies that rub along
 * each other are not caught again and again. */
static void note_touch(const struct world *world, const struct target_info *quarry,
                       struct steering_context *context) {
    struct memory *memory = context->memory;
    const int32_t row = quarry->is_there ? world_find_agent(world, quarry->id) : -1;
    if (row < 0) {
        memory->caught = 0;
        return;
    }
    const struct body *body = world->has_own_bodies
                                  ? world_body(world, row)
                                  : &world->kinds[world->grid.kind[grid_slot(&world->grid, row)]].body;
    const float touching = context->body->radius + body->radius;
    const float squared = vec2_length_squared(quarry->offset);
    if (squared <= touching * touching) {
        memory->has_caught = memory->caught != quarry->id;
        memory->caught = quarry->id;
    } else if (memory->caught != quarry->id || squared > 4.0f * touching * touching) {
        memory->caught = 0;
    }
}

static void trace_target(struct trace *trace, const struct target_info *info) {
    if (info->is_there && info->id != 0) {
        neighbor_log_note(trace_neighbors(trace), info->id, info->offset);
    }
}

/* Fills first and second. False when a target of the behavior is not there. */
bool world_resolve_targets(const struct world *world, int32_t row, const struct behavior_def *behavior,
                           const struct behavior_runtime *runtime, struct steering_context *context) {
    const int count = behavior_target_count((enum behavior_type)behavior->type);
    const struct sight_place known =
        context->precomputed != NULL ? context->precomputed->sight : (struct sight_place){NULL, 0};
    vec2 point;
    if (world_aimed_point(world, row, behavior, &point)) {
        context->first = (struct target_info){.is_there = true, .heading = {1.0f, 0.0f}};
        context->first.offset = bounds_difference(&world->bounds, context->position, point);
        return true;
    }
    if (count >= 1) {
        context->first = behavior->keep
                             ? kept_quarry(world, row, behavior, &runtime->target, known, context->memory)
                             : world_resolve_target(world, row, &behavior->target, &runtime->target, known);
        trace_target(context->trace, &context->first);
    }
    if (behavior_has_trait(behavior->type, TRAIT_CATCHES)) {
        note_touch(world, &context->first, context);
    }
    if (count >= 2) {
        context->second = world_resolve_target(world, row, &behavior->second, &runtime->second, known);
        trace_target(context->trace, &context->second);
    }
    return (count < 1 || context->first.is_there) && (count < 2 || context->second.is_there);
}

/* From here on the trace belongs to this behavior. */
static void trace_behavior(const struct world *world, int32_t row, struct trace *trace,
                           const struct behavior_def *behavior, const struct behavior_runtime *runtime) {
    if (trace != NULL) {
        const bool has_tier = !behavior_is_velocity_filter((enum behavior_type)behavior->type);
        trace_begin_term(trace, runtime->label, behavior_row(behavior->type)->name, behavior->weight,
                         has_tier ? (int)behavior->tier : TRACE_NO_TIER);
        struct trace_term *term = &trace->terms[trace->term_count - 1];
        term->why = way_reasons[world_way_of_agent(world, row, behavior, runtime)];
        term->way = term->why == NULL ? "lanes" : "alone";
    }
}

/* force: weighted. */
static void trace_output(struct trace *trace, const struct steering_output *output, vec2 force) {
    if (trace != NULL) {
        trace_end_term(trace, output->is_active ? &output->desired : NULL, force);
    }
}

/* Of the forces of the terms from `first` on, `after` is left of `before`. */
static void trace_kept(struct trace *trace, int first, vec2 after, vec2 before) {
    if (trace != NULL) {
        trace_scale_terms(trace, first, after, before);
    }
}

static int trace_terms(const struct trace *trace) {
    return trace != NULL ? trace->term_count : 0;
}

static void note_force(struct steering_view *detail, const char *label, vec2 force) {
    if (detail != NULL) {
        assert(detail->count <= LIMIT_BEHAVIORS);
        detail->labels[detail->count] = label;
        detail->forces[detail->count] = force;
        detail->count++;
    }
}

/* ---- neighbors ---- */

#define CORE_RADII 3.0f /* body radii within which everything is noticed (OpenSteer) */

static void query_ahead(const struct world *world, struct neighbor_query *query,
                        const struct behavior_def *behavior, const struct behavior_runtime *runtime,
                        struct steering_context *context) {
    query->heading = vec2_with_length(context->first.offset, 1.0f);
    query->core = 0.0f;
    context->ahead = neighbors_nearest(&world->grid, query, &runtime->zones[ZONE_SEPARATION]);
    const struct neighbor_zone elbows[ZONE_COUNT] = {
        [ZONE_SEPARATION] = {.radius = 2.0f * context->body->radius + behavior->clearance,
                             .cosine = WORLD_ALL_ROUND}};
    context->sums = neighbors_sum(&world->grid, query, elbows);
}

/* Takes precomputed sums of the behavior; false when there are none. */
static bool use_precomputed(const struct behavior_def *behavior, const struct precomputed_sums *precomputed,
                            struct neighbor_sums *sums) {
    if (precomputed == NULL || precomputed->behavior != behavior) {
        return false;
    }
    *sums = *precomputed->sums;
    return true;
}

struct neighbor_batch world_neighbor_batch(const struct world *world, const struct kind *kind,
                                           const struct behavior_runtime *runtime) {
    assert(world->is_sorted && runtime->kinds != 0);
    const uint64_t all = world->kind_count < 64 ? (UINT64_C(1) << world->kind_count) - 1 : UINT64_MAX;
    return (struct neighbor_batch){
        .grid = &world->grid,
        .bounds = &world->bounds,
        .ids = world->id,
        .heading = world->heading,
        .heading_place = world->is_pure_flock ? world->grid.row : NULL,
        .course_above = world->is_pure_flock ? locomotion_hold_squared(kind->body.max_speed) : COURSE_NEVER,
        .core_radii = CORE_RADII,
        .kinds = (runtime->kinds & all) == all ? UINT64_MAX : runtime->kinds,
        .zones = runtime->zones,
    };
}

/* Fills the part of the context that the behavior needs to know about neighbors. */
static void query_neighbors(const struct world *world, int32_t row, const struct behavior_def *behavior,
                            const struct behavior_runtime *runtime, struct steering_context *context) {
    assert(world->is_sorted);
    assert(row >= 0 && row < world->agent_count && behavior->max_neighbors <= NEIGHBORS_NEAREST_MAX);
    struct neighbor_query query = {
        .bounds = &world->bounds,
        .ids = world->id,
        .slot = grid_slot(&world->grid, row),
        .heading = context->heading,
        .core = CORE_RADII * context->body->radius,
        .kinds = runtime->kinds,
        .most = (int32_t)behavior->max_neighbors,
        .log = trace_neighbors(context->trace),
    };
    switch (behavior_neighbor_use((enum behavior_type)behavior->type)) {
    case NEIGHBORS_SUMS:
        /* Precomputed sums have no limit. */
        if (query.most > 0 || !use_precomputed(behavior, context->precomputed, &context->sums)) {
            context->sums = neighbors_sum(&world->grid, &query, runtime->zones);
        }
        break;
    case NEIGHBORS_THREATS:
        context->threats = neighbors_threats(
            &world->grid, &query, &runtime->zones[ZONE_SEPARATION],
            &(struct neighbor_space){context->body->radius, behavior->clearance, behavior->horizon});
        break;
    case NEIGHBORS_AHEAD:
        query_ahead(world, &query, behavior, runtime, context);
        break;
    case NEIGHBORS_NEAREST:
        context->nearest_count =
            neighbors_nearest_few(&world->grid, &query, &runtime->zones[ZONE_SEPARATION], context->nearest);
        break;
    case NEIGHBORS_UNUSED:
        break;
    }
}

/* ---- behaviors, one after the other ---- */

/* All agents of a kind, in the order of rows, so that the sums are the same for every number of threads and ranks. */
static struct herd_seen world_herd(const struct world *world, int kind, vec2 from) {
    const int32_t begin = world->kind_begin[kind], end = world->kind_begin[kind + 1];
    struct herd_seen herd = {.count = end - begin};
    assert(begin < end);
    const struct motion first = world_motion(world, world_row_of_kind(world, kind, begin));
    const vec2 origin = {first.x, first.y}; /* on a torus the mean is taken around it */
    vec2 sum = {0.0f, 0.0f};
    for (int32_t i = begin; i < end; i++) {
        const struct motion motion = world_motion(world, world_row_of_kind(world, kind, i));
        sum = vec2_add(sum, bounds_difference(&world->bounds, origin, vec2_make(motion.x, motion.y)));
    }
    const vec2 middle = vec2_add(origin, vec2_scale(sum, 1.0f / (float)herd.count));
    for (int32_t i = begin; i < end; i++) {
        const struct motion motion = world_motion(world, world_row_of_kind(world, kind, i));
        const vec2 off = bounds_difference(&world->bounds, middle, vec2_make(motion.x, motion.y));
        herd.furthest = vec2_length_squared(off) > vec2_length_squared(herd.furthest) ? off : herd.furthest;
    }
    herd.middle = bounds_difference(&world->bounds, from, middle);
    return herd;
}

/* The output of one behavior whose targets are resolved. */
static struct steering_output call_behavior(const struct world *world, int32_t row,
                                            const struct behavior_def *behavior,
                                            const struct behavior_runtime *runtime,
                                            struct steering_context *context) {
    if (behavior_neighbor_use((enum behavior_type)behavior->type) != NEIGHBORS_UNUSED) {
        query_neighbors(world, row, behavior, runtime, context);
    }
    if (behavior_has_trait(behavior->type, TRAIT_HERD)) {
        const struct herd_seen one = {.count = 1, .middle = context->first.offset};
        context->herd = runtime->target.mode == REF_KIND
                            ? world_herd(world, runtime->target.index, context->position)
                            : one;
    }
    return behavior_row(behavior->type)->function(behavior, context);
}

/* The weighted output of one behavior; zero when it is inactive or a velocity filter. */
struct steering_output world_evaluate(const struct world *world, int32_t row,
                                      const struct behavior_def *behavior,
                                      const struct behavior_runtime *runtime,
                                      struct steering_context *context, struct steering_view *detail) {
    struct steering_output output = {false, {0.0f, 0.0f}, {0.0f, 0.0f}};
    if (behavior_is_velocity_filter((enum behavior_type)behavior->type)) {
        return output;
    }
    trace_behavior(world, row, context->trace, behavior, runtime);
    context->path = runtime->path >= 0 ? &world->scenery.paths[runtime->path] : NULL;
    context->flow = runtime->flow >= 0 ? &world->scenery.def.flows[runtime->flow] : NULL;
    context->post = runtime->formation >= 0 && world->post[row] > 0
                        ? &world->formations[runtime->formation].def.places[world->post[row] - 1].at
                        : NULL;
    if (world_resolve_targets(world, row, behavior, runtime, context)) {
        output = call_behavior(world, row, behavior, runtime, context);
    }
    if (!output.is_active) {
        output = (struct steering_output){false, {0.0f, 0.0f}, {0.0f, 0.0f}};
    }
    trace_output(context->trace, &output, vec2_scale(output.force, behavior->weight));
    output.desired = vec2_scale(output.desired, behavior->weight);
    output.force = vec2_scale(output.force, behavior->weight);
    note_force(detail, runtime->label, output.force);
    return output;
}

/* What the tiers so far leave of max_force. */
static float left_of(float max_force, vec2 taken) {
    const float left = max_force - vec2_length(taken);
    return left > 0.0f ? left : 0.0f;
}

static void sum_tiers(const struct world *world, int32_t row, const struct state_def *state,
                      const struct state_runtime *runtime, struct steering_context *context,
                      struct intent *intent, struct steering_view *detail) {
    vec2 tier_force = {0.0f, 0.0f}, led = context->velocity;
    bool is_first_tier = true;
    int first_term = 0; /* of the tier */
    for (int i = 0; i < state->behavior_count; i++) {
        const struct behavior_def *behavior = &state->behaviors[runtime->order[i]];
        const struct steering_output output =
            world_evaluate(world, row, behavior, &runtime->behaviors[runtime->order[i]], context, detail);
        intent->desired = vec2_add(intent->desired, output.desired);
        tier_force = vec2_add(tier_force, output.force);
        const bool is_last = i + 1 == state->behavior_count;
        if (is_last || state->behaviors[runtime->order[i + 1]].tier != behavior->tier) {
            const float left = left_of(context->body->max_force, intent->force);
            /* A single tier is truncated once, by the locomotion. */
            const vec2 fitting = is_first_tier && is_last ? tier_force : vec2_truncate(tier_force, left);
            if (runtime->is_led) {
                led = vec2_add(led, behavior_lead(context, intent->desired, tier_force, left));
                intent->desired = is_last ? led : vec2_make(0.0f, 0.0f);
            }
            trace_kept(context->trace, first_term, fitting, tier_force);
            first_term = trace_terms(context->trace);
            intent->force = vec2_add(intent->force, fitting);
            tier_force = vec2_make(0.0f, 0.0f);
            is_first_tier = false;
        }
    }
}

/* Buckland's prioritized dithering: the first behavior that is evaluated and active acts alone, the stronger
 * the rarer. */
static void dither(const struct world *world, int32_t row, const struct state_def *state,
                   const struct state_runtime *runtime, struct steering_context *context,
                   struct intent *intent, struct steering_view *detail) {
    struct rng dice = rng_begin(world->seed, world->tick, world->id[row], RNG_DITHER);
    for (int i = 0; i < state->behavior_count; i++) {
        const struct behavior_def *behavior = &state->behaviors[runtime->order[i]];
        if (!(rng_unit(&dice) < behavior->probability)) {
            continue;
        }
        const struct steering_output output =
            world_evaluate(world, row, behavior, &runtime->behaviors[runtime->order[i]], context, detail);
        if (output.is_active && vec2_length_squared(output.force) > 0.0f) {
            intent->desired = output.desired;
            intent->force = vec2_scale(output.force, 1.0f / behavior->probability);
            trace_number(context->trace, "probability", behavior->probability);
            trace_kept(context->trace, trace_terms(context->trace) - 1, intent->force, output.force);
            return;
        }
    }
}

/* Containment first, then whatever of max_force it leaves to the behaviors. */
void world_contain(const struct world *world, struct steering_context *context, struct intent *intent,
                   struct steering_view *detail) {
    const struct motion motion = {context->position.x, context->position.y, context->velocity.x,
                                  context->velocity.y};
    const struct body *body = context->body;
    const float max_force = body->max_force;
    vec2 inward;
    if (world->bounds.edge != EDGE_CONTAIN ||
        !bounds_contain(&world->bounds, motion, body->radius, body->max_speed, max_force / body->mass,
                        2.0f * world->dt, &inward)) {
        return;
    }
    behavior_rates(context, 1.0f);
    const vec2 force =
        vec2_truncate(vec2_scale(vec2_sub(inward, context->velocity), context->rate), max_force);
    const vec2 fitting = vec2_truncate(intent->force, left_of(max_force, force));
    note_force(detail, "containment", force);
    trace_kept(context->trace, 0, fitting, intent->force);
    if (context->trace != NULL) {
        trace_begin_term(context->trace, "containment", "containment", 1.0f, TRACE_NO_TIER);
        trace_vector(context->trace, "steering", vec2_sub(inward, context->velocity));
        trace_number(context->trace, "rate", context->rate);
        trace_end_term(context->trace, &inward, force);
    }
    intent->force = vec2_add(force, fitting);
    intent->desired = inward;
}

/* The last term, a velocity filter's, gets `instead`; of those before it `own` is left of `before`. */
static void trace_filter(struct trace *trace, vec2 own, vec2 before, vec2 instead) {
    if (trace != NULL) {
        trace_scale_terms(trace, 0, own, before);
        trace->terms[trace->term_count - 1].gets = instead;
    }
}

/* Velocity filters replace the velocity that the agent wants by one that it may have. When no behavior wants
 * anything, the agent would keep its velocity. */
void world_filter_velocity(const struct world *world, int32_t row, const struct state_def *state,
                           const struct state_runtime *runtime, const struct steering_context *before,
                           struct intent *intent, struct steering_view *detail) {
    struct neighbor nearest[NEIGHBORS_NEAREST_MAX];
    struct steering_context context = *before;
    const float max_speed = context.body->max_speed, max_force = context.body->max_force;
    behavior_rates(&context, 1.0f);
    context.nearest = nearest;
    for (int i = 0; i < state->behavior_count; i++) {
        const int b = runtime->order[i];
        const struct behavior_def *behavior = &state->behaviors[b];
        if (!behavior_is_velocity_filter((enum behavior_type)behavior->type)) {
            continue;
        }
        const bool is_idle =
            vec2_length_squared(intent->desired) + vec2_length_squared(intent->force) <= 0.0f;
        context.preferred = vec2_truncate(is_idle ? context.velocity : intent->desired, max_speed);
        trace_behavior(world, row, context.trace, behavior, &runtime->behaviors[b]);
        const struct steering_output output =
            call_behavior(world, row, behavior, &runtime->behaviors[b], &context);
        const float share = output.is_active ? behavior->weight : 0.0f;
        const vec2 wanted = vec2_scale(output.force, share);
        note_force(detail, runtime->behaviors[b].label, wanted);
        trace_output(context.trace, &output, wanted);
        if (share > 0.0f) {
            const vec2 own_force = vec2_scale(vec2_truncate(intent->force, max_force), 1.0f - share);
            const vec2 own_desired = vec2_scale(context.preferred, 1.0f - share);
            const vec2 instead = vec2_scale(vec2_truncate(output.force, max_force), share);
            trace_filter(context.trace, own_force, intent->force, instead);
            intent->force = vec2_add(own_force, instead);
            intent->desired = vec2_add(own_desired, vec2_scale(output.desired, share));
        }
    }
}

/* Stamina drains or recovers; empty means exhausted until full. */
void world_tire(struct memory *memory, float rate, float max_stamina, float dt) {
    float stamina = memory->stamina + rate * dt;
    stamina = stamina > 0.0f ? stamina : 0.0f;
    memory->stamina = stamina < max_stamina ? stamina : max_stamina;
    if (memory->stamina >= max_stamina) {
        memory->is_exhausted = false;
    } else if (memory->stamina <= 0.0f) {
        memory->is_exhausted = true;
    }
}

void world_begin_state(const struct world *world, int before, int state, struct memory *memory) {
    if (state != before) {
        memory->state_since = (uint32_t)world->tick;
        memory->quarry = 0;
        memory->caught = 0;
    }
    memory->has_caught = false;
}

void world_age(const struct world *world, int32_t row, int state, struct memory *memory) {
    const struct kind *kind = &world->kinds[world->kind[row]];
    world_begin_state(world, world_state(world, row), state, memory);
    world_tire(memory, kind->def.states[state].stamina_rate, kind->def.body.max_stamina, world->dt);
}

/* px; 0: an agent without wheels. At max_speed max_turn_rate may ask for a wider circle. */
static float world_turn_radius(const struct world *world, int32_t row, const struct body *own) {
    const struct body_def *body = &world->kinds[world->kind[row]].def.body;
    const float rate = body->max_turn_rate, radius = body->turn_radius;
    const float max_speed = own->max_speed;
    if (body->locomotion != LOCOMOTION_WHEELED) {
        return 0.0f;
    }
    return rate > 0.0f && rate * radius < max_speed ? max_speed / rate : radius;
}

/* Where a wheeled agent is at the end of a tick: straight on when it wants nothing. */
static struct drive_step world_drive_step(const struct world *world, int32_t row, const struct body *body,
                                          const struct intent *intent) {
    const struct motion motion = world_motion(world, row);
    const vec2 velocity = {motion.vx, motion.vy};
    const bool is_idle = vec2_length_squared(intent->desired) + vec2_length_squared(intent->force) <= 0.0f;
    return locomotion_drive(body, world_turn_radius(world, row, body), world->kinds[world->kind[row]].turn,
                            world_heading(world, row), velocity, is_idle ? velocity : intent->desired,
                            world->dt);
}

/* What an agent's behaviors may read; without rates, precomputed sums and a trace. */
static struct steering_context world_context(const struct world *world, int32_t row, const struct body *body,
                                             struct memory *memory) {
    const struct motion motion = world_motion(world, row);
    return (struct steering_context){
        .position = {motion.x, motion.y},
        .velocity = {motion.vx, motion.vy},
        .heading = world_heading(world, row),
        .rank = world_rank(world, row),
        .group = world_kind_population(world, world->kind[row]),
        .body = body,
        .turn_radius = world_turn_radius(world, row, body),
        .bounds = &world->bounds,
        .scenery = &world->scenery,
        .dt = world->dt,
        .seed = world->seed,
        .tick = world->tick,
        .id = world->id[row],
        .memory = memory,
        .drive = &world->drive[row],
    };
}

/* body: the agent's, where it stands. precomputed: NULL, or sums that need no query. detail: NULL, or receives every behavior's force. */
static struct intent world_intend(const struct world *world, int32_t row, const struct body *body,
                                  const struct precomputed_sums *precomputed, struct steering_view *detail) {
    const struct kind *kind = &world->kinds[world->kind[row]];
    const struct sight_place known = precomputed != NULL ? precomputed->sight : (struct sight_place){NULL, 0};
    struct intent intent = {.decision = world_decide(world, row, known), .memory = *world_memory(world, row)};
    const int decided = intent.decision.state;
    world_begin_state(world, world_state(world, row), decided, &intent.memory);
    struct steering_context context = world_context(world, row, body, &intent.memory);
    context.precomputed = precomputed;
    context.trace = detail != NULL ? detail->trace : NULL;
    const struct state_def *state = &kind->def.states[decided];
    const struct state_runtime *runtime = &kind->states[decided];
    if (detail != NULL) {
        detail->count = 0;
    }
    behavior_rates(&context, runtime->weight_sum);
    if (state->combine == COMBINE_DITHERED) {
        dither(world, row, state, runtime, &context, &intent, detail);
    } else {
        sum_tiers(world, row, state, runtime, &context, &intent, detail);
    }
    world_contain(world, &context, &intent, detail);
    if (runtime->has_velocity_filter) {
        world_filter_velocity(world, row, state, runtime, &context, &intent, detail);
    }
    intent.desired = vec2_truncate(intent.desired, context.body->max_speed);
    world_tire(&intent.memory, state->stamina_rate, kind->def.body.max_stamina, world->dt);
    return intent;
}

static void explain(const struct world *world, int32_t row, struct trace *trace, struct steering_view *out) {
    assert(row >= 0 && row < world->agent_count);
    out->trace = trace;
    const struct motion motion = world_motion(world, row);
    struct body own;
    const struct body *body =
        world_body_at(world, world_body(world, row), vec2_make(motion.x, motion.y), &own);
    const struct intent intent = world_intend(world, row, body, NULL, out);
    const int locomotion = world->kinds[world->kind[row]].def.body.locomotion;
    const vec2 velocity = {motion.vx, motion.vy};
    out->max_speed = body->max_speed;
    out->desired = intent.desired;
    out->steering =
        locomotion_force((enum locomotion)locomotion, body, velocity, intent.desired, intent.force);
    trace_kept(trace, 0, out->steering, intent.force);
}

void world_explain(const struct world *world, int32_t row, struct steering_view *out) {
    explain(world, row, NULL, out);
}

void world_trace(const struct world *world, int32_t row, struct steering_view *out, struct trace *trace) {
    assert(row >= 0 && row < world->agent_count);
    const struct motion motion = world_motion(world, row);
    trace->bounds = world->bounds;
    trace->position = vec2_make(motion.x, motion.y);
    trace->label = "";
    trace->point_count = trace->term_count = trace->neighbors.count = 0;
    explain(world, row, trace, out);
}

/* ---- agent step ---- */

/* One agent's tick: what it intends becomes motion, kept out of solids and inside the edge. */

/* Solids, then the edge, then what moves. What a bounce would throw through a solid stays where it was. */
struct motion world_move(const struct world *world, struct motion old, struct motion moved, float radius) {
    const struct scenery *scenery = &world->scenery;
    const struct bounds *bounds = &world->bounds;
    const struct motion held = scenery_constrain(scenery, bounds, old, moved, radius);
    struct motion next = bounds_apply(bounds, held, radius);
    if (bounds->edge == EDGE_BOUNCE && scenery->solid_count > 0 && (next.x != held.x || next.y != held.y)) {
        next = scenery_constrain(scenery, bounds, old, next, radius);
        const vec2 settled = bounds_settle(bounds, vec2_make(next.x, next.y));
        next.x = settled.x;
        next.y = settled.y;
    }
    return scenery_yield(scenery, bounds, old, next, radius);
}

void world_step_agent(struct world *world, int32_t slot, const struct precomputed_sums *precomputed) {
    assert(slot >= 0 && slot < world->grid.count && !world->is_pure_flock);
    const int32_t row = world->grid.row[slot];
    const struct kind *kind = &world->kinds[world->kind[row]];
    const struct motion old = world->grid.motion[slot];
    struct body own;
    const struct body *body = world_body_at(world, world_body(world, row), vec2_make(old.x, old.y), &own);
    const struct intent intent = world_intend(world, row, body, precomputed, NULL);
    vec2 heading = world->heading[slot], velocity, turn = kind->turn;
    if (kind->def.body.locomotion == LOCOMOTION_WHEELED) {
        const struct drive_step step = world_drive_step(world, row, body, &intent);
        heading = step.heading;
        velocity = step.velocity;
        turn = vec2_make(NO_TURN_LIMIT, 0.0f); /* what it runs into turns it along */
    } else {
        velocity = locomotion_velocity((enum locomotion)kind->def.body.locomotion, body,
                                       vec2_make(old.vx, old.vy), intent.desired, intent.force, world->dt);
    }
    const struct motion moved = {old.x + velocity.x * world->dt, old.y + velocity.y * world->dt, velocity.x,
                                 velocity.y};
    const struct motion next = world_move(world, old, moved, body->radius);
    assert(next.x - next.x == 0.0f && next.y - next.y == 0.0f);
    world->grid.next[slot] = next;
    world->next_heading[slot] =
        locomotion_heading(heading, vec2_make(next.vx, next.vy), body->max_speed, turn);
    /* Only the agent itself reads these, so they need no second buffer. */
    world_run_timers(world, kind, intent.decision, world->state[slot], &world->timers[slot]);
    world->state[slot] = (uint8_t)intent.decision.state;
    world->memory[slot] = intent.memory;
}
