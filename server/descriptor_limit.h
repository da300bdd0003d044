/* The system's limit of open files, which every session counts against. */
#ifndef DROVER_SERVER_DESCRIPTOR_LIMIT_H
#define DROVER_SERVER_DESCRIPTOR_LIMIT_H

#include <stdint.h>

/** Open files that are no session: of the loop, the log, the scenarios, and connections that only get
 * the bye `full`. */
enum { DESCRIPTOR_LIMIT_SPARE = 128 };

/** Raises the soft limit (ulimit -n), up to the hard one, to what so many clients need. Returns how many of
 * them fit; *limit is the soft limit as it is then. */
uint32_t descriptor_limit_raise(uint32_t clients, uint64_t *limit);

#endif
