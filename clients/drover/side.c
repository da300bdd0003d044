/* See side.h. */
#include "clients/drover/side.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clients/drover/other_program.h"

/* ---- this program ---- */

int side_player_row(struct player *player, uint64_t *arrived, struct side_row *row, bool *is_over,
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

int side_player_explain(const struct player *player, uint32_t agent, struct side_forces *out,
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
