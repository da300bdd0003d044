/* See state_gather.h. */
#include "server/commands/state_gather.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/commands/command_inspect.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_stripes.h"

enum what { WHAT_VIEWS, WHAT_VIEW, WHAT_IDS, WHAT_TEXTS, WHAT_COUNT, WHAT_WORLD };
enum { ROOT = 0 };

/* The bytes of an order: this, then views or ids. */
struct question {
    enum what what;
    unsigned fields;
    uint64_t most;
    uint32_t id_count;
    int kind, agent_state;
};

/* No more than a request's ids, or views. */
static const size_t order_limit_bytes = (size_t)1 << 30;

/* Without memory for the question the program ends: the ranks could not go on together. */
static void ask(const struct simulation_state *state, const struct question *question, const void *more,
                size_t size) {
    struct buffer bytes;
    buffer_init(&bytes, order_limit_bytes);
    buffer_append(&bytes, question, sizeof *question);
    if (size > 0) {
        buffer_append(&bytes, more, size);
    }
    if (bytes.failed) {
        state->ranks->fail(state->ranks->context, "out of memory for a question to the other ranks");
    }
    state->ranks->order(state->ranks->context, RANK_ORDER_GATHER, bytes.data, bytes.length);
    buffer_fini(&bytes);
}

/* Rank 0, not this one, reports that memory is short. */
static void known_to_root(int result) {
    (void)result;
}

/* ---- snapshots ---- */

int state_gather_views(const struct simulation_state *state, const struct snapshot_demand *demand,
                       struct snapshot *out, struct snapshot_extract *extract) {
    const struct question question = {.what = WHAT_VIEWS};
    ask(state, &question, demand, snapshot_demand_bytes(demand));
    return snapshot_gather(state->gatherer, state->world, ROOT, demand, out, extract);
}

static int follow_views(const struct simulation_state *state, const char *bytes, size_t size) {
    struct snapshot_demand *demand = calloc(1, sizeof *demand);
    if (demand == NULL) {
        return -1;
    }
    assert(size <= sizeof *demand);
    memcpy(demand, bytes, size);
    known_to_root(snapshot_gather(state->gatherer, state->world, ROOT, demand, NULL, NULL));
    free(demand);
    return 0;
}

int state_gather_view(const struct simulation_state *state, const struct snapshot_view *view, uint64_t most,
                      struct snapshot *out, uint64_t *shown) {
    const struct question question = {.what = WHAT_VIEW, .most = most};
    ask(state, &question, view, sizeof *view);
    return snapshot_gather_view(state->gatherer, state->world, ROOT, view, most, out, shown);
}

static void follow_view(const struct simulation_state *state, const struct question *question,
                        const char *bytes) {
    struct snapshot_view view;
    uint64_t shown = 0;
    memcpy(&view, bytes, sizeof view);
    known_to_root(
        snapshot_gather_view(state->gatherer, state->world, ROOT, &view, question->most, NULL, &shown));
}

int state_gather_ids(const struct simulation_state *state, unsigned fields, const uint32_t *ids,
                     uint32_t count, struct snapshot *out) {
    const struct question question = {.what = WHAT_IDS, .fields = fields, .id_count = count};
    ask(state, &question, ids, (size_t)count * sizeof *ids);
    return snapshot_gather_ids(state->gatherer, state->world, ROOT, fields, ids, count, out);
}

/* ---- texts ---- */

/* What goes before a text. */
struct text_head {
    int32_t index; /* of the id */
    uint32_t length;
};

static void write_texts(const struct world *world, const uint32_t *ids, int count, struct buffer *out) {
    struct buffer text;
    buffer_init(&text, LIMIT_GET_BYTES);
    for (int i = 0; i < count; i++) {
        const int32_t row = world_find_agent(world, ids[i]);
        if (row < 0 || !world_owns(world, row)) {
            continue;
        }
        buffer_clear(&text);
        struct json_writer json = json_writer_begin(&text);
        command_inspect_write(world, row, &json);
        const struct text_head head = {.index = i, .length = (uint32_t)text.length};
        buffer_append(out, &head, sizeof head);
        buffer_append(out, text.data, text.length);
        out->failed = out->failed || text.failed;
    }
    buffer_fini(&text);
}

/* A rank whose memory is short gives a byte that is no head. */
static int read_texts(const struct exchange_part *part, struct buffer *texts) {
    const char *at = part->bytes, *end = at + part->size;
    while (at < end) {
        struct text_head head;
        if ((size_t)(end - at) < sizeof head) {
            return -1;
        }
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        buffer_append(&texts[head.index], at, head.length);
        if (texts[head.index].failed) {
            return -1;
        }
        at += head.length;
    }
    return 0;
}

/* texts: NULL on all ranks but rank 0. */
static int exchange_texts(const struct simulation_state *state, const uint32_t *ids, int count,
                          struct buffer *texts) {
    static char is_short;
    struct buffer own;
    int result = 0;
    buffer_init(&own, order_limit_bytes);
    write_texts(state->world, ids, count, &own);
    const struct exchange_part mine =
        own.failed ? (struct exchange_part){&is_short, 1} : (struct exchange_part){own.data, own.length};
    const struct exchange_part *parts = snapshot_gatherer_give(state->gatherer, state->exchange, ROOT, mine);
    for (int r = 0; texts != NULL && result == 0 && r < state->exchange->ranks; r++) {
        result = read_texts(&parts[r], texts);
    }
    buffer_fini(&own);
    return result;
}

int state_gather_texts(const struct simulation_state *state, const uint32_t *ids, int count,
                       struct buffer *texts) {
    const struct question question = {.what = WHAT_TEXTS, .id_count = (uint32_t)count};
    ask(state, &question, ids, (size_t)count * sizeof *ids);
    return exchange_texts(state, ids, count, texts);
}

/* ---- numbers, and the whole ---- */

uint64_t state_count_in_state(const struct simulation_state *state, int kind, int agent_state,
                              uint64_t most) {
    if (world_is_partial(state->world)) {
        const struct question question = {
            .what = WHAT_COUNT, .most = most, .kind = kind, .agent_state = agent_state};
        ask(state, &question, NULL, 0);
    }
    return world_count_in_state(state->world, kind, agent_state, most);
}

int state_gather_world(const struct simulation_state *state, struct world *whole) {
    const struct question question = {.what = WHAT_WORLD};
    ask(state, &question, NULL, 0);
    return world_gather(state->world, ROOT, whole);
}

/* ---- the others ---- */

/* The ids of a question may lie at any address. */
static int follow_ids(const struct simulation_state *state, const struct question *question,
                      const char *bytes) {
    const size_t size = (size_t)question->id_count * sizeof(uint32_t);
    uint32_t *ids = malloc(size + 1);
    if (ids == NULL) {
        return -1;
    }
    memcpy(ids, bytes, size);
    if (question->what == WHAT_IDS) {
        known_to_root(snapshot_gather_ids(state->gatherer, state->world, ROOT, question->fields, ids,
                                          question->id_count, NULL));
    } else {
        (void)exchange_texts(state, ids, (int)question->id_count, NULL);
    }
    free(ids);
    return 0;
}

int state_gather_follow(const struct simulation_state *state, const void *bytes, size_t size) {
    struct question question;
    assert(size >= sizeof question);
    memcpy(&question, bytes, sizeof question);
    const char *more = (const char *)bytes + sizeof question;
    switch (question.what) {
    case WHAT_VIEWS:
        return follow_views(state, more, size - sizeof question);
    case WHAT_VIEW:
        follow_view(state, &question, more);
        break;
    case WHAT_IDS:
    case WHAT_TEXTS:
        return follow_ids(state, &question, more);
    case WHAT_COUNT:
        (void)world_count_in_state(state->world, question.kind, question.agent_state, question.most);
        break;
    case WHAT_WORLD:
        known_to_root(world_gather(state->world, ROOT, NULL));
        break;
    }
    return 0;
}
