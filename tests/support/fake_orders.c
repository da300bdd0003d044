/* See fake_orders.h. An order is a part that rank 0 hands over to all others. */
#include "tests/support/fake_orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_check.h"
#include "server/commands/command_apply.h"
#include "server/commands/simulation_state.h"

enum { ANSWER_BYTES = 1 << 24 };

static _Noreturn void give_up(const char *reason) {
    fprintf(stderr, "fake orders: %s\n", reason);
    abort();
}

static struct exchange_part *parts(int ranks) {
    struct exchange_part *made = calloc((size_t)ranks, sizeof *made);
    if (made == NULL) {
        give_up("there is no memory");
    }
    return made;
}

static void order(void *context, enum rank_order what, const void *bytes, size_t size) {
    const struct fake_orders *orders = context;
    const struct exchange *exchange = orders->exchange;
    const uint32_t head = (uint32_t)what;
    struct exchange_part *out = parts(exchange->ranks), *in = parts(exchange->ranks);
    char *text = malloc(sizeof head + size);
    if (text == NULL) {
        give_up("there is no memory");
    }
    memcpy(text, &head, sizeof head);
    if (size > 0) {
        memcpy(text + sizeof head, bytes, size);
    }
    for (int r = 1; r < exchange->ranks; r++) {
        out[r] = (struct exchange_part){text, sizeof head + size};
    }
    exchange->hand_over(exchange->context, out, in);
    free(text);
    free(out);
    free(in);
}

static void put(void *context, const struct simulation_state *state, const struct built_world *built) {
    (void)context;
    (void)state;
    (void)built;
    give_up("worlds are put in before there are orders");
}

static void ticked(void *context) {
    (void)context;
}

static const struct rank_report *tell(void *context, const struct simulation_state *state) {
    (void)context;
    (void)state;
    give_up("nobody asks for times");
}

static void hurry(void *context) {
    (void)context;
}

static void check(void *context, uint64_t digest) {
    (void)context;
    (void)digest;
}

static void fail(void *context, const char *reason) {
    (void)context;
    give_up(reason);
}

void fake_orders_init(struct fake_orders *orders, const struct exchange *exchange) {
    atomic_init(&orders->is_lost, false);
    orders->exchange = exchange;
    orders->ranks = (struct state_ranks){.context = orders,
                                         .order = order,
                                         .put = put,
                                         .ticked = ticked,
                                         .tell = tell,
                                         .check = check,
                                         .fail = fail,
                                         .hurry = hurry,
                                         .give_up = hurry,
                                         .is_lost = &orders->is_lost};
}

void fake_orders_end(struct fake_orders *orders) {
    order(orders, RANK_ORDER_END, NULL, 0);
}

static void apply(struct simulation_state *state, const char *bytes, size_t size) {
    struct rank_request head;
    struct request request;
    struct failure failure;
    struct buffer answer;
    const struct json_limits limits = json_limits_admin();
    memcpy(&head, bytes, sizeof head);
    if (request_decode_within(bytes + sizeof head, size - sizeof head - 1, &limits, &request, &failure) !=
        0) {
        give_up(failure.message);
    }
    state->seq = head.seq;
    state->session = head.session;
    state->is_paused = head.is_paused;
    buffer_init(&answer, ANSWER_BYTES);
    (void)command_apply(state, &request, head.line, &answer);
    buffer_fini(&answer);
    request_fini(&request);
}

/* The order, and a copy of its bytes. */
static uint32_t take(const struct exchange *exchange, char **bytes, size_t *size) {
    uint32_t what = 0;
    struct exchange_part *out = parts(exchange->ranks), *in = parts(exchange->ranks);
    exchange->hand_over(exchange->context, out, in);
    memcpy(&what, in[0].bytes, sizeof what);
    *size = in[0].size - sizeof what;
    *bytes = malloc(*size + 1);
    if (*bytes == NULL) {
        give_up("there is no memory");
    }
    memcpy(*bytes, (const char *)in[0].bytes + sizeof what, *size);
    free(out);
    free(in);
    return what;
}

void fake_orders_follow(struct simulation_state *state) {
    for (uint32_t what = RANK_ORDER_COUNT; what != RANK_ORDER_END;) {
        char *bytes = NULL;
        size_t size = 0;
        what = take(state->exchange, &bytes, &size);
        if (what == RANK_ORDER_TICK) {
            simulation_state_step(state);
        } else if (what == RANK_ORDER_REQUEST) {
            apply(state, bytes, size);
        } else if (what == RANK_ORDER_HASH) {
            (void)simulation_state_hash(state);
        } else if (what == RANK_ORDER_GATHER && state_gather_follow(state, bytes, size) != 0) {
            give_up("there is no memory");
        }
        free(bytes);
    }
}
