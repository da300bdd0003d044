/* Calls of the allocator, counted for each thread. A program that links drover_allocations has malloc, calloc, realloc and
 * free wrapped by the linker. */
#ifndef DROVER_TESTS_SUPPORT_ALLOCATIONS_H
#define DROVER_TESTS_SUPPORT_ALLOCATIONS_H

#include <stdbool.h>

/** How often this thread has called malloc, calloc or realloc. */
int allocations_of_thread(void);
/** The same, and free. */
int allocator_calls_of_thread(void);
/** While they are held, realloc waits on every thread but those that ever called this. */
void allocations_hold_others(bool is_held);

#endif
