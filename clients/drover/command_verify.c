/* drover verify: simulates a recording again and compares the hashes. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "clients/drover/command.h"
#include "clients/drover/diff.h"
#include "clients/drover/player.h"

/* ---- a recording and this program ---- */

static bool is_far_enough(const struct comparison *comparison, const struct player *player) {
    const struct recording_moment *until = comparison->until;
    const struct recording_moment at = player_moment(player);
    return until != NULL && (at.world > until->world || (at.world == until->world && at.tick >= until->tick));
}

static int play_to_difference(struct comparison *comparison, struct player *player, struct failure *failure) {
    for (;;) {
        enum player_result result = player_settle(player, failure);
        comparison->differs = player_divergence(player)->has_diverged;
        if (result == PLAYER_FAILED) {
            return -1;
        }
        if (result == PLAYER_END || comparison->differs || is_far_enough(comparison, player)) {
            return 0;
        }
        const uint64_t tick = player_moment(player).tick;
        if (player_tick(player, failure) == PLAYER_FAILED) {
            return -1;
        }
        comparison->ticks += player_moment(player).tick - tick;
        if (comparison->progress != NULL) {
            progress_show(comparison->progress, comparison->ticks);
        }
    }
}

int comparison_run(struct comparison *comparison, struct player *player, struct failure *failure) {
    const struct recording_moment first = player_first(player);
    player->hashes.every = comparison->every;
    return player_begin(player, comparison->has_from ? &comparison->from : &first, failure) == 0
               ? play_to_difference(comparison, player, failure)
               : -1;
}

/* "The request that came last before it: number 4, spawn at tick 97, of session 2 (Ann)." */
static void print_last_request(const struct player *player, const struct recording_moment *equal) {
    const struct recording_moment *moment = &player->asked.moment;
    const struct replay_change *change = &player->asked.change;
    if (moment->seq == 0) {
        (void)printf("No request came before it in this world.\n");
        return;
    }
    (void)printf("The request that came last before it: number %" PRIu64 ", %s at tick %" PRIu64
                 ", of session %" PRIu32,
                 moment->seq, request_op_name(change->op), moment->tick, change->by);
    if (change->name[0] != '\0') {
        (void)printf(" (%s)", change->name);
    }
    if (equal->world == moment->world && equal->seq >= moment->seq) {
        (void)printf("; behind it the hash of tick %" PRIu64 " was the same", equal->tick);
    }
    (void)printf(".\n");
}

static bool is_hash(const struct replay_divergence *divergence) {
    return divergence->recorded != 0 || divergence->computed != 0;
}

/* The last hash that was the same. *count: of how many. */
static const struct recording_moment *last_equal(const struct player *player, uint64_t *count) {
    const bool is_last = !is_hash(player_divergence(player));
    *count = player->hashes.compared - (is_last ? 0 : 1);
    return is_last ? &player->hashes.last : &player->hashes.previous;
}

void comparison_print_difference(const struct player *player) {
    const struct replay_divergence *divergence = player_divergence(player);
    uint64_t equals;
    const struct recording_moment *equal = last_equal(player, &equals);
    (void)printf("%s: core %" PRIu32 ": ", player->argument, player->facts->header.core);
    if (equals > 0 && equal->world == divergence->moment.world) {
        (void)printf("the same to tick %" PRIu64 " (%" PRIu64 " hash%s), ", equal->tick, equals,
                     equals == 1 ? "" : "es");
    }
    (void)printf("differs at tick %" PRIu64, divergence->moment.tick);
    if (player->facts->world_count > 1) {
        (void)printf(" of world %" PRIu32, divergence->moment.world);
    }
    if (is_hash(divergence)) {
        (void)printf(": the recording has %016" PRIx64 ", this program computes %016" PRIx64 "\n",
                     divergence->recorded, divergence->computed);
        print_last_request(player, equal);
    } else {
        (void)printf(": %s\n", divergence->reason);
    }
}

static void write_last_request(const struct player *player, struct json_writer *json) {
    const struct recording_moment *moment = &player->asked.moment;
    if (moment->seq != 0) {
        json_key(json, "request");
        json_object(json);
        json_key_unsigned(json, "seq", moment->seq);
        json_key_string(json, "op", request_op_name(player->asked.change.op));
        json_key_unsigned(json, "tick", moment->tick);
        json_key_unsigned(json, "by", player->asked.change.by);
        json_key_string(json, "name", player->asked.change.name);
        json_end(json);
    }
}

void comparison_write_difference(const struct player *player, struct json_writer *json) {
    const struct replay_divergence *divergence = player_divergence(player);
    uint64_t equals;
    const struct recording_moment *equal = last_equal(player, &equals);
    json_key(json, "difference");
    json_object(json);
    json_key_unsigned(json, "world", divergence->moment.world);
    json_key_unsigned(json, "tick", divergence->moment.tick);
    if (equals > 0 && equal->world == divergence->moment.world) {
        json_key_unsigned(json, "same_to_tick", equal->tick);
    }
    if (is_hash(divergence)) {
        json_key(json, "recorded");
        json_hex64(json, divergence->recorded);
        json_key(json, "computed");
        json_hex64(json, divergence->computed);
        write_last_request(player, json);
    } else {
        json_key_string(json, "reason", divergence->reason);
    }
    json_end(json);
}

/* The first checkpoint of the world that the player is in that it has not passed; NULL: none. */
static const struct recording_moment *next_checkpoint(const struct player *player) {
    const struct recording_moment at = player_moment(player);
    for (int i = 0; i < player->facts->checkpoint_count; i++) {
        const struct recording_moment *checkpoint = &player->facts->checkpoints[i];
        if (checkpoint->world == at.world &&
            (checkpoint->tick > at.tick || (checkpoint->tick == at.tick && checkpoint->seq >= at.seq))) {
            /* That of a gap is no result of what was before it. */
            return player_find_gap(player, &at, checkpoint) == NULL ? checkpoint : NULL;
        }
    }
    return NULL;
}

/* Stops at a moment, between the requests before and after it. */
static bool is_before(void *context, struct player *player) {
    const struct recording_moment *moment = context;
    const struct recording_moment at = player_moment(player);
    return at.world == moment->world && (at.tick < moment->tick || at.seq < moment->seq);
}

static int go_to(struct player *player, struct recording_moment *moment, struct failure *failure) {
    if (!is_before(moment, player)) {
        return 0;
    }
    player->look = is_before;
    player->context = moment;
    const int result = player_go(player, moment, failure);
    player->look = NULL;
    return result;
}

static int print_against(struct player *player, struct player *recorded,
                         const struct recording_moment *checkpoint, struct json_writer *json,
                         struct failure *failure) {
    struct world_difference *difference = calloc(1, sizeof *difference);
    if (difference == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    int result = player_begin(recorded, checkpoint, failure);
    if (result == 0) {
        result = world_difference_find(recorded->state.world, player->state.world, difference, failure);
    }
    if (result == 0 && json != NULL) {
        json_key(json, "checkpoint");
        json_object(json);
        json_key_unsigned(json, "tick", checkpoint->tick);
        world_difference_write(difference, "recorded", "computed", json);
        json_end(json);
    } else if (result == 0) {
        (void)printf("At the checkpoint of tick %" PRIu64 " %" PRId32 " of %" PRId32 " agents differ:\n",
                     checkpoint->tick, difference->agent_count, world_agent_count(recorded->state.world));
        world_difference_print(difference, "recording", "here");
    }
    free(difference);
    return result;
}

int comparison_print_checkpoint(struct player *player, const char *path, struct json_writer *json,
                                struct failure *failure) {
    const struct recording_moment *checkpoint = next_checkpoint(player);
    if (checkpoint == NULL) {
        if (json == NULL) {
            (void)printf("No checkpoint follows in the recording, so nothing is known about its agents.\n");
        }
        return 0;
    }
    struct recording_moment moment = *checkpoint;
    if (go_to(player, &moment, failure) != 0) {
        return -1;
    }
    const struct player_means means = {.threads = 1, .is_anyway = true, .more = player->more};
    struct player recorded;
    if (player_open(&recorded, player->argument, path, &means, player->interrupt, failure) != 0) {
        return -1;
    }
    const int result = print_against(player, &recorded, checkpoint, json, failure);
    player_close(&recorded);
    return result;
}

void comparison_begin_list(struct json_writer *json, const char *key) {
    if (json != NULL) {
        json_key(json, key);
        json_array(json);
    }
}

void comparison_end_list(struct json_writer *json) {
    if (json != NULL) {
        json_end(json);
    }
}

/* ---- the command ---- */

struct verify_options {
    uint32_t every;
    bool is_json;
    struct player_means means;
};

static const struct field verify_table[] = {
    OPTION_NUMBER(struct verify_options, every, "every", 1, 1000000, 1, "N",
                  "Compares each N-th hash of the recording."),
    OPTION_FLAG(struct verify_options, is_json, "json",
                "Prints a JSON object for each recording, one a line."),
    PLAYER_MEANS_ROWS(struct verify_options, means),
    OPTIONS_END,
};

const struct options_def command_verify_options = {
    .program = "drover verify",
    .summary = "Plays a recording again and compares the hashes; where they part, the agents too.",
    .positional = "FILE...",
    .positional_help =
        "Recordings, saved worlds or state folders, each by itself; - is standard input. Files that continue "
        "each other, such as a checkpoint of a state folder and the journals from its number on, are played "
        "as one.",
    .takes_several = true,
    .table = verify_table,
};

enum verdict { VERDICT_SAME, VERDICT_DIFFERS, VERDICT_UNPROVED, VERDICT_INCOMPLETE };

/* What was verified of a recording, world by world. */
struct verification {
    struct json_writer *json; /* of --json; NULL: for people */
    uint64_t ticks, hashes;
    int missing; /* worlds that cannot be played */
    bool
        is_torn; /* nothing was recorded after such a world was put in, so only the end of the file is missing */
};

static void print_same(const struct verification *verified, const struct player *player) {
    if (verified->ticks == 0 && verified->missing == 0 && player->facts->checkpoint_count > 0) {
        (void)printf("%s: core %" PRIu32 ": the world of tick %" PRIu64 ", whose hash is right\n",
                     player->argument, player->facts->header.core, player->facts->last.tick);
        return;
    }
    (void)printf("%s: core %" PRIu32 ": %" PRIu64 " ticks, %" PRIu64 " hash%s, all the same",
                 player->argument, player->facts->header.core, verified->ticks, verified->hashes,
                 verified->hashes == 1 ? "" : "es");
    if (player->facts->checkpoint_count > 0) {
        (void)printf("; %d checkpoint%s, whole", player->facts->checkpoint_count,
                     player->facts->checkpoint_count == 1 ? "" : "s");
    }
    if (player->facts->files_without_sums > 0) {
        (void)fputs(player->facts->files == 1 ? "; no sums in this file" : "; no sums in some of its files",
                    stdout);
    }
    (void)putchar('\n');
}

static void print_verdict(enum verdict verdict, const struct verification *verified,
                          const struct player *player) {
    if (verdict == VERDICT_UNPROVED) {
        (void)printf("%s: core %" PRIu32 ": %" PRIu64
                     " ticks, but the recording has no hash to compare with\n",
                     player->argument, player->facts->header.core, verified->ticks);
    } else if (verdict != VERDICT_DIFFERS) {
        print_same(verified, player);
    }
}

static void write_verdict(enum verdict verdict, const struct verification *verified,
                          const struct player *player) {
    static const char *const names[] = {"same", "differs", "unproved", "incomplete"};
    json_key_string(verified->json, "file", player->argument);
    json_key_string(verified->json, "verdict", names[verdict]);
    json_key_unsigned(verified->json, "core", player->facts->header.core);
    json_key_unsigned(verified->json, "ticks", verified->ticks);
    json_key_unsigned(verified->json, "hashes", verified->hashes);
    json_key_unsigned(verified->json, "checkpoints", (uint64_t)player->facts->checkpoint_count);
    json_key_bool(verified->json, "sums", player->facts->files_without_sums == 0);
}

/* Whether each checkpoint holds the world that its hash says; names those that do not. */
static bool check_checkpoints(const struct player *player, struct json_writer *json) {
    const struct recording_facts *facts = player->facts;
    bool is_right = true;
    for (int i = 0; i < facts->checkpoint_count && !interrupt_is_set(player->interrupt); i++) {
        struct failure failure = {0};
        if (recording_check_checkpoint(player->recording, i, &failure) == 0) {
            continue;
        }
        if (json != NULL) {
            input_write_checkpoint(player->argument, facts, i, failure.message, json);
        } else {
            (void)printf("%s: the checkpoint of tick %" PRIu64 " of world %" PRIu32 " differs from its hash: "
                         "%s\n",
                         player->argument, facts->checkpoints[i].tick, facts->checkpoints[i].world,
                         failure.message);
        }
        is_right = false;
    }
    return is_right;
}

/* A world that cannot be played. Returns the index of the world after it. */
static int pass_over_world(struct player *player, int index, struct verification *verified,
                           struct failure *failure) {
    const struct recording_world *world = &player->facts->worlds[index];
    verified->missing++;
    verified->is_torn = index == player->facts->world_count - 1 && world->last_tick == world->first_tick;
    if (verified->json != NULL) {
        json_object(verified->json);
        json_key_unsigned(verified->json, "world", world->number);
        json_key_string(verified->json, "scenario", world->scenario);
        json_key_unsigned(verified->json, "first_tick", world->first_tick);
        json_key_unsigned(verified->json, "last_tick", world->last_tick);
        json_key_string(verified->json, "reason", failure->message);
        json_end(verified->json);
        *failure = (struct failure){0};
        return index + 1;
    }
    (void)printf("%s; so world %" PRIu32 " (%s, ticks %" PRIu64 " to %" PRIu64 ") cannot be verified\n",
                 failure->message, world->number, world->scenario, world->first_tick, world->last_tick);
    *failure = (struct failure){0};
    return index + 1;
}

/* The index of the world that failed: the one that the player is in, or the one that it was about to put in. */
static int find_failed(const struct player *player, int begun, bool has_begun) {
    const uint32_t number = has_begun ? player_moment(player).world : 0;
    int index = begun;
    while (has_begun && index + 1 < player->facts->world_count &&
           player->facts->worlds[index].number <= number) {
        index++;
    }
    return index;
}

/* Plays all worlds, those behind one that cannot be played as well; *comparison->differs at the first difference. 0; -1 with
 * *failure when none can be played. */
static int verify_worlds(struct comparison *comparison, struct player *player, struct verification *verified,
                         struct failure *failure) {
    for (int index = 0; index < player->facts->world_count;) {
        const struct recording_world *world = &player->facts->worlds[index];
        const uint64_t ticks = comparison->ticks;
        comparison->has_from = true;
        comparison->from = (struct recording_moment){.world = world->number, .tick = world->first_tick};
        const int result = comparison_run(comparison, player, failure);
        verified->ticks = comparison->ticks;
        verified->hashes += player->hashes.compared;
        if (result == 0) {
            return 0;
        }
        const bool has_begun = player->hashes.compared > 0 || comparison->ticks > ticks;
        if (failure->code != FAILURE_BAD_SAVE || player->facts->world_count == 1) {
            return -1;
        }
        index = pass_over_world(player, find_failed(player, index, has_begun), verified, failure);
    }
    return 0;
}

static int play(struct player *player, uint32_t every, struct comparison *comparison,
                struct verification *verified, struct failure *failure) {
    struct progress progress;
    *comparison = (struct comparison){.every = every, .progress = &progress};
    progress_begin(&progress, "verify", player_ticks(player, NULL));
    comparison_begin_list(verified->json, "not_verified");
    const int result = verify_worlds(comparison, player, verified, failure);
    comparison_end_list(verified->json);
    progress_end(&progress);
    comparison->progress = NULL;
    return result;
}

/* Says where it differs. */
static int report_difference(struct player *player, const char *path, struct json_writer *json,
                             struct failure *failure) {
    if (json != NULL) {
        comparison_write_difference(player, json);
    } else {
        comparison_print_difference(player);
    }
    return comparison_print_checkpoint(player, path, json, failure);
}

static enum verdict find_verdict(const struct player *player, const struct verification *verified) {
    comparison_begin_list(verified->json, "damaged_checkpoints");
    const bool is_right = check_checkpoints(player, verified->json);
    comparison_end_list(verified->json);
    const bool is_whole = !player->facts->damage.is_there &&
                          (verified->missing == 0 || (verified->missing == 1 && verified->is_torn));
    return !is_right               ? VERDICT_DIFFERS
           : verified->hashes == 0 ? VERDICT_UNPROVED
           : is_whole              ? VERDICT_SAME
                                   : VERDICT_INCOMPLETE;
}

static enum exit_code verify(struct player *player, const char *path, uint32_t every,
                             struct json_writer *json, struct failure *failure) {
    struct comparison comparison;
    struct verification verified = {.json = json};
    enum verdict verdict = VERDICT_DIFFERS;
    const int result = play(player, every, &comparison, &verified, failure);
    if (json != NULL) {
        input_write_damage(player->facts, json);
        input_write_gaps(player->facts, json);
    } else {
        (void)input_print_damage(player->argument, player->facts, stdout);
        input_print_gaps(player->argument, player->facts, stdout);
    }
    if (result != 0 || (comparison.differs && report_difference(player, path, json, failure) != 0)) {
        return EXIT_DIFFERS; /* *failure says what happened */
    }
    if (!comparison.differs) {
        verdict = find_verdict(player, &verified);
    }
    (json != NULL ? write_verdict : print_verdict)(verdict, &verified, player);
    return verdict == VERDICT_SAME ? EXIT_WELL : EXIT_DIFFERS;
}

/* The same, for people or as a line of --json. */
static enum exit_code verify_and_say(struct player *player, const char *path,
                                     const struct verify_options *options, struct failure *failure) {
    struct buffer line;
    if (!options->is_json) {
        return verify(player, path, options->every, NULL, failure);
    }
    buffer_init(&line, COMMAND_LINE_BYTES);
    struct json_writer json = json_writer_begin(&line);
    json_object(&json);
    const enum exit_code code = verify(player, path, options->every, &json, failure);
    if (failure->code != FAILURE_NONE) {
        buffer_fini(&line);
        return code;
    }
    json_end(&json);
    return command_print_line(&line, failure) == 0 ? code : EXIT_DIFFERS;
}

/* The first `joined` of the arguments, as one recording. */
static enum exit_code verify_joined(const struct command_context *context, char **arguments, int joined,
                                    const struct verify_options *options) {
    struct player_means means = options->means;
    struct failure failure = {0};
    struct player player;
    char path[INPUT_PATH];
    char *next = arguments[joined]; /* argv ends with NULL */
    enum exit_code code = EXIT_DIFFERS;
    arguments[joined] = NULL;
    means.more = arguments + 1;
    if (input_find(arguments[0], context->interrupt, path, &failure) == 0 &&
        player_open(&player, arguments[0], path, &means, context->interrupt, &failure) == 0) {
        code = verify_and_say(&player, path, options, &failure);
        player_close(&player);
    }
    arguments[joined] = next;
    return failure.code == FAILURE_NONE ? code : command_complain(context, &failure, EXIT_DIFFERS);
}

enum exit_code command_verify(const struct command_context *context, int argc, char **argv) {
    struct verify_options options = {.every = 1, .means = {.threads = 1}};
    enum exit_code code = EXIT_WELL;
    int count = 0;
    if (!command_options(&command_verify_options, argc, argv, &options, 1, argc, &count, &code)) {
        return code;
    }
    code = EXIT_WELL;
    for (int done = 0; done < count && !interrupt_is_set(context->interrupt);) {
        const int joined = input_group(argv + 1 + done, count - done);
        const enum exit_code one = verify_joined(context, argv + 1 + done, joined, &options);
        code = one == EXIT_WELL ? code : one;
        done += joined;
    }
    return code;
}
