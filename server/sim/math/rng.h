/* Random numbers as a function of (seed, tick, agent, stream): no state to share, so neither the order of
 * agents nor spawning or removing one changes another's numbers.
 *
 * source  the finaliser of SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
 * generators")
 */
#ifndef DROVER_SERVER_SIM_MATH_RNG_H
#define DROVER_SERVER_SIM_MATH_RNG_H

#include <stdint.h>

/** What the numbers are for. Never renumber: golden hashes and recordings depend on it. */
enum rng_stream {
    RNG_SPAWN_PLACE = 1,
    RNG_SPAWN_BODY = 2,
    RNG_SPAWN_HEADING = 3,
    RNG_TARGET_JUMP = 4,
    RNG_WANDER = 5,
    RNG_DITHER = 6,
    RNG_TARGET_STROLL = 7,
    RNG_SOURCE = 8,
    RNG_FLOW_NOISE = 16,
    RNG_CHANCE = 256, /* and those behind: one for each condition of a kind */
};

/** A short sequence of numbers. Plain value. */
struct rng {
    uint64_t state;
};

static inline uint64_t rng_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/** What all sequences of a tick have in common. */
static inline uint64_t rng_tick_key(uint64_t seed, uint64_t tick) {
    const uint64_t key = rng_mix(seed + UINT64_C(0x9E3779B97F4A7C15));
    return rng_mix(key ^ (tick * UINT64_C(0xD1342543DE82EF95) + 1));
}

/** tick_key: rng_tick_key(seed, tick). */
static inline struct rng rng_begin_at(uint64_t tick_key, uint32_t subject, enum rng_stream stream) {
    return (struct rng){rng_mix(tick_key ^ (((uint64_t)stream << 32) | subject))};
}

/** subject: the agent's id, or the index of a target or source. */
static inline struct rng rng_begin(uint64_t seed, uint64_t tick, uint32_t subject, enum rng_stream stream) {
    return rng_begin_at(rng_tick_key(seed, tick), subject, stream);
}

static inline uint64_t rng_next(struct rng *rng) {
    rng->state += UINT64_C(0x9E3779B97F4A7C15);
    return rng_mix(rng->state);
}

/** Uniform in [0, 1), 24 bits. */
static inline float rng_unit(struct rng *rng) {
    return (float)(rng_next(rng) >> 40) * (1.0f / 16777216.0f);
}

/** Uniform in [low, high]; low when high <= low. */
static inline float rng_between(struct rng *rng, float low, float high) {
    const float unit = rng_unit(rng);
    return high > low ? low + (high - low) * unit : low;
}

#endif
