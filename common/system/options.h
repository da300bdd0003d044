/* Command-line options from a table: parsing, ranges, --help. Shared by the server and the viewer.
 *
 * Rows are struct field (common/base/field.h): name "max-clients" is the flag --max-clients VALUE or
 * --max-clients=VALUE; FIELD_BOOL is a switch without a value. `unit` names the value in the help ("N",
 * "ADDR", "FILE"). The macros OPTION_... below make a row each.
 */
#ifndef DROVER_COMMON_SYSTEM_OPTIONS_H
#define DROVER_COMMON_SYSTEM_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/failure.h"
#include "common/base/field.h"

/* Rows of a table. member: of the struct; name: the flag without its dashes; unit, help: texts for --help. */
#define OPTION_FLAG(structure, member, name_, help_)                                                         \
    { .name = (name_), .type = FIELD_BOOL, FIELD_MEMBER(structure, member), .help = (help_) }
#define OPTION_TEXT(structure, member, name_, unit_, help_)                                                  \
    { .name = (name_), .type = FIELD_TEXT, FIELD_MEMBER(structure, member), .unit = (unit_), .help = (help_) }
/** A text that may be given more than once (FIELD_LIST). */
#define OPTION_TEXTS(structure, member, name_, unit_, help_)                                                 \
    {                                                                                                        \
        .name = (name_), .type = FIELD_TEXT, FIELD_MEMBER(structure, member), .flags = FIELD_LIST,           \
        .unit = (unit_), .help = (help_)                                                                     \
    }
/** An int, the index of one of the names in choices_, which NULL ends. */
#define OPTION_CHOICE(structure, member, name_, choices_, unit_, help_)                                      \
    {                                                                                                        \
        .name = (name_), .type = FIELD_CHOICE, FIELD_MEMBER(structure, member), .choices = (choices_),       \
        .unit = (unit_), .help = (help_)                                                                     \
    }
/** A number from min_ to max_: uint32_t, uint64_t or double, as the member is. */
#define OPTION_NUMBER(structure, member, name_, min_, max_, initial_, unit_, help_)                          \
    {                                                                                                        \
        .name = (name_),                                                                                     \
        .type = _Generic(((structure *)0)->member, uint32_t                                                  \
                         : FIELD_UINT32, uint64_t                                                            \
                         : FIELD_UINT64, double                                                              \
                         : FIELD_DOUBLE),                                                                    \
        FIELD_MEMBER(structure, member), .min = (min_), .max = (max_), .initial = (initial_),                \
        .unit = (unit_), .help = (help_)                                                                     \
    }
#define OPTIONS_END                                                                                          \
    { .type = FIELD_END }

struct options_def {
    const char *program;    /* "drover-server" */
    const char *summary;    /* one line */
    const char *positional; /* "[SCENARIO]", or NULL when none is taken */
    const char *positional_help;
    bool takes_several;        /* positional arguments, and not one at most: see options_parse */
    const struct field *table; /* FIELD_END-ended; may not contain help or version */
    const char *epilog;        /* printed after the options; NULL for none */
    void (*print_more)(
        FILE *out); /* prints what is known only when it runs, after the epilog; NULL for none */
};

enum options_result { OPTIONS_RUN, OPTIONS_EXIT /* --help or --version was printed */, OPTIONS_BAD };

/** Reads argv[1..) over *object, which holds the defaults already (--help shows them). At most one positional
 * argument, stored in *positional (points into argv, NULL when absent); when def->takes_several, any number
 * of them, which are moved to argv[1], argv[2] ..., with NULL after the last; then -5 is a number, not a flag. OPTIONS_BAD fills *failure with
 * a sentence that names the flag and what is allowed. */
enum options_result options_parse(const struct options_def *def, int argc, char **argv, void *object,
                                  const char **positional, struct failure *failure);
void options_print_help(const struct options_def *def, FILE *out);

#endif
