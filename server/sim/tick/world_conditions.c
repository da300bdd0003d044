/* The state that an agent is in for the coming tick: the conditions of its kind's states, evaluated. */
#include <assert.h>

#include "server/sim/world/world_internal.h"

static bool has_quarry(const struct world *world, int32_t row) {
    const uint32_t quarry = world->memory[row].quarry;
    return quarry != 0 && world_find_agent(world, quarry) >= 0;
}

/* Evaluates the node at *index and moves *index past all that belongs to it. */
static bool holds(const struct world *world, int32_t row, const struct state_def *state,
                  const struct state_runtime *runtime, int *index) {
    const struct condition_def *node = &state->conditions[*index];
    assert(*index < state->condition_count);
    const struct ref_runtime *ref = &runtime->conditions[*index];
    const struct memory *memory = &world->memory[row];
    const float max_stamina = world->kinds[world->kind[row]].def.body.max_stamina;
    (*index)++;
    switch ((enum condition_type)node->type) {
    case CONDITION_NEAR:
        return world_resolve_target(world, row, &node->target, ref).is_there;
    case CONDITION_EXHAUSTED:
        return memory->is_exhausted;
    case CONDITION_STAMINA_BELOW:
        return memory->stamina < node->value * max_stamina;
    case CONDITION_STAMINA_ABOVE:
        return memory->stamina > node->value * max_stamina;
    case CONDITION_TIME_OVER:
        return (float)world_state_ticks(world, row) * world->dt >= node->value;
    case CONDITION_HAS_QUARRY:
        return has_quarry(world, row);
    case CONDITION_NOT:
        return !holds(world, row, state, runtime, index);
    case CONDITION_ALL:
    case CONDITION_ANY:
        break;
    }
    /* Every child is walked, so that *index ends behind the last. */
    bool all = true, any = false;
    for (int i = 0; i < node->count; i++) {
        const bool child = holds(world, row, state, runtime, index);
        all = all && child;
        any = any || child;
    }
    return node->type == CONDITION_ALL ? all : any;
}

int world_decide(const struct world *world, int32_t row) {
    assert(row >= 0 && row < world->agent_count);
    const struct kind *kind = &world->kinds[world->kind[row]];
    for (int s = 0; s < kind->def.state_count - 1; s++) {
        const struct state_def *state = &kind->def.states[s];
        int index = 0;
        if (state->condition_count == 0 || holds(world, row, state, &kind->states[s], &index)) {
            return s;
        }
    }
    return kind->def.state_count - 1;
}
