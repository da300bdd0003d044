/* See world_snapshot.h. */
#include "server/frames/world_snapshot.h"

#include <math.h>
#include <string.h>

#include "common/snapshot/frame_layout.h"
#include "server/frames/frame_form.h"
#include "server/frames/snapshot_gather.h"
#include "server/sim/math/trig.h"

enum { EXPLAINED_VIEWS = 16 };

/* lrint is one instruction where rint may be a call. */
int32_t world_snapshot_hundredths(float value) {
    const double most = (double)INT32_MAX;
    const double hundredths = (double)value * 100.0;
    const double held = hundredths > most ? most : hundredths < -most ? -most : hundredths;
    return (int32_t)lrint(held);
}

int32_t world_snapshot_heading(vec2 heading) {
    const double degrees = (double)trig_atan2(heading.y, heading.x) * (180.0 / TRIG_PI);
    const int32_t hundredths = (int32_t)lrint(degrees * 100.0); /* -18000 to 18000 */
    return hundredths < 0 ? hundredths + 36000 : hundredths;
}

static struct snapshot_vector vector_of(vec2 value) {
    return (struct snapshot_vector){world_snapshot_hundredths(value.x), world_snapshot_hundredths(value.y)};
}

static int32_t held_difference(int32_t a, int32_t b) {
    const int64_t difference = (int64_t)a - b;
    return difference > INT32_MAX ? INT32_MAX : difference < -INT32_MAX ? -INT32_MAX : (int32_t)difference;
}

/* One part after the other is what its sum with those before adds; from the last one that is not zero on the sum is
 * what the term wants. */
static void round_parts(const float parts[TRACE_PARTS], float wants, int32_t out[TRACE_PARTS]) {
    int32_t shown = 0;
    float sum = 0.0f;
    int last = TRACE_PARTS - 1;
    while (last > 0 && !(fabsf(parts[last]) > 0.0f)) {
        last--;
    }
    for (int i = 0; i < TRACE_PARTS; i++) {
        sum += parts[i];
        const int32_t next = world_snapshot_hundredths(i >= last ? wants : sum);
        out[i] = held_difference(next, shown);
        shown = next;
    }
}

void world_snapshot_parts(const struct trace_term *term, struct snapshot_vector out[TRACE_PARTS]) {
    float along[2][TRACE_PARTS];
    int32_t rounded[2][TRACE_PARTS];
    for (int i = 0; i < TRACE_PARTS; i++) {
        along[0][i] = term->parts[i].x;
        along[1][i] = term->parts[i].y;
    }
    round_parts(along[0], term->wants.x, rounded[0]);
    round_parts(along[1], term->wants.y, rounded[1]);
    for (int i = 0; i < TRACE_PARTS; i++) {
        out[i] = (struct snapshot_vector){rounded[0][i], rounded[1][i]};
    }
}

/* state_index[kind][state] = index in state_names. Kinds and their indices are the same in world and
 * snapshot. */
static int copy_names(const struct world *world, struct snapshot *out,
                      uint16_t state_index[LIMIT_KINDS][LIMIT_STATES]) {
    out->kind_names.count = 0;
    out->state_names.count = 0;
    out->behavior_names.count = 0;
    out->part_names.count = 0;
    for (int k = 0; k < world_kind_count(world); k++) {
        const struct kind_def *kind = world_kind(world, k);
        if (name_table_intern(&out->kind_names, kind->name, strlen(kind->name)) != k) {
            return -1;
        }
        for (int s = 0; s < kind->state_count; s++) {
            const char *name = kind->states[s].name;
            const int index = name_table_intern(&out->state_names, name, strlen(name));
            if (index < 0) {
                return -1;
            }
            state_index[k][s] = (uint16_t)index;
        }
    }
    return 0;
}

/* The most parts that the forces of an agent of this kind can have: a behavior with all zones has one for each. */
static int count_parts(const struct kind_def *kind) {
    int most = 0;
    for (int s = 0; s < kind->state_count; s++) {
        const struct state_def *state = &kind->states[s];
        int count = 0;
        for (int b = 0; b < state->behavior_count; b++) {
            count += behavior_row(state->behaviors[b].type)->zones == ZONES_ALL ? TRACE_PARTS : 0;
        }
        most = count > most ? count : most;
    }
    return most;
}

static int copy_targets(const struct world *world, struct snapshot *out) {
    out->target_names.count = 0;
    out->target_count = world_target_count(world);
    for (int t = 0; t < out->target_count; t++) {
        const char *name = world_target_name(world, t);
        const int index = name_table_intern(&out->target_names, name, strlen(name));
        if (index < 0) {
            return -1;
        }
        const vec2 at = world_target_position(world, t);
        out->target_name[t] = (uint16_t)index;
        out->target_x[t] = world_snapshot_hundredths(at.x);
        out->target_y[t] = world_snapshot_hundredths(at.y);
    }
    return 0;
}

/* The parts of a term's force. */
static int copy_parts(const struct trace_term *term, struct snapshot *out) {
    const int behavior = name_table_intern(&out->behavior_names, term->label, strlen(term->label));
    struct snapshot_vector rounded[TRACE_PARTS];
    world_snapshot_parts(term, rounded);
    for (int i = 0; i < term->part_count; i++) {
        const char *name = trace_part_names[i];
        const int part = name_table_intern(&out->part_names, name, strlen(name));
        if (behavior < 0 || part < 0) {
            return -1;
        }
        out->parts[out->part_count++] =
            (struct snapshot_part){(uint16_t)behavior, (uint16_t)part, rounded[i]};
    }
    return 0;
}

/* What world_explain says, and the parts when they are wanted; a kind without parts needs no trace. */
static int explain(const struct world *world, int32_t row, int kind_index, struct snapshot *out,
                   struct steering_view *view) {
    const struct kind_def *kind = world_kind(world, kind_index);
    if (!snapshot_has_parts(out) || count_parts(kind) == 0) {
        world_explain(world, row, view);
        return 0;
    }
    struct trace trace;
    world_trace(world, row, view, &trace);
    for (int i = 0; i < trace.term_count; i++) {
        if (copy_parts(&trace.terms[i], out) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The agents whose steering some view shows. */
struct explained {
    int count; /* 0: all agents */
    struct snapshot_filter filters[EXPLAINED_VIEWS];
};

/* More views than there is room for: all agents. head: the world's names and size. */
static void find_explained(const struct snapshot_demand *demand, const struct snapshot *head,
                           struct explained *explained) {
    explained->count = 0;
    for (int i = 0; demand != NULL && i < demand->count; i++) {
        const struct snapshot_view *view = &demand->views[i];
        const double margin = frame_layout_row(view->layout)->key != NULL ? FRAME_KEY_REACH : 0.0;
        if ((view->fields & (unsigned)SNAPSHOT_FORCES) == 0) {
            continue;
        }
        if (explained->count == EXPLAINED_VIEWS) {
            explained->count = 0;
            return;
        }
        snapshot_view_filter(view, head, margin, &explained->filters[explained->count++]);
    }
}

static bool is_explained(const struct explained *explained, const struct snapshot *snapshot, int32_t i) {
    for (int f = 0; f < explained->count; f++) {
        if (snapshot_filter_passes(&explained->filters[f], snapshot, i)) {
            return true;
        }
    }
    return explained->count == 0;
}

static void leave_unexplained(int32_t i, struct snapshot *out) {
    out->desired[i] = out->steering[i] = (struct snapshot_vector){0};
    out->part_begin[i] = out->part_begin[i + 1] = out->part_count;
    out->share_begin[i] = out->share_begin[i + 1] = out->share_count;
}

/* One agent's steering, as agent i of the snapshot; there is room for its shares and parts. */
static int copy_forces(const struct world *world, int32_t row, int32_t i, struct snapshot *out) {
    struct steering_view view;
    out->part_begin[i] = out->part_count;
    if (explain(world, row, out->kind[i], out, &view) != 0) {
        return -1;
    }
    out->part_begin[i + 1] = out->part_count;
    out->desired[i] = vector_of(view.desired);
    out->steering[i] = vector_of(view.steering);
    out->share_begin[i] = out->share_count;
    for (int f = 0; f < view.count; f++) {
        const int name = name_table_intern(&out->behavior_names, view.labels[f], strlen(view.labels[f]));
        if (name < 0) {
            return -1;
        }
        out->shares[out->share_count++] =
            (struct snapshot_share){.behavior = (uint16_t)name, .force = vector_of(view.forces[f])};
    }
    out->share_begin[i + 1] = out->share_count;
    return 0;
}

/* The most shares and parts the agents can have: for each its kind's largest state, and containment. False when they are
 * more than snapshots can count. rows: as of copy_agents. */
static bool count_forces(const struct world *world, const int32_t *rows, int32_t count, int32_t *shares,
                         int32_t *parts) {
    int64_t total = 0, part_total = 0;
    int32_t of_kind[LIMIT_KINDS] = {0};
    for (int32_t i = 0; rows != NULL && i < count; i++) {
        of_kind[world_agent_kind(world, rows[i])]++;
    }
    for (int k = 0; k < world_kind_count(world); k++) {
        const struct kind_def *kind = world_kind(world, k);
        int most = 0;
        for (int s = 0; s < kind->state_count; s++) {
            most = kind->states[s].behavior_count > most ? kind->states[s].behavior_count : most;
        }
        const int64_t agents = rows != NULL ? of_kind[k] : world_kind_population(world, k);
        total += agents * (most + 1);
        part_total += agents * count_parts(kind);
    }
    *shares = (int32_t)total;
    *parts = (int32_t)part_total;
    return total <= INT32_MAX && part_total <= INT32_MAX;
}

static int make_room(const struct world *world, const int32_t *rows, int32_t count, struct snapshot *out) {
    int32_t shares = 0, parts = 0;
    if (out->has_forces && !count_forces(world, rows, count, &shares, &parts)) {
        return -1;
    }
    if (snapshot_reserve(out, count, shares, out->has_forces) != 0) {
        return -1;
    }
    return snapshot_has_parts(out) ? snapshot_reserve_parts(out, parts) : 0;
}

/* rows: NULL, where row i is agent i. */
static int copy_agents(const struct world *world, unsigned wanted, const struct snapshot_demand *demand,
                       const int32_t *rows, int32_t count, struct snapshot *out) {
    const bool with_forces = (wanted & (unsigned)SNAPSHOT_FORCES) != 0;
    const bool with_headings = (wanted & (unsigned)SNAPSHOT_HEADING) != 0;
    uint16_t state_index[LIMIT_KINDS][LIMIT_STATES];
    out->has_forces = with_forces;
    out->fields = SNAPSHOT_USUAL | SNAPSHOT_STAMINA | (with_forces ? (unsigned)SNAPSHOT_FORCES : 0u);
    out->fields |= with_forces ? wanted & (unsigned)SNAPSHOT_PARTS : 0u;
    out->fields &= with_headings ? ~0u : ~(unsigned)SNAPSHOT_HEADING;
    if (make_room(world, rows, count, out) != 0 || copy_names(world, out, state_index) != 0 ||
        copy_targets(world, out) != 0) {
        return -1;
    }
    out->tick = world_tick(world);
    out->time_s = (double)out->tick / world_tick_hz(world);
    out->width = world_size(world).x;
    out->height = world_size(world).y;
    out->wraps = world_edge(world) == EDGE_WRAP;
    out->count = count;
    out->share_count = 0;
    out->part_count = 0;
    struct explained explained;
    find_explained(demand, out, &explained);
    for (int32_t i = 0; i < count && !world_is_given_up(world); i++) {
        const int32_t row = rows == NULL ? i : rows[i];
        const struct agent_view agent = world_agent(world, row);
        out->id[i] = agent.id;
        out->kind[i] = (uint16_t)agent.kind;
        out->state[i] = state_index[agent.kind][agent.state];
        out->x[i] = world_snapshot_hundredths(agent.position.x);
        out->y[i] = world_snapshot_hundredths(agent.position.y);
        out->vx[i] = world_snapshot_hundredths(agent.velocity.x);
        out->vy[i] = world_snapshot_hundredths(agent.velocity.y);
        out->heading[i] = with_headings ? world_snapshot_heading(agent.heading) : 0;
        out->stamina[i] = world_snapshot_hundredths(agent.stamina);
        if (with_forces && !is_explained(&explained, out, i)) {
            leave_unexplained(i, out);
        } else if (with_forces && copy_forces(world, row, i, out) != 0) {
            return -1;
        }
    }
    return 0;
}

int world_snapshot_copy_wanted(const struct world *world, unsigned wanted,
                               const struct snapshot_demand *demand, struct snapshot *out) {
    return copy_agents(world, wanted, demand, NULL, world_agent_count(world), out);
}

int world_snapshot_copy_rows(const struct world *world, unsigned wanted, const int32_t *rows, int32_t count,
                             struct snapshot *out) {
    static const int32_t none[1] = {0}; /* rows of an empty part may be NULL */
    return copy_agents(world, wanted, NULL, rows == NULL ? none : rows, count, out);
}
