/* See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/system/clock.h"
#include "common/system/duty.h"
#include "common/system/log.h"
#include "common/system/process.h"
#include "server/commands/simulation_state.h"
#include "server/recording/checkpoint.h"
#include "server/sim/world/world_stripes.h"

/* The line of a million agents has some 150 MB. */
static const size_t text_limit_bytes = (size_t)1 << 30;

struct keeper {
    struct keeper_def def;
    struct duty duty;
    /* The simulation thread's while idle, the keeper's while busy. */
    struct keeper_order order;
    struct world_room room;
    struct world *clone;
    bool lacks_memory; /* the room that was asked for last could not be taken */
    struct checkpoint_rest rest;
    char name[LIMIT_NAME_CHARS + 1];
    char *text; /* of the scenario of text_epoch */
    size_t text_length;
    uint32_t epoch, text_epoch;
};

/* ---- the thread ---- */

static char *take_text(struct buffer *text, size_t *length, const char *what) {
    if (text->failed) {
        log_write(LOG_ERROR, "keeper", "out of memory: %s is not written", what);
        buffer_fini(text);
        return NULL;
    }
    return buffer_take(text, length);
}

static void work(struct keeper *keeper, struct keeper_result *result) {
    const uint64_t start_ns = clock_now_ns();
    struct buffer text;
    if ((keeper->order.tasks & (KEEPER_LINE | KEEPER_MEMORY)) != 0) {
        buffer_init(&text, text_limit_bytes);
        checkpoint_write(keeper->clone, &keeper->rest, &text, &result->hash);
        result->line = take_text(&text, &result->line_length, "a checkpoint");
    }
    if ((keeper->order.tasks & KEEPER_SAVE) != 0) {
        buffer_init(&text, text_limit_bytes);
        saved_world_write(keeper->clone, &keeper->rest, keeper->name, keeper->text, keeper->text_length,
                          &text, &result->hash);
        result->save = take_text(&text, &result->save_length, "a checkpoint");
    }
    if (keeper->order.tasks == KEEPER_HASH) {
        result->hash = world_hash(keeper->clone);
    }
    result->spent_ns = clock_now_ns() - start_ns;
}

/* The system must not end the server for a copy. */
static bool has_memory(const struct world_room *room) {
    return room->agents <= WORLD_SMALL || world_room_bytes(room) <= memory_free(1);
}

/* Some more than is needed now: worlds grow little by little. */
static void take_room(struct keeper *keeper) {
    const int64_t wanted = (int64_t)keeper->room.agents + keeper->room.agents / 8;
    keeper->room.agents = (int32_t)(wanted < LIMIT_AGENTS ? wanted : LIMIT_AGENTS);
    struct world *clone = has_memory(&keeper->room) ? world_new_room(&keeper->room) : NULL;
    if (clone != NULL) {
        world_destroy(keeper->clone);
        keeper->clone = clone;
    }
    keeper->lacks_memory = clone == NULL; /* keeper_take may still find some */
}

static void do_order(void *argument) {
    struct keeper *keeper = argument;
    if (keeper->order.tasks == KEEPER_ROOM) {
        take_room(keeper);
        return;
    }
    struct keeper_result result = {.order = keeper->order,
                                   .epoch = keeper->epoch,
                                   .tick = world_tick(keeper->clone),
                                   .seq = keeper->rest.seq};
    work(keeper, &result);
    keeper->def.on_done(keeper->def.context, &result);
    free(result.line);
    free(result.save);
}

/* ---- life ---- */

static void free_parts(struct keeper *keeper) {
    world_destroy(keeper->clone);
    free(keeper->text);
    free(keeper);
}

struct keeper *keeper_create(const struct keeper_def *def, const struct simulation_state *state) {
    struct keeper *keeper = calloc(1, sizeof *keeper);
    if (keeper == NULL) {
        return NULL;
    }
    keeper->def = *def;
    const struct world_room none = {0}; /* most orders need no copy of a world that ranks share */
    keeper->clone = world_is_partial(state->world) ? world_new_room(&none) : world_clone_new(state->world);
    if (keeper->clone == NULL || duty_start(&keeper->duty, do_order, keeper) != 0) {
        free_parts(keeper);
        return NULL;
    }
    return keeper;
}

void keeper_destroy(struct keeper *keeper) {
    if (keeper == NULL) {
        return;
    }
    duty_end(&keeper->duty);
    free_parts(keeper);
}

/* ---- for the simulation thread ---- */

bool keeper_is_busy(const struct keeper *keeper) {
    return duty_is_busy(&keeper->duty);
}

/* A further world has another text. */
static bool copy_text(struct keeper *keeper, const struct simulation_state *state) {
    if (keeper->text_epoch == state->epoch) {
        return true;
    }
    char *text = malloc(state->text_length + 1);
    if (text == NULL) {
        return false;
    }
    memcpy(text, state->text, state->text_length);
    text[state->text_length] = '\0';
    free(keeper->text);
    keeper->text = text;
    keeper->text_length = state->text_length;
    keeper->text_epoch = state->epoch;
    memcpy(keeper->name, state->name, sizeof keeper->name);
    return true;
}

static bool copy_world(struct keeper *keeper, const struct simulation_state *state) {
    if (world_is_partial(state->world)) {
        return state_gather_world(state, keeper->clone) == 0;
    }
    const struct world_room room = world_room_of(state->world);
    return world_clone(keeper->clone, state->world) ||
           (has_memory(&room) && world_clone_reserve(keeper->clone, state->world) &&
            world_clone(keeper->clone, state->world));
}

static void start_order(struct keeper *keeper, struct keeper_order order) {
    keeper->order = order;
    duty_order(&keeper->duty);
}

bool keeper_prepare(struct keeper *keeper, const struct simulation_state *state) {
    if (keeper_is_busy(keeper)) {
        return false;
    }
    if (keeper->lacks_memory || world_has_room(keeper->clone, state->world)) {
        keeper->lacks_memory = false;
        return true;
    }
    keeper->room = world_room_of(state->world);
    start_order(keeper, (struct keeper_order){.tasks = KEEPER_ROOM});
    return false;
}

bool keeper_take(struct keeper *keeper, const struct simulation_state *state, struct keeper_order order) {
    assert(order.tasks != 0 && order.tasks != KEEPER_ROOM && state->world != NULL && !state->is_spoiled);
    if (keeper_is_busy(keeper) || !copy_text(keeper, state) || !copy_world(keeper, state)) {
        return false;
    }
    keeper->rest = checkpoint_rest_of(state);
    keeper->rest.text = keeper->rest.text != NULL ? keeper->text : NULL;
    keeper->epoch = state->epoch;
    start_order(keeper, order);
    return true;
}

void keeper_wait(struct keeper *keeper) {
    duty_wait(&keeper->duty);
}
