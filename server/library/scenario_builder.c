/* See scenario_builder.h. */
#include "server/library/scenario_builder.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_writer.h"
#include "common/protocol/message.h"
#include "common/protocol/request_extra.h"
#include "common/system/clock.h"
#include "common/system/log.h"
#include "common/system/timed_wait.h"
#include "server/commands/command_apply.h"
#include "server/commands/simulation_state.h"
#include "server/library/side_world.h"
#include "server/sim/world/world_stripes.h"

/* A twin that takes longer to come to the tick of the running world is refused. */
#define CATCH_UP_NS       UINT64_C(60000000000)
#define CATCH_UP_CHECK_NS UINT64_C(5000000000) /* so is one that has come no closer since the last check */

static int load_from_library(void *context, const char *name, struct scenario *out, struct failure *failure) {
    return scenario_library_load(context, name, out, failure);
}

static const struct scenario_list *list_library(void *context, struct failure *failure) {
    return scenario_library_list(context, failure);
}

struct scenario_source scenario_library_source(struct scenario_library *library) {
    return (struct scenario_source){.context = library, .load = load_from_library, .list = list_library};
}

bool scenario_order_is_needed(const struct request *request) {
    const int what = request->body.list.what;
    return request->op == REQUEST_LOAD || request->op == REQUEST_SAVE || request->op == REQUEST_REMOVE_SAVE ||
           request->op == REQUEST_REWIND ||
           (request->op == REQUEST_EXPORT && request->body.exported.what != EXPORT_LOADED) ||
           (request->op == REQUEST_COMPARE &&
            (request->body.compare.branch[0] != '\0' || request->body.compare.save[0] != '\0')) ||
           (request->op == REQUEST_LIST && (what == LIST_SCENARIOS || what == LIST_SAVES));
}

/* Whether it needs a clone of the world. */
static bool needs_clone(const struct scenario_order *order) {
    return order->kind == ORDER_SAVE || order->kind == ORDER_EXPORT;
}

/* Whether the order puts in a world, or one beside. */
static bool scenario_order_is_load(const struct scenario_order *order) {
    return order->kind == ORDER_LOAD || order->kind == ORDER_LOAD_SAVE || order->kind == ORDER_REWIND ||
           order->kind == ORDER_TWIN;
}

static void take_request(struct scenario_order *order, const struct request *request) {
    switch (request->op) {
    case REQUEST_LOAD:
        order->load = request->body.load;
        order->document = order->load.has_document ? request_extra_keep(request->extra) : NULL;
        order->kind = order->load.save[0] != '\0' ? ORDER_LOAD_SAVE : ORDER_LOAD;
        memcpy(order->save, order->load.save, sizeof order->save);
        return;
    case REQUEST_REWIND:
        order->kind = ORDER_REWIND;
        order->rewind = request->body.rewind;
        return;
    case REQUEST_COMPARE:
        order->kind = ORDER_TWIN;
        memcpy(order->rewind.branch, request->body.compare.branch, sizeof order->rewind.branch);
        memcpy(order->save, request->body.compare.save, sizeof order->save);
        return;
    case REQUEST_SAVE:
        order->kind = ORDER_SAVE;
        order->replaces = request->body.save.replace;
        memcpy(order->save, request->body.save.name, sizeof order->save);
        return;
    case REQUEST_EXPORT:
        order->kind = ORDER_EXPORT;
        order->with_agents = request->body.exported.what == EXPORT_NOW;
        return;
    case REQUEST_REMOVE_SAVE:
        order->kind = ORDER_REMOVE_SAVE;
        memcpy(order->save, request->body.remove_save.name, sizeof order->save);
        return;
    default:
        order->kind = request->body.list.what == LIST_SAVES ? ORDER_LIST_SAVES : ORDER_LIST;
        return;
    }
}

struct scenario_order *scenario_order_create(struct command *command) {
    struct scenario_order *order = calloc(1, sizeof *order);
    if (order != NULL) {
        order->command = command;
        order->session = command->origin.session;
        buffer_init(&order->exported, LIMIT_SCENARIO_BYTES);
        buffer_init(&order->lost, LIMIT_CONTROL_BYTES);
        take_request(order, &command->request);
    }
    return order;
}

void scenario_order_destroy(struct scenario_order *order) {
    if (order != NULL) {
        built_world_fini(&order->built);
        past_way_fini(&order->way);
        request_extra_release(order->document);
        world_destroy(order->clone.world);
        free(order->clone.text);
        buffer_fini(&order->exported);
        buffer_fini(&order->lost);
        free(order->saves);
        free(order->list.rows);
        free(order);
    }
}

static int fail_memory(struct failure *failure) {
    return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

static bool has_memory(const struct world_room *room, const struct world_overrides *overrides) {
    return overrides->memory_free == NULL || world_room_bytes(room) <= overrides->memory_free(1);
}

bool scenario_order_take_room(struct scenario_order *order, const struct world_overrides *overrides) {
    struct order_clone *clone = &order->clone;
    if (!needs_clone(order) || !clone->is_measured || clone->is_made || order->result != 0) {
        return false;
    }
    clone->text = malloc(clone->text_room);
    clone->world =
        clone->text != NULL && has_memory(&clone->room, overrides) ? world_new_room(&clone->room) : NULL;
    if (clone->world == NULL) {
        order->result = fail_memory(&order->failure);
    }
    return clone->world != NULL;
}

/* A world that has grown since it was measured, or another one, takes more. */
static bool has_room(struct order_clone *clone, const struct simulation_state *state) {
    if (state->text_length >= clone->text_room) {
        char *text = realloc(clone->text, state->text_length + 1);
        if (text == NULL) {
            return false;
        }
        clone->text = text;
        clone->text_room = state->text_length + 1;
    }
    /* What is gathered takes its memory itself. */
    return world_is_partial(state->world) || world_has_room(clone->world, state->world) ||
           world_clone_reserve(clone->world, state->world);
}

static bool clone_world(struct order_clone *clone, const struct simulation_state *state) {
    return world_is_partial(state->world) ? state_gather_world(state, clone->world) == 0
                                          : world_clone(clone->world, state->world);
}

void scenario_order_clone(struct scenario_order *order, const struct simulation_state *state) {
    struct order_clone *clone = &order->clone;
    assert(needs_clone(order) && !clone->is_made);
    if (world_is_partial(state->world) && world_agent_count(state->world) > LIMIT_STRIPES_AGENTS) {
        bool is_limited = false;
        order->result = failure_set(
            &order->failure, FAILURE_UNSUPPORTED, NULL, "the world has %d agents; %s",
            (int)world_agent_count(state->world),
            request_stripes_refusal(order->kind == ORDER_SAVE ? REQUEST_SAVE : REQUEST_EXPORT, &is_limited));
        return;
    }
    if (!clone->is_measured) {
        clone->is_measured = true;
        clone->room = world_room_of(state->world);
        clone->text_room = state->text_length + 1;
        return;
    }
    assert(clone->world != NULL);
    clone->is_made = has_room(clone, state) && clone_world(clone, state);
    if (!clone->is_made) {
        order->result = fail_memory(&order->failure);
        return;
    }
    clone->rest = checkpoint_rest_of(state);
    memcpy(clone->scenario, state->name, sizeof clone->scenario);
    memcpy(clone->text, state->text, state->text_length);
    clone->text_length = state->text_length;
    clone->text[clone->text_length] = '\0';
    clone->rest.text = clone->rest.text != NULL ? clone->text : NULL;
    order->saved_tick = world_tick(clone->world);
}

void scenario_order_take_text(struct scenario_order *order, const struct simulation_state *state) {
    struct order_clone *clone = &order->clone;
    clone->text = malloc(state->text_length + 1);
    if (clone->text == NULL) {
        return; /* reading it says so */
    }
    memcpy(clone->text, state->text, state->text_length);
    clone->text_length = state->text_length;
    clone->text[clone->text_length] = '\0';
    memcpy(clone->scenario, state->name, sizeof clone->scenario);
}

/* The scenario of the world that goes. */
static int read_again(struct scenario_order *order, struct scenario *scenario) {
    const struct order_clone *clone = &order->clone;
    if (clone->text == NULL) {
        return fail_memory(&order->failure);
    }
    const int result = clone->text_length == 0
                           ? failure_set(&order->failure, FAILURE_NO_SCENARIO, NULL,
                                         "this world was made without a scenario's text")
                           : scenario_text_read(clone->text, clone->text_length, scenario, &order->failure);
    if (result == 0) {
        memcpy(scenario->name, clone->scenario, sizeof scenario->name);
    }
    return result;
}

/* The scenario of a document, or of the name. */
static int read_scenario(struct scenario_order *order, const struct scenario_source *source,
                         struct scenario *scenario) {
    const struct request_load *load = &order->load;
    const struct request_extra *given = order->document;
    if (load->again) {
        return read_again(order, scenario);
    }
    if (given == NULL) {
        return source->load(source->context, load->scenario, scenario, &order->failure);
    }
    const int result = scenario_text_read(given->document, given->document_length, scenario, &order->failure);
    if (result == 0) {
        (void)snprintf(scenario->name, sizeof scenario->name, "%s",
                       load->name[0] != '\0' ? load->name : REQUEST_DOCUMENT_NAME);
    }
    return result;
}

static int build(struct scenario_order *order, const struct scenario_source *source,
                 const struct world_overrides *overrides, const atomic_bool *given_up) {
    struct scenario *scenario = malloc(sizeof *scenario);
    if (scenario == NULL) {
        return fail_memory(&order->failure);
    }
    int result = read_scenario(order, source, scenario);
    if (result == 0) {
        result = built_world_make(scenario, overrides, order->load.has_seed ? &order->load.seed : NULL,
                                  given_up, &order->built, &order->failure);
        scenario_fini(scenario);
    }
    free(scenario);
    char warning[WORLD_WARNING_TEXT];
    for (int i = 0; result == 0 && built_world_warning(&order->built, i, warning) != NULL; i++) {
        log_write(LOG_WARN, "world", "%s", warning);
    }
    if (result != 0) {
        /* The failure's own field is a place in the file, and in the message; here it is the request's. */
        (void)snprintf(order->failure.field, sizeof order->failure.field, "%s",
                       order->document != NULL ? "document"
                       : order->load.again     ? "again"
                                               : "scenario");
    }
    return result;
}

static int copy_list(struct scenario_order *order, const struct scenario_source *source) {
    const struct scenario_list *list = source->list(source->context, &order->failure);
    if (list == NULL) {
        return -1;
    }
    const size_t bytes = (size_t)list->count * sizeof *list->rows;
    order->list.rows = malloc(bytes > 0 ? bytes : 1);
    if (order->list.rows == NULL) {
        return fail_memory(&order->failure);
    }
    if (bytes > 0) {
        memcpy(order->list.rows, list->rows, bytes);
    }
    order->list.count = list->count;
    return 0;
}

static int build_save(struct scenario_order *order, const struct scenario_source *source,
                      const struct world_overrides *overrides, const atomic_bool *given_up) {
    size_t length = 0;
    char *text = save_store_get(source->saves, order->save, &length, &order->failure);
    int result = text == NULL ? -1 : 0;
    if (result == 0) {
        result =
            saved_world_read(text, length, overrides, given_up, &order->built, &order->rest, &order->failure);
    }
    free(text);
    if (result != 0) {
        memcpy(order->failure.field, "save", sizeof "save"); /* the place in the file is in the message */
    }
    return result;
}

static int go_back(struct scenario_order *order, const struct scenario_source *source,
                   const struct world_overrides *overrides, const atomic_bool *given_up) {
    if (source->past == NULL) {
        return failure_set(&order->failure, FAILURE_FULL, NULL,
                           "the past of the world is not in memory; --rewind allows 0 bytes");
    }
    return past_go(source->past, &order->rewind, overrides, given_up, &order->built, &order->rest,
                   &order->way, &order->failure);
}

/* Ticks without requests, up to the one that the running world has come to. */
static int catch_up(struct scenario_order *order, const struct scenario_source *source,
                    const atomic_bool *given_up) {
    struct world *world = order->built.world;
    uint64_t now_ns = clock_now_ns(), check_ns = now_ns + CATCH_UP_CHECK_NS, behind = UINT64_MAX, tick = 0;
    const uint64_t until_ns = now_ns + CATCH_UP_NS;
    if (world_agent_count(world) > LIMIT_COMPARE_AGENTS) {
        return failure_set(
            &order->failure, FAILURE_FULL, NULL,
            "the twin would have %d agents; at most %d are compared, those of the world counted",
            (int)world_agent_count(world), LIMIT_COMPARE_AGENTS);
    }
    while (world_tick(world) < (tick = atomic_load(source->tick))) {
        const uint64_t left = tick - world_tick(world);
        behind = behind == UINT64_MAX ? left : behind;
        now_ns = clock_now_ns();
        if (atomic_load(given_up) || now_ns > until_ns || (now_ns > check_ns && left >= behind)) {
            return failure_set(
                &order->failure, FAILURE_BUSY, NULL,
                "given up at tick %llu of %llu: the server stops, or the twin does not catch up with "
                "the world; pause the world, or slow it down",
                (unsigned long long)world_tick(world), (unsigned long long)tick);
        }
        if (now_ns > check_ns) {
            behind = left;
            check_ns = now_ns + CATCH_UP_CHECK_NS;
        }
        world_step(world);
    }
    return 0;
}

/* A branch that ends before the tick of the running world goes on from its end. */
static int build_branch(struct scenario_order *order, const struct scenario_source *source,
                        const struct world_overrides *overrides, const atomic_bool *given_up) {
    if (source->past != NULL) {
        const struct past_state branch = past_read(source->past, order->rewind.branch);
        const uint64_t tick = atomic_load(source->tick);
        order->rewind.has_tick = branch.is_current || tick < branch.last;
        order->rewind.tick = tick < branch.last ? tick : branch.last;
    }
    const int result = go_back(order, source, overrides, given_up);
    if (result != 0 && order->failure.field[0] != '\0') {
        memcpy(order->failure.field, "branch", sizeof "branch");
    }
    return result;
}

static int build_twin(struct scenario_order *order, const struct scenario_source *source,
                      const struct world_overrides *overrides, const atomic_bool *given_up) {
    int result = order->save[0] != '\0' ? build_save(order, source, overrides, given_up)
                                        : build_branch(order, source, overrides, given_up);
    if (result == 0 && (result = catch_up(order, source, given_up)) != 0) {
        built_world_fini(&order->built); /* what is built is offered */
    }
    return result;
}

static int write_save(struct scenario_order *order, const struct scenario_source *source) {
    const struct order_clone *clone = &order->clone;
    struct buffer text;
    if (order->result != 0) {
        return -1; /* there was no memory for the clone */
    }
    buffer_init(&text, LIMIT_SAVE_BYTES);
    saved_world_write(clone->world, &clone->rest, clone->scenario, clone->text, clone->text_length, &text,
                      &order->saved_hash);
    int result = 0;
    if (text.failed) {
        result = text.length >= LIMIT_SAVE_BYTES / 2
                     ? failure_set(&order->failure, FAILURE_FULL, "name", "the saved world is too large")
                     : fail_memory(&order->failure);
    } else {
        order->saved_bytes = text.length;
        order->is_in_memory = save_store_is_in_memory(source->saves);
        result = save_store_put(source->saves, order->save, text.data, text.length, order->replaces,
                                &order->failure);
    }
    buffer_fini(&text);
    return result;
}

static int write_export(struct scenario_order *order) {
    const struct order_clone *clone = &order->clone;
    if (order->result != 0) {
        return -1; /* there was no memory for the clone */
    }
    if (clone->text_length == 0) {
        return failure_set(&order->failure, FAILURE_NO_SCENARIO, NULL,
                           "this world was made without a scenario's text");
    }
    return scenario_write_now(clone->text, clone->text_length, clone->world, order->with_agents,
                              &order->exported, &order->lost, &order->failure);
}

static int list_saves(struct scenario_order *order, const struct scenario_source *source) {
    order->save_count = save_store_list(source->saves, &order->saves, &order->failure);
    return order->save_count < 0 ? -1 : 0;
}

static int work_by_kind(struct scenario_order *order, const struct scenario_source *source,
                        const struct world_overrides *overrides, const atomic_bool *given_up) {
    switch (order->kind) {
    case ORDER_LOAD:
        return build(order, source, overrides, given_up);
    case ORDER_LOAD_SAVE:
        return build_save(order, source, overrides, given_up);
    case ORDER_REWIND:
        return go_back(order, source, overrides, given_up);
    case ORDER_TWIN:
        return build_twin(order, source, overrides, given_up);
    case ORDER_LIST:
        return copy_list(order, source);
    case ORDER_SAVE:
        return write_save(order, source);
    case ORDER_EXPORT:
        return write_export(order);
    case ORDER_LIST_SAVES:
        return list_saves(order, source);
    case ORDER_REMOVE_SAVE:
        return save_store_remove(source->saves, order->save, &order->failure);
    }
    return failure_set(&order->failure, FAILURE_INTERNAL, NULL, "no such order");
}

void scenario_order_work(struct scenario_order *order, const struct scenario_source *source,
                         const struct world_overrides *overrides, const atomic_bool *given_up) {
    const bool is_about_saves =
        order->kind != ORDER_LOAD && order->kind != ORDER_REWIND && order->kind != ORDER_LIST;
    order->result = work_by_kind(order, source, overrides, given_up);
    if (order->result != 0 && is_about_saves && order->failure.code == FAILURE_IO) {
        log_write(LOG_WARN, "saves", "%s",
                  order->failure.message); /* with its folder, which clients do not get */
        failure_hide_folder(&order->failure);
    }
}

static void write_list(const struct scenario_list *list, struct json_writer *json) {
    json_key(json, "scenarios");
    json_array(json);
    for (int i = 0; i < list->count; i++) {
        json_object(json);
        json_key_string(json, "name", list->rows[i].name);
        json_key_string(json, "title", list->rows[i].title);
        json_key_string(json, "description", list->rows[i].description);
        if (list->rows[i].group[0] != '\0') {
            json_key_string(json, "group", list->rows[i].group);
        }
        if (list->rows[i].caption[0] != '\0') {
            json_key_string(json, "caption", list->rows[i].caption);
        }
        json_end(json);
    }
    json_end(json);
}

/* Files that take a name and cannot be loaded. */
static void write_damaged(const struct save_row *rows, int count, struct json_writer *json) {
    json_key(json, "damaged");
    json_array(json);
    for (int i = 0; i < count; i++) {
        if (rows[i].is_damaged) {
            json_object(json);
            json_key_string(json, "name", rows[i].name);
            json_key_unsigned(json, "bytes", rows[i].bytes);
            json_key_string(json, "saved", rows[i].saved);
            json_end(json);
        }
    }
    json_end(json);
}

static void write_saves(const struct save_row *rows, int count, struct json_writer *json) {
    bool has_damaged = false;
    json_key(json, "saves");
    json_array(json);
    for (int i = 0; i < count; i++) {
        has_damaged = has_damaged || rows[i].is_damaged;
        if (rows[i].is_damaged) {
            continue;
        }
        json_object(json);
        json_key_string(json, "name", rows[i].name);
        json_key_string(json, "scenario", rows[i].scenario);
        json_key_unsigned(json, "tick", rows[i].tick);
        json_key_unsigned(json, "agents", rows[i].agents);
        json_key_unsigned(json, "bytes", rows[i].bytes);
        json_key(json, "hash");
        json_hex64(json, rows[i].hash);
        json_key_string(json, "saved", rows[i].saved);
        json_end(json);
    }
    json_end(json);
    if (has_damaged) {
        write_damaged(rows, count, json);
    }
}

static void write_saved(const struct scenario_order *order, struct json_writer *json) {
    json_key(json, "hash");
    json_hex64(json, order->saved_hash);
    json_key_unsigned(json, "bytes", order->saved_bytes);
    json_key_string(json, "kept", order->is_in_memory ? "memory" : "disk");
}

void scenario_order_answer(const struct scenario_order *order, const struct request *request, uint64_t line,
                           uint64_t tick, struct buffer *out) {
    assert(order->result != 0 || !scenario_order_is_load(order));
    if (order->result != 0) {
        message_write_refusal(request, line, &order->failure, out);
        return;
    }
    struct json_writer json = message_begin_answer(request, out);
    json_key_unsigned(&json, "tick", needs_clone(order) ? order->saved_tick : tick);
    if (order->kind == ORDER_LIST) {
        write_list(&order->list, &json);
    } else if (order->kind == ORDER_LIST_SAVES) {
        write_saves(order->saves, order->save_count, &json);
    } else if (order->kind == ORDER_SAVE) {
        write_saved(order, &json);
    } else if (order->kind == ORDER_EXPORT) {
        command_export_write(order->clone.world, order->clone.scenario, order->exported.data,
                             order->exported.length, order->lost.data, &json);
    }
    message_end_reply(&json, out);
}

bool scenario_order_event(const struct scenario_order *order, uint64_t tick, struct message_event *event) {
    if (order->result != 0 || (order->kind != ORDER_SAVE && order->kind != ORDER_REMOVE_SAVE)) {
        return false;
    }
    *event = (struct message_event){.has = EVENT_HAS_SAVE, .by = order->session};
    (void)snprintf(event->event, sizeof event->event, "%s",
                   order->kind == ORDER_SAVE ? "saved" : "save_removed");
    event->tick = order->kind == ORDER_SAVE ? order->saved_tick : tick;
    memcpy(event->save, order->save, sizeof event->save);
    return true;
}

/* ---- builder ---- */

/* Orders, first in, first out. */
struct line {
    struct scenario_order *first, **last;
};

struct scenario_builder {
    struct scenario_source source;
    struct world_overrides overrides;
    struct scenario_builder_handler handler;
    pthread_t thread;
    bool is_running;
    pthread_mutex_t mutex; /* of all below, and of the orders' next and state */
    pthread_cond_t changed;
    struct line loads, others, returned;
    struct line cloning;                         /* saves without a clone */
    struct scenario_order *waiting;              /* a built world, not handed back yet */
    atomic_bool has_world, is_urgent, is_ending; /* read without the lock, */
    atomic_bool wants_clones;                    /* and so are these */
    _Atomic uint32_t loading;                    /* loads that are neither done nor handed back */
};

static void append(struct line *line, struct scenario_order *order) {
    order->next = NULL;
    *line->last = order;
    line->last = &order->next;
}

static struct scenario_order *remove_first(struct line *line) {
    struct scenario_order *order = line->first;
    if (order != NULL) {
        line->first = order->next;
        line->last = line->first == NULL ? &line->first : line->last;
    }
    return order;
}

/* ---- the thread ---- */

/* With the lock. NULL when there is nothing to do. */
static struct scenario_order *next_order(struct scenario_builder *builder) {
    struct scenario_order *order = remove_first(&builder->others);
    return order == NULL && builder->waiting == NULL ? remove_first(&builder->loads) : order;
}

static void offer_world(struct scenario_builder *builder, struct scenario_order *order) {
    pthread_mutex_lock(&builder->mutex);
    order->state = ORDER_WAITS;
    builder->waiting = order;
    atomic_store(&builder->has_world, true);
    pthread_mutex_unlock(&builder->mutex);
    builder->handler.on_world(builder->handler.context);
    if (order->kind == ORDER_TWIN) {
        return; /* no tick is given up for it */
    }
    const uint64_t until_ns = clock_now_ns() + SCENARIO_BUILDER_GRACE_MS * UINT64_C(1000000);
    pthread_mutex_lock(&builder->mutex);
    while (builder->waiting == order && !atomic_load(&builder->is_urgent)) {
        if (!timed_wait_until(&builder->changed, &builder->mutex, until_ns)) {
            atomic_store(&builder->is_urgent, builder->waiting == order || atomic_load(&builder->is_ending));
        }
    }
    pthread_mutex_unlock(&builder->mutex);
}

/* With the lock. */
static void await_clone(struct scenario_builder *builder, struct scenario_order *order) {
    order->state = ORDER_CLONING;
    append(&builder->cloning, order);
    atomic_store(&builder->wants_clones, true);
}

static void finish(struct scenario_builder *builder, struct scenario_order *order) {
    if (order->built.world != NULL) {
        offer_world(builder, order);
    } else {
        (void)atomic_fetch_sub(&builder->loading, scenario_order_is_load(order) ? 1 : 0);
        builder->handler.on_done(builder->handler.context, order);
        scenario_order_destroy(order);
    }
}

static void work(struct scenario_builder *builder, struct scenario_order *order) {
    if (scenario_order_take_room(order, &builder->overrides)) {
        pthread_mutex_lock(&builder->mutex);
        await_clone(builder, order);
        pthread_mutex_unlock(&builder->mutex);
        builder->handler.on_room(builder->handler.context);
        return;
    }
    scenario_order_work(order, &builder->source, &builder->overrides, &builder->is_ending);
    finish(builder, order);
}

static void *run(void *argument) {
    struct scenario_builder *builder = argument;
    pthread_mutex_lock(&builder->mutex);
    while (!atomic_load(&builder->is_ending) && !thread_rests()) {
        struct scenario_order *returned = remove_first(&builder->returned);
        struct scenario_order *order = returned == NULL ? next_order(builder) : NULL;
        if (returned == NULL && order == NULL) {
            (void)thread_sleep(&builder->changed, &builder->mutex, THREAD_SLEEP_ENDLESS);
            continue;
        }
        pthread_mutex_unlock(&builder->mutex);
        scenario_order_destroy(returned);
        if (order != NULL) {
            work(builder, order);
        }
        pthread_mutex_lock(&builder->mutex);
    }
    pthread_mutex_unlock(&builder->mutex);
    return NULL;
}

/* ---- life ---- */

struct scenario_builder *scenario_builder_create(const struct scenario_source *source,
                                                 const struct world_overrides *overrides,
                                                 const struct scenario_builder_handler *handler) {
    struct scenario_builder *builder = calloc(1, sizeof *builder);
    if (builder == NULL) {
        return NULL;
    }
    builder->source = *source;
    builder->overrides = *overrides;
    builder->overrides.host_count = 0; /* they are asked at the start alone */
    builder->handler = *handler;
    builder->loads.last = &builder->loads.first;
    builder->others.last = &builder->others.first;
    builder->cloning.last = &builder->cloning.first;
    builder->returned.last = &builder->returned.first;
    if (pthread_mutex_init(&builder->mutex, NULL) != 0) {
        goto no_mutex;
    }
    if (timed_wait_init(&builder->changed) != 0) {
        goto no_condition;
    }
    if (pthread_create(&builder->thread, NULL, run, builder) != 0) {
        goto no_thread;
    }
    builder->is_running = true;
    return builder;
no_thread:
    pthread_cond_destroy(&builder->changed);
no_condition:
    pthread_mutex_destroy(&builder->mutex);
no_mutex:
    free(builder);
    return NULL;
}

void scenario_builder_abandon(struct scenario_builder *builder) {
    pthread_mutex_lock(&builder->mutex);
    atomic_store(&builder->is_ending, true);
    atomic_store(&builder->is_urgent, true);
    pthread_cond_signal(&builder->changed);
    pthread_mutex_unlock(&builder->mutex);
}

void scenario_builder_stop(struct scenario_builder *builder) {
    if (builder->is_running) {
        scenario_builder_abandon(builder);
        pthread_join(builder->thread, NULL);
        builder->is_running = false;
    }
}

void scenario_builder_destroy(struct scenario_builder *builder) {
    if (builder == NULL) {
        return;
    }
    scenario_builder_stop(builder);
    struct scenario_order *order = NULL;
    while ((order = remove_first(&builder->returned)) != NULL) {
        scenario_order_destroy(order);
    }
    pthread_cond_destroy(&builder->changed);
    pthread_mutex_destroy(&builder->mutex);
    free(builder);
}

/* ---- for others ---- */

/* With the lock. */
static void begin(struct scenario_builder *builder, struct scenario_order *order) {
    if (needs_clone(order)) {
        await_clone(builder, order);
        return;
    }
    order->state = ORDER_BEGUN;
    (void)atomic_fetch_add(&builder->loading, scenario_order_is_load(order) ? 1 : 0);
    append(scenario_order_is_load(order) ? &builder->loads : &builder->others, order);
    pthread_cond_signal(&builder->changed);
}

bool scenario_builder_is_loading(const struct scenario_builder *builder) {
    return atomic_load(&builder->loading) > 0;
}

bool scenario_builder_wants_clones(const struct scenario_builder *builder) {
    return atomic_load(&builder->wants_clones);
}

/* Only the state's thread takes orders out of the line, so they stay while it clones without the lock. */
void scenario_builder_give_clones(struct scenario_builder *builder, const struct simulation_state *state) {
    pthread_mutex_lock(&builder->mutex);
    struct scenario_order *first = builder->cloning.first;
    builder->cloning = (struct line){.last = &builder->cloning.first};
    atomic_store(&builder->wants_clones, false);
    pthread_mutex_unlock(&builder->mutex);
    for (struct scenario_order *order = first; order != NULL; order = order->next) {
        scenario_order_clone(order, state);
    }
    pthread_mutex_lock(&builder->mutex);
    while (first != NULL) {
        struct scenario_order *order = first;
        first = order->next;
        order->state = ORDER_BEGUN;
        append(&builder->others, order);
    }
    pthread_cond_signal(&builder->changed);
    pthread_mutex_unlock(&builder->mutex);
}

bool scenario_builder_has_built(struct scenario_builder *builder, struct scenario_order *order) {
    pthread_mutex_lock(&builder->mutex);
    if (order->state == ORDER_NEW) {
        begin(builder, order);
    }
    const bool has_built = order->state == ORDER_WAITS;
    pthread_mutex_unlock(&builder->mutex);
    return has_built;
}

void scenario_builder_hand_back(struct scenario_builder *builder, struct scenario_order *order) {
    pthread_mutex_lock(&builder->mutex);
    assert(order == builder->waiting);
    builder->waiting = NULL;
    atomic_store(&builder->has_world, false);
    atomic_store(&builder->is_urgent, atomic_load(&builder->is_ending));
    (void)atomic_fetch_sub(&builder->loading, 1);
    append(&builder->returned, order);
    pthread_cond_signal(&builder->changed);
    pthread_mutex_unlock(&builder->mutex);
}

bool scenario_builder_waiting(struct scenario_builder *builder, uint32_t *session) {
    pthread_mutex_lock(&builder->mutex);
    const bool is_waiting = builder->waiting != NULL;
    *session = is_waiting ? builder->waiting->session : 0;
    pthread_mutex_unlock(&builder->mutex);
    return is_waiting;
}

bool scenario_builder_has_world(const struct scenario_builder *builder) {
    return atomic_load(&builder->has_world);
}

const atomic_bool *scenario_builder_urgency(const struct scenario_builder *builder) {
    return &builder->is_urgent;
}
