/* Command-line options from a table: parsing, ranges, --help. Shared by the server and the viewer.
 *
 * Rows are struct field (common/base/field.h): name "max-clients" is the flag --max-clients VALUE or
 * --max-clients=VALUE; FIELD_BOOL is a switch without a value. `unit` names the value in the help ("N",
 * "ADDR", "FILE").
 */
#ifndef DROVER_COMMON_SYSTEM_OPTIONS_H
#define DROVER_COMMON_SYSTEM_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/failure.h"
#include "common/base/field.h"

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
