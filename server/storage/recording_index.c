/* See recording_internal.h. Owns its arrays.
 *
 * Invariants: facts.last is the last moment of the lines do, at and world so far (and of what other lines show that
 * the world has reached); it never goes back but to the start of a further world. */
#include "server/storage/recording_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"

_Static_assert(REQUEST_OP_COUNT < 64, "bits of request_ops");

enum {
    MARK_DISTANCE = 64 * 1024, /* bytes of text between two marks */
    MOST_TICKS =
        10000000 /* from a line to the next one: there is a hash each second of ticks, 480 at most, or a little later */
};

void index_init(struct recording_index *index) {
    *index = (struct recording_index){0};
}

void index_fini(struct recording_index *index) {
    free(index->worlds.items);
    free(index->world_places.items);
    free(index->checkpoints.items);
    free(index->moments.items);
    free(index->hashes.items);
    free(index->marks.items);
    free(index->gaps.items);
    index_init(index);
}

static int push(struct index_array *array, const void *item, size_t size, struct failure *failure) {
    if (array->count == array->room) {
        const size_t room = array->room > 0 ? 2 * array->room : 16;
        void *items = realloc(array->items, room * size);
        if (items == NULL) {
            return failure_set(failure, FAILURE_BUSY, NULL, "out of memory for the index of the recording");
        }
        array->items = items;
        array->room = room;
    }
    assert(array->items != NULL && array->count < array->room);
    memcpy((char *)array->items + array->count++ * size, item, size);
    return 0;
}

const struct index_world *index_world(const struct recording_index *index, int world) {
    return &((const struct index_world *)index->world_places.items)[world];
}

const struct index_checkpoint *index_checkpoint(const struct recording_index *index, int checkpoint) {
    return &((const struct index_checkpoint *)index->checkpoints.items)[checkpoint];
}

static struct recording_world *world_at(struct recording_index *index, int world) {
    return &((struct recording_world *)index->worlds.items)[world];
}

static int last_world(const struct recording_index *index) {
    return (int)index->worlds.count - 1;
}

/* A line that cannot be used. */
static int pass_over(struct recording_index *index) {
    index->facts.torn_lines++;
    return 0;
}

/* Before a line is added: what stands before it is not after the last moment. */
static int add_mark(struct recording_index *index, struct line_place place, bool is_wanted,
                    struct failure *failure) {
    const struct index_mark *last =
        index->marks.count > 0 ? &((struct index_mark *)index->marks.items)[index->marks.count - 1] : NULL;
    const bool is_near = last != NULL && last->place.file == place.file &&
                         place.offset - last->place.offset < (uint64_t)MARK_DISTANCE;
    if (is_near && !is_wanted) {
        return 0;
    }
    const struct index_mark mark = {last_world(index), index->facts.last.tick, index->facts.last.seq, place};
    return push(&index->marks, &mark, sizeof mark, failure);
}

static void reach(struct recording_index *index, int world, uint64_t tick, uint64_t seq) {
    struct recording_world *reached = world_at(index, world);
    reached->last_tick = tick > reached->last_tick ? tick : reached->last_tick;
    if (world == last_world(index)) {
        struct recording_moment *last = &index->facts.last;
        last->tick = tick > last->tick ? tick : last->tick;
        last->seq = seq > last->seq ? seq : last->seq;
    }
}

/* ---- lines ---- */

static int add_drover(struct recording_index *index, const struct recording_line *line,
                      struct failure *failure) {
    if (line->format > RECORDING_FORMAT) {
        return failure_set(failure, FAILURE_VERSION, "format",
                           "the recording has format %u; this program reads format %d", line->format,
                           RECORDING_FORMAT);
    }
    if (index->facts.lines == 1) {
        index->facts.header = *line;
    }
    index->core = line->core;
    index->facts.has_end = false; /* the file before it was not the last one */
    index->facts.end_reason[0] = '\0';
    return 0;
}

static int add_hash(struct recording_index *index, int world, const struct recording_line *line,
                    struct failure *failure) {
    const struct index_hash hash = {world, line->tick, line->seq, line->hash};
    return push(&index->hashes, &hash, sizeof hash, failure);
}

/* The last world is not played from its text here. */
static void begin_later(struct recording_index *index, uint64_t tick) {
    const int world = last_world(index);
    ((struct index_world *)index->world_places.items)[world].begins_later = true;
    world_at(index, world)->first_tick = tick;
}

/* Whether the file that begins with this line needs nothing that is lost: it goes on where the lines before the damage end,
 * or its world was put in there. */
static bool goes_on(const struct recording_index *index, const struct recording_line *line, bool is_known) {
    return is_known ? line->from_seq <= index->facts.last.seq : line->from_seq <= line->seq;
}

/* A world that is known is said again at the start of a further file. */
static int add_world(struct recording_index *index, const struct recording_line *line,
                     struct line_place place, struct failure *failure) {
    const bool is_known = index->worlds.count > 0 && line->seq <= index->facts.last.seq;
    if (index->is_broken && !goes_on(index, line, is_known)) {
        (void)failure_set(failure, FAILURE_BAD_SAVE, NULL, "it goes on from lines that are lost");
        return 1;
    }
    index->is_broken = false;
    if (is_known) {
        index->lacks_lines = !goes_on(index, line, is_known);
        index->from_seq = line->from_seq;
        return 0;
    }
    const uint32_t least = index->worlds.count > 0 ? world_at(index, last_world(index))->number + 1 : 1;
    struct recording_world world = {.number = line->world > least ? line->world : least,
                                    .seed = line->seed,
                                    .first_tick = line->tick,
                                    .last_tick = line->tick,
                                    .hash = line->hash,
                                    .tick_hz = line->tick_hz,
                                    .by = line->by,
                                    .core = index->core};
    memcpy(world.scenario, line->scenario, sizeof world.scenario);
    const struct index_world entry = {.seq = line->seq, .place = place};
    if (push(&index->worlds, &world, sizeof world, failure) != 0 ||
        push(&index->world_places, &entry, sizeof entry, failure) != 0) {
        return -1;
    }
    index->facts.last = (struct recording_moment){world.number, line->tick, line->seq};
    index->is_after_world = true;
    if (line->from_seq > line->seq || line->tick > 0) {
        begin_later(index, line->from_tick > line->tick ? line->from_tick : line->tick);
    }
    return add_mark(index, place, true, failure) != 0 ? -1
                                                      : add_hash(index, last_world(index), line, failure);
}

/* The bit of the op of a request, or all: requests are written with the op first. */
static uint64_t op_bit(const struct recording_line *line) {
    static const char begin[] = "{\"op\":\"";
    const size_t length = sizeof begin - 1;
    if (line->request_length < length || memcmp(line->request, begin, length) != 0) {
        return UINT64_MAX;
    }
    const char *op = line->request + length;
    const size_t left = line->request_length - length;
    for (int i = 0; i < REQUEST_OP_COUNT; i++) {
        const char *name = request_op_name((enum request_op)i);
        if (strlen(name) < left && memcmp(op, name, strlen(name)) == 0 && op[strlen(name)] == '"') {
            return UINT64_C(1) << (unsigned)i;
        }
    }
    return UINT64_MAX;
}

/* Whether a line says a tick that no server has reached: a replay to it would take hours. */
static bool is_far_out(const struct recording_index *index, int world, const struct recording_line *line,
                       struct failure *failure) {
    const struct recording_world *known = &((const struct recording_world *)index->worlds.items)[world];
    const uint64_t last = known->last_tick > known->first_tick ? known->last_tick : known->first_tick;
    if (line->tick <= last || line->tick - last <= (uint64_t)MOST_TICKS) {
        return false;
    }
    (void)failure_set(failure, FAILURE_BAD_SAVE, NULL,
                      "its tick %llu is too far behind tick %llu of the lines before; allowed: %d ticks",
                      (unsigned long long)line->tick, (unsigned long long)last, MOST_TICKS);
    return true;
}

/* do and at: in order. A line that a file repeats changes nothing; one of an earlier tick is wrong. */
static int add_ordered(struct recording_index *index, const struct recording_line *line,
                       struct line_place place, struct failure *failure) {
    const struct recording_moment last = index->facts.last;
    if (line->op == RECORDING_DO && line->seq <= last.seq) {
        return 0;
    }
    if (line->tick < last.tick && line->seq > last.seq) {
        (void)failure_set(failure, FAILURE_BAD_SAVE, NULL, "its tick is before that of the line before");
        return 1;
    }
    if (is_far_out(index, last_world(index), line, failure)) {
        return 1;
    }
    if (add_mark(index, place, false, failure) != 0) {
        return -1;
    }
    if (line->op == RECORDING_DO) {
        index->facts.requests++;
        index->facts.request_ops |= op_bit(line);
    }
    if (line->op == RECORDING_AT && line->tick >= last.tick && line->seq >= last.seq) {
        index->facts.is_paused_at_end = line->is_paused;
    }
    reach(index, last_world(index), line->tick, line->seq);
    return 0;
}

/* The world that a line is about which may stand later than its moment. */
static int world_of_seq(const struct recording_index *index, uint64_t seq) {
    int world = last_world(index);
    while (world >= 0 && index_world(index, world)->seq > seq) {
        world--;
    }
    return world;
}

static int add_checkpoint(struct recording_index *index, int world, const struct recording_line *line,
                          struct line_place place, bool is_after_world, struct failure *failure) {
    const struct index_checkpoint entry = {.world = world,
                                           .core = index->core,
                                           .has_sum = index->has_sums,
                                           .tick = line->tick,
                                           .seq = line->seq,
                                           .hash = line->hash,
                                           .place = place};
    if (is_after_world && world == last_world(index)) {
        begin_later(index, line->tick);
    }
    return push(&index->checkpoints, &entry, sizeof entry, failure);
}

/* hash, checkpoint and end. */
static int add_late(struct recording_index *index, const struct recording_line *line, struct line_place place,
                    bool is_after_world, struct failure *failure) {
    const int world = world_of_seq(index, line->seq);
    if (world < 0) {
        return pass_over(index);
    }
    /* A checkpoint may be behind ticks of which no line could be written. */
    if (line->op != RECORDING_CHECKPOINT && is_far_out(index, world, line, failure)) {
        return 1;
    }
    const struct recording_moment last = index->facts.last;
    if (line->op == RECORDING_CHECKPOINT && world == last_world(index) && line->tick >= last.tick &&
        line->seq >= last.seq) {
        index->facts.is_paused_at_end = line->is_paused;
    }
    reach(index, world, line->tick, line->seq);
    if (line->op == RECORDING_END) {
        index->facts.has_end = true;
        memcpy(index->facts.end_reason, line->reason, sizeof line->reason);
        return 0;
    }
    if (line->op == RECORDING_CHECKPOINT &&
        add_checkpoint(index, world, line, place, is_after_world, failure) != 0) {
        return -1;
    }
    return add_hash(index, world, line, failure);
}

/* A line behind a world that goes on from a request to which no line before leads: nothing but a checkpoint can be used. */
static int check_beginning(struct recording_index *index, const struct recording_line *line,
                           struct failure *failure) {
    if (!index->lacks_lines || line->op == RECORDING_OTHER) {
        return 0;
    }
    index->lacks_lines = false;
    if (line->op == RECORDING_CHECKPOINT) {
        const struct recording_gap gap = {index->facts.last,
                                          {index->facts.last.world, line->tick, line->seq}};
        return push(&index->gaps, &gap, sizeof gap, failure);
    }
    (void)failure_set(failure, FAILURE_BAD_SAVE, NULL,
                      "it goes on behind request %llu, and the files before it end with %llu",
                      (unsigned long long)index->from_seq, (unsigned long long)index->facts.last.seq);
    return 1;
}

static int add_known(struct recording_index *index, const struct recording_line *line,
                     struct line_place place, struct failure *failure) {
    const bool is_after_world = index->is_after_world;
    index->is_after_world = false;
    const int beginning = check_beginning(index, line, failure);
    if (beginning != 0) {
        return beginning;
    }
    switch (line->op) {
    case RECORDING_DROVER:
        return add_drover(index, line, failure);
    case RECORDING_WORLD:
        return add_world(index, line, place, failure);
    case RECORDING_OTHER:
        return 0;
    default:
        break;
    }
    if (index->worlds.count == 0) {
        return pass_over(index);
    }
    return line->op == RECORDING_DO || line->op == RECORDING_AT
               ? add_ordered(index, line, place, failure)
               : add_late(index, line, place, is_after_world, failure);
}

int index_add(struct recording_index *index, const char *line, size_t length, struct line_place place,
              struct failure *failure) {
    struct recording_line read;
    const int result = recording_line_read(line, length, &read, failure);
    const bool is_first = index->facts.lines + index->facts.torn_lines == 0;
    if (result != 0 && failure->code == FAILURE_BUSY) {
        return -1;
    }
    if (is_first && (result != 0 || read.op != RECORDING_DROVER)) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "not a recording of Drover: its first line must have \"op\":\"drover\"");
    }
    if (result != 0) {
        return 1;
    }
    if (index->is_broken && read.op != RECORDING_DROVER && read.op != RECORDING_WORLD) {
        (void)failure_set(failure, FAILURE_BAD_SAVE, NULL, "it needs lines that are lost");
        return 1;
    }
    index->facts.lines++;
    return add_known(index, &read, place, failure);
}

/* ---- damage ---- */

static bool is_later(const struct recording_line *line, uint64_t tick, uint64_t seq) {
    return line->op != RECORDING_DROVER && line->op != RECORDING_OTHER &&
           (line->seq > seq || (line->seq == seq && line->tick > tick));
}

void index_break(struct recording_index *index, const char *line, size_t length, const char *why) {
    struct recording_damage *damage = &index->facts.damage;
    const struct recording_moment last = index->facts.last;
    struct recording_line read;
    struct failure failure;
    index->is_broken = true;
    index->facts.torn_lines++;
    if (damage->is_there) {
        return;
    }
    *damage = (struct recording_damage){.is_there = true, .before = last, .tick = last.tick, .seq = last.seq};
    (void)snprintf(damage->what, sizeof damage->what, "%s", why);
    if (recording_line_read(line, length, &read, &failure) == 0 && is_later(&read, last.tick, last.seq) &&
        read.seq == last.seq + 1) {
        damage->seq = read.seq; /* which request it was can be believed; not the rest */
    }
}

void index_note_lost(struct recording_index *index, const char *line, size_t length) {
    struct recording_damage *damage = &index->facts.damage;
    struct recording_line read;
    struct failure failure;
    if (recording_line_read(line, length, &read, &failure) == 0 &&
        is_later(&read, damage->tick, damage->seq)) {
        damage->tick = read.tick;
        damage->seq = read.seq;
    }
}

/* ---- order ---- */

static int compare_moments(int world, uint64_t tick, uint64_t seq, int other_world, uint64_t other_tick,
                           uint64_t other_seq) {
    if (world != other_world) {
        return world < other_world ? -1 : 1;
    }
    if (tick != other_tick) {
        return tick < other_tick ? -1 : 1;
    }
    return seq == other_seq ? 0 : seq < other_seq ? -1 : 1;
}

static int compare_checkpoints(const void *one, const void *other) {
    const struct index_checkpoint *a = one, *b = other;
    return compare_moments(a->world, a->tick, a->seq, b->world, b->tick, b->seq);
}

static int compare_hashes(const void *one, const void *other) {
    const struct index_hash *a = one, *b = other;
    return compare_moments(a->world, a->tick, a->seq, b->world, b->tick, b->seq);
}

static int list_moments(struct recording_index *index, struct failure *failure) {
    for (size_t i = 0; i < index->checkpoints.count; i++) {
        const struct index_checkpoint *entry = index_checkpoint(index, (int)i);
        const struct recording_moment moment = {world_at(index, entry->world)->number, entry->tick,
                                                entry->seq};
        if (push(&index->moments, &moment, sizeof moment, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* A checkpoint and its world or hash line say the same hash: it counts once. */
static int count_hashes(const struct recording_index *index) {
    const struct index_hash *hashes = index->hashes.items;
    int count = 0;
    for (size_t i = 0; i < index->hashes.count; i++) {
        count += i == 0 || compare_hashes(&hashes[i - 1], &hashes[i]) != 0;
    }
    return count;
}

/* A world that is not played from its text begins at its first checkpoint. */
static void find_first_ticks(struct recording_index *index) {
    for (size_t i = index->checkpoints.count; i > 0; i--) {
        const struct index_checkpoint *entry = index_checkpoint(index, (int)i - 1);
        if (index_world(index, entry->world)->begins_later) {
            world_at(index, entry->world)->first_tick = entry->tick;
        }
    }
}

int index_finish(struct recording_index *index, struct failure *failure) {
    struct recording_facts *facts = &index->facts;
    const struct recording_damage *damage = &facts->damage;
    facts->damage.is_end =
        damage->is_there &&
        (index->is_broken || damage->seq > facts->last.seq ||
         (damage->seq == facts->last.seq && damage->tick > facts->last.tick)); /* later files end sooner */
    if (index->worlds.count == 0 && facts->damage.is_there) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "line %llu is damaged, and nothing before it is a world: %s",
                           (unsigned long long)facts->damage.line, facts->damage.what);
    }
    if (facts->lines == 0) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "not a recording of Drover: it has no line that is whole");
    }
    if (index->worlds.count == 0) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "the recording has no \"world\" line that is whole");
    }
    if (index->checkpoints.count > 0) {
        qsort(index->checkpoints.items, index->checkpoints.count, sizeof(struct index_checkpoint),
              compare_checkpoints);
    }
    if (index->hashes.count > 0) {
        qsort(index->hashes.items, index->hashes.count, sizeof(struct index_hash), compare_hashes);
    }
    find_first_ticks(index);
    if (list_moments(index, failure) != 0) {
        return -1;
    }
    facts->worlds = index->worlds.items;
    facts->world_count = (int)index->worlds.count;
    facts->checkpoints = index->moments.items;
    facts->checkpoint_count = (int)index->checkpoints.count;
    facts->hash_count = count_hashes(index);
    facts->gaps = index->gaps.items;
    facts->gap_count = (int)index->gaps.count;
    return 0;
}

/* ---- looking up ---- */

int index_find_world(const struct recording_index *index, uint32_t number) {
    for (int i = last_world(index); i >= 0; i--) {
        if (((const struct recording_world *)index->worlds.items)[i].number == number) {
            return i;
        }
    }
    return -1;
}

int index_find_checkpoint(const struct recording_index *index, int world, uint64_t tick) {
    size_t low = 0, high = index->checkpoints.count; /* the one before low is not after the moment */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct index_checkpoint *entry = index_checkpoint(index, (int)middle);
        if (compare_moments(entry->world, entry->tick, entry->seq, world, tick, UINT64_MAX) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && index_checkpoint(index, (int)low - 1)->world == world ? (int)low - 1 : -1;
}

/* The first hash that is not before the moment; the count when all are. */
static size_t find_hash(const struct recording_index *index, int world, uint64_t tick, uint64_t seq) {
    const struct index_hash *hashes = index->hashes.items;
    size_t low = 0, high = index->hashes.count; /* those before low are before the moment */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct index_hash *entry = &hashes[middle];
        if (compare_moments(entry->world, entry->tick, entry->seq, world, tick, seq) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool index_find_hash(const struct recording_index *index, int world, uint64_t tick, uint64_t first_seq,
                     uint64_t last_seq, uint64_t *hash) {
    const struct index_hash *hashes = index->hashes.items;
    const size_t low = find_hash(index, world, tick, first_seq);
    if (low == index->hashes.count || hashes[low].world != world || hashes[low].tick != tick ||
        hashes[low].seq > last_seq) {
        return false;
    }
    *hash = hashes[low].hash;
    return true;
}

bool index_find_other_hash(const struct recording_index *index, const struct index_checkpoint *checkpoint,
                           uint64_t *hash) {
    const struct index_hash *hashes = index->hashes.items;
    size_t i = find_hash(index, checkpoint->world, checkpoint->tick, checkpoint->seq);
    for (; i < index->hashes.count && hashes[i].world == checkpoint->world &&
           hashes[i].tick == checkpoint->tick && hashes[i].seq == checkpoint->seq;
         i++) {
        if (hashes[i].hash != checkpoint->hash) {
            *hash = hashes[i].hash;
            return true;
        }
    }
    return false;
}

struct line_place index_find_mark(const struct recording_index *index, int world, uint64_t tick,
                                  uint64_t seq) {
    const struct index_mark *marks = index->marks.items;
    size_t low = 0, high = index->marks.count; /* marks before low are not after the moment */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct index_mark *mark = &marks[middle];
        const bool is_before =
            mark->world < world || (mark->world == world && mark->tick <= tick && mark->seq <= seq);
        if (is_before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? marks[low - 1].place : index_world(index, world)->place;
}
