/* Making and ending a simulation, its time and its events. See sim_handle.h. */
#include "server/embed/sim_handle.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/core.h"

enum { ANSWER_BYTES = 64 * 1024 * 1024 };

const char *drover_sim_version(void) {
    return DROVER_VERSION;
}

unsigned drover_sim_core(void) {
    return CORE_NUMBER;
}

void sim_error_set(struct drover_sim_error *error, const struct failure *failure) {
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

struct drover_sim *sim_new(const struct drover_sim_options *options, struct failure *failure) {
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

int sim_read_max_agents(const struct drover_sim_options *options, struct world_overrides *out,
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
    if (sim_read_max_agents(options, out, failure) != 0) {
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
    struct drover_sim *sim = sim_new(options, &failure);
    if (sim == NULL || build(text, length, options, &built, &failure) != 0) {
        drover_sim_destroy(sim);
        sim_error_set(error, &failure);
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

void sim_run(struct drover_sim *sim, uint32_t ticks) {
    for (uint32_t i = 0; i < ticks; i++) {
        simulation_state_step(&sim->state);
        sim->state.log.count = 0; /* those of the protocol: at most 20 a second */
        take_events(sim);
    }
}

void drover_sim_step(struct drover_sim *sim, uint32_t ticks) {
    sim->event_count = 0;
    sim->events_left_out = 0;
    sim_run(sim, ticks);
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
