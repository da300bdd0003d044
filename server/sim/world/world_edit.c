/* A world of another definition with the agents, targets and obstacles of a running one. See world.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/world/world_image.h"
#include "server/sim/world/world_internal.h"

/* What becomes of what agents refer to, by its index in the world that they come from; -1: it is gone. */
struct carry {
    const struct world *from;
    const struct world_edit *edit;
    struct world *to;
    int kind[LIMIT_KINDS];
    int state[LIMIT_KINDS][LIMIT_STATES];
    int timer[LIMIT_KINDS][LIMIT_TIMERS];
    int target[LIMIT_TARGETS];
    int path[LIMIT_PATHS];
    int solid[LIMIT_OBSTACLES + LIMIT_WALLS];
    unsigned body
        [LIMIT_KINDS]; /* by kind of `to`: bit i: the edit has changed row i of body_fields() that may be a range */
    bool is_full[LIMIT_KINDS]; /* by kind of `to`: its agents get stamina, of which there was none */
};

/* ---- the definition of the further world ---- */

static int find_target_def(const struct world_def *def, const char *name) {
    for (int i = 0; i < def->target_count; i++) {
        if (strcmp(def->targets[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The targets of the definition, as they are where the edit does not name them; behind them those that requests added. False: too
 * many. */
static bool take_targets(const struct world *from, const struct world_edit *edit, struct world_def *def) {
    for (int i = 0; i < def->target_count; i++) {
        struct target_def *target = &def->targets[i];
        const int old = world_find_target(from, target->name);
        target->way_at = target->at;
        if (old >= 0 && !from->targets[old].is_live && edit->is_same_target[i]) {
            *target = from->targets[old];
        } else if (old >= 0 && !from->targets[old].is_live && edit->is_same_place[i]) {
            target->at = from->targets[old].at;
            target->way_at = from->targets[old].way_at;
        }
        target->is_goal = false; /* world_build finds out */
    }
    for (int i = 0; i < from->target_count; i++) {
        if (!from->targets[i].is_live || find_target_def(edit->after, from->targets[i].name) >= 0) {
            continue;
        }
        if (def->target_count == LIMIT_TARGETS) {
            return false;
        }
        def->targets[def->target_count] = from->targets[i];
        def->targets[def->target_count++].is_goal = false;
    }
    return true;
}

/* Whether both say the same, wherever a door is. */
static bool is_same_obstacle(const struct obstacle_def *a, const struct obstacle_def *b) {
    bool is_same = a->shape == b->shape && vec2_is_same(a->at, b->at) && vec2_is_same(a->size, b->size) &&
                   bits_of(a->radius) == bits_of(b->radius) && a->point_count == b->point_count &&
                   strcmp(a->move.path, b->move.path) == 0 &&
                   bits_of(a->move.speed) == bits_of(b->move.speed) &&
                   bits_of(a->move.wait) == bits_of(b->move.wait) &&
                   bits_of(a->move.start) == bits_of(b->move.start) && a->move.is_once == b->move.is_once &&
                   vec2_is_same(a->door.open, b->door.open) && bits_of(a->door.time) == bits_of(b->door.time);
    for (int i = 0; is_same && i < a->point_count; i++) {
        is_same = vec2_is_same(a->points[i], b->points[i]);
    }
    return is_same;
}

/* The first obstacle of a list that is the same as this one and not taken yet, which it is then; -1: none. */
static int take_same(const struct obstacle_def *obstacle, const struct obstacle_def *list, int count,
                     bool taken[LIMIT_OBSTACLES]) {
    for (int i = 0; i < count; i++) {
        if (!taken[i] && is_same_obstacle(obstacle, &list[i])) {
            taken[i] = true;
            return i;
        }
    }
    return -1;
}

/* The obstacles that are there, but for those that the edit takes out of the definition, and behind them those that it adds, with new ids. list: room for
 * all. Returns how many; -1: too many. */
static int take_obstacles(const struct world *from, const struct world_edit *edit, struct obstacle_def *list,
                          uint32_t *next_obstacle) {
    const struct geometry_def *before = &edit->before->geometry, *after = &edit->after->geometry;
    const struct geometry_def *there = &from->scenery.def;
    bool stays[LIMIT_OBSTACLES] = {false}, is_gone[LIMIT_OBSTACLES] = {false};
    const struct obstacle_def *added[LIMIT_OBSTACLES];
    int count = 0, added_count = 0;
    for (int i = 0; i < after->obstacle_count; i++) {
        const struct obstacle_def *obstacle = &after->obstacles[i];
        if (take_same(obstacle, before->obstacles, before->obstacle_count, stays) < 0) {
            added[added_count++] = obstacle;
        }
    }
    for (int i = 0; i < before->obstacle_count; i++) {
        if (!stays[i]) { /* one that a request has moved is that request's */
            (void)take_same(&before->obstacles[i], there->obstacles, there->obstacle_count, is_gone);
        }
    }
    for (int i = 0; i < there->obstacle_count; i++) {
        if (!is_gone[i]) {
            list[count++] = there->obstacles[i];
        }
    }
    if (count + added_count > LIMIT_OBSTACLES || from->next_obstacle > UINT32_MAX - LIMIT_OBSTACLES) {
        return -1;
    }
    *next_obstacle = from->next_obstacle;
    for (int i = 0; i < added_count; i++) {
        list[count] = *added[i];
        list[count++].id = (*next_obstacle)++;
    }
    return count;
}

/* ---- what refers to what ---- */

/* The state of a kind that state s of another one is: by its name, or the only one of both. */
static int find_state(const struct kind_def *kind, const struct kind_def *other, int s) {
    if (!kind->has_states && !other->has_states) {
        return 0; /* its name is that of a behavior */
    }
    for (int own = 0; kind->has_states && other->has_states && own < kind->state_count; own++) {
        if (strcmp(kind->states[own].name, other->states[s].name) == 0) {
            return own;
        }
    }
    return -1;
}

/* The timer of a condition whose state and place in it are the same, and that is as it was. */
static int find_timer(const struct carry *carry, int kind, struct timer_ref ref) {
    const struct kind *own = &carry->to->kinds[carry->kind[kind]];
    const int state = carry->state[kind][ref.state];
    for (int t = 0; state >= 0 && t < own->timer_count; t++) {
        if (own->timers[t].state == state && own->timers[t].node == ref.node &&
            (carry->edit->same_conditions[carry->kind[kind]] >> state & 1u) != 0) {
            return t;
        }
    }
    return -1;
}

static void map_kinds(struct carry *carry) {
    for (int k = 0; k < carry->from->kind_count; k++) {
        const struct kind *old = &carry->from->kinds[k];
        const int own = world_find_kind(carry->to, old->def.name);
        carry->kind[k] = own;
        for (int s = 0; own >= 0 && s < old->def.state_count; s++) {
            carry->state[k][s] = find_state(&carry->to->kinds[own].def, &old->def, s);
        }
        for (int t = 0; own >= 0 && t < old->timer_count; t++) {
            carry->timer[k][t] = find_timer(carry, k, old->timers[t]);
        }
    }
}

static bool is_same_wall(const struct wall_def *a, const struct wall_def *b) {
    return vec2_is_same(a->from, b->from) && vec2_is_same(a->to, b->to);
}

static void map_things(struct carry *carry) {
    const struct geometry_def *old = &carry->from->scenery.def, *own = &carry->to->scenery.def;
    for (int i = 0; i < carry->from->target_count; i++) {
        carry->target[i] = world_find_target(carry->to, carry->from->targets[i].name);
    }
    for (int i = 0; i < old->path_count; i++) {
        const int path = geometry_def_find_path(own, old->paths[i].name);
        carry->path[i] = path >= 0 && carry->edit->is_same_path[path] ? path : -1;
    }
    for (int i = 0, next = 0; i < old->obstacle_count; i++) { /* ids ascend */
        while (next < own->obstacle_count && own->obstacles[next].id < old->obstacles[i].id) {
            next++;
        }
        carry->solid[i] =
            next < own->obstacle_count && own->obstacles[next].id == old->obstacles[i].id ? next : -1;
    }
    for (int i = 0; i < old->wall_count; i++) {
        int wall = 0;
        while (wall < own->wall_count && !is_same_wall(&old->walls[i], &own->walls[wall])) {
            wall++;
        }
        carry->solid[old->obstacle_count + i] = wall < own->wall_count ? own->obstacle_count + wall : -1;
    }
}

static struct aim carry_aim(const struct carry *carry, struct aim aim) {
    if (aim.mode != AIM_TARGET) {
        return aim;
    }
    aim.target = carry->target[aim.target];
    return aim.target >= 0 ? aim : (struct aim){.mode = AIM_BEHAVIOR};
}

/* ---- kinds ---- */

/* A parameter of a definition, as bytes. */
static const char *param_of(const struct kind_def *kind, const struct param_ref *ref) {
    return (ref->behavior < 0 ? (const char *)&kind->body
                              : (const char *)&kind->states[ref->state].behaviors[ref->behavior]) +
           ref->field->offset;
}

/* The parameter of a kind whose state, behavior and field have the same names: the second seek of a state is its second seek.
 * False: there is none. */
static bool find_same_param(const struct kind_def *kind, const struct kind_def *old,
                            const struct param_ref *ref, int old_kind, struct param_ref *out) {
    *out = (struct param_ref){old_kind, -1, -1, ref->field};
    if (ref->behavior < 0) {
        return true;
    }
    const struct state_def *state = &kind->states[ref->state];
    const int type = state->behaviors[ref->behavior].type;
    int place = 0; /* among those of its type */
    for (int b = 0; b < ref->behavior; b++) {
        place += state->behaviors[b].type == type;
    }
    out->state = find_state(old, kind, ref->state);
    for (int b = 0; out->state >= 0 && b < old->states[out->state].behavior_count; b++) {
        if (old->states[out->state].behaviors[b].type == type && place-- == 0) {
            out->behavior = b;
            return true;
        }
    }
    return false;
}

static const struct kind_def *find_kind_def(const struct world_def *def, const char *name) {
    for (int k = 0; k < def->kind_count; k++) {
        if (strcmp(def->kinds[k].name, name) == 0) {
            return &def->kinds[k];
        }
    }
    return NULL;
}

/* Which rows of the bodies that may be ranges the edit has changed. */
static unsigned changed_body(const struct kind_def *kind, const struct kind_def *before) {
    unsigned changed = 0;
    int i = 0;
    for (const struct field *field = body_fields(); field->type == FIELD_RANGE; field++, i++) {
        const bool is_same =
            memcmp((const char *)&kind->body + field->offset, (const char *)&before->body + field->offset,
                   sizeof(struct field_range)) == 0;
        changed |= is_same ? 0u : 1u << i;
    }
    return changed;
}

/* Parameters that the edit leaves as they were in the definition stay what requests made of them. */
static void carry_params(struct carry *carry, int own, int old, const struct kind_def *before) {
    struct world *to = carry->to;
    struct param_ref ref, there;
    char name[64];
    for (int i = 0; world_param_at(to, own, i, &ref, name); i++) {
        const struct kind_def *kind = &to->kinds[own].def;
        struct param_ref was = ref;
        if (find_same_param(kind, before, &ref, old, &was) &&
            memcmp(param_of(kind, &ref), param_of(before, &was), ref.field->size) == 0 &&
            find_same_param(kind, &carry->from->kinds[old].def, &ref, old, &there)) {
            const bool is_allowed = world_restore_param(to, &ref, world_image_param(carry->from, &there));
            assert(is_allowed);
            (void)is_allowed;
        }
    }
}

static void carry_kinds(struct carry *carry) {
    for (int k = 0; k < carry->from->kind_count; k++) {
        const struct kind *old = &carry->from->kinds[k];
        const struct kind_def *before = find_kind_def(carry->edit->before, old->def.name);
        const int own = carry->kind[k];
        if (own < 0 || before == NULL) {
            continue;
        }
        struct kind *kind = &carry->to->kinds[own];
        carry->body[own] = changed_body(&kind->def, before);
        carry_params(carry, own, k, before);
        carry->is_full[own] = old->def.body.max_stamina == 0.0f && kind->def.body.max_stamina > 0.0f;
        const bool is_allowed =
            world_restore_kind(carry->to, own, carry_aim(carry, old->aim), old->is_tireless);
        assert(is_allowed);
        (void)is_allowed;
    }
}

/* ---- agents ---- */

/* Whether places of a formation are those of another one. -1: of none. */
static bool keeps_post(const struct carry *carry, int old, int own) {
    return old >= 0 && own >= 0 && carry->edit->is_same_formation[own] &&
           strcmp(carry->from->formations[old].def.name, carry->to->formations[own].def.name) == 0;
}

/* By row what an agent takes along. */
static void carry_row(struct carry *carry, int32_t old, int32_t row) {
    const struct world *from = carry->from;
    struct world *to = carry->to;
    const int kind = carry->kind[from->kind[old]];
    to->id[row] = from->id[old];
    to->kind[row] = (uint8_t)kind;
    to->aim[row] = carry_aim(carry, from->aim[old]);
    if (to->kinds[kind].hold > 0) {
        to->drive[row] = from->drive[old];
    }
    if (keeps_post(carry, from->kinds[from->kind[old]].formation, to->kinds[kind].formation)) {
        to->post[row] = from->post[old];
    }
    const bool was_own = (from->flags[old] & AGENT_OWN_BODY) != 0, draws = to->kinds[kind].draws_body;
    if (was_own || (draws && carry->body[kind] != 0)) {
        const struct body drawn = world_draw_body(to, kind, to->id[row]);
        struct body body = *world_body(from, old);
        body.mass = carry->body[kind] & 1u ? drawn.mass : body.mass;
        body.radius = carry->body[kind] & 2u ? drawn.radius : body.radius;
        body.max_speed = carry->body[kind] & 4u ? drawn.max_speed : body.max_speed;
        body.max_force = carry->body[kind] & 8u ? drawn.max_force : body.max_force;
        to->own_body[row] = body;
        to->flags[row] = AGENT_OWN_BODY;
    }
}

static struct memory carry_memory(const struct carry *carry, int kind, int old_state, struct memory memory) {
    const float most = carry->to->kinds[kind].def.body.max_stamina;
    memory.stamina = carry->is_full[kind] || memory.stamina > most ? most : memory.stamina;
    memory.is_exhausted = memory.is_exhausted && !carry->is_full[kind];
    memory.has_caught = false;
    if (old_state < 0) {
        memory.state_since = (uint32_t)carry->to->tick;
    }
    memory.solid = memory.solid > 0 ? (uint16_t)(1 + carry->solid[memory.solid - 1]) : 0;
    memory.path = memory.path > 0 ? (uint32_t)(1 + carry->path[memory.path - 1]) : 0;
    memory.path_s = memory.path > 0 ? memory.path_s : 0.0f;
    return memory;
}

/* By slot: before they are sorted, agents of the further world lie in their rows. */
static void carry_slot(struct carry *carry, int32_t slot, int32_t row) {
    const struct world *from = carry->from;
    struct world *to = carry->to;
    const int32_t old = from->grid.row[slot], place = from->is_pure_flock ? old : slot;
    const int old_kind = from->kind[old], kind = carry->kind[old_kind];
    const int state = carry->state[old_kind][from->has_memories ? from->state[place] : 0];
    to->grid.motion[row] = from->grid.motion[slot];
    to->heading[row] = world_heading_at(from, slot);
    to->state[row] = (uint8_t)(state >= 0 ? state : to->kinds[kind].def.state_count - 1);
    to->memory[row] =
        carry_memory(carry, kind, state, from->has_memories ? from->memory[place] : MEMORY_INITIAL);
    for (int t = 0; from->has_timers && t < from->kinds[old_kind].timer_count; t++) {
        const int timer = carry->timer[old_kind][t];
        if (timer >= 0) {
            to->timers[row].left[timer] = from->timers[place].left[t];
        }
    }
}

/* rows: room for one a row of `from`. */
static void carry_agents(struct carry *carry, int32_t *rows) {
    int32_t row = 0;
    for (int32_t old = 0; old < carry->from->agent_count; old++) {
        const bool stays = carry->kind[carry->from->kind[old]] >= 0;
        rows[old] = stays ? row : -1;
        if (stays) {
            carry_row(carry, old, row++);
        }
    }
    assert(row == carry->to->agent_count);
    world_remember(carry->to);
    for (int32_t slot = 0; slot < carry->from->grid.count; slot++) {
        const int32_t own = rows[carry->from->grid.row[slot]];
        if (own >= 0) {
            carry_slot(carry, slot, own);
        }
    }
}

/* ---- the rest ---- */

static void carry_turnover(const struct carry *carry) {
    const struct turnover *old = &carry->from->turnover;
    struct turnover *own = &carry->to->turnover; /* sources and sinks are the same */
    memcpy(own->due, old->due, sizeof own->due);
    memcpy(own->spawned, old->spawned, sizeof own->spawned);
    memcpy(own->removed, old->removed, sizeof own->removed);
    own->limit = old->limit;
}

static void carry_formations(const struct carry *carry) {
    const struct world *from = carry->from;
    for (int i = 0; i < carry->to->formation_count; i++) {
        struct formation *own = &carry->to->formations[i];
        for (int f = 0; f < from->formation_count && carry->edit->is_same_formation[i]; f++) {
            if (strcmp(from->formations[f].def.name, own->def.name) == 0) {
                own->state = from->formations[f].state;
            }
        }
    }
}

static void carry_gates(const struct carry *carry) {
    const struct geometry_def *old = &carry->from->scenery.def, *own = &carry->to->scenery.def;
    for (int i = 0; i < own->gate_count; i++) {
        const int gate = geometry_def_find_gate(old, own->gates[i].name);
        carry->to->gate_counts[i] = gate >= 0 ? carry->from->gate_counts[gate] : (struct gate_count){0, 0};
    }
    carry->to->counted_since = carry->from->counted_since;
}

/* Targets of the definition that requests removed stay so, unless something names them. */
static void remove_again(const struct carry *carry) {
    for (int i = 0; i < carry->edit->after->target_count; i++) {
        const char *name = carry->edit->after->targets[i].name;
        int unused;
        if (carry->edit->is_same_target[i] && world_find_target(carry->from, name) < 0) {
            const enum world_result result =
                world_remove_target(carry->to, world_find_target(carry->to, name), &unused);
            assert(result == WORLD_OK || result == WORLD_IN_USE);
            (void)result;
        }
    }
}

static enum world_result spawn_further(const struct carry *carry) {
    for (int i = 0; i < carry->edit->after->placement_count; i++) {
        const struct placement_def *placement = &carry->edit->after->placements[i];
        struct spawn_def spawn = world_spawn_of(placement);
        uint32_t first_id;
        int32_t unspaced;
        if (!carry->edit->is_further[i]) {
            continue;
        }
        spawn.kind = world_find_kind(carry->to, placement->kind);
        const enum world_result result =
            placement->has_spacing
                ? world_spawn_spaced(carry->to, &spawn, placement->spacing, &first_id, &unspaced)
                : world_spawn(carry->to, &spawn, &first_id);
        if (result != WORLD_OK) {
            return result;
        }
    }
    return WORLD_OK;
}

/* Bodies that overlap a solid are put outside. */
static void push_out(struct world *world) {
    bool is_pushed = false;
    for (int32_t slot = 0; slot < world->grid.count; slot++) {
        struct motion *motion = &world->grid.motion[slot];
        const vec2 place = {motion->x, motion->y};
        const float radius = world_body(world, world->grid.row[slot])->radius;
        if (!(scenery_nearest(&world->scenery, &world->bounds, place).touch.distance < radius)) {
            continue;
        }
        const vec2 outside =
            bounds_settle(&world->bounds, scenery_push_out(&world->scenery, &world->bounds, place, radius));
        motion->x = outside.x;
        motion->y = outside.y;
        is_pushed = true;
    }
    if (is_pushed) {
        world_sort(world);
    }
}

static enum world_result fill(struct carry *carry, int32_t *rows) {
    int32_t cells;
    map_things(carry);
    map_kinds(carry);
    carry_kinds(carry);
    carry_agents(carry, rows);
    carry_turnover(carry);
    carry_formations(carry);
    carry_gates(carry);
    carry->to->simd = carry->from->simd;
    carry->to->ways_made = carry->from->ways_made;
    const enum world_result result = world_restore_sort(carry->to, &cells);
    if (result != WORLD_OK || !world_restore_end(carry->to)) {
        return WORLD_GIVEN_UP;
    }
    remove_again(carry);
    if (carry->edit->has_other_solids) {
        push_out(carry->to);
    }
    return spawn_further(carry);
}

static int32_t count_staying(const struct world *from, const struct world_def *after) {
    int32_t count = 0;
    for (int k = 0; k < from->kind_count; k++) {
        count += find_kind_def(after, from->kinds[k].def.name) != NULL ? world_kind_population(from, k) : 0;
    }
    return count;
}

enum world_result world_edit(const struct world *from, const struct world_edit *edit, struct world **out,
                             const char **what) {
    assert(world_is_consistent(from) && !world_is_partial(from));
    struct world_def *def = malloc(sizeof *def);
    struct obstacle_def *obstacles = calloc(LIMIT_OBSTACLES, sizeof *obstacles);
    struct carry *carry = calloc(1, sizeof *carry);
    int32_t *rows = malloc(sizeof *rows * ((size_t)from->agent_count + 1));
    struct world_image image = {.tick = from->tick, .next_id = from->next_id};
    enum world_result result = WORLD_NO_MEMORY;
    *what = "";
    if (def != NULL && obstacles != NULL && carry != NULL && rows != NULL) {
        *def = *edit->after; /* shares its arrays */
        def->seed = from->seed;
        def->tick_hz = from->tick_hz;
        def->max_agents = from->max_agents;
        def->placement_count = 0;
        def->geometry.obstacles = obstacles;
        def->geometry.obstacle_count = take_obstacles(from, edit, obstacles, &image.next_obstacle);
        image.agent_count = count_staying(from, edit->after);
        *carry = (struct carry){.from = from, .edit = edit};
        result = def->geometry.obstacle_count < 0 || !take_targets(from, edit, def) ? WORLD_FULL : WORLD_OK;
    }
    if (result == WORLD_OK) {
        result = world_restore_begin(def, &image, &carry->to, what);
    }
    if (result == WORLD_OK) {
        result = image.agent_count <= carry->to->max_agents ? fill(carry, rows) : WORLD_FULL;
        *out = carry->to;
        if (result != WORLD_OK) {
            world_destroy(carry->to);
        }
    }
    free(def);
    free(obstacles);
    free(carry);
    free(rows);
    return result;
}
