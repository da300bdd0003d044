/* Which states of all kinds steer alike, so that their agents can be steered side by side: the same behaviors
 * in the same order with the same numbers, whatever target, path or direction each of them is about. */
#include <assert.h>
#include <string.h>

#include "server/sim/world/world_internal.h"

/* A behavior without what is looked up for each agent. */
static void strip(const struct behavior_def *behavior, struct behavior_def *bare) {
    memset(bare, 0, sizeof *bare);
    memcpy(bare, behavior, sizeof *bare);
    memset(&bare->target, 0, sizeof bare->target);
    memset(&bare->second, 0, sizeof bare->second);
    memset(bare->path, 0, sizeof bare->path);
    memset(bare->flow_field, 0, sizeof bare->flow_field);
    memset(bare->kinds, 0, sizeof bare->kinds); /* its bits are compared */
    bare->direction = 0.0f;
    bare->keep = false;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/* The kinds that count as neighbors; 0 for a behavior that asks about none. */
static uint64_t kinds_of(const struct state_runtime *state, const struct state_def *def, int behavior) {
    const enum behavior_type type = (enum behavior_type)def->behaviors[behavior].type;
    return behavior_neighbor_use(type) != NEIGHBORS_UNUSED ? state->behaviors[behavior].kinds : 0;
}

static uint64_t hash_of(const struct kind *kind, int state) {
    const struct state_def *def = &kind->def.states[state];
    uint64_t hash = mix(UINT64_C(0xCBF29CE484222325), &kind->def.body.locomotion, sizeof(int));
    hash = mix(hash, &def->combine, sizeof def->combine);
    for (int b = 0; b < def->behavior_count; b++) {
        struct behavior_def bare;
        strip(&def->behaviors[b], &bare);
        hash = mix(hash, &bare, sizeof bare);
        const uint64_t kinds = kinds_of(&kind->states[state], def, b);
        hash = mix(hash, &kinds, sizeof kinds);
    }
    return hash;
}

static bool is_same(const struct kind *a, int a_state, const struct kind *b, int b_state) {
    const struct state_def *one = &a->def.states[a_state], *other = &b->def.states[b_state];
    bool same = a->states[a_state].program_hash == b->states[b_state].program_hash &&
                a->def.body.locomotion == b->def.body.locomotion && one->combine == other->combine &&
                one->behavior_count == other->behavior_count;
    for (int i = 0; same && i < one->behavior_count; i++) {
        struct behavior_def bare, other_bare;
        strip(&one->behaviors[i], &bare);
        strip(&other->behaviors[i], &other_bare);
        same = memcmp((const char *)&bare, (const char *)&other_bare, sizeof bare) == 0 &&
               kinds_of(&a->states[a_state], one, i) == kinds_of(&b->states[b_state], other, i);
    }
    return same;
}

static struct state_ref first_alike(const struct world *world, int kind, int state) {
    for (int k = 0; k <= kind; k++) {
        const struct kind *other = &world->kinds[k];
        for (int s = 0; s < other->def.state_count && (k < kind || s < state); s++) {
            if (is_same(other, s, &world->kinds[kind], state)) {
                return (struct state_ref){(uint8_t)k, (uint8_t)s};
            }
        }
    }
    return (struct state_ref){(uint8_t)kind, (uint8_t)state};
}

void world_match_programs(struct world *world, int changed) {
    struct kind *kind = &world->kinds[changed];
    for (int s = 0; s < kind->def.state_count; s++) {
        kind->states[s].program_hash = hash_of(kind, s);
    }
    for (int k = 0; k < world->kind_count; k++) {
        for (int s = 0; s < world->kinds[k].def.state_count; s++) {
            world->kinds[k].states[s].program = first_alike(world, k, s);
        }
    }
    world_choose_ways(world);
}
