/* See side_world.h. */
#include "server/library/side_world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/limits.h"
#include "common/system/clock.h"
#include "server/commands/simulation_state.h"
#include "server/recording/replay.h"

/* A moment that takes longer to compute is refused. */
#define GO_MOST_NS UINT64_C(60000000000)

/* The numbers of requests that are refused on the way. */
struct refused {
    uint64_t *seqs; /* owned */
    size_t count, room;
    bool has_failed;
};

/* The route while it is gone: a source of lines for the replay. */
struct trip {
    struct side_world *side;
    struct past_route *route;
    const struct world_overrides *overrides;
    const struct side_limits *limits;
    uint64_t began_ns;
    struct refused *refused; /* NULL: none may be */
};

bool side_world_init(struct side_world *side) {
    *side = (struct side_world){.state = calloc(1, sizeof *side->state)};
    if (side->state != NULL) {
        simulation_state_init(side->state);
    }
    return side->state != NULL;
}

void side_world_fini(struct side_world *side) {
    if (side->state != NULL) {
        simulation_state_fini(side->state);
        free(side->state);
    }
    *side = (struct side_world){0};
}

/* ---- the source ---- */

static int trip_next(void *context, const char **line, size_t *length, struct failure *failure) {
    struct trip *trip = context;
    return past_route_next(trip->route, line, length, failure);
}

static bool trip_find_hash(void *context, const struct recording_moment *moment, uint64_t last_seq,
                           uint64_t *hash) {
    (void)context;
    (void)moment;
    (void)last_seq;
    *hash = 0;
    return false;
}

/* Nothing to do when the world is there. */
static int trip_seek(void *context, const struct recording_moment *moment, struct simulation_state *state,
                     struct failure *failure) {
    struct trip *trip = context;
    struct built_world built = {0};
    struct checkpoint_rest rest;
    (void)moment;
    if (trip->route->save == NULL) {
        return 0;
    }
    if (saved_world_read(trip->route->save, trip->route->length, trip->overrides, trip->limits->given_up,
                         &built, &rest, failure) != 0) {
        return -1;
    }
    checkpoint_restore(state, &built, &rest);
    built_world_fini(&built);
    return 0;
}

static uint32_t trip_world(void *context) {
    (void)context;
    return 1;
}

static void trip_refused(void *context, uint64_t seq) {
    struct refused *refused = ((struct trip *)context)->refused;
    if (refused->count == refused->room) {
        const size_t room = refused->room == 0 ? 64 : refused->room * 2;
        uint64_t *seqs = realloc(refused->seqs, sizeof *seqs * room);
        if (seqs == NULL) {
            refused->has_failed = true;
            return;
        }
        refused->seqs = seqs;
        refused->room = room;
    }
    refused->seqs[refused->count++] = seq;
}

/* ---- the computation ---- */

/* Where a world is all of whose requests up to its seq are done, on the way. */
static struct past_place place_on_way(const struct trip *trip) {
    const struct simulation_state *state = trip->side->state;
    const uint64_t tick = world_tick(state->world);
    for (int i = 0; i < trip->route->cut_count; i++) {
        const struct past_place *end = &trip->route->cuts[i].at;
        if (tick < end->tick || (tick == end->tick && state->seq <= end->seq)) {
            return (struct past_place){end->serial, tick, state->seq};
        }
    }
    return (struct past_place){0};
}

static bool is_set(const atomic_bool *flag) {
    return flag != NULL && atomic_load(flag);
}

/* Whether to go on. 0, or -1 with *failure. */
static int check_time(const struct trip *trip, struct failure *failure) {
    const uint64_t spent_ns = clock_now_ns() - trip->began_ns;
    const uint64_t tick = world_tick(trip->side->state->world);
    if (is_set(trip->limits->given_up) || spent_ns > GO_MOST_NS) {
        return failure_set(failure, FAILURE_BUSY, NULL,
                           "given up at tick %" PRIu64 " of %" PRIu64
                           ": the server stops, or it takes longer than a minute",
                           tick, trip->route->to.tick);
    }
    if (spent_ns > SIDE_PATIENCE_MS * UINT64_C(1000000) && is_set(trip->limits->is_replaced)) {
        return failure_set(failure, FAILURE_WITHDRAWN, NULL,
                           "a further look of this session takes its place");
    }
    return 0;
}

/* Does the requests and ticks up to the moment. */
static int play(struct trip *trip, struct replay *replay, uint64_t *simulated, struct failure *failure) {
    struct simulation_state *state = trip->side->state;
    const uint64_t goal = trip->route->to.tick;
    struct replay_change change;
    enum replay_step step = REPLAY_TICK;
    while ((step = replay_next(replay, state, &change, failure)) != REPLAY_END) {
        if (step == REPLAY_FAILED) {
            return -1;
        }
        if (step == REPLAY_TICK && check_time(trip, failure) != 0) {
            trip->side->place = place_on_way(trip);
            return -1;
        }
        if (step == REPLAY_TICK) {
            simulation_state_step(state);
            state->log.count = 0;
            ++*simulated;
        }
    }
    if (replay_divergence(replay)->has_diverged || world_tick(state->world) != goal) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "tick %" PRIu64 " cannot be computed: %.200s",
                           goal, replay_divergence(replay)->reason);
    }
    trip->side->place = trip->route->to;
    return 0;
}

static int travel(struct trip *trip, uint64_t *simulated, struct failure *failure) {
    const struct recording_moment to = {.world = 1, .tick = trip->route->to.tick};
    const struct recording_source source = {.context = trip,
                                            .next = trip_next,
                                            .find_hash = trip_find_hash,
                                            .seek = trip_seek,
                                            .world = trip_world,
                                            .refused = trip->refused == NULL ? NULL : trip_refused,
                                            .last = to};
    struct replay *replay = replay_create(&source, trip->overrides, trip->limits->given_up);
    trip->side->place = (struct past_place){0};
    trip->began_ns = clock_now_ns();
    int result = replay == NULL ? failure_set(failure, FAILURE_BUSY, NULL, "out of memory")
                                : replay_begin(replay, trip->side->state, &to, failure);
    if (result == 0) {
        result = play(trip, replay, simulated, failure);
    }
    replay_destroy(replay);
    return result;
}

int side_world_go(struct side_world *side, struct past_route *route, const struct world_overrides *overrides,
                  const struct side_limits *limits, uint64_t *simulated, struct failure *failure) {
    struct trip trip = {.side = side, .route = route, .overrides = overrides, .limits = limits};
    return travel(&trip, simulated, failure);
}

/* ---- going back ---- */

static int fail_memory(struct failure *failure) {
    return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

/* Gives the way the checkpoint of the world as it is. */
static int keep_checkpoint(const struct simulation_state *state, struct past_way *way, uint64_t *hash,
                           struct failure *failure) {
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    struct buffer text;
    size_t length = 0;
    buffer_init(&text, LIMIT_SAVE_BYTES);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, &text, hash);
    char *save = text.failed ? NULL : buffer_take(&text, &length);
    buffer_fini(&text);
    return way->is_without && save == NULL    ? fail_memory(failure)
           : past_way_keep(way, save, length) ? 0
                                              : fail_memory(failure);
}

/* Takes the world out of the state, as one that was read. */
static void take_out(struct simulation_state *state, uint64_t hash, struct built_world *out,
                     struct checkpoint_rest *rest) {
    *rest = checkpoint_rest_of(state);
    rest->text = NULL;
    *out = (struct built_world){.world = state->world,
                                .hash = hash,
                                .text = state->text,
                                .text_length = state->text_length,
                                .first_text = state->first_text,
                                .view = state->view,
                                .about = state->about,
                                .warmup_s = state->warmup_s};
    memcpy(out->name, state->name, sizeof out->name);
    memcpy(out->title, state->title, sizeof out->title);
    memcpy(out->description, state->description, sizeof out->description);
    state->world = NULL;
    state->text = state->first_text = NULL;
}

/* Finds the request that is to be left out among the lines of the route, which begin anew then: the way goes to the moment before
 * the first of its row. */
static int find_request(struct past_route *route, uint64_t seq, struct past_way *way,
                        struct failure *failure) {
    const char *line = NULL;
    size_t length = 0;
    int result = 0;
    while ((result = past_route_next(route, &line, &length, failure)) > 0) {
        if (route->line_seq == route->first_out) {
            way->tick = route->line_tick;
            way->seq = route->line_seq - 1;
            way->from = route->cuts[route->cut].number;
        }
        if (route->line_seq == seq) {
            route->place = 0;
            route->cut = 0;
            return 0;
        }
    }
    return result < 0
               ? -1
               : failure_set(failure, FAILURE_OUT_OF_RANGE, "without",
                             "no request of this number is in memory in this branch, or it changes only "
                             "time; allowed: the seq of one that changed what is in the world");
}

/* Adds the requests of the route to the way, but for those that are left out. */
static int keep_lines(struct past_route *route, const struct refused *refused, struct past_way *way,
                      struct failure *failure) {
    const char *line = NULL;
    size_t length = 0, next = 0;
    int result = 0;
    route->place = 0;
    route->cut = 0;
    while ((result = past_route_next(route, &line, &length, failure)) > 0) {
        while (next < refused->count && refused->seqs[next] < route->line_seq) {
            next++;
        }
        if (route->line_seq <= way->seq ||
            (next < refused->count && refused->seqs[next] == route->line_seq)) {
            continue;
        }
        if (!past_way_add_line(way, line, length)) {
            return fail_memory(failure);
        }
        way->request_tick = route->line_tick;
    }
    return result;
}

/* The rounds in which a world catches up with one that runs, and the ticks that it may be behind at last. */
enum { CATCH_UP_ROUNDS = 40, CATCH_UP_TICKS = 2 };

/* From the moment before the request to the present, which goes on meanwhile. */
static int catch_up(struct trip *trip, const struct request_rewind *to, struct past_way *way,
                    struct failure *failure) {
    struct past *past = trip->route->past;
    int result = travel(trip, &way->simulated, failure);
    if (result == 0) {
        result = keep_lines(trip->route, trip->refused, way, failure);
    }
    for (int round = 0; result == 0 && round < CATCH_UP_ROUNDS; round++) {
        const struct past_state now = past_read(past, NULL);
        const uint64_t tick = world_tick(trip->side->state->world);
        struct past_route next;
        if (now.last <= tick + (round == 0 ? 0 : CATCH_UP_TICKS)) {
            break;
        }
        result = past_route_find(past, to, &trip->side->place, &next, failure);
        if (result == 0) {
            struct trip further = *trip;
            further.route = &next;
            next.leaves_out = true; /* when it was the last one, the route begins with it */
            result = travel(&further, &way->simulated, failure);
            if (result == 0) {
                result = keep_lines(&next, trip->refused, way, failure);
            }
            past_route_fini(&next);
        }
    }
    way->left_out = (uint32_t)trip->refused->count;
    return result == 0 && trip->refused->has_failed ? fail_memory(failure) : result;
}

static int go_without(struct trip *trip, const struct request_rewind *to, struct past_way *way,
                      struct failure *failure) {
    struct past_route *route = trip->route;
    const struct past_place present = route->to;
    way->is_without = true;
    if (find_request(route, to->without, way, failure) != 0) {
        return -1;
    }
    route->stop = route->first_out;
    route->to.tick = way->tick;
    if (travel(trip, &way->simulated, failure) != 0 ||
        keep_checkpoint(trip->side->state, way, NULL, failure) != 0) {
        return -1;
    }
    route->stop = 0;
    route->leaves_out = true;
    route->to = present;
    route->save = NULL; /* from here on */
    return catch_up(trip, to, way, failure);
}

static int go(struct trip *trip, const struct request_rewind *to, struct past_way *way,
              struct failure *failure) {
    way->number = trip->route->number;
    way->from = trip->route->from;
    way->tick = trip->route->to.tick;
    way->seq = trip->route->to.seq;
    way->request_tick = UINT64_MAX;
    if (to->has_without) {
        return go_without(trip, to, way, failure);
    }
    return travel(trip, &way->simulated, failure);
}

int past_go(struct past *past, const struct request_rewind *to, const struct world_overrides *overrides,
            const atomic_bool *given_up, struct built_world *out, struct checkpoint_rest *rest,
            struct past_way *way, struct failure *failure) {
    struct side_world side = {0};
    struct past_route route;
    struct refused refused = {0};
    const struct side_limits limits = {.given_up = given_up};
    struct trip trip = {.side = &side,
                        .route = &route,
                        .overrides = overrides,
                        .limits = &limits,
                        .refused = to->has_without ? &refused : NULL};
    uint64_t hash = 0;
    *out = (struct built_world){0};
    *failure = (struct failure){0};
    *way = (struct past_way){0};
    int result = past_route_find(past, to, NULL, &route, failure);
    if (result != 0) {
        return -1;
    }
    if (!past_way_init(way) || !side_world_init(&side)) {
        result = fail_memory(failure);
    } else if ((result = go(&trip, to, way, failure)) == 0 &&
               (result = keep_checkpoint(side.state, way, &hash, failure)) == 0) {
        way->last = world_tick(side.state->world);
        take_out(side.state, hash, out, rest);
    }
    past_route_fini(&route);
    side_world_fini(&side);
    free(refused.seqs);
    if (result != 0) {
        past_way_fini(way);
    }
    return result;
}
