/* Words of the state hash, and how they are mixed. For world_hash.c. */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_HASH_MIX_H
#define DROVER_SERVER_SIM_WORLD_WORLD_HASH_MIX_H

#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/world/world_internal.h"

/* A statement that hashes a member: tests/property/hash_mutants.py removes one after the other. */
#define HASH(member, statement) statement

#define ODD UINT64_C(0x9E3779B97F4A7C15)

/* What a word of the chain is. Never renumber: hashes depend on it. */
enum mark {
    MARK_SEED = 1,
    MARK_TICK,
    MARK_AGENTS,
    MARK_NEXT_ID,
    MARK_SIZE,
    MARK_EDGE,
    MARK_TICK_HZ,
    MARK_DRIFT,
    MARK_ACROSS,
    MARK_DOWN,
    MARK_TARGET,
    MARK_TARGET_NAME,
    MARK_TARGET_AT,
    MARK_TARGET_JUMP,
    MARK_TARGET_LIVE,
    MARK_KIND,
    MARK_KIND_AIM,
    MARK_KIND_POINT,
    MARK_STATE,
    MARK_STAMINA_RATE,
    MARK_COMBINE,
    MARK_CONDITION,
    MARK_CONDITION_VALUE,
    MARK_BEHAVIOR,
    MARK_REF,
    MARK_REF_TEXT,
    MARK_KINDS,
    MARK_PATH_INDEX,
    MARK_FLOW_INDEX,
    MARK_REGION,
    MARK_REGION_AT,
    MARK_REGION_SIZE,
    MARK_NEXT_OBSTACLE,
    MARK_OBSTACLE,
    MARK_OBSTACLE_ID,
    MARK_OBSTACLE_AT,
    MARK_OBSTACLE_SIZE,
    MARK_OBSTACLE_RADIUS,
    MARK_POINT,
    MARK_WALL_FROM,
    MARK_WALL_TO,
    MARK_PATH,
    MARK_PATH_RADIUS,
    MARK_FLOW,
    MARK_FLOW_SEED,
    MARK_FLOW_AT,
    MARK_FLOW_VECTOR,
    MARK_FLOW_STRENGTH,
    MARK_FLOW_SCALE,
    MARK_FLOW_GRID,
    MARK_FLOW_CELL,
    MARK_TARGET_STROLL,
    MARK_TARGET_IDLE,
    MARK_AREA,
    MARK_CONDITION_NAME,
    MARK_SIGNAL,
    MARK_TARGET_WAY,
    MARK_WAY_BODY,
    MARK_WAY_GOAL,
    MARK_PATH_RADII = 340,
    MARK_FORMATION = 320, /* and those that follow */
    MARK_FORMATION_INDEX,
    MARK_PLACE_AT,
    MARK_PLACE_KIND,
    MARK_FORMED_HEADING,
    MARK_FORMED_LEADER,
    MARK_FORMED_IDS,
    MARK_SOURCE = 200, /* and those that follow */
    MARK_SOURCE_PLAN,
    MARK_SOURCE_BURST,
    MARK_SOURCE_UNTIL,
    MARK_SOURCE_DUE,
    MARK_SOURCE_LIMIT,
    MARK_SINK,
    MARK_SINK_KINDS,
    MARK_SINK_REMOVED,
    MARK_MOVE,
    MARK_MOVE_TIMES,
    MARK_DOOR,
    MARK_DOOR_LEFT,
};

static inline uint64_t pair(float a, float b) {
    return ((uint64_t)bits_of(b) << 32) | bits_of(a);
}

static inline uint64_t point(vec2 at) {
    return pair(at.x, at.y);
}

static inline uint64_t aim_word(const struct aim *aim) {
    return ((uint64_t)aim->mode << 32) | (uint32_t)aim->target;
}

/* What a word of an agent adds, keyed by its id (base) and by what it is. */
static inline uint64_t term(uint64_t base, uint64_t mark, uint64_t word, uint64_t initial) {
    return word == initial ? 0 : rng_mix((base + mark * ODD) ^ word);
}

static inline uint64_t absorb(uint64_t hash, uint64_t mark, uint64_t word) {
    return rng_mix(rng_mix((hash ^ word) + ODD) + mark * ODD);
}

static inline uint64_t absorb_unless(uint64_t initial, uint64_t hash, uint64_t mark, uint64_t word) {
    return word == initial ? hash : absorb(hash, mark, word);
}

/* The text with its end, 7 bytes a word. */
static inline uint64_t absorb_text(uint64_t hash, uint64_t mark, const char *text) {
    uint64_t word = 0;
    const char *c = text;
    for (int bytes = 0; *c != '\0'; c++) {
        word = (word << 8) | (unsigned char)*c;
        if (++bytes == 7) {
            hash = absorb(hash, mark, word);
            word = 0;
            bytes = 0;
        }
    }
    return absorb(hash, mark, (word << 8) | 0xFF);
}

/** All that is not agents. */
uint64_t world_hash_rest(const struct world *world);

/** The sum of the terms of rows [begin, end) alone, which all are here. */
uint64_t world_hash_rows(const struct world *world, int32_t begin, int32_t end);

/** The same of these rows, and of their columns by row alone: what every rank has of all agents. */
uint64_t world_hash_by_row(const struct world *world, int32_t begin, int32_t end);

#endif
