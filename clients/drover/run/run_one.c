/* See run_one.h. */
#include "clients/drover/run/run_one.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/run/run_file.h"
#include "clients/drover/run/run_parts.h"
#include "clients/drover/run/run_record.h"
#include "clients/drover/run/run_variant.h"
#include "common/json/json_writer.h"
#include "common/protocol/message.h"
#include "common/system/clock.h"
#include "server/commands/command_apply.h"
#include "server/storage/disk_file.h"

enum { REPLY_BYTES = 1 << 16, ROWS_AT_ONCE = 1 << 16, ROWS_LIMIT = 1 << 28 };

/* A run that goes on. Zero is one that has nothing yet. */
struct one {
    const struct run_task *task;
    struct simulation_state *state;
    struct run_report *report;
    uint32_t number;
    int part;
    struct run_meter meter;
    double *values; /* of a row */
    struct buffer rows;
    struct run_file agents;
    struct run_record record;
};

/* ---- parameters ---- */

/* What an error line says. */
static int take_error(const struct buffer *reply, const char *parameter, struct failure *failure) {
    struct message *message = malloc(sizeof *message);
    struct failure inner = {0};
    int result = failure_set(failure, FAILURE_BUSY, NULL, "%s: out of memory", parameter);
    if (message != NULL && !reply->failed && reply->length > 0 &&
        message_decode(reply->data, reply->length - 1, message, &inner) == 0) {
        const struct failure *said = &message->body.error.failure;
        if (message->op == MESSAGE_ERROR) {
            result = failure_set(failure, said->code, NULL, "%s: %s", parameter, said->message);
        }
        message_fini(message);
    }
    free(message);
    return result;
}

int run_set_parameter(struct simulation_state *state, const struct run_parameter *parameter, double value,
                      struct request *request, struct failure *failure) {
    struct request_set_param *body = &request->body.set_param;
    const char *own = run_parameter_own(parameter);
    const int kind_length = (int)(own - parameter->name) - 1;
    struct buffer reply;
    *request = (struct request){.op = REQUEST_SET_PARAM};
    body->has_kind = true;
    body->value = value;
    if (kind_length >= (int)sizeof body->kind || strlen(own) >= sizeof body->param) {
        return failure_set(failure, FAILURE_NO_PARAM, NULL, "%s: the name is too long", parameter->name);
    }
    (void)snprintf(body->kind, sizeof body->kind, "%.*s", kind_length, parameter->name);
    (void)snprintf(body->param, sizeof body->param, "%s", own);
    buffer_init(&reply, REPLY_BYTES);
    const struct command_effects effects = command_apply(state, request, 0, &reply);
    const int result = effects.seq != 0 ? 0 : take_error(&reply, parameter->name, failure);
    buffer_fini(&reply);
    return result;
}

int run_set_parameters(struct simulation_state *state, const struct run_plan *plan, uint32_t run,
                       void (*on_set)(void *context, const struct request *request), void *context,
                       struct failure *failure) {
    const double *values = run_plan_values(plan, run);
    struct request *request = malloc(sizeof *request);
    if (request == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    int result = 0;
    for (int i = 0; i < plan->parameter_count && result == 0; i++) {
        if (!isnan(values[i]) && !plan->parameters[i].is_path) {
            result = run_set_parameter(state, &plan->parameters[i], values[i], request, failure);
            if (result == 0) {
                on_set(context, request);
            }
        }
    }
    free(request);
    return result;
}

static void record_request(void *context, const struct request *request) {
    struct one *one = context;
    if (one->task->records) {
        run_record_request(&one->record, one->state, request);
    }
}

/* ---- rows ---- */

static int flush_rows(struct one *one, bool is_last, struct failure *failure) {
    if (one->rows.failed) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (one->rows.length > 0 && (is_last || one->rows.length >= ROWS_AT_ONCE)) {
        const int error = disk_file_write(one->part, one->rows.data, one->rows.length);
        buffer_clear(&one->rows);
        if (error != 0) {
            return failure_set(failure, FAILURE_IO, NULL, "%.200s: %s", one->task->folder, strerror(error));
        }
    }
    return 0;
}

static void write_agent(struct buffer *out, const struct world *world, uint64_t tick,
                        const struct agent_view *agent) {
    const struct kind_def *kind = world_kind(world, agent->kind);
    const float numbers[] = {agent->position.x, agent->position.y, agent->velocity.x, agent->velocity.y};
    buffer_printf(out, "%" PRIu64 ",%" PRIu32 ",%s,%s", tick, agent->id, kind->name,
                  kind->states[agent->state].name);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[JSON_NUMBER_TEXT];
        (void)json_float_text(text, numbers[i]);
        buffer_printf(out, ",%s", text);
    }
    buffer_append_text(out, "\n");
}

static void write_agents(struct one *one) {
    const struct world *world = one->state->world;
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        const struct agent_view agent = world_agent(world, row);
        write_agent(&one->agents.buffer, world, world_tick(world), &agent);
        run_file_flush(&one->agents);
    }
}

static int write_row(struct one *one, struct failure *failure) {
    const struct world *world = one->state->world;
    const struct run_columns *columns = one->task->columns;
    if (!run_meter_take(&one->meter, world, columns->rows, columns->count, one->values)) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    run_row_write(one->number, world_tick(world), one->values, columns->count, &one->rows);
    if (one->task->writes_agents) {
        write_agents(one);
    }
    return flush_rows(one, false, failure);
}

/* ---- the run ---- */

static int build(struct one *one, const struct scenario *scenario, uint64_t seed, struct failure *failure) {
    struct built_world built;
    if (built_world_make(scenario, &one->task->overrides, &seed, NULL, &built, failure) != 0) {
        return -1;
    }
    simulation_state_change(one->state, &built);
    built_world_fini(&built);
    return 0;
}

static int build_world(struct one *one, uint32_t index, struct failure *failure) {
    const struct run_task *task = one->task;
    const uint64_t seed = task->plan->seeds[index];
    struct scenario variant;
    if (task->scenario == NULL) {
        world_set_seed(one->state->world, seed);
        return 0;
    }
    if (!task->plan->has_paths) {
        return build(one, task->scenario, seed, failure);
    }
    if (run_variant_make(task->scenario, task->plan, run_plan_values(task->plan, index), &variant, failure) !=
        0) {
        return -1;
    }
    const int result = build(one, &variant, seed, failure);
    scenario_fini(&variant);
    return result;
}

static int begin_files(struct one *one, struct failure *failure) {
    char name[64];
    if (one->task->writes_agents) {
        (void)snprintf(name, sizeof name, "agents-%" PRIu32 ".csv", one->number);
        if (run_file_begin(&one->agents, one->task->folder, name, failure) != 0) {
            return -1;
        }
        buffer_append_text(&one->agents.buffer, "tick,id,kind,state,x,y,vx,vy\n");
    }
    if (one->task->records) {
        (void)snprintf(name, sizeof name, "run-%" PRIu32 ".drover", one->number);
        return run_record_begin(&one->record, one->task->folder, name, one->state,
                                one->task->scenario == NULL, failure);
    }
    return 0;
}

/* Up to the last tick, with its row. */
static int go(struct one *one, struct failure *failure) {
    const struct run_task *task = one->task;
    for (uint64_t tick = 0;; tick++) {
        bool is_over = false;
        if (tick > 0) {
            simulation_state_step(one->state);
            run_meter_follow(&one->meter, one->state->world);
            atomic_store_explicit(&one->report->ticks, tick, memory_order_relaxed);
        }
        if (task->records && tick > 0) {
            run_record_tick(&one->record, one->state);
        }
        /* Before its first tick a world says nothing: each agent is in the first state of its list. */
        if (tick > 0 && !run_meter_ends(&one->meter, one->state->world, task->until, &is_over)) {
            return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        }
        is_over = is_over || tick == task->ticks;
        const bool is_due = is_over || (task->every > 0 && tick % task->every == 0);
        if (is_due && write_row(one, failure) != 0) {
            return -1;
        }
        if (is_over) {
            return flush_rows(one, true, failure);
        }
    }
}

static int do_run(struct one *one, uint32_t index, struct failure *failure) {
    const struct run_task *task = one->task;
    one->values = calloc((size_t)task->columns->count, sizeof *one->values);
    if (one->values == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (build_world(one, index, failure) != 0 || begin_files(one, failure) != 0 ||
        run_set_parameters(one->state, task->plan, index, record_request, one, failure) != 0 ||
        go(one, failure) != 0) {
        return -1;
    }
    one->report->tick = world_tick(one->state->world);
    one->report->hash = world_hash(one->state->world);
    if (task->writes_agents && run_file_finish(&one->agents, failure) != 0) {
        return -1;
    }
    return task->records ? run_record_finish(&one->record, one->state, failure) : 0;
}

int run_one(const struct run_task *task, uint32_t index, struct simulation_state *state, int part,
            struct run_report *report) {
    struct one one = {.task = task, .state = state, .report = report, .number = index + 1, .part = part};
    const uint64_t begun_ns = clock_now_ns();
    buffer_init(&one.rows, ROWS_LIMIT);
    const int result = do_run(&one, index, &report->failure);
    run_file_abandon(&one.agents);
    run_record_abandon(&one.record);
    run_meter_fini(&one.meter);
    buffer_fini(&one.rows);
    free(one.values);
    report->seconds = rint((double)(clock_now_ns() - begun_ns) / 1e6) / 1e3;
    return result;
}
