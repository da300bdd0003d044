/* The agents' part of the state hash: a sum of terms, one for each word of an agent, so that storage order
 * and threads do not matter. */
#include "server/sim/world/world_hash_mix.h"

#include <assert.h>
#include <string.h>

#include "server/sim/math/trig.h"

enum { MARK_MOTION = 256, MARK_SLOT = 272 }; /* behind the columns, each of which has 16 */

/* at: the agent's row, where the column is by row; its slot, where it is by slot. */
static inline uint64_t hash_none(const struct world *world, int32_t at, uint64_t base, uint64_t mark,
                                 const void *entry) {
    (void)world, (void)at, (void)base, (void)mark, (void)entry;
    return 0;
}

/* The id keys everything else. */
static inline uint64_t hash_id(const struct world *world, int32_t row, uint64_t base, uint64_t mark,
                               const uint32_t *entry) {
    (void)world, (void)row, (void)mark, (void)entry;
    return base;
}

static inline uint64_t hash_byte(const struct world *world, int32_t at, uint64_t base, uint64_t mark,
                                 const uint8_t *entry) {
    (void)world, (void)at;
    return term(base, mark, *entry, 0);
}

static inline uint64_t hash_memory(const struct world *world, int32_t slot, uint64_t base, uint64_t mark,
                                   const struct memory *memory) {
    (void)slot;
    uint64_t sum = 0;
    static const struct memory initial = MEMORY_INITIAL_VALUES;
    memory = world->has_memories ? memory : &initial;
    HASH(memory.stamina, sum += term(base, mark, bits_of(memory->stamina), 0));
    HASH(memory.is_exhausted, sum += term(base, mark + 1, memory->is_exhausted, 0));
    HASH(memory.state_since, sum += term(base, mark + 2, (uint32_t)world->tick - memory->state_since, 0));
    HASH(memory.quarry, sum += term(base, mark + 3, memory->quarry, 0));
    HASH(memory.wander, sum += term(base, mark + 4, point(memory->wander), pair(1.0f, 0.0f)));
    HASH(memory.caught, sum += term(base, mark + 5, memory->caught, 0));
    if (memory->solid != 0) {
        HASH(memory.solid, sum += term(base, mark + 6, memory->solid, 0));
        HASH(memory.side, sum += term(base, mark + 7, memory->side > 0, 0));
        HASH(memory.pace, sum += term(base, mark + 8, bits_of(memory->pace), 0));
        HASH(memory.solid_tick, sum += term(base, mark + 9, (uint32_t)world->tick - memory->solid_tick, 0));
    }
    if (memory->path != 0) {
        HASH(memory.path, sum += term(base, mark + 10, memory->path, 0));
        HASH(memory.path_s, sum += term(base, mark + 11, bits_of(memory->path_s), 0));
    }
    return sum;
}

static inline uint64_t hash_timers(const struct world *world, int32_t slot, uint64_t base, uint64_t mark,
                                   const struct timers *timers) {
    uint64_t sum = 0;
    for (int i = 0; i < world->kinds[world->grid.kind[slot]].timer_count; i++) {
        HASH(timers.left, sum += term(base, mark + (uint64_t)i, timers->left[i], 0));
    }
    return sum;
}

static inline uint64_t hash_aim(const struct world *world, int32_t row, uint64_t base, uint64_t mark,
                                const struct aim *aim) {
    (void)world, (void)row;
    uint64_t sum = 0;
    HASH(aim.mode, sum += term(base, mark, aim_word(aim), 0));
    HASH(aim.point, sum += term(base, mark + 1, point(aim->point), 0));
    return sum;
}

static inline uint64_t hash_own_body(const struct world *world, int32_t row, uint64_t base, uint64_t mark,
                                     const struct body *body) {
    uint64_t sum = 0;
    if (world->flags[row] & AGENT_OWN_BODY) {
        HASH(flags, sum += term(base, mark, 1, 0));
        HASH(own_body.mass, sum += term(base, mark + 1, bits_of(body->mass), 0));
        HASH(own_body.radius, sum += term(base, mark + 2, bits_of(body->radius), 0));
        HASH(own_body.max_speed, sum += term(base, mark + 3, bits_of(body->max_speed), 0));
        HASH(own_body.max_force, sum += term(base, mark + 4, bits_of(body->max_force), 0));
    }
    return sum;
}

static inline uint64_t hash_drive(const struct world *world, int32_t row, uint64_t base, uint64_t mark,
                                  const struct drive *drive) {
    (void)world, (void)row;
    uint64_t sum = 0;
    HASH(drive.vector, sum += term(base, mark, point(drive->vector), 0));
    HASH(drive.left, sum += term(base, mark + 1, drive->left, 0));
    return sum;
}

/* Of agents that move, is_pure_flock leaves the entry stale. */
static inline uint64_t hash_heading(const struct world *world, int32_t slot, uint64_t base, uint64_t mark,
                                    const vec2 *entry) {
    (void)entry;
    return term(base, mark, point(world_heading_at(world, slot)), pair(1.0f, 0.0f));
}

/* first: the slot of the whole world that the first own agent of this rank has. */
static uint64_t hash_agent(const struct world *world, int32_t slot, int32_t first) {
    const int32_t row = world->grid.row[slot], place = world->is_pure_flock ? row : slot;
    const struct motion motion = world->grid.motion[slot];
    uint64_t base = ODD, sum = 0;
    HASH(id, base = rng_mix(world->id[row] + ODD));
    HASH(motion.position, sum += term(base, MARK_MOTION, pair(motion.x, motion.y), 0));
    HASH(motion.velocity, sum += term(base, MARK_MOTION + 1, pair(motion.vx, motion.vy), 0));
    if (world->grid.drift != 0.0f) { /* otherwise slots are in an order that positions and ids give */
        HASH(grid.row, sum += term(base, MARK_SLOT, (uint32_t)(first + slot) + 1, 0));
    }
#define HASH_COLUMN(number, type, name, initial, saved, hashed, by, copied)                                  \
    HASH(name, sum += hashed(world, (by) == BY_ROW ? row : slot, base, 16 * number,                          \
                             &world->name[(by) == BY_ROW ? row : place]));
    WORLD_COLUMNS(HASH_COLUMN)
#undef HASH_COLUMN
    return sum;
}

/* How many agents the ranks before this one have: their rows of cells come before. */
static int32_t count_before(const struct world *world) {
    uint64_t counts[EXCHANGE_RANKS_MAX] = {0}, before = 0;
    const struct exchange *exchange = world->exchange;
    counts[exchange->rank] = (uint64_t)(world->own_end - world->own_begin);
    exchange->sum(exchange->context, counts, exchange->ranks);
    for (int r = 0; r < exchange->rank; r++) {
        before += counts[r];
    }
    return (int32_t)before;
}

/* The sum of the terms of all agents, whatever the order of rows and slots. */
static uint64_t world_hash_agents(const struct world *world) {
    const struct world_slots own = world_own_slots(world);
    const int32_t first = world->stripes != NULL ? count_before(world) - own.begin : 0;
    uint64_t sum = 0;
    for (int32_t slot = own.begin; slot < own.end; slot++) {
        sum += hash_agent(world, slot, first);
    }
    if (world->stripes != NULL) {
        world->exchange->sum(world->exchange->context, &sum, 1);
    }
    return sum;
}

uint64_t world_hash_rows(const struct world *world, int32_t begin, int32_t end) {
    uint64_t sum = 0;
    for (int32_t row = begin; row < end; row++) {
        sum += hash_agent(world, grid_slot(&world->grid, row), 0);
    }
    return sum;
}

static uint64_t hash_by_row(const struct world *world, int32_t row) {
    const uint64_t base = rng_mix(world->id[row] + ODD);
    uint64_t sum = rng_mix(base);
#define ADD_BY_ROW(number, name, hashed)                                   sum += hashed(world, row, base, 16 * number, &world->name[row]);
#define ADD_BY_SLOT(number, name, hashed)                                  /* not on every rank */
#define ADD_COLUMN(number, type, name, initial, saved, hashed, by, copied) ADD_##by(number, name, hashed)
    WORLD_COLUMNS(ADD_COLUMN)
#undef ADD_COLUMN
#undef ADD_BY_SLOT
#undef ADD_BY_ROW
    return sum;
}

uint64_t world_hash_by_row(const struct world *world, int32_t begin, int32_t end) {
    uint64_t sum = 0;
    for (int32_t row = begin; row < end; row++) {
        sum += hash_by_row(world, row);
    }
    return sum;
}

/* ---- hash ---- */

/* The state hash: a chain over everything that decides the future, of which the sum over agents
 * is a word.
 *
 * 1. docs/architecture.md, "What decides the future", lists every member of a world: what is not hashed here
 * follows from what is, or decides nothing.
 * 2. What a world does not use adds nothing: a word that has its initial value is left out, so a column, a
 * parameter or a member that is added later changes no hash of worlds that do not use it. Everything is keyed
 * by a number (enum mark, world_columns.h) or by its name in the field tables, never by its place.
 * 3. HASH(member, statement) is the statement. tests/property/hash_mutants.py takes one after the other out
 * and requires that a test notices.
 */

static float initial_number(const struct field *field) {
    const bool is_angle = field->type == FIELD_ANGLE;
    return (float)(is_angle ? field->initial * (TRIG_PI / 180.0) : field->initial);
}

/* The word of a number's row: `memory`, or what stands for the row's initial value. False for rows that are
 * not numbers: what their names stand for is hashed with the behavior. */
static bool row_words(const struct field *field, const char *object, uint64_t *word, uint64_t *initial) {
    const char *member = object + field->offset;

    float floats[2] = {0.0f, 0.0f};
    uint32_t whole = 0;
    bool flag = false;
    int choice = 0;
    switch (field->type) {
    case FIELD_FLOAT:
    case FIELD_ANGLE:
        memcpy(floats, member, sizeof floats[0]);
        *word = pair(floats[0], 0.0f);
        *initial = pair(initial_number(field), 0.0f);
        return true;
    case FIELD_RANGE:
    case FIELD_POINT:
        memcpy(floats, member, sizeof floats);
        *word = pair(floats[0], floats[1]);
        *initial = pair(initial_number(field), initial_number(field));
        return true;
    case FIELD_UINT32:
        memcpy(&whole, member, sizeof whole);
        *word = whole;
        *initial = (uint64_t)field->initial;
        return true;
    case FIELD_BOOL:
        memcpy(&flag, member, sizeof flag);
        *word = flag;
        *initial = 0;
        return true;
    case FIELD_CHOICE:
        memcpy(&choice, member, sizeof choice);
        *word = (uint32_t)choice;
        *initial = (uint64_t)field->initial;
        return true;
    default:
        assert(field->type == FIELD_NAME || field->type == FIELD_TEXT || field->type == FIELD_NAMES);
        return false;
    }
}

/* The numbers of an object that its table lists, keyed by their names. */
static uint64_t absorb_rows(uint64_t hash, const struct field *table, const void *object) {
    for (const struct field *field = table; field->type != FIELD_END; field++) {
        uint64_t word, initial;
        if (row_words(field, object, &word, &initial) && word != initial) {
            hash = absorb(absorb_text(hash, MARK_BEHAVIOR, field->name), MARK_BEHAVIOR, word);
        }
    }
    return hash;
}

static uint64_t absorb_aim(uint64_t hash, const struct aim *aim) {
    if (aim->mode != AIM_BEHAVIOR) {
        HASH(kind.aim, hash = absorb(hash, MARK_KIND_AIM, aim_word(aim)));
        HASH(kind.aim.point, hash = absorb(hash, MARK_KIND_POINT, point(aim->point)));
    }
    return hash;
}

static uint64_t absorb_ref(uint64_t hash, const struct target_ref *ref, const struct ref_runtime *runtime) {
    if (runtime->mode != REF_NONE) {
        hash = absorb(hash, MARK_REF, ((uint64_t)runtime->mode << 32) | (uint32_t)runtime->index);
    }
    return runtime->mode == REF_PREFIX ? absorb_text(hash, MARK_REF_TEXT, ref->target) : hash;
}

static uint64_t absorb_region(uint64_t hash, const struct region_def *region) {
    hash = absorb_unless(0, hash, MARK_REGION, ((uint64_t)region->shape << 32) | bits_of(region->radius));
    hash = absorb_unless(0, hash, MARK_REGION_AT, point(region->at));
    return absorb_unless(0, hash, MARK_REGION_SIZE, point(region->size));
}

/* own: the index of its kind. */
static uint64_t absorb_behavior(uint64_t hash, int own, const struct behavior_def *behavior,
                                const struct behavior_runtime *runtime) {
    const enum behavior_type type = (enum behavior_type)behavior->type;
    HASH(behavior.type, hash = absorb_text(hash, MARK_BEHAVIOR, behavior_type_name(type)));
    HASH(behavior.rows, hash = absorb_rows(hash, behavior_fields(type), behavior));
    HASH(behavior.target, hash = absorb_ref(hash, &behavior->target, &runtime->target));
    HASH(behavior.second, hash = absorb_ref(hash, &behavior->second, &runtime->second));
    HASH(behavior.path, hash = absorb_unless(0, hash, MARK_PATH_INDEX, (uint32_t)(runtime->path + 1)));
    HASH(behavior.flow, hash = absorb_unless(0, hash, MARK_FLOW_INDEX, (uint32_t)(runtime->flow + 1)));
    HASH(behavior.formation,
         hash = absorb_unless(0, hash, MARK_FORMATION_INDEX, (uint32_t)(runtime->formation + 1)));
    HASH(behavior.kinds, hash = absorb_unless(UINT64_C(1) << own, hash, MARK_KINDS, runtime->kinds));
    if (behavior_has_trait(behavior->type, TRAIT_REGION)) {
        HASH(behavior.region, hash = absorb_region(hash, &behavior->region));
    }
    return hash;
}

static uint64_t absorb_condition(uint64_t hash, const struct condition_def *condition,
                                 const struct ref_runtime *runtime) {
    const uint64_t node = ((uint64_t)condition->type << 32) | (uint32_t)condition->count;
    HASH(condition.type, hash = absorb(hash, MARK_CONDITION, node));
    HASH(condition.value, hash = absorb_unless(0, hash, MARK_CONDITION_VALUE, bits_of(condition->value)));
    if (condition->type == CONDITION_NEAR) {
        HASH(condition.target, hash = absorb_ref(hash, &condition->target, runtime));
        HASH(condition.rows, hash = absorb_rows(hash, condition_fields(CONDITION_NEAR), condition));
    } else {
        HASH(condition.name, hash = absorb_unless(0, hash, MARK_CONDITION_NAME, (uint32_t)runtime->index));
    }
    return hash;
}

static uint64_t absorb_state(uint64_t hash, int own, const struct state_def *state,
                             const struct state_runtime *runtime) {
    hash = absorb(hash, MARK_STATE, (uint32_t)state->behavior_count);
    HASH(state.stamina_rate, hash = absorb_unless(0, hash, MARK_STAMINA_RATE, bits_of(state->stamina_rate)));
    HASH(state.combine, hash = absorb_unless(0, hash, MARK_COMBINE, (uint32_t)state->combine));
    HASH(state.signal, hash = absorb_unless(0, hash, MARK_SIGNAL, runtime->signal));
    for (int c = 0; c < state->condition_count; c++) {
        hash = absorb_condition(hash, &state->conditions[c], &runtime->conditions[c]);
    }
    for (int b = 0; b < state->behavior_count; b++) {
        hash = absorb_behavior(hash, own, &state->behaviors[b], &runtime->behaviors[b]);
    }
    return hash;
}

static uint64_t absorb_kind(uint64_t hash, int index, const struct kind *kind) {
    hash = absorb(hash, MARK_KIND, (uint32_t)kind->def.state_count);
    HASH(kind.body, hash = absorb_rows(hash, body_fields(), &kind->def.body));
    hash = absorb_aim(hash, &kind->aim);
    for (int s = 0; s < kind->def.state_count; s++) {
        hash = absorb_state(hash, index, &kind->def.states[s], &kind->states[s]);
    }
    return hash;
}

/* Their order is hashed, too: an index decides where a target jumps. */
static uint64_t absorb_target(uint64_t hash, const struct target_def *target) {
    const uint64_t jump = pair(target->jump_within, target->jump_margin);
    const uint64_t stroll = pair(target->stroll_speed, target->stroll_after);
    hash = absorb(hash, MARK_TARGET, 0);
    HASH(target.name, hash = absorb_text(hash, MARK_TARGET_NAME, target->name));
    HASH(target.at, hash = absorb(hash, MARK_TARGET_AT, point(target->at)));
    HASH(target.jump, hash = absorb_unless(0, hash, MARK_TARGET_JUMP, jump));
    HASH(target.is_live, hash = absorb_unless(0, hash, MARK_TARGET_LIVE, target->is_live));
    HASH(target.stroll, hash = absorb_unless(0, hash, MARK_TARGET_STROLL, stroll));
    if (target->is_goal) {
        HASH(target.way_at,
             hash = absorb_unless(point(target->at), hash, MARK_TARGET_WAY, point(target->way_at)));
    }
    HASH(target.idle, hash = absorb_unless(0, hash, MARK_TARGET_IDLE, target->idle));
    return hash;
}

static uint64_t absorb_points(uint64_t hash, const vec2 *points, int count) {
    for (int i = 0; i < count; i++) {
        hash = absorb(hash, MARK_POINT, point(points[i]));
    }
    return hash;
}

static uint64_t absorb_obstacle(uint64_t hash, int index, const struct obstacle_def *obstacle) {
    const uint64_t expected = (uint64_t)index + 1;
    hash = absorb(hash, MARK_OBSTACLE, ((uint64_t)obstacle->shape << 32) | (uint32_t)obstacle->point_count);
    HASH(obstacle.id, hash = absorb_unless(expected, hash, MARK_OBSTACLE_ID, obstacle->id));
    HASH(obstacle.at, hash = absorb_unless(0, hash, MARK_OBSTACLE_AT, point(obstacle->at)));
    HASH(obstacle.size, hash = absorb_unless(0, hash, MARK_OBSTACLE_SIZE, point(obstacle->size)));
    HASH(obstacle.radius, hash = absorb_unless(0, hash, MARK_OBSTACLE_RADIUS, bits_of(obstacle->radius)));
    HASH(obstacle.points, hash = absorb_points(hash, obstacle->points, obstacle->point_count));
    return hash;
}

static uint64_t absorb_motion(uint64_t hash, const struct world *world, const struct obstacle_def *obstacle) {
    const struct move_def *move = &obstacle->move;
    const struct door_def *door = &obstacle->door;
    if (move->speed > 0.0f) {
        const int path = geometry_def_find_path(&world->scenery.def, move->path);
        const uint64_t way =
            ((uint64_t)(uint32_t)path << 33) | ((uint64_t)move->is_once << 32) | bits_of(move->speed);
        HASH(move.speed, hash = absorb(hash, MARK_MOVE, way));
        HASH(move.wait, hash = absorb(hash, MARK_MOVE_TIMES, pair(move->wait, move->start)));
    }
    if (door->time > 0.0f) {
        const uint64_t how = ((uint64_t)door->is_closed << 32) | bits_of(door->time);
        const uint64_t left = door->until > world->tick ? door->until - world->tick : 0;
        HASH(door.open, hash = absorb(hash, MARK_DOOR, point(door->open)));
        HASH(door.is_closed, hash = absorb(hash, MARK_DOOR, how));
        HASH(door.until, hash = absorb_unless(0, hash, MARK_DOOR_LEFT, left));
    }
    return hash;
}

static uint64_t absorb_path(uint64_t hash, const struct path_def *path) {
    hash = absorb(hash, MARK_PATH, (uint32_t)path->point_count);
    const uint64_t way = ((uint64_t)path->is_loop << 32) | bits_of(path->radius);
    HASH(path.radius, hash = absorb(hash, MARK_PATH_RADIUS, way));
    HASH(path.points, hash = absorb_points(hash, path->points, path->point_count));
    for (int i = 0; i < path->radius_count; i++) {
        HASH(path.radii, hash = absorb(hash, MARK_PATH_RADII, bits_of(path->radii[i])));
    }
    return hash;
}

static uint64_t absorb_flow(uint64_t hash, const struct flow_def *flow) {
    const int cells =
        flow->type == FLOW_GRID ? flow_def_cells(flow) : 0; /* those of a way follow from the rest */
    const uint64_t shape = ((uint64_t)(uint32_t)flow->columns << 32) | (uint32_t)flow->rows;
    HASH(flow.type, hash = absorb(hash, MARK_FLOW, (uint32_t)flow->type));
    HASH(flow.seed, hash = absorb_unless(0, hash, MARK_FLOW_SEED, flow->seed));
    HASH(flow.at, hash = absorb_unless(0, hash, MARK_FLOW_AT, point(flow->at)));
    HASH(flow.vector, hash = absorb_unless(0, hash, MARK_FLOW_VECTOR, point(flow->vector)));
    HASH(flow.strength, hash = absorb_unless(0, hash, MARK_FLOW_STRENGTH, bits_of(flow->strength)));
    HASH(flow.scale, hash = absorb_unless(0, hash, MARK_FLOW_SCALE, bits_of(flow->scale)));
    HASH(flow.columns, hash = absorb_unless(0, hash, MARK_FLOW_GRID, shape));
    HASH(flow.vectors, hash = absorb_points(hash, flow->vectors, cells));
    if (flow->type == FLOW_WAY) {
        HASH(flow.body, hash = absorb(hash, MARK_WAY_BODY, pair(flow->body, (float)flow->goal_count)));
        for (int i = 0; i < flow->goal_count; i++) {
            HASH(flow.goals, hash = absorb_text(hash, MARK_WAY_GOAL, flow->goals[i].name));
        }
    }
    return hash;
}

static uint64_t absorb_area(uint64_t hash, const struct area_def *area) {
    HASH(area.speed, hash = absorb(hash, MARK_AREA, bits_of(area->speed)));
    HASH(area.shape, hash = absorb_obstacle(hash, -1, &area->shape));
    return hash;
}

static uint64_t absorb_geometry(uint64_t hash, const struct world *world) {
    const struct geometry_def *def = &world->scenery.def;
    const uint64_t expected = (uint64_t)def->obstacle_count + 1;
    HASH(next_obstacle, hash = absorb_unless(expected, hash, MARK_NEXT_OBSTACLE, world->next_obstacle));
    for (int i = 0; i < def->obstacle_count; i++) {
        hash = absorb_motion(absorb_obstacle(hash, i, &def->obstacles[i]), world, &def->obstacles[i]);
    }
    for (int i = 0; i < def->wall_count; i++) {
        HASH(wall.from, hash = absorb(hash, MARK_WALL_FROM, point(def->walls[i].from)));
        HASH(wall.to, hash = absorb(hash, MARK_WALL_TO, point(def->walls[i].to)));
    }
    for (int i = 0; i < def->path_count; i++) {
        hash = absorb_path(hash, &def->paths[i]);
    }
    for (int i = 0; i < def->flow_count; i++) {
        hash = absorb_flow(hash, &def->flows[i]);
    }
    for (int i = 0; i < def->area_count; i++) {
        hash = absorb_area(hash, &def->areas[i]);
    }
    return hash;
}

static uint64_t absorb_source(uint64_t hash, const struct turnover *turnover, int index) {
    const struct source_def *source = &turnover->sources[index];
    const uint64_t who = ((uint64_t)source->kind << 32) | (uint32_t)source->area;
    const uint64_t burst = ((uint64_t)source->spread << 32) | source->burst;
    const uint64_t until = ((uint64_t)source->at_most << 32) | bits_of(source->until);
    const uint64_t done = ((uint64_t)turnover->due[index] << 32) | turnover->spawned[index];
    HASH(source.kind, hash = absorb(hash, MARK_SOURCE, who));
    HASH(source.rate, hash = absorb(hash, MARK_SOURCE_PLAN, pair(source->rate, source->from)));
    HASH(source.burst, hash = absorb(hash, MARK_SOURCE_BURST, burst));
    HASH(source.until, hash = absorb_unless(0, hash, MARK_SOURCE_UNTIL, until));
    HASH(turnover.due, hash = absorb_unless(0, hash, MARK_SOURCE_DUE, done));
    return hash;
}

static uint64_t absorb_turnover(uint64_t hash, const struct turnover *turnover) {
    for (int i = 0; i < turnover->source_count; i++) {
        hash = absorb_source(hash, turnover, i);
    }
    if (turnover->source_count > 0) {
        const uint32_t limit = (uint32_t)turnover->limit;
        HASH(turnover.limit, hash = absorb_unless(LIMIT_AGENTS_USUAL, hash, MARK_SOURCE_LIMIT, limit));
    }
    for (int i = 0; i < turnover->sink_count; i++) {
        HASH(sink.area, hash = absorb(hash, MARK_SINK, (uint32_t)turnover->sinks[i].area));
        HASH(sink.kinds, hash = absorb(hash, MARK_SINK_KINDS, turnover->sinks[i].kinds));
        HASH(turnover.removed, hash = absorb_unless(0, hash, MARK_SINK_REMOVED, turnover->removed[i]));
    }
    return hash;
}

static uint64_t absorb_formation(uint64_t hash, const struct formation *formation) {
    const struct formation_state *state = &formation->state;
    const uint64_t leader = ((uint64_t)state->leader << 32) | state->members;
    hash = absorb(hash, MARK_FORMATION, (uint32_t)formation->def.place_count);
    for (int i = 0; i < formation->def.place_count; i++) {
        const struct formation_place *place = &formation->def.places[i];
        HASH(place.at, hash = absorb(hash, MARK_PLACE_AT, point(place->at)));
        HASH(place.kind, hash = absorb_unless(0, hash, MARK_PLACE_KIND, (uint32_t)(place->kind + 1)));
    }
    HASH(formed.heading, hash = absorb_unless(0, hash, MARK_FORMED_HEADING, point(state->heading)));
    HASH(formed.leader, hash = absorb_unless(0, hash, MARK_FORMED_LEADER, leader));
    HASH(formed.ids, hash = absorb_unless(0, hash, MARK_FORMED_IDS, state->ids));
    return hash;
}

static uint64_t absorb_axis(uint64_t hash, uint64_t mark, const struct grid_axis *axis) {
    hash = absorb(hash, mark, pair(axis->origin, axis->scale));
    return absorb(hash, mark, ((uint64_t)bits_of(axis->size) << 32) | (uint32_t)axis->cells);
}

/* How long agents have been in these slots. */
static uint64_t absorb_order(uint64_t hash, const struct grid *grid) {
    if (grid->drift != 0.0f) {
        HASH(grid.drift, hash = absorb(hash, MARK_DRIFT, bits_of(grid->drift)));
        HASH(grid.across, hash = absorb_axis(hash, MARK_ACROSS, &grid->across));
        HASH(grid.down, hash = absorb_axis(hash, MARK_DOWN, &grid->down));
    }
    return hash;
}

/* agents: the word that stands for them. */
static uint64_t hash_with(const struct world *world, uint64_t agents) {
    uint64_t hash = 0, tick_hz;
    memcpy(&tick_hz, &world->tick_hz, sizeof tick_hz);
    HASH(seed, hash = absorb(hash, MARK_SEED, world->seed));
    HASH(tick, hash = absorb(hash, MARK_TICK, world->tick));
    hash = absorb(hash, MARK_AGENTS, agents);
    HASH(next_id, hash = absorb(hash, MARK_NEXT_ID, world->next_id));
    HASH(bounds.size, hash = absorb(hash, MARK_SIZE, point(world->bounds.size)));
    HASH(bounds.edge, hash = absorb(hash, MARK_EDGE, (uint32_t)world->bounds.edge));
    HASH(tick_hz, hash = absorb(hash, MARK_TICK_HZ, tick_hz));
    hash = absorb_order(hash, &world->grid);
    for (int i = 0; i < world->target_count; i++) {
        hash = absorb_target(hash, &world->targets[i]);
    }
    for (int k = 0; k < world->kind_count; k++) {
        hash = absorb_kind(hash, k, &world->kinds[k]);
    }
    hash = absorb_turnover(hash, &world->turnover);
    for (int i = 0; i < world->formation_count; i++) {
        hash = absorb_formation(hash, &world->formations[i]);
    }
    return absorb_geometry(hash, world);
}

uint64_t world_hash(const struct world *world) {
    assert(world_is_consistent(world) && !world->scenery.has_old_ways);
    return hash_with(world, world_hash_agents(world));
}

uint64_t world_hash_rest(const struct world *world) {
    return hash_with(world, 0);
}
