/* Making and ending a simulation, its time and its events; requests of the protocol; saves and copies of it; what it has: agents
 * in columns, kinds, states, targets. See sim_handle.h and sim.h. */
#include "server/embed/sim_handle.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_check.h"
#include "common/protocol/message.h"
#include "common/protocol/message_scenario.h"
#include "server/commands/command_apply.h"
#include "server/recording/checkpoint.h"
#include "server/sim/core.h"
#include "server/sim/math/trig.h"

enum { ANSWER_BYTES = 64 * 1024 * 1024 };

const char *drover_sim_version(void) {
    return DROVER_VERSION;
}

unsigned drover_sim_core(void) {
    return CORE_NUMBER;
}

/* Writes a failure for a caller; error may be NULL. */
static void set_error(struct drover_sim_error *error, const struct failure *failure) {
    if (error != NULL) {
        (void)snprintf(error->code, sizeof error->code, "%s", failure_code_name(failure->code));
        (void)snprintf(error->field, sizeof error->field, "%s", failure->field);
        (void)snprintf(error->message, sizeof error->message, "%s", failure->message);
    }
}

/* ---- making ---- */

/* The caller's pool as the core knows one. */
static struct parallel parallel_of(const struct drover_sim *sim) {
    const struct drover_sim_threads *threads = &sim->threads;
    return threads->run == NULL ? parallel_alone()
                                : (struct parallel){threads->pool, threads->threads, threads->run};
}

/* Of the first version, whose programs have no more members. */
#define FIRST_SIZE offsetof(struct drover_sim_options, max_agents)

/* Without a world. NULL with *failure: busy, out_of_range. */
static struct drover_sim *create_empty(const struct drover_sim_options *options, struct failure *failure) {
    const struct drover_sim_threads *threads = options != NULL ? options->threads : NULL;
    if (options != NULL && options->size < FIRST_SIZE) {
        (void)failure_set(failure, FAILURE_OUT_OF_RANGE, "size",
                          "%zu; allowed: %zu, as DROVER_SIM_OPTIONS has it", options->size, sizeof *options);
        return NULL;
    }
    if (threads != NULL && (threads->threads < 1 || threads->run == NULL)) {
        (void)failure_set(failure, FAILURE_OUT_OF_RANGE, "threads",
                          "there are %d threads and %s; allowed: at least one, and a function",
                          threads->threads, threads->run == NULL ? "no function" : "a function");
        return NULL;
    }
    struct drover_sim *sim = calloc(1, sizeof *sim);
    if (sim == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    simulation_state_init(&sim->state);
    if (threads != NULL) {
        sim->threads = *threads;
    }
    sim->state.parallel = parallel_of(sim);
    sim->state.session = 1; /* whose cursor the requests move */
    buffer_init(&sim->answer, ANSWER_BYTES);
    return sim;
}

static int read_name(const struct drover_sim_options *options, char out[LIMIT_NAME_CHARS + 1],
                     struct failure *failure) {
    const char *name = options != NULL && options->name != NULL ? options->name : "scenario";
    const size_t length = strlen(name);
    if (length == 0 || length > LIMIT_NAME_CHARS) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "name", "%zu bytes; allowed: 1 to %d", length,
                           LIMIT_NAME_CHARS);
    }
    memcpy(out, name, length + 1);
    return 0;
}

/* The overrides that are no more than max_agents. 0, or -1 with *failure: out_of_range. */
static int read_max_agents(const struct drover_sim_options *options, struct world_overrides *out,
                           struct failure *failure) {
    const int32_t most = options != NULL && options->size >= sizeof *options ? options->max_agents : 0;
    *out = (struct world_overrides){.max_agents = most};
    return most >= 0 && most <= LIMIT_AGENTS
               ? 0
               : failure_set(failure, FAILURE_OUT_OF_RANGE, "max_agents", "%d; allowed: 1 to %d, or 0",
                             (int)most, LIMIT_AGENTS);
}

static int read_overrides(const struct drover_sim_options *options, struct world_overrides *out,
                          struct failure *failure) {
    if (read_max_agents(options, out, failure) != 0) {
        return -1;
    }
    if (options != NULL && options->seed != NULL) {
        out->has_seed = true;
        out->seed = *options->seed;
    }
    if (options != NULL && options->tick_hz != 0.0) {
        if (!(options->tick_hz >= 1.0 && options->tick_hz <= LIMIT_TICK_HZ)) {
            return failure_set(failure, FAILURE_OUT_OF_RANGE, "tick_hz", "%g; allowed: 1 to %d, or 0",
                               options->tick_hz, LIMIT_TICK_HZ);
        }
        out->tick_hz = options->tick_hz;
    }
    return 0;
}

static int build(const char *text, size_t length, const struct drover_sim_options *options,
                 struct built_world *out, struct failure *failure) {
    struct scenario scenario;
    struct world_overrides overrides;
    char name[LIMIT_NAME_CHARS + 1];
    if (read_name(options, name, failure) != 0 || read_overrides(options, &overrides, failure) != 0) {
        return -1;
    }
    if (length > LIMIT_SCENARIO_BYTES) {
        return failure_set(failure, FAILURE_BAD_SCENARIO, "", "%zu bytes; allowed: at most %d", length,
                           LIMIT_SCENARIO_BYTES);
    }
    struct failure inner;
    if (scenario_read(text, length, &scenario, &inner) != 0) {
        if (inner.code == FAILURE_BUSY) {
            return failure_set(failure, FAILURE_BUSY, inner.field, "%s", inner.message);
        }
        return failure_set(failure, FAILURE_BAD_SCENARIO, inner.field, "line %d, column %d: %s", inner.line,
                           inner.column, inner.message);
    }
    memcpy(scenario.name, name, sizeof scenario.name);
    const int result = built_world_make(&scenario, &overrides, NULL, NULL, out, failure);
    scenario_fini(&scenario);
    return result;
}

struct drover_sim *drover_sim_create(const char *text, size_t length,
                                     const struct drover_sim_options *options,
                                     struct drover_sim_error *error) {
    assert(text != NULL);
    struct failure failure = {0};
    struct built_world built;
    struct drover_sim *sim = create_empty(options, &failure);
    if (sim == NULL || build(text, length, options, &built, &failure) != 0) {
        drover_sim_destroy(sim);
        set_error(error, &failure);
        return NULL;
    }
    simulation_state_change(&sim->state, &built);
    built_world_fini(&built);
    return sim;
}

void drover_sim_destroy(struct drover_sim *sim) {
    if (sim != NULL) {
        simulation_state_fini(&sim->state);
        buffer_fini(&sim->answer);
        free(sim->columns);
        free(sim);
    }
}

/* ---- time ---- */

static void take_events(struct drover_sim *sim) {
    const struct world_note *notes = NULL;
    uint32_t left_out = 0;
    const int count = world_notes(sim->state.world, &notes, &left_out);
    for (int i = 0; i < count; i++) {
        const struct world_note *note = &notes[i];
        const bool is_caught = note->type == NOTE_CAUGHT;
        if (sim->event_count == SIM_EVENTS) {
            left_out++;
            continue;
        }
        sim->events[sim->event_count++] = (struct drover_sim_event){
            .tick = world_tick(sim->state.world),
            .type = is_caught ? DROVER_SIM_CAUGHT : DROVER_SIM_REACHED,
            .agent = note->agent,
            .quarry = is_caught ? note->quarry : 0,
            .target = is_caught ? -1 : note->target,
            .x = is_caught ? 0.0f : note->at.x,
            .y = is_caught ? 0.0f : note->at.y,
        };
    }
    sim->events_left_out += left_out;
}

/* So many ticks; their events follow those that are there. */
static void run_ticks(struct drover_sim *sim, uint32_t ticks) {
    for (uint32_t i = 0; i < ticks; i++) {
        simulation_state_step(&sim->state);
        sim->state.log.count = 0; /* those of the protocol: at most 20 a second */
        take_events(sim);
    }
}

void drover_sim_step(struct drover_sim *sim, uint32_t ticks) {
    sim->event_count = 0;
    sim->events_left_out = 0;
    run_ticks(sim, ticks);
}

int32_t drover_sim_events(const struct drover_sim *sim, const struct drover_sim_event **events,
                          uint32_t *left_out) {
    *events = sim->events;
    if (left_out != NULL) {
        *left_out = sim->events_left_out;
    }
    return sim->event_count;
}

uint64_t drover_sim_tick(const struct drover_sim *sim) {
    return world_tick(sim->state.world);
}

double drover_sim_tick_hz(const struct drover_sim *sim) {
    return world_tick_hz(sim->state.world);
}

double drover_sim_time(const struct drover_sim *sim) {
    return (double)world_tick(sim->state.world) / world_tick_hz(sim->state.world);
}

uint64_t drover_sim_hash(const struct drover_sim *sim) {
    return world_hash(sim->state.world);
}

/* ---- requests ---- */

/* Whether the world alone can answer it. What a server does for its sessions, or with files, is not there. */
static bool is_about_world(const struct request *request) {
    switch (request->op) {
    case REQUEST_LOAD:
    case REQUEST_SAVE:
    case REQUEST_REMOVE_SAVE:
    case REQUEST_RECORD:
    case REQUEST_SEEK:
    case REQUEST_REWIND:
    case REQUEST_MARK:
    case REQUEST_COMPARE:
    case REQUEST_SPEED:
    case REQUEST_PAUSE:
    case REQUEST_RESUME:
        return false;
    case REQUEST_LIST:
        return request->body.list.what != LIST_SCENARIOS && request->body.list.what != LIST_SAVES &&
               request->body.list.what != LIST_BRANCHES;
    default:
        return request_has_trait(request->op, REQUEST_TRAIT_WORLD);
    }
}

static int decode(struct drover_sim *sim, const char *text, size_t length) {
    struct request *request = &sim->request;
    const struct json_limits limits = json_limits_admin();
    *request = request_default(REQUEST_PING);
    if (length > LIMIT_ADMIN_LINE_BYTES) {
        return failure_set(&sim->failure, FAILURE_TOO_LONG, NULL, "%zu bytes; allowed: at most %d", length,
                           LIMIT_ADMIN_LINE_BYTES);
    }
    if (request_decode_within(text, length, &limits, request, &sim->failure) != 0) {
        return -1;
    }
    if (!is_about_world(request)) {
        return failure_set(&sim->failure, FAILURE_UNKNOWN_OP, "op",
                           "%s is a request to a server; allowed: requests about the world",
                           request_op_name(request->op));
    }
    if (request->op == REQUEST_STEP && request->body.step.count < 0) {
        return failure_set(&sim->failure, FAILURE_OUT_OF_RANGE, "count",
                           "this world keeps no past to go back to; allowed: 1 to %d", LIMIT_STEP);
    }
    if (request->has_at) {
        return failure_set(
            &sim->failure, FAILURE_BAD_PARAM, "at",
            "at is for requests to a server; allowed: a request at the tick that it is meant for");
    }
    return 0;
}

/* The ticks of a step, until its condition holds. Returns the condition's name, or NULL. */
static const char *do_step(struct drover_sim *sim, uint32_t ticks) {
    const struct request_step *step = &sim->request.body.step;
    struct command_until until = {0};
    const char *met = NULL;
    drover_sim_step(sim, 0); /* the events are those of this step */
    for (uint32_t i = 0; i < ticks && met == NULL; i++) {
        run_ticks(sim, 1);
        met = command_until_met(&until, step, &sim->state);
    }
    return met;
}

static void apply(struct drover_sim *sim) {
    struct simulation_state *state = &sim->state;
    state->is_paused = true; /* it moves only when it is stepped */
    const struct command_effects effects = command_apply(state, &sim->request, sim->lines, &sim->answer);
    state->is_paused = false;
    if (effects.step_ticks > 0) {
        const char *met = do_step(sim, effects.step_ticks);
        command_finish_step(state, &sim->request, false, met, &sim->answer);
    }
}

/* The answer without its newline; an error where there is no memory for it. */
static const char *end_answer(struct drover_sim *sim) {
    struct buffer *answer = &sim->answer;
    if (answer->length > 0 && !answer->failed && answer->data[answer->length - 1] == '\n') {
        answer->data[--answer->length] = '\0';
    }
    return answer->failed ? "{\"op\":\"error\",\"code\":\"busy\",\"message\":\"out of memory\"}"
                          : (answer->length > 0 ? answer->data : "");
}

static void copy_member(const cJSON *json, const char *name, char *out, size_t size) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
    (void)snprintf(out, size, "%.*s", (int)size - 1, text == NULL ? "" : text);
}

/* What the answer of the world says, when it is an error. */
static void note_failure(struct drover_sim *sim, const char *answer) {
    static const char error[] = "{\"op\":\"error\",";
    if (strncmp(answer, error, sizeof error - 1) == 0) {
        cJSON *json = cJSON_Parse(answer);
        char code[32];
        copy_member(json, "code", code, sizeof code);
        sim->failure.code = json == NULL ? FAILURE_BUSY : failure_code_from_name(code);
        copy_member(json, "field", sim->failure.field, sizeof sim->failure.field);
        copy_member(json, "message", sim->failure.message, sizeof sim->failure.message);
        cJSON_Delete(json);
    }
}

const char *sim_answer(struct drover_sim *sim) {
    apply(sim);
    request_fini(&sim->request);
    const char *answer = end_answer(sim);
    note_failure(sim, answer);
    return answer;
}

void sim_begin_answer(struct drover_sim *sim) {
    sim->failure = (struct failure){0};
    sim->lines++;
    buffer_clear(&sim->answer);
}

static const char *answer_request(struct drover_sim *sim, const char *text, size_t length) {
    sim_begin_answer(sim);
    if (decode(sim, text, length) == 0) {
        return sim_answer(sim);
    }
    message_write_refusal(&sim->request, sim->lines, &sim->failure, &sim->answer);
    request_fini(&sim->request);
    return end_answer(sim);
}

const char *drover_sim_request(struct drover_sim *sim, const char *request) {
    assert(request != NULL);
    return answer_request(sim, request, strlen(request));
}

const char *drover_sim_requestf(struct drover_sim *sim, const char *format, ...) {
    struct buffer text;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    buffer_init(&text, 2 * LIMIT_ADMIN_LINE_BYTES);
    char *out = length < 0 ? NULL : buffer_reserve(&text, (size_t)length);
    if (out != NULL) {
        va_start(arguments, format);
        (void)vsnprintf(out, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    const char *answer = answer_request(sim, out == NULL ? "" : out, out == NULL ? 0 : (size_t)length);
    buffer_fini(&text);
    return answer;
}

int drover_sim_last_error(const struct drover_sim *sim, struct drover_sim_error *error) {
    set_error(error, &sim->failure);
    return sim->failure.code == FAILURE_NONE ? 0 : -1;
}

/* ---- saves and copies ---- */

enum { SAVE_BYTES = 1 << 30 };

char *drover_sim_save(const struct drover_sim *sim, size_t *length) {
    const struct simulation_state *state = &sim->state;
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    struct buffer out;
    buffer_init(&out, SAVE_BYTES);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, &out, NULL);
    if (out.failed) {
        buffer_fini(&out);
        return NULL;
    }
    return buffer_take(&out, length);
}

void drover_sim_free(char *text) {
    free(text);
}

struct drover_sim *drover_sim_create_from_save(const char *text, size_t length,
                                               const struct drover_sim_options *options,
                                               struct drover_sim_error *error) {
    assert(text != NULL);
    struct world_overrides overrides;
    struct failure failure = {0};
    struct built_world built;
    struct checkpoint_rest rest;
    struct drover_sim *sim = create_empty(options, &failure);
    if (sim == NULL || read_max_agents(options, &overrides, &failure) != 0 ||
        saved_world_read(text, length, &overrides, NULL, &built, &rest, &failure) != 0) {
        drover_sim_destroy(sim);
        set_error(error, &failure);
        return NULL;
    }
    checkpoint_restore(&sim->state, &built, &rest);
    sim->state.is_paused = false;
    built_world_fini(&built);
    return sim;
}

/* ---- copies ---- */

static char *copy_text(const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

struct drover_sim *drover_sim_clone(const struct drover_sim *sim) {
    struct drover_sim *clone = malloc(sizeof *clone);
    char *text = copy_text(sim->state.text);
    char *first_text = sim->state.first_text != NULL ? copy_text(sim->state.first_text) : NULL;
    struct world *world = world_clone_new(sim->state.world);
    if (clone == NULL || text == NULL || world == NULL ||
        (first_text == NULL) != (sim->state.first_text == NULL)) {
        free(clone);
        free(text);
        free(first_text);
        world_destroy(world);
        return NULL;
    }
    *clone = *sim;
    clone->state.world = world;
    clone->state.text = text;
    clone->state.first_text = first_text;
    clone->state.batch = NULL;
    clone->columns = NULL;
    clone->column_room = 0;
    clone->agents = (struct drover_sim_agents){0};
    buffer_init(&clone->answer, sim->answer.limit);
    return clone;
}

static bool is_same_scenario(const struct simulation_state *a, const struct simulation_state *b) {
    return strcmp(a->name, b->name) == 0 && a->text_length == b->text_length &&
           memcmp(a->text, b->text, a->text_length) == 0;
}

int drover_sim_copy(struct drover_sim *to, const struct drover_sim *from) {
    if (to == from) {
        return 0;
    }
    if (!is_same_scenario(&to->state, &from->state) ||
        (!world_has_room(to->state.world, from->state.world) &&
         !world_clone_reserve(to->state.world, from->state.world)) ||
        !world_clone(to->state.world, from->state.world)) {
        return -1;
    }
    to->state.seq = from->state.seq;
    to->state.cursors = from->state.cursors;
    to->state.log = from->state.log;
    to->event_count = from->event_count;
    to->events_left_out = from->events_left_out;
    memcpy(to->events, from->events, sizeof from->events[0] * (size_t)from->event_count);
    return 0;
}

/* ---- what it has ---- */

enum { CIRCLE_CORNERS = 32 };

/* The columns of sim->agents, one behind the other: the widest first, so that each is aligned. */
#define COLUMNS(X)                                                                                           \
    X(uint32_t, id)                                                                                          \
    X(float, x)                                                                                              \
    X(float, y)                                                                                              \
    X(float, vx)                                                                                             \
    X(float, vy)                                                                                             \
    X(float, heading)                                                                                        \
    X(float, radius)                                                                                         \
    X(float, stamina)                                                                                        \
    X(uint16_t, kind)                                                                                        \
    X(uint16_t, state)

#define COLUMN_BYTES(type, name) +sizeof(type)
enum { ROW_BYTES = 0 COLUMNS(COLUMN_BYTES) };
#undef COLUMN_BYTES

struct writable {
#define COLUMN_POINTER(type, name) type *name;
    COLUMNS(COLUMN_POINTER)
#undef COLUMN_POINTER
};

/* Where the columns of so many agents lie. */
static struct writable lay_out(char *memory, int32_t room) {
    struct writable out;
    size_t offset = 0;
#define COLUMN_PLACE(type, name)                                                                             \
    out.name = (type *)(void *)(memory + offset);                                                            \
    offset += (size_t)room * sizeof(type);
    COLUMNS(COLUMN_PLACE)
#undef COLUMN_PLACE
    assert(offset == (size_t)room * ROW_BYTES);
    return out;
}

static bool need_room(struct drover_sim *sim, int32_t count) {
    if (count > sim->column_room || sim->columns == NULL) {
        const int32_t room = count < 16 ? 16 : count + count / 4;
        char *memory = realloc(sim->columns, (size_t)room * ROW_BYTES);
        if (memory == NULL) {
            return false;
        }
        sim->columns = memory;
        sim->column_room = room;
    }
    return true;
}

const struct drover_sim_agents *drover_sim_agents(struct drover_sim *sim) {
    const struct world *world = sim->state.world;
    const int32_t count = world_agent_count(world);
    if (!need_room(sim, count)) {
        return NULL;
    }
    const struct writable out = lay_out(sim->columns, sim->column_room);
    for (int32_t row = 0; row < count; row++) {
        const struct agent_view agent = world_agent(world, row);
        out.id[row] = agent.id;
        out.kind[row] = (uint16_t)agent.kind;
        out.state[row] = (uint16_t)agent.state;
        out.x[row] = agent.position.x;
        out.y[row] = agent.position.y;
        out.vx[row] = agent.velocity.x;
        out.vy[row] = agent.velocity.y;
        out.heading[row] = trig_atan2(agent.heading.y, agent.heading.x);
        out.radius[row] = agent.radius;
        out.stamina[row] = agent.stamina;
    }
    sim->agents = (struct drover_sim_agents){count,  out.id, out.kind,    out.state,  out.x,      out.y,
                                             out.vx, out.vy, out.heading, out.radius, out.stamina};
    return &sim->agents;
}

const char *drover_sim_scenario(struct drover_sim *sim) {
    struct message_scenario scenario;
    simulation_state_describe(&sim->state, &scenario);
    buffer_clear(&sim->answer);
    message_write_scenario(&scenario, &sim->answer);
    return end_answer(sim);
}

int32_t drover_sim_agent_count(const struct drover_sim *sim) {
    return world_agent_count(sim->state.world);
}

int32_t drover_sim_row(const struct drover_sim *sim, uint32_t id) {
    return world_find_agent(sim->state.world, id);
}

void drover_sim_size(const struct drover_sim *sim, float *width, float *height) {
    const vec2 size = world_size(sim->state.world);
    *width = size.x;
    *height = size.y;
}

int drover_sim_kind_count(const struct drover_sim *sim) {
    return world_kind_count(sim->state.world);
}

static const struct kind_def *find_kind(const struct drover_sim *sim, int kind) {
    const bool is_there = kind >= 0 && kind < world_kind_count(sim->state.world);
    return is_there ? world_kind(sim->state.world, kind) : NULL;
}

const char *drover_sim_kind(const struct drover_sim *sim, int kind) {
    const struct kind_def *def = find_kind(sim, kind);
    return def == NULL ? "" : def->name;
}

const char *drover_sim_state(const struct drover_sim *sim, int kind, int state) {
    const struct kind_def *def = find_kind(sim, kind);
    return def == NULL || state < 0 || state >= def->state_count ? "" : def->states[state].name;
}

int drover_sim_target_count(const struct drover_sim *sim) {
    return world_target_count(sim->state.world);
}

const char *drover_sim_target(const struct drover_sim *sim, int target, float *x, float *y) {
    const struct world *world = sim->state.world;
    const bool is_there = target >= 0 && target < world_target_count(world);
    const vec2 at = is_there ? world_target_position(world, target) : vec2_make(0.0f, 0.0f);
    if (x != NULL) {
        *x = at.x;
    }
    if (y != NULL) {
        *y = at.y;
    }
    return is_there ? world_target_name(world, target) : "";
}

int drover_sim_obstacle_count(const struct drover_sim *sim) {
    return world_scenery(sim->state.world)->def.obstacle_count;
}

static vec2 corner_of(const struct obstacle_def *obstacle, int32_t corner) {
    static const vec2 box[] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}, {0.0f, 1.0f}};
    switch (obstacle->shape) {
    case OBSTACLE_CIRCLE:
        return vec2_add(
            obstacle->at,
            vec2_scale(trig_unit((float)corner * (float)(2.0 * TRIG_PI / CIRCLE_CORNERS)), obstacle->radius));
    case OBSTACLE_BOX:
        return vec2_make(obstacle->at.x + box[corner].x * obstacle->size.x,
                         obstacle->at.y + box[corner].y * obstacle->size.y);
    default:
        return obstacle->points[corner];
    }
}

int32_t drover_sim_obstacle(const struct drover_sim *sim, int obstacle, float *corners, int32_t room) {
    const struct geometry_def *def = &world_scenery(sim->state.world)->def;
    if (obstacle < 0 || obstacle >= def->obstacle_count) {
        return 0;
    }
    const struct obstacle_def *shape = &def->obstacles[obstacle];
    const int32_t count = shape->shape == OBSTACLE_CIRCLE ? CIRCLE_CORNERS
                          : shape->shape == OBSTACLE_BOX  ? 4
                                                          : shape->point_count;
    const vec2 offset = scenery_offset_of(world_scenery(sim->state.world), obstacle);
    for (int32_t i = 0; corners != NULL && i < count && i < room; i++) {
        const vec2 corner = vec2_add(corner_of(shape, i), offset);
        corners[2 * i] = corner.x;
        corners[2 * i + 1] = corner.y;
    }
    return count;
}
