/* Lines to a descriptor that may be stuck: a terminal that is stopped (Ctrl-S), a pipe that is not read, a
 * full socket of a collector. A thread writes them, so nothing but that thread ever waits for the reader.
 *
 * 1. Lines wait in a ring of fixed size and leave in the order in which they came, one write(2) a line.
 * 2. When the ring is full, lines are left out and counted. They are accepted again when half of it is free,
 * and a note with the count stands where they are missing.
 * 3. Before line_writer_start and after an orderly line_writer_stop, lines are written at once by the caller.
 * 4. O_NONBLOCK is never set: the description of a terminal is shared with the shell. Where another program has
 * set it, the thread waits until the descriptor takes bytes again.
 * 5. What the system refuses to take (a full disk, a pipe without a reader) is lost. SIGPIPE and all other
 * signals are blocked in the thread.
 *
 * Any thread may call line_writer_put and line_writer_stop at any time; starting is for one.
 */
#ifndef DROVER_COMMON_SYSTEM_LINE_WRITER_H
#define DROVER_COMMON_SYSTEM_LINE_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LINE_WRITER_NOTE_BYTES = 256, /* the longest note */
    LINE_WRITER_STALL_MS = 200,   /* line_writer_stop waits as long as lines leave, but so long for each, */
    LINE_WRITER_STOP_MS = 1000    /* and so long for all */
};

struct line_writer {
    int descriptor;
    pthread_mutex_t mutex;  /* of all that follows */
    pthread_cond_t changed; /* while the thread runs */
    pthread_t thread;
    enum { LINE_WRITER_IDLE, LINE_WRITER_RUNNING, LINE_WRITER_GIVEN_UP } state;
    bool is_ending, is_done; /* the thread is to end when the ring is empty; it has */
    char *ring;
    size_t size, head, used;
    uint64_t left_out;  /* lines, since the last note */
    uint64_t lines_out; /* written so far, or lost */
    size_t (*write_note)(char *line, size_t size, uint64_t left_out);
};

/** One that writes to this descriptor at once. */
#define LINE_WRITER_ON(number)                                                                               \
    { .descriptor = (number), .mutex = PTHREAD_MUTEX_INITIALIZER }

/** Starts the thread. ring: size bytes, which stay the caller's and must live as long as the program.
 * write_note (NULL: no notes) writes the line, "\n" included, that says how many were left out, and returns
 * its length; it is called with the mutex held. Returns whether there is a thread: without one lines go on
 * being written at once. */
bool line_writer_start(struct line_writer *writer, char *ring, size_t size,
                       size_t (*write_note)(char *line, size_t size, uint64_t left_out));
/** Writes a line, which ends with its only "\n", or has it written. Never waits while the thread runs. */
void line_writer_put(struct line_writer *writer, const char *line, size_t length);
/** Waits until everything is written and ends the thread; gives up when nothing leaves and
 * nothing could for LINE_WRITER_STALL_MS, and after LINE_WRITER_STOP_MS. Whatever is put after giving up is
 * left out. Does nothing when the thread does not run. Each of several threads that stop it at once waits so. */
void line_writer_stop(struct line_writer *writer);

#endif
