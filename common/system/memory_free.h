/* How much memory a process may still take before the system ends it. */
#ifndef DROVER_COMMON_SYSTEM_MEMORY_FREE_H
#define DROVER_COMMON_SYSTEM_MEMORY_FREE_H

#include <stdint.h>

/** The least of what the machine has (MemAvailable), what the control groups of this process have left (version 1 and 2,
 * with what their files would give back), and its limit of address space (RLIMIT_AS). Bytes; UINT64_MAX when nothing of
 * that can be read. */
uint64_t memory_free(void);
/** The same for files below `root` instead of "", and without RLIMIT_AS. */
uint64_t memory_free_of_files(const char *root);

#endif
