/* See run.h. */
#include "clients/drover/run/run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/limits.h"
#include "common/json/json_text.h"
#include "common/json/json_writer.h"
#include "common/system/regular_file.h"

static int run_grid_add(struct run_grid *grid, const char *name, size_t length, struct failure *failure);

enum { NUMBER_CHARS = 63 };

void run_values_fini(struct run_values *list) {
    free(list->values);
    *list = (struct run_values){0};
}

int run_values_add(struct run_values *list, double value, struct failure *failure) {
    if (list->count == RUN_VALUES_MOST) {
        return failure_set(failure, FAILURE_FULL, NULL, "too many values; allowed: at most %d",
                           RUN_VALUES_MOST);
    }
    if (list->count == list->room) {
        const int room = list->room == 0 ? 16 : 2 * list->room;
        double *values = realloc(list->values, (size_t)room * sizeof *values);
        if (values == NULL) {
            return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        }
        list->values = values;
        list->room = room;
    }
    list->values[list->count++] = value;
    return 0;
}

bool run_number_read(const char *text, size_t length, double *value) {
    char copy[NUMBER_CHARS + 1];
    char *end = NULL;
    if (length == 0 || length > NUMBER_CHARS) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (strspn(copy, "0123456789+-.eE") != length) { /* strtod reads hexadecimal numbers, too */
        return false;
    }
    *value = strtod(copy, &end);
    return end == copy + length && isfinite(*value);
}

/* The same for a whole number from 0 to 2^53 - 1. */
static bool run_seed_read(const char *text, size_t length, double *value) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
    }
    return run_number_read(text, length, value) && *value <= LIMIT_ID_INTEGER;
}

static int fail_part(const char *text, size_t length, const char *allowed, struct failure *failure) {
    return failure_set(failure, FAILURE_BAD_PARAM, NULL, "\"%.*s\" is not understood; allowed: %s",
                       length > 60 ? 60 : (int)length, text, allowed);
}

static int read_steps(struct run_values *list, const char *text, size_t length, struct failure *failure) {
    static const char allowed[] = "a number, or FROM:TO:STEP with TO not before FROM and STEP above 0";
    const char *first = memchr(text, ':', length);
    const char *second = memchr(first + 1, ':', length - (size_t)(first + 1 - text));
    double low = 0.0, high = 0.0, step = 0.0;
    if (second == NULL || !run_number_read(text, (size_t)(first - text), &low) ||
        !run_number_read(first + 1, (size_t)(second - first - 1), &high) ||
        !run_number_read(second + 1, length - (size_t)(second + 1 - text), &step) || step <= 0.0 ||
        high < low) {
        return fail_part(text, length, allowed, failure);
    }
    const double steps = floor((high - low) / step + 1e-9);
    if (!(steps < RUN_VALUES_MOST)) {
        return failure_set(failure, FAILURE_FULL, NULL, "\"%.*s\" has too many values; allowed: at most %d",
                           length > 60 ? 60 : (int)length, text, RUN_VALUES_MOST);
    }
    for (int i = 0; i <= (int)steps; i++) {
        char decimal[40];
        (void)snprintf(decimal, sizeof decimal, "%.15g", low + (double)i * step);
        if (run_values_add(list, strtod(decimal, NULL), failure) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_value(struct run_values *list, const char *text, size_t length, struct failure *failure) {
    double value = 0.0;
    if (length > 0 && memchr(text, ':', length) != NULL) {
        return read_steps(list, text, length, failure);
    }
    if (!run_number_read(text, length, &value)) {
        return fail_part(text, length, "numbers with commas between them, or FROM:TO:STEP", failure);
    }
    return run_values_add(list, value, failure);
}

static int read_seed(struct run_values *list, const char *text, size_t length, struct failure *failure) {
    size_t dots = 0;
    double low = 0.0, high = 0.0;
    while (dots + 1 < length && (text[dots] != '.' || text[dots + 1] != '.')) {
        dots++;
    }
    const bool is_one = dots + 1 >= length;
    const bool is_good = is_one ? run_seed_read(text, length, &low)
                                : run_seed_read(text, dots, &low) &&
                                      run_seed_read(text + dots + 2, length - dots - 2, &high) && low <= high;
    if (!is_good) {
        return fail_part(text, length,
                         "whole numbers from 0 to 2^53 - 1 with commas between them, or FIRST..LAST",
                         failure);
    }
    for (double seed = low; seed <= (is_one ? low : high); seed += 1.0) {
        if (run_values_add(list, seed, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Each part between commas. */
static int read_parts(struct run_values *list, const char *text, size_t length, struct failure *failure,
                      int (*read)(struct run_values *, const char *, size_t, struct failure *)) {
    const char *end = text + length;
    for (;;) {
        const char *comma = text == end ? NULL : memchr(text, ',', (size_t)(end - text));
        if (read(list, text, (size_t)((comma == NULL ? end : comma) - text), failure) != 0) {
            return -1;
        }
        if (comma == NULL) {
            return 0;
        }
        text = comma + 1;
    }
}

int run_values_read(struct run_values *list, const char *text, size_t length, struct failure *failure) {
    return read_parts(list, text, length, failure, read_value);
}

int run_seeds_read(struct run_values *list, const char *text, size_t length, struct failure *failure) {
    return read_parts(list, text, length, failure, read_seed);
}

/* ---- variant ---- */

/* The numbers are replaced in the scenario's text, so that all else stays as it was written. */

bool run_is_path(const struct world *world, const char *name) {
    static const char *const parts[] = {"world", "targets", "kinds", "agents"};
    const size_t length = strcspn(name, ".[");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strlen(parts[i]) == length && memcmp(parts[i], name, length) == 0) {
            return name[length] == '[' || world_find_kind(world, parts[i]) < 0;
        }
    }
    return false;
}

/* The text with the number at a path replaced. */
static int replace(struct buffer *text, const char *path, double value, struct failure *failure) {
    const char *found = json_value_find(text->data, path);
    const size_t length = found == NULL ? 0 : strspn(found, "-+.eE0123456789");
    if (length == 0) {
        return failure_set(failure, FAILURE_NO_PARAM, NULL,
                           "%s: %s; allowed: the path of a number that the scenario's file has", path,
                           found == NULL ? "nothing there" : "no number");
    }
    struct buffer out;
    char number[JSON_NUMBER_TEXT];
    buffer_init(&out, LIMIT_SCENARIO_BYTES);
    buffer_append(&out, text->data, (size_t)(found - text->data));
    buffer_append(&out, number, json_number_text(number, value));
    buffer_append_text(&out, found + length);
    buffer_fini(text);
    *text = out;
    return out.failed ? failure_set(failure, FAILURE_BUSY, NULL, "%s: out of memory", path) : 0;
}

int run_variant_make(const struct scenario *scenario, const struct run_plan *plan, const double *values,
                     struct scenario *out, struct failure *failure) {
    struct buffer text;
    struct failure inner = {0};
    buffer_init(&text, LIMIT_SCENARIO_BYTES);
    buffer_append(&text, scenario->text, scenario->text_length);
    int result = text.failed ? failure_set(failure, FAILURE_BUSY, NULL, "out of memory") : 0;
    for (int i = 0; i < plan->parameter_count && result == 0; i++) {
        if (plan->parameters[i].is_path && !isnan(values[i])) {
            result = replace(&text, plan->parameters[i].name, values[i], failure);
        }
    }
    if (result == 0 && scenario_read(text.data, text.length, out, &inner) != 0) {
        result = failure_set(failure, inner.code, NULL, "%s: %s", inner.field, inner.message);
    } else if (result == 0) {
        memcpy(out->name, scenario->name, sizeof out->name);
    }
    buffer_fini(&text);
    return result;
}

/* ---- design ---- */

enum { DESIGN_BYTES = 256 * 1024 * 1024 };

/* Where reading has got. A cell is text[0..length) of the line without its quotes. */
struct design {
    struct run_grid *grid;
    const char *line, *end, *next; /* of the present line; the rest of it */
    int number, cell_count;
    int seed_cell; /* of the head: the column of seeds, or -1 */
    const char *cell;
    size_t length;
};

int run_design_fail(const struct run_grid *grid, double place, const char *message, struct failure *failure) {
    const double line = floor(place / RUN_PLACE);
    return failure_set(failure, FAILURE_BAD_PARAM, "--design", "%.150s:%.0f:%.0f: %s", grid->design_name,
                       line, place - line * RUN_PLACE, message);
}

/* Where the present cell begins; columns count characters, not bytes. */
static double place_of(const struct design *design) {
    const char *at = design->cell == NULL ? design->line : design->cell;
    double column = 1.0;
    for (const char *byte = design->line; byte < at; byte++) {
        column += ((unsigned char)*byte & 0xC0u) != 0x80u ? 1.0 : 0.0;
    }
    return (double)design->number * RUN_PLACE + column;
}

static int fail(const struct design *design, const char *message, struct failure *failure) {
    return run_design_fail(design->grid, place_of(design), message, failure);
}

/* The next cell of the line. 1; 0: there is none; -1 with *failure. */
static int next_cell(struct design *design, struct failure *failure) {
    if (design->next == NULL) {
        return 0;
    }
    const size_t left = (size_t)(design->end - design->next);
    const bool is_quoted = left > 0 && design->next[0] == '"';
    design->cell = design->next + (is_quoted ? 1 : 0);
    const size_t rest = (size_t)(design->end - design->cell);
    const char *stop = rest == 0 ? NULL : memchr(design->cell, is_quoted ? '"' : ',', rest);
    if (is_quoted && stop == NULL) {
        return fail(design, "a quote has no end; allowed: \"...\" within a line", failure);
    }
    stop = stop == NULL ? design->end : stop;
    design->length = (size_t)(stop - design->cell);
    stop += is_quoted ? 1 : 0;
    if (stop < design->end && *stop != ',') {
        return fail(design, "more stands behind a quote; allowed: a comma", failure);
    }
    design->next = stop < design->end ? stop + 1 : NULL;
    return 1;
}

static int read_head(struct design *design, struct failure *failure) {
    struct failure inner = {0};
    int more = 0;
    while ((more = next_cell(design, failure)) == 1) {
        if (design->length == 4 && memcmp(design->cell, "seed", 4) == 0) {
            if (design->seed_cell >= 0) {
                return fail(design, "a second column seed; allowed: one", failure);
            }
            design->seed_cell = design->cell_count;
        } else {
            const int index = run_grid_add(design->grid, design->cell, design->length, &inner);
            if (index < 0) {
                return fail(design, inner.message, failure);
            }
            design->grid->name_places[index] = place_of(design);
        }
        design->cell_count++;
    }
    design->grid->has_design_seeds = design->seed_cell >= 0;
    design->grid->design_parameters = design->grid->parameter_count;
    return more;
}

static int read_cell(struct design *design, bool is_seed, double *value, struct failure *failure) {
    *value = (double)NAN;
    if (design->length == 0) {
        return 0;
    }
    if (is_seed && !run_seed_read(design->cell, design->length, value)) {
        return fail(design, "no seed; allowed: a whole number from 0 to 2^53 - 1, or nothing", failure);
    }
    if (!is_seed && !run_number_read(design->cell, design->length, value)) {
        return fail(design, "no number; allowed: a decimal number, or nothing", failure);
    }
    return 0;
}

static int add_value(struct design *design, double value, struct failure *failure) {
    struct failure inner = {0};
    if (run_values_add(&design->grid->design, value, &inner) != 0 ||
        run_values_add(&design->grid->design_places, place_of(design), &inner) != 0) {
        return fail(design, inner.message, failure);
    }
    return 0;
}

static int read_row(struct design *design, struct failure *failure) {
    double seed = (double)NAN;
    int cell = 0, more = 0;
    while ((more = next_cell(design, failure)) == 1) {
        double value = (double)NAN;
        if (cell == design->cell_count) {
            return fail(design, "more cells than the first line has; allowed: as many", failure);
        }
        if (read_cell(design, cell == design->seed_cell, &value, failure) != 0) {
            return -1;
        }
        seed = cell == design->seed_cell ? value : seed;
        if (cell != design->seed_cell && add_value(design, value, failure) != 0) {
            return -1;
        }
        cell++;
    }
    if (more == 0 && cell < design->cell_count) {
        return fail(design, "fewer cells than the first line has; allowed: as many", failure);
    }
    if (more == 0 && design->seed_cell >= 0 && add_value(design, seed, failure) != 0) {
        return -1;
    }
    design->grid->design_rows += more == 0 ? 1 : 0;
    return more;
}

static int read_line(struct design *design, const char *line, const char *end, struct failure *failure) {
    design->number++;
    end -= end > line && end[-1] == '\r' ? 1 : 0;
    design->line = design->next = line;
    design->end = end;
    design->cell = NULL;
    if (line == end) {
        return 0;
    }
    return design->cell_count == 0 ? read_head(design, failure) : read_row(design, failure);
}

int run_design_read(struct run_grid *grid, const char *name, const char *text, size_t length,
                    struct failure *failure) {
    static const char mark[] = "\xEF\xBB\xBF"; /* what spreadsheets put before UTF-8 */
    struct design design = {.grid = grid, .seed_cell = -1};
    const char *end = text + length;
    grid->design_name = name;
    if (length >= 3 && memcmp(text, mark, 3) == 0) {
        text += 3;
    }
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if (read_line(&design, text, newline == NULL ? end : newline, failure) != 0) {
            return -1;
        }
        text = newline == NULL ? end : newline + 1;
    }
    if (grid->design_rows == 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--design",
                           "%.150s: no rows; allowed: a line of names and a line for each run", name);
    }
    return 0;
}

int run_design_load(struct run_grid *grid, const char *path, struct failure *failure) {
    char reason[REGULAR_FILE_REASON];
    char *text = NULL;
    size_t length = 0;
    if (regular_file_read(path, DESIGN_BYTES, &text, &length, reason) != REGULAR_FILE_OK) {
        return failure_set(failure, FAILURE_NO_SAVE, "--design", "--design: %.200s: %s", path,
                           reason[0] == '\0' ? "no such file" : reason);
    }
    const int result = run_design_read(grid, path, text, length, failure);
    free(text);
    return result;
}

/* ---- plan ---- */

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

/* A further parameter; its values are empty. Its index, or -1 with *failure: no KIND.NAME, twice, too many. */
static int run_grid_add(struct run_grid *grid, const char *name, size_t length, struct failure *failure) {
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
