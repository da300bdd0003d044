/* See command_queue.h. */
#include "server/exchange/command_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "common/system/timed_wait.h"

/* ---- events ---- */

int event_queue_init(struct event_queue *queue) {
    queue->first = NULL;
    queue->last = &queue->first;
    return pthread_mutex_init(&queue->mutex, NULL) == 0 ? 0 : -1;
}

void event_queue_fini(struct event_queue *queue) {
    struct sim_event *event = event_queue_take(queue);
    while (event != NULL) {
        struct sim_event *next = event->next;
        sim_event_free(event);
        event = next;
    }
    pthread_mutex_destroy(&queue->mutex);
}

void event_queue_push(struct event_queue *queue, struct sim_event *event) {
    assert(event != NULL);
    event->next = NULL;
    pthread_mutex_lock(&queue->mutex);
    *queue->last = event;
    queue->last = &event->next;
    pthread_mutex_unlock(&queue->mutex);
}

void event_queue_answer(struct event_queue *queue, struct command *command, struct buffer *text) {
    command->event.text = buffer_take(text, &command->event.length);
    request_extra_release(command->event.extra);
    command->event.extra = NULL;
    command->request.extra = NULL;
    event_queue_push(queue, &command->event);
}

struct sim_event *event_queue_take(struct event_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    struct sim_event *first = queue->first;
    queue->first = NULL;
    queue->last = &queue->first;
    pthread_mutex_unlock(&queue->mutex);
    return first;
}

struct sim_event *sim_event_create(enum sim_event_kind kind, struct buffer *text) {
    struct sim_event *event = calloc(1, sizeof *event);
    const bool failed = text->failed;
    size_t length = 0;
    char *data = buffer_take(text, &length);
    if (event == NULL || data == NULL || failed) {
        free(event);
        free(data);
        return NULL;
    }
    event->kind = kind;
    event->text = data;
    event->length = length;
    return event;
}

struct sim_event *sim_event_create_message(const struct message_event *message) {
    struct sim_event *event = calloc(1, sizeof *event);
    struct message_event *copy = malloc(sizeof *copy);
    if (event == NULL || copy == NULL) {
        free(event);
        free(copy);
        return NULL;
    }
    *copy = *message;
    event->kind = SIM_EVENT_MESSAGE;
    event->message = copy;
    return event;
}

void sim_event_free(struct sim_event *event) {
    if (event != NULL) {
        free(event->text);
        free(event->message);
        request_extra_release(event->extra);
        free(event);
    }
}

/* ---- commands ---- */

enum { BUCKETS = 1024 }; /* a power of two; sessions have consecutive numbers */

enum command_sort command_sort_of(const struct request *request) {
    return request_has_trait(request->op, REQUEST_TRAIT_QUERY) ? COMMAND_QUERY : COMMAND_CHANGE;
}

bool command_is_of_tick(const struct request *request) {
    return request->op == REQUEST_BATCH || request_has_trait(request->op, REQUEST_TRAIT_BATCH) ||
           request_has_trait(request->op, REQUEST_TRAIT_REPLACES);
}

/* ---- lanes ---- */

static struct command_lane *find_lane(const struct command_lanes *lanes, uint32_t session) {
    struct command_lane *lane = lanes->buckets[session % BUCKETS];
    while (lane != NULL && lane->session != session) {
        lane = lane->next_in_bucket;
    }
    return lane;
}

/* There is always an unused one: a lane in use has a command. */
static struct command_lane *add_lane(struct command_lanes *lanes, uint32_t session) {
    struct command_lane **bucket = &lanes->buckets[session % BUCKETS];
    struct command_lane *lane = lanes->unused;
    assert(lane != NULL);
    lanes->unused = lane->next;
    *lane = (struct command_lane){
        .session = session, .end_ns = UINT64_MAX, .next_in_bucket = *bucket, .next = lanes->used};
    *bucket = lane;
    if (lanes->used != NULL) {
        lanes->used->previous = lane;
    }
    lanes->used = lane;
    return lane;
}

static void drop_lane(struct command_lanes *lanes, struct command_lane *lane) {
    struct command_lane **link = &lanes->buckets[lane->session % BUCKETS];
    while (*link != lane) {
        link = &(*link)->next_in_bucket;
    }
    *link = lane->next_in_bucket;
    if (lane->previous != NULL) {
        lane->previous->next = lane->next;
    } else {
        lanes->used = lane->next;
    }
    if (lane->next != NULL) {
        lane->next->previous = lane->previous;
    }
    lane->next = lanes->unused;
    lanes->unused = lane;
}

/* Takes the lane's first command; the lane goes with its last one. */
static struct command *remove_first(struct command_lanes *lanes, struct command_lane *lane) {
    struct command *command = lane->first;
    lane->first = command->next;
    command->next = NULL;
    lanes->count--;
    assert(lanes->extra_bytes >= request_extra_bytes(&command->request));
    lanes->extra_bytes -= request_extra_bytes(&command->request);
    if (lane->first == NULL) {
        drop_lane(lanes, lane);
    }
    return command;
}

static void fini_lanes(struct command_lanes *lanes) {
    while (lanes->used != NULL) {
        sim_event_free(&remove_first(lanes, lanes->used)->event);
    }
    free(lanes->lanes);
    free(lanes->heap);
    free(lanes->buckets);
    *lanes = (struct command_lanes){0};
}

static int init_lanes(struct command_lanes *lanes, size_t capacity, command_is_ready *is_ready,
                      void *context) {
    *lanes = (struct command_lanes){.capacity = capacity, .is_ready = is_ready, .context = context};
    lanes->lanes = calloc(capacity, sizeof *lanes->lanes);
    lanes->heap = calloc(capacity, sizeof *lanes->heap);
    lanes->buckets = calloc(BUCKETS, sizeof *lanes->buckets);
    if (lanes->lanes == NULL || lanes->heap == NULL || lanes->buckets == NULL) {
        fini_lanes(lanes);
        return -1;
    }
    for (size_t i = 0; i < capacity; i++) {
        lanes->lanes[i].next = lanes->unused;
        lanes->unused = &lanes->lanes[i];
    }
    return 0;
}

/* The row of a session; count: it has no seat. */
static uint32_t find_seat(const struct command_seats *seats, uint32_t session) {
    uint32_t row = 0;
    while (row < seats->count && seats->rows[row].session != session) {
        row++;
    }
    return row;
}

/* Whether the ticks of seats come before the command. */
static bool waits_for_seats(const struct command_seats *seats, const struct command *command) {
    const uint32_t row = find_seat(seats, command->origin.session);
    const bool is_of_tick = command_is_of_tick(&command->request);
    if (row == seats->count) {
        return seats->is_shut && is_of_tick;
    }
    /* In a paused world no tick comes until somebody resumes it, perhaps this session. */
    return seats->rows[row].is_going && (seats->is_shut || is_of_tick || command->request.op == REQUEST_GO);
}

/* Whether the first command of its lane has to wait. */
static bool is_held(const struct command_lanes *lanes, struct command *command) {
    const enum request_op op = command->request.op;
    const bool is_pause = op == REQUEST_PAUSE && !command->request.has_at;
    if (lanes->step != NULL &&
        (command->origin.session == lanes->step->origin.session || op == REQUEST_STEP || is_pause)) {
        return true;
    }
    if (waits_for_seats(&lanes->seats, command)) {
        return true;
    }
    return lanes->is_ready != NULL && !lanes->is_ready(lanes->context, command);
}

/* ---- arriving ---- */

static bool is_pointer(const struct request *request) {
    return request->id[0] == '\0' && request_has_trait(request->op, REQUEST_TRAIT_REPLACES) &&
           !(request->op == REQUEST_CURSOR && request->body.cursor.gone);
}

static struct command *create_command(const struct command_origin *origin, const struct request *request) {
    struct command *command = malloc(sizeof *command);
    if (command != NULL) {
        command->event = (struct sim_event){.kind = SIM_EVENT_ANSWER, .session = origin->session};
        command->origin = *origin;
        command->turn = 0;
        command->is_withdrawn = false;
        command->next = NULL;
        command->order = NULL;
        command->request = *request;
        command->event.extra = request_extra_keep(request->extra);
    }
    return command;
}

static bool has_room(const struct command_lanes *lanes, const struct request *request) {
    const size_t extra = request_extra_bytes(request);
    return lanes->count < lanes->capacity &&
           (extra == 0 ||
            (extra <= COMMAND_EXTRA_BYTES && lanes->extra_bytes <= COMMAND_EXTRA_BYTES - extra));
}

static void note_pause(struct command_lanes *lanes, uint64_t number, uint64_t ticking_ns) {
    if (lanes->paused_steps == 0) { /* otherwise steps before an earlier one have yet to end: they go first */
        lanes->pause_end_ns = ticking_ns + COMMAND_GRACE_NS;
    }
    lanes->paused_steps = lanes->steps;
    lanes->pause = number;
}

static enum command_push add_command(struct command_lanes *lanes, const struct command_origin *origin,
                                     const struct request *request, uint64_t ticking_ns) {
    struct command_lane *lane = find_lane(lanes, origin->session);
    if (lane != NULL && is_pointer(request) && is_pointer(&lane->last->request) &&
        lane->last->request.op == request->op) {
        assert(request->extra == NULL);
        lane->last->origin = *origin;
        lane->last->request = *request;
        return COMMAND_REPLACED;
    }
    struct command *command = has_room(lanes, request) ? create_command(origin, request) : NULL;
    if (command == NULL) {
        return COMMAND_REFUSED;
    }
    command->number = ++lanes->arrivals;
    if (lane == NULL) {
        lane = add_lane(lanes, origin->session);
        lane->first = command;
    } else {
        lane->last->next = command;
    }
    lane->last = command;
    lanes->count++;
    lanes->extra_bytes += request_extra_bytes(request);
    if (command_sort_of(request) == COMMAND_QUERY) {
        lane->turn = (lane->turn > lanes->turn ? lane->turn : lanes->turn) + 1;
        command->turn = lane->turn;
    }
    lanes->steps += request->op == REQUEST_STEP ? 1 : 0;
    if (request->op == REQUEST_PAUSE && !request->has_at) {
        note_pause(lanes, command->number, ticking_ns);
    }
    if (lane->first == command && !lanes->is_dealing) {
        (void)is_held(lanes, command);
    }
    return COMMAND_QUEUED;
}

/* ---- a pass ---- */

static bool is_before(const struct command_candidate *a, const struct command_candidate *b) {
    return a->turn != b->turn ? a->turn < b->turn : a->number < b->number;
}

static void push_candidate(struct command_lanes *lanes, struct command_lane *lane) {
    const struct command_candidate added = {lane->first->turn, lane->first->number, lane};
    struct command_candidate *heap = lanes->heap;
    size_t at = lanes->heap_count++;
    for (; at > 0 && is_before(&added, &heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = added;
}

static struct command_lane *pop_candidate(struct command_lanes *lanes) {
    struct command_candidate *heap = lanes->heap;
    struct command_lane *lane = heap[0].lane;
    const struct command_candidate moved = heap[--lanes->heap_count];
    size_t at = 0;
    for (size_t child = 1; child < lanes->heap_count; child = 2 * at + 1) {
        child += child + 1 < lanes->heap_count && is_before(&heap[child + 1], &heap[child]) ? 1 : 0;
        if (!is_before(&heap[child], &moved)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
    return lane;
}

static bool is_wanted(const struct command *command, unsigned wanted) {
    return (command_sort_of(&command->request) & wanted) != 0;
}

static void begin_step(struct command_lanes *lanes, struct command *command, uint64_t end_ns) {
    assert(lanes->step == NULL);
    lanes->step = command;
    lanes->step_end_ns = end_ns;
}

/* The commands that were taken are done, but for the step under way. */
static void settle(struct command_lanes *lanes) {
    lanes->is_dealing = false;
    for (struct command_lane *lane = lanes->used; lane != NULL; lane = lane->next) {
        (void)is_held(lanes, lane->first);
    }
}

static struct command *take_next(struct command_lanes *lanes, unsigned wanted) {
    while (lanes->heap_count > 0 && is_wanted(lanes->heap[0].lane->first, wanted)) {
        struct command_lane *lane = pop_candidate(lanes);
        if (is_held(lanes, lane->first)) {
            continue;
        }
        if (lane->first->request.op == REQUEST_STEP) {
            begin_step(lanes, lane->first, lane->end_ns);
        }
        lane->first->is_withdrawn =
            (lane->first->request.has_at || lane->first->request.op == REQUEST_SEAT) &&
            lane->end_ns != UINT64_MAX;
        const bool is_last = lane->first->next == NULL;
        struct command *command = remove_first(lanes, lane);
        if (!is_last && !is_wanted(lane->first, lanes->pass_wanted)) {
            lanes->passed_over |= command_sort_of(&lane->first->request);
        } else if (!is_last && lane->first->number <= lanes->pass_end) {
            push_candidate(lanes, lane);
        }
        lanes->turn = command->turn > lanes->turn ? command->turn : lanes->turn;
        lanes->is_dealing = true;
        return command;
    }
    settle(lanes);
    return NULL;
}

/* The pass goes on without the lane. */
static void leave_pass(struct command_lanes *lanes, const struct command_lane *lane) {
    const size_t count = lanes->heap_count;
    lanes->heap_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (lanes->heap[i].lane != lane) {
            push_candidate(lanes, lanes->heap[i].lane);
        }
    }
}

static struct command *take_first(struct command_lanes *lanes, uint32_t session) {
    struct command_lane *lane = find_lane(lanes, session);
    if (lane == NULL) {
        return NULL;
    }
    lanes->is_dealing = true;
    leave_pass(lanes, lane);
    return remove_first(lanes, lane);
}

/* Removes an answered command, the first of its lane. The pass goes on without its session. */
static void drop_answered(struct command_lanes *lanes, const struct command *command) {
    const bool was_dealing = lanes->is_dealing;
    const struct command *dropped = take_first(lanes, command->origin.session);
    assert(dropped == command);
    (void)dropped;
    lanes->is_dealing = was_dealing;
    const struct command_lane *lane = find_lane(lanes, command->origin.session);
    if (lane != NULL && !was_dealing) {
        (void)is_held(lanes, lane->first);
    }
}

static void end_steps(struct command_lanes *lanes, uint32_t session, uint64_t end_ns) {
    struct command_lane *lane = find_lane(lanes, session);
    if (lane != NULL && lane->end_ns > end_ns) {
        lane->end_ns = end_ns;
    }
    if (lanes->step != NULL && lanes->step->origin.session == session && lanes->step_end_ns > end_ns) {
        lanes->step_end_ns = end_ns;
    }
}

/* The ticking_ns at which the step under way has to end; UINT64_MAX: when it is done. */
static uint64_t step_end_ns(const struct command_lanes *lanes) {
    if (lanes->step == NULL) {
        return UINT64_MAX;
    }
    const bool is_paused = lanes->step->number < lanes->pause;
    return is_paused && lanes->pause_end_ns < lanes->step_end_ns ? lanes->pause_end_ns : lanes->step_end_ns;
}

/* ---- commands that wait for a tick ---- */

static bool is_due_before(const struct command *a, const struct command *b) {
    return a->request.at != b->request.at ? a->request.at < b->request.at : a->number < b->number;
}

static void insert(struct command **list, struct command *command) {
    while (*list != NULL && !is_due_before(command, *list)) {
        list = &(*list)->next;
    }
    command->next = *list;
    *list = command;
}

/* False: there is no room. */
static bool schedule_add(struct command_schedule *schedule, struct command *command) {
    const size_t extra = request_extra_bytes(&command->request);
    assert(command->request.has_at && command->next == NULL);
    if (schedule->count == COMMAND_SCHEDULE_CAPACITY ||
        extra > COMMAND_SCHEDULE_EXTRA_BYTES - schedule->extra_bytes) {
        return false;
    }
    insert(command->is_withdrawn ? &schedule->withdrawn : &schedule->waiting, command);
    schedule->count++;
    schedule->extra_bytes += extra;
    return true;
}

/* Withdraws the commands of a session, or of every session (0). */
static void schedule_withdraw(struct command_schedule *schedule, uint32_t session) {
    struct command **link = &schedule->waiting;
    while (*link != NULL) {
        struct command *command = *link;
        if (session != 0 && command->origin.session != session) {
            link = &command->next;
            continue;
        }
        *link = command->next;
        command->is_withdrawn = true;
        insert(&schedule->withdrawn, command);
    }
}

/* The tick from which on schedule_take has a command; COMMAND_NEVER_DUE: it has none. */
static uint64_t schedule_due(const struct command_schedule *schedule) {
    if (schedule->withdrawn != NULL) {
        return 0;
    }
    return schedule->waiting == NULL ? COMMAND_NEVER_DUE : schedule->waiting->request.at;
}

/* A command that was withdrawn, or else the first whose tick has come; NULL: there is none. */
static struct command *schedule_take(struct command_schedule *schedule, uint64_t tick) {
    struct command **first = schedule->withdrawn != NULL ? &schedule->withdrawn : &schedule->waiting;
    struct command *command = *first;
    if (command == NULL || schedule_due(schedule) > tick) {
        return NULL;
    }
    *first = command->next;
    command->next = NULL;
    schedule->count--;
    schedule->extra_bytes -= request_extra_bytes(&command->request);
    return command;
}

/* ---- the queue ---- */

int command_queue_init(struct command_queue *queue, size_t capacity, command_is_ready *is_ready,
                       void *context) {
    queue->news = 0;
    queue->is_woken = false;
    atomic_init(&queue->ticking_ns, 0);
    atomic_init(&queue->step_end_ns, UINT64_MAX);
    atomic_init(&queue->due, COMMAND_NEVER_DUE);
    queue->schedule = (struct command_schedule){0};
    queue->taken_from = 0;
    queue->has_taken_left = false;
    if (init_lanes(&queue->lanes, capacity, is_ready, context) != 0) {
        return -1;
    }
    if (pthread_mutex_init(&queue->mutex, NULL) != 0) {
        fini_lanes(&queue->lanes);
        return -1;
    }
    if (timed_wait_init(&queue->changed) != 0) {
        pthread_mutex_destroy(&queue->mutex);
        fini_lanes(&queue->lanes);
        return -1;
    }
    return 0;
}

void command_queue_fini(struct command_queue *queue) {
    struct command *command = NULL;
    fini_lanes(&queue->lanes);
    while ((command = schedule_take(&queue->schedule, COMMAND_NEVER_DUE)) != NULL) {
        sim_event_free(&command->event);
    }
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->mutex);
}

/* With the lock. */
static void publish_step_end(struct command_queue *queue) {
    atomic_store(&queue->step_end_ns, step_end_ns(&queue->lanes));
}

static void signal_news(struct command_queue *queue, unsigned news) {
    queue->news |= news;
    pthread_cond_signal(&queue->changed);
}

/* Commands that were held may go on. */
static void signal_held(struct command_queue *queue) {
    if (queue->lanes.count > 0) {
        signal_news(queue, COMMAND_ANY);
    }
}

enum command_push command_queue_push(struct command_queue *queue, const struct command_origin *origin,
                                     const struct request *request) {
    pthread_mutex_lock(&queue->mutex);
    const enum command_push result =
        add_command(&queue->lanes, origin, request, atomic_load(&queue->ticking_ns));
    if (result == COMMAND_QUEUED) {
        signal_news(queue, command_sort_of(request));
        publish_step_end(queue);
    }
    pthread_mutex_unlock(&queue->mutex);
    return result;
}

void command_queue_begin(struct command_queue *queue, unsigned wanted) {
    struct command_lanes *lanes = &queue->lanes;
    pthread_mutex_lock(&queue->mutex);
    queue->news &= ~wanted;
    lanes->heap_count = 0;
    lanes->pass_end = lanes->arrivals;
    lanes->pass_wanted = wanted;
    lanes->passed_over = 0;
    for (struct command_lane *lane = lanes->used; lane != NULL; lane = lane->next) {
        if (is_wanted(lane->first, wanted)) {
            push_candidate(lanes, lane);
        }
    }
    pthread_mutex_unlock(&queue->mutex);
}

struct command *command_queue_take(struct command_queue *queue, unsigned wanted) {
    pthread_mutex_lock(&queue->mutex);
    struct command *command = take_next(&queue->lanes, wanted);
    queue->taken_from = command == NULL ? 0 : command->origin.session;
    queue->has_taken_left = command != NULL && command->is_withdrawn;
    publish_step_end(queue);
    pthread_mutex_unlock(&queue->mutex);
    return command;
}

void command_queue_end_pass(struct command_queue *queue) {
    const struct command_lanes *lanes = &queue->lanes;
    pthread_mutex_lock(&queue->mutex);
    queue->news |= lanes->passed_over;
    for (size_t i = 0; i < lanes->heap_count; i++) {
        queue->news |= command_sort_of(&lanes->heap[i].lane->first->request);
    }
    pthread_mutex_unlock(&queue->mutex);
}

struct command *command_queue_take_first(struct command_queue *queue, uint32_t session) {
    pthread_mutex_lock(&queue->mutex);
    struct command *command = take_first(&queue->lanes, session);
    signal_held(queue);
    pthread_mutex_unlock(&queue->mutex);
    return command;
}

void command_queue_settle(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    settle(&queue->lanes);
    pthread_mutex_unlock(&queue->mutex);
}

void command_queue_answer(struct command_queue *queue, struct command *command, struct buffer *text,
                          struct event_queue *events) {
    pthread_mutex_lock(&queue->mutex);
    drop_answered(&queue->lanes, command);
    command->order = NULL; /* only now: a command without one would order again */
    event_queue_answer(events, command, text);
    signal_held(queue);
    pthread_mutex_unlock(&queue->mutex);
}

struct command *command_queue_pop(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    struct command *command = queue->lanes.used != NULL ? remove_first(&queue->lanes, queue->lanes.used)
                                                        : schedule_take(&queue->schedule, COMMAND_NEVER_DUE);
    pthread_mutex_unlock(&queue->mutex);
    return command;
}

void command_queue_end_step(struct command_queue *queue) {
    struct command_lanes *lanes = &queue->lanes;
    pthread_mutex_lock(&queue->mutex);
    assert(lanes->step != NULL && lanes->steps > 0);
    lanes->steps--;
    lanes->paused_steps -= lanes->step->number < lanes->pause ? 1 : 0;
    lanes->step = NULL;
    publish_step_end(queue);
    signal_held(queue);
    pthread_mutex_unlock(&queue->mutex);
}

/* With the lock. The thread that takes commands looks at those that were withdrawn. */
static void publish_due(struct command_queue *queue) {
    atomic_store(&queue->due, schedule_due(&queue->schedule));
    if (queue->schedule.withdrawn != NULL) {
        queue->is_woken = true;
        pthread_cond_signal(&queue->changed);
    }
}

bool command_queue_schedule(struct command_queue *queue, struct command *command) {
    pthread_mutex_lock(&queue->mutex);
    command->is_withdrawn =
        command->is_withdrawn || (queue->has_taken_left && queue->taken_from == command->origin.session);
    const bool is_added = schedule_add(&queue->schedule, command);
    publish_due(queue);
    pthread_mutex_unlock(&queue->mutex);
    return is_added;
}

struct command *command_queue_take_due(struct command_queue *queue, uint64_t tick) {
    if (atomic_load(&queue->due) > tick) {
        return NULL;
    }
    pthread_mutex_lock(&queue->mutex);
    struct command *command = schedule_take(&queue->schedule, tick);
    publish_due(queue);
    pthread_mutex_unlock(&queue->mutex);
    return command;
}

void command_queue_withdraw(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    schedule_withdraw(&queue->schedule, 0);
    publish_due(queue);
    pthread_mutex_unlock(&queue->mutex);
}

/* With the lock. */
static void note_leave(struct command_queue *queue, uint32_t session) {
    struct command_seats *seats = &queue->lanes.seats;
    const uint32_t row = find_seat(seats, session);
    if (row < seats->count) {
        seats->rows[row].has_left = true;
        queue->is_woken = true;
        pthread_cond_signal(&queue->changed);
    }
}

void command_queue_end_steps(struct command_queue *queue, uint32_t session) {
    pthread_mutex_lock(&queue->mutex);
    note_leave(queue, session);
    schedule_withdraw(&queue->schedule, session);
    queue->has_taken_left = queue->has_taken_left || queue->taken_from == session;
    publish_due(queue);
    end_steps(&queue->lanes, session, atomic_load(&queue->ticking_ns) + COMMAND_GRACE_NS);
    publish_step_end(queue);
    pthread_mutex_unlock(&queue->mutex);
}

/* ---- seats ---- */

void command_queue_seat(struct command_queue *queue, uint32_t session, bool is_taken) {
    struct command_seats *seats = &queue->lanes.seats;
    pthread_mutex_lock(&queue->mutex);
    const uint32_t row = find_seat(seats, session);
    assert(is_taken == (row == seats->count) && seats->count <= LIMIT_SEATS);
    if (is_taken) {
        assert(seats->count < LIMIT_SEATS);
        seats->count++;
        seats->rows[row].session = session;
        seats->rows[row].is_going = false;
        seats->rows[row].has_left = queue->has_taken_left && queue->taken_from == session;
    } else {
        seats->rows[row] = seats->rows[--seats->count];
    }
    signal_held(queue);
    pthread_mutex_unlock(&queue->mutex);
}

void command_queue_go(struct command_queue *queue, uint32_t session, bool is_going) {
    struct command_seats *seats = &queue->lanes.seats;
    pthread_mutex_lock(&queue->mutex);
    const uint32_t row = find_seat(seats, session);
    assert(row < seats->count);
    seats->rows[row].is_going = is_going;
    if (!is_going) {
        signal_held(queue);
    }
    pthread_mutex_unlock(&queue->mutex);
}

void command_queue_shut(struct command_queue *queue, bool is_shut) {
    struct command_seats *seats = &queue->lanes.seats;
    pthread_mutex_lock(&queue->mutex);
    if (seats->is_shut && !is_shut) {
        signal_held(queue);
    }
    seats->is_shut = is_shut;
    pthread_mutex_unlock(&queue->mutex);
}

void command_queue_leave(struct command_queue *queue, uint32_t session, bool is_silent) {
    pthread_mutex_lock(&queue->mutex);
    const struct command_seats *seats = &queue->lanes.seats;
    const uint32_t row = find_seat(seats, session);
    const bool has_more = queue->taken_from == session || find_lane(&queue->lanes, session) != NULL;
    if (row < seats->count && (!is_silent || (!has_more && !seats->rows[row].is_going))) {
        note_leave(queue, session);
    }
    pthread_mutex_unlock(&queue->mutex);
}

uint32_t command_queue_find_left(struct command_queue *queue) {
    const struct command_seats *seats = &queue->lanes.seats;
    uint32_t session = 0;
    pthread_mutex_lock(&queue->mutex);
    for (uint32_t row = 0; row < seats->count; row++) {
        session = seats->rows[row].has_left ? seats->rows[row].session : session;
    }
    pthread_mutex_unlock(&queue->mutex);
    return session;
}

void command_queue_renew(struct command_queue *queue, struct command *command) {
    pthread_mutex_lock(&queue->mutex);
    command->number = ++queue->lanes.arrivals;
    pthread_mutex_unlock(&queue->mutex);
}

void command_queue_spend(struct command_queue *queue, uint64_t ns) {
    atomic_fetch_add(&queue->ticking_ns, ns);
}

uint64_t command_queue_ticking_ns(const struct command_queue *queue) {
    return atomic_load(&queue->ticking_ns);
}

bool command_queue_must_end_step(const struct command_queue *queue) {
    return atomic_load(&queue->ticking_ns) >= atomic_load(&queue->step_end_ns);
}

size_t command_queue_count(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    const size_t count = queue->lanes.count;
    pthread_mutex_unlock(&queue->mutex);
    return count;
}

void command_queue_wake(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    queue->is_woken = true;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

void command_queue_wait(struct command_queue *queue, const uint64_t *deadline_ns, unsigned wanted) {
    pthread_mutex_lock(&queue->mutex);
    bool is_early = true;
    while (is_early && !queue->is_woken && (queue->news & wanted) == 0) {
        is_early = thread_sleep(&queue->changed, &queue->mutex,
                                deadline_ns != NULL ? *deadline_ns : THREAD_SLEEP_ENDLESS);
    }
    queue->is_woken = false;
    pthread_mutex_unlock(&queue->mutex);
}
