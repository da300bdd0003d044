/* See interrupt.h. */
#include "clients/drover/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "clients/drover/command.h"

enum { GLANCE_MS = 50 };

static sigset_t taken_signals(void) {
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    return set;
}

static void *take_signals(void *context) {
    struct interrupt *interrupt = context;
    const sigset_t set = taken_signals();
    int signal_number = 0;
    (void)sigwait(&set, &signal_number);
    if (atomic_load(&interrupt->is_over)) {
        return NULL;
    }
    atomic_store(&interrupt->is_set, true);
    (void)sigwait(&set, &signal_number);
    if (atomic_load(&interrupt->is_over)) {
        return NULL;
    }
    const char *unfinished = atomic_load(&interrupt->unfinished);
    if (unfinished != NULL) {
        (void)unlink(unfinished);
    }
    _exit(EXIT_INTERRUPTED);
}

struct interrupt *interrupt_begin(void) {
    const sigset_t set = taken_signals();
    struct interrupt *interrupt = calloc(1, sizeof *interrupt);
    if (interrupt == NULL) {
        return NULL;
    }
    atomic_init(&interrupt->is_set, false);
    atomic_init(&interrupt->is_over, false);
    atomic_init(&interrupt->unfinished, NULL);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0 ||
        pthread_create(&interrupt->thread, NULL, take_signals, interrupt) != 0) {
        free(interrupt);
        return NULL;
    }
    return interrupt;
}

void interrupt_end(struct interrupt *interrupt) {
    atomic_store(&interrupt->is_over, true);
    (void)pthread_kill(interrupt->thread, SIGINT);
    (void)pthread_join(interrupt->thread, NULL);
    free(interrupt);
}

bool interrupt_is_set(const struct interrupt *interrupt) {
    return atomic_load_explicit(&interrupt->is_set, memory_order_relaxed);
}

bool interrupt_wait(const struct interrupt *interrupt, int descriptor, short events) {
    struct pollfd entry = {.fd = descriptor, .events = events};
    while (!interrupt_is_set(interrupt)) {
        if (poll(&entry, 1, GLANCE_MS) > 0) {
            return true;
        }
    }
    return false;
}
