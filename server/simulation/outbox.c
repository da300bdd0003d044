/* See outbox.h. */
#include "server/simulation/outbox.h"

#include <stdlib.h>

int outbox_init(struct outbox *outbox) {
    outbox->first = NULL;
    outbox->last = &outbox->first;
    return pthread_mutex_init(&outbox->mutex, NULL) == 0 ? 0 : -1;
}

void outbox_fini(struct outbox *outbox) {
    struct outcome *outcome = outbox_take(outbox);
    while (outcome != NULL) {
        struct outcome *next = outcome->next;
        outcome_free(outcome);
        outcome = next;
    }
    pthread_mutex_destroy(&outbox->mutex);
}

void outbox_push(struct outbox *outbox, struct outcome *outcome) {
    outcome->next = NULL;
    pthread_mutex_lock(&outbox->mutex);
    *outbox->last = outcome;
    outbox->last = &outcome->next;
    pthread_mutex_unlock(&outbox->mutex);
}

struct outcome *outbox_take(struct outbox *outbox) {
    pthread_mutex_lock(&outbox->mutex);
    struct outcome *first = outbox->first;
    outbox->first = NULL;
    outbox->last = &outbox->first;
    pthread_mutex_unlock(&outbox->mutex);
    return first;
}

struct outcome *outcome_create(enum outcome_kind kind, struct buffer *text) {
    struct outcome *outcome = calloc(1, sizeof *outcome);
    const bool failed = text->failed;
    size_t length = 0;
    char *data = buffer_take(text, &length);
    if (outcome == NULL || data == NULL || failed) {
        free(outcome);
        free(data);
        return NULL;
    }
    outcome->kind = kind;
    outcome->text = data;
    outcome->length = length;
    return outcome;
}

struct outcome *outcome_create_event(const struct message_event *event) {
    struct outcome *outcome = calloc(1, sizeof *outcome);
    struct message_event *copy = malloc(sizeof *copy);
    if (outcome == NULL || copy == NULL) {
        free(outcome);
        free(copy);
        return NULL;
    }
    *copy = *event;
    outcome->kind = OUTCOME_EVENT;
    outcome->event = copy;
    return outcome;
}

void outcome_free(struct outcome *outcome) {
    if (outcome != NULL) {
        free(outcome->text);
        free(outcome->event);
        free(outcome);
    }
}
