/* How much memory processes may still take before the system ends them. */
#ifndef DROVER_COMMON_SYSTEM_MEMORY_FREE_H
#define DROVER_COMMON_SYSTEM_MEMORY_FREE_H

#include <stdint.h>

/** How much each of so many processes like this one may take: the least of what the machine has (MemAvailable) and what
 * the control groups of this process have left (version 1 and 2, with what their files would give back), shared out, and
 * of its own limit of address space (RLIMIT_AS). Bytes; UINT64_MAX when nothing of that can be read. processes: 1 or more. */
uint64_t memory_free(int processes);
/** The same for one process, for files below `root` instead of "", and without RLIMIT_AS. */
uint64_t memory_free_of_files(const char *root);

#endif
