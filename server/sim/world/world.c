/* What a world is at tick t: its rows and the functions that read them. See world.h. */
#include "server/sim/world/world.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/column.h"
#include "server/sim/math/trig.h"
#include "server/sim/steering/locomotion.h"
#include "server/sim/world/world_internal.h"
#include "server/sim/world/world_stripes.h"
#include "server/sim/world/world_stripes_inside.h"

uint64_t world_tick(const struct world *world) {
    return world->tick;
}
double world_tick_hz(const struct world *world) {
    return world->tick_hz;
}

float world_meter(const struct world *world) {
    return world->meter;
}
void world_set_seed(struct world *world, uint64_t seed) {
    world->seed = seed;
}

uint64_t world_seed(const struct world *world) {
    return world->seed;
}
vec2 world_size(const struct world *world) {
    return world->bounds.size;
}
enum edge world_edge(const struct world *world) {
    return world->bounds.edge;
}
int32_t world_max_agents(const struct world *world) {
    return world->max_agents;
}

int32_t world_agent_count(const struct world *world) {
    return world->agent_count;
}
const struct scenery *world_scenery(const struct world *world) {
    return &world->scenery;
}
struct bounds world_bounds(const struct world *world) {
    return world->bounds;
}
int world_kind_count(const struct world *world) {
    return world->kind_count;
}
int world_target_count(const struct world *world) {
    return world->target_count;
}

struct agent_view world_agent(const struct world *world, int32_t row) {
    assert(row >= 0 && row < world->agent_count && world_owns(world, row));
    const int32_t place = world_place(world, row);
    const struct motion motion = world_motion(world, row);
    const struct body *body = world_body(world, row);
    return (struct agent_view){
        .id = world->id[row],
        .kind = world->kind[row],
        .state = world->state[place],
        .position = {motion.x, motion.y},
        .velocity = {motion.vx, motion.vy},
        .heading = world_heading(world, row),
        .stamina = world->memory[place].stamina,
        .mass = body->mass,
        .radius = body->radius,
        .max_speed = body->max_speed,
        .max_force = body->max_force,
    };
}

int world_agent_kind(const struct world *world, int32_t row) {
    assert(row >= 0 && row < world->agent_count);
    return world->kind[row];
}

uint32_t world_agent_id(const struct world *world, int32_t row) {
    assert(row >= 0 && row < world->agent_count);
    return world->id[row];
}

bool world_faces_course(const struct world *world, int32_t row, struct motion motion) {
    const vec2 velocity = {motion.vx, motion.vy};
    return vec2_length_squared(velocity) > locomotion_hold_squared(world_body(world, row)->max_speed);
}

vec2 world_heading_at(const struct world *world, int32_t slot) {
    const int32_t row = world->grid.row[slot];
    const struct motion motion = world->grid.motion[slot];
    if (world->is_pure_flock && world_faces_course(world, row, motion)) {
        return vec2_with_length(vec2_make(motion.vx, motion.vy), 1.0f);
    }
    return world->heading[world->is_pure_flock ? row : slot];
}

vec2 world_heading(const struct world *world, int32_t row) {
    assert(row >= 0 && row < world->agent_count && world_holds(world, row));
    return world_heading_at(world, grid_slot(&world->grid, row));
}

int32_t world_find_agent(const struct world *world, uint32_t id) {
    const int32_t last = world->agent_count - 1;
    if (last < 0 || id < world->id[0] || id > world->id[last]) {
        return -1;
    }
    /* Ids ascend, so between two of them there are at most as many rows as ids: the row itself, where no id is
     * missing. */
    const uint32_t before = id - world->id[0], behind = world->id[last] - id;
    if (world_ids_are_dense(world)) {
        return (int32_t)before;
    }
    int32_t low = behind < (uint32_t)last ? last - (int32_t)behind : 0;
    int32_t high = before < (uint32_t)last ? (int32_t)before + 1 : last + 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (world->id[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low <= last && world->id[low] == id ? low : -1;
}

const struct kind_def *world_kind(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    return &world->kinds[kind].def;
}

int world_find_kind(const struct world *world, const char *name) {
    for (int k = 0; k < world->kind_count; k++) {
        if (strcmp(world->kinds[k].def.name, name) == 0) {
            return k;
        }
    }
    return -1;
}

int32_t world_kind_population(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    return world->kind_begin[kind + 1] - world->kind_begin[kind];
}

const char *world_target_name(const struct world *world, int target) {
    assert(target >= 0 && target < world->target_count);
    return world->targets[target].name;
}

vec2 world_target_position(const struct world *world, int target) {
    assert(target >= 0 && target < world->target_count);
    return world->targets[target].at;
}

int world_find_target(const struct world *world, const char *name) {
    for (int i = 0; i < world->target_count; i++) {
        if (strcmp(world->targets[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

vec2 world_settle_point(const struct world *world, vec2 point) {
    assert(point.x - point.x == 0.0f && point.y - point.y == 0.0f); /* finite */
    return bounds_settle(&world->bounds, point);
}

void world_allow_giving_up(struct world *world, const atomic_bool *given_up) {
    world->grid.given_up = given_up;
}

bool world_is_given_up(const struct world *world) {
    return grid_is_given_up(&world->grid);
}

void world_set_simd(struct world *world, enum simd simd) {
    assert(simd_is_supported(simd));
    world->simd = simd;
}

/* ---- window ---- */

/* What a rank has of a world. See world_stripes.h. */

const struct exchange *world_exchange(const struct world *world) {
    return world->exchange;
}

bool world_is_partial(const struct world *world) {
    return world->stripes != NULL;
}

bool world_holds(const struct world *world, int32_t row) {
    return world->stripes == NULL || grid_slot(&world->grid, row) >= 0;
}

bool world_owns(const struct world *world, int32_t row) {
    if (world->stripes == NULL) {
        return true;
    }
    const int32_t slot = grid_slot(&world->grid, row);
    return slot >= world->own_begin && slot < world->own_end;
}

struct world_window world_window(const struct world *world) {
    const struct world_stripes *stripes = world->stripes;
    if (stripes == NULL) {
        const int32_t rows = world->is_sorted ? world->grid.down.cells : 0;
        return (struct world_window){.end_row = rows, .rows = rows, .own_end = world->grid.count};
    }
    const int rank = world->exchange->rank;
    return (struct world_window){
        .first_row = stripes->rows > 0 ? stripes->cut[rank] : 0,
        .end_row = stripes->rows > 0 ? stripes->cut[rank + 1] : 0,
        .rows = stripes->rows,
        .halo = stripes->rows > 0 ? stripes->halo : 0,
        .own_begin = world->own_begin,
        .own_end = world->own_end,
        .ghosts = world->grid.count - (world->own_end - world->own_begin),
        .known = world->grid.count - stripes->sorted_end,
        .sorts = stripes->sorts,
        .migrants = stripes->migrants,
        .ghost_ticks = stripes->ghost_ticks,
    };
}

/* ---- deferred ---- */

int32_t world_pending(const struct world *world, int kind) {
    int32_t count = 0;
    for (int i = 0; i < world->pending_count; i++) {
        const bool is_of = strcmp(world->pending[i].kind, world->kinds[kind].def.name) == 0;
        count += is_of ? (int32_t)world->pending[i].count : 0;
    }
    return count;
}

int64_t world_agents_planned(const struct world *world) {
    int64_t count = world->agent_count;
    for (int i = 0; i < world->pending_count; i++) {
        count += world->pending[i].count;
    }
    return count;
}

bool world_is_deferred(const struct world *world) {
    return world->pending_count > 0 || world->is_shared_out;
}

/* ---- zones ---- */

/* The zones of behaviors, prepared for the neighbor search. */

void world_refresh_zones(const struct behavior_def *behavior, const struct body_def *body,
                         struct behavior_runtime *runtime) {
    const struct behavior_row *row = behavior_row(behavior->type);
    const float instead = (row->traits & TRAIT_BODY_SIGHT) != 0 ? BODY_SIGHT * body->radius.high : 0.0f;
    for (int z = 0; z < ZONE_COUNT; z++) {
        const struct zone_def *def = &behavior->zones[z];
        assert(def->radius >= 0.0f);
        const float half = 0.5f * def->field_of_view;
        const bool is_round = half > 3.1415f || (row->traits & TRAIT_ALL_ROUND) != 0;
        runtime->zones[z] = (struct neighbor_zone){
            .radius = !((row->zones >> z) & 1) ? 0.0f
                      : def->radius > 0.0f     ? def->radius
                                               : instead,
            .cosine = is_round ? WORLD_ALL_ROUND : trig_unit(half).x,
            .is_sharp = behavior->falloff == FALLOFF_NONE,
        };
    }
}

float world_widest_zone(const struct behavior_runtime *runtime) {
    float widest = 0.0f;
    for (int z = 0; z < ZONE_COUNT; z++) {
        widest = runtime->zones[z].radius > widest ? runtime->zones[z].radius : widest;
    }
    return widest;
}

/* ---- looks ---- */

/* Which kinds the agents of a kind look for: what a batch of agents asks for at once (world_sights.h). */

/* A pursuit that keeps its quarry hardly ever looks: it searches by itself when it does. */
static void note_look(struct kind *kind, const struct target_ref *ref, const struct ref_runtime *runtime) {
    if (runtime->mode != REF_KIND) {
        return;
    }
    int i = 0;
    while (i < kind->look_count && kind->looks[i].kind != runtime->index) {
        i++;
    }
    if (i == LOOKS_MAX) {
        return;
    }
    if (i == kind->look_count) {
        kind->looks[kind->look_count++] = (struct look){runtime->index, 0.0f};
    }
    kind->looks[i].within = ref->within > kind->looks[i].within ? ref->within : kind->looks[i].within;
}

void world_refresh_looks(struct kind *kind) {
    kind->look_count = 0;
    for (int s = 0; s < kind->def.state_count; s++) {
        const struct state_def *state = &kind->def.states[s];
        const struct state_runtime *runtime = &kind->states[s];
        for (int c = 0; c < state->condition_count; c++) {
            note_look(kind, &state->conditions[c].target, &runtime->conditions[c]);
        }
        for (int b = 0; b < state->behavior_count; b++) {
            if (!state->behaviors[b].keep) {
                note_look(kind, &state->behaviors[b].target, &runtime->behaviors[b].target);
            }
            note_look(kind, &state->behaviors[b].second, &runtime->behaviors[b].second);
        }
    }
}

/* ---- param bytes ---- */

/* What the memory of a parameter is to hold. */

struct param_bytes world_param_bytes(const struct field *field, double value) {
    struct param_bytes out = {.size = field->size};
    const float number = field_float(field->type == FIELD_ANGLE ? value * (TRIG_PI / 180.0) : value);
    const struct field_range range = {number, number};
    const uint32_t whole = field->type == FIELD_UINT32 ? (uint32_t)value : 0;
    assert(field->type == FIELD_RANGE || field->type == FIELD_UINT32 || field->type == FIELD_FLOAT ||
           field->type == FIELD_ANGLE);
    assert(field->size == (field->type == FIELD_RANGE ? sizeof range : sizeof number));
    memcpy(out.bytes, field->type == FIELD_UINT32 ? (const void *)&whole : (const void *)&range, out.size);
    return out;
}

void world_put_param(void *object, const struct field *field, double value) {
    const struct param_bytes bytes = world_param_bytes(field, value);
    memcpy((char *)object + field->offset, bytes.bytes, bytes.size);
}

/* ---- copy ---- */

/* Copies: every rank has the whole world, steps a share of the slots, and sends the results to the others. */

/* A heading by row that a tick wrote: of an agent of a pure flock that is at rest. */
struct resting {
    int32_t row;
    vec2 heading;
};

static int32_t share_begin(const struct world *world, int rank) {
    return (int32_t)((int64_t)world->grid.count * rank / world->exchange->ranks);
}

struct world_slots world_copy_share(const struct world *world) {
    const int rank = world->exchange->rank;
    return (struct world_slots){share_begin(world, rank), share_begin(world, rank + 1)};
}

static bool is_at_rest(const struct world *world, int32_t slot) {
    return !world_faces_course(world, world->grid.row[slot], world->grid.next[slot]);
}

/* Those of the share; `list` may be NULL. Returns how many. */
static int32_t list_resting(const struct world *world, struct resting *list) {
    const struct world_slots share = world_copy_share(world);
    int32_t count = 0;
    for (int32_t slot = share.begin; slot < share.end; slot++) {
        if (!is_at_rest(world, slot)) {
            continue;
        }
        if (list != NULL) {
            const int32_t row = world->grid.row[slot];
            list[count] = (struct resting){row, world->heading[row]};
        }
        count++;
    }
    return count;
}

static void exchange_resting(struct world *world) {
    const struct exchange *exchange = world->exchange;
    struct exchange_part in[EXCHANGE_RANKS_MAX];
    const int32_t count = list_resting(world, NULL);
    struct resting *list = count > 0 ? malloc(sizeof *list * (size_t)count) : NULL;
    if (count > 0 && list == NULL) {
        abort(); /* as a lost rank does */
    }
    (void)list_resting(world, list);
    exchange_send_to_all(exchange, list, sizeof *list * (size_t)count, in);
    for (int r = 0; r < exchange->ranks; r++) {
        const struct resting *received = in[r].bytes;
        for (size_t i = 0; i < in[r].size / sizeof *received; i++) {
            world->heading[received[i].row] = received[i].heading;
        }
    }
    free(list);
}

void world_copy_exchange(struct world *world) {
    const struct exchange *exchange = world->exchange;
    int32_t first[EXCHANGE_RANKS_MAX + 1];
    for (int r = 0; r <= exchange->ranks; r++) {
        first[r] = share_begin(world, r);
    }
    exchange->share(exchange->context, world->grid.next, sizeof *world->grid.next, first);
    if (world->is_pure_flock) { /* its state and memory do not change */
        exchange_resting(world);
        return;
    }
    exchange->share(exchange->context, world->next_heading, sizeof *world->next_heading, first);
    exchange->share(exchange->context, world->state, sizeof *world->state, first);
    exchange->share(exchange->context, world->memory, sizeof *world->memory, first);
    if (world->has_timers) {
        exchange->share(exchange->context, world->timers, sizeof *world->timers, first);
    }
}

/* ---- ranks ---- */

/* What ranks that share a world say together, while a command is applied. */

bool world_all_ranks(const struct world *world, bool is_so) {
    return exchange_is_so_on_all(world->exchange, is_so);
}

int32_t world_sum_ranks(const struct world *world, int32_t count) {
    uint64_t sum = (uint64_t)count;
    if (world_is_partial(world)) {
        world->exchange->sum(world->exchange->context, &sum, 1);
    }
    return (int32_t)sum;
}

/* ---- rows ---- */

/* Room for agents, rows grouped by kind, and columns that follow agents from slot to slot. */

enum { ROOM_MOST = 1048576 /* agents that there is room for beyond what was asked for */ };

static int reserve_sights(struct world *world, int32_t count) {
    const bool is_written = !world_is_partial(world); /* a rank has an index of the agents that are here */
    return world->has_kind_targets ? sight_index_reserve(&world->sights, count, is_written) : 0;
}

int32_t world_room_for(const struct world *world, int32_t count) {
    if (count <= world->capacity) {
        return world->capacity;
    }
    const int32_t half = world->capacity / 2, more = world->capacity + (half < ROOM_MOST ? half : ROOM_MOST);
    const int32_t most = more < world->max_agents ? more : world->max_agents;
    return most > count ? most : count;
}

int world_reserve(struct world *world, int32_t count) {
    assert(count >= 0 && count <= LIMIT_AGENTS && world->agent_count <= world->capacity);
    if (count <= world->capacity) {
        return reserve_sights(world, count);
    }
    const int32_t capacity = world_room_for(world, count);
    const int32_t old = world->capacity > 0 ? world->capacity + GRID_SPARE : 0;
    /* A column that grew before another failed is merely larger than `capacity`. */
    bool grown = true;
#define GROW_ARRAY(type, name)                                                                               \
    grown = grown && column_grow_zero(&world->name, sizeof *world->name, old, capacity + GRID_SPARE);
#define GROW_COLUMN(number, type, name, initial, saved, hashed, by, copied)                                  \
    WORLD_ARRAYS_##by(GROW_ARRAY, type, name)
    WORLD_COLUMNS(GROW_COLUMN)
#undef GROW_COLUMN
#undef GROW_ARRAY
    if (!grown || grid_reserve(&world->grid, capacity) != 0 || reserve_sights(world, capacity) != 0) {
        return -1;
    }
    world->capacity = capacity;
    return 0;
}

void world_remember(struct world *world) {
    for (int32_t slot = 0; !world->has_memories && slot < world->grid.count; slot++) {
        world->memory[world->is_pure_flock ? world->grid.row[slot] : slot] = MEMORY_INITIAL;
    }
    world->has_memories = true;
}

void world_set_initial(struct world *world, int32_t row, int32_t slot) {
    const int32_t remembering = world->has_memories ? slot : -1;
#define SET_INITIAL(number, type, name, initial, saved, hashed, by, copied)                                  \
    const type name = initial;                                                                               \
    const int32_t entry_of_##name = (by) == BY_ROW ? row : remembering;                                      \
    if (entry_of_##name >= 0) {                                                                              \
        column_write(&world->name[entry_of_##name], &name, sizeof name);                                     \
    }
    WORLD_COLUMNS(SET_INITIAL)
#undef SET_INITIAL
    if (slot >= 0 && !world->lacks_headings) {
        world->heading[slot] = heading;
    }
}

void world_group_kinds(struct world *world) {
    int32_t count[LIMIT_KINDS] = {0}, begin = 0, blocks = 0;
    memset(world->kind_row, 0, sizeof world->kind_row);
    for (int32_t row = 0; row < world->agent_count; row++) {
        const int kind = world->kind[row];
        if (count[kind]++ == 0) {
            world->kind_row[kind] = row;
        }
        blocks += row == 0 || kind != world->kind[row - 1];
    }
    for (int k = 0; k < LIMIT_KINDS; k++) {
        world->kind_begin[k] = begin;
        begin += count[k];
        blocks -= count[k] > 0;
    }
    world->has_blocks = blocks == 0;
    world->kind_begin[LIMIT_KINDS] = begin;
    assert(begin == world->agent_count);
    if (world_is_partial(world)) { /* agents of every kind may come here */
        world->grid.has_kinds = begin > 0 && count[world->kind[0]] < begin;
    }
    int32_t next[LIMIT_KINDS];
    memcpy(next, world->kind_begin, sizeof next);
    for (int32_t row = 0; !world->has_blocks && row < world->agent_count; row++) {
        const int kind = world->kind[row];
        world->rank[row] = next[kind] - world->kind_begin[kind];
        world->by_kind[next[kind]++] = row;
    }
}

/* ---- columns by slot ---- */

enum { MOVE_GRAIN = 4096, MOVE_BLOCK = 256 /* slots whose moves are known before their entries are moved */ };

static void swap_columns(struct world *world) {
#define SWAP_BY_ROW(type, name)
#define SWAP_BY_SLOT(type, name)                                                                             \
    type *name = world->name;                                                                                \
    world->name = world->next_##name;                                                                        \
    world->next_##name = name;
#define SWAP_COLUMN(number, type, name, initial, saved, hashed, by, copied) SWAP_##by(type, name)
    WORLD_COLUMNS(SWAP_COLUMN)
#undef SWAP_COLUMN
#undef SWAP_BY_SLOT
#undef SWAP_BY_ROW
}

/* Whether the entries of a column by slot differ: those of state and memory are all zero without memories, those of
 * timers without timers. */
static bool differs(const struct world *world, const void *column) {
    return column == world->timers ? world->has_timers : world->has_memories || column == world->heading;
}

/* Entries go from the places `from` to those from `begin` on; swap_columns makes them count. */
static void gather_columns(struct world *world, const int32_t *from, int32_t begin, int32_t count) {
#define GATHER_BY_ROW(name, copied)
#define GATHER_BY_SLOT(name, copied)                                                                         \
    const int32_t count_of_##name = (copied) && differs(world, world->name) ? count : 0;                     \
    for (int32_t i = 0; i < count_of_##name; i++) {                                                          \
        world->next_##name[begin + i] = world->name[from[i]];                                                \
    }
#define GATHER_COLUMN(number, type, name, initial, saved, hashed, by, copied) GATHER_##by(name, copied)
    WORLD_COLUMNS(GATHER_COLUMN)
#undef GATHER_COLUMN
#undef GATHER_BY_SLOT
#undef GATHER_BY_ROW
}

static void follow_slots(void *context, int32_t begin, int32_t end) {
    struct world *world = context;
    for (int32_t first = begin; first < end; first += MOVE_BLOCK) {
        int32_t from[MOVE_BLOCK];
        const int32_t count = end - first < MOVE_BLOCK ? end - first : MOVE_BLOCK;
        grid_follow(&world->grid, first, first + count, from);
        gather_columns(world, from, first, count);
    }
}

void world_follow_slots(struct world *world, const struct parallel *parallel) {
    assert(!world->is_pure_flock);
    parallel->run(parallel->pool, world->grid.count, MOVE_GRAIN, follow_slots, world);
    grid_followed(&world->grid);
    swap_columns(world);
}

void world_slots_to_rows(struct world *world) {
    const bool has_more =
        world->has_memories || world->has_timers; /* than headings, of those at rest at t+1 */
    for (int32_t slot = 0; slot < world->grid.count; slot++) {
        if (has_more || is_at_rest(world, slot)) {
            gather_columns(world, &slot, world->grid.row[slot], 1);
        }
    }
    swap_columns(world);
}

void world_rows_to_slots(struct world *world) {
    gather_columns(world, world->grid.row, 0, world->grid.count);
    swap_columns(world);
}

/* ---- flock ---- */

/* Which kinds only flock: their agents are moved by kernels.h, or their sums formed for many at once. */

bool world_behavior_has_sums(const struct behavior_def *behavior) {
    const enum behavior_type type = (enum behavior_type)behavior->type;
    return behavior_neighbor_use(type) == NEIGHBORS_SUMS && behavior_target_count(type) == 0 &&
           behavior->max_neighbors == 0;
}

const struct body *world_body_at(const struct world *world, const struct body *body, vec2 place,
                                 struct body *own) {
    const struct geometry_def *geometry = &world->scenery.def;
    float speed = 1.0f;
    for (int i = 0; world->has_slow_areas && i < geometry->area_count; i++) {
        const struct area_def *area = &geometry->areas[i];
        speed = area->speed < speed && area_holds(area, &world->bounds, place) ? area->speed : speed;
    }
    if (!(speed < 1.0f)) {
        return body;
    }
    *own = *body;
    own->max_speed *= speed;
    return own;
}

/* Whether every agent of the kind uses this behavior's sums, over all its neighbors, in every tick. */
static bool world_sums_are_certain(const struct kind *kind, const struct behavior_def *behavior) {
    return kind->def.state_count == 1 && kind->def.states[0].combine == COMBINE_SUM &&
           world_behavior_has_sums(behavior);
}

bool world_can_use_flock_kernel(const struct world *world, const struct kind *kind) {
    assert(kind->def.state_count >= 1);
    const struct state_def *state = &kind->def.states[0];
    return state->behavior_count == 1 && behavior_has_trait(state->behaviors[0].type, TRAIT_FLOCK_KERNEL) &&
           world_sums_are_certain(kind, &state->behaviors[0]) &&
           kind->def.body.locomotion == LOCOMOTION_STEERED && world->bounds.edge != EDGE_CONTAIN &&
           world->scenery.solid_count == 0 && !world->has_own_bodies && !world->has_slow_areas;
}

bool world_kind_flocks(const struct world *world, const struct kind *kind) {
    return world_can_use_flock_kernel(world, kind) && kind->is_tireless && kind->turn.x <= NO_TURN_LIMIT;
}

bool world_flocks(const struct world *world) {
    bool flocks = !world->has_own_bodies;
    for (int k = 0; flocks && k < world->kind_count; k++) {
        flocks = world_kind_population(world, k) == 0 || world_kind_flocks(world, &world->kinds[k]);
    }
    return flocks;
}

bool world_is_pure_flock(const struct world *world) {
    return world->is_sorted && world_flocks(world);
}

/* ---- run ---- */

static struct world_run run_of(const struct world *world, int32_t begin, int32_t end) {
    const struct grid *grid = &world->grid;
    return (struct world_run){.count = end > begin ? end - begin : 0,
                              .motion = grid->motion + begin,
                              .kind = grid->kind + begin,
                              .row = grid->row + begin};
}

struct world_run world_run_own(const struct world *world) {
    const struct world_window window = world_window(world);
    return run_of(world, window.own_begin, window.own_end);
}

/* The own agents in rows of cells. */
static struct world_run run_of_rows(const struct world *world, const struct world_window *window,
                                    const struct grid_span *span) {
    const struct grid *grid = &world->grid;
    const int32_t across = grid->across.cells;
    const bool is_below = span->first > window->first_row, ends_within = span->last < window->end_row - 1;
    if (span->first >= window->end_row || span->last < window->first_row) {
        return run_of(world, window->own_begin, window->own_begin);
    }
    return run_of(world, is_below ? grid->begin[span->first * across] : window->own_begin,
                  ends_within ? grid->begin[(span->last + 1) * across] : window->own_end);
}

/* Agents may have drifted since they were sorted. */
int world_runs_between(const struct world *world, double low, double high, struct world_run runs[2]) {
    const struct world_window window = world_window(world);
    const struct grid_axis *down = &world->grid.down;
    if (window.rows == 0) {
        runs[0] = world_run_own(world);
        return 1;
    }
    const double slack = (double)grid_reach(down, world->grid.drift), size = (double)down->size;
    double begin = low - slack, end = high + slack;
    if (down->wraps) {
        if (end - begin >= size) {
            runs[0] = world_run_own(world);
            return 1;
        }
        const double around = floor(begin / size) * size;
        begin -= around;
        end -= around;
    }
    struct grid_span spans[2];
    const int count = grid_axis_spans(down, (float)begin, (float)end, spans);
    for (int i = 0; i < count; i++) {
        runs[i] = run_of_rows(world, &window, &spans[i]);
    }
    return count;
}

struct agent_view world_agent_anywhere(const struct world *world, int32_t row) {
    struct agent_view agent = {0};
    uint64_t bytes[(sizeof agent + sizeof(uint64_t) - 1) / sizeof(uint64_t)] = {0};
    if (world_owns(world, row)) {
        agent = world_agent(world, row);
        memcpy(bytes, &agent, sizeof agent);
    }
    if (world_is_partial(world)) { /* one rank has the agent, the others add nothing */
        const struct exchange *exchange = world_exchange(world);
        exchange->sum(exchange->context, bytes, (int)(sizeof bytes / sizeof bytes[0]));
        memcpy(&agent, bytes, sizeof agent);
    }
    return agent;
}

uint64_t world_count_in_state(const struct world *world, int kind, int state, uint64_t most) {
    const struct world_window window = world_window(world);
    const struct grid *grid = &world->grid;
    uint64_t count = 0;
    for (int32_t slot = window.own_begin; slot < window.own_end && count < most; slot++) {
        const int32_t place = world->is_pure_flock ? grid->row[slot] : slot;
        count += grid->kind[slot] == kind && world->state[place] == state;
    }
    if (world_is_partial(world)) {
        const struct exchange *exchange = world_exchange(world);
        exchange->sum(exchange->context, &count, 1);
    }
    return count;
}

/* ---- drive ---- */

/* Vectors that clients drive agents with: where they come in, and when they expire. */

uint32_t world_longest_hold(const struct kind_def *kind) {
    uint32_t longest = 0;
    for (int s = 0; s < kind->state_count; s++) {
        const struct state_def *state = &kind->states[s];
        for (int b = 0; b < state->behavior_count; b++) {
            const struct behavior_def *behavior = &state->behaviors[b];
            if (behavior_has_trait(behavior->type, TRAIT_DRIVEN) && behavior->hold > longest) {
                longest = behavior->hold;
            }
        }
    }
    return longest;
}

bool world_heeds_drive(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    return world->kinds[kind].hold > 0;
}

static void drive_agent(struct world *world, int32_t row, const struct drive_def *drive, int32_t index) {
    const float x = drive->x[index], y = drive->y[index], most = (float)LIMIT_DRIVE;
    assert(x >= -most && x <= most && y >= -most && y <= most);
    world->drive[row] = (struct drive){vec2_make(x, y), LIMIT_HOLD};
    world->has_driven = true;
    (void)most;
}

/* The index of the first agent that cannot be driven; `count` when there is none. */
static int32_t find_undriven(const struct world *world, const struct drive_def *drive) {
    int32_t index = 0;
    for (; index < drive->count; index++) {
        const int32_t row = world_find_agent(world, drive->agents[index]);
        if (row >= 0 && !world_heeds_drive(world, world->kind[row])) {
            break;
        }
    }
    return index;
}

static void drive_kind(struct world *world, const struct drive_def *drive) {
    const int32_t begin = world->kind_begin[drive->kind] + drive->first;
    assert(drive->first >= 0 && drive->first <= world_kind_population(world, drive->kind) - drive->count);
    for (int32_t i = 0; i < drive->count; i++) {
        drive_agent(world, world_row_of_kind(world, drive->kind, begin + i), drive, i);
    }
}

enum world_result world_drive(struct world *world, const struct drive_def *drive, int32_t *gone) {
    assert(world_is_consistent(world) && drive->count >= 0);
    *gone = 0;
    if (drive->agents == NULL) {
        const bool heeds = world_heeds_drive(world, drive->kind);
        if (heeds) {
            drive_kind(world, drive);
        }
        return heeds ? WORLD_OK : WORLD_NOT_DRIVEN;
    }
    *gone = find_undriven(world, drive);
    if (*gone < drive->count) {
        return WORLD_NOT_DRIVEN;
    }
    *gone = 0;
    for (int32_t i = 0; i < drive->count; i++) {
        const int32_t row = world_find_agent(world, drive->agents[i]);
        if (row >= 0) {
            drive_agent(world, row, drive, i);
        } else {
            ++*gone;
        }
    }
    return WORLD_OK;
}

void world_fade_drives(struct world *world) {
    if (!world->has_driven) {
        return;
    }
    bool has_driven = false;
    for (int32_t row = 0; row < world->agent_count; row++) {
        struct drive *drive = &world->drive[row];
        if (drive->left > 1) {
            drive->left--;
            has_driven = true;
        } else if (drive->left == 1) {
            *drive = (struct drive){.left = 0};
        }
    }
    world->has_driven = has_driven;
}
