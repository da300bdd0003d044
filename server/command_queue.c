/* See command_queue.h. */
#include "server/command_queue.h"

#include <stdlib.h>
#include <time.h>

static int init_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return -1;
    }
    /* Deadlines are of the monotonic clock: setting the time of day must not stop the world. */
    const bool is_made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                         pthread_cond_init(condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return is_made ? 0 : -1;
}

int command_queue_init(struct command_queue *queue, size_t capacity) {
    *queue = (struct command_queue){.capacity = capacity};
    queue->entries = calloc(capacity, sizeof *queue->entries);
    if (queue->entries == NULL) {
        return -1;
    }
    if (pthread_mutex_init(&queue->mutex, NULL) != 0) {
        free(queue->entries);
        return -1;
    }
    if (init_condition(&queue->changed) != 0) {
        pthread_mutex_destroy(&queue->mutex);
        free(queue->entries);
        return -1;
    }
    return 0;
}

void command_queue_fini(struct command_queue *queue) {
    struct command *command = NULL;
    while ((command = command_queue_pop(queue)) != NULL) {
        outcome_free(&command->outcome);
    }
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->mutex);
    free(queue->entries);
}

static struct command_queue_entry *entry_at(struct command_queue *queue, size_t index) {
    return &queue->entries[(queue->head + index) % queue->capacity];
}

/* The session's last queued command when that is a pointer (a mouse or a cursor, without an id) of the same
 * op, else NULL. */
static struct command *find_last_pointer(struct command_queue *queue, uint32_t session, enum request_op op) {
    for (size_t i = queue->count; i-- > 0;) {
        struct command_queue_entry *entry = entry_at(queue, i);
        if (entry->session == session) {
            return entry->is_pointer && entry->command->request.op == op ? entry->command : NULL;
        }
    }
    return NULL;
}

static enum command_push push_locked(struct command_queue *queue, uint32_t session, uint64_t sequence,
                                     const struct request *request) {
    const bool is_pointer =
        (request->op == REQUEST_MOUSE || (request->op == REQUEST_CURSOR && !request->body.cursor.is_gone)) &&
        request->id[0] == '\0';
    struct command *older = is_pointer ? find_last_pointer(queue, session, request->op) : NULL;
    if (older != NULL) {
        older->sequence = sequence;
        older->request = *request;
        return COMMAND_REPLACED;
    }
    if (queue->count == queue->capacity) {
        return COMMAND_REFUSED;
    }
    struct command *command = malloc(sizeof *command);
    if (command == NULL) {
        return COMMAND_REFUSED;
    }
    command->outcome = (struct outcome){.kind = OUTCOME_ANSWER, .session = session};
    command->session = session;
    command->sequence = sequence;
    command->request = *request;
    *entry_at(queue, queue->count) =
        (struct command_queue_entry){.session = session, .is_pointer = is_pointer, .command = command};
    queue->count++;
    pthread_cond_signal(&queue->changed);
    return COMMAND_QUEUED;
}

enum command_push command_queue_push(struct command_queue *queue, uint32_t session, uint64_t sequence,
                                     const struct request *request) {
    pthread_mutex_lock(&queue->mutex);
    const enum command_push result = push_locked(queue, session, sequence, request);
    pthread_mutex_unlock(&queue->mutex);
    return result;
}

struct command *command_queue_pop(struct command_queue *queue) {
    struct command *command = NULL;
    pthread_mutex_lock(&queue->mutex);
    if (queue->count > 0) {
        command = queue->entries[queue->head].command;
        queue->head = (queue->head + 1) % queue->capacity;
        queue->count--;
    }
    pthread_mutex_unlock(&queue->mutex);
    return command;
}

size_t command_queue_count(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    const size_t count = queue->count;
    pthread_mutex_unlock(&queue->mutex);
    return count;
}

void command_queue_wake(struct command_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    queue->is_woken = true;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

void command_queue_wait(struct command_queue *queue, const uint64_t *deadline_ns, bool for_commands) {
    pthread_mutex_lock(&queue->mutex);
    int result = 0;
    while (result == 0 && !queue->is_woken && !(for_commands && queue->count > 0)) {
        if (deadline_ns == NULL) {
            result = pthread_cond_wait(&queue->changed, &queue->mutex);
        } else {
            const struct timespec until = {.tv_sec = (time_t)(*deadline_ns / 1000000000u),
                                           .tv_nsec = (long)(*deadline_ns % 1000000000u)};
            result = pthread_cond_timedwait(&queue->changed, &queue->mutex, &until);
        }
    }
    queue->is_woken = false;
    pthread_mutex_unlock(&queue->mutex);
}
