/* The names of measures. See run_measures.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/run/run_measures.h"
#include "clients/drover/run/run_values.h"
#include "common/text/nearest_name.h"
#include "common/text/text_list.h"

static const char *const measure_names[RUN_MEASURE_COUNT] = {
    "count", "speed", "polarization", "milling", "nearest", "overlaps", "caught", "reached", "at_rest"};

static struct run_column column_of(const struct world *world, enum run_measure measure, int kind, int state) {
    struct run_column column = {.measure = measure, .kind = kind, .state = state};
    if (kind < 0) {
        (void)snprintf(column.name, sizeof column.name, "%s", measure_names[measure]);
        return column;
    }
    const struct kind_def *def = world_kind(world, kind);
    (void)snprintf(column.name, sizeof column.name, "%s.%s%s%s", measure_names[measure], def->name,
                   state < 0 ? "" : ".", state < 0 ? "" : def->states[state].name);
    return column;
}

static int count_states(const struct world *world, enum run_measure measure, int kind) {
    const int states = world_kind(world, kind)->state_count;
    return measure == RUN_COUNT && states > 1 ? states : 0;
}

static int add(struct run_columns *columns, const struct run_column *column, struct failure *failure) {
    for (int i = 0; i < columns->count; i++) {
        if (strcmp(columns->rows[i].name, column->name) == 0) {
            return failure_set(failure, FAILURE_BAD_PARAM, "--measure", "--measure: %s twice; allowed: once",
                               column->name);
        }
    }
    struct run_column *rows = realloc(columns->rows, ((size_t)columns->count + 1) * sizeof *rows);
    if (rows == NULL) {
        return failure_set(failure, FAILURE_BUSY, "--measure", "out of memory");
    }
    columns->rows = rows;
    columns->rows[columns->count++] = *column;
    return 0;
}

/* All agents, each kind, and of a count the states of each kind. */
static int add_measure(const struct world *world, enum run_measure measure, struct run_columns *columns,
                       struct failure *failure) {
    struct run_column column = column_of(world, measure, -1, -1);
    if (add(columns, &column, failure) != 0) {
        return -1;
    }
    for (int kind = 0; kind < world_kind_count(world); kind++) {
        for (int state = -1; state < count_states(world, measure, kind); state++) {
            column = column_of(world, measure, kind, state);
            if (add(columns, &column, failure) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* The one column of this name. */
static int find_column(const struct world *world, const char *option, const char *name,
                       struct run_column *column, struct failure *failure) {
    struct nearest_name nearest = nearest_name_begin(name);
    char list[240] = "";
    char hint[NEAREST_HINT_BYTES];
    for (int measure = 0; measure < RUN_MEASURE_COUNT; measure++) {
        text_list_add(list, sizeof list, measure_names[measure], false);
        for (int kind = -1; kind < world_kind_count(world); kind++) {
            const int states = kind < 0 ? 0 : count_states(world, (enum run_measure)measure, kind);
            for (int state = -1; state < states; state++) {
                *column = column_of(world, (enum run_measure)measure, kind, state);
                if (strcmp(column->name, name) == 0) {
                    return 0;
                }
                nearest_name_offer(&nearest, column->name);
            }
        }
    }
    nearest_name_hint(&nearest, hint);
    return failure_set(failure, FAILURE_BAD_PARAM, option,
                       "%s: no measure \"%.60s\"%s; there are %s, each also of a kind: count.KIND", option,
                       name, hint, list);
}

static int add_name(const struct world *world, const char *name, struct run_columns *columns,
                    struct failure *failure) {
    struct run_column column;
    if (find_column(world, "--measure", name, &column, failure) != 0) {
        return -1;
    }
    return column.kind < 0 ? add_measure(world, column.measure, columns, failure)
                           : add(columns, &column, failure);
}

static int add_list(const struct world *world, const char *list, struct run_columns *columns,
                    struct failure *failure) {
    for (;;) {
        char name[RUN_COLUMN_CHARS];
        const size_t length = strcspn(list, ",");
        (void)snprintf(name, sizeof name, "%.*s", length >= sizeof name ? (int)sizeof name - 1 : (int)length,
                       list);
        if (add_name(world, name, columns, failure) != 0) {
            return -1;
        }
        if (list[length] == '\0') {
            return 0;
        }
        list += length + 1;
    }
}

int run_columns_make(const struct world *world, const char *list, struct run_columns *columns,
                     struct failure *failure) {
    int result = 0;
    *columns = (struct run_columns){0};
    if (list[0] != '\0') {
        result = add_list(world, list, columns, failure);
    }
    for (int measure = 0; list[0] == '\0' && measure < RUN_MEASURE_COUNT && result == 0; measure++) {
        result = add_measure(world, (enum run_measure)measure, columns, failure);
    }
    if (result != 0) {
        run_columns_fini(columns);
    }
    return result;
}

void run_columns_fini(struct run_columns *columns) {
    free(columns->rows);
    *columns = (struct run_columns){0};
}

/* ---- when a run ends ---- */

static int fail_until(const char *text, struct failure *failure) {
    return failure_set(failure, FAILURE_BAD_PARAM, "--until",
                       "--until: \"%.60s\" is not understood; allowed: a measure, one of < <= > >= == !=, a "
                       "number, as caught>=5",
                       text);
}

/* The comparison that a text begins with, and its length; 0: none. */
static size_t read_comparison(const char *text, enum run_comparison *comparison) {
    static const struct {
        const char *text;
        enum run_comparison comparison;
    } rows[] = {{"<=", RUN_AT_MOST}, {">=", RUN_AT_LEAST}, {"==", RUN_EQUAL}, {"!=", RUN_DIFFERENT},
                {"<", RUN_LESS},     {">", RUN_MORE},      {"=", RUN_EQUAL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t length = strlen(rows[i].text);
        if (strncmp(text, rows[i].text, length) == 0) {
            *comparison = rows[i].comparison;
            return length;
        }
    }
    return 0;
}

int run_until_read(const struct world *world, const char *text, struct run_until *until,
                   struct failure *failure) {
    char name[RUN_COLUMN_CHARS];
    *until = (struct run_until){.is_set = text[0] != '\0'};
    if (!until->is_set) {
        return 0;
    }
    const char *start = text + strspn(text, " ");
    const size_t length = strcspn(start, " <>=!");
    const char *sign = start + length + strspn(start + length, " ");
    const size_t sign_length = read_comparison(sign, &until->comparison);
    const char *number = sign + sign_length + strspn(sign + sign_length, " ");
    if (length == 0 || length >= sizeof name || sign_length == 0 ||
        !run_number_read(number, strlen(number), &until->value)) {
        return fail_until(text, failure);
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)length, start);
    return find_column(world, "--until", name, &until->column, failure);
}
