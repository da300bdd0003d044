/* See inspections.h. */
#include "viewer/model/inspections.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct inspection *inspection_at(struct inspections *inspections, int index) {
    return &inspections->ring[(inspections->begin + index) % INSPECTIONS_MOST];
}

static void drop_oldest_inspection(struct inspections *inspections) {
    assert(inspections->count > 0);
    struct inspection *oldest = inspection_at(inspections, 0);
    inspections->bytes -= oldest->bytes;
    free(oldest->copy);
    *oldest = (struct inspection){.copy = NULL};
    inspections->begin = (inspections->begin + 1) % INSPECTIONS_MOST;
    inspections->count--;
}

void inspections_clear(struct inspections *inspections) {
    while (inspections->count > 0) {
        drop_oldest_inspection(inspections);
    }
    assert(inspections->bytes == 0);
}

/* ---- packing: the reply up to its arrays, then what is used of each ---- */

/* An array of the reply, and how much of it is used. */
struct part {
    size_t offset, entry, count;
};

enum { PART_COUNT = 4 };

static void parts_of(const struct message_agent *agent, struct part *parts) {
    parts[0] = (struct part){offsetof(struct message_agent, shares), sizeof agent->shares[0],
                             (size_t)agent->share_count};
    parts[1] = (struct part){offsetof(struct message_agent, neighbors), sizeof agent->neighbors[0],
                             (size_t)agent->neighbor_count};
    parts[2] = (struct part){offsetof(struct message_agent, points), sizeof agent->points[0],
                             (size_t)agent->point_count};
    parts[3] = (struct part){offsetof(struct message_agent, terms), sizeof agent->terms[0],
                             (size_t)agent->term_count};
}

/* The members without their arrays. */
struct head {
    struct message_agent *none; /* keeps what follows aligned */
    int share_count, neighbor_count, point_count, term_count;
};

static size_t inspection_bytes(const struct message_agent *agent) {
    struct part parts[PART_COUNT];
    size_t bytes = sizeof(struct head) + offsetof(struct message_agent, shares);
    parts_of(agent, parts);
    for (int i = 0; i < PART_COUNT; i++) {
        bytes += parts[i].count * parts[i].entry;
    }
    return bytes;
}

static void pack(const struct message_agent *agent, char *out) {
    const struct head head = {NULL, agent->share_count, agent->neighbor_count, agent->point_count,
                              agent->term_count};
    struct part parts[PART_COUNT];
    parts_of(agent, parts);
    memcpy(out, (const char *)&head, sizeof head);
    out += sizeof head;
    memcpy(out, (const char *)agent, offsetof(struct message_agent, shares));
    out += offsetof(struct message_agent, shares);
    for (int i = 0; i < PART_COUNT; i++) {
        memcpy(out, (const char *)agent + parts[i].offset, parts[i].count * parts[i].entry);
        out += parts[i].count * parts[i].entry;
    }
}

static void unpack(const char *from, struct message_agent *agent) {
    struct head head;
    struct part parts[PART_COUNT];
    memcpy((char *)&head, from, sizeof head);
    from += sizeof head;
    memset(agent, 0, sizeof *agent);
    memcpy((char *)agent, from, offsetof(struct message_agent, shares));
    from += offsetof(struct message_agent, shares);
    agent->share_count = head.share_count;
    agent->neighbor_count = head.neighbor_count;
    agent->point_count = head.point_count;
    agent->term_count = head.term_count;
    parts_of(agent, parts);
    for (int i = 0; i < PART_COUNT; i++) {
        memcpy((char *)agent + parts[i].offset, from, parts[i].count * parts[i].entry);
        from += parts[i].count * parts[i].entry;
    }
}

/* ---- the ring ---- */

/* The one of this tick, which a request may have changed since; NULL when there is none. */
static struct inspection *find_tick(struct inspections *inspections, uint64_t tick, uint32_t id) {
    struct inspection *found = NULL;
    for (int i = inspections->count - 1; i >= 0 && found == NULL; i--) {
        struct inspection *row = inspection_at(inspections, i);
        found = row->tick == tick && row->id == id ? row : NULL;
    }
    return found;
}

void inspections_add(struct inspections *inspections, uint64_t tick, const struct message_agent *agent) {
    const size_t bytes = inspection_bytes(agent);
    struct inspection *same = find_tick(inspections, tick, agent->id);
    char *copy = malloc(bytes);
    if (copy == NULL) {
        return;
    }
    pack(agent, copy);
    if (same == NULL) {
        same = inspection_at(inspections, inspections->count == INSPECTIONS_MOST ? 0 : inspections->count);
        if (inspections->count == INSPECTIONS_MOST) {
            drop_oldest_inspection(inspections);
        }
        inspections->count++;
    }
    inspections->bytes += bytes - same->bytes;
    free(same->copy);
    *same = (struct inspection){agent->id, tick, bytes, copy};
    while (inspections->bytes > (size_t)INSPECTIONS_BYTES && inspections->count > 1) {
        drop_oldest_inspection(inspections);
    }
}

bool inspections_find(const struct inspections *inspections, uint32_t id, double tick, double within,
                      struct message_agent *agent) {
    const struct inspection *best = NULL;
    double least = within;
    for (int i = 0; i < inspections->count; i++) {
        const struct inspection *row = &inspections->ring[(inspections->begin + i) % INSPECTIONS_MOST];
        const double distance = fabs((double)row->tick - tick);
        if (row->id == id && distance <= least) {
            least = distance;
            best = row;
        }
    }
    if (best != NULL) {
        unpack(best->copy, agent);
    }
    return best != NULL;
}
