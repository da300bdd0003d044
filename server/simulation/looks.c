/* See looks.h. */
#include "server/simulation/looks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/protocol/message.h"
#include "common/system/clock.h"
#include "common/system/duty.h"
#include "common/system/timed_wait.h"
#include "server/commands/command_apply.h"
#include "server/commands/simulation_state.h"
#include "server/frames/frame_form.h"
#include "server/frames/world_snapshot.h"
#include "server/library/side_world.h"

enum { ANSWER_BYTES = 16 * 1024 * 1024, LINE_BYTES = 1024 * 1024 };
/* How often a look that follows asks whether the live world has gone on. */
#define FOLLOW_NS UINT64_C(16000000)

struct look {
    struct looks *looks;
    bool is_used;
    uint32_t number, session;
    atomic_bool is_over, is_replaced; /* it is to end; a further request waits */
    /* Under the mutex: */
    struct command *wanted;                     /* owned: the request that waits; NULL: none */
    struct command *questions, **last_question; /* owned */
    struct look_view view;
    bool is_view_new, has_frame, is_called,
        is_untold; /* has_frame: one waits for the loop; is_called: looks_check; is_untold: it has no definition */
    uint64_t bytes; /* counted for its world */
    /* The thread's: */
    struct side_world side;
    bool shows; /* it has answered one */
    bool follows;
    uint64_t from_tick, from_lived; /* where the following began, and when (struct past_state) */
    char line[PAST_NAME];           /* the branch that is followed */
    uint32_t world;                 /* struct past_state */
    uint64_t shown_tick;
    bool has_shown;
    struct message_scenario *scenario; /* owned: of the moment; NULL: none yet */
    struct buffer definition;          /* the line that was sent last, without counts of agents */
    struct snapshot *snapshot;         /* owned */
    struct frame_form *form;           /* owned; NULL: none is made yet */
    struct frame_scratch scratch;      /* stays with the place: frames on their way are counted in it */
};

struct looks {
    struct looks_def def;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct look looks[LOOKS_MOST]; /* the first def.most */
    uint32_t numbers;
    int running; /* threads */
    struct look_message *first, **last;
};

/* ---- messages ---- */

void looks_message_free(struct look_message *message) {
    if (message->command != NULL) {
        request_fini(&message->command->request);
        free(message->command);
    }
    shared_bytes_release(message->key);
    shared_bytes_release(message->frame);
    free(message->text);
    free(message);
}

static void push(struct look *look, const struct look_message *made) {
    struct looks *looks = look->looks;
    struct look_message *message = malloc(sizeof *message);
    if (message == NULL) {
        return; /* a frame or an answer is lost */
    }
    *message = *made;
    message->next = NULL;
    message->look = look->number;
    message->session = look->session;
    pthread_mutex_lock(&looks->mutex);
    *looks->last = message;
    looks->last = &message->next;
    look->has_frame = look->has_frame || message->kind == LOOK_FRAME;
    pthread_mutex_unlock(&looks->mutex);
    looks->def.notify(looks->def.context);
}

static void push_text(struct look *look, enum look_message_kind kind, struct command *command, bool is_first,
                      struct buffer *text) {
    struct look_message message = {.kind = kind, .command = command, .is_first = is_first};
    message.text = buffer_take(text, &message.length);
    push(look, &message);
}

static void refuse(struct look *look, struct command *command, const struct failure *failure) {
    struct buffer text;
    buffer_init(&text, LINE_BYTES);
    message_write_refusal(&command->request, command->origin.line, failure, &text);
    push_text(look, LOOK_ANSWER, command, false, &text);
}

static void withdraw(struct look *look, struct command *command) {
    struct failure failure = {0};
    (void)failure_set(&failure, FAILURE_WITHDRAWN, NULL,
                      "the look has ended, or a further one takes its place");
    refuse(look, command, &failure);
}

/* ---- frames ---- */

/* The line of the scenario; counts of agents are left at 0 in one that is compared. */
static void write_scenario(struct message_scenario *scenario, bool has_counts, struct buffer *line) {
    uint32_t counts[LIMIT_KINDS];
    for (int k = 0; k < scenario->kind_count; k++) {
        counts[k] = scenario->kinds[k].count;
        scenario->kinds[k].count = has_counts ? counts[k] : 0;
    }
    message_write_scenario(scenario, line);
    for (int k = 0; k < scenario->kind_count; k++) {
        scenario->kinds[k].count = counts[k];
    }
}

static bool is_same(const struct buffer *a, const struct buffer *b) {
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

/* Sends the definition of the world when the session has another one. */
static bool show_scenario(struct look *look) {
    struct buffer line, definition;
    pthread_mutex_lock(&look->looks->mutex);
    const bool is_active = look->view.is_active, is_untold = look->is_untold;
    look->is_untold = is_untold && !is_active;
    pthread_mutex_unlock(&look->looks->mutex);
    look->scenario = look->scenario == NULL ? calloc(1, sizeof *look->scenario) : look->scenario;
    if (look->scenario == NULL) {
        return false;
    }
    simulation_state_describe(look->side.state, look->scenario);
    look->scenario->pace = message_pace_make(1.0);
    buffer_init(&definition, LINE_BYTES);
    write_scenario(look->scenario, false, &definition);
    if (is_active && (is_untold || !is_same(&definition, &look->definition))) {
        buffer_init(&line, LINE_BYTES);
        write_scenario(look->scenario, true, &line);
        push_text(look, LOOK_SCENARIO, NULL, false, &line);
        look->has_shown = false;
    }
    if (is_active) {
        buffer_fini(&look->definition);
        look->definition = definition;
    } else {
        buffer_fini(&definition);
    }
    return true;
}

/* Copies out what the view shows. */
static bool copy_world(struct look *look, const struct snapshot_view *view) {
    const unsigned wanted = view->fields & (unsigned)(SNAPSHOT_HEADING | SNAPSHOT_FORCES | SNAPSHOT_PARTS);
    struct snapshot_demand *demand = calloc(1, sizeof *demand);
    if (demand == NULL) {
        return false;
    }
    snapshot_demand_add(demand, view);
    look->snapshot = look->snapshot == NULL ? snapshot_create() : look->snapshot;
    const bool is_done = look->snapshot != NULL && world_snapshot_copy_wanted(look->side.state->world, wanted,
                                                                              demand, look->snapshot) == 0;
    free(demand);
    if (is_done) {
        look->snapshot->clock_ms = (double)clock_now_ns() * 1e-6;
        look->snapshot->has_speed = true;
        look->snapshot->speed = 1.0;
    }
    return is_done;
}

/* The form of the view, without the key of another moment after which the tick goes down. */
static struct frame_form *form_of(struct look *look, const struct snapshot_view *view, bool is_new) {
    if (look->form != NULL && (is_new || !snapshot_view_equals(&look->form->view, view))) {
        frame_form_destroy(look->form, &look->scratch);
        look->form = NULL;
    }
    if (look->form == NULL) {
        const struct frame_estimate estimate = frame_form_estimate(view, look->scenario);
        look->form = frame_form_create(view, &estimate);
    }
    return look->form;
}

static void show_frame(struct look *look) {
    struct looks *looks = look->looks;
    const uint64_t tick = world_tick(look->side.state->world);
    pthread_mutex_lock(&looks->mutex);
    struct look_view view = look->view;
    const bool is_new = look->is_view_new || !look->has_shown || tick < look->shown_tick;
    look->is_view_new = false;
    pthread_mutex_unlock(&looks->mutex);
    view.view.key_changes = false;
    look->has_shown = true;
    look->shown_tick = tick;
    if (!view.is_active || !copy_world(look, &view.view)) {
        return;
    }
    struct frame_form *form = form_of(look, &view.view, is_new);
    if (form == NULL || !frame_form_make(form, look->snapshot, &look->scratch)) {
        look->has_shown = false; /* the next one is whole */
        return;
    }
    struct look_message message = {.kind = LOOK_FRAME, .frame = shared_bytes_keep(form->frame)};
    if (form->packed.number != 0 && form->key != NULL) {
        message.key = shared_bytes_keep(form->key);
        message.key_number = form->packed.number;
    }
    frame_form_clear(form);
    push(look, &message);
}

static void show(struct look *look) {
    if (show_scenario(look)) {
        show_frame(look);
    }
}

/* ---- the moment ---- */

/* Counts the memory of the look's world. False: there is not so much. */
static bool count_bytes(struct look *look, uint64_t bytes) {
    struct looks *looks = look->looks;
    uint64_t others = 0;
    pthread_mutex_lock(&looks->mutex);
    for (int i = 0; i < looks->def.most; i++) {
        others += &looks->looks[i] != look ? looks->looks[i].bytes : 0;
    }
    const bool has_room = others <= looks->def.bytes && bytes <= looks->def.bytes - others;
    look->bytes = has_room ? bytes : look->bytes;
    pthread_mutex_unlock(&looks->mutex);
    return has_room;
}

static int fail_room(const struct look *look, struct failure *failure) {
    return failure_set(
        failure, FAILURE_FULL, NULL,
        "the worlds that sessions look at take all of the %llu bytes that --rewind allows them",
        (unsigned long long)look->looks->def.bytes);
}

static uint64_t world_bytes_of(const struct look *look) {
    const struct world_room room = world_room_of(look->side.state->world);
    return world_room_bytes(&room);
}

/* Brings the world to a moment. *is_lost: it is nowhere afterwards. */
static int go(struct look *look, const struct request_rewind *to, struct past_route *route,
              uint64_t *simulated, bool *is_lost, struct failure *failure) {
    struct looks *looks = look->looks;
    const struct side_limits limits = {.given_up = &look->is_over, .is_replaced = &look->is_replaced};
    const struct past_place *here = look->side.place.serial == 0 ? NULL : &look->side.place;
    *is_lost = false;
    if (past_route_find(looks->def.past, to, here, route, failure) != 0) {
        return -1;
    }
    int result = look->side.state->world == NULL && !count_bytes(look, route->bytes)
                     ? fail_room(look, failure)
                     : side_world_go(&look->side, route, &looks->def.overrides, &limits, simulated, failure);
    *is_lost = look->side.place.serial == 0;
    if (result == 0 && !count_bytes(look, world_bytes_of(look))) {
        *is_lost = true;
        result = fail_room(look, failure);
    }
    look->world = route->world;
    past_route_fini(route);
    return result;
}

static void end(struct look *look, const char *reason) {
    const struct look_message message = {.kind = LOOK_ENDED, .reason = look->shows ? reason : NULL};
    if (!atomic_exchange(&look->is_over, true)) {
        push(look, &message);
    }
}

static void answer(struct look *look, struct command *command, const struct past_route *route,
                   uint64_t simulated) {
    struct buffer text;
    buffer_init(&text, LINE_BYTES);
    struct json_writer json = message_begin_answer(&command->request, &text);
    json_key_unsigned(&json, "tick", route->to.tick);
    json_key(&json, "hash");
    json_hex64(&json, world_hash(look->side.state->world));
    json_key_string(&json, "branch", route->branch);
    json_key_unsigned(&json, "first", route->first);
    json_key_unsigned(&json, "last", route->last);
    json_key_unsigned(&json, "simulated", simulated);
    message_end_reply(&json, &text);
    push_text(look, LOOK_ANSWER, command, true, &text);
}

static void move(struct look *look, struct command *command) {
    const struct request_look *wanted = &command->request.body.look;
    struct past_route route;
    struct failure failure = {0};
    uint64_t simulated = 0;
    bool is_lost = false;
    if (go(look, &wanted->to, &route, &simulated, &is_lost, &failure) != 0) {
        if (atomic_load(&look->is_over)) {
            withdraw(look, command);
            return;
        }
        refuse(look, command, &failure);
        const bool is_withdrawn = failure.code == FAILURE_WITHDRAWN; /* the further one finds its own way */
        if (!is_withdrawn && (is_lost || !look->shows)) {
            end(look, "failed");
        }
        return;
    }
    look->follows = wanted->follow;
    look->from_tick = route.to.tick;
    look->from_lived = past_read(look->looks->def.past, NULL).lived;
    memcpy(look->line, route.line, sizeof look->line);
    answer(look, command, &route, simulated);
    look->shows = true;
    show(look);
}

/* Goes on as far as the live world has. */
static void follow(struct look *look) {
    struct looks *looks = look->looks;
    const struct past_state now = past_read(looks->def.past, look->line);
    const uint64_t goal = look->from_tick + (now.lived - look->from_lived);
    const uint64_t tick = world_tick(look->side.state->world), last = now.is_there ? now.last : 0;
    struct request_rewind to = {.has_tick = true, .tick = goal < last ? goal : last};
    struct past_route route;
    struct failure failure = {0};
    uint64_t simulated = 0;
    bool is_lost = false;
    memcpy(to.branch, look->line, sizeof look->line);
    if (!now.is_there) {
        end(look, "gone");
        return;
    }
    if (to.tick <= tick) {
        return;
    }
    if (go(look, &to, &route, &simulated, &is_lost, &failure) != 0) {
        if (failure.code != FAILURE_WITHDRAWN || is_lost) {
            end(look, failure.code == FAILURE_OUT_OF_RANGE ? "gone" : "failed");
        }
        return;
    }
    pthread_mutex_lock(&looks->mutex);
    const bool is_due = !look->has_frame && to.tick / look->view.every != look->shown_tick / look->view.every;
    pthread_mutex_unlock(&looks->mutex);
    if (is_due) {
        show(look);
    }
}

static void ask(struct look *look, struct command *command) {
    struct buffer text;
    if (look->side.state->world == NULL) {
        withdraw(look, command);
        return;
    }
    buffer_init(&text, ANSWER_BYTES);
    look->side.state->session = look->session;
    (void)command_apply(look->side.state, &command->request, command->origin.line, &text);
    push_text(look, LOOK_ANSWER, command, false, &text);
}

/* ---- the thread ---- */

static void clear(struct look *look) {
    if (look->form != NULL) {
        frame_form_destroy(look->form, &look->scratch);
    }
    side_world_fini(&look->side);
    snapshot_destroy(look->snapshot);
    free(look->scenario);
    buffer_fini(&look->definition);
}

/* With the lock. Takes what is to be done next; NULL: nothing but following, or showing. */
static struct command *take(struct look *look) {
    struct command *command = look->wanted;
    if (command != NULL) {
        look->wanted = NULL;
        atomic_store(&look->is_replaced, false);
        return command;
    }
    command = look->questions;
    if (command != NULL) {
        look->questions = command->next;
        look->last_question = look->questions == NULL ? &look->questions : look->last_question;
    }
    return command;
}

/* Without the lock. */
static void work(struct look *look, struct command *command) {
    struct looks *looks = look->looks;
    if (look->shows && past_read(looks->def.past, NULL).world != look->world) {
        end(look, "loaded");
    }
    if (atomic_load(&look->is_over)) {
        if (command != NULL) {
            withdraw(look, command);
        }
    } else if (command == NULL) {
        if (look->follows) {
            follow(look);
        }
        pthread_mutex_lock(&looks->mutex);
        const bool is_new = look->is_view_new && look->shows;
        pthread_mutex_unlock(&looks->mutex);
        if (is_new && !atomic_load(&look->is_over)) {
            show(look);
        }
    } else if (command->request.op == REQUEST_LOOK) {
        move(look, command);
    } else {
        ask(look, command);
    }
}

static void *run(void *argument) {
    struct look *look = argument;
    struct looks *looks = look->looks;
    pthread_mutex_lock(&looks->mutex);
    while (true) {
        struct command *command = take(look);
        if (command == NULL && atomic_load(&look->is_over)) {
            break;
        }
        look->is_called = false;
        pthread_mutex_unlock(&looks->mutex);
        work(look, command);
        pthread_mutex_lock(&looks->mutex);
        const bool is_idle = look->wanted == NULL && look->questions == NULL && !look->is_called &&
                             !(look->is_view_new && look->shows);
        if (is_idle && !atomic_load(&look->is_over)) {
            (void)thread_sleep(&looks->changed, &looks->mutex,
                               look->follows ? clock_now_ns() + FOLLOW_NS : THREAD_SLEEP_ENDLESS);
        }
    }
    pthread_mutex_unlock(&looks->mutex);
    clear(look);
    pthread_mutex_lock(&looks->mutex);
    look->bytes = 0;
    look->is_used = false;
    looks->running--;
    pthread_cond_broadcast(&looks->changed);
    pthread_mutex_unlock(&looks->mutex);
    return NULL;
}

/* ---- life ---- */

struct looks *looks_create(const struct looks_def *def) {
    struct looks *looks = calloc(1, sizeof *looks);
    if (looks == NULL || pthread_mutex_init(&looks->mutex, NULL) != 0) {
        free(looks);
        return NULL;
    }
    if (timed_wait_init(&looks->changed) != 0) {
        pthread_mutex_destroy(&looks->mutex);
        free(looks);
        return NULL;
    }
    looks->def = *def;
    looks->last = &looks->first;
    for (int i = 0; i < def->most; i++) {
        looks->looks[i].looks = looks;
        frame_scratch_init(&looks->looks[i].scratch, def->frame_bytes);
    }
    return looks;
}

void looks_stop(struct looks *looks) {
    pthread_mutex_lock(&looks->mutex);
    for (int i = 0; i < looks->def.most; i++) {
        atomic_store(&looks->looks[i].is_over, true);
    }
    pthread_cond_broadcast(&looks->changed);
    while (looks->running > 0) {
        (void)thread_sleep(&looks->changed, &looks->mutex, THREAD_SLEEP_ENDLESS);
    }
    pthread_mutex_unlock(&looks->mutex);
}

void looks_destroy(struct looks *looks) {
    struct look_message *next = NULL;
    if (looks == NULL) {
        return;
    }
    looks_stop(looks);
    for (struct look_message *message = looks->first; message != NULL; message = next) {
        next = message->next;
        looks_message_free(message);
    }
    for (int i = 0; i < looks->def.most; i++) {
        frame_scratch_fini(&looks->looks[i].scratch);
    }
    pthread_cond_destroy(&looks->changed);
    pthread_mutex_destroy(&looks->mutex);
    free(looks);
}

/* ---- for the loop ---- */

static struct command *create_command(const struct command_origin *origin, const struct request *request) {
    struct command *command = calloc(1, sizeof *command);
    if (command != NULL) {
        command->event.session = origin->session;
        command->origin = *origin;
        request_copy(&command->request, request);
    }
    return command;
}

/* With the lock. */
static struct look *find(struct looks *looks, uint32_t number) {
    for (int i = 0; i < looks->def.most && number != 0; i++) {
        struct look *look = &looks->looks[i];
        if (look->is_used && look->number == number && !atomic_load(&look->is_over)) {
            return look;
        }
    }
    return NULL;
}

/* With the lock: takes a free place and starts its thread. NULL with *failure. */
static struct look *begin(struct looks *looks, uint32_t session, struct failure *failure) {
    struct look *look = looks->looks;
    pthread_t thread;
    while (look < looks->looks + looks->def.most && look->is_used) {
        look++;
    }
    if (look == looks->looks + looks->def.most) {
        (void)failure_set(failure, FAILURE_FULL, NULL,
                          "%d sessions look at another time already; at most %d may (--looks)",
                          looks->def.most, looks->def.most);
        return NULL;
    }
    memset(look, 0, offsetof(struct look, scratch));
    look->looks = looks;
    look->is_used = true;
    look->session = session;
    buffer_init(&look->definition, LINE_BYTES);
    look->number = ++looks->numbers;
    look->last_question = &look->questions;
    if (!side_world_init(&look->side) || thread_start(&thread, run, look) != 0) {
        side_world_fini(&look->side);
        look->is_used = false;
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory, or of threads");
        return NULL;
    }
    pthread_detach(thread);
    looks->running++;
    return look;
}

int looks_move(struct looks *looks, uint32_t *number, const struct command_origin *origin,
               const struct request *request, const struct look_view *view, struct failure *failure) {
    struct command *command = create_command(origin, request), *replaced = NULL;
    if (command == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    pthread_mutex_lock(&looks->mutex);
    struct look *look = find(looks, *number);
    look = look == NULL ? begin(looks, origin->session, failure) : look;
    if (look != NULL) {
        replaced = look->wanted;
        look->wanted = command;
        look->view = *view;
        atomic_store(&look->is_replaced, true);
        *number = look->number;
        pthread_cond_broadcast(&looks->changed);
    }
    pthread_mutex_unlock(&looks->mutex);
    if (look == NULL) {
        request_fini(&command->request);
        free(command);
        return -1;
    }
    if (replaced != NULL) {
        withdraw(look, replaced);
    }
    return 0;
}

bool looks_ask(struct looks *looks, uint32_t number, const struct command_origin *origin,
               const struct request *request) {
    struct command *command = create_command(origin, request);
    if (command == NULL) {
        return false;
    }
    pthread_mutex_lock(&looks->mutex);
    struct look *look = find(looks, number);
    if (look != NULL) {
        *look->last_question = command;
        look->last_question = &command->next;
        pthread_cond_broadcast(&looks->changed);
    }
    pthread_mutex_unlock(&looks->mutex);
    if (look == NULL) {
        request_fini(&command->request);
        free(command);
    }
    return look != NULL;
}

void looks_show(struct looks *looks, uint32_t number, const struct look_view *view, bool is_untold) {
    pthread_mutex_lock(&looks->mutex);
    struct look *look = find(looks, number);
    if (look != NULL) {
        look->view = *view;
        look->is_view_new = true;
        look->is_untold = look->is_untold || is_untold;
        pthread_cond_broadcast(&looks->changed);
    }
    pthread_mutex_unlock(&looks->mutex);
}

void looks_end(struct looks *looks, uint32_t number) {
    pthread_mutex_lock(&looks->mutex);
    struct look *look = find(looks, number);
    if (look != NULL) {
        atomic_store(&look->is_over, true);
        pthread_cond_broadcast(&looks->changed);
    }
    pthread_mutex_unlock(&looks->mutex);
}

void looks_check(struct looks *looks) {
    pthread_mutex_lock(&looks->mutex);
    for (int i = 0; i < looks->def.most; i++) {
        looks->looks[i].is_called = true;
    }
    pthread_cond_broadcast(&looks->changed);
    pthread_mutex_unlock(&looks->mutex);
}

struct look_message *looks_take(struct looks *looks) {
    pthread_mutex_lock(&looks->mutex);
    struct look_message *first = looks->first;
    looks->first = NULL;
    looks->last = &looks->first;
    for (int i = 0; i < looks->def.most; i++) {
        looks->looks[i].has_frame = false;
    }
    pthread_mutex_unlock(&looks->mutex);
    return first;
}
