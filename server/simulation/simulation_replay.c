/* See simulation_internal.h. */
#include "server/simulation/simulation.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/commands/command_apply.h"
#include "server/simulation/simulation_internal.h"

struct simulation_recording simulation_recording_of(struct recording *recording,
                                                    const struct world_overrides *overrides) {
    return (struct simulation_recording){.source = recording_source(recording, overrides),
                                         .facts = recording_facts(recording),
                                         .recording = recording};
}

/* ---- replay ---- */

/* How often clients are sent the share that is done. */
#define TELL_NS UINT64_C(50000000)

enum { ANSWER_BYTES = 1024 * 1024 };

/* ---- what hello and stats say ---- */

static double goal_share(const struct simulation *simulation) {
    const struct playback_goal *goal = &simulation->playback.goal;
    const uint64_t all = goal->moment.tick - goal->first_tick;
    const uint64_t done = world_tick(simulation->state.world) - goal->first_tick;
    return goal->moment.tick > goal->first_tick ? (double)done / (double)all : 1.0;
}

/* NULL: the recording has no world of this number. */
static const struct recording_world *find_world(const struct playback *playback, uint32_t number) {
    const struct recording_facts *facts = playback->facts;
    for (int i = 0; i < facts->world_count; i++) {
        if (facts->worlds[i].number == number) {
            return &facts->worlds[i];
        }
    }
    return NULL;
}

static void describe_replay(const struct simulation *simulation, struct message_replay *out) {
    const struct playback *playback = &simulation->playback;
    const struct replay_divergence *divergence = &playback->diverged;
    const struct recording_facts *facts = playback->facts;
    const struct recording_moment moment = replay_moment(playback->replay, &simulation->state);
    const struct recording_world *found = find_world(playback, moment.world);
    const struct recording_world *world = found != NULL ? found : &facts->worlds[facts->world_count - 1];
    *out = (struct message_replay){.world = moment.world,
                                   .worlds = (uint32_t)facts->world_count,
                                   .tick = moment.tick,
                                   .first = world->first_tick,
                                   .last = world->last_tick,
                                   .speed = simulation->speed.factor,
                                   .has_diverged = divergence->has_diverged,
                                   .diverged_world = divergence->moment.world,
                                   .diverged_tick = divergence->moment.tick,
                                   .is_seeking = playback->goal.is_set};
    out->sought = playback->goal.is_set ? goal_share(simulation) : 0.0;
    for (int i = 0; i < facts->world_count && i < MESSAGE_REPLAY_SPANS; i++) {
        out->spans[out->span_count++] =
            (struct message_replay_span){facts->worlds[i].first_tick, facts->worlds[i].last_tick};
    }
}

static struct message_playback describe_playback(const struct simulation *simulation) {
    const struct playback *playback = &simulation->playback;
    struct message_playback now = simulation->described_playback; /* written by this thread only */
    now.is_resuming = playback->mode == PLAYBACK_RESUMING;
    now.resumed = now.is_resuming && playback->goal.is_set ? goal_share(simulation) : 0.0;
    now.has_replay = playback->mode == PLAYBACK_PLAYING;
    if (now.has_replay) {
        describe_replay(simulation, &now.replay);
    }
    return now;
}

void simulation_playback_update(struct simulation *simulation) {
    const struct message_playback now = describe_playback(simulation);
    pthread_mutex_lock(&simulation->mutex);
    simulation->described_playback = now;
    atomic_store(&simulation->tick, world_tick(simulation->state.world));
    pthread_mutex_unlock(&simulation->mutex);
}

/* ---- lines of the recording ---- */

static int begin_at(struct simulation *simulation, const struct recording_moment *moment,
                    struct failure *failure) {
    struct playback *playback = &simulation->playback;
    const bool is_paused = simulation->state.is_paused; /* the playback pauses, the recording does not */
    const int result = replay_begin(playback->replay, &simulation->state, moment, failure);
    simulation->state.is_paused = is_paused;
    if (result == 0) { /* otherwise everything is as it was */
        playback->is_over = playback->has_changed = false;
    }
    if (playback->recording != NULL && recording_passed_over(playback->recording)[0] != '\0') {
        log_write(LOG_WARN, "simulation", "a nearer checkpoint cannot be used: %s",
                  recording_passed_over(playback->recording));
    }
    return result;
}

static enum replay_step next(struct simulation *simulation, struct replay_change *change,
                             struct failure *failure) {
    struct playback *playback = &simulation->playback;
    const bool is_paused = simulation->state.is_paused;
    enum replay_step step = replay_next(playback->replay, &simulation->state, change, failure);
    if (step == REPLAY_GAP) {
        step = replay_next(playback->replay, &simulation->state, change, failure);
    }
    simulation->state.is_paused = is_paused;
    playback->has_changed = playback->has_changed || step == REPLAY_CHANGED;
    playback->is_over = step == REPLAY_END || step == REPLAY_FAILED;
    if (step == REPLAY_FAILED) {
        log_write(LOG_ERROR, "simulation", "the recording cannot be followed any further: %s",
                  failure->message);
    }
    return step;
}

/* False: the world is not the recorded one for the first time since the start. */
static bool is_fine(struct simulation *simulation) {
    struct playback *playback = &simulation->playback;
    const struct replay_divergence *divergence = replay_divergence(playback->replay);
    if (!divergence->has_diverged || playback->diverged.has_diverged) {
        return true;
    }
    playback->diverged = *divergence;
    playback->diverged.has_agents = false; /* send_agents names them */
    char hashes[64] = "";
    if (divergence->computed != divergence->recorded) {
        (void)snprintf(hashes, sizeof hashes, " (%016" PRIx64 ", recorded %016" PRIx64 ")",
                       divergence->computed, divergence->recorded);
    }
    if (!divergence->is_unsupported) { /* the start is refused with that sentence */
        log_write(LOG_ERROR, "simulation",
                  "world %" PRIu32 " diverged from the recording at tick %" PRIu64 ": %s%s",
                  divergence->moment.world, divergence->moment.tick, divergence->reason, hashes);
    }
    return false;
}

/* The same after a tick; between requests replay_next compares. */
static bool check_tick(struct simulation *simulation) {
    (void)replay_check(simulation->playback.replay, &simulation->state);
    return is_fine(simulation);
}

static void send_divergence(struct simulation *simulation) {
    struct message_event event = {.has = EVENT_HAS_REASON};
    (void)snprintf(event.event, sizeof event.event, "diverged");
    (void)snprintf(event.reason, sizeof event.reason, "%.*s", (int)sizeof event.reason - 1,
                   simulation->playback.diverged.reason);
    simulation_push_event(simulation, &event, 0, false);
    simulation_playback_update(simulation);
    simulation_notify(simulation);
}

/* At the first checkpoint from there on: which agents differ from it. */
static void send_agents(struct simulation *simulation) {
    struct playback *playback = &simulation->playback;
    const struct replay_divergence *divergence = replay_divergence(playback->replay);
    struct message_event event = {.event = "diverged"};
    if (!divergence->has_agents || playback->diverged.has_agents) {
        return;
    }
    playback->diverged.has_agents = true;
    log_write(LOG_ERROR, "simulation",
              "at tick %" PRIu64 " agents differ from the recorded checkpoint: %" PRId32
              ", the first is %" PRIu32,
              divergence->agents_moment.tick, divergence->agents.count, divergence->agents.ids[0]);
    if (playback->mode == PLAYBACK_PLAYING) {
        simulation_event_agents(&event, &divergence->agents);
        simulation_push_event(simulation, &event, 0, false);
        simulation_notify(simulation);
    }
}

/* ---- beginning ---- */

static struct recording_moment moment_before(const struct playback *playback, uint32_t world, uint64_t tick) {
    const struct recording_world *found = find_world(playback, world);
    const uint64_t first = found != NULL ? found->first_tick : tick;
    return (struct recording_moment){.world = world, .tick = tick > first ? tick - 1 : first};
}

/* The first world that has the tick; 0 when none has. */
static uint32_t find_world_with(const struct recording_facts *facts, uint64_t tick) {
    for (int i = 0; i < facts->world_count; i++) {
        if (tick >= facts->worlds[i].first_tick && tick <= facts->worlds[i].last_tick) {
            return facts->worlds[i].number;
        }
    }
    return 0;
}

static void set_goal(struct simulation *simulation, const struct recording_moment *moment, bool is_end,
                     struct command *command) {
    simulation->playback.goal = (struct playback_goal){.is_set = true,
                                                       .is_end = is_end,
                                                       .moment = *moment,
                                                       .first_tick = world_tick(simulation->state.world),
                                                       .command = command,
                                                       .began_ns = clock_now_ns(),
                                                       .told_ns = clock_now_ns()};
}

/* Begins at the nearest checkpoint before a tick; its further ticks are done by the thread. */
static int begin_at_tick(struct simulation *simulation, uint64_t tick, struct failure *failure) {
    struct playback *playback = &simulation->playback;
    const struct recording_world *first = &playback->facts->worlds[0];
    const uint32_t world = find_world_with(playback->facts, tick);
    if (world == 0) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "tick",
                           "no world of the recording has tick %" PRIu64 "; the first has %" PRIu64
                           " to %" PRIu64,
                           tick, first->first_tick, first->last_tick);
    }
    const struct recording_moment from = moment_before(playback, world, tick);
    if (begin_at(simulation, &from, failure) != 0) {
        return -1;
    }
    if (world_tick(simulation->state.world) < tick || playback->mode == PLAYBACK_RESUMING) {
        const struct recording_moment goal = {.world = world, .tick = tick, .seq = simulation->state.seq};
        set_goal(simulation, &goal, false, NULL);
        playback->end = goal;
    }
    return 0;
}

static int begin_at_end(struct simulation *simulation, struct failure *failure) {
    struct playback *playback = &simulation->playback;
    const struct recording_world *worlds = playback->facts->worlds;
    struct recording_moment last = playback->source.last;
    for (int i = playback->facts->world_count - 1; begin_at(simulation, &last, failure) != 0; i--) {
        if (!playback->is_journal || i == 0 || failure->code != FAILURE_BAD_SAVE) {
            return -1;
        }
        /* A crash may have cut the journal between the line of a saved world that is put in and its checkpoint. */
        log_write(LOG_WARN, "simulation", "world %" PRIu32 " cannot be continued, the one before it is: %s",
                  worlds[i].number, failure->message);
        last.world = worlds[i - 1].number;
        last.tick = worlds[i - 1].last_tick;
    }
    simulation->state.is_paused = simulation->state.is_paused || playback->source.is_paused_at_end;
    set_goal(simulation, &last, true, NULL);
    playback->is_over = playback->is_of_other_core;
    playback->end = last;
    return 0;
}

static int begin(struct simulation *simulation, const struct simulation_recording *recording,
                 struct failure *failure) {
    const struct playback *playback = &simulation->playback;
    if (recording->facts->world_count == 0) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL, "the recording has no world");
    }
    if (recording->recording != NULL) {
        recording_allow_giving_up(recording->recording, simulation->state.is_urgent);
    }
    if (recording->has_at || playback->mode == PLAYBACK_PLAYING) {
        const uint64_t tick = recording->has_at ? recording->at : playback->facts->worlds[0].first_tick;
        return begin_at_tick(simulation, tick, failure);
    }
    return begin_at_end(simulation, failure);
}

/* Says in the log where the world begins. */
static void log_beginning(const struct simulation *simulation, const struct simulation_recording *recording) {
    const struct playback *playback = &simulation->playback;
    const struct playback_goal *goal = &playback->goal;
    const struct recording_facts *facts = playback->facts;
    const struct recording_moment now = replay_moment(playback->replay, &simulation->state);
    const struct recording_moment *to = goal->is_set ? &goal->moment : &now;
    const bool is_played = playback->mode == PLAYBACK_PLAYING;
    char worlds[48] = "";
    if (is_played) {
        (void)snprintf(worlds, sizeof worlds, "worlds: %d, ", facts->world_count);
    }
    log_write(LOG_INFO, "simulation",
              "%s %s from tick %" PRIu64 " (checkpoint of tick %" PRIu64 "), %srequests: %" PRIu64 ", %s",
              is_played               ? "plays"
              : recording->is_journal ? "continues"
                                      : "begins with",
              simulation->state.name, to->tick, now.tick, worlds, is_played ? facts->requests : to->seq,
              simulation->state.is_paused ? "paused" : "running");
    if (facts->damage.is_there) {
        log_write(LOG_WARN, "simulation",
                  "%s, line %" PRIu64 " (byte %" PRIu64
                  ") is damaged: %s; the lines up to it lead to tick %" PRIu64 " and request %" PRIu64,
                  facts->damage.path, facts->damage.line, facts->damage.byte, facts->damage.what,
                  facts->damage.before.tick, facts->damage.before.seq);
    } else if (facts->torn_lines > 0) {
        log_write(LOG_WARN, "simulation", "torn lines of the recording, which are left out: %" PRIu64,
                  facts->torn_lines);
    }
}

static int serve_seek(void *context, const struct request_seek *seek, struct json_writer *json,
                      struct failure *failure);
static int serve_live(void *context, struct failure *failure);

static void offer_services(struct simulation *simulation) {
    struct state_services *services = &simulation->state.services;
    services->context = simulation;
    services->seek = serve_seek;
    services->go_live = serve_live;
    atomic_store(&simulation->playback.refuses_changes, true);
}

static bool is_there(const struct simulation *simulation);
static bool go_one_on(struct simulation *simulation);
static bool fall_back(struct simulation *simulation);

/* More ranks have smaller windows, so stripes may refuse a request that took effect when it was recorded. They follow
 * requests before the world is served: one that is refused ends the start, and the folder stays as it is, for fewer ranks
 * or copies. */
static int follow_requests(struct simulation *simulation, struct failure *failure) {
    const struct playback_goal *goal = &simulation->playback.goal;
    const struct replay_divergence *divergence = replay_divergence(simulation->playback.replay);
    bool is_good = true;
    while (is_good && !is_there(simulation) && (!goal->is_end || simulation->state.seq < goal->moment.seq)) {
        is_good = go_one_on(simulation) || (!divergence->is_unsupported && fall_back(simulation));
    }
    if (divergence->is_unsupported) {
        return failure_set(failure, FAILURE_UNSUPPORTED, "--state", "%s", divergence->reason);
    }
    return 0;
}

int simulation_playback_begin(struct simulation *simulation, const struct simulation_def *def,
                              struct failure *failure) {
    struct playback *playback = &simulation->playback;
    const struct simulation_recording *recording = def->resume != NULL ? def->resume : def->replay;
    playback->source = recording->source;
    playback->facts = recording->facts;
    playback->recording = recording->recording;
    playback->is_journal = recording->is_journal;
    playback->is_of_other_core = recording->is_of_other_core;
    playback->replay = replay_create(&recording->source, &def->overrides, simulation->state.is_urgent);
    if (playback->replay == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    playback->mode = def->resume != NULL ? PLAYBACK_RESUMING : PLAYBACK_PLAYING;
    if (begin(simulation, recording, failure) != 0) {
        return -1;
    }
    if (playback->mode == PLAYBACK_PLAYING) {
        offer_services(simulation);
    }
    log_beginning(simulation, recording);
    if (def->resume != NULL && def->lost != NULL) {
        (void)snprintf(simulation->described_playback.lost, MESSAGE_LOST, "%s", def->lost);
    }
    if (simulation->has_stripes && playback->goal.is_set && follow_requests(simulation, failure) != 0) {
        return -1;
    }
    simulation_playback_update(simulation);
    return 0;
}

void simulation_playback_fini(struct simulation *simulation) {
    assert(simulation->playback.goal.command == NULL);
    replay_destroy(simulation->playback.replay);
    simulation->playback.replay = NULL;
    simulation->playback.mode = PLAYBACK_NONE;
}

/* ---- ticks without pace ---- */

bool simulation_playback_is_busy(const struct simulation *simulation) {
    return simulation->playback.goal.is_set;
}

static bool is_there(const struct simulation *simulation) {
    const struct playback *playback = &simulation->playback;
    const struct recording_moment *goal = &playback->goal.moment;
    return playback->is_over || (!playback->goal.is_end && world_tick(simulation->state.world) >= goal->tick);
}

void simulation_playback_show_all(struct simulation *simulation) {
    simulation->state.log.count = 0;
    atomic_fetch_add(&simulation->revision, 1);
    target_watch_reset(&simulation->targets);
    simulation->is_crowd_new = true;
    simulation_update_description(simulation);
    simulation_push_scenario(simulation);
    simulation_reset_clock(simulation);
    const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
    simulation_publish(simulation, &schedule, FRAME_REASON_ALL);
    simulation_notify(simulation);
    command_queue_wake(&simulation->commands);
}

/* failure: NULL, or why the tick was not reached. */
static void answer_seek(struct simulation *simulation, struct command *command,
                        const struct failure *failure) {
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    if (failure != NULL) {
        message_write_refusal(&command->request, command->origin.line, failure, &text);
    } else {
        struct json_writer json = message_begin_answer(&command->request, &text);
        json_key_unsigned(&json, "tick", world_tick(simulation->state.world));
        json_key_unsigned(&json, "world",
                          replay_moment(simulation->playback.replay, &simulation->state).world);
        json_key(&json, "hash");
        json_hex64(&json, simulation_state_hash(&simulation->state));
        message_end_reply(&json, &text);
    }
    command->event.seq = simulation->state.seq; /* of the world that the reply is about */
    simulation_answer(simulation, command, &text);
}

/* what: the end of the sentence "the seek ...". */
static void fail_seek(struct simulation *simulation, struct command *command, const char *what) {
    struct failure failure = {0};
    (void)failure_set(&failure, FAILURE_BUSY, NULL, "the seek %s; the world is at tick %" PRIu64, what,
                      world_tick(simulation->state.world));
    answer_seek(simulation, command, &failure);
}

/* failed: NULL, or how, as in fail_seek. */
static void end_seek(struct simulation *simulation, const char *failed) {
    struct command *command = simulation->playback.goal.command;
    simulation->state.epoch++; /* ticks may go down */
    simulation->playback.goal = (struct playback_goal){0};
    simulation_playback_update(simulation);
    if (command != NULL && failed != NULL) {
        fail_seek(simulation, command, failed);
    } else if (command != NULL) {
        answer_seek(simulation, command, NULL);
    }
    simulation_playback_show_all(simulation);
}

/* The world belongs to the clients from now on. */
static void go_live(struct simulation *simulation) {
    struct playback *playback = &simulation->playback;
    const struct recording_moment now = replay_moment(playback->replay, &simulation->state);
    playback->origin_world = playback->is_journal ? now.world : 0;
    replay_destroy(playback->replay);
    playback->replay = NULL;
    playback->mode = PLAYBACK_NONE;
    playback->goal = (struct playback_goal){0};
    simulation->state.services.seek = NULL;
    simulation->state.services.go_live = NULL;
    playback->has_ended = true;
    atomic_store(&playback->refuses_changes, false);
    if (simulation_has_speed(simulation)) {
        simulation->speed.factor = 1.0;
        simulation_push_speed(simulation);
    }
    simulation_update_description(simulation);
    simulation_playback_update(simulation);
    simulation_reset_clock(simulation);
}

bool simulation_playback_take_end(struct simulation *simulation) {
    const bool has_ended = simulation->playback.has_ended;
    simulation->playback.has_ended = false;
    return has_ended;
}

void simulation_playback_send_loss(struct simulation *simulation, uint64_t ticks, uint64_t requests) {
    pthread_mutex_lock(&simulation->mutex);
    simulation->described_playback.has_left_out = true;
    simulation->described_playback.left_out_ticks = ticks;
    simulation->described_playback.left_out_requests = requests;
    pthread_mutex_unlock(&simulation->mutex);
    struct message_event event = {.has = EVENT_HAS_LOSS, .ticks = ticks, .requests = requests};
    (void)snprintf(event.event, sizeof event.event, "resumed_from");
    simulation_push_event(simulation, &event, 0, false);
}

/* Whether lines are damaged behind which nothing goes on: they are left out, too. */
static bool is_cut(const struct playback *playback) {
    return playback->facts->damage.is_end && playback->end.seq == playback->source.last.seq &&
           playback->end.tick == playback->source.last.tick;
}

static uint64_t excess(uint64_t one, uint64_t other) {
    return one > other ? one - other : 0;
}

static uint64_t larger(uint64_t one, uint64_t other) {
    return one > other ? one : other;
}

/* The requests of the recording cannot be followed to its end, so the world goes on from where it is now. */
static void send_left_out(struct simulation *simulation) {
    struct simulation_state *state = &simulation->state;
    const struct playback *playback = &simulation->playback;
    const struct recording_damage *damage = &playback->facts->damage;
    const bool has_cut = is_cut(playback);
    const uint64_t last_seq = larger(playback->end.seq, has_cut ? damage->seq : 0);
    const uint64_t tick = world_tick(state->world);
    const uint64_t ticks = excess(larger(playback->end.tick, has_cut ? damage->tick : 0), tick);
    const uint64_t requests = excess(last_seq, state->seq);
    log_write(LOG_ERROR, "simulation",
              "the journal cannot be followed to its end: the world goes on from tick %" PRIu64
              "; that leaves out %" PRIu64 " ticks and %" PRIu64 " requests",
              tick, ticks, requests);
    state->seq = larger(last_seq, state->seq); /* no number is given twice */
    simulation_playback_send_loss(simulation, ticks, requests);
}

/* After a hash that is not the recorded one: back to the checkpoint, and from there once more to the last hash that agreed.
 * False: there is nothing to simulate, or it did not come out a second time; the world stays where it is. */
static bool fall_back(struct simulation *simulation) {
    struct playback *playback = &simulation->playback;
    struct failure failure = {0};
    const struct recording_moment agreed = replay_agreed(playback->replay);
    const bool has_diverged = playback->diverged.has_diverged;
    if (has_diverged && begin_at(simulation, &playback->end, &failure) != 0) {
        log_write(LOG_ERROR, "simulation", "the checkpoint cannot be read again: %s", failure.message);
    }
    const bool goes_back = has_diverged && failure.code == FAILURE_NONE && !playback->goes_back;
    playback->is_over = !goes_back;
    if (goes_back) {
        replay_end_at(playback->replay, &agreed);
        playback->goal.moment = agreed;
        playback->goes_back = true;
        playback->diverged = (struct replay_divergence){0};
    }
    return goes_back;
}

static void log_caught_up(const struct simulation *simulation) {
    const uint64_t tick = world_tick(simulation->state.world), first = simulation->playback.goal.first_tick;
    log_write(LOG_INFO, "simulation",
              "caught up: %s is at tick %" PRIu64 " again, after %" PRIu64 " ticks in %.2f s",
              simulation->state.name, tick, tick > first ? tick - first : 0,
              (double)(clock_now_ns() - simulation->playback.goal.began_ns) * 1e-9);
}

/* Clients that have seen a later tick know by this one how much is gone. */
static void send_restart(struct simulation *simulation) {
    struct message_playback *described = &simulation->described_playback;
    struct message_event event = {.has = EVENT_HAS_REASON, .event = "restarted"};
    pthread_mutex_lock(&simulation->mutex);
    described->has_restarted = true;
    described->restarted_tick = world_tick(simulation->state.world);
    pthread_mutex_unlock(&simulation->mutex);
    (void)snprintf(event.reason, sizeof event.reason, "%s", described->lost);
    simulation_push_event(simulation, &event, 0, false);
    log_write(LOG_WARN, "simulation", "the world goes on from tick %" PRIu64 " after a restart: %s",
              described->restarted_tick, described->lost);
}

static void end_resuming(struct simulation *simulation) {
    const struct playback *playback = &simulation->playback;
    if (world_tick(simulation->state.world) < playback->end.tick ||
        simulation->state.seq < playback->end.seq || is_cut(playback)) {
        send_left_out(simulation);
    }
    log_caught_up(simulation);
    simulation->state.epoch++;
    go_live(simulation);
    if (simulation->described_playback.lost[0] != '\0') {
        send_restart(simulation);
    }
}

static void arrive(struct simulation *simulation) {
    const bool is_short = world_tick(simulation->state.world) < simulation->playback.goal.moment.tick;
    if (simulation->playback.mode == PLAYBACK_PLAYING) {
        end_seek(simulation, is_short ? "cannot follow the recording to its tick" : NULL);
    } else {
        end_resuming(simulation);
    }
}

static void note_change(struct simulation *simulation, const struct replay_change *change) {
    if (change->effects.loaded || change->effects.edited) {
        atomic_fetch_add(&simulation->revision, 1);
        target_watch_reset(&simulation->targets);
        simulation->is_crowd_new = true;
        simulation_update_description(simulation);
        simulation_playback_update(simulation);
        simulation_push_scenario(simulation);
    }
}

/* False: the goal cannot be reached in this way. */
static bool go_one_on(struct simulation *simulation) {
    struct replay_change change;
    struct failure failure = {0};
    const enum replay_step step = next(simulation, &change, &failure);
    if (step == REPLAY_FAILED) {
        return false;
    }
    if (step == REPLAY_CHANGED) {
        note_change(simulation, &change);
    } else if (step == REPLAY_TICK) {
        (void)simulation_do_tick(simulation, clock_now_ns());
        simulation->playback.has_changed = false;
        simulation->state.log.count = 0;
    }
    const bool is_good =
        step == REPLAY_TICK && !simulation->state.is_spoiled ? check_tick(simulation) : is_fine(simulation);
    if (!is_good && simulation->playback.mode == PLAYBACK_PLAYING) {
        send_divergence(simulation);
    }
    send_agents(simulation);
    return is_good;
}

static void report_progress(struct simulation *simulation, uint64_t now_ns) {
    struct playback_goal *goal = &simulation->playback.goal;
    if (now_ns - goal->told_ns >= TELL_NS) {
        goal->told_ns = now_ns;
        simulation_playback_update(simulation);
    }
    if (simulation->playback.mode == PLAYBACK_RESUMING) {
        simulation_show(simulation, now_ns);
    }
}

void simulation_playback_go_on(struct simulation *simulation, uint64_t until_ns) {
    struct playback *playback = &simulation->playback;
    while (!is_there(simulation)) {
        if (atomic_load(&simulation->stop)) {
            return;
        }
        if (playback->mode == PLAYBACK_PLAYING && atomic_load(&playback->seeks_waiting) > 0) {
            end_seek(simulation, "was given up for a further one");
            return;
        }
        if (!go_one_on(simulation) && playback->mode == PLAYBACK_RESUMING) {
            if (!fall_back(simulation)) {
                break;
            }
        }
        const uint64_t now_ns = clock_now_ns();
        report_progress(simulation, now_ns);
        if (now_ns >= until_ns || simulation->state.is_spoiled) {
            return;
        }
    }
    arrive(simulation);
}

/* ---- playing ---- */

bool simulation_playback_is_over(const struct simulation *simulation) {
    return simulation->playback.mode == PLAYBACK_PLAYING && simulation->playback.is_over;
}

static void pause_at_end(struct simulation *simulation) {
    if (simulation->state.is_paused) {
        return; /* a step reached it */
    }
    simulation->state.is_paused = true;
    tick_clock_pause(&simulation->clock);
    simulation_update_description(simulation);
    simulation_push_pause(simulation, true, 0);
    const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
    simulation_publish(simulation, &schedule, FRAME_REASON_ALL);
    simulation_notify(simulation);
    log_write(LOG_INFO, "simulation", "the recording is over: paused at tick %" PRIu64,
              world_tick(simulation->state.world));
}

/* Events of the recording have the names of its sessions. */
static void follow_change(struct simulation *simulation, const struct replay_change *change) {
    struct command_effects effects = change->effects;
    effects.event.is_recorded = true;
    if (change->name[0] != '\0') {
        memcpy(effects.event.name, change->name, sizeof effects.event.name);
        effects.event.has |= EVENT_HAS_NAME;
    }
    effects.paused = effects.resumed = false;
    simulation_follow_up(simulation, &effects, change->by);
    simulation->unseen.changed = simulation->unseen.changed || effects.changed;
    simulation->unseen.loaded = simulation->unseen.loaded || effects.loaded;
    if (effects.loaded) {
        simulation_reset_clock(simulation);
        simulation_playback_update(simulation);
    }
    simulation_notify(simulation);
}

bool simulation_playback_before_tick(struct simulation *simulation) {
    struct playback *playback = &simulation->playback;
    struct replay_change change;
    struct failure failure = {0};
    if (playback->mode != PLAYBACK_PLAYING) {
        return true;
    }
    while (!playback->is_over && next(simulation, &change, &failure) == REPLAY_CHANGED) {
        follow_change(simulation, &change);
        if (!is_fine(simulation)) {
            send_divergence(simulation);
        }
        if (change.effects.loaded) {
            return false;
        }
    }
    if (!is_fine(simulation)) {
        send_divergence(simulation);
    }
    send_agents(simulation);
    if (playback->is_over) {
        pause_at_end(simulation);
    }
    return !playback->is_over;
}

void simulation_playback_after_tick(struct simulation *simulation) {
    if (simulation->playback.mode != PLAYBACK_PLAYING || simulation->state.is_spoiled) {
        return;
    }
    simulation->playback.has_changed = false;
    if (!check_tick(simulation)) {
        send_divergence(simulation);
    }
    send_agents(simulation);
}

/* ---- requests ---- */

static int serve_seek(void *context, const struct request_seek *seek, struct json_writer *json,
                      struct failure *failure) {
    struct simulation *simulation = context;
    struct playback *playback = &simulation->playback;
    const struct recording_facts *facts = playback->facts;
    const uint32_t world =
        seek->has_world ? seek->world : replay_moment(playback->replay, &simulation->state).world;
    (void)json; /* the reply comes when the tick is reached */
    const struct recording_world *span = find_world(playback, world);
    if (span == NULL) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "world",
                           "the recording has worlds %" PRIu32 " to %" PRIu32, facts->worlds[0].number,
                           facts->worlds[facts->world_count - 1].number);
    }
    if (seek->tick < span->first_tick || seek->tick > span->last_tick) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "tick",
                           "world %" PRIu32 " of the recording has ticks %" PRIu64 " to %" PRIu64, world,
                           span->first_tick, span->last_tick);
    }
    playback->wanted = (struct recording_moment){.world = world, .tick = seek->tick};
    return 0;
}

static int serve_live(void *context, struct failure *failure) {
    struct simulation *simulation = context;
    (void)failure;
    simulation->playback.goes_live = true;
    return 0;
}

/* Whether the ticks from here to the moment are fewer than those from the nearest checkpoint before it. */
static bool may_go_on(const struct simulation *simulation, const struct recording_moment *to) {
    const struct playback *playback = &simulation->playback;
    const struct recording_moment now = replay_moment(playback->replay, &simulation->state);
    if (playback->is_over || replay_divergence(playback->replay)->has_diverged || now.world != to->world ||
        now.tick > to->tick || (now.tick == to->tick && playback->has_changed)) {
        return false;
    }
    for (int i = 0; i < playback->facts->checkpoint_count; i++) {
        const struct recording_moment *at = &playback->facts->checkpoints[i];
        if (at->world == to->world && at->tick > now.tick && at->tick < to->tick) {
            return false;
        }
    }
    return true;
}

bool simulation_playback_take_seek(struct simulation *simulation, struct command *command) {
    struct playback *playback = &simulation->playback;
    const struct recording_moment wanted = playback->wanted;
    struct failure failure = {0};
    if (wanted.world == 0) {
        return false;
    }
    playback->wanted = (struct recording_moment){0};
    const struct recording_moment from = moment_before(playback, wanted.world, wanted.tick);
    if (!may_go_on(simulation, &wanted) && begin_at(simulation, &from, &failure) != 0) {
        log_write(LOG_ERROR, "simulation", "cannot seek: %s", failure.message);
        answer_seek(simulation, command, &failure);
        return true;
    }
    set_goal(simulation, &wanted, false, command);
    simulation_playback_update(simulation);
    return true;
}

void simulation_playback_follow(struct simulation *simulation, const struct request *request) {
    struct playback *playback = &simulation->playback;
    if (request->op == REQUEST_SEEK) {
        (void)atomic_fetch_sub(&playback->seeks_waiting, 1);
    }
    if (playback->goes_live) {
        playback->goes_live = false;
        log_write(LOG_INFO, "simulation", "the recording ends here: the world is live from tick %" PRIu64,
                  world_tick(simulation->state.world));
        go_live(simulation);
    }
}

void simulation_playback_stop(struct simulation *simulation) {
    struct playback_goal *goal = &simulation->playback.goal;
    if (goal->command != NULL) {
        struct command *command = goal->command;
        goal->command = NULL;
        fail_seek(simulation, command, "was given up because the server stops");
    }
}

bool simulation_refuses(const struct simulation *simulation, const struct request *request) {
    const enum request_op op = request->op;
    const bool is_time = op == REQUEST_PAUSE || op == REQUEST_RESUME || op == REQUEST_STEP;
    return atomic_load(&simulation->playback.refuses_changes) &&
           request_has_trait(op, REQUEST_TRAIT_CHANGES) && (!is_time || request->has_at);
}
