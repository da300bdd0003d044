/* See command_queue.h. */
#include "server/exchange/command_queue.h"

#include "common/system/timed_wait.h"

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
    if (command_lanes_init(&queue->lanes, capacity, is_ready, context) != 0) {
        return -1;
    }
    if (pthread_mutex_init(&queue->mutex, NULL) != 0) {
        command_lanes_fini(&queue->lanes);
        return -1;
    }
    if (timed_wait_init(&queue->changed) != 0) {
        pthread_mutex_destroy(&queue->mutex);
        command_lanes_fini(&queue->lanes);
        return -1;
    }
    return 0;
}

void command_queue_fini(struct command_queue *queue) {
    command_lanes_fini(&queue->lanes);
    command_schedule_fini(&queue->schedule);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->mutex);
}

/* With the lock. */
static void tell_step_end(struct command_queue *queue) {
    atomic_store(&queue->step_end_ns, command_lanes_step_end_ns(&queue->lanes));
}

static void tell_news(struct command_queue *queue, unsigned news) {
    queue->news |= news;
    pthread_cond_signal(&queue->changed);
}

enum command_push command_queue_push(struct command_queue *queue, const struct command_origin *origin,
                                     const struct request *request) {
    pthread_mutex_lock(&queue->mutex);
    const enum command_push result =
        command_lanes_push(&queue->lanes, origin, request, atomic_load(&queue->ticking_ns));
    if (result == COMMAND_QUEUED) {
        tell_news(queue, command_sort_of(request));
        tell_step_end(queue);
    }
    pthread_mutex_unlock(&queue->mutex);
    return result;
}

void command_queue_begin(struct command_queue *queue, unsigned wanted) {
    pthread_mutex_lock(&queue->mutex);
    queue->news &= ~wanted;
    command_lanes_begin(&queue->lanes, wanted);
    pthread_mutex_unlock(&queue->mutex);
}

struct command *command_queue_take(struct command_queue *queue, unsigned wanted) {
    pthread_mutex_lock(&queue->mutex);
    struct command *command = command_lanes_take(&queue->lanes, wanted);
    queue->taken_from = command == NULL ? 0 : command->origin.session;
    queue->has_taken_left = false;
    tell_step_end(queue);
    pthread_mutex_unlock(&queue->mutex);
    return command;
}

void command_queue_end_pass(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    queue->news |= command_lanes_left(&queue->lanes);
    pthread_mutex_unlock(&queue->mutex);
}

struct command *command_queue_take_first(struct command_queue *queue, uint32_t session) {
    pthread_mutex_lock(&queue->mutex);
    struct command *command = command_lanes_take_first(&queue->lanes, session);
    if (queue->lanes.count > 0) {
        tell_news(queue, COMMAND_ANY);
    }
    pthread_mutex_unlock(&queue->mutex);
    return command;
}

void command_queue_settle(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    command_lanes_settle(&queue->lanes);
    pthread_mutex_unlock(&queue->mutex);
}

void command_queue_answer(struct command_queue *queue, struct command *command, struct buffer *text,
                          struct event_queue *events) {
    pthread_mutex_lock(&queue->mutex);
    command_lanes_drop(&queue->lanes, command);
    command->order = NULL; /* only now: a command without one would order again */
    command->event.text = buffer_take(text, &command->event.length);
    command_drop_extra(command);
    event_queue_push(events, &command->event);
    if (queue->lanes.count > 0) {
        tell_news(queue, COMMAND_ANY);
    }
    pthread_mutex_unlock(&queue->mutex);
}

struct command *command_queue_pop(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    struct command *command = command_lanes_pop(&queue->lanes);
    if (command == NULL) {
        command = command_schedule_take(&queue->schedule, COMMAND_NEVER_DUE);
    }
    pthread_mutex_unlock(&queue->mutex);
    return command;
}

void command_queue_end_step(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    command_lanes_end_step(&queue->lanes);
    tell_step_end(queue);
    if (queue->lanes.count > 0) {
        tell_news(queue, COMMAND_ANY);
    }
    pthread_mutex_unlock(&queue->mutex);
}

/* With the lock. The thread that takes commands looks at those that were withdrawn. */
static void tell_due(struct command_queue *queue) {
    atomic_store(&queue->due, command_schedule_due(&queue->schedule));
    if (queue->schedule.withdrawn != NULL) {
        queue->is_woken = true;
        pthread_cond_signal(&queue->changed);
    }
}

bool command_queue_schedule(struct command_queue *queue, struct command *command) {
    pthread_mutex_lock(&queue->mutex);
    command->is_withdrawn =
        command->is_withdrawn || (queue->has_taken_left && queue->taken_from == command->origin.session);
    const bool is_added = command_schedule_add(&queue->schedule, command);
    tell_due(queue);
    pthread_mutex_unlock(&queue->mutex);
    return is_added;
}

struct command *command_queue_take_due(struct command_queue *queue, uint64_t tick) {
    if (atomic_load(&queue->due) > tick) {
        return NULL;
    }
    pthread_mutex_lock(&queue->mutex);
    struct command *command = command_schedule_take(&queue->schedule, tick);
    tell_due(queue);
    pthread_mutex_unlock(&queue->mutex);
    return command;
}

void command_queue_withdraw(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    command_schedule_withdraw(&queue->schedule, 0);
    tell_due(queue);
    pthread_mutex_unlock(&queue->mutex);
}

void command_queue_end_steps(struct command_queue *queue, uint32_t session) {
    pthread_mutex_lock(&queue->mutex);
    command_schedule_withdraw(&queue->schedule, session);
    queue->has_taken_left = queue->has_taken_left || queue->taken_from == session;
    tell_due(queue);
    command_lanes_end_steps(&queue->lanes, session, atomic_load(&queue->ticking_ns));
    tell_step_end(queue);
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
        if (deadline_ns != NULL) {
            is_early = timed_wait_until(&queue->changed, &queue->mutex, *deadline_ns);
        } else {
            pthread_cond_wait(&queue->changed, &queue->mutex);
        }
    }
    queue->is_woken = false;
    pthread_mutex_unlock(&queue->mutex);
}
