/* See history.h. */
#include "viewer/model/history.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- the last minute ---- */

/* One snapshot: the columns of `count` agents stand one after the other behind it. */
struct history_record {
    uint64_t tick;
    double time_s;
    int32_t count, target_count;
    size_t bytes;
    uint16_t target_name[LIMIT_TARGETS];
    int32_t target_x[LIMIT_TARGETS], target_y[LIMIT_TARGETS];
    uint32_t columns[]; /* id, x, y, vx, vy, heading, kind | state << 16 */
};

enum { COLUMN_COUNT = 7 };

void history_init(struct history *history) {
    memset(history, 0, sizeof *history);
}

static struct history_record *record_at(const struct history *history, int index) {
    assert(index >= 0 && index < HISTORY_CAPACITY);
    return history->ring[(history->begin + index) % HISTORY_CAPACITY];
}

static void drop_oldest_record(struct history *history) {
    assert(history->count > 0);
    struct history_record *record = record_at(history, 0);
    history->bytes -= record->bytes;
    history->ring[history->begin] = NULL;
    history->begin = (history->begin + 1) % HISTORY_CAPACITY;
    history->count--;
    free(record);
}

static void drop_newest(struct history *history) {
    assert(history->count > 0);
    struct history_record *record = record_at(history, --history->count);
    history->bytes -= record->bytes;
    history->ring[(history->begin + history->count) % HISTORY_CAPACITY] = NULL;
    free(record);
}

void history_clear(struct history *history) {
    while (history->count > 0) {
        drop_oldest_record(history);
    }
    history->kind_names.count = history->state_names.count = history->target_names.count = 0;
    assert(history->bytes == 0);
}

void history_fini(struct history *history) {
    history_clear(history);
}

static size_t record_bytes(int32_t count) {
    return sizeof(struct history_record) + (size_t)count * COLUMN_COUNT * sizeof(uint32_t);
}

/* How far apart copies of this size must be for a minute of them to fit. */
static double least_gap_s(size_t bytes) {
    return HISTORY_S * (double)bytes / (double)HISTORY_BYTES;
}

/* The snapshot's indices as ours: 0xffff for a name there is no room for. */
static void translate(const struct name_table *from, struct name_table *to, uint16_t *numbers) {
    for (int i = 0; i < from->count; i++) {
        const int number = name_table_intern(to, from->names[i], strlen(from->names[i]));
        numbers[i] = (uint16_t)(number >= 0 ? number : 0);
    }
}

static void copy_columns(struct history *history, const struct snapshot *snapshot,
                         struct history_record *record) {
    uint16_t kinds[NAME_TABLE_CAPACITY], states[NAME_TABLE_CAPACITY], targets[NAME_TABLE_CAPACITY];
    const size_t n = (size_t)snapshot->count;
    const int32_t *const from[] = {snapshot->x, snapshot->y, snapshot->vx, snapshot->vy, snapshot->heading};
    translate(&snapshot->kind_names, &history->kind_names, kinds);
    translate(&snapshot->state_names, &history->state_names, states);
    translate(&snapshot->target_names, &history->target_names, targets);
    for (size_t i = 0; i < n; i++) {
        record->columns[i] = snapshot->id[i];
        record->columns[6 * n + i] = kinds[snapshot->kind[i]] | (uint32_t)states[snapshot->state[i]] << 16;
    }
    for (size_t c = 0; c < 5 && n > 0; c++) {
        memcpy(record->columns + (c + 1) * n, from[c], n * sizeof *from[c]);
    }
    for (int32_t i = 0; i < snapshot->target_count; i++) {
        record->target_name[i] = targets[snapshot->target_name[i]];
        record->target_x[i] = snapshot->target_x[i];
        record->target_y[i] = snapshot->target_y[i];
    }
}

void history_drop(struct history *history, double now_s) {
    while (history->count > 0 && now_s - history_begin_s(history) > HISTORY_S) {
        drop_oldest_record(history);
    }
}

void history_cut(struct history *history, double from_s, uint32_t epoch) {
    while (history->count > 0 && history_end_s(history) >= from_s) {
        drop_newest(history);
    }
    history->epoch = epoch;
}

/* Makes way for it: whether it is to be kept. */
static bool takes(struct history *history, const struct snapshot *snapshot, size_t bytes) {
    const double last_s = history_end_s(history);
    if (history->epoch != snapshot->epoch || snapshot->time_s < last_s) {
        history_clear(history);
        history->epoch = snapshot->epoch;
    }
    if (history->count > 0 && record_at(history, history->count - 1)->tick == snapshot->tick) {
        drop_newest(history);
    } else if (history->count > 0 && snapshot->time_s - last_s < least_gap_s(bytes)) {
        return false;
    }
    history_drop(history, snapshot->time_s);
    while (history->count > 0 &&
           (history->count == HISTORY_CAPACITY || history->bytes + bytes > (size_t)HISTORY_BYTES)) {
        drop_oldest_record(history);
    }
    return true;
}

/* NULL without memory. */
static struct history_record *record_of(struct history *history, const struct snapshot *snapshot,
                                        size_t bytes) {
    struct history_record *record = malloc(bytes);
    if (record == NULL) {
        return NULL;
    }
    record->tick = snapshot->tick;
    record->time_s = snapshot->time_s;
    record->count = snapshot->count;
    record->target_count = snapshot->target_count;
    record->bytes = bytes;
    copy_columns(history, snapshot, record);
    return record;
}

/* Room at this place; the copies from there on move up by one. */
static void put(struct history *history, int index, struct history_record *record) {
    assert(index >= 0 && index <= history->count && history->count < HISTORY_CAPACITY);
    for (int i = history->count++; i > index; i--) {
        history->ring[(history->begin + i) % HISTORY_CAPACITY] = record_at(history, i - 1);
    }
    history->ring[(history->begin + index) % HISTORY_CAPACITY] = record;
    history->bytes += record->bytes;
}

void history_add(struct history *history, const struct snapshot *snapshot) {
    assert(snapshot != NULL && history->count <= HISTORY_CAPACITY);
    const size_t bytes = record_bytes(snapshot->count);
    if (!takes(history, snapshot, bytes)) {
        return;
    }
    struct history_record *record = record_of(history, snapshot, bytes);
    if (record != NULL) {
        put(history, history->count, record);
    }
}

double history_time_s(const struct history *history, int index) {
    assert(index >= 0 && index < history->count);
    return record_at(history, index)->time_s;
}

double history_begin_s(const struct history *history) {
    return history->count > 0 ? history_time_s(history, 0) : 0.0;
}

double history_end_s(const struct history *history) {
    return history->count > 0 ? history_time_s(history, history->count - 1) : 0.0;
}

int history_find(const struct history *history, double time_s) {
    int low = 0, high = history->count - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (history_time_s(history, middle) <= time_s) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return history->count > 0 ? low : -1;
}

/* Whether a copy at this time is far enough from its neighbors: the newest at or before it is at `index`. */
static bool has_gap(const struct history *history, int index, double time_s, double gap_s) {
    const bool is_first = index < 0 || history_time_s(history, index) > time_s;
    const int next = is_first ? 0 : index + 1;
    return (is_first ||
            (time_s - history_time_s(history, index) >= gap_s && time_s > history_time_s(history, index))) &&
           (next >= history->count || history_time_s(history, next) - time_s >= gap_s);
}

void history_insert(struct history *history, const struct snapshot *snapshot) {
    assert(snapshot != NULL && history->count <= HISTORY_CAPACITY);
    const size_t bytes = record_bytes(snapshot->count);
    const double time_s = snapshot->time_s;
    if (!has_gap(history, history_find(history, time_s), time_s, least_gap_s(bytes))) {
        return;
    }
    while (history->count > 0 &&
           (history->count == HISTORY_CAPACITY || history->bytes + bytes > (size_t)HISTORY_BYTES)) {
        if (time_s - history_begin_s(history) > history_end_s(history) - time_s) {
            drop_oldest_record(history);
        } else {
            drop_newest(history);
        }
    }
    struct history_record *record = record_of(history, snapshot, bytes);
    if (record != NULL) {
        const int index = history_find(history, time_s);
        put(history, index < 0 || history_time_s(history, index) > time_s ? 0 : index + 1, record);
    }
}

int history_read(const struct history *history, int index, struct snapshot *snapshot) {
    assert(index >= 0 && index < history->count && snapshot != NULL);
    const struct history_record *record = record_at(history, index);
    const size_t n = (size_t)record->count;
    if (snapshot_reserve(snapshot, record->count > 0 ? record->count : 1, 0, false) != 0) {
        return -1;
    }
    int32_t *const to[] = {snapshot->x, snapshot->y, snapshot->vx, snapshot->vy, snapshot->heading};
    snapshot->tick = record->tick;
    snapshot->time_s = record->time_s;
    snapshot->clock_ms = record->time_s * 1000.0;
    snapshot->epoch = history->epoch;
    snapshot->fields = SNAPSHOT_USUAL;
    snapshot->has_forces = false;
    snapshot->count = record->count;
    snapshot->kind_names = history->kind_names;
    snapshot->state_names = history->state_names;
    snapshot->target_names = history->target_names;
    for (size_t i = 0; i < n; i++) {
        snapshot->id[i] = record->columns[i];
        snapshot->kind[i] = (uint16_t)(record->columns[6 * n + i] & 0xffffu);
        snapshot->state[i] = (uint16_t)(record->columns[6 * n + i] >> 16);
    }
    for (size_t c = 0; c < 5 && n > 0; c++) {
        memcpy(to[c], record->columns + (c + 1) * n, n * sizeof *to[c]);
    }
    snapshot->target_count = record->target_count;
    memcpy(snapshot->target_name, record->target_name, sizeof record->target_name);
    memcpy(snapshot->target_x, record->target_x, sizeof record->target_x);
    memcpy(snapshot->target_y, record->target_y, sizeof record->target_y);
    return 0;
}

static float hundredth(uint32_t column) {
    return (float)(int32_t)column * 0.01f;
}

bool history_agent(const struct history *history, int index, uint32_t id, struct history_agent *agent) {
    assert(index >= 0 && index < history->count && agent != NULL);
    const struct history_record *record = record_at(history, index);
    const size_t n = (size_t)record->count;
    const uint32_t *const column = record->columns;
    size_t low = 0, high = n; /* ids ascend */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (column[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == n || column[low] != id) {
        return false;
    }
    agent->position = vec2_make(hundredth(column[n + low]), hundredth(column[2 * n + low]));
    agent->velocity = vec2_make(hundredth(column[3 * n + low]), hundredth(column[4 * n + low]));
    agent->heading = hundredth(column[5 * n + low]) * (3.14159265f / 180.0f);
    return true;
}

/* ---- the moment that is shown ---- */

void playhead_go_live(struct playhead *head) {
    assert(head != NULL);
    head->is_live = true;
    head->is_playing = false;
}

static void hold(struct playhead *head, double at_s) {
    head->is_live = head->is_playing = false;
    head->at_s = at_s;
}

/* The newest copy that is not the present itself; -1 when there is none. */
static int last_past(const struct history *history, double now_s) {
    const int last = history->count - 1;
    return last >= 0 && history_time_s(history, last) >= now_s ? last - 1 : last;
}

void playhead_seek(struct playhead *head, const struct history *history, double now_s, double to_s) {
    const int last = last_past(history, now_s);
    if (to_s >= now_s) {
        playhead_go_live(head);
    } else if (last >= 0) {
        const int before = history_find(history, to_s);
        const int after = before < last ? before + 1 : before;
        const bool is_after = history_time_s(history, after) - to_s < to_s - history_time_s(history, before);
        const int nearest = is_after ? after : before;
        hold(head, history_time_s(history, nearest < last ? nearest : last));
    }
}

void playhead_preview(struct playhead *head, const struct history *history, double to_s, double within_s) {
    const int before = history_find(history, to_s);
    const int after = before >= 0 && before + 1 < history->count ? before + 1 : before;
    playhead_go_live(head);
    if (before >= 0) {
        const double low_s = history_time_s(history, before), high_s = history_time_s(history, after);
        const double nearest_s = fabs(high_s - to_s) < fabs(to_s - low_s) ? high_s : low_s;
        if (fabs(nearest_s - to_s) <= within_s) {
            hold(head, nearest_s);
        }
    }
}

void playhead_step(struct playhead *head, const struct history *history, double now_s, bool is_forward) {
    const int last = last_past(history, now_s);
    int index = head->is_live ? last + 1 : history_find(history, head->at_s);
    if (last < 0 || (head->is_live && is_forward)) {
        return;
    }
    if (is_forward) { /* what is held may be older than the oldest copy by now */
        index += history_time_s(history, index) <= head->at_s ? 1 : 0;
    } else {
        index -= index > 0 ? 1 : 0;
    }
    if (index > last) {
        playhead_go_live(head);
    } else if (is_forward || head->is_live || history_time_s(history, index) < head->at_s) {
        hold(head, history_time_s(history, index));
    }
}

void playhead_jump(struct playhead *head, const struct history *history, double now_s, double by_s) {
    const struct playhead before = *head;
    playhead_seek(head, history, now_s, (head->is_live ? now_s : head->at_s) + by_s);
    if (!before.is_live && !head->is_live && head->at_s == before.at_s) { /* copies are farther apart */
        playhead_step(head, history, now_s, by_s > 0.0);
    }
}

void playhead_toggle(struct playhead *head, const struct history *history) {
    const int index = history_find(history, head->at_s);
    if (head->is_playing && index >= 0) {
        hold(head, history_time_s(history, index));
    } else {
        head->is_playing = !head->is_live;
    }
}

void playhead_advance(struct playhead *head, const struct history *history, double now_s, double passed_s) {
    assert(passed_s >= 0.0);
    if (head->is_playing) {
        head->at_s = fmax(head->at_s + passed_s, history_begin_s(history));
        if (head->at_s >= now_s) {
            playhead_go_live(head);
        }
    }
}

/* ---- what was known of the selected agent ---- */

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
