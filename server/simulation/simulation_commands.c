/* See simulation_internal.h. */
#include "server/simulation/simulation_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/commands/command_apply.h"
#include "server/sim/core.h"

/* ---- the loop: commands go in, events come out ---- */

enum command_push simulation_submit(struct simulation *simulation, const struct command_origin *origin,
                                    const struct request *request) {
    if (request->op != REQUEST_SEEK) {
        return command_queue_push(&simulation->commands, origin, request);
    }
    /* Counted first: the thread takes it off when it has served it. */
    (void)atomic_fetch_add(&simulation->playback.seeks_waiting, 1);
    const enum command_push result = command_queue_push(&simulation->commands, origin, request);
    if (result == COMMAND_REFUSED) {
        (void)atomic_fetch_sub(&simulation->playback.seeks_waiting, 1);
    }
    return result;
}

void simulation_end_steps(struct simulation *simulation, uint32_t session) {
    command_queue_end_steps(&simulation->commands, session);
}

void simulation_leave_seat(struct simulation *simulation, uint32_t session, bool is_silent) {
    command_queue_leave(&simulation->commands, session, is_silent);
}

struct sim_event *simulation_take_events(struct simulation *simulation) {
    return event_queue_take(&simulation->events);
}

/* ---- the warm-up ---- */

static void set_warmup(struct simulation *simulation, bool is_warming, uint64_t from, uint64_t to) {
    pthread_mutex_lock(&simulation->mutex);
    simulation->speed.is_warming = is_warming;
    simulation->speed.warm_from = from;
    simulation->speed.warm_to = to;
    pthread_mutex_unlock(&simulation->mutex);
}

void simulation_begin_warmup(struct simulation *simulation, bool is_fresh) {
    const struct simulation_state *state = &simulation->state;
    const uint64_t tick = world_tick(state->world);
    const double ticks = rint(state->warmup_s * world_tick_hz(state->world));
    const bool is_warming = is_fresh && !state->is_paused && ticks >= 1.0;
    assert(state->warmup_s >= 0.0 && state->warmup_s <= LIMIT_WARMUP);
    set_warmup(simulation, is_warming, tick, is_warming ? tick + (uint64_t)ticks : tick);
}

/* Ends the warm-up that is under way: the world goes on at its speed, and subscribers get the event `warmed_up`. */
static void simulation_end_warmup(struct simulation *simulation) {
    struct message_event event = {.event = "warmed_up"};
    if (simulation->speed.is_warming) {
        set_warmup(simulation, false, 0, 0);
        simulation_reset_clock(simulation);
        simulation_update_description(simulation);
        simulation_push_event(simulation, &event, 0, false);
        simulation_notify(simulation);
    }
}

void simulation_follow_warmup(struct simulation *simulation) {
    if (simulation->speed.is_warming && world_tick(simulation->state.world) >= simulation->speed.warm_to) {
        simulation_end_warmup(simulation);
    }
}

/* Not the position of a pointer: it comes all the time as a person looks on. */
static bool can_end_warmup(const struct simulation *simulation, enum request_op op) {
    return simulation->speed.is_warming && request_has_trait(op, REQUEST_TRAIT_CHANGES) &&
           op != REQUEST_CURSOR && op != REQUEST_MOUSE && op != REQUEST_RESUME;
}

/* The hash of the world before this request, for the next function; 0 when the request cannot end the warm-up. */
static uint64_t warmup_hash(const struct simulation *simulation, const struct request *request) {
    const bool is_wanted = can_end_warmup(simulation, request->op) && !simulation->state.is_spoiled;
    return is_wanted ? simulation_state_hash(&simulation->state) : 0;
}

/* Ends it when the request that took effect paused the world, or changed it: the hash was another one before. */
static void let_end_warmup(struct simulation *simulation, const struct request *request, uint64_t before) {
    if (can_end_warmup(simulation, request->op) &&
        (request->op == REQUEST_PAUSE || warmup_hash(simulation, request) != before)) {
        simulation_end_warmup(simulation);
    }
}

/* ---- the speed ---- */

/* Sets the speed: a factor, or 0 for as fast as ticks can be done. Returns whether it is another one than before; if
 * not, nothing is changed. */
static bool simulation_set_speed(struct simulation *simulation, double factor) {
    const bool was_at_max = simulation_is_at_max(simulation);
    const double before = simulation->speed.factor;
    assert(factor >= 0.0);
    if (!simulation->speed.is_warming && !(factor < before) && !(factor > before)) {
        return false;
    }
    simulation_end_warmup(simulation);
    simulation->speed.factor = factor;
    if (was_at_max) {
        simulation_reset_clock(simulation);
    } else {
        simulation_change_clock(simulation);
    }
    simulation_update_description(simulation);
    if (simulation->playback.mode == PLAYBACK_PLAYING) {
        simulation_playback_update(simulation);
    }
    return true;
}

static void log_speed(struct simulation *simulation, const struct request_speed *speed) {
    const struct request request = {.op = REQUEST_SPEED};
    const uint32_t by = simulation->state.session;
    uint32_t left_out = 0;
    if (!change_log_take(&simulation->changes, by, &request, clock_now_ns(), &left_out)) {
        return;
    }
    if (speed->max) {
        log_write(LOG_INFO, "simulation", "as fast as ticks can be done, asked for by session %u",
                  (unsigned)by);
    } else {
        log_write(LOG_INFO, "simulation", "speed %g, asked for by session %u", speed->factor, (unsigned)by);
    }
}

static bool serve_speed(void *context, const struct request_speed *speed, struct json_writer *json) {
    struct simulation *simulation = context;
    const bool is_changed = simulation_set_speed(simulation, speed->max ? 0.0 : speed->factor);
    if (is_changed) {
        log_speed(simulation, speed);
    }
    if (speed->max) {
        json_key_bool(json, "max", true);
    } else {
        json_key_number(json, "factor", speed->factor);
    }
    return is_changed;
}

static double serve_clock_ms(void *context) {
    (void)context;
    return (double)clock_now_ns() * 1e-6;
}

void simulation_speed_init(struct simulation *simulation) {
    simulation->speed = (struct simulation_speed){.factor = 1.0};
    simulation->state.services.context = simulation;
    simulation->state.services.speed = serve_speed;
    simulation->state.services.clock_ms = serve_clock_ms;
}

enum { ANSWER_BYTES = 16 * 1024 * 1024, CHANGE_BYTES = 4096 };

/* A step that takes longer is shown while it lasts, the events of its ticks once in so long. */
#define STEP_QUIET_NS UINT64_C(100000000)
#define STEP_LOG_NS   UINT64_C(1000000000)

static void write_change(struct simulation *simulation, const struct command *command, uint64_t seq) {
    uint32_t left_out = 0;
    const bool is_taken = change_log_take(&simulation->changes, command->origin.session, &command->request,
                                          clock_now_ns(), &left_out);
    const bool has_all = log_has_level(LOG_DEBUG);
    if (!is_taken && !has_all) {
        return;
    }
    struct buffer text;
    buffer_init(&text, CHANGE_BYTES);
    change_log_write(command, seq, world_tick(simulation->state.world), has_all ? 0 : left_out, &text);
    if (!text.failed) {
        log_write(is_taken ? LOG_INFO : LOG_DEBUG, "simulation", "%s", text.data);
    }
    buffer_fini(&text);
}

/* ---- steps ---- */

static void begin_step(struct simulation *simulation, struct command *command, uint32_t ticks) {
    const uint64_t now_ns = clock_now_ns();
    simulation->step = (struct step){.command = command,
                                     .left = ticks,
                                     .started_ns = now_ns,
                                     .logged_ns = now_ns,
                                     .shown_clock_tick = simulation_clock_tick_at(simulation, now_ns)};
}

void simulation_end_step(struct simulation *simulation) {
    struct command *command = simulation->step.command;
    const uint32_t done = (uint32_t)command->request.body.step.count - simulation->step.left;
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    command_finish_step(&simulation->state, &command->request, simulation->step.left > 0,
                        simulation->step.met, &text);
    struct message_event stepped = {
        .event = "stepped", .has = EVENT_HAS_COUNT, .count = done, .seq = command->event.seq};
    const uint32_t by = command->origin.session;
    simulation->step.command = NULL;
    simulation_keep_step(simulation, command);
    command_queue_end_step(&simulation->commands);
    simulation_ask_ranks(simulation); /* no tick may follow for long */
    simulation_answer(simulation, command, &text);
    simulation_push_event(simulation, &stepped, by, true);
    simulation_update_description(simulation);
    simulation_push_log(simulation);
    /* A client that steps and watches sees every step, if the loop is quick enough. */
    const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
    simulation_publish(simulation, &schedule, FRAME_REASON_ALL);
    simulation->unseen.changed = false;
}

bool simulation_is_called(const struct simulation *simulation) {
    return atomic_load(&simulation->stop) || scenario_builder_has_world(simulation->builder) ||
           simulation_playback_is_busy(simulation);
}

/* A long step is shown while it is done: frames and events by the clock. */
static void show_step(struct simulation *simulation, uint64_t now_ns) {
    struct step *step = &simulation->step;
    if (now_ns - step->started_ns < STEP_QUIET_NS) {
        return;
    }
    const uint64_t clock_tick = simulation_clock_tick_at(simulation, now_ns);
    if (clock_tick != step->shown_clock_tick) {
        const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
        if (snapshot_schedule_wants_since(&schedule, step->shown_clock_tick, clock_tick)) {
            simulation_publish(simulation, &schedule, FRAME_REASON_CLOCK);
        }
        step->shown_clock_tick = clock_tick;
    }
    if (now_ns - step->logged_ns >= STEP_LOG_NS) {
        step->logged_ns = now_ns;
        simulation_push_log(simulation);
    }
}

static bool must_end_step(const struct simulation *simulation) {
    return simulation->step.left == 0 || simulation->step.met != NULL ||
           simulation_playback_is_over(simulation) || command_queue_must_end_step(&simulation->commands);
}

/* One tick of the step under way, which begins at start_ns. Returns when it ended. */
static uint64_t do_step_tick(struct simulation *simulation, uint64_t start_ns) {
    if (!simulation_playback_before_tick(simulation)) {
        return clock_now_ns();
    }
    const uint64_t now_ns = simulation_twin_note_tick(simulation, simulation_do_tick(simulation, start_ns));
    command_queue_spend(&simulation->commands, now_ns - start_ns);
    if (simulation->state.is_spoiled) {
        return now_ns;
    }
    simulation->step.left--;
    simulation->step.met = command_until_met(
        &simulation->step.until, &simulation->step.command->request.body.step, &simulation->state);
    simulation_note_tick(simulation, start_ns, now_ns);
    simulation_playback_after_tick(simulation);
    simulation_keep_tick(simulation, now_ns);
    simulation_apply_due(simulation);
    if (simulation->step.command != NULL && simulation->step.left > 0) {
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
        if (simulation->step.command == NULL) {
            return; /* a request that waited for this tick ended it */
        }
        if (now_ns >= until_ns && simulation->step.left > 0) {
            return;
        }
    }
    simulation_end_step(simulation);
}

/* ---- a pass over the commands ---- */

/* Applies a command, unless it could not be written down, and writes it down. */
static struct command_effects apply_and_keep(struct simulation *simulation, struct command *command,
                                             struct buffer *text) {
    struct simulation_state *state = &simulation->state;
    const uint64_t hash = state->arrival == NULL ? 0 : state->arrival->hash;
    struct failure failure = {0};
    if (simulation_keep_refuses(simulation, &command->request, &failure)) {
        message_write_refusal(&command->request, command->origin.line, &failure, text);
        return (struct command_effects){0};
    }
    const uint32_t core = state->arrival == NULL ? 0 : state->arrival->core;
    if (state->arrival != NULL) {
        simulation_keep_leave(simulation);
    }
    const struct command_effects effects =
        command_apply(state, &command->request, command->origin.line, text);
    if (effects.loaded && command->order->kind != ORDER_LOAD) {
        checkpoint_restore_rest(state, &command->order->rest); /* before it is written down */
    }
    if (effects.loaded && core != 0) {
        log_write(
            LOG_WARN, "simulation",
            "the saved world is of core %u; from here on it goes by the rules of core %d, so its future may "
            "be another one",
            (unsigned)core, CORE_NUMBER);
    }
    if (effects.seq != 0) {
        if (effects.edited) {
            selfcheck_clear(simulation->selfcheck); /* its copy has no document */
        }
        simulation_keep_command(simulation, command, hash);
    }
    return effects;
}

/* Way fields are rebuilt once for all changes of obstacles that follow each other. */
static void hold_ways(struct simulation *simulation, bool is_held) {
    const uint32_t made = world_ways_made(simulation->state.world);
    world_hold_ways(simulation->state.world, is_held);
    if (simulation->twin != NULL) {
        world_hold_ways(simulation->twin->state.world, is_held);
    }
    if (world_ways_made(simulation->state.world) != made) {
        simulation_show_ways(simulation);
    }
}

/* Applies a command; what was ordered for it is the builder's again, with the world that was replaced. */
static struct command_effects apply_once(struct simulation *simulation, struct command *command,
                                         struct buffer *text) {
    struct scenario_order *order = command->order;
    const enum request_op op = command->request.op;
    const bool puts_world = order != NULL && order->kind != ORDER_TWIN;
    const bool ends_step = puts_world || op == REQUEST_RESUME || op == REQUEST_SEEK || op == REQUEST_SEAT;
    const uint64_t seq = simulation->state.seq;
    /* A warm-up looks at the hash behind every request. */
    hold_ways(simulation, command_moves_obstacles(op) && !can_end_warmup(simulation, op));
    const uint64_t hash = warmup_hash(simulation, &command->request);
    if (ends_step && simulation->step.command != NULL) {
        simulation_end_step(simulation);
    }
    simulation->state.session = command->origin.session;
    simulation->state.arrival = puts_world ? &order->built : NULL;
    simulation->order = order;
    const struct command_effects effects = apply_and_keep(simulation, command, text);
    command->event.seq = simulation->state.seq;
    if (effects.loaded) {
        const bool went_back = order != NULL && order->kind == ORDER_REWIND;
        simulation_twin_end(simulation, went_back ? "the world went back" : "another world was loaded",
                            command->origin.session);
    } else if (effects.edited) {
        simulation_twin_end(simulation, "the world was edited", command->origin.session);
    } else if (effects.seq != 0) {
        simulation_twin_note_request(simulation, command);
    }
    if (effects.loaded) {
        const struct request_load *load = &command->request.body.load;
        simulation_begin_warmup(simulation, order != NULL && order->kind == ORDER_LOAD &&
                                                (load->warmup || !load->has_warmup));
    } else if (effects.seq != 0) {
        let_end_warmup(simulation, &command->request, hash);
    }
    if (order != NULL) {
        scenario_builder_hand_back(simulation->builder, order);
        command->order = NULL;
    }
    if (effects.seq != 0) {
        write_change(simulation, command, effects.seq);
    }
    if (simulation->playback.mode == PLAYBACK_PLAYING && !simulation->playback.goes_live) {
        simulation->state.seq = seq; /* the recording gives the numbers */
    }
    simulation_playback_follow(simulation, &command->request);
    return effects;
}

void simulation_apply_own(struct simulation *simulation, uint32_t session, const struct request *request) {
    struct command command = {.origin = {.session = session}, .request = *request};
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    const struct command_effects effects = apply_once(simulation, &command, &text);
    buffer_fini(&text);
    simulation_follow_up(simulation, &effects, session);
    simulation->unseen.changed = simulation->unseen.changed || effects.changed;
    simulation->unseen.paused = simulation->unseen.paused || effects.paused;
}

/* Sessions of a recording or a saved world have no cursors in a live world: the numbers are those of other sessions
 * here. */
static void remove_cursors(struct simulation *simulation) {
    struct request request = request_default(REQUEST_CURSOR);
    request.body.cursor.gone = true;
    for (int i = 0; i < LIMIT_TARGETS; i++) {
        const uint32_t owner = simulation->state.cursors.owners[i];
        if (owner != 0) {
            simulation_apply_own(simulation, owner, &request);
        }
    }
    simulation_update_description(simulation);
}

void simulation_begin_live(struct simulation *simulation) {
    struct failure failure = {0};
    if (simulation_begin_keeping(simulation, &failure) != 0) {
        log_write(LOG_ERROR, "simulation", "the world is not written down: %s", failure.message);
    }
    remove_cursors(simulation);
}

/* The loop has answers to take, `stats` so many commands more. */
static void report_commands(struct simulation *simulation, uint64_t count) {
    if (simulation->has_answers) {
        simulation_notify(simulation);
    }
    if (count > 0) {
        pthread_mutex_lock(&simulation->mutex);
        simulation->statistics.commands += count;
        pthread_mutex_unlock(&simulation->mutex);
    }
}

/* ---- requests that wait for a tick ---- */

/* Answers a command that is not applied: it is late, there is no room for it to wait, or it was withdrawn. */
static void refuse_waiting(struct simulation *simulation, struct command *command, enum failure_code code) {
    const uint64_t tick = world_tick(simulation->state.world);
    struct failure failure = {0};
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    if (code == FAILURE_LATE) {
        (void)failure_set(&failure, code, "at",
                          "the world has tick %" PRIu64 "; at is to be %" PRIu64 " or more", tick, tick);
    } else if (code == FAILURE_FULL) {
        (void)failure_set(&failure, code, "at",
                          "too many requests of all sessions wait for their ticks; at most %d may",
                          COMMAND_SCHEDULE_CAPACITY);
    } else {
        (void)failure_set(&failure, code, "at",
                          "the session has left, or another world was loaded, before tick %" PRIu64,
                          command->request.at);
    }
    message_write_refusal(&command->request, command->origin.line, &failure, &text);
    simulation_answer(simulation, command, &text);
}

static void send_withdrawn(struct simulation *simulation, uint32_t session, uint32_t count) {
    struct message_event event = {.event = "withdrawn", .has = EVENT_HAS_COUNT, .count = count};
    if (count > 0) {
        simulation_push_event(simulation, &event, session, false);
    }
}

/* Whether the command waits for its tick, or was refused because of it; otherwise it is to be applied now. */
static bool put_off(struct simulation *simulation, struct command *command) {
    const uint64_t tick = world_tick(simulation->state.world);
    if (!command->request.has_at || (command->request.at == tick && !command->is_withdrawn)) {
        return false;
    }
    if (command->request.at < tick) {
        refuse_waiting(simulation, command, FAILURE_LATE);
    } else if (!command_queue_schedule(&simulation->commands, command)) {
        refuse_waiting(simulation, command, FAILURE_FULL);
    }
    return true;
}

static void apply_now(struct simulation *simulation, struct command *command, uint64_t until_ns);

void simulation_apply_due(struct simulation *simulation) {
    struct command *command = NULL;
    uint32_t session = 0, withdrawn = 0;
    uint64_t count = 0;
    while (!simulation->state.is_spoiled &&
           (command = command_queue_take_due(&simulation->commands, world_tick(simulation->state.world))) !=
               NULL) {
        count++;
        if (!command->is_withdrawn) {
            apply_now(simulation, command, 0);
            continue;
        }
        if (command->origin.session != session) {
            send_withdrawn(simulation, session, withdrawn);
            session = command->origin.session;
            withdrawn = 0;
        }
        withdrawn++;
        refuse_waiting(simulation, command, FAILURE_WITHDRAWN);
    }
    send_withdrawn(simulation, session, withdrawn);
    hold_ways(simulation, false);
    report_commands(simulation, count);
}

/* ---- applying and answering ---- */

/* Applies a command and answers it; a step is begun. until_ns: how long others can wait for its ticks. */
static void apply_now(struct simulation *simulation, struct command *command, uint64_t until_ns) {
    const enum request_op op = command->request.op;
    const uint32_t session = command->origin.session;
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    const struct command_effects effects = apply_once(simulation, command, &text);
    if (simulation_playback_take_end(simulation)) {
        simulation_begin_live(simulation);
    }
    if (simulation_playback_take_seek(simulation, command)) {
        buffer_fini(&text);
        return;
    }
    if (effects.step_ticks > 0 && op == REQUEST_GO) {
        buffer_fini(&text);
        simulation_begin_go(simulation, command);
        return;
    }
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
    simulation_answer(simulation, command, &text);
    simulation_follow_up(simulation, &effects, session);
    simulation_push_recording(simulation, session);
    if (effects.loaded) {
        if (op !=
            REQUEST_REWIND) { /* its cursors are those of sessions that are here, but for some that the loop removes */
            remove_cursors(simulation);
        }
        command_queue_withdraw(&simulation->commands); /* ticks start afresh */
        simulation_seats_move(simulation);
    }
    simulation->unseen.changed = simulation->unseen.changed || effects.changed;
    simulation->unseen.paused = simulation->unseen.paused || effects.paused;
    simulation->unseen.loaded = simulation->unseen.loaded || effects.loaded;
}

static void apply(struct simulation *simulation, struct command *command, uint64_t until_ns) {
    if (!simulation_seats_keep(simulation, command) && !put_off(simulation, command)) {
        apply_now(simulation, command, until_ns);
    }
}

void simulation_apply(struct simulation *simulation, struct command *command) {
    if (!put_off(simulation, command)) {
        apply_now(simulation, command, 0);
    }
}

bool simulation_put_world(struct simulation *simulation) {
    uint32_t session;
    if (atomic_load(&simulation->stop) || !scenario_builder_waiting(simulation->builder, &session)) {
        return false;
    }
    struct command *command = command_queue_take_first(&simulation->commands, session);
    assert(command != NULL && command->order != NULL);
    apply(simulation, command, 0);
    report_commands(simulation, 1);
    return true;
}

void simulation_answer_order(struct simulation *simulation, struct command *command) {
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    const uint64_t tick = atomic_load(&simulation->tick);
    scenario_order_answer(command->order, &command->request, command->origin.line, tick, &text);
    command->event.seq = command->order->kind == ORDER_SAVE ? command->order->clone.rest.seq : 0;
    struct message_event event;
    const bool is_told = scenario_order_event(command->order, tick, &event);
    command_queue_answer(&simulation->commands, command, &text, &simulation->events);
    if (is_told) {
        simulation_push_message(simulation, &event);
    }
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
    message_write_refusal(&command->request, command->origin.line, &failure, &text);
    scenario_order_destroy(command->order);
    command->order = NULL;
    simulation_answer(simulation, command, &text);
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
        simulation_answer(simulation, command, &text);
    }
}

/* Returns the time that the query took, ns. */
static uint64_t answer_question(struct simulation *simulation, struct command *command) {
    const uint64_t start_ns = clock_now_ns();
    if (command->request.op == REQUEST_INSPECT || command->request.op == REQUEST_GET) {
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
    simulation_apply_due(simulation);
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
    hold_ways(simulation, false);
    if (scenario_builder_wants_clones(simulation->builder) && !simulation->state.is_spoiled) {
        scenario_builder_give_clones(simulation->builder, &simulation->state);
    }
    report_commands(simulation, count);
    if (count > 0 && sorts == COMMAND_ANY) { /* a tick may wait for it */
        simulation_measure(simulation, &simulation->statistics.command_times,
                           start_ns + (command_queue_ticking_ns(&simulation->commands) - ticking_ns));
    }
}

void simulation_refuse_commands(struct simulation *simulation) {
    struct command *command = NULL;
    simulation_seats_end(simulation);
    while ((command = command_queue_pop(&simulation->commands)) != NULL) {
        refuse(simulation, command);
    }
    simulation_notify(simulation);
}
