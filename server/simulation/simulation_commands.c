/* See simulation_internal.h. */
#include "server/simulation/simulation_internal.h"

#include <assert.h>
#include <string.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/commands/command_apply.h"

enum { ANSWER_BYTES = 16 * 1024 * 1024 };

/* A step that takes longer is shown while it lasts, the events of its ticks once in so long. */
#define STEP_QUIET_NS UINT64_C(100000000)
#define STEP_LOG_NS   UINT64_C(1000000000)

static void answer(struct simulation *simulation, struct command *command, struct buffer *text) {
    assert(command->order == NULL);
    command->event.text = buffer_take(text, &command->event.length);
    event_queue_push(&simulation->events, &command->event);
    simulation->has_answers = true;
}

/* Tells what a request did, but a target that is moved all the time only now and then. */
static void push_effect(struct simulation *simulation, const struct message_event *effect, uint32_t by,
                        uint64_t now_ns) {
    if (effect->event[0] == '\0') {
        return;
    }
    if (strcmp(effect->event, "target") == 0) {
        const int target = world_find_target(simulation->state.world, effect->target);
        if (target < 0 || !target_watch_tell(&simulation->targets, target, by, now_ns)) {
            return;
        }
    }
    struct message_event event = *effect;
    simulation_push_event(simulation, &event, by);
}

static void follow_up(struct simulation *simulation, const struct command_effects *effects, uint32_t by) {
    const uint64_t now_ns = clock_now_ns();
    if (effects->loaded) {
        tick_clock_set_rate(&simulation->clock, world_tick_hz(simulation->state.world), now_ns);
    }
    if (effects->paused) {
        tick_clock_pause(&simulation->clock);
    }
    if (effects->resumed) {
        tick_clock_resume(&simulation->clock, now_ns);
    }
    if (effects->loaded || effects->scenery_changed) {
        atomic_fetch_add(&simulation->revision, 1);
        target_watch_reset(&simulation->targets); /* it knows targets by index */
    }
    if (effects->described || effects->paused || effects->resumed) {
        simulation_update_description(simulation);
    }
    simulation->is_crowd_new = simulation->is_crowd_new || effects->described;
    if (effects->loaded) {
        log_write(LOG_INFO, "simulation", "scenario %s, asked for by session %u", simulation->state.name, by);
        simulation_push_scenario(simulation);
    }
    if (effects->paused || effects->resumed) {
        simulation_push_pause(simulation, effects->paused, by);
    }
    push_effect(simulation, &effects->event, by, now_ns);
}

/* ---- steps ---- */

static void begin_step(struct simulation *simulation, struct command *command, uint32_t ticks) {
    const uint64_t now_ns = clock_now_ns();
    simulation->step = (struct step){.command = command,
                                     .left = ticks,
                                     .started_ns = now_ns,
                                     .logged_ns = now_ns,
                                     .pace = simulation_pace_at(simulation, now_ns)};
}

void simulation_end_step(struct simulation *simulation) {
    struct command *command = simulation->step.command;
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    command_finish_step(&simulation->state, &command->request, simulation->step.left > 0, &text);
    simulation->step.command = NULL;
    command_queue_end_step(&simulation->commands);
    answer(simulation, command, &text);
    simulation_update_description(simulation);
    simulation_push_log(simulation);
    /* A client that steps and watches sees every step, if the loop is quick enough. */
    const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
    simulation_publish(simulation, &schedule, FRAME_REASON_ALL);
    simulation->unseen.changed = false;
}

bool simulation_is_called(const struct simulation *simulation) {
    return atomic_load(&simulation->stop) || scenario_builder_has_world(simulation->builder);
}

/* A long step moves before the eyes of those who watch: frames and events by the clock. */
static void show_step(struct simulation *simulation, uint64_t now_ns) {
    struct step *step = &simulation->step;
    if (now_ns - step->started_ns < STEP_QUIET_NS) {
        return;
    }
    const uint64_t pace = simulation_pace_at(simulation, now_ns);
    if (pace != step->pace) {
        const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
        if (snapshot_schedule_wants_since(&schedule, step->pace, pace)) {
            simulation_publish(simulation, &schedule, FRAME_REASON_PACE);
        }
        step->pace = pace;
    }
    if (now_ns - step->logged_ns >= STEP_LOG_NS) {
        step->logged_ns = now_ns;
        simulation_push_log(simulation);
    }
}

static bool must_end_step(const struct simulation *simulation) {
    return simulation->step.left == 0 || command_queue_must_end_step(&simulation->commands);
}

/* One tick of the step under way, which begins at start_ns. Returns when it ended. */
static uint64_t do_step_tick(struct simulation *simulation, uint64_t start_ns) {
    const uint64_t now_ns = simulation_do_tick(simulation, start_ns);
    command_queue_spend(&simulation->commands, now_ns - start_ns);
    if (simulation->state.is_spoiled) {
        return now_ns;
    }
    simulation->step.left--;
    simulation_note_tick(simulation, start_ns, now_ns);
    if (simulation->step.left > 0) {
        show_step(simulation, now_ns);
    }
    return now_ns;
}

void simulation_go_on_stepping(struct simulation *simulation, uint64_t until_ns) {
    if (simulation->has_answers) {
        simulation_notify(simulation);
    }
    uint64_t now_ns = clock_now_ns();
    while (!must_end_step(simulation)) {
        if (simulation_is_called(simulation)) {
            return; /* the world that comes ends it, or the stop */
        }
        now_ns = do_step_tick(simulation, now_ns);
        if (now_ns >= until_ns && simulation->step.left > 0) {
            return;
        }
    }
    simulation_end_step(simulation);
}

/* ---- a pass over the commands ---- */

/* Applies a command; what was ordered for it is the builder's again, with the world that was replaced. */
static struct command_effects apply_once(struct simulation *simulation, struct command *command,
                                         struct buffer *text) {
    struct scenario_order *order = command->order;
    const bool ends_step = order != NULL || command->request.op == REQUEST_RESUME;
    if (ends_step && simulation->step.command != NULL) {
        simulation_end_step(simulation);
    }
    simulation->state.session = command->session;
    simulation->state.arrival = order == NULL ? NULL : &order->built;
    const struct command_effects effects =
        command_apply(&simulation->state, &command->request, command->sequence, text);
    if (order != NULL) {
        scenario_builder_hand_back(simulation->builder, order);
        command->order = NULL;
    }
    return effects;
}

/* Applies a command and answers it; a step is begun. until_ns: how long others can wait for its ticks. */
static void apply(struct simulation *simulation, struct command *command, uint64_t until_ns) {
    const enum request_op op = command->request.op;
    const uint32_t session = command->session;
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    const struct command_effects effects = apply_once(simulation, command, &text);
    if (effects.step_ticks > 0) {
        begin_step(simulation, command, effects.step_ticks);
        command_queue_settle(&simulation->commands);
        if (clock_now_ns() < until_ns) {
            simulation_go_on_stepping(simulation, until_ns);
        }
        return;
    }
    if (op == REQUEST_STEP) { /* it was refused */
        command_queue_end_step(&simulation->commands);
    }
    command->event.is_notice = effects.unheeded && command->request.id[0] == '\0';
    answer(simulation, command, &text);
    follow_up(simulation, &effects, session);
    simulation->unseen.changed = simulation->unseen.changed || effects.changed;
    simulation->unseen.paused = simulation->unseen.paused || effects.paused;
    simulation->unseen.loaded = simulation->unseen.loaded || effects.loaded;
}

/* The loop has answers to take, `stats` so many commands more. */
static void tell_commands(struct simulation *simulation, uint64_t count) {
    if (simulation->has_answers) {
        simulation_notify(simulation);
    }
    if (count > 0) {
        pthread_mutex_lock(&simulation->mutex);
        simulation->statistics.commands += count;
        pthread_mutex_unlock(&simulation->mutex);
    }
}

bool simulation_put_world(struct simulation *simulation) {
    const uint32_t session =
        atomic_load(&simulation->stop) ? 0 : scenario_builder_waiting(simulation->builder);
    if (session == 0) {
        return false;
    }
    struct command *command = command_queue_take_first(&simulation->commands, session);
    assert(command != NULL && command->order != NULL);
    apply(simulation, command, 0);
    tell_commands(simulation, 1);
    return true;
}

void simulation_answer_order(struct simulation *simulation, struct command *command) {
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    scenario_order_answer(command->order, &command->request, command->sequence,
                          atomic_load(&simulation->tick), &text);
    command_queue_answer(&simulation->commands, command, &text, &simulation->events);
    pthread_mutex_lock(&simulation->mutex);
    simulation->statistics.commands++;
    pthread_mutex_unlock(&simulation->mutex);
    simulation->notify(simulation->notify_context);
}

static void refuse(struct simulation *simulation, struct command *command) {
    struct failure failure = {0};
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    (void)failure_set(&failure, FAILURE_BUSY, NULL, "the server stops");
    message_write_refusal(&command->request, command->sequence, &failure, &text);
    scenario_order_destroy(command->order);
    command->order = NULL;
    answer(simulation, command, &text);
}

/* Inspecting a crowd takes long, so it ends when another world is ready; the query is then answered from the
 * new world. */
static void inspect(struct simulation *simulation, struct command *command) {
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    do {
        buffer_clear(&text);
        (void)apply_once(simulation, command, &text);
    } while (world_is_given_up(simulation->state.world) && simulation_put_world(simulation));
    if (world_is_given_up(simulation->state.world)) {
        buffer_fini(&text);
        refuse(simulation, command);
    } else {
        answer(simulation, command, &text);
    }
}

/* Returns the time that the query took, ns. */
static uint64_t answer_question(struct simulation *simulation, struct command *command) {
    const uint64_t start_ns = clock_now_ns();
    if (command->request.op == REQUEST_INSPECT) {
        inspect(simulation, command);
    } else {
        apply(simulation, command, start_ns);
    }
    const uint64_t spent_ns = clock_now_ns() - start_ns;
    const uint64_t faded_ns = simulation->question_ns - simulation->question_ns / 8;
    simulation->question_ns = spent_ns > faded_ns ? spent_ns : faded_ns;
    simulation->questions_ns += spent_ns;
    return spent_ns;
}

void simulation_serve(struct simulation *simulation, unsigned sorts, uint64_t questions_ns) {
    const uint64_t start_ns = clock_now_ns(), ticking_ns = command_queue_ticking_ns(&simulation->commands);
    unsigned wanted = questions_ns > 0 ? sorts : COMMAND_CHANGE;
    uint64_t asked_ns = 0, count = 0;
    struct command *command = NULL;
    command_queue_begin(&simulation->commands, wanted);
    while (!simulation_is_called(simulation) &&
           (command = command_queue_take(&simulation->commands, wanted)) != NULL) {
        if (command_sort_of(&command->request) == COMMAND_QUERY) {
            asked_ns += answer_question(simulation, command);
            wanted = asked_ns < questions_ns ? wanted : sorts & (unsigned)COMMAND_CHANGE;
        } else {
            apply(simulation, command, start_ns + STEP_SLICE_NS);
        }
        count++;
    }
    command_queue_end_pass(&simulation->commands);
    tell_commands(simulation, count);
    if (count > 0 && sorts == COMMAND_ANY) { /* a tick may wait for it */
        simulation_measure(simulation, &simulation->statistics.command_times,
                           start_ns + (command_queue_ticking_ns(&simulation->commands) - ticking_ns));
    }
}

void simulation_refuse_commands(struct simulation *simulation) {
    struct command *command = NULL;
    while ((command = command_queue_pop(&simulation->commands)) != NULL) {
        refuse(simulation, command);
    }
    simulation_notify(simulation);
}
