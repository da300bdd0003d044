/* A side of drover diff, and drover states, which is its other end. A request is a line, and so is the first line of each answer; "failed TEXT" is an answer to any. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/drover/command.h"
#include "clients/drover/diff.h"
#include "clients/drover/player.h"
#include "common/base/buffer.h"
#include "server/recording/checkpoint.h"

/* The first line of another program's answers; the number is raised when they change. */
#define SIDE_GREETING "drover states 1"

static void other_program_end(struct other_program *other);

enum { LINE = 512, PIECE = 1 << 16, STATE_MOST = 1 << 30, SPAWN_TEXT = 4096 };

struct other_program {
    const char *program;
    struct interrupt *interrupt;
    pid_t child;
    int to, from; /* pipes */
    size_t at, length;
    char piece[PIECE]; /* what was read and is not used yet: [at, length) */
};

static int fail(const struct other_program *other, const char *what, struct failure *failure) {
    return failure_set(failure, FAILURE_IO, NULL, "%.200s: %s", other->program, what);
}

/* ---- reading and writing ---- */

static int send_text(struct other_program *other, const char *text, struct failure *failure) {
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t written = write(other->to, text, left);
        if (written < 0 && errno != EINTR) {
            return fail(other, "the program has ended, or is no drover of this version", failure);
        }
        text += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

static int fill(struct other_program *other, struct failure *failure) {
    if (!interrupt_wait(other->interrupt, other->from, POLLIN)) {
        return fail(other, "interrupted", failure);
    }
    const ssize_t length = read(other->from, other->piece, sizeof other->piece);
    if (length <= 0) {
        return fail(other, "the program has ended, or is no drover of this version", failure);
    }
    other->at = 0;
    other->length = (size_t)length;
    return 0;
}

static int read_line(struct other_program *other, char line[LINE], struct failure *failure) {
    size_t length = 0;
    for (;;) {
        if (other->at == other->length && fill(other, failure) != 0) {
            return -1;
        }
        const char next = other->piece[other->at++];
        if (next == '\n') {
            line[length] = '\0';
            break;
        }
        if (length == LINE - 1) {
            return fail(other, "its answer is too long", failure);
        }
        line[length++] = next;
    }
    if (strncmp(line, "failed ", 7) == 0) {
        return fail(other, line + 7, failure);
    }
    return 0;
}

static int expect(struct other_program *other, const char *answer, struct failure *failure) {
    char line[LINE];
    if (read_line(other, line, failure) != 0) {
        return -1;
    }
    return strcmp(line, answer) == 0 ? 0 : fail(other, "the program is no drover of this version", failure);
}

/* ---- starting and ending ---- */

/* posix_spawn wants texts that may be changed. */
static bool copy_word(char out[SPAWN_TEXT], const char *text) {
    const int length = snprintf(out, SPAWN_TEXT, "%s", text);
    return length >= 0 && length < SPAWN_TEXT;
}

static int spawn(struct other_program *other, const struct side_def *def, const int to[2],
                 const int from[2]) {
    extern char **environ;
    char threads[24];
    char simd[24];
    posix_spawn_file_actions_t actions;
    (void)snprintf(threads, sizeof threads, "%" PRIu32, def->means.threads);
    (void)snprintf(simd, sizeof simd, "%s", player_simd_choices[def->means.simd]);
    char program[SPAWN_TEXT];
    char path[SPAWN_TEXT];
    char words[][12] = {"states", "--threads", "--simd", "--anyway", "--"};
    if (!copy_word(program, def->program) || !copy_word(path, def->path)) {
        return ENAMETOOLONG;
    }
    char *arguments[10] = {program, words[0], words[1], threads, words[2], simd};
    int count = 6;
    if (def->means.is_anyway) {
        arguments[count++] = words[3];
    }
    arguments[count++] = words[4];
    arguments[count++] = path;
    arguments[count] = NULL;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return ENOMEM;
    }
    int error = posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    error = error != 0 ? error : posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    error =
        error != 0 ? error : posix_spawnp(&other->child, def->program, &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void close_all(const int *descriptors, int count) {
    for (int i = 0; i < count; i++) {
        if (descriptors[i] >= 0) {
            (void)close(descriptors[i]);
        }
    }
}

/* Two pipes whose ends no other child gets. */
static int make_pipes(int ends[4]) {
    ends[0] = ends[1] = ends[2] = ends[3] = -1;
    if (pipe(ends) != 0 || pipe(ends + 2) != 0) {
        close_all(ends, 4);
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    return 0;
}

/* NULL with *failure. */
static struct other_program *other_program_start(const struct side_def *def, struct failure *failure) {
    struct other_program *other = calloc(1, sizeof *other);
    int ends[4];
    if (other == NULL || make_pipes(ends) != 0) {
        free(other);
        (void)failure_set(failure, FAILURE_BUSY, NULL, "no pipe to another program can be made");
        return NULL;
    }
    *other = (struct other_program){
        .program = def->program, .interrupt = def->interrupt, .to = ends[1], .from = ends[2]};
    const int error = spawn(other, def, ends, ends + 2);
    (void)close(ends[0]);
    (void)close(ends[3]);
    if (error != 0) {
        other->child = 0;
        (void)fail(other, strerror(error), failure);
        other_program_end(other);
        return NULL;
    }
    if (expect(other, SIDE_GREETING, failure) != 0) {
        other_program_end(other);
        return NULL;
    }
    return other;
}

/* Ends the child. NULL is fine. */
static void other_program_end(struct other_program *other) {
    if (other == NULL) {
        return;
    }
    (void)close(other->to);
    (void)close(other->from);
    if (other->child > 0) {
        (void)kill(other->child, SIGTERM);
        while (waitpid(other->child, NULL, 0) < 0 && errno == EINTR) {}
    }
    free(other);
}

/* ---- questions ---- */

static int ask(struct other_program *other, const char *question, const char *answer,
               struct failure *failure) {
    return send_text(other, question, failure) == 0 ? expect(other, answer, failure) : -1;
}

static int ask_moment(struct other_program *other, const char *word, const struct recording_moment *moment,
                      struct failure *failure) {
    char line[LINE];
    (void)snprintf(line, sizeof line, "%s %" PRIu32 " %" PRIu64 "\n", word, moment->world, moment->tick);
    return ask(other, line, "ok", failure);
}

static int other_program_begin(struct other_program *other, const struct recording_moment *moment,
                               struct failure *failure) {
    return ask_moment(other, "begin", moment, failure);
}

static int other_program_go(struct other_program *other, const struct recording_moment *moment,
                            struct failure *failure) {
    return ask_moment(other, "go", moment, failure);
}

static int other_program_tick(struct other_program *other, struct failure *failure) {
    return ask(other, "tick\n", "ok", failure);
}

static int other_program_ask(struct other_program *other, int most, struct failure *failure) {
    char line[LINE];
    (void)snprintf(line, sizeof line, "rows %d\n", most);
    return send_text(other, line, failure);
}

static int other_program_rows(struct other_program *other, struct side_row *rows, int most, bool *is_over,
                              struct failure *failure) {
    char line[LINE];
    for (int count = 0;;) {
        if (read_line(other, line, failure) != 0) {
            return -1;
        }
        struct side_row row = {0};
        if (strcmp(line, "more") == 0 || strcmp(line, "end") == 0) {
            *is_over = line[0] == 'e';
            return count;
        }
        if (count == most || sscanf(line, "row %" SCNu32 " %" SCNu64 " %" SCNx64 " %" SCNx64, &row.at.world,
                                    &row.at.tick, &row.arrived, &row.settled) != 4) {
            return fail(other, "the program is no drover of this version", failure);
        }
        rows[count++] = row;
    }
}

/* Reads `bytes` bytes to out. */
static int read_bytes(struct other_program *other, char *out, size_t bytes, struct failure *failure) {
    while (bytes > 0) {
        if (other->at == other->length && fill(other, failure) != 0) {
            return -1;
        }
        const size_t there = other->length - other->at;
        const size_t some = there < bytes ? there : bytes;
        memcpy(out, other->piece + other->at, some);
        other->at += some;
        out += some;
        bytes -= some;
    }
    return 0;
}

/* *out is empty before, and the caller's afterwards. */
static int other_program_world(struct other_program *other, struct built_world *out,
                               struct failure *failure) {
    char line[LINE];
    size_t bytes = 0;
    if (send_text(other, "state\n", failure) != 0 || read_line(other, line, failure) != 0) {
        return -1;
    }
    if (sscanf(line, "state %zu", &bytes) != 1 || bytes > STATE_MOST) {
        return fail(other, "the program is no drover of this version", failure);
    }
    char *text = malloc(bytes + 1);
    if (text == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    int result = read_bytes(other, text, bytes, failure);
    text[bytes] = '\0';
    if (result == 0) {
        const struct world_overrides overrides = {.max_agents = LIMIT_AGENTS};
        struct checkpoint_rest rest;
        struct failure inner = {0};
        if (saved_world_read(text, bytes, &overrides, &other->interrupt->is_set, out, &rest, &inner) != 0) {
            result = fail(other, inner.message, failure);
        }
    }
    free(text);
    return result;
}

static int read_force(struct other_program *other, struct side_force *out, struct failure *failure) {
    char line[LINE];
    char label[sizeof out->label];
    uint32_t bits[2];
    if (read_line(other, line, failure) != 0) {
        return -1;
    }
    static_assert(sizeof label >= 47, "sscanf is given 46 characters");
    if (sscanf(line, "force %46s %" SCNx32 " %" SCNx32, label, &bits[0], &bits[1]) != 3) {
        return fail(other, "the program is no drover of this version", failure);
    }
    memcpy(out->label, label, sizeof out->label);
    memcpy(&out->force.x, &bits[0], sizeof bits[0]);
    memcpy(&out->force.y, &bits[1], sizeof bits[1]);
    return 0;
}

static int other_program_explain(struct other_program *other, uint32_t agent, struct side_forces *out,
                                 struct failure *failure) {
    char line[LINE];
    (void)snprintf(line, sizeof line, "forces %" PRIu32 "\n", agent);
    if (send_text(other, line, failure) != 0 || read_line(other, line, failure) != 0) {
        return -1;
    }
    if (sscanf(line, "forces %d", &out->count) != 1 || out->count < 0 || out->count > LIMIT_BEHAVIORS + 1) {
        return fail(other, "the program is no drover of this version", failure);
    }
    for (int i = 0; i < out->count; i++) {
        if (read_force(other, &out->rows[i], failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- this program ---- */

static int side_player_row(struct player *player, uint64_t *arrived, struct side_row *row, bool *is_over,
                           struct failure *failure) {
    const uint64_t seq = player->state.seq;
    const enum player_result result = player_settle(player, failure);
    if (result == PLAYER_FAILED) {
        return -1;
    }
    const struct recording_moment at = player_moment(player);
    *row = (struct side_row){.at = {.world = at.world, .tick = at.tick}, .arrived = *arrived};
    row->settled = player->state.seq == seq ? *arrived : world_hash(player->state.world);
    *is_over = result == PLAYER_END;
    if (*is_over) {
        return 0;
    }
    if (player_tick(player, failure) == PLAYER_FAILED) {
        return -1;
    }
    *arrived = world_hash(player->state.world);
    return 0;
}

static int side_player_explain(const struct player *player, uint32_t agent, struct side_forces *out,
                               struct failure *failure) {
    const struct world *world = player->state.world;
    const int32_t row = world_find_agent(world, agent);
    struct steering_view view;
    if (row < 0) {
        return failure_set(failure, FAILURE_NO_AGENT, NULL, "no agent %" PRIu32, agent);
    }
    world_explain(world, row, &view);
    out->count = view.count;
    for (int i = 0; i < view.count; i++) {
        (void)snprintf(out->rows[i].label, sizeof out->rows[i].label, "%s", view.labels[i]);
        out->rows[i].force = view.forces[i];
    }
    return 0;
}

/* ---- both ---- */

int side_open(struct side *side, const struct side_def *def, struct failure *failure) {
    *side = (struct side){.name = def->name};
    if (def->program != NULL) {
        side->other = other_program_start(def, failure);
        return side->other == NULL ? -1 : 0;
    }
    if (player_open(&side->player, def->argument, def->path, &def->means, def->interrupt, failure) != 0) {
        return -1;
    }
    side->is_open = true;
    return 0;
}

void side_close(struct side *side) {
    if (side->is_open) {
        player_close(&side->player);
        side->is_open = false;
    }
    other_program_end(side->other);
    side->other = NULL;
    built_world_fini(&side->borrowed);
}

int side_begin(struct side *side, const struct recording_moment *moment, struct failure *failure) {
    side->is_over = false;
    if (side->other != NULL) {
        return other_program_begin(side->other, moment, failure);
    }
    if (player_begin(&side->player, moment, failure) != 0) {
        return -1;
    }
    side->arrived = world_hash(side->player.state.world);
    return 0;
}

int side_ask(struct side *side, int most, struct failure *failure) {
    return side->other != NULL && !side->is_over ? other_program_ask(side->other, most, failure) : 0;
}

int side_rows(struct side *side, struct side_row *rows, int most, struct failure *failure) {
    int count = 0;
    if (side->other != NULL && !side->is_over) {
        return other_program_rows(side->other, rows, most, &side->is_over, failure);
    }
    while (count < most && !side->is_over) {
        if (side_player_row(&side->player, &side->arrived, &rows[count], &side->is_over, failure) != 0) {
            return -1;
        }
        count++;
    }
    return count;
}

int side_go(struct side *side, const struct recording_moment *moment, struct failure *failure) {
    return side->other != NULL ? other_program_go(side->other, moment, failure)
                               : player_go(&side->player, moment, failure);
}

int side_tick(struct side *side, struct failure *failure) {
    if (side->other != NULL) {
        return other_program_tick(side->other, failure);
    }
    return player_tick(&side->player, failure) == PLAYER_FAILED ? -1 : 0;
}

const struct world *side_world(struct side *side, struct failure *failure) {
    if (side->other == NULL) {
        return side->player.state.world;
    }
    built_world_fini(&side->borrowed);
    return other_program_world(side->other, &side->borrowed, failure) == 0 ? side->borrowed.world : NULL;
}

int side_explain(struct side *side, uint32_t agent, struct side_forces *out, struct failure *failure) {
    return side->other != NULL ? other_program_explain(side->other, agent, out, failure)
                               : side_player_explain(&side->player, agent, out, failure);
}

/* ---- drover states ---- */

/* The other end of a side. Lines on standard input are questions about a recording that is
 * simulated, answered on standard output:
 *
 *     begin WORLD TICK    ok: at the last checkpoint or world at or before it
 *     go WORLD TICK       ok: on to this tick, settled there
 *     tick                ok: one tick
 *     rows N              up to N lines row WORLD TICK ARRIVED SETTLED (hashes), one a tick; then more, or end
 *     state               state BYTES, and so many bytes: a saved world
 *     forces AGENT        forces N, and N lines force LABEL X Y (bits of floats)
 *
 * "failed TEXT" is an answer to any of them. The end of standard input ends the program.
 */

enum { QUESTION = 128, STATE_LIMIT = 1 << 30, ROWS_MOST = 100000 };

struct states_options {
    struct player_means means;
};

static const struct field states_table[] = {
    PLAYER_MEANS_ROWS(struct states_options, means),
    OPTIONS_END,
};

const struct options_def command_states_options = {
    .program = "drover states",
    .summary =
        "Answers drover diff --with: lines on standard input are questions about the run of a recording.",
    .positional = "FILE",
    .positional_help = "The recording.",
    .takes_several = true,
    .table = states_table,
};

struct states {
    struct player player;
    uint64_t arrived;
};

static int answer_rows(struct states *states, int count, struct failure *failure) {
    bool is_over = false;
    for (int i = 0; i < count && i < ROWS_MOST && !is_over; i++) {
        struct side_row row;
        if (side_player_row(&states->player, &states->arrived, &row, &is_over, failure) != 0) {
            return -1;
        }
        (void)printf("row %" PRIu32 " %" PRIu64 " %" PRIx64 " %" PRIx64 "\n", row.at.world, row.at.tick,
                     row.arrived, row.settled);
    }
    (void)printf("%s\n", is_over ? "end" : "more");
    return 0;
}

static int answer_state(struct states *states, struct failure *failure) {
    const struct simulation_state *state = &states->player.state;
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    struct buffer out;
    buffer_init(&out, STATE_LIMIT);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, &out, NULL);
    const bool is_whole = !out.failed;
    if (is_whole) {
        (void)printf("state %zu\n", out.length);
        (void)fwrite(out.data, 1, out.length, stdout);
    }
    buffer_fini(&out);
    return is_whole ? 0 : failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

static int answer_forces(struct states *states, uint32_t agent, struct failure *failure) {
    struct side_forces forces;
    if (side_player_explain(&states->player, agent, &forces, failure) != 0) {
        return -1;
    }
    (void)printf("forces %d\n", forces.count);
    for (int i = 0; i < forces.count; i++) {
        (void)printf("force %s %" PRIx32 " %" PRIx32 "\n", forces.rows[i].label,
                     float_bits(forces.rows[i].force.x), float_bits(forces.rows[i].force.y));
    }
    return 0;
}

static int answer_begin(struct states *states, const struct recording_moment *moment,
                        struct failure *failure) {
    if (player_begin(&states->player, moment, failure) != 0) {
        return -1;
    }
    states->arrived = world_hash(states->player.state.world);
    return 0;
}

static int answer(struct states *states, const char *question, struct failure *failure) {
    struct recording_moment moment = {0};
    uint32_t agent = 0;
    int count = 0;
    int result = 0;
    const bool has_world = states->player.state.world != NULL;
    if (sscanf(question, "begin %" SCNu32 " %" SCNu64, &moment.world, &moment.tick) == 2) {
        result = answer_begin(states, &moment, failure);
    } else if (has_world && sscanf(question, "rows %d", &count) == 1) {
        return answer_rows(states, count, failure);
    } else if (has_world && strcmp(question, "state\n") == 0) {
        return answer_state(states, failure);
    } else if (has_world && sscanf(question, "forces %" SCNu32, &agent) == 1) {
        return answer_forces(states, agent, failure);
    } else if (has_world && sscanf(question, "go %" SCNu32 " %" SCNu64, &moment.world, &moment.tick) == 2) {
        result = player_go(&states->player, &moment, failure);
    } else if (has_world && strcmp(question, "tick\n") == 0) {
        result = player_tick(&states->player, failure) == PLAYER_FAILED ? -1 : 0;
    } else {
        return failure_set(failure, FAILURE_INVALID, NULL, "unknown question \"%.60s\"", question);
    }
    if (result == 0) {
        (void)printf("ok\n");
    }
    return result;
}

static void answer_all(struct states *states, struct interrupt *interrupt) {
    char question[QUESTION];
    struct failure failure = {0};
    (void)printf("%s\n", SIDE_GREETING);
    (void)fflush(stdout);
    while (interrupt_wait(interrupt, STDIN_FILENO, POLLIN) &&
           fgets(question, sizeof question, stdin) != NULL) {
        if (answer(states, question, &failure) != 0) {
            (void)printf("failed %s\n", failure.message);
        }
        (void)fflush(stdout);
    }
}

enum exit_code command_states(const struct command_context *context, int argc, char **argv) {
    struct states_options options = {.means = {.threads = 1}};
    struct failure failure = {0};
    enum exit_code code = EXIT_WELL;
    struct states states = {0};
    int count = 0;
    if (!command_options(&command_states_options, argc, argv, &options, 1, 1, &count, &code)) {
        return code;
    }
    if (player_open(&states.player, argv[1], argv[1], &options.means, context->interrupt, &failure) != 0) {
        (void)printf("failed %s\n", failure.message);
        return EXIT_DIFFERS;
    }
    answer_all(&states, context->interrupt);
    player_close(&states.player);
    return EXIT_WELL;
}
