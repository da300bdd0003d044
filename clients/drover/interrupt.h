/* SIGINT and SIGTERM as a word that calculations look at. A thread takes the signals, so no handler runs.
 *
 * 1. The first signal sets the word; the command then ends in order within some 100 ms, with what it has begun to write
 * removed.
 * 2. A second signal removes the file that is being written and ends the program at once.
 */
#ifndef DROVER_CLIENTS_DROVER_INTERRUPT_H
#define DROVER_CLIENTS_DROVER_INTERRUPT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "common/base/nodiscard.h"

struct interrupt {
    atomic_bool is_set;
    atomic_bool is_over;              /* the program ends by itself */
    _Atomic(const char *) unfinished; /* the path of the file that is being written; NULL: none */
    pthread_t thread;
};

/** Blocks the signals in this thread and those that it starts, and begins to take them. NULL without memory or a
 * thread. */
NODISCARD struct interrupt *interrupt_begin(void);
/** Ends the thread. */
void interrupt_end(struct interrupt *interrupt);
/** Whether a signal came. Any thread. */
bool interrupt_is_set(const struct interrupt *interrupt);
/** Waits until the descriptor can be read (POLLIN) or written (POLLOUT), or its other end is closed. False after an
 * interrupt. */
bool interrupt_wait(const struct interrupt *interrupt, int descriptor, short events);

#endif
