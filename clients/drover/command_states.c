/* drover states: the other end of side.c. Lines on standard input are questions about a recording that is
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
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clients/drover/command.h"
#include "clients/drover/player.h"
#include "clients/drover/side.h"
#include "common/base/buffer.h"
#include "server/recording/checkpoint.h"

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
