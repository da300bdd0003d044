/* The queue from the simulation thread to the loop: answers to commands, events for subscribers, scenario
 * lines.
 *
 * 1. Any thread may push; one thread takes all events at once.
 * 2. Events are taken in the order in which they were pushed.
 * 3. A struct sim_event is malloc'd memory (or the head of a larger malloc'd struct) and owns its text.
 */
#ifndef DROVER_SERVER_EXCHANGE_EVENT_QUEUE_H
#define DROVER_SERVER_EXCHANGE_EVENT_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "common/protocol/request_extra.h"

enum sim_event_kind {
    SIM_EVENT_ANSWER,   /* the head of a struct command that is done; text: its reply or error, or NULL */
    SIM_EVENT_MESSAGE,  /* a message_event for every subscriber */
    SIM_EVENT_SCENARIO, /* a line for every subscriber, before the first frame of the new epoch */
};

struct sim_event {
    struct sim_event *next;
    enum sim_event_kind kind;
    uint32_t session; /* SIM_EVENT_ANSWER: the session of the command */
    /** The number of the change that it is about (struct simulation_state); when it is about none, of the last change
     * before it. 0: the thread that pushed it does not know. */
    uint64_t seq;
    /** SIM_EVENT_ANSWER: the text is an event, which the session gets once, instead of an answer. */
    bool is_notice;
    /** SIM_EVENT_ANSWER: it leaves when the journal is on disk up to there (simulation_is_safe); 0: at once. */
    uint64_t position;
    /** SIM_EVENT_MESSAGE: for the sessions that asked for `seq` alone. */
    bool is_detail;
    uint32_t revision; /* messages and scenarios: simulation_revision after the change */
    uint32_t epoch;    /* SIM_EVENT_SCENARIO: the epoch that begins, */
    double tick_hz;    /* and its rate */
    /** SIM_EVENT_MESSAGE: owned. The loop adds names and writes the line. */
    struct message_event *message;
    char *text; /* whole lines; owned */
    size_t length;
    /** SIM_EVENT_ANSWER: of the command's request until it is answered; one of its holders. NULL: none. */
    struct request_extra *extra;
};

struct event_queue {
    pthread_mutex_t mutex;
    struct sim_event *first, **last;
};

/** 0, or -1 when the system has no mutex left. */
NODISCARD int event_queue_init(struct event_queue *queue);
/** Frees the events that were not taken. */
void event_queue_fini(struct event_queue *queue);
/** Appends an event and takes ownership of it. */
void event_queue_push(struct event_queue *queue, struct sim_event *event);
/** All events so far, oldest first, as a list (NULL when empty); the caller frees each with
 * sim_event_free. */
struct sim_event *event_queue_take(struct event_queue *queue);

/** An event with the bytes of the buffer, which is empty afterwards. NULL: out of memory. */
NODISCARD struct sim_event *sim_event_create(enum sim_event_kind kind, struct buffer *text);
/** An event with a copy of the message. NULL: out of memory. */
NODISCARD struct sim_event *sim_event_create_message(const struct message_event *message);
void sim_event_free(struct sim_event *event);

#endif
