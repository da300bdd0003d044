/* The last minutes of a world in memory, so that they can be written when they have turned out to matter: lines of a
 * recording in two parts, each with the checkpoint that it begins with. Pure; one thread, or under the caller's lock.
 */
#ifndef DROVER_SERVER_SIMULATION_FLIGHT_MEMORY_H
#define DROVER_SERVER_SIMULATION_FLIGHT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"

enum { FLIGHT_PARTS = 2, FLIGHT_LINE_BYTES = 8 * 1024 * 1024 /* of the lines of a part */ };

struct flight_part {
    uint64_t began_ns, tick; /* of its checkpoint */
    char *checkpoint;        /* a line, owned; NULL: it is not there yet */
    size_t checkpoint_length;
    char *former; /* the checkpoint of the part that had this memory before, owned; NULL: none */
    struct buffer world, lines; /* the world line; what came after the checkpoint */
};

struct flight_memory {
    struct flight_part parts[FLIGHT_PARTS]; /* the older one first */
    int count;
};

void flight_memory_init(struct flight_memory *memory);
void flight_memory_fini(struct flight_memory *memory);
/** Takes memory for what is empty in all parts. From then on flight_memory_begin and flight_memory_add take none, unless
 * the world line becomes more than twice as long as that of the newest part. Not within a tick. */
void flight_memory_reserve(struct flight_memory *memory);
/** Begins a part; the oldest goes when there are FLIGHT_PARTS. world: the world line. */
void flight_memory_begin(struct flight_memory *memory, uint64_t now_ns, uint64_t tick, const char *world,
                         size_t length);
/** The checkpoint of the newest part, malloc'd; the memory's from now on. Returns a line that the memory does not need
 * any more (NULL: none), for the caller to free: flight_memory_begin, which a simulation calls, frees nothing. */
NODISCARD char *flight_memory_put_checkpoint(struct flight_memory *memory, char *line, size_t length);
/** Whether the newest part waits for its checkpoint. */
bool flight_memory_waits(const struct flight_memory *memory);
/** Lines after that checkpoint. A part that has too many is of no use any more. */
void flight_memory_add(struct flight_memory *memory, const char *lines, size_t length);
/** The part to begin with for what happened since since_ns: the newest that began before it, or else the oldest. -1: there
 * is none. */
int flight_memory_find(const struct flight_memory *memory, uint64_t since_ns);
/** Forgets everything. */
void flight_memory_clear(struct flight_memory *memory);

#endif
