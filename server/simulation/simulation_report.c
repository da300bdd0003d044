/* See simulation_internal.h: the lines of the log about changes; the speed, and the rate of the tick clock that follows from it;
 * what goes to the loop. */
#include "server/simulation/simulation_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/commands/simulation_state.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_stripes.h"

/* ---- lines of the log ---- */

enum { CHANGE_REQUEST_BYTES = 64 * 1024 };

/* Whether clients send it again and again as a thing moves. */
static bool is_motion(const struct request *request) {
    return request->op == REQUEST_MOUSE || request->op == REQUEST_MOVE_OBSTACLE ||
           request->op == REQUEST_STEP || request->op == REQUEST_DRIVE ||
           (request->op == REQUEST_CURSOR && !request->body.cursor.gone) ||
           (request->op == REQUEST_SET_TARGET && request->body.set_target.has_name);
}

bool change_log_take(struct change_log *log, uint32_t session, const struct request *request, uint64_t now_ns,
                     uint32_t *left_out) {
    const uint32_t row = (session * REQUEST_OP_COUNT + (uint32_t)request->op) % CHANGE_LOG_ROWS;
    const uint32_t most = is_motion(request) ? 1 : CHANGE_LOG_RATE;
    if (log->rows[row].session != session || log->rows[row].op != request->op) {
        log->rows[row].written = 0;
        log->rows[row].left_out = 0;
    }
    if (log->rows[row].written == 0 || now_ns - log->rows[row].since_ns >= UINT64_C(1000000000)) {
        log->rows[row].session = session;
        log->rows[row].op = request->op;
        log->rows[row].since_ns = now_ns;
        log->rows[row].written = 0;
    }
    if (log->rows[row].written >= most) {
        log->rows[row].left_out++;
        return false;
    }
    log->rows[row].written++;
    *left_out = log->rows[row].left_out;
    log->rows[row].left_out = 0;
    return true;
}

/* The request as its client could send it, cut when it is long. */
static void write_request(const struct request *request, struct buffer *out) {
    struct buffer text;
    buffer_init(&text, CHANGE_REQUEST_BYTES);
    request_encode(request, &text);
    const size_t length = text.length > 0 ? text.length - 1 : 0; /* without the newline */
    const size_t shown = utf8_cut(text.data != NULL ? text.data : "", length, CHANGE_LOG_REQUEST_BYTES);
    buffer_append(out, text.data != NULL ? text.data : "", shown);
    buffer_append_text(out, shown < length || text.failed ? "..." : "");
    buffer_fini(&text);
}

void change_log_write(const struct command *command, uint64_t seq, uint64_t tick, uint32_t left_out,
                      struct buffer *out) {
    const char *name = command->origin.name;
    buffer_printf(out, "change %" PRIu64 " at tick %" PRIu64 " by session %u%s%s%s: ", seq, tick,
                  (unsigned)command->origin.session, name[0] != '\0' ? " (" : "", name,
                  name[0] != '\0' ? ")" : "");
    write_request(&command->request, out);
    if (left_out > 0) {
        buffer_printf(out, "; before it %u more of this op without a line", (unsigned)left_out);
    }
}

/* ---- target watch ---- */

void target_watch_reset(struct target_watch *watch) {
    *watch = (struct target_watch){0};
}

bool target_watch_note(struct target_watch *watch, int target, uint32_t by, uint64_t now_ns) {
    assert(target >= 0 && target < LIMIT_TARGETS);
    const bool is_same = watch->targets[target].by == by;
    const uint64_t wait_ms = is_same ? TARGET_WATCH_SAME_MS : TARGET_WATCH_OTHER_MS;
    if (watch->targets[target].was_told && now_ns - watch->targets[target].told_ns < wait_ms * 1000000u) {
        return false;
    }
    watch->targets[target].was_told = true;
    watch->targets[target].by = by;
    watch->targets[target].told_ns = now_ns;
    return true;
}

/* The tick clock ticks no more often: several ticks of the world are done each time then. */
#define FASTEST_CLOCK_HZ 1000.0
/* A world whose ticks are so rare shows requests that change it in between, as a paused one does. */
#define RARE_TICK_HZ 20.0

/* The speed at which ticks are done now. */
static double simulation_effective_speed(const struct simulation *simulation) {
    return simulation->speed.is_warming ? 0.0 : simulation->speed.factor;
}

bool simulation_has_speed(const struct simulation *simulation) {
    const double speed = simulation_effective_speed(simulation);
    return speed < 1.0 || speed > 1.0;
}

bool simulation_is_at_max(const struct simulation *simulation) {
    return !(simulation_effective_speed(simulation) > 0.0);
}

/* Ticks of the world that are due in a second; 0 when as many as can be done. */
static double simulation_due_hz(const struct simulation *simulation) {
    return world_tick_hz(simulation->state.world) * simulation_effective_speed(simulation);
}

bool simulation_has_rare_ticks(const struct simulation *simulation) {
    return !simulation_is_at_max(simulation) && simulation_has_speed(simulation) &&
           simulation_due_hz(simulation) < RARE_TICK_HZ;
}

uint64_t simulation_ticks_each(const struct simulation *simulation) {
    return (uint64_t)ceil(fmax(1.0, simulation_due_hz(simulation) / FASTEST_CLOCK_HZ));
}

/* At the highest speed the clock says nothing; it runs at the rate of the world. */
static double clock_hz(const struct simulation *simulation) {
    return simulation_is_at_max(simulation)
               ? world_tick_hz(simulation->state.world)
               : simulation_due_hz(simulation) / (double)simulation_ticks_each(simulation);
}

void simulation_reset_clock(struct simulation *simulation) {
    simulation->speed.resets++;
    tick_clock_set_rate(&simulation->clock, clock_hz(simulation), clock_now_ns());
}

void simulation_change_clock(struct simulation *simulation) {
    tick_clock_change_rate(&simulation->clock, clock_hz(simulation), clock_now_ns());
}

/* ---- report ---- */

enum { LINE_BYTES = 1024 * 1024 };
/* How often the ranks of a cluster are asked how they keep up. */
#define RANKS_NS UINT64_C(1000000000)

void simulation_ask_ranks(struct simulation *simulation) {
    const struct simulation_state *state = &simulation->state;
    if (state->ranks == NULL) {
        return;
    }
    const struct rank_report *reports = state->ranks->tell(state->ranks->context, state);
    simulation->asked_ranks_ns = clock_now_ns();
    simulation->asked_ranks_epoch = state->epoch;
    pthread_mutex_lock(&simulation->mutex);
    rank_table_fill(&simulation->statistics.ranks, state->exchange->mode, reports, state->exchange->ranks,
                    simulation->asked_ranks_ns);
    pthread_mutex_unlock(&simulation->mutex);
}

void simulation_update_description(struct simulation *simulation) {
    /* The cursors of a recording belong to its sessions, not to those that are here. */
    const bool is_live = simulation->playback.mode == PLAYBACK_NONE;
    const struct state_cursors none = {0};
    const struct state_cursors *cursors = is_live ? &simulation->state.cursors : &none;
    pthread_mutex_lock(&simulation->mutex);
    simulation_state_describe(&simulation->state, &simulation->description);
    simulation->description.pace = message_pace_make(simulation->speed.factor);
    simulation->description.pace.is_warming = simulation->speed.is_warming;
    memcpy(simulation->cursor_owners, cursors->owners, sizeof simulation->cursor_owners);
    simulation->is_paused = simulation->state.is_paused;
    if (simulation->playback.mode !=
        PLAYBACK_PLAYING) { /* there it changes together with the world's number */
        atomic_store(&simulation->tick, world_tick(simulation->state.world));
    }
    pthread_mutex_unlock(&simulation->mutex);
    atomic_store(&simulation->seq, simulation->state.seq);
    atomic_store(&simulation->wants_cursors,
                 is_live && world_wants_targets(simulation->state.world, CURSOR_TARGET_PREFIX));
    if (simulation->asked_ranks_epoch != simulation->state.epoch) { /* a paused world has ranks, too */
        simulation_ask_ranks(simulation);
    }
}

void simulation_event_agents(struct message_event *event, const struct agent_difference *agents) {
    event->has |= EVENT_HAS_COUNT | EVENT_HAS_AGENTS;
    event->count = (uint32_t)agents->count;
    event->agent_count = agents->id_count;
    memcpy(event->agents, agents->ids, sizeof agents->ids[0] * (size_t)agents->id_count);
}

struct snapshot_schedule simulation_read_schedule(struct simulation *simulation) {
    pthread_mutex_lock(&simulation->mutex);
    const struct snapshot_schedule schedule = simulation->schedule;
    pthread_mutex_unlock(&simulation->mutex);
    return schedule;
}

void simulation_notify(struct simulation *simulation) {
    simulation->has_answers = false;
    simulation->notify(simulation->notify_context);
}

static void push_line(struct simulation *simulation, enum sim_event_kind kind, struct buffer *line) {
    struct sim_event *event = sim_event_create(kind, line);
    if (event == NULL) {
        log_write(LOG_ERROR, "simulation", "out of memory: an event is lost");
        return;
    }
    event->revision = atomic_load(&simulation->revision);
    event->epoch = simulation->state.epoch;
    event->seq = simulation->state.seq;
    event->tick_hz = world_tick_hz(simulation->state.world);
    event_queue_push(&simulation->events, event);
}

static void push_message(struct simulation *simulation, const struct message_event *message, bool is_detail) {
    struct sim_event *event = sim_event_create_message(message);
    if (event == NULL) {
        log_write(LOG_ERROR, "simulation", "out of memory: an event is lost");
        return;
    }
    event->revision = atomic_load(&simulation->revision);
    event->seq = message->seq;
    event->is_detail = is_detail;
    event_queue_push(&simulation->events, event);
}

void simulation_push_message(struct simulation *simulation, const struct message_event *message) {
    push_message(simulation, message, false);
}

void simulation_push_event(struct simulation *simulation, struct message_event *event, uint32_t by,
                           bool is_detail) {
    event->tick = world_tick(simulation->state.world);
    event->by = by;
    event->seq = event->seq != 0 ? event->seq : simulation->state.seq;
    push_message(simulation, event, is_detail);
}

#define SHOW_WAYS_NS UINT64_C(250000000)

void simulation_show_ways(struct simulation *simulation) {
    const struct world *world = simulation->state.world;
    const struct geometry_def *def = &world_scenery(world)->def;
    const uint64_t now_ns = clock_now_ns();
    if (world_scenery(world)->has_old_ways || world_ways_made(world) == simulation->ways_shown ||
        (!simulation->state.is_paused && now_ns - simulation->ways_shown_ns < SHOW_WAYS_NS)) {
        return;
    }
    simulation->ways_shown = world_ways_made(world);
    simulation->ways_shown_ns = now_ns;
    atomic_fetch_add(&simulation->revision, 1);
    simulation_update_description(simulation);
    for (int i = 0; i < def->flow_count; i++) {
        struct message_event event = {.event = "flow_field", .has = EVENT_HAS_FLOW};
        if (def->flows[i].type == FLOW_WAY) {
            simulation_state_sample_flow(world, &def->flows[i], &event.flow);
            simulation_push_event(simulation, &event, 0, false);
        }
    }
    simulation_notify(simulation);
}

/* Once for each world. */
static void log_full(struct simulation *simulation) {
    const struct world *world = simulation->state.world;
    if (world_sources_are_full(world) && simulation->full_epoch != simulation->state.epoch) {
        simulation->full_epoch = simulation->state.epoch;
        log_write(LOG_WARN, "simulation",
                  "the world is full: its sources wait; it has %d agents (--max-agents)",
                  (int)world_agent_count(world));
    }
}

void simulation_push_log(struct simulation *simulation) {
    simulation_show_ways(simulation);
    struct event_log *log = &simulation->state.log;
    log_full(simulation);
    for (int i = 0; i < log->count; i++) {
        log->events[i].seq = simulation->state.seq;
        push_message(simulation, &log->events[i], false);
    }
    if (log->count > 0) {
        log->count = 0;
        simulation_notify(simulation);
    }
}

void simulation_push_pause(struct simulation *simulation, bool is_paused, uint32_t by) {
    struct message_event event = {0};
    (void)snprintf(event.event, sizeof event.event, "%s", is_paused ? "paused" : "resumed");
    simulation_push_event(simulation, &event, by, false);
}

void simulation_push_speed(struct simulation *simulation) {
    struct message_event event = {
        .event = "speed", .has = EVENT_HAS_SPEED, .speed = simulation->speed.factor};
    simulation_push_event(simulation, &event, 0, false);
}

void simulation_push_scenario(struct simulation *simulation) {
    struct buffer line;
    buffer_init(&line, LINE_BYTES);
    message_write_scenario(&simulation->description,
                           &line); /* written by this thread only: no lock to read */
    push_line(simulation, SIM_EVENT_SCENARIO, &line);
    buffer_fini(&line);
}

/* Whether the event is for sessions with `seq` alone. Others learn of a target that is moved all the time only now and
 * then, of cursors and worlds by lines of their own, and of the aims of agents by what the agents do. */
static bool is_detail(struct simulation *simulation, const struct message_event *event, uint32_t by,
                      uint64_t now_ns) {
    static const char *const details[] = {"aim",    "cursor", "cursor_gone", "driven",
                                          "edited", "loaded", "placed"};
    for (size_t i = 0; i < sizeof details / sizeof details[0]; i++) {
        if (strcmp(event->event, details[i]) == 0) {
            return true;
        }
    }
    if (strcmp(event->event, "target") != 0) {
        return false;
    }
    const int target = world_find_target(simulation->state.world, event->target);
    return target < 0 || !target_watch_note(&simulation->targets, target, by, now_ns);
}

static void push_effect(struct simulation *simulation, const struct message_event *effect, uint32_t by,
                        uint64_t now_ns) {
    if (effect->event[0] != '\0') {
        struct message_event event = *effect;
        simulation_push_event(simulation, &event, by, is_detail(simulation, effect, by, now_ns));
    }
}

/* Those of a world that is gone. */
static void clear_ways(struct simulation *simulation) {
    pthread_mutex_lock(&simulation->mutex);
    simulation->statistics.way_count = 0;
    pthread_mutex_unlock(&simulation->mutex);
}

void simulation_follow_up(struct simulation *simulation, const struct command_effects *effects, uint32_t by) {
    const uint64_t now_ns = clock_now_ns();
    if (effects->loaded) {
        simulation_reset_clock(simulation);
        clear_ways(simulation);
    }
    if (effects->paused) {
        tick_clock_pause(&simulation->clock);
    }
    if (effects->resumed) {
        tick_clock_resume(&simulation->clock, now_ns);
    }
    if (effects->edited) {
        clear_ways(simulation);
    }
    if (effects->loaded || effects->edited) {
        simulation->ways_shown = world_ways_made(simulation->state.world);
    }
    if (effects->loaded || effects->scenery_changed) {
        atomic_fetch_add(&simulation->revision, 1);
        target_watch_reset(&simulation->targets); /* it has targets by index */
    }
    if (effects->scenery_changed) {
        simulation_show_ways(simulation);
    }
    if (effects->described || effects->paused || effects->resumed) {
        simulation_update_description(simulation);
    }
    simulation->is_crowd_new = simulation->is_crowd_new || effects->described;
    if (effects->loaded) {
        log_write(LOG_INFO, "simulation", "scenario %s, asked for by session %u", simulation->state.name, by);
    }
    if (effects->loaded || effects->edited) {
        simulation_push_scenario(simulation);
    }
    if (effects->paused || effects->resumed) {
        simulation_push_pause(simulation, effects->paused, by);
    }
    push_effect(simulation, &effects->event, by, now_ns);
    for (uint32_t i = 0; i < effects->event_count; i++) {
        struct message_event event = effects->events[i];
        event.is_recorded = effects->event.is_recorded;
        event.has |= effects->event.has & EVENT_HAS_NAME;
        memcpy(event.name, effects->event.name, sizeof event.name);
        push_effect(simulation, &event, by, now_ns);
    }
}

void simulation_measure(struct simulation *simulation, struct tick_meter *meter, uint64_t since_ns) {
    const uint64_t now_ns = clock_now_ns();
    pthread_mutex_lock(&simulation->mutex);
    tick_meter_add(meter, now_ns - since_ns);
    pthread_mutex_unlock(&simulation->mutex);
}

uint64_t simulation_clock_tick_at(const struct simulation *simulation, uint64_t now_ns) {
    return (uint64_t)((double)now_ns * 1e-9 * world_tick_hz(simulation->state.world));
}

static void read_views(struct simulation *simulation, unsigned fields) {
    pthread_mutex_lock(&simulation->mutex);
    memcpy(simulation->gathering, simulation->views, snapshot_demand_bytes(simulation->views));
    pthread_mutex_unlock(&simulation->mutex);
    simulation->gathering->fields = fields;
}

enum { LARGE_WORLD = 100000 }; /* agents; to copy out fewer takes a few ms */

/* What the views show of a world in stripes, or of a large one. */
static int gather(struct simulation *simulation, struct snapshot_slot *slot) {
    const struct simulation_state *state = &simulation->state;
    if (slot->extract == NULL) {
        slot->extract = snapshot_extract_create();
    }
    if (slot->extract == NULL) {
        return -1;
    }
    if (world_is_partial(state->world)) {
        return state_gather_views(state, simulation->gathering, slot->snapshot, slot->extract);
    }
    if (simulation->gatherer == NULL) {
        simulation->gatherer = snapshot_gatherer_create(1);
    }
    return simulation->gatherer == NULL
               ? -1
               : snapshot_gather(simulation->gatherer, state->world, 0, simulation->gathering, slot->snapshot,
                                 slot->extract);
}

/* Whether to look at a large world for what views show of it is less work than to copy it out: none shows all its agents. */
static bool shows_parts(const struct simulation *simulation) {
    const struct snapshot_demand *demand = simulation->gathering;
    bool is_part = world_agent_count(simulation->state.world) >= LARGE_WORLD;
    for (int i = 0; i < demand->count && is_part; i++) {
        const struct snapshot_view *view = &demand->views[i];
        is_part = view->has_region || view->most > 0 || frame_layout_row(view->layout)->takes_grid;
    }
    return is_part;
}

/* Where the twins of the snapshot's agents are; both lie in order of id. */
static int copy_twins(const struct world *twin, struct snapshot *out) {
    int32_t row = 0;
    if (snapshot_reserve_twins(out) != 0) {
        return -1;
    }
    out->fields |= (unsigned)SNAPSHOT_TWIN;
    for (int32_t i = 0; i < out->count; i++) {
        while (row < world_agent_count(twin) && world_agent_id(twin, row) < out->id[i]) {
            row++;
        }
        if (row < world_agent_count(twin) && world_agent_id(twin, row) == out->id[i]) {
            const vec2 at = world_agent(twin, row).position;
            out->twins[i] =
                (struct snapshot_vector){world_snapshot_hundredths(at.x), world_snapshot_hundredths(at.y)};
        }
    }
    return 0;
}

static int copy_world(struct simulation *simulation, unsigned fields, struct snapshot_slot *slot) {
    const bool has_forces = (fields & (unsigned)SNAPSHOT_FORCES) != 0;
    read_views(simulation, fields);
    if (world_is_partial(simulation->state.world) || shows_parts(simulation)) {
        return gather(simulation, slot);
    }
    snapshot_extract_destroy(slot->extract);
    slot->extract = NULL;
    const int result = world_snapshot_copy_wanted(simulation->state.world, fields,
                                                  has_forces ? simulation->gathering : NULL, slot->snapshot);
    const bool has_twins = simulation->twin != NULL && (fields & (unsigned)SNAPSHOT_TWIN) != 0;
    return result == 0 && has_twins ? copy_twins(simulation->twin->state.world, slot->snapshot) : result;
}

void simulation_publish(struct simulation *simulation, const struct snapshot_schedule *schedule,
                        enum frame_reason reason) {
    if (schedule->count == 0 || simulation->state.is_spoiled) {
        return;
    }
    const uint64_t start_ns = clock_now_ns();
    struct snapshot_slot *slot = snapshot_exchange_writing(&simulation->snapshots);
    struct snapshot *snapshot = slot->snapshot;
    if (copy_world(simulation, snapshot_schedule_fields(schedule), slot) != 0) {
        log_write(LOG_ERROR, "simulation", "out of memory: a snapshot is lost");
        return;
    }
    if (world_is_given_up(simulation->state.world)) {
        return; /* forces may be missing; the world that comes is shown soon */
    }
    slot->explained = schedule->explained;
    snapshot->epoch = simulation->state.epoch;
    const uint64_t now_ns = clock_now_ns();
    snapshot->clock_ms = (double)now_ns * 1e-6;
    snapshot->clock_tick = simulation_clock_tick_at(simulation, now_ns);
    snapshot->has_speed = true;
    snapshot->speed = simulation_effective_speed(simulation);
    snapshot_exchange_publish(&simulation->snapshots, reason);
    simulation_notify(simulation);
    simulation_measure(simulation, &simulation->statistics.copy_times, start_ns);
}

void simulation_show(struct simulation *simulation, uint64_t now_ns) {
    const uint64_t clock_tick = simulation_clock_tick_at(simulation, now_ns),
                   from = simulation->speed.shown_clock_tick;
    if (clock_tick != from) {
        const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
        if (snapshot_schedule_wants_since(&schedule, from, clock_tick)) {
            simulation_publish(simulation, &schedule, FRAME_REASON_CLOCK);
        }
        simulation->speed.shown_clock_tick = clock_tick;
    }
}

static void look_for_clump(struct simulation *simulation) {
    simulation->is_crowd_new = false;
    const struct clump clump = overload_look(simulation->state.world);
    pthread_mutex_lock(&simulation->mutex);
    simulation->overload.clump = clump;
    pthread_mutex_unlock(&simulation->mutex);
}

void simulation_beat(struct simulation *simulation) {
    atomic_store(&simulation->moved_ns, clock_now_ns());
}

uint64_t simulation_do_tick(struct simulation *simulation, uint64_t start_ns) {
    if (simulation->is_crowd_new) { /* this tick may be the one that does not end */
        look_for_clump(simulation);
    }
    atomic_store(&simulation->moved_ns, start_ns);
    atomic_store(&simulation->tick_began_ns, start_ns);
    simulation_state_step(&simulation->state);
    atomic_store(&simulation->tick_began_ns, 0);
    (void)atomic_fetch_add(&simulation->turns, 1);
    atomic_store(&simulation->has_begun, true);
    atomic_store(&simulation->tick, world_tick(simulation->state.world));
    const uint64_t now_ns = clock_now_ns();
    if (now_ns - simulation->asked_ranks_ns >= RANKS_NS) {
        simulation_ask_ranks(simulation);
    }
    if (!simulation->state.is_spoiled && overload_is_slow(now_ns - start_ns, simulation_due_hz(simulation))) {
        look_for_clump(simulation);
        pthread_mutex_lock(&simulation->mutex);
        overload_note(&simulation->overload, now_ns - start_ns);
        pthread_mutex_unlock(&simulation->mutex);
    }
    return now_ns;
}

/* The ways of the last tick. Under the mutex. */
static void note_ways(struct simulation_statistics *statistics, const struct world *world,
                      const struct way_share *shares, int count) {
    statistics->way_count = count;
    for (int i = 0; i < count; i++) {
        struct simulation_way *way = &statistics->ways[i];
        (void)snprintf(way->kind, sizeof way->kind, "%s", world_kind(world, shares[i].kind)->name);
        way->behavior = behavior_type_name(shares[i].behavior);
        way->lanes = shares[i].lanes;
    }
}

void simulation_note_tick(struct simulation *simulation, uint64_t start_ns, uint64_t now_ns) {
    struct simulation_statistics *statistics = &simulation->statistics;
    const struct world *world = simulation->state.world;
    const uint64_t second = (uint64_t)world_tick_hz(world);
    const bool is_new_second = world_tick(world) % (second > 0 ? second : 1) == 0;
    const double candidates = is_new_second ? world_candidates(world) : statistics->candidates;
    struct way_share shares[LIMIT_WAYS];
    const bool are_ways_due = is_new_second || statistics->way_count == 0;
    const int way_count = are_ways_due ? world_ways(world, shares, LIMIT_WAYS) : 0;
    pthread_mutex_lock(&simulation->mutex);
    if (are_ways_due) {
        note_ways(statistics, world, shares, way_count);
    }
    statistics->candidates = candidates;
    tick_meter_add(&statistics->step_times, now_ns - start_ns);
    pthread_mutex_unlock(&simulation->mutex);
}
