/* What commands do to a world, between ticks: agents come and go, targets move, agents are sent elsewhere. */
#include <assert.h>
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

static vec2 spawn_heading(const struct world *world, const struct spawn_def *spawn, uint32_t id) {
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

static struct body draw_body(const struct world *world, const struct body_def *def, uint32_t id) {
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
    return of->draws_body ? draw_body(world, &of->def.body, id).radius : of->def.body.radius.low;
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
                           ? spawn->places[id - 1]
                           : world_draw_place(world, spawn, world_body(world, row)->radius, &rng);
    const vec2 velocity = vec2_truncate(spawn->velocity, world_body(world, row)->max_speed);
    grid_append(&world->grid, (struct motion){place.x, place.y, velocity.x, velocity.y},
                (uint8_t)spawn->kind);
    world->heading[slot] = spawn_heading(world, spawn, id);
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
    world->kind[row] = (uint8_t)spawn->kind;
    world->flags[row] = kind->draws_body ? AGENT_OWN_BODY : 0;
    if (kind->draws_body) {
        world->own_body[row] = draw_body(world, &kind->def.body, id);
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

static void copy_entries(struct world *world, enum column_order order, int32_t to, int32_t from) {
#define COPY_ENTRY(number, type, name, initial, saved, hashed, by, copied)                                   \
    if ((copied) && (by) == order) {                                                                         \
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
static int32_t compact(struct world *world, int32_t removed) {
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
    return compact(world, removed);
}

int32_t world_remove_kind(struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    for (int32_t row = 0; row < world->agent_count; row++) {
        if (world->kind[row] == kind) {
            world->flags[row] |= AGENT_REMOVED;
        }
    }
    return compact(world, world_kind_population(world, kind));
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
