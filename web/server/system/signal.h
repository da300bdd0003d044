/* Signals reach no page. */
#ifndef DROVER_WEB_SERVER_SYSTEM_SIGNAL_H
#define DROVER_WEB_SERVER_SYSTEM_SIGNAL_H

typedef int sigset_t;
typedef void (*signal_handler)(int number);

enum { SIGHUP = 1, SIGINT = 2, SIGPIPE = 13, SIGTERM = 15, SIG_SETMASK = 2 };

#define SIG_IGN ((signal_handler)1)

static inline signal_handler signal(int number, signal_handler handler) {
    (void)number;
    return handler;
}
static inline int sigfillset(sigset_t *set) {
    *set = -1;
    return 0;
}
static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *former) {
    (void)how;
    (void)set;
    (void)former;
    return 0;
}

#endif
