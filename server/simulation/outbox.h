/* What the simulation thread has to say, in order, to be sent by the loop: answers, events, a new scenario.
 *
 * 1. Any thread may push; one thread takes everything at once.
 * 2. Outcomes are taken in the order they were pushed.
 * 3. An outcome is malloc'd memory (or the head of a larger malloc'd struct) and owns its text.
 */
#ifndef DROVER_SERVER_SIMULATION_OUTBOX_H
#define DROVER_SERVER_SIMULATION_OUTBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"

enum outcome_kind {
    OUTCOME_ANSWER,   /* the head of a struct command, which is done; text is its reply or error, NULL when
                         none is due */
    OUTCOME_EVENT,    /* something every subscriber is told */
    OUTCOME_SCENARIO, /* a line for every subscriber, before the first frame of the new epoch */
};

struct outcome {
    struct outcome *next;
    enum outcome_kind kind;
    uint32_t session;  /* OUTCOME_ANSWER: whose request it was */
    bool is_notice;    /* OUTCOME_ANSWER: no answer was due; its session needs the text only the first time */
    uint32_t revision; /* events and scenarios: what the description was by then (simulation_revision) */
    uint32_t epoch;    /* OUTCOME_SCENARIO: the epoch that begins, and its rate */
    double tick_hz;
    struct message_event
        *event; /* OUTCOME_EVENT: what happened; owned. The loop knows names and writes the line */
    char *text; /* whole lines; owned */
    size_t length;
};

struct outbox {
    pthread_mutex_t mutex;
    struct outcome *first, **last;
};

/** 0, or -1 when the system has no mutex left. */
NODISCARD int outbox_init(struct outbox *outbox);
/** Frees what was never taken. */
void outbox_fini(struct outbox *outbox);
/** Takes ownership. */
void outbox_push(struct outbox *outbox, struct outcome *outcome);
/** Everything so far, oldest first, as a list (NULL when empty); the caller frees each with outcome_free. */
struct outcome *outbox_take(struct outbox *outbox);

/** An outcome with the buffer's bytes (the buffer is empty afterwards); NULL when memory is short. */
NODISCARD struct outcome *outcome_create(enum outcome_kind kind, struct buffer *text);
/** An event; NULL when memory is short. */
NODISCARD struct outcome *outcome_create_event(const struct message_event *event);
void outcome_free(struct outcome *outcome);

#endif
