/* See simulation_internal.h. The request compare: a second world, the twin, is stepped in the ticks of the running one.
 *
 * 1. Both have the same tick, whatever the twin was made of: so their hashes can be compared.
 * 2. What changes the world changes the twin before the same tick, as long as it follows. What the twin has for itself is
 * neither in the journal nor in the past.
 * 3. Memory is taken and given back by requests; a tick takes none.
 */
#include "server/simulation/simulation_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request_batch.h"
#include "common/system/clock.h"
#include "server/commands/command_apply.h"

/* Ticks that a twin may lack when it comes: the builder's thread has done the others. */
enum { CATCH_UP_TICKS = 1000 };

/* ---- figures ---- */

/* Agents of one world, as the meters need them. */
struct sums {
    double x, y; /* of unit velocities */
    uint64_t moving;
};

static void add_agent(struct sums *sums, const struct agent_view *agent) {
    const double vx = (double)agent->velocity.x, vy = (double)agent->velocity.y;
    const double speed = sqrt(vx * vx + vy * vy);
    if (speed > 0.0) {
        sums->x += vx / speed;
        sums->y += vy / speed;
        sums->moving++;
    }
}

static double polarisation_of(const struct sums *sums) {
    const double length = sqrt(sums->x * sums->x + sums->y * sums->y);
    return sums->moving > 0 ? length / (double)sums->moving : 0.0;
}

static bool is_same(const struct agent_view *a, const struct agent_view *b) {
    return a->kind == b->kind && a->state == b->state && vec2_is_same(a->position, b->position) &&
           vec2_is_same(a->velocity, b->velocity) && vec2_is_same(a->heading, b->heading);
}

/* The short way round, px. */
static double distance(const struct world *world, vec2 a, vec2 b) {
    const vec2 size = world_size(world);
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y;
    if (world_edge(world) == EDGE_WRAP) {
        x -= (double)size.x * rint(x / (double)size.x);
        y -= (double)size.y * rint(y / (double)size.y);
    }
    return sqrt(x * x + y * y);
}

static void note_difference(struct twin_statistics *figures, uint32_t id, uint64_t tick) {
    figures->differing++;
    if (figures->agent == 0) { /* ids ascend */
        figures->agent = id;
        figures->agent_since = tick;
    }
}

/* Goes through the agents of both, which lie in order of id. */
static void measure_agents(const struct world *a, const struct world *b, struct twin_statistics *figures) {
    const int32_t count_a = world_agent_count(a), count_b = world_agent_count(b);
    struct sums sums[2] = {{0.0, 0.0, 0}, {0.0, 0.0, 0}};
    double sum = 0.0;
    uint64_t pairs = 0;
    figures->differing = 0;
    figures->largest_px = 0.0;
    for (int32_t i = 0, j = 0; i < count_a || j < count_b;) {
        const uint32_t id_a = i < count_a ? world_agent_id(a, i) : UINT32_MAX;
        const uint32_t id_b = j < count_b ? world_agent_id(b, j) : UINT32_MAX;
        const uint32_t id = id_a < id_b ? id_a : id_b;
        struct agent_view one = {0}, other = {0};
        if (id_a == id) {
            one = world_agent(a, i++);
            add_agent(&sums[0], &one);
        }
        if (id_b == id) {
            other = world_agent(b, j++);
            add_agent(&sums[1], &other);
        }
        if (id_a != id_b || !is_same(&one, &other)) {
            note_difference(figures, id, world_tick(a));
        }
        if (id_a == id_b) {
            const double apart = distance(a, one.position, other.position);
            sum += apart;
            pairs++;
            figures->largest_px = fmax(figures->largest_px, apart);
        }
    }
    figures->mean_px = pairs > 0 ? sum / (double)pairs : 0.0;
    figures->polarisation[0] = polarisation_of(&sums[0]);
    figures->polarisation[1] = polarisation_of(&sums[1]);
}

static void count_states(const struct world *world, int side, struct twin_statistics *figures) {
    int begin[LIMIT_KINDS], rows = 0;
    for (int k = 0; k < world_kind_count(world); k++) {
        begin[k] = rows;
        rows += world_kind(world, k)->state_count;
    }
    for (int row = 0; row < figures->state_count; row++) {
        figures->states[row].agents[side] = 0;
    }
    for (int32_t i = 0; i < world_agent_count(world); i++) {
        const struct agent_view agent = world_agent(world, i);
        const int row = begin[agent.kind] + agent.state;
        if (row < figures->state_count) {
            figures->states[row].agents[side]++;
        }
    }
}

static void name_states(const struct world *world, struct twin_statistics *figures) {
    for (int k = 0; k < world_kind_count(world); k++) {
        const struct kind_def *kind = world_kind(world, k);
        for (int s = 0; s < kind->state_count && figures->state_count < TWIN_STATES; s++) {
            const int row = figures->state_count++;
            (void)snprintf(figures->states[row].kind, sizeof figures->states[row].kind, "%s", kind->name);
            (void)snprintf(figures->states[row].state, sizeof figures->states[row].state, "%s",
                           kind->states[s].name);
        }
    }
}

/* For `stats`; its times stay. */
static void publish(struct simulation *simulation, const struct twin_statistics *figures, uint64_t spent_ns) {
    struct twin_statistics *shown = &simulation->statistics.twin;
    pthread_mutex_lock(&simulation->mutex);
    const struct tick_meter times = shown->times;
    *shown = *figures;
    shown->times = times;
    if (spent_ns > 0) {
        tick_meter_add(&shown->times, spent_ns);
    }
    pthread_mutex_unlock(&simulation->mutex);
}

/* Compares both worlds as they are; the first agent that differs is an event. */
static void compare(struct simulation *simulation, uint64_t start_ns) {
    struct twin *twin = simulation->twin;
    struct twin_statistics *figures = &twin->figures;
    const struct world *world = simulation->state.world, *other = twin->state.world;
    const uint32_t agent = figures->agent;
    if (!figures->differs && world_hash(world) != world_hash(other)) {
        figures->differs = true;
        figures->since = world_tick(world);
    }
    figures->agents[0] = (uint64_t)world_agent_count(world);
    figures->agents[1] = (uint64_t)world_agent_count(other);
    measure_agents(world, other, figures);
    count_states(world, 0, figures);
    count_states(other, 1, figures);
    publish(simulation, figures, start_ns > 0 ? clock_now_ns() - start_ns : 0);
    if (agent == 0 && figures->agent != 0) {
        struct message_event event = {.event = "differs", .has = EVENT_HAS_AGENT, .agent = figures->agent};
        simulation_push_event(simulation, &event, 0, false);
        simulation_notify(simulation);
    }
}

/* ---- life ---- */

static void destroy(struct twin *twin) {
    if (twin != NULL) {
        simulation_state_fini(&twin->state);
        free(twin);
    }
}

static struct twin *create(const struct simulation *simulation) {
    const struct simulation_state *state = &simulation->state;
    struct twin *twin = calloc(1, sizeof *twin);
    if (twin != NULL) {
        simulation_state_init(&twin->state);
        twin->state.parallel = state->parallel;
        twin->state.is_urgent = state->is_urgent;
        twin->state.services.memory_free = state->services.memory_free;
    }
    return twin;
}

static bool copy_present(struct twin *twin, const struct simulation_state *state) {
    twin->state.world = world_clone_new(state->world);
    if (twin->state.world == NULL) {
        return false;
    }
    world_allow_giving_up(twin->state.world, state->is_urgent);
    twin->state.cursors = state->cursors;
    twin->state.seq = state->seq;
    event_log_init(&twin->state.log, state->world);
    return true;
}

static void step(struct twin *twin) {
    simulation_state_step(&twin->state);
    twin->state.log.count = 0;
}

/* Whether both have the same kinds and states, so that they can be counted side by side. */
static bool has_same_kinds(const struct world *a, const struct world *b) {
    bool is_alike = world_kind_count(a) == world_kind_count(b);
    for (int k = 0; is_alike && k < world_kind_count(a); k++) {
        const struct kind_def *one = world_kind(a, k), *other = world_kind(b, k);
        is_alike = strcmp(one->name, other->name) == 0 && one->state_count == other->state_count;
        for (int s = 0; is_alike && s < one->state_count; s++) {
            is_alike = strcmp(one->states[s].name, other->states[s].name) == 0;
        }
    }
    return is_alike;
}

/* The world that the builder has made, brought to the tick of the running one. */
static int take_built(struct twin *twin, const struct simulation *simulation, struct failure *failure) {
    const struct world *world = simulation->state.world;
    struct scenario_order *order = simulation->order;
    const char *field = order->save[0] != '\0' ? "save" : "branch";
    if (!has_same_kinds(world, order->built.world)) {
        return failure_set(failure, FAILURE_BAD_PARAM, field,
                           "it has other kinds or states than the world; a twin has the same");
    }
    if (world_tick(order->built.world) > world_tick(world)) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, field,
                           "it begins with tick %" PRIu64 ", and the world has tick %" PRIu64
                           "; a twin has the world's tick or an earlier one",
                           world_tick(order->built.world), world_tick(world));
    }
    if (world_tick(world) - world_tick(order->built.world) > CATCH_UP_TICKS) {
        return failure_set(failure, FAILURE_BUSY, NULL,
                           "the world is faster than its twin can be made; pause it, or slow it down");
    }
    checkpoint_restore(&twin->state, &order->built, &order->rest);
    while (world_tick(twin->state.world) < world_tick(world) && !twin->state.is_spoiled) {
        step(twin);
    }
    return twin->state.is_spoiled ? failure_set(failure, FAILURE_BUSY, NULL, "another world comes in") : 0;
}

/* What the request changes in the twin alone. All or nothing. */
static int change(struct twin *twin, const struct request *request, uint32_t session,
                  struct failure *failure) {
    const struct request_compare *compare = &request->body.compare;
    struct request change = request_default(REQUEST_SET_PARAM);
    for (uint32_t i = 0; i < request_member_count(request); i++) {
        if (request_member(request, i)->op == REQUEST_EDIT) {
            return failure_set(
                failure, FAILURE_BAD_PARAM, "requests",
                "requests[%u]: a twin has the kinds and states of the world, so edit cannot change it alone; "
                "allowed: the other requests of a batch",
                (unsigned)i);
        }
    }
    if (request_member_count(request) > 0) {
        change = request_default(REQUEST_BATCH);
        change.extra = request->extra;
    } else if (compare->has_change) {
        struct request_set_param *param = &change.body.set_param;
        param->has_kind = true;
        memcpy(param->kind, compare->kind, sizeof param->kind);
        memcpy(param->param, compare->param, sizeof param->param);
        param->value = compare->value;
    } else {
        return 0;
    }
    twin->state.session = session;
    return command_apply_quietly(&twin->state, &change, failure);
}

static int check_size(const struct simulation *simulation, const struct twin *twin, struct failure *failure) {
    const int64_t agents = (int64_t)world_agent_count(simulation->state.world) +
                           world_agent_count(twin == NULL ? simulation->state.world : twin->state.world);
    return agents <= LIMIT_COMPARE_AGENTS ? 0
                                          : failure_set(failure, FAILURE_FULL, NULL,
                                                        "the world and its twin would have %" PRId64
                                                        " agents; at most %d are compared, both counted",
                                                        agents, LIMIT_COMPARE_AGENTS);
}

/* A twin as the request wants it. NULL with *failure. */
static struct twin *make(const struct simulation *simulation, const struct request *request,
                         struct failure *failure) {
    const struct simulation_state *state = &simulation->state;
    struct twin *twin =
        simulation->order != NULL || check_size(simulation, NULL, failure) == 0 ? create(simulation) : NULL;
    if (failure->code != FAILURE_NONE) {
        return NULL;
    }
    if (twin == NULL || (simulation->order == NULL && !copy_present(twin, state))) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    } else if ((simulation->order == NULL || take_built(twin, simulation, failure) == 0) &&
               change(twin, request, state->session, failure) == 0 &&
               check_size(simulation, twin, failure) == 0) {
        twin->figures.is_on = true;
        twin->figures.from = world_tick(state->world);
        twin->figures.follows = true;
        name_states(state->world, &twin->figures);
        return twin;
    }
    destroy(twin);
    return NULL;
}

static void remove_twin(struct simulation *simulation) {
    static const struct twin_statistics none;
    destroy(simulation->twin);
    simulation->twin = NULL;
    pthread_mutex_lock(&simulation->mutex);
    simulation->statistics.twin = none;
    pthread_mutex_unlock(&simulation->mutex);
}

/* ---- the request ---- */

static void write_event(const struct request_compare *compare, struct message_event *event) {
    (void)snprintf(event->event, sizeof event->event, "compare_begun");
    event->has = (compare->branch[0] != '\0' ? EVENT_HAS_BRANCH : 0u) |
                 (compare->save[0] != '\0' ? EVENT_HAS_SAVE : 0u) |
                 (compare->has_change ? EVENT_HAS_KIND | EVENT_HAS_PARAM : 0u);
    memcpy(event->branch, compare->branch, sizeof event->branch);
    memcpy(event->save, compare->save, sizeof event->save);
    memcpy(event->kind, compare->kind, sizeof event->kind);
    memcpy(event->param, compare->param, sizeof event->param);
    event->value = compare->value;
}

static int check_world(const struct simulation *simulation, const struct request_compare *compare,
                       struct failure *failure) {
    if (simulation->playback.mode != PLAYBACK_NONE) {
        return failure_set(failure, FAILURE_REPLAYING, "op",
                           "a recording is played; a twin runs beside a live world, such as resume with live "
                           "makes of the recording");
    }
    if (compare->keep && simulation->twin == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, "keep",
                           "there is no twin; without keep it is made of the world as it is");
    }
    return simulation->state.is_spoiled
               ? failure_set(failure, FAILURE_BUSY, NULL, "another world comes in; ask again")
               : 0;
}

/* Ends a comparison of too many. */
static int keep_size(struct simulation *simulation, struct failure *failure) {
    if (check_size(simulation, simulation->twin, failure) == 0) {
        return 0;
    }
    simulation_twin_end(simulation, "there are more agents than can be compared", 0);
    return -1;
}

static void write_reply(const struct simulation *simulation, struct json_writer *json) {
    json_key_unsigned(json, "tick", world_tick(simulation->state.world));
    json_key(json, "hash");
    json_hex64(json, world_hash(simulation->state.world));
    if (simulation->twin != NULL) {
        json_key(json, "twin");
        json_hex64(json, world_hash(simulation->twin->state.world));
    }
}

static int serve_compare(void *context, const struct request *request, struct message_event *event,
                         struct json_writer *json, struct failure *failure) {
    struct simulation *simulation = context;
    const struct request_compare *compared = &request->body.compare;
    if (check_world(simulation, compared, failure) != 0) {
        return -1;
    }
    if (compared->off) {
        simulation_twin_end(simulation, "ended by a request", simulation->state.session);
        write_reply(simulation, json);
        return 0;
    }
    if (compared->keep) {
        if (change(simulation->twin, request, simulation->state.session, failure) != 0 ||
            keep_size(simulation, failure) != 0) {
            return -1;
        }
    } else {
        struct twin *twin = make(simulation, request, failure);
        if (twin == NULL) {
            return -1;
        }
        remove_twin(simulation);
        simulation->twin = twin;
        write_event(compared, event);
    }
    if (compared->has_follow) {
        simulation->twin->figures.follows = compared->follow;
    }
    compare(simulation, 0);
    write_reply(simulation, json);
    return 0;
}

void simulation_twin_serve(struct simulation *simulation) {
    simulation->state.services.context = simulation;
    simulation->state.services.compare = serve_compare;
}

void simulation_twin_fini(struct simulation *simulation) {
    destroy(simulation->twin);
    simulation->twin = NULL;
}

/* ---- what happens ---- */

void simulation_twin_end(struct simulation *simulation, const char *reason, uint32_t by) {
    struct message_event event = {.event = "compare_ended", .has = EVENT_HAS_REASON};
    if (simulation->twin == NULL) {
        return;
    }
    remove_twin(simulation);
    (void)snprintf(event.reason, sizeof event.reason, "%s", reason);
    simulation_push_event(simulation, &event, by, false);
    simulation_notify(simulation);
}

void simulation_twin_note_request(struct simulation *simulation, const struct command *command) {
    struct twin *twin = simulation->twin;
    struct failure failure;
    if (twin == NULL || !twin->figures.follows || !state_ranks_share(command->request.op)) {
        return;
    }
    twin->state.session = command->origin.session;
    if (command_apply_quietly(&twin->state, &command->request, &failure) != 0) {
        twin->figures.refused++;
    }
    (void)keep_size(simulation, &failure);
}

uint64_t simulation_twin_note_tick(struct simulation *simulation, uint64_t now_ns) {
    struct twin *twin = simulation->twin;
    struct failure failure;
    if (twin == NULL || simulation->state.is_spoiled) {
        return now_ns;
    }
    step(twin);
    if (twin->state.is_spoiled) {
        simulation_twin_end(simulation, "another world comes in", 0);
    } else if (keep_size(simulation, &failure) == 0) {
        compare(simulation, now_ns);
    }
    return clock_now_ns();
}
