/* The state that an agent is in for the coming tick: the conditions of its kind's states, evaluated. */
#include "server/sim/tick/world_conditions.h"

#include <assert.h>

#include "server/sim/tick/crowd.h"

/* ---- what agents notice ---- */

/* Of the agents at some places, looked at one by one. */
static place_set notice_alone(const struct watchers *watchers, const struct target_ref *ref,
                              const struct ref_runtime *runtime, place_set places) {
    place_set near = 0;
    FOR_PLACES(places, place) {
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

static place_set notice(const struct watchers *watchers, const struct target_ref *ref,
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

/* ---- conditions ---- */

/* A condition about what an agent remembers, or is driven with. */
static bool remembers(const struct watchers *watchers, const struct condition_def *node, int32_t place) {
    const struct world *world = watchers->world;
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
    default:
        assert(false);
        return false;
    }
}

static place_set remember(const struct watchers *watchers, const struct condition_def *node,
                          place_set places) {
    place_set found = 0;
    FOR_PLACES(places, place) {
        found |= (place_set)remembers(watchers, node, place) << place;
    }
    return found;
}

/* Evaluates the node at *index and moves *index past all that belongs to it. */
static place_set hold(const struct watchers *watchers, int state, place_set places, int *index) {
    const struct state_def *def = &watchers->kind->def.states[state];
    assert(*index < def->condition_count);
    const struct condition_def *node = &def->conditions[*index];
    const struct ref_runtime *ref = &watchers->kind->states[state].conditions[*index];
    (*index)++;
    switch ((enum condition_type)node->type) {
    case CONDITION_NEAR:
        return notice(watchers, &node->target, ref, places);
    case CONDITION_NOT:
        return places & ~hold(watchers, state, places, index);
    case CONDITION_ALL:
    case CONDITION_ANY:
        break;
    default:
        return remember(watchers, node, places);
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

place_set conditions_hold(const struct watchers *watchers, int state, place_set places) {
    int index = 0;
    const bool has_conditions = watchers->kind->def.states[state].condition_count > 0;
    return has_conditions ? hold(watchers, state, places, &index) : places;
}

int world_decide(const struct world *world, int32_t row, struct sight_place known) {
    assert(row >= 0 && row < world->agent_count);
    const struct kind *kind = &world->kinds[world->kind[row]];
    const struct watchers one = {
        .world = world,
        .kind = kind,
        .row = &row,
        .memory = world_sights_memory(world, row, known),
        .first = known,
    };
    for (int s = 0; s < kind->def.state_count - 1; s++) {
        if (conditions_hold(&one, s, 1) != 0) {
            return s;
        }
    }
    return kind->def.state_count - 1;
}
