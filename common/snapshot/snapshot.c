/* See snapshot.h: the arrays of a snapshot. Its copies are in snapshot_select.c, the codecs of the layouts in
 * files of their own.
 *
 * Invariant: every array that is not NULL holds `capacity` entries (share_begin and part_begin one more,
 * shares share_capacity, parts part_capacity).
 */
#include "common/snapshot/snapshot.h"

#include <assert.h>
#include <stdlib.h>

struct snapshot *snapshot_create(void) {
    return calloc(1, sizeof(struct snapshot));
}

void snapshot_destroy(struct snapshot *snapshot) {
    if (snapshot == NULL) {
        return;
    }
    free(snapshot->id);
    free(snapshot->kind);
    free(snapshot->state);
    free(snapshot->x);
    free(snapshot->y);
    free(snapshot->vx);
    free(snapshot->vy);
    free(snapshot->heading);
    free(snapshot->stamina);
    free(snapshot->desired);
    free(snapshot->steering);
    free(snapshot->share_begin);
    free(snapshot->shares);
    free(snapshot->part_begin);
    free(snapshot->parts);
    free(snapshot);
}

/* ---- room ---- */

/* What realloc of *array to count entries gives, or the old array with *ok false. */
static void *resized(void *array, size_t count, size_t entry_bytes, bool *ok) {
    void *larger = realloc(array, count * entry_bytes);
    *ok = *ok && larger != NULL;
    return larger == NULL ? array : larger;
}

#define RESIZE(array, count, ok) (array) = resized((array), (count), sizeof *(array), (ok))

static bool resize_agents(struct snapshot *snapshot, size_t count) {
    bool ok = true;
    RESIZE(snapshot->id, count, &ok);
    RESIZE(snapshot->kind, count, &ok);
    RESIZE(snapshot->state, count, &ok);
    RESIZE(snapshot->x, count, &ok);
    RESIZE(snapshot->y, count, &ok);
    RESIZE(snapshot->vx, count, &ok);
    RESIZE(snapshot->vy, count, &ok);
    RESIZE(snapshot->heading, count, &ok);
    RESIZE(snapshot->stamina, count, &ok);
    return ok;
}

static bool resize_forces(struct snapshot *snapshot, size_t count) {
    bool ok = true;
    RESIZE(snapshot->desired, count, &ok);
    RESIZE(snapshot->steering, count, &ok);
    RESIZE(snapshot->share_begin, count + 1, &ok);
    RESIZE(snapshot->part_begin, count + 1, &ok);
    return ok;
}

static int32_t grown(int32_t capacity, int32_t wanted) {
    const int64_t half_more = (int64_t)capacity + capacity / 2;
    const int64_t most = wanted > LIMIT_AGENTS ? wanted : LIMIT_AGENTS;
    const int64_t bounded = half_more < most ? half_more : most;
    return (int32_t)(bounded > wanted ? bounded : wanted > 0 ? wanted : 1);
}

int snapshot_reserve(struct snapshot *snapshot, int32_t count, int32_t share_count, bool has_forces) {
    assert(count >= 0 && share_count >= 0);
    const bool grows = count > snapshot->capacity || snapshot->capacity == 0;
    const int32_t capacity = grows ? grown(snapshot->capacity, count) : snapshot->capacity;
    const bool had_forces = snapshot->share_begin != NULL;
    if (grows && !resize_agents(snapshot, (size_t)capacity)) {
        return -1;
    }
    if ((has_forces && !had_forces) || (had_forces && grows)) {
        if (!resize_forces(snapshot, (size_t)capacity)) {
            return -1;
        }
    }
    snapshot->capacity = capacity;
    if (has_forces && (share_count > snapshot->share_capacity || snapshot->shares == NULL)) {
        const int32_t shares = share_count > 0 ? share_count : 1;
        bool ok = true;
        RESIZE(snapshot->shares, (size_t)shares, &ok);
        if (!ok) {
            return -1;
        }
        snapshot->share_capacity = shares;
    }
    return 0;
}

int snapshot_reserve_parts(struct snapshot *snapshot, int32_t part_count) {
    assert(part_count >= 0 && snapshot->part_begin != NULL);
    if (part_count > snapshot->part_capacity || snapshot->parts == NULL) {
        const int32_t parts = part_count > 0 ? part_count : 1;
        bool ok = true;
        RESIZE(snapshot->parts, (size_t)parts, &ok);
        if (!ok) {
            return -1;
        }
        snapshot->part_capacity = parts;
    }
    return 0;
}

size_t snapshot_bytes(int32_t count, int32_t share_count, bool has_forces) {
    const struct snapshot *none = NULL;
    const size_t agent = sizeof *none->id + sizeof *none->kind + sizeof *none->state + sizeof *none->x +
                         sizeof *none->y + sizeof *none->vx + sizeof *none->vy + sizeof *none->heading +
                         sizeof *none->stamina;
    const size_t forces =
        has_forces ? sizeof *none->desired + sizeof *none->steering + sizeof *none->share_begin : 0;
    const size_t shares = has_forces ? (size_t)share_count * sizeof *none->shares : 0;
    return (size_t)count * (agent + forces) + shares;
}
