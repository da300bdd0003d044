#include "tests/support/allocations.h"

#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>

static _Thread_local int allocations, frees;
static _Thread_local bool is_holder;
static atomic_bool are_others_held;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size) {
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    allocations++;
    while (!is_holder && atomic_load(&are_others_held)) {
        (void)poll(NULL, 0, 1);
    }
    return __real_realloc(memory, size);
}

void __wrap_free(void *memory) {
    frees++;
    __real_free(memory);
}

int allocations_of_thread(void) {
    return allocations;
}

int allocator_calls_of_thread(void) {
    return allocations + frees;
}

void allocations_hold_others(bool is_held) {
    is_holder = true;
    atomic_store(&are_others_held, is_held);
}
