/* What the process takes of its machine: processor, memory, descriptors. */
#ifndef DROVER_COMMON_SYSTEM_PROCESS_H
#define DROVER_COMMON_SYSTEM_PROCESS_H

#include <stdint.h>

#include "common/base/nodiscard.h"

struct process_usage {
    double cpu_s;            /* user and system, of all threads */
    uint64_t resident_bytes; /* 0: unknown */
    uint64_t open_files;     /* 0: unknown */
};

/** As of now; waits for nothing but /proc. */
struct process_usage process_usage_read(void);

/* How much memory processes may still take before the system ends them. */

/** How much each of so many processes like this one may take: the least of what the machine has (MemAvailable) and what
 * the control groups of this process have left (version 1 and 2, with what their files would give back), shared out, and
 * of its own limit of address space (RLIMIT_AS). Bytes; UINT64_MAX when nothing of that can be read. processes: 1 or more. */
uint64_t memory_free(int processes);
/** The same for one process, for files below `root` instead of "", and without RLIMIT_AS. */
uint64_t memory_free_of_files(const char *root);

/* The three standard descriptors. */

/** Opens /dev/null in place of those of 0, 1 and 2 that are closed, so that no socket or file gets their
 * numbers (and, with 2, the log). Call it before anything is opened. 0, or -1 with errno. */
NODISCARD int descriptors_fill_standard(void);

#endif
