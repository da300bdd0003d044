/* See run_plan.h. */
#include "clients/drover/run/run_plan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *run_parameter_own(const struct run_parameter *parameter) {
    const char *point = strchr(parameter->name, '.');
    assert(point != NULL);
    return point + 1;
}

void run_grid_fini(struct run_grid *grid) {
    for (int i = 0; i < grid->parameter_count; i++) {
        run_values_fini(&grid->values[i]);
    }
    run_values_fini(&grid->seeds);
    run_values_fini(&grid->design);
    run_values_fini(&grid->design_places);
}

int run_grid_add(struct run_grid *grid, const char *name, size_t length, struct failure *failure) {
    const char *point = length == 0 ? NULL : memchr(name, '.', length);
    const int shown = length > 60 ? 60 : (int)length;
    if (point == NULL || point == name || point == name + length - 1 || length > RUN_PARAMETER_CHARS) {
        return failure_set(
            failure, FAILURE_BAD_PARAM, NULL,
            "\"%.*s\" is no parameter; allowed: KIND.PARAMETER, as bird.max_speed, or a path of the "
            "scenario, as world.walls[0][3]",
            shown, name);
    }
    for (int i = 0; i < grid->parameter_count; i++) {
        if (strlen(grid->parameters[i].name) == length &&
            memcmp(grid->parameters[i].name, name, length) == 0) {
            return failure_set(failure, FAILURE_BAD_PARAM, NULL, "%.*s is set twice; allowed: once", shown,
                               name);
        }
    }
    if (grid->parameter_count == RUN_PLAN_PARAMETERS) {
        return failure_set(failure, FAILURE_FULL, NULL, "too many parameters; allowed: at most %d",
                           RUN_PLAN_PARAMETERS);
    }
    memcpy(grid->parameters[grid->parameter_count].name, name, length);
    grid->parameters[grid->parameter_count].name[length] = '\0';
    return grid->parameter_count++;
}

static int read_one(struct run_grid *grid, const char *text, size_t length, struct failure *failure) {
    const char *equals = memchr(text, '=', length);
    struct failure inner = {0};
    if (equals == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--set",
                           "--set: \"%.*s\" has no values; allowed: KIND.PARAMETER=VALUES",
                           length > 60 ? 60 : (int)length, text);
    }
    const int index = run_grid_add(grid, text, (size_t)(equals - text), &inner);
    if (index < 0 || run_values_read(&grid->values[index], equals + 1, length - (size_t)(equals + 1 - text),
                                     &inner) != 0) {
        return failure_set(failure, inner.code, "--set", "--set%s%s: %s", index < 0 ? "" : " ",
                           index < 0 ? "" : grid->parameters[index].name, inner.message);
    }
    return 0;
}

int run_grid_read_set(struct run_grid *grid, const char *text, struct failure *failure) {
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        if (length > 0 && read_one(grid, text, length, failure) != 0) {
            return -1;
        }
        text += length;
        text += strspn(text, " ");
    }
    return 0;
}

/* ---- runs ---- */

static int row_count(const struct run_grid *grid) {
    return grid->design_parameters > 0 || grid->has_design_seeds ? grid->design_rows : 1;
}

static int seed_count(const struct run_grid *grid) {
    return grid->has_design_seeds || grid->seeds.count == 0 ? 1 : grid->seeds.count;
}

/* How many runs there are; 0: too many. */
static uint32_t count_runs(const struct run_grid *grid) {
    double count = (double)row_count(grid) * (double)seed_count(grid);
    for (int i = grid->design_parameters; i < grid->parameter_count; i++) {
        count *= (double)grid->values[i].count;
    }
    return count <= RUN_PLAN_RUNS ? (uint32_t)count : 0;
}

static void fill_run(const struct run_grid *grid, uint64_t seed, struct run_plan *plan, uint32_t run) {
    const int in_design = grid->design_parameters;
    const int row_length = in_design + (grid->has_design_seeds ? 1 : 0);
    double *values = &plan->values[(size_t)run * (size_t)plan->parameter_count];
    uint32_t rest = run;
    plan->seeds[run] = grid->seeds.count > 0 && !grid->has_design_seeds
                           ? (uint64_t)grid->seeds.values[rest % (uint32_t)seed_count(grid)]
                           : seed;
    rest /= (uint32_t)seed_count(grid);
    for (int i = grid->parameter_count - 1; i >= in_design; i--) {
        values[i] = grid->values[i].values[rest % (uint32_t)grid->values[i].count];
        rest /= (uint32_t)grid->values[i].count;
    }
    if (row_length == 0) {
        return;
    }
    const double *row = grid->design.values + (size_t)rest * (size_t)row_length;
    for (int i = 0; i < in_design; i++) {
        values[i] = row[i];
    }
    if (grid->has_design_seeds && !isnan(row[in_design])) {
        plan->seeds[run] = (uint64_t)row[in_design];
    }
}

int run_plan_make(const struct run_grid *grid, uint64_t seed, struct run_plan *plan,
                  struct failure *failure) {
    *plan = (struct run_plan){.parameter_count = grid->parameter_count, .count = count_runs(grid)};
    if (plan->count == 0) {
        return failure_set(failure, FAILURE_FULL, NULL, "too many runs; allowed: at most %d", RUN_PLAN_RUNS);
    }
    memcpy(plan->parameters, grid->parameters, sizeof plan->parameters);
    const size_t values = (size_t)plan->count * (size_t)plan->parameter_count;
    plan->seeds = malloc(plan->count * sizeof *plan->seeds);
    plan->values = malloc((values + 1) * sizeof *plan->values);
    if (plan->seeds == NULL || plan->values == NULL) {
        run_plan_fini(plan);
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    for (uint32_t run = 0; run < plan->count; run++) {
        fill_run(grid, seed, plan, run);
    }
    return 0;
}

void run_plan_fini(struct run_plan *plan) {
    free(plan->seeds);
    free(plan->values);
    plan->seeds = NULL;
    plan->values = NULL;
}

const double *run_plan_values(const struct run_plan *plan, uint32_t run) {
    assert(run < plan->count);
    return &plan->values[(size_t)run * (size_t)plan->parameter_count];
}
