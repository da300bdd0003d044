/* See simulation_state.h. */
#include "server/commands/simulation_state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "server/commands/command_apply.h"
#include "server/frames/snapshot_gather.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world_stripes.h"

void event_log_init(struct event_log *log, double tick_hz) {
    *log = (struct event_log){.second_ticks = (uint64_t)ceil(tick_hz)};
}

static void write_event(struct message_event *event, const struct world_note *note,
                        const struct world *world) {
    *event = (struct message_event){
        .tick = world_tick(world), .agent = note->agent, .has = EVENT_HAS_AGENT | EVENT_HAS_QUARRY};
    if (note->type == NOTE_CAUGHT) {
        (void)snprintf(event->event, sizeof event->event, "caught");
        event->quarry = note->quarry;
        return;
    }
    (void)snprintf(event->event, sizeof event->event, "reached");
    (void)snprintf(event->target, sizeof event->target, "%s", world_target_name(world, note->target));
    event->has = EVENT_HAS_AGENT | EVENT_HAS_TARGET;
    event->x = world_snapshot_hundredths(note->at.x);
    event->y = world_snapshot_hundredths(note->at.y);
}

/* Takes the events of the world's last tick. */
static void event_log_take(struct event_log *log, const struct world *world) {
    const struct world_note *notes = NULL;
    uint32_t left_out = 0;
    const int count = world_notes(world, &notes, &left_out);
    const uint64_t second = world_tick(world) / log->second_ticks;
    if (second != log->second) {
        log->second = second;
        log->taken = 0;
    }
    log->left_out += left_out;
    for (int i = 0; i < count; i++) {
        if (log->count == EVENT_LOG_MAX || log->taken == EVENT_LOG_RATE) {
            log->left_out++;
            continue;
        }
        struct message_event *event = &log->events[log->count++];
        write_event(event, &notes[i], world);
        log->taken++;
        if (log->left_out > 0) {
            event->has |= EVENT_HAS_LEFT_OUT;
            event->left_out = log->left_out;
            log->left_out = 0;
        }
    }
}

/* ---- state batch ---- */

/* NULL is fine. */
static void state_batch_destroy(struct state_batch *batch) {
    if (batch != NULL) {
        world_destroy(batch->before);
        free(batch->events);
        free(batch);
    }
}

/* ---- state ranks ---- */

enum { REQUEST_BYTES = 64 * 1024 * 1024 };

bool state_ranks_share(enum request_op op) {
    return request_has_trait(op, REQUEST_TRAIT_CHANGES) && op != REQUEST_PAUSE && op != REQUEST_RESUME &&
           op != REQUEST_STEP && op != REQUEST_LOAD;
}

void state_ranks_order_request(const struct simulation_state *state, const struct request *request,
                               uint64_t line) {
    const struct rank_request head = {
        .seq = state->seq, .line = line, .session = state->session, .is_paused = state->is_paused};
    struct buffer bytes;
    buffer_init(&bytes, REQUEST_BYTES);
    buffer_append(&bytes, (const char *)&head, sizeof head);
    request_encode(request, &bytes);
    assert(!bytes.failed);
    state->ranks->order(state->ranks->context, RANK_ORDER_REQUEST, bytes.data, bytes.length);
    buffer_fini(&bytes);
}

/* One step of FNV-1a, with 8 bytes for each of its bytes. */
static uint64_t mix(uint64_t digest, uint64_t value) {
    return (digest ^ value) * UINT64_C(0x100000001b3);
}

uint64_t state_ranks_digest(const struct simulation_state *state, const struct command_effects *effects) {
    const uint64_t values[] = {effects->seq,
                               effects->changed,
                               effects->described,
                               effects->unheeded,
                               effects->scenery_changed,
                               effects->event_count,
                               effects->event.has,
                               effects->event.count,
                               world_tick(state->world),
                               (uint64_t)world_agent_count(state->world)};
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        digest = mix(digest, values[i]);
    }
    return digest;
}

/* ---- state ---- */

void simulation_state_init(struct simulation_state *state) {
    *state = (struct simulation_state){.parallel = parallel_alone()};
}

static void forget_check(struct simulation_state *state) {
    world_check_destroy(state->check);
    state->check = NULL;
}

void simulation_state_fini(struct simulation_state *state) {
    forget_check(state);
    world_destroy(state->world);
    state->world = NULL;
    state_batch_destroy(state->batch);
    state->batch = NULL;
    free(state->text);
    state->text = NULL;
    snapshot_gatherer_destroy(state->gatherer);
    state->gatherer = NULL;
}

static void compare_ranks(struct simulation_state *state) {
    if (state->check == NULL) {
        return;
    }
    const struct rank_difference found = world_check_tick(state->check, state->world);
    if (found.rank >= 0 && state->ranks != NULL) {
        state->ranks->differ(state->ranks->context, &found, world_tick(state->world));
    }
}

void simulation_state_step(struct simulation_state *state) {
    assert(state->world != NULL);
    if (state->ranks != NULL) {
        state->ranks->order(state->ranks->context, RANK_ORDER_TICK, NULL, 0);
    }
    world_step_parallel(state->world, &state->parallel);
    if (state->ranks != NULL) {
        state->ranks->ticked(state->ranks->context);
    }
    if (world_is_given_up(state->world)) {
        state->is_spoiled = true;
        return;
    }
    event_log_take(&state->log, state->world);
    compare_ranks(state);
}

void simulation_state_change(struct simulation_state *state, struct built_world *built) {
    assert(built->world != NULL);
    state_batch_destroy(state->batch); /* it has room for agents of the former world */
    state->batch = NULL;
    forget_check(state);
    struct world *former = state->world;
    state->world = built->world;
    built->world = former;
    char *text = state->text;
    state->text = built->text;
    state->text_length = built->text_length;
    built->text = text;
    world_let_give_up(state->world, state->is_urgent);
    memcpy(state->name, built->name, sizeof state->name);
    memcpy(state->title, built->title, sizeof state->title);
    memcpy(state->description, built->description, sizeof state->description);
    state->view = built->view;
    state->warmup_s = built->warmup_s;
    state->about = built->about;
    state->cursors = (struct state_cursors){0};
    state->epoch++;
    state->is_spoiled = false;
    event_log_init(&state->log, world_tick_hz(state->world));
    if (state->ranks != NULL) {
        state->ranks->put(state->ranks->context, state, built);
    }
    simulation_state_join(state);
}

static bool join(struct simulation_state *state) {
    if (state->gatherer == NULL) {
        state->gatherer = snapshot_gatherer_create(state->exchange->ranks);
    }
    const bool is_joined = world_is_partial(state->world); /* a clone of a world in stripes is in stripes */
    if (state->gatherer == NULL || (!is_joined && world_join(state->world, state->exchange) != 0)) {
        return false;
    }
    if (state->check == NULL) {
        state->check = world_check_new(state->world);
    }
    return state->check != NULL;
}

int simulation_state_check(const struct simulation_state *state, const struct built_world *built,
                           const char *field, struct failure *failure) {
    char text[STRIPES_REFUSAL];
    if (state->exchange == NULL || state->exchange->mode != EXCHANGE_STRIPES ||
        world_stripes_refusal(built->world, state->exchange->ranks, text, sizeof text) == NULL) {
        return 0;
    }
    return failure_set(failure, FAILURE_UNSUPPORTED, field, "%s", text);
}

void simulation_state_join(struct simulation_state *state) {
    if (state->exchange != NULL && !join(state) && state->ranks != NULL) {
        state->ranks->fail(state->ranks->context, "out of memory for the world");
    }
}

void simulation_state_give_cursors(struct simulation_state *state, const uint32_t owners[LIMIT_TARGETS]) {
    memcpy(state->cursors.owners, owners, sizeof state->cursors.owners);
    if (state->ranks != NULL) {
        state->ranks->order(state->ranks->context, RANK_ORDER_CURSORS, owners, sizeof state->cursors.owners);
    }
}

uint64_t simulation_state_hash(const struct simulation_state *state) {
    if (state->ranks != NULL) {
        state->ranks->order(state->ranks->context, RANK_ORDER_HASH, NULL, 0);
    }
    const uint64_t hash = world_hash(state->world);
    if (state->ranks != NULL) {
        state->ranks->check(state->ranks->context, hash);
    }
    return hash;
}

/* The flow at the centers of about square cells, few enough to draw. */
static void sample_flow(const struct world *world, const struct flow_def *flow, struct message_flow *out) {
    const struct bounds bounds = world_bounds(world);
    const float ratio = bounds.size.x / bounds.size.y;
    const float most = (float)LIMIT_FLOW_ARROWS;
    const float columns = fminf(fmaxf(floorf(sqrtf(most * ratio)), 1.0f), most);
    out->columns = (int32_t)columns;
    out->rows = (int32_t)fmaxf(floorf(fminf(most / columns, columns / ratio + 0.5f)), 1.0f);
    memcpy(out->name, flow->name, sizeof out->name);
    out->vector_count = out->columns * out->rows;
    for (int32_t i = 0; i < out->vector_count; i++) {
        const int32_t column = i % out->columns, row = i / out->columns;
        const vec2 place = {((float)column + 0.5f) * bounds.size.x / columns,
                            ((float)row + 0.5f) * bounds.size.y / (float)out->rows};
        const vec2 vector = flow_at(flow, &bounds, place);
        /* Whole px/s are enough to draw. */
        out->vectors[i] = vec2_make(rintf(vector.x), rintf(vector.y));
    }
}

/* One region a behavior, as many as there is room for. */
static void describe_regions(const struct state_def *state, const char *kind, struct message_geometry *out) {
    for (int b = 0; b < state->behavior_count && out->region_count < LIMIT_REGIONS; b++) {
        const struct behavior_def *behavior = &state->behaviors[b];
        const struct region_def *def = &behavior->region;
        if (!behavior_has_trait(behavior->type, TRAIT_REGION) || def->shape == REGION_WORLD) {
            continue;
        }
        struct message_region *region = &out->regions[out->region_count++];
        *region = (struct message_region){.is_circle = def->shape == REGION_CIRCLE,
                                          .at = def->at,
                                          .size = def->size,
                                          .radius = def->radius};
        (void)snprintf(region->kind, sizeof region->kind, "%s", kind);
        (void)snprintf(region->state, sizeof region->state, "%s", state->name);
    }
}

static void describe_geometry(const struct world *world, struct message_geometry *out) {
    const struct geometry_def *def = &world_scenery(world)->def;
    out->obstacle_count = def->obstacle_count;
    out->wall_count = def->wall_count;
    out->path_count = def->path_count;
    out->flow_count = def->flow_count;
    for (int i = 0; i < def->obstacle_count; i++) {
        out->obstacles[i] = def->obstacles[i];
    }
    for (int i = 0; i < def->wall_count; i++) {
        out->walls[i] = def->walls[i];
    }
    for (int i = 0; i < def->path_count; i++) {
        out->paths[i] = def->paths[i];
    }
    for (int i = 0; i < def->flow_count; i++) {
        sample_flow(world, &def->flows[i], &out->flows[i]);
    }
    for (int k = 0; k < world_kind_count(world); k++) {
        const struct kind_def *kind = world_kind(world, k);
        for (int s = 0; s < kind->state_count; s++) {
            describe_regions(&kind->states[s], kind->name, out);
        }
    }
}

void simulation_state_describe(const struct simulation_state *state, struct message_scenario *out) {
    const struct world *world = state->world;
    *out = (struct message_scenario){.size = world_size(world),
                                     .seed = world_seed(world),
                                     .tick_hz = world_tick_hz(world),
                                     .kind_count = world_kind_count(world),
                                     .view = state->view,
                                     .about = state->about};
    memcpy(out->name, state->name, sizeof out->name);
    memcpy(out->title, state->title, sizeof out->title);
    memcpy(out->description, state->description, sizeof out->description);
    (void)snprintf(out->edge, sizeof out->edge, "%s", edge_names[world_edge(world)]);
    for (int k = 0; k < out->kind_count; k++) {
        const struct kind_def *kind = world_kind(world, k);
        out->kinds[k] = (struct message_kind){.radius = kind->body.radius.high,
                                              .max_speed = kind->body.max_speed.high,
                                              .max_force = kind->body.max_force.high,
                                              .count = (uint32_t)world_kind_population(world, k)};
        memcpy(out->kinds[k].name, kind->name, sizeof out->kinds[k].name);
    }
    for (int t = 0; t < world_target_count(world); t++) {
        const char *name = world_target_name(world, t);
        if (strncmp(name, CURSOR_TARGET_PREFIX, sizeof CURSOR_TARGET_PREFIX - 1) !=
            0) { /* those come and go unannounced */
            (void)snprintf(out->targets[out->target_count++], sizeof out->targets[0], "%s", name);
        }
    }
    describe_geometry(world, &out->geometry);
}
