/* The agents' part of the state hash: a sum of terms, one for each word of an agent, so that storage order
 * and threads do not matter. */
#include "server/sim/world/world_hash_mix.h"

enum { MARK_MOTION = 256, MARK_SLOT = 272 }; /* behind the columns, each of which has 16 */

static inline uint64_t hash_none(const struct world *world, int32_t row, uint64_t base, uint64_t mark,
                                 const void *entry) {
    (void)world, (void)row, (void)base, (void)mark, (void)entry;
    return 0;
}

/* The id keys everything else. */
static inline uint64_t hash_id(const struct world *world, int32_t row, uint64_t base, uint64_t mark,
                               const uint32_t *entry) {
    (void)world, (void)row, (void)mark, (void)entry;
    return base;
}

static inline uint64_t hash_byte(const struct world *world, int32_t row, uint64_t base, uint64_t mark,
                                 const uint8_t *entry) {
    (void)world, (void)row;
    return term(base, mark, *entry, 0);
}

static inline uint64_t hash_memory(const struct world *world, int32_t row, uint64_t base, uint64_t mark,
                                   const struct memory *memory) {
    uint64_t sum = 0;
    static const struct memory initial = MEMORY_INITIAL_VALUES;
    memory = world->has_memories ? memory : &initial;
    HASH(memory.stamina, sum += term(base, mark, bits_of(memory->stamina), 0));
    HASH(memory.is_exhausted, sum += term(base, mark + 1, memory->is_exhausted, 0));
    HASH(memory.state_since, sum += term(base, mark + 2, world_state_ticks(world, row), 0));
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

static inline uint64_t hash_heading(const struct world *world, int32_t row, uint64_t base, uint64_t mark,
                                    const vec2 *entry) {
    (void)entry; /* of agents that move, is_pure_flock leaves it stale */
    return term(base, mark, point(world_heading(world, row)), pair(1.0f, 0.0f));
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
    HASH(name, sum += hashed(world, row, base, 16 * number, &world->name[(by) == BY_ROW ? row : place]));
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

uint64_t world_hash_agents(const struct world *world) {
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
