/* See event_queue.h. */
#include "server/exchange/event_queue.h"

#include <assert.h>
#include <stdlib.h>

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
