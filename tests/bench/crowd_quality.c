/* See crowd_quality.h. */
#include "tests/bench/crowd_quality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/sim/world/world_internal.h" /* where agents are sent */
#include "tests/bench/crowd_case.h"

#define LOOK      40.0f /* px; pairs further apart are not looked at */
#define CLOSENESS 15.0f /* px; an agent this close to its goal is there */

enum { STRIDE = 10 /* ticks between two looks */, PATIENCE = 60 * 600 /* ticks for a circle */ };

/* One way to compute a crowd: a world, or the rival. */
struct crowd {
    const char *name;
    struct world *world;
    struct crowd_rival *rival;
    struct worker_pool *pool; /* of the world */
    int32_t count;
    struct crowd_agent *agents; /* as they were at the last look */
};

/* Two ticks apart by STRIDE, added up. */
struct quality {
    double speed;    /* px/s, the mean of all looks */
    double progress; /* px/s towards the goal */
    float least;     /* px between any two, at any look; at most LOOK */
    int overlaps;    /* pairs, at the last look */
    double depth;    /* px, the mean of those */
};

/* ---- crowds ---- */

static struct crowd open_crowd(const struct world *start, int simd, float slowing_distance) {
    struct crowd crowd = {.name = "rival", .count = world_agent_count(start)};
    crowd.agents = calloc((size_t)crowd.count, sizeof *crowd.agents);
    if (simd < 0) {
        crowd.rival = crowd_rival_of(start, slowing_distance);
    } else {
        crowd.name = simd_names[simd];
        crowd.world = world_clone_new(start);
        crowd.pool = worker_pool_create(2);
    }
    if (crowd.agents == NULL || (crowd.rival == NULL && (crowd.world == NULL || crowd.pool == NULL))) {
        abort();
    }
    if (crowd.world != NULL) {
        world_set_simd(crowd.world, (enum simd)simd);
    }
    return crowd;
}

static void close_crowd(struct crowd *crowd) {
    crowd_rival_destroy(crowd->rival);
    if (crowd->world != NULL) {
        world_destroy(crowd->world);
        worker_pool_destroy(crowd->pool);
    }
    free(crowd->agents);
}

static void step_crowd(struct crowd *crowd, int ticks) {
    for (int tick = 0; tick < ticks; tick++) {
        if (crowd->rival != NULL) {
            crowd_rival_step(crowd->rival);
        } else {
            const struct parallel parallel = worker_pool_parallel(crowd->pool);
            world_step_parallel(crowd->world, &parallel);
        }
    }
}

static void look(struct crowd *crowd) {
    for (int32_t i = 0; i < crowd->count; i++) {
        if (crowd->rival != NULL) {
            crowd->agents[i] = crowd_rival_get(crowd->rival, i);
        } else {
            const struct agent_view view = world_agent(crowd->world, i);
            crowd->agents[i] = (struct crowd_agent){view.position, view.velocity, crowd->world->aim[i].point};
        }
    }
}

/* ---- statistics ---- */

/* px, of all agents to their goals. */
static double mean_way(const struct crowd *crowd) {
    double sum = 0.0;
    for (int32_t i = 0; i < crowd->count; i++) {
        sum += (double)vec2_length(vec2_sub(crowd->agents[i].goal, crowd->agents[i].position));
    }
    return sum / crowd->count;
}

static double mean_speed(const struct crowd *crowd) {
    double sum = 0.0;
    for (int32_t i = 0; i < crowd->count; i++) {
        sum += (double)vec2_length(crowd->agents[i].velocity);
    }
    return sum / crowd->count;
}

static int by_x(const void *a, const void *b) {
    const float x = ((const struct crowd_agent *)a)->position.x,
                y = ((const struct crowd_agent *)b)->position.x;
    return (x > y) - (x < y);
}

/* The least distance so far, and the overlaps as they are. Agents change their order. */
static void look_at_pairs(struct crowd *crowd, struct quality *quality) {
    const float room = 2.0f * crowd_rules().radius;
    double depth = 0.0;
    quality->overlaps = 0;
    qsort(crowd->agents, (size_t)crowd->count, sizeof *crowd->agents, by_x);
    for (int32_t i = 0; i < crowd->count; i++) {
        const vec2 here = crowd->agents[i].position;
        for (int32_t j = i + 1; j < crowd->count && crowd->agents[j].position.x - here.x < LOOK; j++) {
            const float distance = vec2_length(vec2_sub(crowd->agents[j].position, here));
            quality->least = distance < quality->least ? distance : quality->least;
            if (distance < room) {
                quality->overlaps++;
                depth += (double)(room - distance);
            }
        }
    }
    quality->depth = quality->overlaps > 0 ? depth / quality->overlaps : 0.0;
}

/* From where the crowd is: `ticks` further ones. */
static struct quality observe(struct crowd *crowd, int ticks) {
    struct quality quality = {.least = LOOK};
    look(crowd);
    const double way = mean_way(crowd);
    const int looks = ticks / STRIDE;
    for (int i = 0; i < looks; i++) {
        step_crowd(crowd, STRIDE);
        look(crowd);
        quality.speed += mean_speed(crowd) / looks;
        look_at_pairs(crowd, &quality);
    }
    quality.progress = (way - mean_way(crowd)) * 60.0 / (looks * STRIDE);
    return quality;
}

static void print_quality(const char *row, double seconds, const char *way, const struct quality *quality) {
    printf("%-12s %6.1f s  %-7s %8.3f %8.3f %8.3f %8d %8.4f\n", row, seconds, way, quality->speed,
           quality->progress, (double)quality->least, quality->overlaps, quality->depth);
    (void)fflush(stdout);
}

/* Both spans begin at the settled state; the second goes on from the first. */
static void compare(const struct crowd_case *row, const int spans[2], const struct crowd_ways *ways) {
    struct worker_pool *pool = worker_pool_create(2);
    if (pool == NULL) {
        abort();
    }
    struct world *settled = crowd_case_world(row, pool);
    worker_pool_destroy(pool);
    for (int simd = -1; settled != NULL && simd < SIMD_COUNT; simd++) {
        if (simd < 0 ? !ways->has_rival : !ways->has_simd[simd]) {
            continue;
        }
        struct crowd crowd = open_crowd(settled, simd, 0.0f);
        int ticks = 0;
        for (int i = 0; i < 2 && spans[i] > 0; i++) {
            const struct quality quality = observe(&crowd, spans[i]);
            ticks += spans[i];
            print_quality(row->name, ticks / 60.0, crowd.name, &quality);
        }
        close_crowd(&crowd);
    }
    world_destroy(settled);
}

void crowd_quality(const struct crowd_ways *ways) {
    static const struct crowd_case loose = {"orca_10k", 10000, 10.0, NULL, 120, 0};
    static const struct crowd_case crush = {"orca_crush", 10000, 71.0, NULL, 10, 0};
    static const int long_span[2] = {1200, 0}, two_spans[2] = {100, 500};
    printf("\n%-12s %8s  %-7s %8s %8s %8s %8s %8s\n", "row", "after", "simd", "speed", "progress", "least",
           "overlaps", "depth");
    compare(&loose, long_span, ways);
    compare(&crush, two_spans, ways);
}

/* ---- circles ---- */

static bool are_all_there(const struct crowd *crowd) {
    for (int32_t i = 0; i < crowd->count; i++) {
        const vec2 way = vec2_sub(crowd->agents[i].goal, crowd->agents[i].position);
        if (vec2_length_squared(way) > CLOSENESS * CLOSENESS) {
            return false;
        }
    }
    return true;
}

static void swap_places(struct crowd *crowd) {
    struct quality quality = {.least = LOOK};
    int ticks = 0;
    do {
        step_crowd(crowd, 1);
        look(crowd);
        look_at_pairs(crowd, &quality);
    } while (!are_all_there(crowd) && ++ticks < PATIENCE);
    printf("circle of %-4d %-7s %9.1f %8.3f%s\n", (int)crowd->count, crowd->name, ticks / 60.0,
           (double)quality.least, ticks < PATIENCE ? "" : "  (never)");
    (void)fflush(stdout);
}

void crowd_circles(const struct crowd_ways *ways) {
    printf("\n%-14s %-7s %9s %8s\n", "circle swap", "simd", "s", "least");
    for (uint32_t count = 50; count <= 100; count += 50) {
        struct world *start = crowd_circle_world(count);
        for (int simd = -1; simd < SIMD_COUNT; simd++) {
            if (simd < 0 ? ways->has_rival : ways->has_simd[simd]) {
                struct crowd crowd = open_crowd(start, simd, crowd_rules().max_speed);
                swap_places(&crowd);
                close_crowd(&crowd);
            }
        }
        world_destroy(start);
    }
}
