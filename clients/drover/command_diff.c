/* drover diff: where and why two runs part. */
#include <stdio.h>
#include <string.h>

#include "clients/drover/command.h"
#include "clients/drover/diff.h"
#include "clients/drover/input.h"

struct diff_options {
    char with[1024];
    char cut[1024];
    bool replaces, is_json;
    struct player_means means;
};

static const struct field diff_table[] = {
    OPTION_TEXT(struct diff_options, with, "with", "PROGRAM",
                "Another build of drover, which simulates the second run."),
    OPTION_TEXT(struct diff_options, cut, "cut", "OUT",
                "Writes a recording of the two seconds around the difference, from A."),
    OPTION_FLAG(struct diff_options, replaces, "replace", "Replace the file of --cut that is there already."),
    OPTION_FLAG(struct diff_options, is_json, "json", "Prints what is found as a JSON object."),
    PLAYER_MEANS_ROWS(struct diff_options, means),
    OPTIONS_END,
};

const struct options_def command_diff_options = {
    .program = "drover diff",
    .summary = "Finds the first input, tick, agent, field and behavior in which two runs differ.",
    .positional = "A [B]",
    .positional_help =
        "Two recordings; or one, with --with, which two builds of drover simulate. One of them may be "
        "-, standard input.",
    .takes_several = true,
    .table = diff_table,
};

static int run_as_json(const struct diff_def *def, bool *is_same, struct failure *failure) {
    struct buffer line;
    buffer_init(&line, COMMAND_LINE_BYTES);
    struct json_writer json = json_writer_begin(&line);
    struct diff_def written = *def;
    written.json = &json;
    json_object(&json);
    if (diff_run(&written, is_same, failure) != 0) {
        buffer_fini(&line);
        return -1;
    }
    json_key_bool(&json, "same", *is_same);
    json_end(&json);
    return command_print_line(&line, failure);
}

enum exit_code command_diff(const struct command_context *context, int argc, char **argv) {
    struct diff_options options = {.means = {.threads = 1}};
    struct failure failure = {0};
    enum exit_code code = EXIT_WELL;
    char paths[2][INPUT_PATH];
    int count = 0;
    if (!command_options(&command_diff_options, argc, argv, &options, 1, 2, &count, &code)) {
        return code;
    }
    if ((count == 1 && options.with[0] == '\0') ||
        (count == 2 && strcmp(argv[1], "-") == 0 && strcmp(argv[2], "-") == 0)) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, NULL, "diff: %s",
                          count == 1 ? "expected A B, or A with --with PROGRAM; --help shows the usage"
                                     : "A and B cannot both be standard input");
        return command_complain(context, &failure, EXIT_USAGE);
    }
    if (options.is_json && strcmp(options.cut, "-") == 0) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, "--cut",
                          "--cut: --json has standard output for itself; allowed: --cut FILE");
        return command_complain(context, &failure, EXIT_USAGE);
    }
    struct diff_def def = {.program = options.with[0] == '\0' ? NULL : options.with,
                           .cut = options.cut,
                           .replaces = options.replaces,
                           .means = options.means,
                           .interrupt = context->interrupt};
    for (int i = 0; i < 2; i++) {
        def.argument[i] = argv[count == 1 ? 1 : 1 + i];
        def.path[i] = paths[count == 1 ? 0 : i];
        if (i < count && input_find(def.argument[i], context->interrupt, paths[i], &failure) != 0) {
            return command_complain(context, &failure, EXIT_DIFFERS);
        }
    }
    bool is_same = false;
    if ((options.is_json ? run_as_json(&def, &is_same, &failure) : diff_run(&def, &is_same, &failure)) != 0) {
        return command_complain(context, &failure, EXIT_DIFFERS);
    }
    return is_same ? EXIT_WELL : EXIT_DIFFERS;
}
