/* drover cut: a part of a recording as a recording of its own. */
#include <stdio.h>
#include <string.h>

#include "clients/drover/command.h"
#include "clients/drover/input.h"
#include "clients/drover/player.h"

struct cut_options {
    uint64_t from, to;
    uint32_t world;
    bool replaces;
    struct player_means means;
};

#define LARGEST 9007199254740991.0
static const struct field cut_table[] = {
    OPTION_NUMBER(struct cut_options, from, "from", 0, LARGEST, 0, "TICK", "The first tick of the part."),
    OPTION_NUMBER(struct cut_options, to, "to", 0, LARGEST, 0, "TICK",
                  "The last tick; 0: that of the recording."),
    OPTION_NUMBER(struct cut_options, world, "world", 0, 1000000, 0, "N",
                  "The world, counted from 1, of a recording in which scenarios were loaded; 0: the last."),
    OPTION_FLAG(struct cut_options, replaces, "replace", "Replace the file that is there already."),
    PLAYER_MEANS_ROWS(struct cut_options, means),
    OPTIONS_END,
};

const struct options_def command_cut_options = {
    .program = "drover cut",
    .summary =
        "Writes a part of a recording: the world as it was at its first tick, and the lines from there.",
    .positional = "FILE OUT",
    .positional_help = "The recording, and the recording that is written; - is standard input and output.",
    .takes_several = true,
    .table = cut_table,
};

static int check_ticks(const struct cut_options *options, struct failure *failure) {
    if (options->to != 0 && options->to < options->from) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--to", "--to: %llu is before --from, %llu",
                           (unsigned long long)options->to, (unsigned long long)options->from);
    }
    return 0;
}

enum exit_code command_cut(const struct command_context *context, int argc, char **argv) {
    struct cut_options options = {.means = {.threads = 1}};
    struct failure failure = {0};
    struct player player;
    enum exit_code code = EXIT_WELL;
    char path[INPUT_PATH];
    int count = 0;
    if (!command_options(&command_cut_options, argc, argv, &options, 2, 2, &count, &code)) {
        return code;
    }
    if (check_ticks(&options, &failure) != 0) {
        return command_complain(context, &failure, EXIT_USAGE);
    }
    if (input_find(argv[1], context->interrupt, path, &failure) != 0 ||
        player_open(&player, argv[1], path, &options.means, context->interrupt, &failure) != 0) {
        return command_complain(context, &failure, EXIT_DIFFERS);
    }
    (void)input_print_damage(argv[1], player.facts, stderr);
    struct cut cut = {.world = options.world == 0 ? player.facts->worlds[player.facts->world_count - 1].number
                                                  : options.world,
                      .from = options.from,
                      .to = options.to == 0 ? UINT64_MAX : options.to,
                      .path = argv[2],
                      .replaces = options.replaces};
    const int result = cut_write(&cut, &player, context->interrupt, &failure);
    player_close(&player);
    return result == 0 ? EXIT_WELL : command_complain(context, &failure, EXIT_DIFFERS);
}
