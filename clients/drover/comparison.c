/* See comparison.h. */
#include "clients/drover/comparison.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "clients/drover/world_difference.h"

static bool is_far_enough(const struct comparison *comparison, const struct player *player) {
    const struct recording_moment *until = comparison->until;
    const struct recording_moment at = player_moment(player);
    return until != NULL && (at.world > until->world || (at.world == until->world && at.tick >= until->tick));
}

static int play(struct comparison *comparison, struct player *player, struct failure *failure) {
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
               ? play(comparison, player, failure)
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
    if (checkpoint == NULL && json != NULL) {
        return 0;
    }
    if (checkpoint == NULL) {
        (void)printf("No checkpoint follows in the recording, so nothing is known about its agents.\n");
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
