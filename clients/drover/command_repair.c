/* drover repair: what can be kept of a state folder, and a folder that has nothing but that. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clients/drover/command.h"
#include "clients/drover/comparison.h"
#include "clients/drover/input.h"
#include "clients/drover/player.h"
#include "common/system/log.h"
#include "server/recording/checkpoint.h"
#include "server/storage/state_directory.h"

enum { SAVE_LIMIT = 1 << 30 };

struct repair_options {
    bool writes;
};

static const struct field repair_table[] = {
    OPTION_FLAG(struct repair_options, writes, "write",
                "Puts the files aside, into DIR/old-DATE, and keeps the world as a journal of its own."),
    OPTIONS_END,
};

const struct options_def command_repair_options = {
    .program = "drover repair",
    .summary = "Shows what can be kept of a state folder that is damaged; with --write keeps it.",
    .positional = "DIR",
    .positional_help = "The folder of drover-server --state, which no server uses.",
    .takes_several = true,
    .table = repair_table,
};

/* A folder on its way. */
struct repair {
    const char *argument;
    struct state_directory *directory;
    struct player player;
    char **paths;     /* of the files that lead to what can be kept, NULL-ended */
    bool is_short;    /* newer files had to be left out */
    bool is_diverged; /* a recorded hash does not come out */
};

/* The paths of a recording; NULL without memory. */
static char **copy_paths(const struct recording *recording) {
    int count = 0;
    while (recording_path(recording, count) != NULL) {
        count++;
    }
    char **paths = calloc((size_t)count + 1, sizeof *paths);
    for (int i = 0; paths != NULL && i < count; i++) {
        paths[i] = strdup(recording_path(recording, i));
        if (paths[i] == NULL) {
            return paths; /* the first ones */
        }
    }
    return paths;
}

static void free_paths(char **paths) {
    for (int i = 0; paths != NULL && paths[i] != NULL; i++) {
        free(paths[i]);
    }
    free(paths);
}

static int find_files(struct repair *repair, struct failure *failure) {
    struct failure inner = {0}; /* of newer files, too */
    struct recording *recording = state_directory_read_some(repair->directory, &repair->is_short, &inner);
    if (recording == NULL) {
        *failure = inner;
        return -1;
    }
    repair->paths = copy_paths(recording);
    recording_close(recording);
    return repair->paths != NULL && repair->paths[0] != NULL
               ? 0
               : failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

/* Plays to the end, or to the last hash that comes out. */
static int play(struct repair *repair, struct failure *failure) {
    struct player *player = &repair->player;
    struct comparison comparison = {.every = 1, .has_from = true, .from = player->facts->last};
    if (comparison_run(&comparison, player, failure) != 0) {
        return -1;
    }
    repair->is_diverged = comparison.differs;
    if (!repair->is_diverged) {
        return 0;
    }
    const struct recording_moment agreed = replay_agreed(player->replay);
    comparison_print_difference(player);
    replay_end_at(player->replay, &agreed);
    return comparison_run(&comparison, player, failure);
}

static void print_kept(const struct repair *repair) {
    const struct recording_facts *facts = repair->player.facts;
    const struct recording_moment now = player_moment(&repair->player);
    (void)input_print_damage(repair->argument, facts, stdout);
    if (repair->is_short) {
        (void)printf("%s: files are missing or cannot be read; what is newer than they is left out\n",
                     repair->argument);
    }
    (void)printf("%s: %s can be kept up to tick %" PRIu64 " and request %" PRIu64 ", hash %016" PRIx64 "\n",
                 repair->argument, repair->player.state.name, now.tick, now.seq,
                 simulation_state_hash(&repair->player.state));
}

static int keep(const struct repair *repair, struct failure *failure) {
    const struct simulation_state *state = &repair->player.state;
    struct checkpoint_rest rest = checkpoint_rest_of(state);
    struct buffer text;
    rest.is_paused = repair->player.facts->is_paused_at_end;
    buffer_init(&text, SAVE_LIMIT);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, &text, NULL);
    const int result = text.failed
                           ? failure_set(failure, FAILURE_BUSY, NULL, "out of memory")
                           : state_directory_replace(repair->directory, text.data, text.length, failure);
    buffer_fini(&text);
    return result;
}

static enum exit_code repair_folder(struct repair *repair, bool writes, struct failure *failure) {
    if (play(repair, failure) != 0) {
        return EXIT_DIFFERS;
    }
    print_kept(repair);
    if (!repair->is_diverged && !repair->is_short && !repair->player.facts->damage.is_there) {
        (void)printf("%s: nothing is damaged\n", repair->argument);
        return EXIT_WELL;
    }
    if (!writes) {
        (void)printf("%s: --write keeps that, and puts the files aside\n", repair->argument);
        return EXIT_DIFFERS;
    }
    if (keep(repair, failure) != 0) {
        return EXIT_DIFFERS;
    }
    (void)printf("%s: kept; the files as they were are in its folder old-DATE\n", repair->argument);
    return EXIT_WELL;
}

/* state_directory_open would make one. */
static int check_folder(const char *path, struct failure *failure) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode)
               ? 0
               : failure_set(failure, FAILURE_NO_SAVE, NULL,
                             "%.200s: no such folder; allowed: a state folder", path);
}

enum exit_code command_repair(const struct command_context *context, int argc, char **argv) {
    struct repair_options options = {.writes = false};
    struct failure failure = {0};
    enum exit_code code = EXIT_WELL;
    int count = 0;
    if (!command_options(&command_repair_options, argc, argv, &options, 1, 1, &count, &code)) {
        return code;
    }
    struct repair repair = {.argument = argv[1]};
    code = EXIT_DIFFERS;
    log_set_level(LOG_ERROR);
    if (check_folder(argv[1], &failure) == 0 &&
        (repair.directory = state_directory_open(argv[1], false, &failure)) != NULL &&
        find_files(&repair, &failure) == 0) {
        const struct player_means means = {.threads = 1, .more = repair.paths + 1};
        if (player_open(&repair.player, repair.paths[0], repair.paths[0], &means, context->interrupt,
                        &failure) == 0) {
            code = repair_folder(&repair, options.writes, &failure);
            player_close(&repair.player);
        }
    }
    free_paths(repair.paths);
    state_directory_close(repair.directory);
    return failure.code == FAILURE_NONE ? code : command_complain(context, &failure, EXIT_DIFFERS);
}
