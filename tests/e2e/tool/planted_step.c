/* drover with a fault: linked with --wrap=simulation_state_step, so that one tick of every run ends with one bit of one
 * agent's velocity changed. */
#include "server/commands/simulation_state.h"
#include "tests/e2e/tool/planted_fault.h"

void __real_simulation_state_step(struct simulation_state *state);
void __wrap_simulation_state_step(struct simulation_state *state);

void __wrap_simulation_state_step(struct simulation_state *state) {
    __real_simulation_state_step(state);
    if (world_tick(state->world) == PLANTED_TICK) {
        plant_fault(state->world, PLANTED_AGENT, 0);
    }
}
