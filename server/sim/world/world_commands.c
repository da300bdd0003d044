/* What commands do to a world, between ticks: agents come and go, targets move, agents are sent elsewhere. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/trig.h"
#include "server/sim/world/world_internal.h"

/* ---- spawning ---- */

/* A point of the unit disc, by rejection: no sine, no cosine. */
static vec2 random_in_disc(struct rng *rng) {
    vec2 point = {0.0f, 0.0f};
    for (int attempt = 0; attempt < 64; attempt++) {
        const float x = rng_between(rng, -1.0f, 1.0f), y = rng_between(rng, -1.0f, 1.0f);
        point = vec2_make(x, y);
        if (vec2_length_squared(point) <= 1.0f) {
            return point;
        }
    }
    return vec2_make(0.0f, 0.0f);
}

vec2 world_draw_place(const struct world *world, const struct spawn_def *spawn, float radius,
                      struct rng *rng) {
    vec2 place = spawn->at;
    if (spawn->shape == PLACE_RECT) {
        const float across = rng_unit(rng), down = rng_unit(rng);
        place = vec2_add(place, vec2_make(across * spawn->size.x, down * spawn->size.y));
    } else if (spawn->shape == PLACE_CIRCLE && spawn->radius > 0.0f) {
        place = vec2_add(place, vec2_scale(random_in_disc(rng), spawn->radius));
    }
    place = bounds_settle(&world->bounds, place);
    return bounds_settle(&world->bounds, scenery_push_out(&world->scenery, &world->bounds, place, radius));
}

vec2 world_new_heading(const struct world *world, const struct spawn_def *spawn, uint32_t id) {
    if (spawn->has_heading) {
        return trig_unit(spawn->heading);
    }
    if (vec2_length_squared(spawn->velocity) > 0.0f) {
        return vec2_with_length(spawn->velocity, 1.0f);
    }
    struct rng rng = rng_begin(world->seed, world->tick, id, RNG_SPAWN_HEADING);
    vec2 heading = random_in_disc(&rng);
    while (vec2_length_squared(heading) < 1e-4f) {
        heading = random_in_disc(&rng);
    }
    return vec2_with_length(heading, 1.0f);
}

static float draw(struct rng *rng, struct field_range range) {
    return rng_between(rng, range.low, range.high);
}

struct body world_draw_body(const struct world *world, int kind, uint32_t id) {
    const struct body_def *def = &world->kinds[kind].def.body;
    struct rng rng = rng_begin(world->seed, world->tick, id, RNG_SPAWN_BODY);
    struct body body;
    body.mass = draw(&rng, def->mass);
    body.radius = draw(&rng, def->radius);
    body.max_speed = draw(&rng, def->max_speed);
    body.max_force = draw(&rng, def->max_force);
    return body;
}

float world_new_radius(const struct world *world, int kind, uint32_t id) {
    const struct kind *of = &world->kinds[kind];
    return of->draws_body ? world_draw_body(world, kind, id).radius : of->def.body.radius.low;
}

/* What lies by slot of the agent of the last row. */
static void put_last(struct world *world, const struct spawn_def *spawn) {
    const int32_t row = world->agent_count - 1, slot = world->grid.count;
    const uint32_t id = world->id[row];
    if (world->has_memories) {
        world->memory[slot].stamina = world->kinds[spawn->kind].def.body.max_stamina;
        world->memory[slot].state_since = (uint32_t)world->tick;
    }
    struct rng rng = rng_begin(world->seed, world->tick, id, RNG_SPAWN_PLACE);
    const vec2 place = spawn->places != NULL
                           ? spawn->places[id - spawn->first_place]
                           : world_draw_place(world, spawn, world_body(world, row)->radius, &rng);
    const vec2 velocity = vec2_truncate(spawn->velocity, world_body(world, row)->max_speed);
    grid_append(&world->grid, (struct motion){place.x, place.y, velocity.x, velocity.y},
                (uint8_t)spawn->kind);
    if (!world->lacks_headings) {
        world->heading[slot] = world_new_heading(world, spawn, id);
    }
}

/* Ranks take new agents in turn; sorting hands them over to where they belong. */
static bool is_taken_here(const struct world *world, int32_t row) {
    return !world_is_partial(world) || world_owner_of_new(world->exchange, row) == world->exchange->rank;
}

static void spawn_one(struct world *world, const struct spawn_def *spawn, uint32_t id) {
    const int32_t row = world->agent_count++;
    assert(row == world->grid.count + world->grid.absent && !world->is_pure_flock);
    const struct kind *kind = &world->kinds[spawn->kind];
    const bool is_here = is_taken_here(world, row);
    world_set_initial(world, row, is_here ? world->grid.count : -1);
    world->id[row] = id;
    if (spawn->kind != 0) { /* pages of zero bytes take no memory */
        world->kind[row] = (uint8_t)spawn->kind;
    }
    if (kind->draws_body) {
        world->flags[row] = AGENT_OWN_BODY;
        world->own_body[row] = world_draw_body(world, spawn->kind, id);
    }
    if (is_here) {
        put_last(world, spawn);
    } else {
        world->grid.absent++;
    }
}

enum world_result world_spawn(struct world *world, const struct spawn_def *spawn, uint32_t *first_id) {
    assert(spawn->kind >= 0 && spawn->kind < world->kind_count);
    assert(world->agent_count <= world->max_agents && !world->is_spoiled);
    if (spawn->count > (uint32_t)(world->max_agents - world->agent_count) ||
        spawn->count > UINT32_MAX - world->next_id) {
        return WORLD_FULL;
    }
    const int32_t wanted = world->agent_count + (int32_t)spawn->count;
    if (!world_all_ranks(world, world_reserve(world, wanted) == 0)) {
        return WORLD_NO_MEMORY;
    }
    *first_id = world->next_id;
    if (spawn->count == 0) {
        return WORLD_OK;
    }
    world_keep_headings(world);
    world_drop_ghosts(world);
    if (world->tick != 0 || world->kinds[spawn->kind].def.body.max_stamina != 0.0f) {
        world_remember(world);
    }
    world->is_sorted = false;
    for (uint32_t i = 0; i < spawn->count && !(world->is_creating && world_is_given_up(world)); i++) {
        spawn_one(world, spawn, world->next_id++);
    }
    if (!world->is_creating) { /* world_create does it once for all placements */
        world_group_kinds(world);
        world_sort(world);
    }
    return WORLD_OK;
}

/* ---- removing ---- */

/* Timers of a world without are zero, and take no memory. */
static bool is_used(const struct world *world, const void *column) {
    return column != world->timers || world->has_timers;
}

static void copy_entries(struct world *world, enum column_order order, int32_t to, int32_t from) {
#define COPY_ENTRY(number, type, name, initial, saved, hashed, by, copied)                                   \
    if ((copied) && (by) == order && is_used(world, world->name)) {                                          \
        world->name[to] = world->name[from];                                                                 \
    }
    WORLD_COLUMNS(COPY_ENTRY)
#undef COPY_ENTRY
}

/* As grid_compact does: slots keep their order. */
static void compact_slots(struct world *world, const int32_t *new_row) {
    int32_t kept = 0;
    for (int32_t slot = 0; slot < world->grid.count; slot++) {
        if (new_row[world->grid.row[slot]] >= 0) {
            copy_entries(world, BY_SLOT, kept++, slot);
        }
    }
}

/* Closes the gaps that AGENT_REMOVED marks on `removed` agents, keeping the order of ids. */
int32_t world_remove_marked(struct world *world, int32_t removed) {
    if (removed == 0) {
        return 0; /* the order of slots is as old as it was */
    }
    world_keep_headings(world);
    world_drop_ghosts(world);
    int32_t kept = 0;
    int32_t *new_row = world->rank; /* world_group_kinds computes it again */
    for (int32_t row = 0; row < world->agent_count; row++) {
        new_row[row] = -1;
        if (world->flags[row] & AGENT_REMOVED) {
            continue;
        }
        if (kept != row) {
            copy_entries(world, BY_ROW, kept, row);
        }
        new_row[row] = kept++;
    }
    assert(world->agent_count - kept == removed);
    world->agent_count = kept;
    compact_slots(world, new_row);
    grid_compact(&world->grid, new_row);
    world->grid.absent = kept - world->grid.count;
    world_group_kinds(world);
    world_sort(world);
    return removed;
}

int32_t world_remove(struct world *world, const uint32_t *ids, int32_t count, bool *found) {
    assert(world_is_consistent(world) && count >= 0 && (count == 0 || ids != NULL));
    int32_t removed = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t row = world_find_agent(world, ids[i]);
        const bool is_there = row >= 0 && !(world->flags[row] & AGENT_REMOVED);
        if (is_there) {
            world->flags[row] |= AGENT_REMOVED;
        }
        if (found != NULL) {
            found[i] = is_there;
        }
        removed += is_there;
    }
    return world_remove_marked(world, removed);
}

int32_t world_remove_kind(struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    for (int32_t row = 0; row < world->agent_count; row++) {
        if (world->kind[row] == kind) {
            world->flags[row] |= AGENT_REMOVED;
        }
    }
    return world_remove_marked(world, world_kind_population(world, kind));
}

/* ---- targets ---- */

void world_set_target(struct world *world, int target, vec2 point) {
    assert(target >= 0 && target < world->target_count);
    world->targets[target].at = bounds_settle(&world->bounds, point);
    world->targets[target].idle = 0;
}

static struct aim settle_aim(const struct world *world, struct aim aim) {
    assert(aim.mode != AIM_TARGET || (aim.target >= 0 && aim.target < world->target_count));
    const vec2 nowhere = {0.0f, 0.0f};
    return (struct aim){
        .mode = aim.mode,
        .target = aim.mode == AIM_TARGET ? aim.target : 0,
        .point = aim.mode == AIM_POINT ? bounds_settle(&world->bounds, aim.point) : nowhere,
    };
}

enum world_result world_aim_agent(struct world *world, uint32_t id, struct aim aim) {
    const int32_t row = world_find_agent(world, id);
    if (row < 0) {
        return WORLD_NO_AGENT;
    }
    world->aim[row] = settle_aim(world, aim);
    world->has_sent = world->has_sent || aim.mode != AIM_BEHAVIOR;
    return WORLD_OK;
}

void world_aim_kind(struct world *world, int kind, struct aim aim) {
    assert(kind >= 0 && kind < world->kind_count);
    world->kinds[kind].aim = settle_aim(world, aim);
}

/* ---- which kinds heed what ---- */

bool world_heeds_aim(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    const struct kind_def *def = &world->kinds[kind].def;
    for (int s = 0; s < def->state_count; s++) {
        for (int b = 0; b < def->states[s].behavior_count; b++) {
            if (world_is_aimed(def->states[s].behaviors[b].type)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_about(const struct world *world, const struct target_ref *ref,
                     const struct ref_runtime *runtime, int target) {
    return (runtime->mode == REF_TARGET && runtime->index == target) ||
           (runtime->mode == REF_PREFIX &&
            strncmp(ref->target, world->targets[target].name, (size_t)runtime->index) == 0);
}

static bool state_heeds(const struct world *world, const struct kind *kind, int index, int target) {
    const struct state_def *state = &kind->def.states[index];
    const struct state_runtime *runtime = &kind->states[index];
    for (int b = 0; b < state->behavior_count; b++) {
        const struct behavior_def *behavior = &state->behaviors[b];
        const bool is_sent = world_is_aimed(behavior->type) && kind->aim.mode != AIM_BEHAVIOR;
        if (is_sent ? kind->aim.mode == AIM_TARGET && kind->aim.target == target
                    : is_about(world, &behavior->target, &runtime->behaviors[b].target, target) ||
                          is_about(world, &behavior->second, &runtime->behaviors[b].second, target)) {
            return true;
        }
    }
    for (int c = 0; c < state->condition_count; c++) {
        if (is_about(world, &state->conditions[c].target, &runtime->conditions[c], target)) {
            return true;
        }
    }
    return false;
}

bool world_heeds_target(const struct world *world, int target) {
    assert(target >= 0 && target < world->target_count);
    if (world->targets[target].is_goal) {
        return true;
    }
    for (int k = 0; k < world->kind_count; k++) {
        for (int s = 0; world_kind_population(world, k) > 0 && s < world->kinds[k].def.state_count; s++) {
            if (state_heeds(world, &world->kinds[k], s, target)) {
                return true;
            }
        }
    }
    for (int32_t row = 0; world->has_sent && row < world->agent_count; row++) {
        if (world->aim[row].mode == AIM_TARGET && world->aim[row].target == target &&
            world_heeds_aim(world, world->kind[row])) {
            return true;
        }
    }
    return false;
}

/* ---- place ---- */

/* Agents that a command puts somewhere else, between ticks. */

static bool is_empty(const struct world_placing *placing) {
    return placing->count == 0 || (placing->x == NULL && placing->vx == NULL && placing->heading == NULL &&
                                   placing->stamina == NULL);
}

/* Where the agent is now, as one that is spawned there. The solid that it was passing, and its place on a path, were
 * those of another place. */
static void move_to(struct world *world, int32_t row, vec2 to) {
    struct motion *motion = &world->grid.motion[grid_slot(&world->grid, row)];
    struct memory *memory = world_memory(world, row);
    const vec2 place = bounds_settle(&world->bounds, scenery_push_out(&world->scenery, &world->bounds,
                                                                      bounds_settle(&world->bounds, to),
                                                                      world_body(world, row)->radius));
    motion->x = place.x;
    motion->y = place.y;
    memory->solid = 0;
    memory->path = 0;
}

/* An agent that moves faces where it goes, unless its heading is given; one that stops faces where it did. */
static void set_velocity(struct world *world, int32_t row, vec2 velocity) {
    struct motion *motion = &world->grid.motion[grid_slot(&world->grid, row)];
    const vec2 reached = vec2_truncate(velocity, world_body(world, row)->max_speed);
    motion->vx = reached.x;
    motion->vy = reached.y;
    if (vec2_length_squared(velocity) > 0.0f) {
        world->heading[world_place(world, row)] = vec2_with_length(velocity, 1.0f);
    }
}

/* Between nothing and what the kind has at most; whether it is exhausted as after a tick. */
static void set_stamina(struct world *world, int32_t row, float stamina) {
    const float most = world->kinds[world->kind[row]].def.body.max_stamina;
    struct memory *memory = world_memory(world, row);
    memory->stamina = stamina > 0.0f ? stamina < most ? stamina : most : 0.0f;
    if (memory->stamina >= most) {
        memory->is_exhausted = false;
    } else if (memory->stamina <= 0.0f) {
        memory->is_exhausted = true;
    }
}

static void place_one(struct world *world, int32_t row, const struct world_placing *placing, int32_t i) {
    if (placing->x != NULL) {
        move_to(world, row, vec2_make(placing->x[i], placing->y[i]));
    }
    if (placing->vx != NULL) {
        set_velocity(world, row, vec2_make(placing->vx[i], placing->vy[i]));
    }
    if (placing->heading != NULL) {
        world->heading[world_place(world, row)] = trig_unit(placing->heading[i]);
    }
    if (placing->stamina != NULL) {
        set_stamina(world, row, placing->stamina[i]);
    }
}

enum world_result world_place_agents(struct world *world, const struct world_placing *placing) {
    assert(world_is_consistent(world) && placing->count >= 0);
    assert((placing->x == NULL) == (placing->y == NULL) && (placing->vx == NULL) == (placing->vy == NULL));
    for (int32_t i = 0; i < placing->count; i++) {
        if (world_find_agent(world, placing->ids[i]) < 0) {
            return WORLD_NO_AGENT;
        }
    }
    if (is_empty(placing)) {
        return WORLD_OK;
    }
    world_keep_headings(world);
    if (placing->stamina != NULL) {
        world_remember(world);
    }
    for (int32_t i = 0; i < placing->count; i++) {
        const int32_t row = world_find_agent(world, placing->ids[i]);
        if (world_owns(world, row)) {
            place_one(world, row, placing, i);
        }
    }
    world_sort(world);
    return WORLD_OK;
}

/* ---- live ---- */

/* What changes in a running world besides its agents: targets and obstacles that come and go, between ticks.
 *
 * Obstacles have ids, which are never used twice; agents remember solids by index, so every change
 * renumbers the indices. Each change builds the lookup of solids again; when that fails nothing has changed.
 */

/* ---- every reference of every kind ---- */

typedef bool visit(struct ref_runtime *runtime, const struct target_ref *ref, const void *context);

/* Calls the function for each reference of a kind until it returns true. */
static bool visit_refs(struct kind *kind, visit *function, const void *context) {
    for (int s = 0; s < kind->def.state_count; s++) {
        const struct state_def *state = &kind->def.states[s];
        struct state_runtime *runtime = &kind->states[s];
        for (int b = 0; b < state->behavior_count; b++) {
            if (function(&runtime->behaviors[b].target, &state->behaviors[b].target, context) ||
                function(&runtime->behaviors[b].second, &state->behaviors[b].second, context)) {
                return true;
            }
        }
        for (int c = 0; c < state->condition_count; c++) {
            if (function(&runtime->conditions[c], &state->conditions[c].target, context)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_about_target(struct ref_runtime *runtime, const struct target_ref *ref, const void *context) {
    const int *target = context;
    (void)ref;
    return runtime->mode == REF_TARGET && runtime->index == *target;
}

/* The targets behind the one that goes move up. */
static bool move_up(struct ref_runtime *runtime, const struct target_ref *ref, const void *context) {
    const int *target = context;
    (void)ref;
    runtime->index -= runtime->mode == REF_TARGET && runtime->index > *target;
    return false;
}

static bool wants_set(struct ref_runtime *runtime, const struct target_ref *ref, const void *context) {
    const char *beginning = context;
    const size_t length = strlen(beginning), known = (size_t)(runtime->index > 0 ? runtime->index : 0);
    return runtime->mode == REF_PREFIX && known + 1 >= length &&
           strncmp(ref->target, beginning, known < length ? known : length) == 0;
}

bool world_wants_targets(const struct world *world, const char *beginning) {
    for (int k = 0; k < world->kind_count; k++) {
        if (visit_refs(&world->kinds[k], wants_set, beginning)) {
            return true;
        }
    }
    return false;
}

/* ---- targets ---- */

enum world_result world_add_target(struct world *world, const char *name, vec2 at) {
    assert(name[0] != '\0' && strlen(name) <= LIMIT_NAME_CHARS);
    if (world_find_target(world, name) >= 0) {
        return WORLD_EXISTS;
    }
    if (world->target_count == LIMIT_TARGETS) {
        return WORLD_FULL;
    }
    struct target_def *target = &world->targets[world->target_count++];
    *target = (struct target_def){.at = bounds_settle(&world->bounds, at), .is_live = true};
    memcpy(target->name, name, strlen(name) + 1);
    return WORLD_OK;
}

static void clear_target(struct aim *aim, int target) {
    if (aim->mode == AIM_TARGET && aim->target == target) {
        *aim = (struct aim){.mode = AIM_BEHAVIOR};
    } else if (aim->mode == AIM_TARGET && aim->target > target) {
        aim->target--;
    }
}

enum world_result world_remove_target(struct world *world, int target, int *kind) {
    assert(target >= 0 && target < world->target_count);
    *kind = -1;
    if (world->targets[target].is_goal) {
        return WORLD_IN_USE;
    }
    for (int k = 0; k < world->kind_count; k++) {
        if (visit_refs(&world->kinds[k], is_about_target, &target)) {
            *kind = k;
            return WORLD_IN_USE;
        }
    }
    for (int k = 0; k < world->kind_count; k++) {
        (void)visit_refs(&world->kinds[k], move_up, &target);
        clear_target(&world->kinds[k].aim, target);
    }
    for (int32_t row = 0; row < world->agent_count; row++) {
        clear_target(&world->aim[row], target);
    }
    world->target_count--;
    memmove(&world->targets[target], &world->targets[target + 1],
            sizeof world->targets[0] * (size_t)(world->target_count - target));
    return WORLD_OK;
}

/* ---- ways ---- */

void world_lead_ways(struct world *world, bool is_due) {
    bool is_new = false;
    for (int i = 0; i < world->target_count; i++) {
        struct target_def *target = &world->targets[i];
        if (target->is_goal) {
            target->way_at = is_due ? target->at : target->way_at;
            is_new |= scenery_lead_ways(&world->scenery, &world->bounds, target->name, target->way_at);
        }
    }
    world->ways_made += is_new;
}

uint32_t world_ways_made(const struct world *world) {
    return world->ways_made;
}

/* ---- obstacles ---- */

static int find_obstacle(const struct world *world, uint32_t id) {
    const struct geometry_def *def = &world->scenery.def;
    for (int i = 0; i < def->obstacle_count; i++) {
        if (def->obstacles[i].id == id) {
            return i;
        }
    }
    return -1;
}

const struct obstacle_def *world_find_obstacle(const struct world *world, uint32_t id) {
    const int index = find_obstacle(world, id);
    return index < 0 ? NULL : &world->scenery.def.obstacles[index];
}

/* A copy of the obstacles with room for one more, or NULL without memory. The caller frees it. */
static struct obstacle_def *copy_obstacles(const struct world *world) {
    const struct geometry_def *def = &world->scenery.def;
    struct obstacle_def *copy = malloc(((size_t)def->obstacle_count + 1) * sizeof *copy);
    for (int i = 0; copy != NULL && i < def->obstacle_count; i++) {
        copy[i] = def->obstacles[i];
    }
    return copy;
}

/* Puts other obstacles (NULL: there was no memory for them) in place of those there are, and frees them. */
static enum world_result replace_obstacles(struct world *world, struct obstacle_def *obstacles, int count) {
    struct geometry_def def = world->scenery.def; /* shares its arrays; scenery_init copies them */
    struct scenery scenery;
    def.obstacles = obstacles;
    def.obstacle_count = obstacles != NULL ? count : 0;
    const bool holds = world->scenery.holds_ways;
    const bool is_made =
        obstacles != NULL && (holds ? scenery_init_held : scenery_init)(&scenery, &def, &world->bounds) == 0;
    free(obstacles);
    if (!world_all_ranks(world, is_made)) {
        if (is_made) {
            scenery_fini(&scenery);
        }
        return WORLD_NO_MEMORY;
    }
    const bool had_solids = world->scenery.solid_count > 0;
    scenery_fini(&world->scenery);
    world->scenery = scenery;
    scenery_place_movers(&world->scenery, &world->bounds, world->tick_hz, world->tick);
    world->ways_made += scenery.no_way != NULL && !holds;
    if (had_solids != (scenery.solid_count > 0)) {
        world_sort(world); /* agents keep their slots, and cells have room for that, only without solids */
    }
    return WORLD_OK;
}

/* Solids from `index` on are `by` further back now; -1: the one before them is gone. */
static void renumber_solids(struct world *world, int index, int by) {
    assert(!world->is_pure_flock);
    const struct world_slots own = world_own_slots(world);
    for (int32_t slot = own.begin; world->has_memories && slot < own.end; slot++) {
        struct memory *memory = &world->memory[slot];
        const int solid = (int)memory->solid - 1;
        if (by < 0 && solid == index - 1) {
            memory->solid = 0;
        } else if (solid >= index) {
            memory->solid = (uint16_t)((int)memory->solid + by);
        }
    }
}

/* Bodies that overlap a solid are put outside, the shortest way. Returns how many, on all ranks. */
static int32_t push_bodies(struct world *world, int index) {
    assert(index >= 0 && index < world->scenery.owner_count);
    int32_t pushed = 0;
    const struct world_slots own = world_own_slots(world);
    for (int32_t slot = own.begin; slot < own.end; slot++) {
        struct motion *motion = &world->grid.motion[slot];
        const vec2 place = {motion->x, motion->y};
        const float radius = world_body(world, world->grid.row[slot])->radius;
        if (!(scenery_touch_of(&world->scenery, &world->bounds, index, place).distance < radius)) {
            continue;
        }
        const vec2 outside =
            bounds_settle(&world->bounds, scenery_push_out(&world->scenery, &world->bounds, place, radius));
        motion->x = outside.x;
        motion->y = outside.y;
        pushed++;
    }
    pushed = world_sum_ranks(world, pushed);
    if (pushed > 0) {
        world_sort(world);
    }
    return pushed;
}

enum world_result world_add_obstacle(struct world *world, const struct obstacle_def *obstacle, uint32_t *id,
                                     int32_t *pushed) {
    assert(world_is_consistent(world));
    assert(obstacle_def_fault(obstacle, world->bounds.edge == EDGE_WRAP, world->bounds.size) == NULL);
    const struct geometry_def *def = &world->scenery.def;
    const int count = def->obstacle_count;
    if (count == LIMIT_OBSTACLES || world->next_obstacle == UINT32_MAX ||
        geometry_def_pieces(def) + solids_from_obstacle(obstacle, NULL) > LIMIT_PIECES) {
        return WORLD_FULL;
    }
    struct obstacle_def *obstacles = copy_obstacles(world);
    if (obstacles != NULL) {
        obstacles[count] = *obstacle;
        obstacles[count].id = world->next_obstacle;
    }
    world_keep_headings(world);
    const enum world_result result = replace_obstacles(world, obstacles, count + 1);
    if (result == WORLD_OK) {
        *id = world->next_obstacle++;
        renumber_solids(world, count, 1); /* walls come after obstacles */
        *pushed = push_bodies(world, count);
    }
    return result;
}

enum world_result world_move_obstacle(struct world *world, uint32_t id, vec2 to, int32_t *pushed) {
    assert(world_is_consistent(world));
    const struct geometry_def *def = &world->scenery.def;
    const int index = find_obstacle(world, id);
    if (index < 0) {
        return WORLD_NO_OBSTACLE;
    }
    const vec2 from = obstacle_point(&def->obstacles[index]);
    if (bits_of(from.x) == bits_of(to.x) && bits_of(from.y) == bits_of(to.y)) {
        *pushed = 0;
        return WORLD_OK;
    }
    const struct obstacle_def moved = obstacle_moved(&def->obstacles[index], to);
    if (obstacle_def_fault(&moved, world->bounds.edge == EDGE_WRAP, world->bounds.size) != NULL ||
        geometry_def_pieces(def) + solids_from_obstacle(&moved, NULL) -
                solids_from_obstacle(&def->obstacles[index], NULL) >
            LIMIT_PIECES) {
        return WORLD_BAD_DEF;
    }
    struct obstacle_def *obstacles = copy_obstacles(world);
    if (obstacles != NULL) {
        obstacles[index] = moved;
    }
    world_keep_headings(world);
    const enum world_result result = replace_obstacles(world, obstacles, def->obstacle_count);
    if (result == WORLD_OK) {
        *pushed = push_bodies(world, index);
    }
    return result;
}

enum world_result world_remove_obstacle(struct world *world, uint32_t id) {
    assert(world_is_consistent(world));
    const struct geometry_def *def = &world->scenery.def;
    const int index = find_obstacle(world, id);
    if (index < 0) {
        return WORLD_NO_OBSTACLE;
    }
    struct obstacle_def *obstacles = copy_obstacles(world);
    for (int i = index; obstacles != NULL && i + 1 < def->obstacle_count; i++) {
        obstacles[i] = obstacles[i + 1];
    }
    world_keep_headings(world);
    const enum world_result result = replace_obstacles(world, obstacles, def->obstacle_count - 1);
    if (result == WORLD_OK) {
        renumber_solids(world, index + 1, -1);
    }
    return result;
}

enum world_result world_set_door(struct world *world, uint32_t id, bool closed) {
    const int index = find_obstacle(world, id);
    if (index < 0) {
        return WORLD_NO_OBSTACLE;
    }
    if (!(world->scenery.def.obstacles[index].door.time > 0.0f)) {
        return WORLD_BAD_DEF;
    }
    const bool is_new =
        scenery_set_door(&world->scenery, &world->bounds, world->tick_hz, world->tick, index, closed);
    scenery_place_movers(&world->scenery, &world->bounds, world->tick_hz, world->tick);
    world->ways_made += is_new && world->scenery.no_way != NULL && !world->scenery.holds_ways;
    return WORLD_OK;
}

void world_hold_ways(struct world *world, bool is_held) {
    world->ways_made += scenery_hold_ways(&world->scenery, &world->bounds, is_held);
}

/* ---- bytes ---- */

/* What memory a world takes, from the sizes of its columns. */

/* Whether some agents have a body of their own. */
static bool draws_bodies(const struct world *world) {
    bool draws = world->has_own_bodies;
    for (int k = 0; k < world->kind_count; k++) {
        draws |= world->kinds[k].draws_body && world_kind_population(world, k) > 0;
    }
    return draws;
}

static bool is_of_one_kind(const struct world *world) {
    int kinds = 0;
    for (int k = 0; k < world->kind_count; k++) {
        kinds += world_kind_population(world, k) > 0;
    }
    return kinds <= 1;
}

/* Whether agents of such a world write to a column (its place in struct world): otherwise the system never gives its
 * memory. */
static bool is_written(const struct world *world, size_t column) {
    if (column == offsetof(struct world, state) || column == offsetof(struct world, memory)) {
        return !world_flocks(world) || draws_bodies(world);
    }
    if (column == offsetof(struct world, own_body)) {
        return draws_bodies(world);
    }
    if (column == offsetof(struct world, rank) || column == offsetof(struct world, by_kind)) {
        return !is_of_one_kind(world);
    }
    return (column != offsetof(struct world, timers) || world->has_timers) &&
           (column != offsetof(struct world, voice) || world->has_signals) &&
           (column != offsetof(struct world, aim) || world->has_sent) &&
           (column != offsetof(struct world, drive) || world->has_driven);
}

/* Of an agent, by enum column_order. */
struct entry_bytes {
    uint64_t of[2];
};

/* world: counts the columns that such a world writes to; NULL: all. */
static struct entry_bytes entry_bytes(const struct world *world) {
    struct entry_bytes bytes = {{[BY_ROW] = sizeof(int32_t)}}; /* of the grid's lookup */
#define ADD_ARRAY(type, name) +sizeof(type)
#define ADD_COLUMN(number, type, name, initial, saved, hashed, by, copied)                                   \
    if (world == NULL || is_written(world, offsetof(struct world, name))) {                                  \
        bytes.of[by] += (uint64_t)(0 WORLD_ARRAYS_##by(ADD_ARRAY, type, name));                              \
    }
    WORLD_COLUMNS(ADD_COLUMN)
#undef ADD_COLUMN
#undef ADD_ARRAY
#define ADD_COLUMN(type, name, copied) bytes.of[BY_SLOT] += sizeof(type);
    GRID_COLUMNS(ADD_COLUMN)
#undef ADD_COLUMN
    return bytes;
}

/* begin, shared, and a cursor for each part that a thread sorts. */
static uint64_t cell_bytes(const struct grid *grid, int threads) {
    const int parts = threads < 1 ? 1 : threads < GRID_PARTS ? threads : GRID_PARTS;
    return sizeof *grid->begin + sizeof *grid->shared + (uint64_t)parts * sizeof **grid->cursor;
}

int world_stripes_ranks(const struct world *world) {
    return world->stripes != NULL ? world->exchange->ranks : 1;
}

uint64_t world_bytes(const struct world *world, const int64_t population[LIMIT_KINDS], int threads,
                     int ranks) {
    struct world such = *world;
    int64_t count = 0;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        such.kind_begin[k] = (int32_t)count;
        count += k < world->kind_count ? population[k] : 0;
    }
    assert(count <= LIMIT_AGENTS);
    such.kind_begin[LIMIT_KINDS] = such.agent_count = (int32_t)count;
    const struct entry_bytes entry = entry_bytes(&such);
    const uint64_t agents = (uint64_t)count, share = agents / (uint64_t)ranks;
    const uint64_t own = ranks > 1 && share + share / 8 < agents ? share + share / 8 : agents;
    return agents * entry.of[BY_ROW] + own * entry.of[BY_SLOT] +
           (uint64_t)world_cells(&such) / (uint64_t)ranks * cell_bytes(&such.grid, threads) +
           (such.has_kind_targets ? sight_index_bytes((int32_t)own) : 0);
}

uint64_t world_room_bytes(const struct world_room *room) {
    const struct entry_bytes entry = entry_bytes(NULL);
    return (uint64_t)room->agents * (entry.of[BY_ROW] + entry.of[BY_SLOT]) +
           (room->sights > 0 ? sight_index_bytes(room->sights) : 0) +
           (uint64_t)room->kinds * sizeof(struct kind) + room->scenery;
}

uint64_t world_spawn_bytes(const struct world *world, int kind, uint32_t count, int threads) {
    int64_t population[LIMIT_KINDS] = {0};
    const int64_t wanted = (int64_t)world->agent_count + count;
    const int ranks = world_stripes_ranks(world);
    if (wanted <= world->capacity || wanted > world->max_agents) {
        return 0;
    }
    for (int k = 0; k < world->kind_count; k++) {
        population[k] = world_kind_population(world, k);
    }
    const uint64_t before = world_bytes(world, population, threads, ranks);
    population[kind] += world_room_for(world, (int32_t)wanted) - world->agent_count;
    const uint64_t after = world_bytes(world, population, threads, ranks);
    return after > before ? after - before : 0;
}
