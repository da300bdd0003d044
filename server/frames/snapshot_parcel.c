/* See snapshot_parcel.h.
 *
 * A parcel: its head, a record an agent, with forces another record an agent, the shares, the parts, and the names that
 * shares and parts mean. It may lie at any address.
 */
#include "server/frames/snapshot_parcel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct parcel_head {
    int32_t count, share_count, part_count;
    int32_t behavior_count, part_name_count; /* names */
};

struct parcel_agent {
    uint32_t id;
    uint16_t kind, state;
    int32_t x, y, vx, vy, heading, stamina;
};

struct parcel_forces {
    struct snapshot_vector desired, steering;
    int32_t shares, parts; /* how many */
};

typedef char parcel_name[LIMIT_NAME_CHARS + 1];

/* ---- writing ---- */

static void write_forces(const struct snapshot *snapshot, struct buffer *out) {
    const bool has_parts = snapshot_has_parts(snapshot);
    for (int32_t i = 0; i < snapshot->count; i++) {
        const struct parcel_forces forces = {
            .desired = snapshot->desired[i],
            .steering = snapshot->steering[i],
            .shares = snapshot->share_begin[i + 1] - snapshot->share_begin[i],
            .parts = has_parts ? snapshot->part_begin[i + 1] - snapshot->part_begin[i] : 0,
        };
        buffer_append(out, &forces, sizeof forces);
    }
    buffer_append(out, snapshot->shares, (size_t)snapshot->share_count * sizeof *snapshot->shares);
    if (has_parts) {
        buffer_append(out, snapshot->parts, (size_t)snapshot->part_count * sizeof *snapshot->parts);
    }
    buffer_append(out, snapshot->behavior_names.names,
                  (size_t)snapshot->behavior_names.count * sizeof(parcel_name));
    buffer_append(out, snapshot->part_names.names, (size_t)snapshot->part_names.count * sizeof(parcel_name));
}

static void write_agents(const struct snapshot *snapshot, struct buffer *out) {
    const size_t bytes = (size_t)snapshot->count * sizeof(struct parcel_agent);
    char *at = buffer_reserve(out, bytes);
    for (int32_t i = 0; at != NULL && i < snapshot->count; i++) {
        const struct parcel_agent agent = {
            .id = snapshot->id[i],
            .kind = snapshot->kind[i],
            .state = snapshot->state[i],
            .x = snapshot->x[i],
            .y = snapshot->y[i],
            .vx = snapshot->vx[i],
            .vy = snapshot->vy[i],
            .heading = snapshot->heading[i],
            .stamina = snapshot->stamina[i],
        };
        memcpy(at + (size_t)i * sizeof agent, &agent, sizeof agent);
    }
    if (at != NULL) {
        buffer_commit(out, bytes);
    }
}

void snapshot_parcel_write(const struct snapshot *snapshot, struct buffer *out) {
    struct parcel_head head = {.count = snapshot->count};
    if (snapshot->has_forces && snapshot->count > 0) {
        head.share_count = snapshot->share_count;
        head.part_count = snapshot_has_parts(snapshot) ? snapshot->part_count : 0;
        head.behavior_count = snapshot->behavior_names.count;
        head.part_name_count = snapshot->part_names.count;
    }
    buffer_append(out, &head, sizeof head);
    write_agents(snapshot, out);
    if (snapshot->has_forces && snapshot->count > 0) {
        write_forces(snapshot, out);
    }
}

/* ---- merging ---- */

/* How far a parcel has been read. */
struct cursor {
    struct parcel_head head;
    const char *agents, *forces, *shares, *parts, *behaviors, *part_names;
    int32_t taken; /* agents */
    struct parcel_agent next;
};

static void look_at_next(struct cursor *cursor) {
    if (cursor->taken < cursor->head.count) {
        memcpy(&cursor->next, cursor->agents + (size_t)cursor->taken * sizeof cursor->next,
               sizeof cursor->next);
    }
}

static void open_parcel(const struct exchange_part *parcel, bool has_forces, struct cursor *cursor) {
    const char *at = parcel->bytes;
    assert(parcel->size >= sizeof cursor->head);
    memcpy(&cursor->head, at, sizeof cursor->head);
    const struct parcel_head *head = &cursor->head;
    cursor->agents = at + sizeof *head;
    cursor->forces = cursor->agents + (size_t)head->count * sizeof(struct parcel_agent);
    cursor->shares = cursor->forces + (has_forces ? (size_t)head->count * sizeof(struct parcel_forces) : 0);
    cursor->parts = cursor->shares + (size_t)head->share_count * sizeof(struct snapshot_share);
    cursor->behaviors = cursor->parts + (size_t)head->part_count * sizeof(struct snapshot_part);
    cursor->part_names = cursor->behaviors + (size_t)head->behavior_count * sizeof(parcel_name);
    assert(cursor->part_names + (size_t)head->part_name_count * sizeof(parcel_name) == at + parcel->size);
    cursor->taken = 0;
    look_at_next(cursor);
}

/* A heap of cursors: the one whose next agent has the least id is the first. */
static void sink(struct cursor **heap, int count, int at) {
    for (;;) {
        int least = at;
        for (int child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            least = heap[child]->next.id < heap[least]->next.id ? child : least;
        }
        if (least == at) {
            return;
        }
        struct cursor *upper = heap[at];
        heap[at] = heap[least];
        heap[least] = upper;
        at = least;
    }
}

/* The index of a name that a parcel has, in a table of the snapshot. */
static int intern(const char *names, uint16_t index, struct name_table *table) {
    parcel_name name;
    memcpy(name, names + (size_t)index * sizeof name, sizeof name);
    return name_table_intern(table, name, strlen(name));
}

static int take_shares(struct cursor *cursor, int32_t count, struct snapshot *out) {
    for (int32_t i = 0; i < count; i++) {
        struct snapshot_share *share = &out->shares[out->share_count++];
        memcpy(share, cursor->shares, sizeof *share);
        cursor->shares += sizeof *share;
        const int behavior = intern(cursor->behaviors, share->behavior, &out->behavior_names);
        if (behavior < 0) {
            return -1;
        }
        share->behavior = (uint16_t)behavior;
    }
    return 0;
}

static int take_parts(struct cursor *cursor, int32_t count, struct snapshot *out) {
    for (int32_t i = 0; i < count; i++) {
        struct snapshot_part *part = &out->parts[out->part_count++];
        memcpy(part, cursor->parts, sizeof *part);
        cursor->parts += sizeof *part;
        const int behavior = intern(cursor->behaviors, part->behavior, &out->behavior_names);
        const int name = intern(cursor->part_names, part->part, &out->part_names);
        if (behavior < 0 || name < 0) {
            return -1;
        }
        part->behavior = (uint16_t)behavior;
        part->part = (uint16_t)name;
    }
    return 0;
}

/* Names come to the tables as they do in one process: of an agent those of parts first. */
static int take_forces(struct cursor *cursor, int32_t i, struct snapshot *out) {
    struct parcel_forces forces;
    memcpy(&forces, cursor->forces + (size_t)cursor->taken * sizeof forces, sizeof forces);
    out->desired[i] = forces.desired;
    out->steering[i] = forces.steering;
    out->share_begin[i] = out->share_count;
    out->part_begin[i] = out->part_count;
    if (take_parts(cursor, forces.parts, out) != 0 || take_shares(cursor, forces.shares, out) != 0) {
        return -1;
    }
    out->share_begin[i + 1] = out->share_count;
    out->part_begin[i + 1] = out->part_count;
    return 0;
}

/* As agent i. */
static int take_agent(struct cursor *cursor, int32_t i, struct snapshot *out) {
    const struct parcel_agent *agent = &cursor->next;
    out->id[i] = agent->id;
    out->kind[i] = agent->kind;
    out->state[i] = agent->state;
    out->x[i] = agent->x;
    out->y[i] = agent->y;
    out->vx[i] = agent->vx;
    out->vy[i] = agent->vy;
    out->heading[i] = agent->heading;
    out->stamina[i] = agent->stamina;
    if (out->has_forces && take_forces(cursor, i, out) != 0) {
        return -1;
    }
    cursor->taken++;
    look_at_next(cursor);
    return 0;
}

static int make_room(const struct cursor *cursors, int count, struct snapshot *out) {
    int64_t agents = 0, shares = 0, parts = 0;
    for (int i = 0; i < count; i++) {
        agents += cursors[i].head.count;
        shares += cursors[i].head.share_count;
        parts += cursors[i].head.part_count;
    }
    if (agents > INT32_MAX || shares > INT32_MAX || parts > INT32_MAX ||
        snapshot_reserve(out, (int32_t)agents, (int32_t)shares, out->has_forces) != 0) {
        return -1;
    }
    return snapshot_has_parts(out) ? snapshot_reserve_parts(out, (int32_t)parts) : 0;
}

static int merge(struct cursor *cursors, struct cursor **heap, int count, struct snapshot *out) {
    int left = 0;
    if (make_room(cursors, count, out) != 0) {
        return -1;
    }
    for (int i = 0; i < count; i++) {
        if (cursors[i].head.count > 0) {
            heap[left++] = &cursors[i];
        }
    }
    for (int i = left / 2 - 1; i >= 0; i--) {
        sink(heap, left, i);
    }
    while (left > 0) {
        struct cursor *first = heap[0];
        assert(out->count == 0 || out->id[out->count - 1] < first->next.id);
        if (take_agent(first, out->count, out) != 0) {
            return -1;
        }
        out->count++;
        if (first->taken == first->head.count) {
            heap[0] = heap[--left];
        }
        sink(heap, left, 0);
    }
    return 0;
}

int snapshot_parcel_merge(const struct exchange_part *parcels, int count, struct snapshot *out) {
    assert(out->count == 0 && count > 0);
    struct cursor *cursors = malloc((size_t)count * sizeof *cursors);
    struct cursor **heap = malloc((size_t)count * sizeof *heap);
    int result = -1;
    if (cursors != NULL && heap != NULL) {
        for (int i = 0; i < count; i++) {
            open_parcel(&parcels[i], out->has_forces, &cursors[i]);
        }
        result = merge(cursors, heap, count, out);
    }
    free(cursors);
    free(heap);
    return result;
}
