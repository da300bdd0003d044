/* See built_world.h. */
#include "server/scenario/built_world.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail_create(const char *name, enum world_result result, const char *what,
                       struct failure *failure) {
    switch (result) {
    case WORLD_NO_MEMORY:
        return failure_set(failure, FAILURE_BUSY, "scenario", "out of memory for the world of \"%s\"", name);
    case WORLD_GIVEN_UP:
        return failure_set(failure, FAILURE_BUSY, "scenario", "the server stops");
    default:
        return failure_set(failure, FAILURE_BAD_SCENARIO, "scenario", "%s: %s", name,
                           result == WORLD_FULL ? "too many agents" : what);
    }
}

/* ---- size ---- */

/* A world without agents, and how many it will have of each kind: as the placements say, or as many of each. */
static uint64_t bytes_of(const struct world *empty, const struct world_def *def, int64_t agents,
                         int threads) {
    int64_t population[LIMIT_KINDS] = {0}, placed = 0;
    for (int i = 0; i < def->placement_count; i++) {
        const int kind = world_find_kind(empty, def->placements[i].kind);
        population[kind < 0 ? 0 : kind] += def->placements[i].count;
        placed += def->placements[i].count;
    }
    for (int k = 0; placed != agents && k < def->kind_count; k++) {
        population[k] = agents * (k + 1) / def->kind_count - agents * k / def->kind_count;
    }
    return world_bytes(empty, population, threads);
}

static int count_bytes(const struct world_def *def, const char *name, int64_t agents, int threads,
                       uint64_t *bytes, struct failure *failure) {
    struct world_def empty = *def;
    struct world *world = NULL;
    const char *what = "the world cannot be made";
    empty.placement_count = 0;
    const enum world_result result = world_create(&empty, &world, &what);
    if (result != WORLD_OK) {
        return fail_create(name, result, what, failure);
    }
    *bytes = bytes_of(world, def, agents, threads);
    world_destroy(world);
    return 0;
}

const char *world_memory_text(uint64_t bytes, int ranks_beside, char text[WORLD_MEMORY_TEXT]) {
    char ranks[40] = "";
    if (ranks_beside > 0) {
        (void)snprintf(ranks, sizeof ranks, "%d ranks of this host x ", 1 + ranks_beside);
    }
    (void)snprintf(text, WORLD_MEMORY_TEXT, "%s%.2f GB", ranks, (double)bytes * 1e-9);
    return text;
}

static const char *option_of(const struct world_overrides *overrides) {
    return overrides->agents_option == NULL ? "" : overrides->agents_option;
}

int built_world_check_size(const struct world_def *def, const char *name, int64_t agents,
                           const struct world_overrides *overrides, uint64_t *bytes,
                           struct failure *failure) {
    const int32_t most = world_overrides_max_agents(overrides);
    uint64_t needed = 0;
    if (agents > most) {
        return failure_set(failure, FAILURE_BAD_SCENARIO, "agents",
                           "%s: %lld agents; at most %d are allowed%s", name, (long long)agents, (int)most,
                           option_of(overrides));
    }
    if (agents > WORLD_SMALL && count_bytes(def, name, agents, overrides->threads, &needed, failure) != 0) {
        return -1;
    }
    if (bytes != NULL) {
        *bytes = needed;
    }
    const int processes = 1 + overrides->ranks_beside;
    const uint64_t left =
        needed > 0 && overrides->memory_free != NULL ? overrides->memory_free(processes) : UINT64_MAX;
    char text[WORLD_MEMORY_TEXT];
    return needed <= left
               ? 0
               : failure_set(failure, FAILURE_BUSY, "agents",
                             "%s: %lld agents need %s of memory, %.0f bytes each; %.2f GB are free", name,
                             (long long)agents, world_memory_text(needed, overrides->ranks_beside, text),
                             (double)needed / (double)agents, (double)left * (double)processes * 1e-9);
}

/* ---- texts ---- */

/* The scenario's text; one that was made without a text has "". */
static char *copy_text(const struct scenario *scenario) {
    char *text = malloc(scenario->text_length + 1);
    if (text != NULL) {
        if (scenario->text != NULL) {
            memcpy(text, scenario->text, scenario->text_length);
        }
        text[scenario->text_length] = '\0';
    }
    return text;
}

int built_world_finish(const struct scenario *scenario, const struct world_overrides *overrides,
                       struct world *world, uint64_t hash, struct built_world *out, struct failure *failure) {
    *out = (struct built_world){
        .world = world, .hash = hash, .text = copy_text(scenario), .text_length = scenario->text_length};
    if (out->text == NULL) {
        built_world_fini(out);
        return fail_create(scenario->name, WORLD_NO_MEMORY, NULL, failure);
    }
    world_let_give_up(world, NULL);
    if (overrides->has_simd) {
        world_set_simd(world, overrides->simd);
    }
    memcpy(out->name, scenario->name, sizeof out->name);
    memcpy(out->title, scenario->title, sizeof out->title);
    memcpy(out->description, scenario->description, sizeof out->description);
    out->view = scenario->view;
    out->warmup_s = scenario->warmup_s;
    out->about = scenario->about;
    return 0;
}

int built_world_check_counts(const struct scenario *scenario, const struct world_overrides *overrides,
                             struct failure *failure) {
    const int32_t most = world_overrides_max_agents(overrides);
    int64_t agents = 0;
    for (int i = 0; i < scenario->def.placement_count; i++) {
        char path[32];
        agents += scenario->def.placements[i].count;
        (void)snprintf(path, sizeof path, "agents[%d].count", i);
        if (agents > most) {
            return failure_set(failure, FAILURE_BAD_SCENARIO, path,
                               "%s: %lld agents in all; at most %d are allowed%s", path, (long long)agents,
                               (int)most, option_of(overrides));
        }
    }
    return 0;
}

int built_world_make(const struct scenario *scenario, const struct world_overrides *overrides,
                     const uint64_t *seed, const atomic_bool *given_up, struct built_world *out,
                     struct failure *failure) {
    assert(scenario != NULL && overrides != NULL && out != NULL);
    struct world_def def = scenario->def; /* shares the scenario's arrays; not freed here */
    struct world *world;
    def.given_up = given_up;
    if (seed != NULL) {
        def.seed = *seed;
    } else if (overrides->has_seed) {
        def.seed = overrides->seed;
    }
    if (overrides->tick_hz > 0.0) {
        def.tick_hz = overrides->tick_hz;
    }
    *out = (struct built_world){.world = NULL};
    int64_t agents = 0;
    for (int i = 0; i < def.placement_count; i++) {
        agents += def.placements[i].count;
    }
    def.max_agents = world_overrides_max_agents(overrides);
    uint64_t bytes = 0;
    if (built_world_check_size(&def, scenario->name, agents, overrides, &bytes, failure) != 0) {
        return -1;
    }
    int32_t unspaced = 0;
    def.unspaced = &unspaced;
    const char *what = "the world cannot be made";
    const enum world_result result = world_create(&def, &world, &what);
    if (result != WORLD_OK) {
        return fail_create(scenario->name, result, what, failure);
    }
    if (built_world_finish(scenario, overrides, world, world_hash(world), out, failure) != 0) {
        return -1;
    }
    out->bytes = bytes;
    out->unspaced = unspaced;
    out->is_fresh = true;
    return 0;
}

const char *built_world_crowded_text(const struct built_world *built, char text[WORLD_CROWDED_TEXT]) {
    if (built->unspaced == 0) {
        return NULL;
    }
    (void)snprintf(text, WORLD_CROWDED_TEXT,
                   "%s: %d of %d agents start nearer to others than their spacing: there was no room",
                   built->name, (int)built->unspaced, (int)world_agent_count(built->world));
    return text;
}

void built_world_fini(struct built_world *built) {
    world_destroy(built->world);
    built->world = NULL;
    free(built->head);
    built->head = NULL;
    free(built->text);
    built->text = NULL;
    built->text_length = 0;
}
