/* See interpolate.h. */
#include "viewer/model/interpolate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the last snapshots ---- */

static const double restart_ms = 1000.0;

void snapshot_buffer_init(struct snapshot_buffer *buffer) {
    memset(buffer, 0, sizeof *buffer);
}

void snapshot_buffer_fini(struct snapshot_buffer *buffer) {
    for (int i = 0; i < SNAPSHOT_BUFFER_CAPACITY; i++) {
        snapshot_destroy(buffer->ring[i]);
    }
    memset(buffer, 0, sizeof *buffer);
}

void snapshot_buffer_clear(struct snapshot_buffer *buffer) {
    assert(buffer->count >= 0 && buffer->count <= SNAPSHOT_BUFFER_CAPACITY);
    buffer->begin = 0;
    buffer->count = 0;
}

static struct snapshot *replace_newest(struct snapshot_buffer *buffer, struct snapshot *snapshot) {
    const int slot = (buffer->begin + buffer->count - 1) % SNAPSHOT_BUFFER_CAPACITY;
    struct snapshot *replaced = buffer->ring[slot];
    buffer->ring[slot] = snapshot;
    return replaced;
}

struct snapshot *snapshot_buffer_push(struct snapshot_buffer *buffer, struct snapshot *snapshot) {
    assert(snapshot != NULL);
    const struct snapshot *newest = snapshot_buffer_newest(buffer);
    if (newest != NULL) {
        if (newest->epoch != snapshot->epoch || newest->clock_ms - snapshot->clock_ms > restart_ms) {
            snapshot_buffer_clear(buffer);
        } else if (snapshot->clock_ms < newest->clock_ms) {
            return snapshot;
        } else if (snapshot->clock_ms == newest->clock_ms) {
            return replace_newest(buffer, snapshot);
        }
    }
    if (buffer->count == SNAPSHOT_BUFFER_CAPACITY) {
        buffer->begin = (buffer->begin + 1) % SNAPSHOT_BUFFER_CAPACITY;
        buffer->count--;
    }
    const int slot = (buffer->begin + buffer->count) % SNAPSHOT_BUFFER_CAPACITY;
    struct snapshot *recycled = buffer->ring[slot];
    buffer->ring[slot] = snapshot;
    buffer->count++;
    return recycled;
}

const struct snapshot *snapshot_buffer_at(const struct snapshot_buffer *buffer, int index) {
    if (index < 0 || index >= buffer->count) {
        return NULL;
    }
    return buffer->ring[(buffer->begin + index) % SNAPSHOT_BUFFER_CAPACITY];
}

const struct snapshot *snapshot_buffer_newest(const struct snapshot_buffer *buffer) {
    return snapshot_buffer_at(buffer, buffer->count - 1);
}

void snapshot_buffer_around(const struct snapshot_buffer *buffer, double server_ms,
                            const struct snapshot **before, const struct snapshot **after) {
    assert(before != NULL && after != NULL);
    *before = *after = NULL;
    for (int index = buffer->count - 1; index >= 0 && *before == NULL; index--) {
        const struct snapshot *snapshot = buffer->ring[(buffer->begin + index) % SNAPSHOT_BUFFER_CAPACITY];
        if (snapshot->clock_ms > server_ms) {
            *after = snapshot;
        } else {
            *before = snapshot;
        }
    }
}

/* ---- how far the newest snapshot is moved on ---- */

void motion_init(struct motion_clock *motion) {
    *motion = (struct motion_clock){.newest_ms = -1.0, .speed = 1.0};
}

double motion_since(struct motion_clock *motion, double newest_ms, double server_ms, double speed,
                    bool is_paused) {
    if (newest_ms < motion->newest_ms || newest_ms > motion->newest_ms) {
        motion->newest_ms = motion->since_ms = newest_ms;
    } else if (is_paused) {
        motion->since_ms = fmax(newest_ms, server_ms);
    } else if (speed < motion->speed || speed > motion->speed) {
        const double gone_ms = fmax(server_ms - motion->since_ms, 0.0) * motion->speed;
        motion->since_ms =
            server_ms > newest_ms && speed > 0.0 ? server_ms - gone_ms / speed : fmax(newest_ms, server_ms);
    }
    motion->speed = speed;
    return motion->since_ms;
}

/* ---- smooth headings ---- */

static const double smooth_s = 0.1, jump_s = 0.5;
static const float slow_from = 0.1f, slow_to = 0.3f; /* shares of max_speed */
static const float fro_from = 0.6f, fro_to = 0.9f;   /* lengths of the mean direction */
static const float least_length = 0.05f;             /* what is shorter has no direction */

void headings_fini(struct headings *headings) {
    free(headings->rows);
    free(headings->others);
    memset(headings, 0, sizeof *headings);
}

void headings_clear(struct headings *headings) {
    headings->count = 0;
}

static int reserve(struct headings *headings, int32_t count) {
    if (count <= headings->capacity) {
        return 0;
    }
    const size_t room = (size_t)count + (size_t)count / 4 + 16;
    struct heading_row *rows = realloc(headings->rows, room * sizeof *rows);
    headings->rows = rows != NULL ? rows : headings->rows;
    struct heading_row *others = realloc(headings->others, room * sizeof *others);
    headings->others = others != NULL ? others : headings->others;
    headings->capacity = rows != NULL && others != NULL ? (int32_t)room : headings->capacity;
    return rows != NULL && others != NULL ? 0 : -1;
}

/* 1 up to `from`, 0 from `to` on. */
static float fall(float value, float from, float to) {
    return fminf(fmaxf((to - value) / (to - from), 0.0f), 1.0f);
}

/* Ids ascend in both: `from` says where to go on looking. */
static const struct heading_row *find_old(const struct headings *headings, uint32_t id, int32_t *from) {
    while (*from < headings->count && headings->rows[*from].id < id) {
        (*from)++;
    }
    return *from < headings->count && headings->rows[*from].id == id ? &headings->rows[*from] : NULL;
}

/* part: how much of the mean is replaced by this moment's direction. */
static vec2 smooth(struct heading_row *row, vec2 direction, float speed_share, float part) {
    row->mean = vec2_add(row->mean, vec2_scale(vec2_sub(direction, row->mean), part));
    const float length = vec2_length(row->mean);
    const float share = fmaxf(fall(speed_share, slow_from, slow_to), fall(length, fro_from, fro_to));
    const vec2 mixed = vec2_add(vec2_scale(direction, 1.0f - share), vec2_scale(row->mean, share));
    const float mixed_length = vec2_length(mixed);
    row->drawn = mixed_length > least_length ? vec2_scale(mixed, 1.0f / mixed_length) : row->drawn;
    return row->drawn;
}

void headings_smooth(struct headings *headings, struct frame *frame, const float *max_speed) {
    assert(max_speed != NULL && frame->settled_count <= frame->count);
    const double passed_s = frame->time_s - headings->time_s;
    if (passed_s < 0.0 || passed_s > jump_s || frame->settled_count > HEADINGS_MOST) {
        headings_clear(headings);
    }
    if (frame->settled_count > HEADINGS_MOST || reserve(headings, frame->settled_count) != 0) {
        return;
    }
    const float part = (float)(1.0 - exp(-passed_s / smooth_s));
    int32_t from = 0;
    for (int32_t i = 0; i < frame->settled_count; i++) {
        const struct heading_row *old = find_old(headings, frame->id[i], &from);
        struct heading_row *row = &headings->others[i];
        const vec2 direction = vec2_make(frame->dir_x[i], frame->dir_y[i]);
        const float most = max_speed[frame->kind[i]];
        const float speed = vec2_length(vec2_make(frame->vx[i], frame->vy[i]));
        *row = old != NULL ? *old : (struct heading_row){frame->id[i], direction, direction};
        const vec2 drawn =
            smooth(row, direction, most > 0.0f ? speed / most : 1.0f, old != NULL ? part : 0.0f);
        frame->dir_x[i] = drawn.x;
        frame->dir_y[i] = drawn.y;
    }
    struct heading_row *rows = headings->rows;
    headings->rows = headings->others;
    headings->others = rows;
    headings->count = frame->settled_count;
    headings->time_s = frame->time_s;
}

/* ---- interpolate ---- */

/* Snapshots are matched first, by id; then the columns are gone over as whole arrays in
 * loops without branches, so that the compiler makes them work on several agents at once. */

/* ---- the frame of a moment ---- */

static const float target_jump_px = 150.0f;
static const double cubic_from_ms = 50.0, cubic_to_ms = 1500.0; /* simulated time between two snapshots */

enum { COLUMN_COUNT = FRAME_SCRATCH_COLUMNS };

/* The two snapshots a moment lies between and where. */
struct span {
    const struct snapshot *a, *b;
    const struct interpolate_rules *rules;
    float f;         /* 0 at a, 1 at b */
    float seconds;   /* simulated time from a to b */
    float since_a_s; /* wall time since a, for agents that left */
    float fade_in;   /* 0..1, agents only in b */
    float fade_out;  /* 1..0, agents only in a */
    bool is_cubic;
};

static vec2 hundredths(int32_t x, int32_t y) {
    return vec2_make((float)x * 0.01f, (float)y * 0.01f);
}

static vec2 lerp(vec2 a, vec2 b, float f) {
    return vec2_add(a, vec2_scale(vec2_sub(b, a), f));
}

/* floorf without a call; |value| < 2^31. */
static inline float floor_small(float value) {
    const float whole = (float)(int32_t)value;
    return whole > value ? whole - 1.0f : whole;
}

static inline float wrap_into(float value, float length) {
    const float wrapped = value - length * floor_small(value / length);
    return wrapped >= length || wrapped < 0.0f ? 0.0f : wrapped; /* rounding can give length itself */
}

/* Sine and cosine of a heading in hundredths of a degree, |heading| <= 90000: right to 2e-6. */
static inline void direction_of(float heading, float *x, float *y) {
    const float turned = heading * (1.0f / 9000.0f);
    const int32_t quarter = (int32_t)(turned + (turned < 0.0f ? -0.5f : 0.5f));
    const float r = (heading - (float)quarter * 9000.0f) * (3.14159265358979f / 18000.0f), r2 = r * r;
    const float sine = r * (1.0f + r2 * (-1.0f / 6.0f + r2 * (1.0f / 120.0f - r2 * (1.0f / 5040.0f))));
    const float cosine = 1.0f + r2 * (-0.5f + r2 * (1.0f / 24.0f - r2 * (1.0f / 720.0f)));
    const float c = (quarter & 1) != 0 ? -sine : cosine, s = (quarter & 1) != 0 ? cosine : sine;
    *x = (quarter & 2) != 0 ? -c : c;
    *y = (quarter & 2) != 0 ? -s : s;
}

/* One snapshot's numbers of the agents that are gone over, in the order of the frame. */
struct columns {
    const int32_t *x, *y, *vx, *vy, *heading;
};

static struct columns columns_of(const struct snapshot *snapshot) {
    return (struct columns){snapshot->x, snapshot->y, snapshot->vx, snapshot->vy, snapshot->heading};
}

static struct columns gather(const struct columns *from, const int32_t *rows, int32_t count, int32_t *to) {
    const int32_t *const sources[COLUMN_COUNT] = {from->x, from->y, from->vx, from->vy, from->heading};
    for (int c = 0; c < COLUMN_COUNT; c++) {
        for (int32_t i = 0; i < count; i++) {
            to[(size_t)c * (size_t)count + (size_t)i] = sources[c][rows[i]];
        }
    }
    const size_t n = (size_t)count;
    return (struct columns){to, to + n, to + 2 * n, to + 3 * n, to + 4 * n};
}

/* What the loop needs of the span: the way is d * along + va * leave + vb * reach. */
struct blend {
    float along, leave, reach, f, jumped; /* jumped: 0 before the newer snapshot's moment, 1 from then on */
    float reach_s;                        /* farther than three times the speed for this long is a jump */
    float width, height;                  /* of a wrapping world; 0: it does not wrap */
};

static struct blend blend_make(const struct span *span) {
    const float f = span->f, f2 = f * f, f3 = f2 * f;
    const bool wraps =
        span->rules->wraps && span->rules->world_size.x > 0.0f && span->rules->world_size.y > 0.0f;
    return (struct blend){
        .along = span->is_cubic ? 3.0f * f2 - 2.0f * f3 : f,
        .leave = span->is_cubic ? (f3 - 2.0f * f2 + f) * span->seconds : 0.0f,
        .reach = span->is_cubic ? (f3 - f2) * span->seconds : 0.0f,
        .f = f,
        .jumped = f < 1.0f ? 0.0f : 1.0f,
        .reach_s = 3.0f * fabsf(span->seconds),
        .width = wraps ? span->rules->world_size.x : 0.0f,
        .height = wraps ? span->rules->world_size.y : 0.0f,
    };
}

static inline float nearer(float difference, float length) {
    const float half = 0.5f * length;
    const float low = difference > half ? difference - length : difference;
    return low < -half ? low + length : low;
}

/* Positions and velocities. alpha is borrowed for the share of the way: f, or 0 or 1 for an agent that
 * jumped. */
static void blend_motion(const struct blend *blend, const struct columns *from, const struct columns *to,
                         int32_t count, struct frame *frame) {
    const struct blend b = *blend;
    const int32_t *restrict ax = from->x, *restrict ay = from->y, *restrict avx = from->vx,
                            *restrict avy = from->vy;
    const int32_t *restrict bx = to->x, *restrict by = to->y, *restrict bvx = to->vx, *restrict bvy = to->vy;
    float *restrict x = frame->x, *restrict y = frame->y, *restrict vx = frame->vx, *restrict vy = frame->vy,
                    *restrict share = frame->alpha;
    const float wide = b.width > 0.0f ? b.width : 1e30f, high = b.height > 0.0f ? b.height : 1e30f;
    for (int32_t i = 0; i < count; i++) {
        const float x0 = (float)ax[i] * 0.01f, y0 = (float)ay[i] * 0.01f;
        const float dx = nearer((float)bx[i] * 0.01f - x0, wide),
                    dy = nearer((float)by[i] * 0.01f - y0, high);
        const float ux = (float)avx[i] * 0.01f, uy = (float)avy[i] * 0.01f;
        const float wx = (float)bvx[i] * 0.01f, wy = (float)bvy[i] * 0.01f;
        const float slow = ux * ux + uy * uy, fast = wx * wx + wy * wy;
        const float speed = sqrtf(slow > fast ? slow : fast), limit = speed * b.reach_s + 10.0f;
        const bool jumps = dx * dx + dy * dy > limit * limit;
        const float along = jumps ? b.jumped : b.along, part = jumps ? b.jumped : b.f;
        const float leave = jumps ? 0.0f : b.leave, reach = jumps ? 0.0f : b.reach;
        x[i] = x0 + dx * along + ux * leave + wx * reach;
        y[i] = y0 + dy * along + uy * leave + wy * reach;
        vx[i] = ux + (wx - ux) * part;
        vy[i] = uy + (wy - uy) * part;
        share[i] = part;
    }
}

static void blend_headings(const struct columns *from, const struct columns *to, int32_t count,
                           struct frame *frame) {
    const int32_t *restrict a = from->heading, *restrict b = to->heading;
    const float *restrict share = frame->alpha;
    float *restrict dir_x = frame->dir_x, *restrict dir_y = frame->dir_y;
    for (int32_t i = 0; i < count; i++) {
        const int32_t turn = b[i] - a[i];
        const int32_t low = turn > 18000 ? turn - 36000 : turn;
        const int32_t short_turn = low < -18000 ? low + 36000 : low;
        direction_of((float)a[i] + (float)short_turn * share[i], &dir_x[i], &dir_y[i]);
    }
}

static void wrap_positions(float *restrict values, int32_t count, float length) {
    for (int32_t i = 0; i < count; i++) {
        values[i] = wrap_into(values[i], length);
    }
}

static void wrap_frame(const struct interpolate_rules *rules, struct frame *frame) {
    if (rules->wraps && rules->world_size.x > 0.0f && rules->world_size.y > 0.0f) {
        wrap_positions(frame->x, frame->count, rules->world_size.x);
        wrap_positions(frame->y, frame->count, rules->world_size.y);
    }
}

static void set_alpha(struct frame *frame, int32_t begin, int32_t end, float alpha) {
    for (int32_t i = begin; i < end; i++) {
        frame->alpha[i] = alpha;
    }
}

/* Agents of one snapshot as they are there, moved on by their velocity for so long. */
static void add_moving(const struct snapshot *snapshot, int32_t begin, int32_t end, float seconds,
                       struct frame *frame) {
    for (int32_t i = begin; i < end; i++) {
        const int32_t at = frame->count + i - begin;
        frame->id[at] = snapshot->id[i];
        frame->kind[at] = snapshot->kind[i];
        frame->state[at] = snapshot->state[i];
        frame->vx[at] = (float)snapshot->vx[i] * 0.01f;
        frame->vy[at] = (float)snapshot->vy[i] * 0.01f;
        frame->x[at] = (float)snapshot->x[i] * 0.01f + frame->vx[at] * seconds;
        frame->y[at] = (float)snapshot->y[i] * 0.01f + frame->vy[at] * seconds;
        direction_of((float)snapshot->heading[i], &frame->dir_x[at], &frame->dir_y[at]);
        frame->row[at] = i;
        frame->alpha[at] = 1.0f;
        if (frame->has_forces) {
            frame->desired[at] = hundredths(snapshot->desired[i].x, snapshot->desired[i].y);
            frame->steering[at] = hundredths(snapshot->steering[i].x, snapshot->steering[i].y);
        }
    }
    frame->count += end - begin;
}

/* Index of a's name in b's table; the tables of two snapshots need not agree. -1 when b does not know it. */
static int translate(const struct name_table *from, uint16_t index, const struct name_table *to) {
    return index < from->count ? name_table_find(to, from->names[index]) : -1;
}

static void add_leaving(const struct span *span, int32_t ia, struct frame *frame) {
    const int kind = translate(&span->a->kind_names, span->a->kind[ia], &span->b->kind_names);
    const int state = translate(&span->a->state_names, span->a->state[ia], &span->b->state_names);
    const int32_t at = frame->count;
    if (span->fade_out <= 0.0f || kind < 0 || state < 0) {
        return;
    }
    const bool has_forces = frame->has_forces;
    frame->has_forces = false; /* the older snapshot may be without */
    add_moving(span->a, ia, ia + 1, span->since_a_s, frame);
    frame->has_forces = has_forces;
    frame->desired[at] = frame->steering[at] = vec2_make(0.0f, 0.0f);
    frame->kind[at] = (uint16_t)kind;
    frame->state[at] = (uint16_t)state;
    frame->alpha[at] = span->fade_out;
    frame->row[at] = -1;
}

/* Fills rows_a, rows_b with the places of agents in both; returns how many. */
static int32_t match(const struct snapshot *a, const struct snapshot *b, int32_t *rows_a, int32_t *rows_b) {
    int32_t matched = 0, ia = 0, ib = 0;
    while (ia < a->count && ib < b->count) {
        if (a->id[ia] == b->id[ib]) {
            rows_a[matched] = ia++;
            rows_b[matched++] = ib++;
        } else if (a->id[ia] < b->id[ib]) {
            ia++;
        } else {
            ib++;
        }
    }
    return matched;
}

static void fill_names(const struct snapshot *b, const int32_t *rows, struct frame *frame) {
    for (int32_t i = 0; i < frame->count; i++) {
        const int32_t row = rows != NULL ? rows[i] : i;
        frame->row[i] = row;
        frame->id[i] = b->id[row];
        frame->kind[i] = b->kind[row];
        frame->state[i] = b->state[row];
    }
}

static void fill_forces(const struct span *span, const int32_t *rows_a, struct frame *frame) {
    const struct snapshot *a = span->a, *b = span->b;
    for (int32_t i = 0; i < frame->count; i++) {
        const int32_t ib = frame->row[i], ia = rows_a != NULL ? rows_a[i] : ib;
        const vec2 desired = hundredths(b->desired[ib].x, b->desired[ib].y);
        const vec2 steering = hundredths(b->steering[ib].x, b->steering[ib].y);
        const float part = a->has_forces ? frame->alpha[i] : 1.0f;
        const vec2 from = a->has_forces ? hundredths(a->desired[ia].x, a->desired[ia].y) : desired;
        const vec2 push = a->has_forces ? hundredths(a->steering[ia].x, a->steering[ia].y) : steering;
        frame->desired[i] = lerp(from, desired, part);
        frame->steering[i] = lerp(push, steering, part);
    }
}

/* An agent that is only in the newer snapshot comes, one that is only in the older one leaves. */
static void add_others(const struct span *span, struct frame *frame) {
    const struct snapshot *a = span->a, *b = span->b;
    const int32_t settled = frame->count;
    for (int32_t ia = 0, ib = 0; ib < b->count && span->fade_in > 0.0f; ib++) {
        while (ia < a->count && a->id[ia] < b->id[ib]) {
            ia++;
        }
        if (ia >= a->count || a->id[ia] != b->id[ib]) {
            add_moving(b, ib, ib + 1, 0.0f, frame);
        }
    }
    set_alpha(frame, settled, frame->count, span->fade_in);
    for (int32_t ia = 0, ib = 0; ia < a->count; ia++) {
        while (ib < b->count && b->id[ib] < a->id[ia]) {
            ib++;
        }
        if (ib >= b->count || b->id[ib] != a->id[ia]) {
            add_leaving(span, ia, frame);
        }
    }
}

static void merge_agents(const struct span *span, struct frame *frame) {
    const struct snapshot *a = span->a, *b = span->b;
    struct columns from = columns_of(a), to = columns_of(b);
    const bool is_same = a->count == b->count &&
                         (a->count == 0 || memcmp(a->id, b->id, (size_t)a->count * sizeof *a->id) == 0);
    int32_t *const rows_a = frame->scratch, *const rows_b = rows_a + frame->capacity;
    frame->count = is_same ? a->count : match(a, b, rows_a, rows_b);
    if (!is_same) {
        int32_t *const room = rows_b + frame->capacity;
        from = gather(&from, rows_a, frame->count, room);
        to = gather(&to, rows_b, frame->count, room + (ptrdiff_t)COLUMN_COUNT * frame->capacity);
    }
    const struct blend blend = blend_make(span);
    fill_names(b, is_same ? NULL : rows_b, frame);
    blend_motion(&blend, &from, &to, frame->count, frame);
    blend_headings(&from, &to, frame->count, frame);
    if (frame->has_forces) {
        fill_forces(span, is_same ? NULL : rows_a, frame);
    }
    set_alpha(frame, 0, frame->count, 1.0f);
    frame->settled_count = frame->count;
    if (!is_same) {
        add_others(span, frame);
    }
    wrap_frame(span->rules, frame);
    assert(frame->settled_count <= frame->count && frame->count <= frame->capacity);
}

static void merge_targets(const struct span *span, struct frame *frame) {
    const struct snapshot *a = span->a, *b = span->b;
    frame->target_count = 0;
    for (int32_t i = 0; i < b->target_count; i++) {
        vec2 position = hundredths(b->target_x[i], b->target_y[i]);
        for (int32_t j = 0; j < a->target_count; j++) {
            if (strcmp(a->target_names.names[a->target_name[j]], b->target_names.names[b->target_name[i]]) ==
                0) {
                const vec2 before = hundredths(a->target_x[j], a->target_y[j]);
                const bool jumps = vec2_length(vec2_sub(position, before)) > target_jump_px;
                position = !jumps ? lerp(before, position, span->f) : span->f < 1.0f ? before : position;
                break;
            }
        }
        frame->targets[frame->target_count++] = (struct frame_target){b->target_name[i], position};
    }
}

static float clamp_unit(double value) {
    return value < 0.0 ? 0.0f : value > 1.0 ? 1.0f : (float)value;
}

/* What the frame says, or else what is known. */
static double speed_of(const struct snapshot *snapshot, const struct interpolate_rules *rules) {
    return snapshot->has_speed ? snapshot->speed : rules->speed;
}

static struct span span_make(const struct snapshot *a, const struct snapshot *b, double server_ms,
                             const struct interpolate_rules *rules) {
    const double whole = b->clock_ms - a->clock_ms;
    const double simulated_ms = (b->time_s - a->time_s) * 1000.0, speed = speed_of(b, rules);
    const double expected = speed > 0.0 ? simulated_ms / speed : 0.0; /* no pause: the way takes so long */
    const double held = fmax(INTERPOLATE_SPAN_MS, 1.5 * rules->period_ms);
    const double length = fmin(whole, speed < 1.0 ? fmax(held, expected) : held);
    const double begin = b->clock_ms - length;
    const double fade = fmin(INTERPOLATE_FADE_MS, length);
    return (struct span){
        .a = a,
        .b = b,
        .rules = rules,
        .f = clamp_unit((server_ms - begin) / length),
        .seconds = (float)(simulated_ms * 0.001),
        .since_a_s =
            simulated_ms > 0.0 ? (float)(fmax(server_ms - begin, 0.0) * 0.001 * fmin(speed, 1.0)) : 0.0f,
        .fade_in = clamp_unit((server_ms - begin) / fade),
        .fade_out = clamp_unit(1.0 - (server_ms - begin) / fade),
        /* a cubic needs both ends' velocities to belong to the same stretch of time */
        .is_cubic = simulated_ms > cubic_from_ms && simulated_ms < cubic_to_ms && length == whole &&
                    fabs(expected - whole) < 0.25 * whole,
    };
}

/* Beyond the newest snapshot, or before the oldest: one snapshot, moved on by its velocities. */
static void move_on(const struct snapshot *snapshot, double milliseconds,
                    const struct interpolate_rules *rules, struct frame *frame) {
    add_moving(snapshot, 0, snapshot->count, (float)(milliseconds * 0.001), frame);
    frame->settled_count = frame->count;
    wrap_frame(rules, frame);
    frame->target_count = 0;
    for (int32_t i = 0; i < snapshot->target_count; i++) {
        frame->targets[frame->target_count++] = (struct frame_target){
            snapshot->target_name[i], hundredths(snapshot->target_x[i], snapshot->target_y[i])};
    }
}

/* How long a slow world is without a tick. */
static double tick_gap_ms(const struct interpolate_rules *rules) {
    return rules->speed > 0.0 && rules->speed < 1.0 ? rules->tick_ms / rules->speed : 0.0;
}

/* What a moment beyond the newest snapshot, or before the oldest, is: how long its one snapshot is moved on, ms. */
static double move_on_ms(const struct snapshot *a, double server_ms, const struct interpolate_rules *rules) {
    if (rules->is_paused) {
        return 0.0;
    }
    const double since_ms = a == NULL ? server_ms : rules->since_ms > 0.0 ? rules->since_ms : a->clock_ms;
    return fmax(fmin((server_ms - since_ms) * rules->speed, INTERPOLATE_EXTRAPOLATE_MS), 0.0);
}

/* Everything of a frame but its agents and targets. */
static void begin_frame(const struct snapshot *a, const struct snapshot *b, double server_ms,
                        const struct interpolate_rules *rules, struct frame *frame) {
    const bool is_ahead = a != NULL && b == NULL;
    frame->names = b != NULL ? b : a;
    frame->has_forces = frame->names->has_forces;
    frame->time_s = frame->names->time_s;
    frame->late_ms = is_ahead ? fmax(server_ms - a->clock_ms - tick_gap_ms(rules), 0.0) : 0.0;
    frame->is_stalled = is_ahead && !rules->is_paused &&
                        frame->late_ms > fmax(INTERPOLATE_EXTRAPOLATE_MS, 2.0 * rules->period_ms);
}

int interpolate_at(const struct snapshot_buffer *buffer, double server_ms,
                   const struct interpolate_rules *rules, struct frame *frame) {
    const struct snapshot *a, *b;
    snapshot_buffer_around(buffer, server_ms, &a, &b);
    frame->count = 0;
    frame->settled_count = 0;
    frame->target_count = 0;
    frame->is_stalled = false;
    frame->late_ms = 0.0;
    frame->names = NULL;
    if (a == NULL && b == NULL) {
        return 0;
    }
    if (frame_reserve(frame, (a != NULL ? a->count : 0) + (b != NULL ? b->count : 0)) != 0) {
        return -1;
    }
    begin_frame(a, b, server_ms, rules, frame);
    if (a != NULL && b != NULL) {
        const struct span span = span_make(a, b, server_ms, rules);
        frame->time_s = a->time_s + (b->time_s - a->time_s) * (double)span.f;
        merge_agents(&span, frame);
        merge_targets(&span, frame);
        return 0;
    }
    move_on(frame->names, move_on_ms(a, server_ms, rules), rules, frame);
    return 0;
}

/* ---- for a card that moves agents by itself ---- */

bool interpolate_motion(const struct snapshot_buffer *buffer, double server_ms,
                        const struct interpolate_rules *rules, struct interpolate_motion *motion) {
    const struct snapshot *a, *b;
    snapshot_buffer_around(buffer, server_ms, &a, &b);
    const bool wraps = rules->wraps && rules->world_size.x > 0.0f && rules->world_size.y > 0.0f;
    *motion = (struct interpolate_motion){.a = a != NULL ? a : b,
                                          .b = a != NULL ? b : NULL,
                                          .since_s = (float)(move_on_ms(a, server_ms, rules) * 0.001),
                                          .fade_out = 1.0f,
                                          .width = wraps ? rules->world_size.x : 0.0f,
                                          .height = wraps ? rules->world_size.y : 0.0f};
    if (a != NULL && b != NULL) {
        const struct span span = span_make(a, b, server_ms, rules);
        const struct blend blend = blend_make(&span);
        motion->along = blend.along;
        motion->leave = blend.leave;
        motion->reach = blend.reach;
        motion->part = blend.f;
        motion->reach_s = blend.reach_s;
        motion->has_jumped = blend.jumped > 0.0f;
        motion->since_s = span.since_a_s;
        motion->fade_in = span.fade_in;
        motion->fade_out = span.fade_out;
    }
    return motion->a != NULL;
}

/* The columns of what a frame draws, from this agent on. */
static struct frame frame_from(const struct frame *frame, int32_t index) {
    struct frame rest = *frame;
    rest.x += index;
    rest.y += index;
    rest.vx += index;
    rest.vy += index;
    rest.dir_x += index;
    rest.dir_y += index;
    rest.alpha += index;
    rest.count = 1;
    return rest;
}

static struct columns columns_from(const struct snapshot *snapshot, int32_t row) {
    return (struct columns){snapshot->x + row, snapshot->y + row, snapshot->vx + row, snapshot->vy + row,
                            snapshot->heading + row};
}

/* Where an agent is in a snapshot, whose ids ascend; -1 when it is not there. */
static int32_t row_of(const struct snapshot *snapshot, uint32_t id) {
    int32_t low = 0, high = snapshot->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (snapshot->id[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < snapshot->count && snapshot->id[low] == id ? low : -1;
}

/* One agent of one snapshot, as add_moving. */
static void move_one(const struct snapshot *snapshot, int32_t row, float seconds, struct frame *one) {
    one->vx[0] = (float)snapshot->vx[row] * 0.01f;
    one->vy[0] = (float)snapshot->vy[row] * 0.01f;
    one->x[0] = (float)snapshot->x[row] * 0.01f + one->vx[0] * seconds;
    one->y[0] = (float)snapshot->y[row] * 0.01f + one->vy[0] * seconds;
    direction_of((float)snapshot->heading[row], &one->dir_x[0], &one->dir_y[0]);
}

static void move_among_two(const struct span *span, const struct blend *blend, int32_t index,
                           struct frame *frame) {
    const int32_t in_a = row_of(span->a, frame->id[index]), in_b = frame->row[index];
    struct frame one = frame_from(frame, index);
    if (in_a >= 0 && in_b >= 0) {
        const struct columns from = columns_from(span->a, in_a), to = columns_from(span->b, in_b);
        blend_motion(blend, &from, &to, 1, &one);
        blend_headings(&from, &to, 1, &one);
        one.alpha[0] = 1.0f;
    } else if (in_b >= 0) {
        move_one(span->b, in_b, 0.0f, &one);
    } else if (in_a >= 0) {
        move_one(span->a, in_a, span->since_a_s, &one);
    }
    wrap_frame(span->rules, &one);
}

void interpolate_few(const struct snapshot_buffer *buffer, double server_ms,
                     const struct interpolate_rules *rules, const int32_t *indices, int count,
                     struct frame *frame) {
    const struct snapshot *a, *b;
    snapshot_buffer_around(buffer, server_ms, &a, &b);
    assert(a != NULL || b != NULL);
    begin_frame(a, b, server_ms, rules, frame);
    if (a == NULL || b == NULL) {
        const float seconds = (float)(move_on_ms(a, server_ms, rules) * 0.001);
        for (int i = 0; i < count; i++) {
            struct frame one = frame_from(frame, indices[i]);
            move_one(frame->names, frame->row[indices[i]], seconds, &one);
            wrap_frame(rules, &one);
        }
        return; /* targets stand */
    }
    const struct span span = span_make(a, b, server_ms, rules);
    const struct blend blend = blend_make(&span);
    frame->time_s = a->time_s + (b->time_s - a->time_s) * (double)span.f;
    for (int i = 0; i < count; i++) {
        move_among_two(&span, &blend, indices[i], frame);
    }
    merge_targets(&span, frame);
}
