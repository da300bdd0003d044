/* See command_lanes.h. */
#include "server/exchange/command_lanes.h"

#include <assert.h>
#include <stdlib.h>

enum { BUCKETS = 1024 }; /* a power of two; sessions have consecutive numbers */

enum command_sort command_sort_of(const struct request *request) {
    return request_has_trait(request->op, REQUEST_TRAIT_QUERY) ? COMMAND_QUERY : COMMAND_CHANGE;
}

/* ---- life ---- */

int command_lanes_init(struct command_lanes *lanes, size_t capacity, command_is_ready *is_ready,
                       void *context) {
    *lanes = (struct command_lanes){.capacity = capacity, .is_ready = is_ready, .context = context};
    lanes->lanes = calloc(capacity, sizeof *lanes->lanes);
    lanes->heap = calloc(capacity, sizeof *lanes->heap);
    lanes->buckets = calloc(BUCKETS, sizeof *lanes->buckets);
    if (lanes->lanes == NULL || lanes->heap == NULL || lanes->buckets == NULL) {
        command_lanes_fini(lanes);
        return -1;
    }
    for (size_t i = 0; i < capacity; i++) {
        lanes->lanes[i].next = lanes->unused;
        lanes->unused = &lanes->lanes[i];
    }
    return 0;
}

void command_lanes_fini(struct command_lanes *lanes) {
    struct command *command = NULL;
    while ((command = command_lanes_pop(lanes)) != NULL) {
        sim_event_free(&command->event);
    }
    free(lanes->lanes);
    free(lanes->heap);
    free(lanes->buckets);
    *lanes = (struct command_lanes){0};
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

/* Whether the first command of its lane has to wait. */
static bool is_held(const struct command_lanes *lanes, struct command *command) {
    const enum request_op op = command->request.op;
    const bool is_pause = op == REQUEST_PAUSE && !command->request.has_at;
    if (lanes->step != NULL &&
        (command->origin.session == lanes->step->origin.session || op == REQUEST_STEP || is_pause)) {
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
        command->event.extra = request_extra_hold(request->extra);
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

enum command_push command_lanes_push(struct command_lanes *lanes, const struct command_origin *origin,
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

void command_lanes_begin(struct command_lanes *lanes, unsigned wanted) {
    lanes->heap_count = 0;
    lanes->pass_end = lanes->arrivals;
    lanes->pass_wanted = wanted;
    lanes->passed_over = 0;
    for (struct command_lane *lane = lanes->used; lane != NULL; lane = lane->next) {
        if (is_wanted(lane->first, wanted)) {
            push_candidate(lanes, lane);
        }
    }
}

static void begin_step(struct command_lanes *lanes, struct command *command, uint64_t end_ns) {
    assert(lanes->step == NULL);
    lanes->step = command;
    lanes->step_end_ns = end_ns;
}

void command_lanes_settle(struct command_lanes *lanes) {
    lanes->is_dealing = false;
    for (struct command_lane *lane = lanes->used; lane != NULL; lane = lane->next) {
        (void)is_held(lanes, lane->first);
    }
}

struct command *command_lanes_take(struct command_lanes *lanes, unsigned wanted) {
    while (lanes->heap_count > 0 && is_wanted(lanes->heap[0].lane->first, wanted)) {
        struct command_lane *lane = pop_candidate(lanes);
        if (is_held(lanes, lane->first)) {
            continue;
        }
        if (lane->first->request.op == REQUEST_STEP) {
            begin_step(lanes, lane->first, lane->end_ns);
        }
        lane->first->is_withdrawn = lane->first->request.has_at && lane->end_ns != UINT64_MAX;
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
    command_lanes_settle(lanes);
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

struct command *command_lanes_take_first(struct command_lanes *lanes, uint32_t session) {
    struct command_lane *lane = find_lane(lanes, session);
    if (lane == NULL) {
        return NULL;
    }
    lanes->is_dealing = true;
    leave_pass(lanes, lane);
    return remove_first(lanes, lane);
}

void command_lanes_drop(struct command_lanes *lanes, const struct command *command) {
    const bool was_dealing = lanes->is_dealing;
    const struct command *dropped = command_lanes_take_first(lanes, command->origin.session);
    assert(dropped == command);
    (void)dropped;
    lanes->is_dealing = was_dealing;
    const struct command_lane *lane = find_lane(lanes, command->origin.session);
    if (lane != NULL && !was_dealing) {
        (void)is_held(lanes, lane->first);
    }
}

unsigned command_lanes_left(const struct command_lanes *lanes) {
    unsigned left = lanes->passed_over;
    for (size_t i = 0; i < lanes->heap_count; i++) {
        left |= command_sort_of(&lanes->heap[i].lane->first->request);
    }
    return left;
}

struct command *command_lanes_pop(struct command_lanes *lanes) {
    return lanes->used == NULL ? NULL : remove_first(lanes, lanes->used);
}

/* ---- steps ---- */

void command_lanes_end_step(struct command_lanes *lanes) {
    assert(lanes->step != NULL && lanes->steps > 0);
    lanes->steps--;
    lanes->paused_steps -= lanes->step->number < lanes->pause ? 1 : 0;
    lanes->step = NULL;
}

void command_lanes_end_steps(struct command_lanes *lanes, uint32_t session, uint64_t ticking_ns) {
    struct command_lane *lane = find_lane(lanes, session);
    const uint64_t end_ns = ticking_ns + COMMAND_GRACE_NS;
    if (lane != NULL && lane->end_ns > end_ns) {
        lane->end_ns = end_ns;
    }
    if (lanes->step != NULL && lanes->step->origin.session == session && lanes->step_end_ns > end_ns) {
        lanes->step_end_ns = end_ns;
    }
}

uint64_t command_lanes_step_end_ns(const struct command_lanes *lanes) {
    if (lanes->step == NULL) {
        return UINT64_MAX;
    }
    const bool is_paused = lanes->step->number < lanes->pause;
    return is_paused && lanes->pause_end_ns < lanes->step_end_ns ? lanes->pause_end_ns : lanes->step_end_ns;
}
