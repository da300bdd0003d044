/* Threads and the loop of a server in a page: one thread does everything, in turns. */
#ifndef DROVER_WEB_SERVER_ONE_THREAD_H
#define DROVER_WEB_SERVER_ONE_THREAD_H

#include <stdint.h>

/** Runs each thread until it rests. Returns when the next of them has something to do (clock_now_ns), UINT64_MAX for nothing. */
uint64_t one_thread_turn(void);
/** The same for the loop's handles: what has come is read, timers that are due run, the callbacks of closed handles run. */
uint64_t one_loop_turn(void);

#endif
