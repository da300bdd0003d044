/* Flocks against what was measured of birds and fish, and of models of them. */
#include "tests/validation/validation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1024, PAIR_BINS = 60 };

static double mean_over(double sum, int count) {
    return count > 0 ? sum / (double)count : 0.0;
}

/* Length of the mean of the headings: 0 disorder, 1 all the same way. */
static double polarization(const struct world *world) {
    double x = 0.0, y = 0.0;
    const int32_t count = world_agent_count(world);
    for (int32_t i = 0; i < count; i++) {
        const vec2 heading = world_agent(world, i).heading;
        x += (double)heading.x;
        y += (double)heading.y;
    }
    return sqrt(x * x + y * y) / (double)count;
}

/* Rotation about the center of the group: 1, all go round it the same way. */
static double milling(const struct world *world) {
    const int32_t count = world_agent_count(world);
    double cx = 0.0, cy = 0.0, sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        cx += (double)world_agent(world, i).position.x / (double)count;
        cy += (double)world_agent(world, i).position.y / (double)count;
    }
    for (int32_t i = 0; i < count; i++) {
        const struct agent_view agent = world_agent(world, i);
        const double x = (double)agent.position.x - cx, y = (double)agent.position.y - cy;
        const double length = sqrt(x * x + y * y);
        sum += length > 0.0 ? (x * (double)agent.heading.y - y * (double)agent.heading.x) / length : 0.0;
    }
    return fabs(sum) / (double)count;
}

/* ---- Vicsek: order and noise ---- */

static void vicsek(const struct plan *plan) {
    static const double weights[] = {0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5};
    puts("noise,seed,polarization,hash");
    for (int w = 0; w < 9; w++) {
        for (int seed = 1; seed <= validation_seeds(plan) && (!plan->is_cut || w % 6 == 1); seed++) {
            struct world *world = validation_world(
                plan, "vicsek", (uint64_t)seed,
                &(struct setting){"kinds.particle.behaviors.1.wander.weight", weights[w], NULL}, 1);
            if (world == NULL) {
                continue;
            }
            double sum = 0.0;
            validation_step(world, 40.0);
            for (int second = 0; second < 40; second++, sum += polarization(world)) {
                validation_step(world, 1.0);
            }
            printf("%g,%d,%.3f", weights[w], seed, mean_over(sum, 40));
            validation_end_row(world);
        }
    }
}

/* ---- correlation of the fluctuations ---- */

struct correlation {
    double sum[PAIR_BINS], pairs[PAIR_BINS];
    double extent; /* px; the largest distance of two */
};

static void correlate(const struct world *world, struct correlation *out) {
    static double x[MOST], y[MOST], u[MOST], v[MOST];
    const int32_t count = world_agent_count(world);
    double mu = 0.0, mv = 0.0;
    for (int32_t i = 0; i < count; i++) {
        const struct agent_view agent = world_agent(world, i);
        x[i] = (double)agent.position.x, y[i] = (double)agent.position.y;
        u[i] = (double)agent.velocity.x, v[i] = (double)agent.velocity.y;
        mu += u[i] / (double)count, mv += v[i] / (double)count;
    }
    *out = (struct correlation){0};
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < i; j++) {
            out->extent =
                fmax(out->extent, sqrt((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j])));
        }
    }
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < i; j++) {
            const double r = sqrt((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]));
            const int bin = (int)fmin(r / out->extent * PAIR_BINS, PAIR_BINS - 1);
            out->sum[bin] += (u[i] - mu) * (u[j] - mu) + (v[i] - mv) * (v[j] - mv);
            out->pairs[bin] += 1.0;
        }
    }
}

/* Where the correlation is zero first, as a share of the extent. */
static double first_zero(const struct correlation *c) {
    double before = 0.0;
    int at = -1;
    for (int bin = 0; bin < PAIR_BINS; bin++) {
        if (c->pairs[bin] < 1.0) {
            continue;
        }
        const double mean = c->sum[bin] / c->pairs[bin];
        if (at >= 0 && mean <= 0.0) {
            const double step = before / (before - mean) * (double)(bin - at);
            return ((double)at + 0.5 + step) / PAIR_BINS;
        }
        before = mean;
        at = bin;
    }
    return 1.0;
}

static void correlation(const struct plan *plan) {
    static const int sizes[] = {60, 120, 240, 480};
    enum { SAMPLES = 10 };
    puts("birds,seed,extent_px,correlation_px,ratio,polarization,hash");
    for (int s = 0; s < 4; s++) {
        for (int seed = 1; seed <= validation_seeds(plan) && (!plan->is_cut || s < 3); seed++) {
            const struct setting settings[] = {{"agents.0.count", sizes[s], NULL},
                                               {"agents.0.in.circle.2", 10.0 * sqrt(sizes[s]), NULL}};
            struct world *world = validation_world(plan, "starlings_free", (uint64_t)seed, settings, 2);
            if (world == NULL) {
                continue;
            }
            double extent = 0.0, xi = 0.0, order = 0.0;
            validation_step(world, 20.0);
            for (int sample = 0; sample < SAMPLES; sample++) {
                struct correlation c;
                validation_step(world, 1.0);
                correlate(world, &c);
                extent += c.extent;
                xi += c.extent * first_zero(&c);
                order += polarization(world);
            }
            printf("%d,%d,%.0f,%.0f,%.3f,%.3f", sizes[s], seed, extent / SAMPLES, xi / SAMPLES, xi / extent,
                   order / SAMPLES);
            validation_end_row(world);
        }
    }
}

/* ---- Couzin: swarm, torus, parallel group ---- */

static void school(const struct plan *plan) {
    static const double zones[] = {0, 6, 12, 14, 16, 18, 20, 24, 30, 40};
    enum { SAMPLES = 40 };
    puts("orientation_px,seed,polarization,milling,hash");
    for (int z = 0; z < 10; z++) {
        const bool is_in_cut = zones[z] == 0.0 || zones[z] == 14.0 || zones[z] == 40.0;
        for (int seed = 1; seed <= validation_seeds(plan) && (!plan->is_cut || is_in_cut); seed++) {
            struct world *world = validation_world(
                plan, "school", (uint64_t)seed,
                &(struct setting){"kinds.fish.behaviors.0.flock.alignment_radius", zones[z], NULL}, 1);
            if (world == NULL) {
                continue;
            }
            double order = 0.0, rotation = 0.0;
            validation_step(world, 60.0);
            for (int sample = 0; sample < SAMPLES; sample++) {
                validation_step(world, 1.0);
                order += polarization(world);
                rotation += milling(world);
            }
            printf("%g,%d,%.3f,%.3f", zones[z], seed, order / SAMPLES, rotation / SAMPLES);
            validation_end_row(world);
        }
    }
}

/* The zone of orientation grows, then shrinks, while the school lives: at the same width it is what it was before (Couzin's memory). */
static void memory(const struct plan *plan) {
    static const int widths[] = {12, 24, 40, 60, 80, 100, 130, 160, 200};
    enum { STEPS = 17, SAMPLES = 20 };
    puts("way,orientation_px,seed,polarization,milling,hash");
    for (int seed = 1; seed <= validation_seeds(plan) && !plan->is_cut; seed++) {
        struct world *world = validation_world(plan, "school", (uint64_t)seed, NULL, 0);
        struct param_ref zone;
        if (world == NULL || !world_find_param(world, 0, "flock.alignment_radius", &zone)) {
            continue;
        }
        validation_step(world, 60.0);
        for (int step = 0; step < STEPS; step++) {
            const int width = widths[step <= STEPS / 2 ? step : STEPS - 1 - step];
            double order = 0.0, rotation = 0.0;
            world_set_param(world, &zone, width);
            validation_step(world, 40.0);
            for (int sample = 0; sample < SAMPLES; sample++) {
                validation_step(world, 1.0);
                order += polarization(world);
                rotation += milling(world);
            }
            printf("%s,%d,%d,%.3f,%.3f,%016llx\n", step <= STEPS / 2 ? "wider" : "narrower", width, seed,
                   order / SAMPLES, rotation / SAMPLES, (unsigned long long)world_hash(world));
        }
        world_destroy(world);
    }
}

/* ---- a falcon ---- */

enum { LINK = 60 }; /* px; birds that are nearer than this belong together */

static int root_of(int *parent, int bird) {
    while (parent[bird] != bird) {
        parent[bird] = parent[parent[bird]];
        bird = parent[bird];
    }
    return bird;
}

/* Pieces that no link joins, the share of the birds in the largest, and how many others within `range` a bird has. */
static void pieces_of(const struct world *world, double range, int *pieces, double *largest,
                      double *neighbors) {
    static int parent[MOST], size[MOST];
    const int32_t birds = world_kind_population(world, 0);
    double near = 0.0;
    for (int i = 0; i < birds; i++) {
        parent[i] = i;
        size[i] = 0;
        for (int j = 0; j < i; j++) {
            const double distance =
                (double)vec2_length(vec2_sub(world_agent(world, i).position, world_agent(world, j).position));
            near += distance < range ? 2.0 : 0.0;
            if (distance < LINK) {
                parent[root_of(parent, i)] = root_of(parent, j);
            }
        }
    }
    int most = 0;
    *pieces = 0;
    for (int i = 0; i < birds; i++) {
        const int root = root_of(parent, i);
        *pieces += size[root]++ == 0 ? 1 : 0;
        most = size[root] > most ? size[root] : most;
    }
    *largest = (double)most / (double)birds;
    *neighbors = near / (double)birds;
}

static void falcon(const struct plan *plan) {
    static const struct {
        const char *name;
        double neighbors, radius; /* radius: px */
    } rows[] = {{"topological", 7, 500}, {"metric", 0, 25}};
    puts("minds,seed,pieces_before,neighbors,pieces,largest,hash");
    for (int r = 0; r < 2; r++) {
        for (int seed = 1; seed <= validation_seeds(plan) && !plan->is_cut; seed++) {
            const struct setting settings[] = {
                {"kinds.starling.behaviors.1.flock.max_neighbors", rows[r].neighbors, NULL},
                {"kinds.starling.behaviors.1.flock.alignment_radius", rows[r].radius, NULL},
                {"kinds.starling.behaviors.1.flock.cohesion_radius", rows[r].radius, NULL}};
            struct world *world = validation_world(plan, "starlings_falcon", (uint64_t)seed, settings, 3);
            int before = 0, after = 0;
            double largest = 0.0, neighbors = 0.0, late = 0.0;
            if (world == NULL) {
                continue;
            }
            validation_step(world, 10.0);
            pieces_of(world, rows[1].radius, &before, &largest, &neighbors);
            validation_step(world, 30.0);
            pieces_of(world, rows[1].radius, &after, &largest, &late);
            printf("%s,%d,%d,%.1f,%d,%.2f", rows[r].name, seed, before, neighbors, after, largest);
            validation_end_row(world);
        }
    }
}

const struct validation_case flock_cases[] = {
    {"vicsek", vicsek}, {"correlation", correlation}, {"school", school},
    {"memory", memory}, {"falcon", falcon},           {NULL, NULL},
};
