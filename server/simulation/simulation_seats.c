/* See simulation_internal.h. Seats: controllers that wait for one another.
 *
 * A seat is waiting, while the world waits for its go; going, while ticks of its go are left to do; or excused from the tick
 * that comes, which begins without it. Requests of a holder that are of a tick are kept with its seat until the tick of
 * its next go begins. Then all seats' are applied, in the order of the names of the seats. What is more than may be kept is
 * refused, so that the go behind it is read (SESSION_SEAT_COMMANDS). */
#include "server/simulation/simulation_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/system/clock.h"
#include "common/system/log.h"

enum { ANSWER_BYTES = 16 * 1024 * 1024 };

#define NS_PER_MS UINT64_C(1000000)
/* A wait of so long is worth an event. */
#define NOTICE_NS (100 * NS_PER_MS)
/* So often a world that waits shows that it is alive. */
#define BEAT_NS (250 * NS_PER_MS)

static const char *const timeout_names[] = {
    [SEAT_TIMEOUT_PAUSE] = "pause", [SEAT_TIMEOUT_GO] = "go", [SEAT_TIMEOUT_LEAVE] = "leave"};

static struct seat *find_seat(struct seats *seats, uint32_t session) {
    for (uint32_t i = 0; i < seats->count; i++) {
        if (seats->rows[i].session == session) {
            return &seats->rows[i];
        }
    }
    return NULL;
}

/* How many are to be taken before the world steps. */
static uint32_t most_wanted(const struct seats *seats) {
    uint32_t of = 1;
    for (uint32_t i = 0; i < seats->count; i++) {
        of = seats->rows[i].of > of ? seats->rows[i].of : of;
    }
    return of;
}

static bool is_awaited(const struct seat *seat) {
    return seat->left == 0 && !seat->is_excused;
}

/* What `stats` says, for the loop. */
static void report(struct simulation *simulation) {
    const struct seats *seats = &simulation->seats;
    struct simulation_seats *shown = &simulation->statistics.seats;
    pthread_mutex_lock(&simulation->mutex);
    shown->count = seats->count;
    shown->of = most_wanted(seats);
    for (uint32_t i = 0; i < seats->count; i++) {
        memcpy(shown->rows[i].name, seats->rows[i].name, sizeof shown->rows[i].name);
        shown->rows[i].is_awaited = is_awaited(&seats->rows[i]);
    }
    pthread_mutex_unlock(&simulation->mutex);
}

static void refuse(struct simulation *simulation, struct command *command, enum failure_code code,
                   const char *why) {
    struct failure failure = {0};
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    (void)failure_set(&failure, code, NULL, "%s", why);
    message_write_refusal(&command->request, command->origin.line, &failure, &text);
    simulation_answer(simulation, command, &text);
}

/* seat: NULL, then the world waits for seats to be taken. then: what follows; NULL: it waits still. */
static void send_wait(struct simulation *simulation, const struct seat *seat, uint64_t waited_ns,
                      const char *then) {
    struct message_event event = {.has = EVENT_HAS_SEAT, .ms = (uint32_t)(waited_ns / NS_PER_MS)};
    (void)snprintf(event.event, sizeof event.event, "%s", then == NULL ? "waiting" : "seat_timeout");
    (void)snprintf(event.then, sizeof event.then, "%s", then == NULL ? "" : then);
    if (seat != NULL) {
        memcpy(event.seat, seat->name, sizeof event.seat);
    } else {
        event.of = most_wanted(&simulation->seats);
        event.has |= EVENT_HAS_COUNT;
        event.count = simulation->seats.count;
    }
    simulation_push_event(simulation, &event, seat == NULL ? 0 : seat->session, false);
    simulation_notify(simulation);
}

/* ---- a go ---- */

static void finish_go(struct simulation *simulation, struct seat *seat) {
    struct command *command = seat->go;
    struct buffer text;
    buffer_init(&text, ANSWER_BYTES);
    command_finish_go(&simulation->state, &command->request, seat->left > 0,
                      rint((double)seat->waited_ns * 1e-3) / 1000.0, &text);
    seat->go = NULL;
    seat->left = 0;
    command_queue_go(&simulation->commands, seat->session, false);
    simulation_answer(simulation, command, &text);
}

/* Drops what the holder of a seat waits for. */
static void withdraw(struct simulation *simulation, struct seat *seat, const char *why) {
    if (seat->go != NULL) {
        finish_go(simulation, seat);
    }
    while (seat->first != NULL) {
        struct command *command = seat->first;
        seat->first = command->next;
        command->next = NULL;
        simulation->seats.kept_bytes -= request_extra_bytes(&command->request);
        refuse(simulation, command, FAILURE_WITHDRAWN, why);
    }
    simulation->seats.kept -= seat->kept;
    seat->last = NULL;
    seat->kept = 0;
}

static int serve_go(void *context, const struct request_go *go, struct failure *failure) {
    struct simulation *simulation = context;
    struct seat *seat = find_seat(&simulation->seats, simulation->state.session);
    const uint64_t tick = world_tick(simulation->state.world);
    if (seat == NULL) {
        return failure_set(failure, FAILURE_NO_SEAT, NULL,
                           "you have no seat, or have lost it; take one with seat");
    }
    if (go->tick == tick) {
        seat->is_moved = false;
        return 0;
    }
    const bool is_late = go->tick < tick || seat->is_moved;
    (void)failure_set(failure, is_late ? FAILURE_LATE : FAILURE_EARLY, "tick",
                      "the world has tick %" PRIu64 "%s; tick is to be that", tick,
                      seat->is_moved ? ", after a load, rewind or seek" : "");
    failure->has_tick = true;
    failure->tick = tick;
    return -1;
}

void simulation_begin_go(struct simulation *simulation, struct command *command) {
    struct seat *seat = find_seat(&simulation->seats, command->origin.session);
    assert(seat != NULL && seat->go == NULL);
    if (seat == NULL) { /* serve_go has found it */
        refuse(simulation, command, FAILURE_INTERNAL, "the seat has gone");
        return;
    }
    seat->go = command;
    seat->left = command->request.body.go.count;
    seat->said_ns = clock_now_ns();
    seat->waited_ns = 0;
    seat->misses = 0;
    seat->is_excused = false;
    command_queue_go(&simulation->commands, seat->session, true);
    report(simulation);
}

/* ---- seats ---- */

static int check_seat(const struct seats *seats, uint32_t session, const char *name,
                      struct failure *failure) {
    for (uint32_t i = 0; i < seats->count; i++) {
        const struct seat *seat = &seats->rows[i];
        if (seat->session == session) {
            return failure_set(failure, FAILURE_EXISTS, NULL,
                               "this session has the seat \"%s\"; a session has one, which leave frees",
                               seat->name);
        }
        if (strcmp(seat->name, name) == 0) {
            return failure_set(failure, FAILURE_EXISTS, "name",
                               "the seat \"%s\" is taken by session %u; names are unique", name,
                               (unsigned)seat->session);
        }
    }
    return seats->count < LIMIT_SEATS
               ? 0
               : failure_set(failure, FAILURE_FULL, NULL, "all %d seats are taken", LIMIT_SEATS);
}

static int serve_seat(void *context, const struct request_seat *request, struct json_writer *json,
                      struct failure *failure) {
    struct simulation *simulation = context;
    struct seats *seats = &simulation->seats;
    const uint32_t session = simulation->state.session;
    uint32_t at = 0;
    if (check_seat(seats, session, request->name, failure) != 0) {
        return -1;
    }
    while (at < seats->count && strcmp(seats->rows[at].name, request->name) < 0) {
        at++;
    }
    memmove(&seats->rows[at + 1], &seats->rows[at], (seats->count - at) * sizeof seats->rows[0]);
    seats->rows[at] = (struct seat){.session = session,
                                    .of = request->of,
                                    .wait_ms = request->wait_ms,
                                    .on_timeout = (enum seat_timeout)request->on_timeout,
                                    .misses_most = request->misses,
                                    .since_ns = clock_now_ns()};
    memcpy(seats->rows[at].name, request->name, sizeof seats->rows[at].name);
    seats->began_ns = seats->count == 0 ? seats->rows[at].since_ns : seats->began_ns;
    seats->count++;
    simulation->state.seats = seats->count;
    if (!seats->is_whole && seats->count >= most_wanted(seats)) {
        seats->is_whole = true;
        seats->since_ns = clock_now_ns();
    }
    command_queue_seat(&simulation->commands, session, true);
    report(simulation);
    log_write(LOG_INFO, "simulation", "session %u takes the seat \"%s\", %u of %u", (unsigned)session,
              request->name, (unsigned)seats->count, (unsigned)most_wanted(seats));
    json_key_unsigned(json, "seat", at + 1);
    json_key_string(json, "name", request->name);
    json_key_unsigned(json, "seats", seats->count);
    json_key_unsigned(json, "of", most_wanted(seats));
    return 0;
}

static void free_seat(struct simulation *simulation, struct seat *seat) {
    struct seats *seats = &simulation->seats;
    withdraw(simulation, seat, "the seat was left, or lost, before its next go");
    command_queue_seat(&simulation->commands, seat->session, false);
    log_write(LOG_INFO, "simulation", "the seat \"%s\" of session %u is free", seat->name,
              (unsigned)seat->session);
    const size_t at = (size_t)(seat - seats->rows);
    seats->count--;
    simulation->state.seats = seats->count;
    memmove(seat, seat + 1, (seats->count - at) * sizeof *seat);
    if (seats->count == 0) {
        seats->is_whole = false;
        seats->credit = 0;
        simulation_reset_clock(simulation); /* no tick is due for the waits */
    }
    report(simulation);
}

static void serve_leave(void *context, struct json_writer *json) {
    struct simulation *simulation = context;
    struct seat *seat = find_seat(&simulation->seats, simulation->state.session);
    if (seat != NULL) {
        free_seat(simulation, seat);
    }
    json_key_unsigned(json, "seats", simulation->seats.count);
}

static uint64_t due_ns(const struct simulation *simulation) {
    return simulation_is_at_max(simulation) || simulation->seats.credit > 0
               ? 0
               : tick_clock_deadline_ns(&simulation->clock);
}

/* For how long the world has waited for the seat; not while it is paused, nor before the tick's own time. */
static uint64_t waited_ns(const struct simulation *simulation, const struct seat *seat, uint64_t now_ns) {
    uint64_t since_ns = seat->since_ns;
    since_ns = simulation->seats.since_ns > since_ns ? simulation->seats.since_ns : since_ns;
    since_ns = due_ns(simulation) > since_ns ? due_ns(simulation) : since_ns;
    return now_ns > since_ns ? now_ns - since_ns : 0;
}

static void serve_list(void *context, struct json_writer *json) {
    const struct simulation *simulation = context;
    const struct seats *seats = &simulation->seats;
    const bool is_paused = simulation->state.is_paused;
    json_key_unsigned(json, "of", most_wanted(seats));
    json_key(json, "seats");
    json_array(json);
    for (uint32_t i = 0; i < seats->count; i++) {
        const struct seat *seat = &seats->rows[i];
        const uint64_t waited =
            is_paused || !is_awaited(seat) ? 0 : waited_ns(simulation, seat, clock_now_ns());
        json_object(json);
        json_key_unsigned(json, "seat", i + 1);
        json_key_string(json, "name", seat->name);
        json_key_unsigned(json, "session", seat->session);
        json_key_bool(json, "awaited", is_awaited(seat));
        json_key_unsigned(json, "waited_ms", waited / NS_PER_MS);
        json_key_unsigned(json, "requests", seat->kept);
        json_key_unsigned(json, "misses", seat->misses);
        json_end(json);
    }
    json_end(json);
}

void simulation_seats_init(struct simulation *simulation) {
    struct state_services *services = &simulation->state.services;
    services->seat = serve_seat;
    services->go = serve_go;
    services->leave = serve_leave;
    services->list_seats = serve_list;
}

void simulation_seats_end(struct simulation *simulation) {
    for (uint32_t i = 0; i < simulation->seats.count; i++) {
        struct seat *seat = &simulation->seats.rows[i];
        if (seat->go != NULL) {
            refuse(simulation, seat->go, FAILURE_BUSY, "the server stops");
            seat->go = NULL;
        }
        withdraw(simulation, seat, "the server stops");
    }
}

void simulation_seats_move(struct simulation *simulation) {
    for (uint32_t i = 0; i < simulation->seats.count; i++) {
        struct seat *seat = &simulation->seats.rows[i];
        withdraw(simulation, seat, "another world came in before the next go");
        seat->is_moved = true;
        seat->is_excused = false;
    }
    simulation->seats.since_ns = clock_now_ns();
}

/* ---- requests ---- */

/* Whether one more request, with so many bytes of extras, may wait for the go of the seat. 0, or -1 with the failure. */
static int check_room(const struct seats *seats, const struct seat *seat, size_t bytes,
                      struct failure *failure) {
    if (seat->kept == COMMAND_SEAT_MOST) {
        return failure_set(failure, FAILURE_FULL, NULL,
                           "a seat has at most %d requests before its go; a batch is one", COMMAND_SEAT_MOST);
    }
    if (seats->kept >= COMMAND_SEATS_MOST && seat->kept >= COMMAND_SEAT_SURE) {
        return failure_set(failure, FAILURE_FULL, NULL,
                           "%u requests of all seats wait for a go; this seat has at most %d then",
                           (unsigned)seats->kept, COMMAND_SEAT_SURE);
    }
    return bytes <= COMMAND_EXTRA_BYTES - seats->kept_bytes
               ? 0
               : failure_set(failure, FAILURE_FULL, NULL,
                             "the requests that wait for a go take too much memory");
}

bool simulation_seats_keep(struct simulation *simulation, struct command *command) {
    struct seats *seats = &simulation->seats;
    struct seat *seat = find_seat(seats, command->origin.session);
    if (seat == NULL || !command_is_of_tick(&command->request)) {
        return false;
    }
    const size_t bytes = request_extra_bytes(&command->request);
    struct failure failure = {0};
    if (check_room(seats, seat, bytes, &failure) != 0) {
        refuse(simulation, command, failure.code, failure.message);
        return true;
    }
    assert(command->next == NULL && seat->go == NULL);
    seats->kept_bytes += bytes;
    seats->kept++;
    seat->kept++;
    if (seat->first == NULL) {
        seat->first = command;
    } else {
        seat->last->next = command;
    }
    seat->last = command;
    return true;
}

struct command *simulation_seats_take(struct simulation *simulation) {
    struct seats *seats = &simulation->seats;
    for (uint32_t i = 0; i < seats->count; i++) {
        struct seat *seat = &seats->rows[i];
        struct command *command = seat->first;
        if (seat->left > 0 && command != NULL) {
            seat->first = command->next;
            command->next = NULL;
            seat->kept--;
            seats->kept--;
            seats->kept_bytes -= request_extra_bytes(&command->request);
            if (command->request.has_at) {
                command_queue_renew(&simulation->commands, command);
            }
            return command;
        }
    }
    return NULL;
}

/* ---- waiting ---- */

void simulation_seats_settle(struct simulation *simulation) {
    struct seats *seats = &simulation->seats;
    struct seat *seat = NULL;
    if (seats->count == 0 && !seats->is_shut) {
        return;
    }
    while ((seat = find_seat(seats, command_queue_find_left(&simulation->commands))) != NULL) {
        free_seat(simulation, seat);
    }
    const bool waits = seats->count > 0 && !simulation->state.is_paused;
    if (waits && !seats->is_shut) {
        seats->since_ns = clock_now_ns(); /* it was paused, or the first one came */
    }
    seats->is_shut = waits;
    command_queue_shut(&simulation->commands, waits);
    if (simulation->has_answers) {
        simulation_notify(simulation);
    }
}

/* The wait for a seat is over. Returns whether the seat has gone. */
static bool time_out(struct simulation *simulation, struct seat *seat, uint64_t waited) {
    const enum seat_timeout then =
        ++seat->misses >= seat->misses_most ? SEAT_TIMEOUT_LEAVE : seat->on_timeout;
    send_wait(simulation, seat, waited, timeout_names[then]);
    if (then == SEAT_TIMEOUT_LEAVE) {
        free_seat(simulation, seat);
        return true;
    }
    seat->is_excused = then == SEAT_TIMEOUT_GO;
    seat->is_told = false;
    simulation->seats.wants_pause = then == SEAT_TIMEOUT_PAUSE;
    return false;
}

/* Does what is due with the wait for a seat. Returns whether the seat is there still. */
static bool look_at(struct simulation *simulation, struct seat *seat, uint64_t now_ns) {
    const uint64_t waited = is_awaited(seat) ? waited_ns(simulation, seat, now_ns) : 0;
    if (waited >= seat->wait_ms * NS_PER_MS) {
        return !time_out(simulation, seat, waited);
    }
    if (waited >= NOTICE_NS && !seat->is_told) {
        seat->is_told = true;
        send_wait(simulation, seat, waited, NULL);
    }
    return true;
}

/* Whether enough seats are taken. */
static bool are_taken(struct simulation *simulation, uint64_t now_ns) {
    struct seats *seats = &simulation->seats;
    const uint64_t since_ns = seats->since_ns > seats->began_ns ? seats->since_ns : seats->began_ns;
    const uint64_t waited = now_ns > since_ns ? now_ns - since_ns : 0;
    if (seats->is_whole) {
        return true;
    }
    if (waited >= LIMIT_SEATS_WAIT_S * 1000 * NS_PER_MS) {
        send_wait(simulation, NULL, waited, timeout_names[SEAT_TIMEOUT_PAUSE]);
        seats->wants_pause = true;
        seats->is_told = false;
    } else if (waited >= NOTICE_NS && !seats->is_told) {
        seats->is_told = true;
        send_wait(simulation, NULL, waited, NULL);
    }
    return false;
}

static bool are_ready(const struct seats *seats) {
    bool is_ready = seats->is_whole;
    for (uint32_t i = 0; i < seats->count; i++) {
        is_ready = is_ready && !is_awaited(&seats->rows[i]);
    }
    return is_ready;
}

bool simulation_seats_may_step(struct simulation *simulation) {
    struct seats *seats = &simulation->seats;
    const uint64_t now_ns = clock_now_ns();
    simulation_beat(simulation);
    if (seats->count == 0 || !are_taken(simulation, now_ns)) {
        return false; /* without seats ticks come by the clock again, from the next turn on */
    }
    for (uint32_t i = 0; i < seats->count && !seats->wants_pause;) {
        i += look_at(simulation, &seats->rows[i], now_ns) ? 1 : 0;
    }
    if (seats->count == 0 || seats->wants_pause || !are_ready(seats)) {
        return false;
    }
    if (!simulation_is_at_max(simulation) && seats->credit == 0 &&
        tick_clock_take_one(&simulation->clock, now_ns)) {
        seats->credit = simulation_ticks_each(simulation);
    }
    return simulation_is_at_max(simulation) || seats->credit > 0;
}

void simulation_seats_wait(struct simulation *simulation) {
    const struct seats *seats = &simulation->seats;
    const uint64_t now_ns = clock_now_ns();
    uint64_t deadline_ns = now_ns + BEAT_NS;
    if (are_ready(seats)) {
        deadline_ns = due_ns(simulation) < deadline_ns ? due_ns(simulation) : deadline_ns;
    }
    for (uint32_t i = 0; i < seats->count && seats->is_whole; i++) {
        const struct seat *seat = &seats->rows[i];
        const uint64_t wait_ns = seat->wait_ms * NS_PER_MS;
        const uint64_t until_ns = seat->is_told || wait_ns < NOTICE_NS ? wait_ns : NOTICE_NS;
        const uint64_t waited = waited_ns(simulation, seat, now_ns);
        const uint64_t left_ns = until_ns > waited ? until_ns - waited : 0;
        if (is_awaited(seat) && now_ns + left_ns < deadline_ns) {
            deadline_ns = now_ns + left_ns;
        }
    }
    if (deadline_ns > now_ns) {
        command_queue_wait(&simulation->commands, &deadline_ns, COMMAND_ANY);
    }
}

void simulation_seats_end_tick(struct simulation *simulation, uint64_t start_ns) {
    struct seats *seats = &simulation->seats;
    for (uint32_t i = 0; i < seats->count; i++) {
        struct seat *seat = &seats->rows[i];
        seat->is_excused = false;
        seat->is_told = false;
        if (seat->left > 0) {
            const bool is_first = seat->left == seat->go->request.body.go.count;
            const uint64_t from_ns = is_first ? seat->said_ns : seats->since_ns;
            seat->waited_ns += start_ns > from_ns ? start_ns - from_ns : 0;
            seat->left--;
            if (seat->left == 0) {
                finish_go(simulation, seat);
            }
        }
    }
    seats->credit -= seats->credit > 0 ? 1 : 0;
    seats->since_ns = clock_now_ns();
    report(simulation);
    if (simulation->has_answers) {
        simulation_notify(simulation);
    }
}
