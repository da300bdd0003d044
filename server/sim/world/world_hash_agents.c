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

static inline uint64_t hash_heading(const struct world *world, int32_t row, uint64_t base, uint64_t mark,
                                    const vec2 *entry) {
    (void)entry; /* of agents that move, is_pure_flock leaves it stale */
    return term(base, mark, point(world_heading(world, row)), pair(1.0f, 0.0f));
}

static uint64_t hash_agent(const struct world *world, int32_t row) {
    const int32_t slot = grid_slot(&world->grid, row);
    const struct motion motion = world->grid.motion[slot];
    uint64_t base = ODD, sum = 0;
    HASH(id, base = rng_mix(world->id[row] + ODD));
    HASH(motion.position, sum += term(base, MARK_MOTION, pair(motion.x, motion.y), 0));
    HASH(motion.velocity, sum += term(base, MARK_MOTION + 1, pair(motion.vx, motion.vy), 0));
    if (world->grid.drift != 0.0f) { /* otherwise slots are in an order that positions and ids give */
        HASH(grid.row, sum += term(base, MARK_SLOT, (uint32_t)slot + 1, 0));
    }
#define HASH_COLUMN(number, type, name, initial, saved, hashed, copied)                                      \
    HASH(name, sum += hashed(world, row, base, 16 * number, &world->name[row]));
    WORLD_COLUMNS(HASH_COLUMN)
#undef HASH_COLUMN
    return sum;
}

uint64_t world_hash_agents(const struct world *world) {
    uint64_t sum = 0;
    for (int32_t row = 0; row < world->agent_count; row++) {
        sum += hash_agent(world, row);
    }
    return sum;
}
