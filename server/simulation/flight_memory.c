/* See flight_memory.h. */
#include "server/simulation/flight_memory.h"

#include <assert.h>
#include <stdlib.h>

void flight_memory_init(struct flight_memory *memory) {
    *memory = (struct flight_memory){0};
    for (int i = 0; i < FLIGHT_PARTS; i++) {
        buffer_init(&memory->parts[i].world, FLIGHT_LINE_BYTES);
        buffer_init(&memory->parts[i].lines, FLIGHT_LINE_BYTES);
    }
}

static void clear_part(struct flight_part *part) {
    if (part->checkpoint != NULL) {
        assert(part->former == NULL);
        part->former = part->checkpoint;
    }
    part->checkpoint = NULL;
    part->checkpoint_length = 0;
    buffer_clear(&part->world);
    buffer_clear(&part->lines);
}

void flight_memory_clear(struct flight_memory *memory) {
    for (int i = 0; i < FLIGHT_PARTS; i++) {
        clear_part(&memory->parts[i]);
        free(memory->parts[i].former);
        memory->parts[i].former = NULL;
    }
    memory->count = 0;
}

void flight_memory_fini(struct flight_memory *memory) {
    flight_memory_clear(memory);
    for (int i = 0; i < FLIGHT_PARTS; i++) {
        buffer_fini(&memory->parts[i].world);
        buffer_fini(&memory->parts[i].lines);
    }
}

/* Pages that are not written take no memory. Without room the buffer grows when it is written. */
static void reserve_empty(struct buffer *buffer, size_t bytes) {
    if (buffer->length == 0 && !buffer->failed) {
        (void)buffer_reserve(buffer, bytes < buffer->limit ? bytes : buffer->limit);
        buffer_clear(buffer);
    }
}

void flight_memory_reserve(struct flight_memory *memory) {
    const size_t world_bytes = memory->count > 0 ? memory->parts[memory->count - 1].world.length : 0;
    for (int i = 0; i < FLIGHT_PARTS; i++) {
        reserve_empty(&memory->parts[i].world, 2 * world_bytes);
        reserve_empty(&memory->parts[i].lines, FLIGHT_LINE_BYTES);
    }
}

static bool is_usable(const struct flight_part *part) {
    return part->checkpoint != NULL && !part->lines.failed && !part->world.failed;
}

void flight_memory_begin(struct flight_memory *memory, uint64_t now_ns, uint64_t tick, const char *world,
                         size_t length) {
    if (memory->count == FLIGHT_PARTS) {
        const struct flight_part oldest = memory->parts[0];
        for (int i = 1; i < FLIGHT_PARTS; i++) {
            memory->parts[i - 1] = memory->parts[i];
        }
        memory->parts[FLIGHT_PARTS - 1] = oldest; /* its memory is used again */
        memory->count--;
    }
    struct flight_part *part = &memory->parts[memory->count++];
    clear_part(part);
    part->began_ns = now_ns;
    part->tick = tick;
    buffer_append(&part->world, world, length);
}

bool flight_memory_waits(const struct flight_memory *memory) {
    return memory->count > 0 && memory->parts[memory->count - 1].checkpoint == NULL;
}

char *flight_memory_put_checkpoint(struct flight_memory *memory, char *line, size_t length) {
    if (!flight_memory_waits(memory)) {
        return line;
    }
    struct flight_part *part = &memory->parts[memory->count - 1];
    char *former = part->former;
    part->former = NULL;
    part->checkpoint = line;
    part->checkpoint_length = length;
    return former;
}

void flight_memory_add(struct flight_memory *memory, const char *lines, size_t length) {
    if (memory->count > 0) {
        buffer_append(&memory->parts[memory->count - 1].lines, lines, length);
    }
}

int flight_memory_find(const struct flight_memory *memory, uint64_t since_ns) {
    int found = -1;
    for (int i = memory->count - 1; i >= 0 && memory->parts[i].began_ns > 0; i--) {
        if (memory->parts[i].lines.failed) {
            break; /* lines are missing between an older part and the newest */
        }
        found = is_usable(&memory->parts[i]) ? i : found;
        if (found == i && memory->parts[i].began_ns <= since_ns) {
            break;
        }
    }
    return found;
}
