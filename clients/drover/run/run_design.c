/* See run_design.h. */
#include "clients/drover/run/run_design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/regular_file.h"

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
