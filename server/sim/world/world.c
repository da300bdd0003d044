/* The world's life and its tick. See world.h. */
#include "server/sim/world/world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/column.h"
#include "server/sim/math/rng.h"
#include "server/sim/steering/locomotion.h"
#include "server/sim/world/world_internal.h"

/* ---- creating ---- */

static int find_target_def(const struct world_def *def, const char *name) {
    for (int i = 0; i < def->target_count; i++) {
        if (strcmp(def->targets[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* "seek" for the first seek of a state, "seek2" for the second. */
static void make_label(const struct state_def *state, int index, char *label, size_t size) {
    const int type = state->behaviors[index].type;
    int ordinal = 1;
    for (int i = 0; i < index; i++) {
        ordinal += state->behaviors[i].type == type;
    }
    const char *name = behavior_type_name((enum behavior_type)type);
    const size_t length = strlen(name);
    assert(length + 3 <= size && ordinal <= LIMIT_BEHAVIORS);
    (void)size;
    memcpy(label, name, length);
    char *end = label + length;
    if (ordinal >= 10) {
        *end++ = (char)('0' + ordinal / 10);
    }
    if (ordinal >= 2) {
        *end++ = (char)('0' + ordinal % 10);
    }
    *end = '\0';
}

static int find_kind_def(const struct world_def *def, const char *name) {
    for (int k = 0; k < def->kind_count; k++) {
        if (strcmp(def->kinds[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

/* What the names of a reference stand for. False when they stand for nothing. */
static bool resolve(const struct world_def *def, const struct target_ref *ref, struct ref_runtime *runtime) {
    const size_t length = strlen(ref->target);
    if (length > 0 && ref->target[length - 1] == '*') {
        *runtime = (struct ref_runtime){REF_PREFIX, (int)length - 1};
    } else if (length > 0) {
        *runtime = (struct ref_runtime){REF_TARGET, find_target_def(def, ref->target)};
    } else if (ref->kind[0] != '\0') {
        *runtime = (struct ref_runtime){REF_KIND, find_kind_def(def, ref->kind)};
    } else {
        *runtime = (struct ref_runtime){ref->agent != 0 ? REF_AGENT : REF_NONE, 0};
    }
    return runtime->mode != REF_NONE && runtime->index >= 0;
}

/* Behaviours by tier, those of one tier as they are listed. */
static void sort_tiers(const struct state_def *state, int order[LIMIT_BEHAVIORS]) {
    for (int b = 0; b < state->behavior_count; b++) {
        int at = b;
        while (at > 0 && state->behaviors[order[at - 1]].tier > state->behaviors[b].tier) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = b;
    }
}

static bool build_behaviors(const struct world_def *def, int own, const struct state_def *state,
                            struct state_runtime *runtime) {
    for (int b = 0; b < state->behavior_count; b++) {
        const struct behavior_def *behavior = &state->behaviors[b];
        struct behavior_runtime *one = &runtime->behaviors[b];
        const int targets = behavior_target_count((enum behavior_type)behavior->type);
        if ((targets >= 1 && !resolve(def, &behavior->target, &one->target)) ||
            (targets >= 2 && !resolve(def, &behavior->second, &one->second))) {
            return false;
        }
        if (!world_resolve_kinds(def, own, behavior, &one->kinds)) {
            return false;
        }
        const enum behavior_type type = (enum behavior_type)behavior->type;
        one->path = behavior_has_path(type) ? geometry_def_find_path(&def->geometry, behavior->path) : -1;
        one->flow =
            behavior_has_flow_field(type) ? geometry_def_find_flow(&def->geometry, behavior->flow_field) : -1;
        make_label(state, b, one->label, sizeof one->label);
    }
    sort_tiers(state, runtime->order);
    return true;
}

/* Whether the paths and flow fields that behaviours name are there. */
static bool has_ways(const struct state_def *state, const struct state_runtime *runtime) {
    for (int b = 0; b < state->behavior_count; b++) {
        const enum behavior_type type = (enum behavior_type)state->behaviors[b].type;
        if ((behavior_has_path(type) && runtime->behaviors[b].path < 0) ||
            (behavior_has_flow_field(type) && runtime->behaviors[b].flow < 0)) {
            return false;
        }
    }
    return true;
}

/* The nodes of a subtree from `index`: the index behind it, or -1 when it is not well-formed. */
static int condition_end(const struct state_def *state, int index) {
    if (index >= state->condition_count) {
        return -1;
    }
    const struct condition_def *node = &state->conditions[index++];
    int children = node->type == CONDITION_NOT ? 1 : 0;
    if (node->type == CONDITION_ALL || node->type == CONDITION_ANY) {
        children = node->count;
    }
    for (int i = 0; i < children && index >= 0; i++) {
        index = condition_end(state, index);
    }
    return index;
}

static bool build_conditions(const struct world_def *def, const struct state_def *state,
                             struct state_runtime *runtime) {
    if (state->condition_count < 0 || state->condition_count > LIMIT_CONDITIONS ||
        (state->condition_count > 0 && condition_end(state, 0) != state->condition_count)) {
        return false;
    }
    for (int c = 0; c < state->condition_count; c++) {
        if (state->conditions[c].type == CONDITION_NEAR &&
            !resolve(def, &state->conditions[c].target, &runtime->conditions[c])) {
            return false;
        }
    }
    return true;
}

static enum world_result build_kind(const struct world_def *def, int own, struct kind *kind,
                                    const char **what) {
    if (kind->def.state_count < 1 || kind->def.state_count > LIMIT_STATES) {
        *what = "a kind needs 1 to LIMIT_STATES states";
        return WORLD_BAD_DEF;
    }
    for (int s = 0; s < kind->def.state_count; s++) {
        const struct state_def *state = &kind->def.states[s];
        if (state->behavior_count < 0 || state->behavior_count > LIMIT_BEHAVIORS) {
            *what = "a state has too many behaviours";
            return WORLD_BAD_DEF;
        }
        if (!build_behaviors(def, own, state, &kind->states[s])) {
            *what = "a behaviour names a target or kind that is not there";
            return WORLD_BAD_DEF;
        }
        if (!has_ways(state, &kind->states[s])) {
            *what = "a behaviour names a path or flow field that is not there";
            return WORLD_BAD_DEF;
        }
        if (!build_conditions(def, state, &kind->states[s])) {
            *what = "a condition is not well-formed or names what is not there";
            return WORLD_BAD_DEF;
        }
    }
    return WORLD_OK;
}

static bool may_catch(const struct kind_def *kind) {
    for (int s = 0; s < kind->state_count; s++) {
        for (int b = 0; b < kind->states[s].behavior_count; b++) {
            if (behavior_has_trait(kind->states[s].behaviors[b].type, TRAIT_CATCHES)) {
                return true;
            }
        }
    }
    return false;
}

static enum world_result build_kinds(const struct world_def *def, struct world *world, const char **what) {
    if (def->kind_count > 0) {
        world->kinds = calloc((size_t)def->kind_count, sizeof *world->kinds);
        if (!world->kinds) {
            return WORLD_NO_MEMORY;
        }
    }
    world->kind_count = world->kind_room = def->kind_count;
    for (int k = 0; k < def->kind_count; k++) {
        world->kinds[k].def = def->kinds[k];
        world->kinds[k].is_tireless = true;
        const enum world_result result = build_kind(def, k, &world->kinds[k], what);
        if (result != WORLD_OK) {
            return result;
        }
        world->kinds[k].pursues = may_catch(&def->kinds[k]);
        world_note_neighbors(world, &def->kinds[k]);
        world_refresh_kind(world, k);
    }
    return WORLD_OK;
}

static void build_targets(const struct world_def *def, struct world *world) {
    world->target_count = def->target_count;
    for (int i = 0; i < def->target_count; i++) {
        world->targets[i] = def->targets[i];
        world->targets[i].at = bounds_settle(&world->bounds, def->targets[i].at);
    }
}

static enum world_result place_agents(const struct world_def *def, struct world *world, const char **what) {
    for (int i = 0; i < def->placement_count; i++) {
        const struct placement_def *placement = &def->placements[i];
        struct spawn_def spawn = {
            .kind = world_find_kind(world, placement->kind),
            .count = placement->count,
            .shape = placement->shape,
            .at = placement->at,
            .size = placement->size,
            .radius = placement->radius,
            .velocity = placement->velocity,
            .has_heading = placement->has_heading,
            .heading = placement->heading,
        };
        if (spawn.kind < 0) {
            *what = "a placement names a kind that is not there";
            return WORLD_BAD_DEF;
        }
        uint32_t first_id;
        const enum world_result result = world_spawn(world, &spawn, &first_id);
        if (result != WORLD_OK) {
            return result;
        }
    }
    return WORLD_OK;
}

static bool is_sane(const struct world_def *def, const char **what) {
    *what = "size or tick_hz is out of range";
    if (!(def->size.x >= 1.0f && def->size.x <= (float)LIMIT_WORLD_SIZE && def->size.y >= 1.0f &&
          def->size.y <= (float)LIMIT_WORLD_SIZE && def->tick_hz >= 1.0 && def->tick_hz <= LIMIT_TICK_HZ)) {
        return false;
    }
    const char *fault = geometry_def_fault(&def->geometry, def->edge == EDGE_WRAP, def->size);
    if (fault) {
        *what = fault;
        return false;
    }
    *what = "too many kinds, targets or placements";
    return def->kind_count >= 0 && def->kind_count <= LIMIT_KINDS && def->target_count >= 0 &&
           def->target_count <= LIMIT_TARGETS && def->placement_count >= 0 &&
           def->placement_count <= LIMIT_PLACEMENTS;
}

enum world_result world_create(const struct world_def *def, struct world **out, const char **what) {
    const char *ignored;
    const char **reason = what ? what : &ignored;
    *reason = "";
    if (!is_sane(def, reason)) {
        return WORLD_BAD_DEF;
    }
    struct world *world = calloc(1, sizeof *world);
    if (!world) {
        return WORLD_NO_MEMORY;
    }
    world->bounds = (struct bounds){def->size, (enum edge)def->edge};
    world->tick_hz = def->tick_hz;
    world->dt = (float)(1.0 / def->tick_hz);
    world->seed = def->seed;
    world->next_id = 1;
    world->simd = simd_best();
    world_let_give_up(world, def->given_up);
    build_targets(def, world);
    enum world_result result = scenery_init(&world->scenery, &def->geometry, &world->bounds) == 0
                                   ? build_kinds(def, world, reason)
                                   : WORLD_NO_MEMORY;
    for (int i = 0; i < world->scenery.def.obstacle_count; i++) {
        world->scenery.def.obstacles[i].id = (uint32_t)i + 1;
    }
    world->next_obstacle = (uint32_t)world->scenery.def.obstacle_count + 1;
    world->is_creating = true;
    if (result == WORLD_OK) {
        result = place_agents(def, world, reason);
    }
    if (result == WORLD_OK && !world_is_given_up(world)) {
        world_group_kinds(world);
        world_sort(world);
    }
    world->is_creating = false;
    if (result == WORLD_OK && world_is_given_up(world)) {
        result = WORLD_GIVEN_UP;
    }
    if (result != WORLD_OK) {
        world_destroy(world);
        return result;
    }
    *out = world;
    return WORLD_OK;
}

void world_destroy(struct world *world) {
    if (!world) {
        return;
    }
    scenery_fini(&world->scenery);
    free(world->kinds);
#define FREE_COLUMN(number, type, name, initial, saved, hashed, copied) free(world->name);
    WORLD_COLUMNS(FREE_COLUMN)
#undef FREE_COLUMN
    grid_fini(&world->grid);
    free(world);
}

int world_reserve(struct world *world, int32_t count) {
    if (count <= world->capacity) {
        return 0;
    }
    int32_t capacity = world->capacity + world->capacity / 2;
    capacity = capacity > count ? capacity : count;
    /* A column that grew before another failed is merely larger than `capacity`. */
    bool grown = true;
#define GROW_COLUMN(number, type, name, initial, saved, hashed, copied)                                      \
    grown = grown && column_grow(&world->name, sizeof *world->name, capacity);
    WORLD_COLUMNS(GROW_COLUMN)
#undef GROW_COLUMN
    if (!grown || grid_reserve(&world->grid, capacity) != 0) {
        return -1;
    }
    world->capacity = capacity;
    return 0;
}

/* ---- the tick ---- */

/* Agents that one thread takes at a time: few enough to share out evenly, many enough to fill the lanes. */
static int32_t grain_of(int32_t count, int threads) {
    const int32_t share = count / (threads * 8);
    return share < 512 ? 512 : share > 4096 ? 4096 : share;
}

/* The agent of tick t that is within the target's jump_within, of several the one of the lowest id; or -1. */
static int32_t reaching_row(const struct world *world, const struct target_def *target) {
    const float limit = target->jump_within * target->jump_within;
    int32_t lowest = -1;
    for (int32_t slot = 0; slot < world->agent_count; slot++) {
        const struct motion *motion = &world->grid.motion[slot];
        const vec2 offset = bounds_difference(&world->bounds, (vec2){motion->x, motion->y}, target->at);
        if (vec2_length_squared(offset) < limit && (lowest < 0 || world->grid.row[slot] < lowest)) {
            lowest = world->grid.row[slot];
        }
    }
    return lowest;
}

static vec2 jump(const struct world *world, int target) {
    const float margin = world->targets[target].jump_margin;
    const vec2 size = world->bounds.size;
    struct rng rng = rng_begin(world->seed, world->tick, (uint32_t)target, RNG_TARGET_JUMP);
    const vec2 point = {rng_between(&rng, margin, size.x - margin),
                        rng_between(&rng, margin, size.y - margin)};
    return bounds_settle(&world->bounds, point);
}

static void step_agents(void *context, int32_t begin, int32_t end) {
    struct world *world = context;
    if (world->is_sorted) { /* in the order of the grid, neighbours are near in memory */
        world_step_slots(world, begin, end);
        return;
    }
    for (int32_t slot = begin; slot < end && !world_is_given_up(world); slot++) {
        world_step_agent(world, slot, NULL);
    }
}

void world_act(struct world *world, const struct parallel *parallel) {
    if (world->agent_count > 0) {
        world->keeps_order = world_keeps_order(world);
        /* A torus has the same cells from tick to tick. */
        world->grid.has_cells =
            world->is_pure_flock && world->bounds.edge == EDGE_WRAP && !world->keeps_order;
        if (!world->is_pure_flock) { /* of a mere flock nobody is looked up */
            grid_look_up(&world->grid, parallel);
        }
        parallel->run(parallel->pool, world->agent_count, grain_of(world->agent_count, parallel->threads),
                      step_agents, world);
    }
}

void world_step(struct world *world) {
    const struct parallel alone = parallel_alone();
    world_step_parallel(world, &alone);
}

void world_step_parallel(struct world *world, const struct parallel *parallel) {
    /* Where targets jump to is decided from tick t as well, but only takes their place once all agents have
     * acted. */
    vec2 next_targets[LIMIT_TARGETS];
    world->note_count = 0;
    world->notes_left_out = 0;
    for (int i = 0; i < world->target_count && !world_is_given_up(world); i++) {
        const struct target_def *target = &world->targets[i];
        const int32_t row = target->jump_within > 0.0f ? reaching_row(world, target) : -1;
        next_targets[i] = row >= 0 ? jump(world, i) : target->at;
        if (row >= 0) {
            world_note_reached(world, row, i);
        }
    }
    world_act(world, parallel);
    if (world_is_given_up(world)) {
        return; /* what there is of tick t+1 is of no use, and parts of it may be missing */
    }
    world_note_catches(world);
    for (int i = 0; i < world->target_count; i++) {
        world->targets[i].at = next_targets[i];
    }
    world->tick++;
    world_advance(world, parallel);
}

void world_let_give_up(struct world *world, const atomic_bool *given_up) {
    world->grid.given_up = given_up;
}

bool world_is_given_up(const struct world *world) {
    return grid_is_given_up(&world->grid);
}

void world_set_simd(struct world *world, enum simd simd) {
    assert(simd_is_supported(simd));
    world->simd = simd;
}

/* ---- reading ---- */

uint64_t world_tick(const struct world *world) {
    return world->tick;
}
double world_tick_hz(const struct world *world) {
    return world->tick_hz;
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
    assert(row >= 0 && row < world->agent_count);
    const struct motion motion = world_motion(world, row);
    const struct body *body = world_body(world, row);
    return (struct agent_view){
        .id = world->id[row],
        .kind = world->kind[row],
        .state = world->state[row],
        .position = {motion.x, motion.y},
        .velocity = {motion.vx, motion.vy},
        .heading = world_heading(world, row),
        .stamina = world->memory[row].stamina,
        .mass = body->mass,
        .radius = body->radius,
        .max_speed = body->max_speed,
        .max_force = body->max_force,
    };
}

vec2 world_heading(const struct world *world, int32_t row) {
    if (world->is_pure_flock) {
        const struct motion motion = world_motion(world, row);
        const vec2 velocity = {motion.vx, motion.vy};
        if (vec2_length_squared(velocity) > locomotion_hold_squared(world_body(world, row)->max_speed)) {
            return vec2_with_length(velocity, 1.0f);
        }
    }
    return world->heading[row];
}

int32_t world_find_agent(const struct world *world, uint32_t id) {
    int32_t low = 0, high = world->agent_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (world->id[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < world->agent_count && world->id[low] == id ? low : -1;
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
    return bounds_settle(&world->bounds, point);
}
