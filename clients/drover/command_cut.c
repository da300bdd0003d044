/* drover cut: a part of a recording as a recording of its own. drover repair: what can be kept of a state folder, and a folder that
 * has nothing but that. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clients/drover/command.h"
#include "clients/drover/diff.h"
#include "clients/drover/player.h"
#include "common/system/log.h"
#include "server/recording/checkpoint.h"
#include "server/recording/core_changes.h"
#include "server/recording/recording_line.h"
#include "server/sim/core.h"
#include "server/storage/state_directory.h"

/* ---- a part of a recording: its beginning ---- */

struct cutting {
    const struct cut *cut;
    struct output *output;
    uint32_t world;                /* of the line that was visited last */
    struct recording_moment start; /* of the checkpoint */
    uint64_t last_seq;
    uint32_t sum; /* of the lines so far */
};

static int go_to_start(struct cut *cut, struct player *player, struct failure *failure) {
    const struct recording_world *world = player_find_world(player, cut->world);
    if (world == NULL) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--world",
                           "--world: the recording has no world %lu; drover info lists them",
                           (unsigned long)cut->world);
    }
    const uint64_t from = cut->from > world->first_tick ? cut->from : world->first_tick;
    if (from > world->last_tick) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--from",
                           "--from: %llu; world %lu has ticks %llu to %llu", (unsigned long long)from,
                           (unsigned long)cut->world, (unsigned long long)world->first_tick,
                           (unsigned long long)world->last_tick);
    }
    cut->to = cut->to < world->last_tick ? cut->to : world->last_tick;
    struct recording_moment moment = {.world = cut->world, .tick = from};
    if (player_begin(player, &moment, failure) != 0) {
        return -1;
    }
    if (player_moment(player).tick >= from) {
        return 0;
    }
    moment.tick = from - 1; /* then one tick, so that the requests of that tick are still to come */
    if (player_go(player, &moment, failure) != 0) {
        return -1;
    }
    return player_tick(player, failure) == PLAYER_FAILED ? -1 : 0;
}

/* The header, as the recording has it but for the core, which has computed the world that follows: a world and a
 * checkpoint line of the state that the player is at. */
static void write_start(const struct player *player, struct buffer *out, uint32_t *sum) {
    const struct simulation_state *state = &player->state;
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    struct recording_line header = player->facts->header;
    struct buffer saved;
    header.core = CORE_NUMBER;
    recording_line_write(&header, out);
    line_sum_seal(out, 0, sum);
    buffer_init(&saved, out->limit);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, &saved, NULL);
    const char *second = saved.failed ? NULL : memchr(saved.data, '\n', saved.length);
    if (second == NULL) {
        out->failed = true;
    } else {
        second++;
        line_sum_append(out, second, saved.length - (size_t)(second - saved.data), sum);
    }
    buffer_fini(&saved);
}

/* ---- its lines ---- */

static bool is_within(const struct cutting *cutting, const struct recording_line *line) {
    if (cutting->world != cutting->cut->world || line->tick > cutting->cut->to ||
        line->tick < cutting->start.tick) {
        return false;
    }
    if (line->op == RECORDING_HASH) {
        return line->seq >= cutting->start.seq;
    }
    if (line->op == RECORDING_CHECKPOINT) {
        return line->tick > cutting->start.tick && line->seq >= cutting->start.seq;
    }
    return (line->op == RECORDING_DO && line->seq > cutting->start.seq) ||
           (line->op == RECORDING_AT && line->seq >= cutting->start.seq);
}

static bool copy_line(void *context, const char *text, size_t length) {
    struct cutting *cutting = context;
    struct recording_line line;
    struct failure failure;
    if (recording_line_read(text, length, &line, &failure) != 0) {
        return true;
    }
    if (line.op == RECORDING_WORLD) {
        cutting->world = line.world;
    }
    if (is_within(cutting, &line)) {
        line_sum_append(&cutting->output->buffer, text, length + 1, &cutting->sum); /* with its newline */
        cutting->last_seq = line.seq > cutting->last_seq ? line.seq : cutting->last_seq;
    }
    return output_flush(cutting->output);
}

static void write_end(struct cutting *cutting) {
    const struct recording_line end = {
        .op = RECORDING_END, .tick = cutting->cut->to, .seq = cutting->last_seq};
    const size_t begin = cutting->output->buffer.length;
    recording_line_write(&end, &cutting->output->buffer);
    line_sum_seal(&cutting->output->buffer, begin, &cutting->sum);
}

static int write_lines(const struct cut *cut, struct player *player, struct output *output,
                       struct failure *failure) {
    struct cutting cutting = {.cut = cut,
                              .output = output,
                              .start = {cut->world, world_tick(player->state.world), player->state.seq},
                              .last_seq = player->state.seq};
    write_start(player, &output->buffer, &cutting.sum);
    if (recording_visit(player->recording, copy_line, &cutting, failure) != 0) {
        output_abandon(output);
        return -1;
    }
    write_end(&cutting);
    return output_finish(output, failure);
}

/* The checkpoint behind a gap stands with a world line, which a part has at its start alone. */
static int check_gaps(const struct cut *cut, const struct player *player, struct failure *failure) {
    const struct recording_moment from = player_moment(player), to = {.tick = cut->to};
    const struct recording_gap *gap = player_find_gap(player, &from, &to);
    return gap == NULL
               ? 0
               : failure_set(failure, FAILURE_OUT_OF_RANGE, "--to",
                             "what happened from tick %llu to %llu is in no file; a part may end "
                             "before it, or begin behind it",
                             (unsigned long long)gap->before.tick, (unsigned long long)gap->after.tick);
}

int cut_write(struct cut *cut, struct player *player, struct interrupt *interrupt, struct failure *failure) {
    struct output output;
    if (go_to_start(cut, player, failure) != 0 || check_gaps(cut, player, failure) != 0 ||
        output_begin(&output, interrupt, cut->path, cut->replaces, failure) != 0) {
        return -1;
    }
    cut->from = world_tick(player->state.world);
    return write_lines(cut, player, &output, failure);
}

/* ---- drover cut ---- */

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

/* ---- drover repair ---- */

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
