/* See snapshot_gather.h. */
#include "server/frames/snapshot_gather.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/snapshot/frame_layout.h"
#include "server/frames/frame_form.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_stripes.h"

/* ---- parcel ---- */

/* A parcel: its head, a record an agent, with forces another record an agent, the shares, the parts, and the names that
 * shares and parts mean. It may lie at any address. */

struct parcel_head {
    int32_t count, share_count, part_count;
    int32_t behavior_count, part_name_count; /* names */
};

struct parcel_agent {
#define MEMBER(type, column) type column;
    SNAPSHOT_COLUMNS(MEMBER)
#undef MEMBER
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
#define ENTRY(type, column) .column = snapshot->column[i],
        const struct parcel_agent agent = {SNAPSHOT_COLUMNS(ENTRY)};
#undef ENTRY
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
#define TAKE(type, column) out->column[i] = agent->column;
    SNAPSHOT_COLUMNS(TAKE)
#undef TAKE
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

enum { CHUNK = 2048, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };
static const size_t parcel_limit_bytes = SIZE_MAX / 2; /* memory ends first */
static const double rounding = 0.02;                   /* px: places are rounded to hundredths */

/* Which sample a view has. */
struct chosen {
    struct snapshot_view view;
    uint32_t one_in;
};

struct snapshot_gatherer {
    struct snapshot *head;  /* of the world, without agents */
    struct snapshot *chunk; /* kind, x, y, vx, vy of a few agents */
    struct snapshot *own;   /* the agents that this rank gives */
    struct snapshot_extract *extract;
    struct chosen *before; /* LIMIT_FORMS: the samples of the last gathering; the same on all ranks */
    int before_count;
    int32_t *rows, *spare; /* own agents that views show, one view after the other */
    int32_t row_capacity, row_count;
    struct buffer parcel;
    struct exchange_part *in, *out; /* one a rank */
};

/* ---- demand ---- */

void snapshot_demand_add(struct snapshot_demand *demand, const struct snapshot_view *view) {
    struct snapshot_view added = *view;
    added.has_speed = added.key_changes = false;
    for (int i = 0; i < demand->count; i++) {
        if (snapshot_view_equals(&demand->views[i], &added)) {
            return;
        }
    }
    assert(demand->count < LIMIT_FORMS);
    demand->views[demand->count++] = added;
}

size_t snapshot_demand_bytes(const struct snapshot_demand *demand) {
    return offsetof(struct snapshot_demand, views) + (size_t)demand->count * sizeof demand->views[0];
}

/* ---- memory ---- */

struct snapshot_gatherer *snapshot_gatherer_create(int ranks) {
    struct snapshot_gatherer *gatherer = calloc(1, sizeof *gatherer);
    if (gatherer == NULL) {
        return NULL;
    }
    buffer_init(&gatherer->parcel, parcel_limit_bytes);
    gatherer->head = snapshot_create();
    gatherer->chunk = snapshot_create();
    gatherer->own = snapshot_create();
    gatherer->extract = snapshot_extract_create();
    gatherer->before = calloc(LIMIT_FORMS, sizeof *gatherer->before);
    gatherer->in = calloc((size_t)ranks, sizeof *gatherer->in);
    gatherer->out = calloc((size_t)ranks, sizeof *gatherer->out);
    if (gatherer->head == NULL || gatherer->chunk == NULL || gatherer->own == NULL ||
        gatherer->extract == NULL || gatherer->before == NULL || gatherer->in == NULL ||
        gatherer->out == NULL || snapshot_reserve(gatherer->chunk, CHUNK, 0, false) != 0) {
        snapshot_gatherer_destroy(gatherer);
        return NULL;
    }
    return gatherer;
}

void snapshot_gatherer_destroy(struct snapshot_gatherer *gatherer) {
    if (gatherer == NULL) {
        return;
    }
    snapshot_destroy(gatherer->head);
    snapshot_destroy(gatherer->chunk);
    snapshot_destroy(gatherer->own);
    snapshot_extract_destroy(gatherer->extract);
    free(gatherer->before);
    free(gatherer->rows);
    free(gatherer->spare);
    free(gatherer->in);
    free(gatherer->out);
    buffer_fini(&gatherer->parcel);
    free(gatherer);
}

static bool reserve_rows(struct snapshot_gatherer *gatherer, int32_t count) {
    if (count <= gatherer->row_capacity) {
        return true;
    }
    const int32_t capacity = count + count / 2;
    int32_t *rows = realloc(gatherer->rows, (size_t)capacity * sizeof *rows);
    gatherer->rows = rows == NULL ? gatherer->rows : rows;
    int32_t *spare = realloc(gatherer->spare, (size_t)capacity * sizeof *spare);
    gatherer->spare = spare == NULL ? gatherer->spare : spare;
    if (rows == NULL || spare == NULL) {
        return false;
    }
    gatherer->row_capacity = capacity;
    return true;
}

/* ---- own agents ---- */

/* The agents of this rank that may be within the box. */
static int runs_of(const struct world *world, const struct snapshot_filter *filter,
                   struct world_run runs[2]) {
    if (!filter->has_box) {
        runs[0] = world_run_own(world);
        return 1;
    }
    const double low = (double)filter->box.y * 0.01, height = (double)filter->box.height * 0.01;
    return world_runs_between(world, low - rounding, low + height + rounding, runs);
}

/* Agents [begin, begin + chunk->count) of a run, in whole hundredths. */
static void fill_chunk(struct snapshot *chunk, const struct world_run *run, int32_t begin,
                       bool has_velocity) {
    const int32_t left = run->count - begin;
    chunk->count = left < CHUNK ? left : CHUNK;
    for (int32_t i = 0; i < chunk->count; i++) {
        const struct motion *motion = &run->motion[begin + i];
        chunk->kind[i] = run->kind[begin + i];
        chunk->x[i] = world_snapshot_hundredths(motion->x);
        chunk->y[i] = world_snapshot_hundredths(motion->y);
        chunk->vx[i] = has_velocity ? world_snapshot_hundredths(motion->vx) : 0;
        chunk->vy[i] = has_velocity ? world_snapshot_hundredths(motion->vy) : 0;
    }
}

/* Its id is looked up only where it decides. */
static bool is_in_sample(const struct world *world, int32_t row, uint32_t one_in) {
    return one_in <= 1 || snapshot_in_sample(world_agent_id(world, row), one_in);
}

/* The agents of a view around its region, and in it. */
struct sought {
    struct snapshot_filter around, inside;
    uint64_t most;
    bool only_counts; /* once they are a sample */
};

/* Adds rows of the chunk that pass: of more than `most` a sample, which gets smaller as more of them come. */
static void take_rows(struct snapshot_gatherer *gatherer, const struct world *world,
                      const struct sought *sought, const int32_t *rows, struct extract_view *found) {
    const struct snapshot *chunk = gatherer->chunk;
    for (int32_t i = 0; i < chunk->count; i++) {
        if (snapshot_filter_passes(&sought->around, chunk, i)) {
            found->shown++;
            found->inside += snapshot_filter_passes(&sought->inside, chunk, i);
            found->one_in *= found->shown > sought->most * found->one_in ? 2 : 1;
            if (sought->only_counts ? found->one_in == 1 : is_in_sample(world, rows[i], found->one_in)) {
                gatherer->rows[gatherer->row_count++] = rows[i];
            }
        }
    }
}

static bool is_in_box(struct snapshot_gatherer *gatherer, const struct world *world,
                      const struct snapshot_filter *filter, int32_t row) {
    struct snapshot *chunk = gatherer->chunk;
    if (filter->has_box) {
        const vec2 at = world_agent(world, row).position;
        chunk->kind[0] = (uint8_t)world_agent_kind(world, row);
        chunk->x[0] = world_snapshot_hundredths(at.x);
        chunk->y[0] = world_snapshot_hundredths(at.y);
    }
    return !filter->has_box || snapshot_filter_passes(filter, chunk, 0);
}

/* Appends the rows of agents of a sample that a view shows, where one process has the world: by their ids, so that nothing is looked up of
 * all others. false when memory is short. */
static bool find_sample_rows(struct snapshot_gatherer *gatherer, const struct world *world,
                             const struct snapshot_filter *filter, uint32_t one_in) {
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        if (row % CHUNK == 0 && !reserve_rows(gatherer, gatherer->row_count + CHUNK)) {
            return false;
        }
        if (is_in_sample(world, row, one_in) && filter->kinds[world_agent_kind(world, row)] &&
            is_in_box(gatherer, world, filter, row)) {
            gatherer->rows[gatherer->row_count++] = row;
        }
    }
    return true;
}

/* Appends the rows of own agents that a view shows, or a sample of them that has at least those of the one that all ranks
 * agree on in the end. false when memory is short. */
static bool find_rows(struct snapshot_gatherer *gatherer, const struct world *world,
                      const struct snapshot_view *view, double margin, uint64_t most,
                      struct extract_view *found) {
    struct sought sought = {.most = most > 0 ? most : 1, .only_counts = !world_is_partial(world)};
    const int32_t before = gatherer->row_count;
    struct world_run runs[2];
    snapshot_view_filter(view, gatherer->head, margin, &sought.around);
    snapshot_view_filter(view, gatherer->head, 0.0, &sought.inside);
    const int count = runs_of(world, &sought.around, runs);
    found->shown = found->inside = 0;
    found->one_in = 1;
    for (int r = 0; r < count; r++) {
        for (int32_t begin = 0; begin < runs[r].count; begin += CHUNK) {
            fill_chunk(gatherer->chunk, &runs[r], begin, false);
            if (!reserve_rows(gatherer, gatherer->row_count + CHUNK)) {
                return false;
            }
            take_rows(gatherer, world, &sought, runs[r].row + begin, found);
        }
    }
    if (sought.only_counts && found->one_in > 1) {
        gatherer->row_count = before;
        return find_sample_rows(gatherer, world, &sought.around, found->one_in);
    }
    return true;
}

static void add_sums(struct snapshot_gatherer *gatherer, const struct world *world,
                     struct density_sums *sums) {
    struct world_run runs[2];
    const int count = runs_of(world, &sums->filter, runs);
    for (int r = 0; r < count; r++) {
        for (int32_t begin = 0; begin < runs[r].count; begin += CHUNK) {
            fill_chunk(gatherer->chunk, &runs[r], begin, true);
            density_sums_add(sums, gatherer->chunk);
        }
    }
}

/* One pass of a counting sort. */
static void sort_by_digit(const int32_t *from, int32_t *to, int32_t count, int shift) {
    int32_t begin[DIGITS + 1] = {0};
    for (int32_t i = 0; i < count; i++) {
        begin[((from[i] >> shift) & (DIGITS - 1)) + 1]++;
    }
    for (int d = 0; d < DIGITS; d++) {
        begin[d + 1] += begin[d];
    }
    for (int32_t i = 0; i < count; i++) {
        to[begin[(from[i] >> shift) & (DIGITS - 1)]++] = from[i];
    }
}

/* Ascending, each row once. */
static void sort_rows(struct snapshot_gatherer *gatherer) {
    const int32_t count = gatherer->row_count;
    for (int shift = 0; shift < 3 * DIGIT_BITS; shift += DIGIT_BITS) {
        sort_by_digit(gatherer->rows, gatherer->spare, count, shift);
        int32_t *sorted = gatherer->spare;
        gatherer->spare = gatherer->rows;
        gatherer->rows = sorted;
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        if (i == 0 || gatherer->rows[i] != gatherer->rows[i - 1]) {
            gatherer->rows[kept++] = gatherer->rows[i];
        }
    }
    gatherer->row_count = kept;
}

static int read_head(struct snapshot_gatherer *gatherer, const struct world *world, unsigned fields) {
    return world_snapshot_copy_rows(world, fields, NULL, 0, gatherer->head);
}

/* ---- from all ranks ---- */

const struct exchange_part *snapshot_gatherer_give(struct snapshot_gatherer *gatherer,
                                                   const struct exchange *exchange, int root,
                                                   struct exchange_part own) {
    for (int r = 0; r < exchange->ranks; r++) {
        gatherer->out[r] = (struct exchange_part){0};
    }
    if (exchange->rank != root) {
        gatherer->out[root] = own;
    }
    exchange->hand_over(exchange->context, gatherer->out, gatherer->in);
    gatherer->in[exchange->rank] = own;
    return gatherer->in;
}

/* A parcel has a head: one without bytes is of a rank whose memory is short. */
static int merge_parcels(const struct snapshot_gatherer *gatherer, int ranks, struct snapshot *out) {
    for (int r = 0; r < ranks; r++) {
        if (gatherer->in[r].size == 0) {
            return -1;
        }
    }
    return snapshot_parcel_merge(gatherer->in, ranks, out);
}

/* NULL where this process has all agents, also of a world that others have copies of. */
static const struct exchange *exchange_of(const struct world *world) {
    return world_is_partial(world) ? world_exchange(world) : NULL;
}

/* Agents of the rows that were found, in the right order on every rank. is_short: this rank could not find its own. */
static int gather_rows(struct snapshot_gatherer *gatherer, const struct world *world, int root,
                       unsigned fields, bool is_short, struct snapshot *out) {
    const struct exchange *exchange = exchange_of(world);
    if (exchange == NULL) {
        return is_short ? -1
                        : world_snapshot_copy_rows(world, fields, gatherer->rows, gatherer->row_count, out);
    }
    buffer_clear(&gatherer->parcel);
    if (!is_short &&
        world_snapshot_copy_rows(world, fields, gatherer->rows, gatherer->row_count, gatherer->own) == 0) {
        snapshot_parcel_write(gatherer->own, &gatherer->parcel);
    }
    const struct exchange_part own = {gatherer->parcel.data,
                                      gatherer->parcel.failed ? 0 : gatherer->parcel.length};
    (void)snapshot_gatherer_give(gatherer, exchange, root, own);
    if (exchange->rank != root) {
        return 0;
    }
    return world_snapshot_copy_rows(world, fields, NULL, 0, out) == 0
               ? merge_parcels(gatherer, exchange->ranks, out)
               : -1;
}

/* ---- views ---- */

/* The agents of the kinds that a view shows, in the whole world. */
static uint64_t population_of(const struct world *world, const struct snapshot_view *view) {
    uint64_t count = 0;
    for (int k = 0; k < world_kind_count(world); k++) {
        count += snapshot_view_has_kind(view, world_kind(world, k)->name)
                     ? (uint64_t)world_kind_population(world, k)
                     : 0;
    }
    return count;
}

/* How many agents of a view there may be; of more there is a sample. */
static uint64_t most_of(const struct world *world, const struct snapshot_view *view) {
    const bool is_asked = view->most > 0 && (!world_is_partial(world) || view->most <= LIMIT_STRIPES_AGENTS);
    return is_asked ? view->most : world_is_partial(world) ? LIMIT_STRIPES_AGENTS : UINT32_MAX;
}

/* The sample that a view of so many agents has now. */
static uint32_t choose(const struct snapshot_gatherer *gatherer, const struct world *world,
                       const struct snapshot_view *view, uint64_t shown) {
    uint32_t before = 0;
    for (int i = 0; i < gatherer->before_count; i++) {
        if (snapshot_view_equals(&gatherer->before[i].view, view)) {
            before = gatherer->before[i].one_in;
        }
    }
    return snapshot_choose_sample(shown, most_of(world, view), before);
}

/* What this rank has of the views: rows, one view after the other, whose ends are noted, or sums. */
static int look(struct snapshot_gatherer *gatherer, const struct world *world,
                const struct snapshot_demand *demand, struct snapshot_extract *extract,
                int32_t ends[LIMIT_FORMS]) {
    for (int v = 0; v < demand->count; v++) {
        const struct snapshot_view *view = &demand->views[v];
        const struct frame_layout *layout = frame_layout_row(view->layout);
        if (snapshot_extract_add(extract, view, gatherer->head) != 0) {
            return -1;
        }
        struct extract_view *added = &extract->views[v];
        const double margin = layout->key != NULL ? FRAME_KEY_REACH : 0.0;
        bool is_short = false;
        if (layout->takes_grid) {
            add_sums(gatherer, world, &added->sums);
        } else if (view->has_region || world_is_partial(world)) {
            is_short = !find_rows(gatherer, world, view, margin, most_of(world, view), added);
        } else {
            struct snapshot_filter filter;
            snapshot_view_filter(view, gatherer->head, 0.0, &filter);
            added->one_in = choose(gatherer, world, view, population_of(world, view));
            is_short = !find_sample_rows(gatherer, world, &filter, added->one_in);
        }
        if (is_short) {
            return -1;
        }
        ends[v] = gatherer->row_count;
    }
    return 0;
}

/* Adds up what is shown, and whose memory is short. false when some rank's is. */
static bool agree(const struct exchange *exchange, bool is_short, struct snapshot_extract *extract) {
    uint64_t values[2 * LIMIT_FORMS + 1] = {0};
    if (exchange == NULL) {
        return !is_short;
    }
    for (int v = 0; v < extract->count; v++) {
        values[v] = extract->views[v].shown;
        values[LIMIT_FORMS + v] = extract->views[v].inside;
    }
    values[2 * LIMIT_FORMS] = is_short ? 1 : 0;
    exchange->sum(exchange->context, values, 2 * LIMIT_FORMS + 1);
    for (int v = 0; v < extract->count; v++) {
        extract->views[v].shown = values[v];
        extract->views[v].inside = values[LIMIT_FORMS + v];
    }
    return values[2 * LIMIT_FORMS] == 0;
}

/* The sums of all ranks; a rank has looked at agents near the region alone. */
static void add_up(const struct exchange *exchange, const struct world *world,
                   struct snapshot_extract *extract) {
    for (int v = 0; v < extract->count; v++) {
        struct extract_view *view = &extract->views[v];
        const int cells = view->sums.columns * view->sums.rows;
        const uint64_t population = population_of(world, &view->view);
        if (view->sums.values == NULL) {
            view->shown = view->view.has_region ? view->shown : population;
            view->inside = view->view.has_region ? view->inside : population;
            continue;
        }
        if (exchange != NULL) {
            exchange->sum(exchange->context, (uint64_t *)view->sums.values, view->sums.value_count);
        }
        int64_t inside = 0;
        for (int c = 0; c < cells; c++) {
            inside += density_sums_count(&view->sums, c);
        }
        view->sums.values[view->sums.value_count - 1] = (int64_t)population - inside;
    }
}

/* The sample of each view, now that all its agents are counted. */
static void choose_samples(struct snapshot_gatherer *gatherer, const struct world *world,
                           struct snapshot_extract *extract) {
    for (int v = 0; v < extract->count; v++) {
        struct extract_view *view = &extract->views[v];
        view->one_in = view->sums.values == NULL ? choose(gatherer, world, &view->view, view->shown) : 1;
        view->is_left_out = world_is_partial(world) && view->sums.values == NULL &&
                            view->view.most > LIMIT_STRIPES_AGENTS && view->shown > LIMIT_STRIPES_AGENTS;
    }
    gatherer->before_count = extract->count;
    for (int v = 0; v < extract->count; v++) {
        gatherer->before[v] = (struct chosen){extract->views[v].view, extract->views[v].one_in};
    }
}

/* Leaves out the rows that are in no sample, and those of views that get none. */
static void drop_rows(struct snapshot_gatherer *gatherer, const struct world *world,
                      const struct snapshot_extract *extract, const int32_t ends[LIMIT_FORMS]) {
    int32_t kept = 0, i = 0;
    for (int v = 0; v < extract->count; v++) {
        const struct extract_view *view = &extract->views[v];
        for (; i < ends[v]; i++) {
            const int32_t row = gatherer->rows[i];
            if (!view->is_left_out && is_in_sample(world, row, view->one_in)) {
                gatherer->rows[kept++] = row;
            }
        }
    }
    gatherer->row_count = kept;
}

int snapshot_gather(struct snapshot_gatherer *gatherer, const struct world *world, int root,
                    const struct snapshot_demand *demand, struct snapshot *out,
                    struct snapshot_extract *extract) {
    const struct exchange *exchange = exchange_of(world);
    int32_t ends[LIMIT_FORMS] = {0};
    struct snapshot_extract *found = exchange == NULL || exchange->rank == root ? extract : gatherer->extract;
    snapshot_extract_clear(found);
    gatherer->row_count = 0;
    const bool is_short = read_head(gatherer, world, 0) != 0 || !reserve_rows(gatherer, 1) ||
                          look(gatherer, world, demand, found, ends) != 0;
    if (!agree(exchange, is_short, found)) {
        return -1;
    }
    add_up(exchange, world, found);
    choose_samples(gatherer, world, found);
    drop_rows(gatherer, world, found, ends);
    sort_rows(gatherer);
    return gather_rows(gatherer, world, root, demand->fields, false, out);
}

/* ---- one view, or agents by their ids ---- */

int snapshot_gather_view(struct snapshot_gatherer *gatherer, const struct world *world, int root,
                         const struct snapshot_view *view, uint64_t most, struct snapshot *out,
                         uint64_t *shown) {
    const struct exchange *exchange = world_exchange(world);
    struct extract_view own = {0};
    gatherer->row_count = 0;
    const bool is_short = read_head(gatherer, world, 0) != 0 || !reserve_rows(gatherer, 1) ||
                          !find_rows(gatherer, world, view, 0.0, most, &own);
    uint64_t values[2] = {own.shown, is_short ? 1 : 0};
    exchange->sum(exchange->context, values, 2);
    *shown = values[0];
    if (values[1] > 0) {
        return -1;
    }
    if (*shown > most) {
        return 0;
    }
    sort_rows(gatherer);
    return gather_rows(gatherer, world, root, view->fields, false, out);
}

int snapshot_gather_ids(struct snapshot_gatherer *gatherer, const struct world *world, int root,
                        unsigned fields, const uint32_t *ids, uint32_t count, struct snapshot *out) {
    gatherer->row_count = 0;
    const bool is_short = !reserve_rows(gatherer, (int32_t)count + 1);
    for (uint32_t i = 0; !is_short && i < count; i++) {
        const int32_t row = world_find_agent(world, ids[i]);
        if (row >= 0 && world_owns(world, row)) {
            gatherer->rows[gatherer->row_count++] = row;
        }
    }
    sort_rows(gatherer);
    return gather_rows(gatherer, world, root, fields, is_short, out);
}
