/* See state_times.h. */
#include "viewer/explain/state_times.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void state_times_init(struct state_times *times) {
    memset(times, 0, sizeof *times);
}

void state_times_fini(struct state_times *times) {
    free(times->id);
    free(times->other_id);
    free(times->state);
    free(times->other_state);
    free(times->since);
    free(times->other_since);
    state_times_init(times);
}

static int reserve_times(struct state_times *times, int32_t count) {
    if (count <= times->capacity) {
        return 0;
    }
    const size_t room = (size_t)count + (size_t)count / 4 + 16;
    const struct state_times before = *times;
    uint32_t **const words[] = {&times->id, &times->other_id, &times->state, &times->other_state};
    float **const numbers[] = {&times->since, &times->other_since};
    bool is_whole = true;
    for (size_t i = 0; i < 4; i++) {
        uint32_t *grown = realloc(*words[i], room * sizeof *grown);
        is_whole = is_whole && grown != NULL;
        *words[i] = grown != NULL ? grown : *words[i];
    }
    for (size_t i = 0; i < 2; i++) {
        float *grown = realloc(*numbers[i], room * sizeof *grown);
        is_whole = is_whole && grown != NULL;
        *numbers[i] = grown != NULL ? grown : *numbers[i];
    }
    times->capacity = is_whole ? (int32_t)room : before.capacity;
    return is_whole ? 0 : -1;
}

static uint32_t number_of(const char *state) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = state; *c != '\0'; c++) {
        hash = (hash ^ (uint32_t)(unsigned char)*c) * 16777619u;
    }
    return hash;
}

static void swap(struct state_times *times) {
    uint32_t *id = times->id, *state = times->state;
    float *since = times->since;
    times->id = times->other_id;
    times->state = times->other_state;
    times->since = times->other_since;
    times->other_id = id;
    times->other_state = state;
    times->other_since = since;
}

int state_times_update(struct state_times *times, const struct frame *frame, uint32_t epoch) {
    uint32_t numbers[NAME_TABLE_CAPACITY];
    const float now = (float)frame->time_s;
    assert(frame->names != NULL && frame->settled_count <= frame->count);
    if (epoch != times->epoch || reserve_times(times, frame->settled_count) != 0) {
        times->count = 0;
        times->epoch = epoch;
    }
    if (times->capacity < frame->settled_count && reserve_times(times, frame->settled_count) != 0) {
        return -1;
    }
    for (int i = 0; i < frame->names->state_names.count; i++) {
        numbers[i] = number_of(frame->names->state_names.names[i]);
    }
    for (int32_t i = 0, row = 0; i < frame->settled_count; i++) {
        const uint32_t id = frame->id[i], state = numbers[frame->state[i]];
        while (row < times->count && times->id[row] < id) {
            row++;
        }
        const bool is_same = row < times->count && times->id[row] == id && times->state[row] == state;
        times->other_id[i] = id;
        times->other_state[i] = state;
        times->other_since[i] = is_same ? fminf(times->since[row], now) : now;
    }
    swap(times);
    times->count = frame->settled_count;
    return 0;
}

float state_times_at(const struct state_times *times, const struct frame *frame, int32_t index) {
    assert(index >= 0 && index < frame->count);
    return index < times->count ? fmaxf((float)frame->time_s - times->since[index], 0.0f) : 0.0f;
}
