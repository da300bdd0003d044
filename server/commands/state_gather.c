/* See command_internal.h. */
#include "server/commands/command_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/commands/simulation_state.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_stripes.h"

static void write_vector(struct json_writer *json, const char *key, vec2 vector) {
    json_key(json, key);
    json_array(json);
    json_hundredths(json, world_snapshot_hundredths(vector.x));
    json_hundredths(json, world_snapshot_hundredths(vector.y));
    json_end(json);
}

static void write_body(const struct agent_view *agent, struct json_writer *json) {
    json_key_hundredths(json, "x", world_snapshot_hundredths(agent->position.x));
    json_key_hundredths(json, "y", world_snapshot_hundredths(agent->position.y));
    json_key_hundredths(json, "vx", world_snapshot_hundredths(agent->velocity.x));
    json_key_hundredths(json, "vy", world_snapshot_hundredths(agent->velocity.y));
    json_key_hundredths(json, "heading", world_snapshot_heading(agent->heading));
    json_key_hundredths(json, "stamina", world_snapshot_hundredths(agent->stamina));
    json_key(json, "mass");
    json_float(json, agent->mass);
    json_key(json, "radius");
    json_float(json, agent->radius);
    json_key(json, "max_speed");
    json_float(json, agent->max_speed);
    json_key(json, "max_force");
    json_float(json, agent->max_force);
}

/* Whom it minds, and the places it looks at. */
static void write_trace(const struct trace *trace, struct json_writer *json) {
    json_key(json, "neighbors");
    json_array(json);
    for (int i = 0; i < trace->neighbors.count; i++) {
        json_unsigned(json, trace->neighbors.ids[i]);
    }
    json_end(json);
    json_key(json, "points");
    json_array(json);
    for (int i = 0; i < trace->point_count; i++) {
        const struct trace_point *point = &trace->points[i];
        json_object(json);
        json_key_string(json, "behavior", point->label);
        json_key_string(json, "what", trace_names[point->what]);
        json_key_hundredths(json, "x", world_snapshot_hundredths(point->at.x));
        json_key_hundredths(json, "y", world_snapshot_hundredths(point->at.y));
        if (point->what == TRACE_CIRCLE) {
            json_key_hundredths(json, "radius", world_snapshot_hundredths(point->radius));
        }
        json_end(json);
    }
    json_end(json);
}

/* At most four decimals and six digits or so: what a formula needs, in few characters. */
static void write_value(float value, struct json_writer *json) {
    const double number = (double)value, size = fabs(number);
    const double scale = size >= 100000.0 ? 10.0 : size >= 1000.0 ? 100.0 : size >= 100.0 ? 1000.0 : 10000.0;
    const double limited = size < 1e9 ? number : number < 0.0 ? -1e9 : 1e9;
    json_number(json, rint(limited * scale) / scale + 0.0); /* never -0 */
}

static void write_values(const struct trace_term *term, struct json_writer *json) {
    json_key(json, "values");
    json_object(json);
    for (int i = 0; i < term->value_count; i++) {
        const struct trace_value *value = &term->values[i];
        json_key(json, value->name);
        if (value->is_vector) {
            json_array(json);
            write_value(value->vector.x, json);
            write_value(value->vector.y, json);
            json_end(json);
        } else {
            write_value(value->vector.x, json);
        }
    }
    json_end(json);
}

/* They add up to what the term wants in the digits that are shown. */
static void write_parts(const struct trace_term *term, struct json_writer *json) {
    struct snapshot_vector rounded[TRACE_PARTS];
    world_snapshot_parts(term, rounded);
    json_key(json, "parts");
    json_object(json);
    for (int i = 0; i < term->part_count; i++) {
        json_key(json, trace_part_names[i]);
        json_array(json);
        json_hundredths(json, rounded[i].x);
        json_hundredths(json, rounded[i].y);
        json_end(json);
    }
    json_end(json);
}

struct hundredths {
    int64_t x, y;
};

static void write_term(const struct trace_term *term, struct hundredths gets, struct json_writer *json) {
    json_object(json);
    json_key_string(json, "behavior", term->label);
    json_key_string(json, "type", term->type);
    json_key(json, "weight");
    json_float(json, term->weight);
    if (term->way != NULL) {
        json_key_string(json, "way", term->way);
    }
    if (term->why != NULL) {
        json_key_string(json, "why", term->why);
    }
    if (term->tier != TRACE_NO_TIER) {
        json_key_unsigned(json, "tier", (uint64_t)term->tier);
    }
    if (term->has_desired) {
        write_vector(json, "desired", term->desired);
    }
    write_vector(json, "wants", term->wants);
    json_key(json, "gets");
    json_array(json);
    json_hundredths(json, gets.x);
    json_hundredths(json, gets.y);
    json_end(json);
    if (term->part_count > 0) {
        write_parts(term, json);
    }
    write_values(term, json);
    json_end(json);
}

/* Whether two sums of the same forces differ by rounding alone. */
static bool is_near(vec2 a, vec2 b) {
    const float apart = vec2_length(vec2_sub(a, b)), size = vec2_length(b);
    return apart <= 0.005f + 1e-5f * size;
}

/* The terms' gets, rounded one after the other so that they add up to the rounded steering force. */
static void write_terms(const struct trace *trace, vec2 steering, struct json_writer *json) {
    vec2 sum = {0.0f, 0.0f};
    struct hundredths shown = {0, 0};
    int last = trace->term_count - 1;
    while (last > 0 && !(vec2_length_squared(trace->terms[last].gets) > 0.0f)) {
        last--;
    }
    json_key(json, "terms");
    json_array(json);
    for (int i = 0; i < trace->term_count; i++) {
        sum = vec2_add(sum, trace->terms[i].gets);
        sum = i >= last && is_near(sum, steering) ? steering : sum;
        const struct hundredths next = {world_snapshot_hundredths(sum.x), world_snapshot_hundredths(sum.y)};
        write_term(&trace->terms[i], (struct hundredths){next.x - shown.x, next.y - shown.y}, json);
        shown = next;
    }
    json_end(json);
}

void command_inspect_write(const struct world *world, int32_t row, struct json_writer *json) {
    const struct agent_view agent = world_agent(world, row);
    const struct kind_def *kind = world_kind(world, agent.kind);
    struct steering_view view;
    struct trace trace;
    world_trace(world, row, &view, &trace);
    json_object(json);
    json_key_unsigned(json, "id", agent.id);
    json_key_string(json, "kind", kind->name);
    json_key_string(json, "state", kind->states[agent.state].name);
    write_body(&agent, json);
    json_key_string(json, "locomotion", locomotion_names[kind->body.locomotion]);
    write_vector(json, "desired", view.desired);
    write_vector(json, "steering", view.steering);
    json_key(json, "forces");
    json_object(json);
    for (int i = 0; i < view.count; i++) {
        write_vector(json, view.labels[i], view.forces[i]);
    }
    json_end(json);
    write_trace(&trace, json);
    write_terms(&trace, view.steering, json);
    json_end(json);
}

/* ---- gather ---- */

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
