/* See bench_scenario.h. */
#include "tests/bench/bench_scenario.h"

#include <math.h>
#include <stdio.h>

#include "server/library/scenario_library.h"

/* Places move apart; obstacles stay as large as they are. */
static void scale_geometry(struct geometry_def *geometry, float factor) {
    for (int i = 0; i < geometry->obstacle_count; i++) {
        struct obstacle_def *obstacle = &geometry->obstacles[i];
        obstacle->at = vec2_scale(obstacle->at, factor);
        for (int c = 1; c < obstacle->point_count; c++) {
            const vec2 from_first = vec2_sub(obstacle->points[c], obstacle->points[0]);
            obstacle->points[c] = vec2_add(vec2_scale(obstacle->points[0], factor), from_first);
        }
        obstacle->points[0] = vec2_scale(obstacle->points[0], factor);
    }
    for (int i = 0; i < geometry->path_count; i++) {
        for (int p = 0; p < geometry->paths[i].point_count; p++) {
            geometry->paths[i].points[p] = vec2_scale(geometry->paths[i].points[p], factor);
        }
        geometry->paths[i].radius *= factor;
    }
    geometry->wall_count = 0;
}

/* A scenario with `count` agents at its own density: the world and all places in it grow. */
static void scale_up(struct world_def *def, uint32_t count) {
    uint32_t agents = 0;
    for (int i = 0; i < def->placement_count; i++) {
        agents += def->placements[i].count;
    }
    const float factor = sqrtf((float)count / (float)agents);
    def->size = vec2_scale(def->size, factor);
    for (int i = 0; i < def->target_count; i++) {
        def->targets[i].at = vec2_scale(def->targets[i].at, factor);
    }
    for (int i = 0; i < def->placement_count; i++) {
        struct placement_def *placement = &def->placements[i];
        placement->count = (uint32_t)((float)placement->count * factor * factor);
        placement->at = vec2_scale(placement->at, factor);
        placement->size = vec2_scale(placement->size, factor);
        placement->radius *= factor;
    }
    scale_geometry(&def->geometry, factor);
}

int bench_scenario_load(const char *name, uint32_t count, struct scenario *scenario) {
    char path[256];
    struct failure failure;
    (void)snprintf(path, sizeof path, "scenarios/%s.json", name);
    if (scenario_file_load(path, scenario, &failure) != 0) {
        fprintf(stderr, "drover-bench: %s (run it from the top of the project)\n", failure.message);
        return -1;
    }
    scale_up(&scenario->def, count);
    return 0;
}
