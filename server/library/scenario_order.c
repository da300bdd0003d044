/* See scenario_order.h. */
#include "server/library/scenario_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_writer.h"
#include "common/protocol/message.h"

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
    return request->op == REQUEST_LOAD ||
           (request->op == REQUEST_LIST && request->body.list.what == LIST_SCENARIOS);
}

struct scenario_order *scenario_order_create(struct command *command) {
    struct scenario_order *order = calloc(1, sizeof *order);
    if (order != NULL) {
        order->command = command;
        order->session = command->session;
        order->is_load = command->request.op == REQUEST_LOAD;
        if (order->is_load) {
            order->load = command->request.body.load;
        }
    }
    return order;
}

void scenario_order_destroy(struct scenario_order *order) {
    if (order != NULL) {
        built_world_fini(&order->built);
        free(order->list.rows);
        free(order);
    }
}

static int fail_memory(struct failure *failure) {
    return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

static int build(struct scenario_order *order, const struct scenario_source *source,
                 const struct world_overrides *overrides, const atomic_bool *given_up) {
    struct scenario *scenario = malloc(sizeof *scenario);
    if (scenario == NULL) {
        return fail_memory(&order->failure);
    }
    int result = source->load(source->context, order->load.scenario, scenario, &order->failure);
    if (result == 0) {
        result = built_world_make(scenario, overrides, order->load.has_seed ? &order->load.seed : NULL,
                                  given_up, &order->built, &order->failure);
        scenario_fini(scenario);
    }
    free(scenario);
    if (result != 0) {
        /* The failure's own field is a place in the file, and in the message; here it is the request's. */
        memcpy(order->failure.field, "scenario", sizeof "scenario");
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

void scenario_order_work(struct scenario_order *order, const struct scenario_source *source,
                         const struct world_overrides *overrides, const atomic_bool *given_up) {
    order->result = order->is_load ? build(order, source, overrides, given_up) : copy_list(order, source);
}

static void write_list(const struct scenario_list *list, struct json_writer *json) {
    json_key(json, "scenarios");
    json_array(json);
    for (int i = 0; i < list->count; i++) {
        json_object(json);
        json_key_string(json, "name", list->rows[i].name);
        json_key_string(json, "title", list->rows[i].title);
        json_key_string(json, "description", list->rows[i].description);
        json_end(json);
    }
    json_end(json);
}

void scenario_order_answer(const struct scenario_order *order, const struct request *request, uint64_t line,
                           uint64_t tick, struct buffer *out) {
    assert(order->result != 0 || !order->is_load);
    if (order->result != 0) {
        message_write_refusal(request, line, &order->failure, out);
        return;
    }
    struct json_writer json = message_begin_answer(request, out);
    json_key_unsigned(&json, "tick", tick);
    write_list(&order->list, &json);
    message_end_reply(&json, out);
}
