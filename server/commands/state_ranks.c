/* See state_ranks.h. */
#include "server/commands/state_ranks.h"

#include <assert.h>

#include "common/base/buffer.h"
#include "server/commands/apply_context.h"
#include "server/commands/simulation_state.h"

enum { REQUEST_BYTES = 64 * 1024 * 1024 };

bool state_ranks_share(enum request_op op) {
    return request_has_trait(op, REQUEST_TRAIT_CHANGES) && op != REQUEST_PAUSE && op != REQUEST_RESUME &&
           op != REQUEST_STEP && op != REQUEST_LOAD;
}

void state_ranks_order_request(const struct simulation_state *state, const struct request *request,
                               uint64_t line) {
    const struct rank_request head = {
        .seq = state->seq, .line = line, .session = state->session, .is_paused = state->is_paused};
    struct buffer bytes;
    buffer_init(&bytes, REQUEST_BYTES);
    buffer_append(&bytes, (const char *)&head, sizeof head);
    request_encode(request, &bytes);
    assert(!bytes.failed);
    state->ranks->order(state->ranks->context, RANK_ORDER_REQUEST, bytes.data, bytes.length);
    buffer_fini(&bytes);
}

/* One step of FNV-1a, with 8 bytes for each of its bytes. */
static uint64_t mix(uint64_t digest, uint64_t value) {
    return (digest ^ value) * UINT64_C(0x100000001b3);
}

uint64_t state_ranks_digest(const struct simulation_state *state, const struct command_effects *effects) {
    const uint64_t values[] = {effects->seq,
                               effects->changed,
                               effects->described,
                               effects->unheeded,
                               effects->scenery_changed,
                               effects->event_count,
                               effects->event.has,
                               effects->event.count,
                               world_tick(state->world),
                               (uint64_t)world_agent_count(state->world)};
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        digest = mix(digest, values[i]);
    }
    return digest;
}
