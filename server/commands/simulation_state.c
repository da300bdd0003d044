/* See simulation_state.h. */
#include "server/commands/simulation_state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "server/commands/command_apply.h"
#include "server/commands/command_internal.h"
#include "server/frames/snapshot_gather.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_stripes.h"

static void write_event(struct message_event *event, const struct world_note *note,
                        const struct world *world) {
    event->agent = note->agent;
    if (note->type == NOTE_CAUGHT) {
        (void)snprintf(event->event, sizeof event->event, "caught");
        event->has |= EVENT_HAS_QUARRY;
        event->quarry = note->quarry;
        return;
    }
    (void)snprintf(event->event, sizeof event->event, "reached");
    (void)snprintf(event->target, sizeof event->target, "%s", world_target_name(world, note->target));
    event->has |= EVENT_HAS_TARGET;
    event->x = world_snapshot_hundredths(note->at.x);
    event->y = world_snapshot_hundredths(note->at.y);
}

/* How many events of gates, or others, wait to be sent. */
static int count_waiting(const struct event_log *log, bool is_crossing) {
    int count = 0;
    for (int i = 0; i < log->count; i++) {
        count += ((log->events[i].has & EVENT_HAS_GATE) != 0) == is_crossing;
    }
    return count;
}

/* The next event, with this bit of `has`; or NULL: it is left out. */
static struct message_event *add_event(struct event_log *log, unsigned has, uint64_t tick) {
    const bool is_crossing = has == EVENT_HAS_GATE;
    int *taken = is_crossing ? &log->crossings_taken : &log->taken;
    uint32_t *left_out = is_crossing ? &log->crossings_left_out : &log->left_out;
    if (*taken == EVENT_LOG_RATE || count_waiting(log, is_crossing) == EVENT_LOG_MAX) {
        ++*left_out;
        return NULL;
    }
    struct message_event *event = &log->events[log->count++];
    *event = (struct message_event){.tick = tick,
                                    .has = has | (*left_out > 0 ? (unsigned)EVENT_HAS_LEFT_OUT : 0u),
                                    .left_out = *left_out};
    ++*taken;
    *left_out = 0;
    return event;
}

static void take_crossings(struct event_log *log, const struct world *world) {
    const struct world_crossing *crossings = NULL;
    uint64_t left_out = 0;
    const int count = world_crossings(world, &crossings, &left_out);
    log->crossings_left_out += (uint32_t)left_out;
    for (int i = 0; i < count; i++) {
        struct message_event *event = add_event(log, EVENT_HAS_GATE, world_tick(world));
        if (event != NULL) {
            (void)snprintf(event->event, sizeof event->event, "crossed");
            (void)snprintf(event->gate, sizeof event->gate, "%s",
                           world_scenery(world)->def.gates[crossings[i].gate].name);
            event->has |= EVENT_HAS_AGENT;
            event->agent = crossings[i].agent;
            event->direction = crossings[i].direction;
        }
    }
}

/* Who came and left since the last event that said so: what is left out now, the next one has. */
static void take_turnover(struct event_log *log, const struct world *world) {
    for (int i = 0; i < world_source_count(world); i++) {
        const struct source_view source = world_source(world, i);
        const uint32_t count = source.spawned - log->entered[i];
        struct message_event *event =
            count > 0 ? add_event(log, EVENT_HAS_TURNOVER, world_tick(world)) : NULL;
        if (event != NULL) {
            (void)snprintf(event->event, sizeof event->event, "entered");
            event->has |= EVENT_HAS_KIND | EVENT_HAS_COUNT;
            event->count = count;
            event->waiting = source.waiting;
            memcpy(event->source, source.def->name, sizeof event->source);
            memcpy(event->kind, world_kind(world, source.def->kind)->name, sizeof event->kind);
            log->entered[i] = source.spawned;
        }
    }
    for (int i = 0; i < world_sink_count(world); i++) {
        const struct sink_view sink = world_sink(world, i);
        const uint32_t count = sink.removed - log->left[i];
        struct message_event *event =
            count > 0 ? add_event(log, EVENT_HAS_TURNOVER, world_tick(world)) : NULL;
        if (event != NULL) {
            (void)snprintf(event->event, sizeof event->event, "left");
            event->has |= EVENT_HAS_COUNT;
            event->count = count;
            memcpy(event->sink, sink.def->name, sizeof event->sink);
            log->left[i] = sink.removed;
        }
    }
}

void event_log_init(struct event_log *log, const struct world *world) {
    *log = (struct event_log){.second_ticks = (uint64_t)ceil(world_tick_hz(world))};
    for (int i = 0; i < world_source_count(world); i++) {
        log->entered[i] = world_source(world, i).spawned;
    }
    for (int i = 0; i < world_sink_count(world); i++) {
        log->left[i] = world_sink(world, i).removed;
    }
}

/* Takes the events of the world's last tick. */
static void event_log_take(struct event_log *log, const struct world *world) {
    const struct world_note *notes = NULL;
    uint32_t left_out = 0;
    const int count = world_notes(world, &notes, &left_out);
    const uint64_t second = world_tick(world) / log->second_ticks;
    if (second != log->second) {
        log->second = second;
        log->taken = log->crossings_taken = 0;
        take_turnover(log, world);
    }
    log->left_out += left_out;
    for (int i = 0; i < count; i++) {
        struct message_event *event = add_event(log, EVENT_HAS_AGENT, world_tick(world));
        if (event != NULL) {
            write_event(event, &notes[i], world);
        }
    }
    take_crossings(log, world);
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
           op != REQUEST_STEP && op != REQUEST_LOAD && op != REQUEST_REWIND;
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

static void clear_check(struct simulation_state *state) {
    world_check_destroy(state->check);
    state->check = NULL;
}

void simulation_state_fini(struct simulation_state *state) {
    clear_check(state);
    world_destroy(state->world);
    state->world = NULL;
    state_batch_destroy(state->batch);
    state->batch = NULL;
    free(state->text);
    free(state->first_text);
    state->text = state->first_text = NULL;
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
    clear_check(state);
    struct world *former = state->world;
    state->world = built->world;
    built->world = former;
    char *text = state->text;
    state->text = built->text;
    state->text_length = built->text_length;
    built->text = text;
    free(state->first_text);
    state->first_text = built->first_text;
    built->first_text = NULL;
    world_allow_giving_up(state->world, state->is_urgent);
    memcpy(state->name, built->name, sizeof state->name);
    memcpy(state->title, built->title, sizeof state->title);
    memcpy(state->description, built->description, sizeof state->description);
    state->view = built->view;
    state->warmup_s = built->warmup_s;
    state->about = built->about;
    state->cursors = (struct state_cursors){0};
    state->epoch++;
    state->is_spoiled = false;
    event_log_init(&state->log, state->world);
    if (state->ranks != NULL) {
        state->ranks->put(state->ranks->context, state, built);
    }
    const bool is_deferred = world_is_deferred(state->world);
    simulation_state_join(state);
    if (is_deferred && !world_is_deferred(state->world)) {
        built->hash = world_hash(state->world);
    }
}

/* A world that was whole has room for all agents: what is here goes into one of its own. Without memory it stays. */
static void keep_part(struct simulation_state *state) {
    struct world *part = world_clone_new(state->world);
    if (part != NULL) {
        world_allow_giving_up(part, state->is_urgent);
        world_destroy(state->world);
        state->world = part;
    }
}

static bool join(struct simulation_state *state) {
    if (state->gatherer == NULL) {
        state->gatherer = snapshot_gatherer_create(state->exchange->ranks);
    }
    const bool was_whole = !world_is_partial(state->world) && !world_is_deferred(state->world) &&
                           world_agent_count(state->world) > 0;
    const bool is_joined = world_is_partial(state->world); /* a clone of a world in stripes is in stripes */
    if (state->gatherer == NULL || (!is_joined && world_populate(state->world, state->exchange) != 0)) {
        return false;
    }
    if (was_whole && world_is_partial(state->world)) {
        keep_part(state);
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

void simulation_state_sample_flow(const struct world *world, const struct flow_def *flow,
                                  struct message_flow *out) {
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
        simulation_state_sample_flow(world, &def->flows[i], &out->flows[i]);
    }
    out->gate_count = def->gate_count;
    for (int i = 0; i < def->gate_count; i++) {
        out->gates[i] = def->gates[i];
    }
    out->area_count = def->area_count;
    for (int i = 0; i < def->area_count; i++) {
        out->areas[i] = def->areas[i];
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
                                     .meter = world_meter(world),
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

/* ---- an agent, for inspect ---- */

static void write_vector(struct json_writer *json, const char *key, vec2 vector) {
    json_key(json, key);
    json_array(json);
    json_hundredths(json, world_snapshot_hundredths(vector.x));
    json_hundredths(json, world_snapshot_hundredths(vector.y));
    json_end(json);
}

static void write_body(const struct agent_view *agent, struct json_writer *json) {
    json_key_hundredths(json, "x", world_snapshot_hundredths(agent->position.x));
    json_key_hundredths(json, "y", world_snapshot_hundredths(agent->position.y));
    json_key_hundredths(json, "vx", world_snapshot_hundredths(agent->velocity.x));
    json_key_hundredths(json, "vy", world_snapshot_hundredths(agent->velocity.y));
    json_key_hundredths(json, "heading", world_snapshot_heading(agent->heading));
    json_key_hundredths(json, "stamina", world_snapshot_hundredths(agent->stamina));
    json_key(json, "mass");
    json_float(json, agent->mass);
    json_key(json, "radius");
    json_float(json, agent->radius);
    json_key(json, "max_speed");
    json_float(json, agent->max_speed);
    json_key(json, "max_force");
    json_float(json, agent->max_force);
}

/* The same in m and m/s, with y downwards as in px. */
static void write_meters(const struct agent_view *agent, double meter, struct json_writer *json) {
    json_key(json, "meters");
    json_object(json);
    json_key_hundredths(json, "x", world_snapshot_hundredths((float)((double)agent->position.x / meter)));
    json_key_hundredths(json, "y", world_snapshot_hundredths((float)((double)agent->position.y / meter)));
    json_key_hundredths(json, "speed",
                        world_snapshot_hundredths((float)((double)vec2_length(agent->velocity) / meter)));
    json_end(json);
}

/* Whom it minds, and the places it looks at. */
static void write_trace(const struct trace *trace, struct json_writer *json) {
    json_key(json, "neighbors");
    json_array(json);
    for (int i = 0; i < trace->neighbors.count; i++) {
        json_unsigned(json, trace->neighbors.ids[i]);
    }
    json_end(json);
    json_key(json, "points");
    json_array(json);
    for (int i = 0; i < trace->point_count; i++) {
        const struct trace_point *point = &trace->points[i];
        json_object(json);
        json_key_string(json, "behavior", point->label);
        json_key_string(json, "what", trace_names[point->what]);
        json_key_hundredths(json, "x", world_snapshot_hundredths(point->at.x));
        json_key_hundredths(json, "y", world_snapshot_hundredths(point->at.y));
        if (point->what == TRACE_CIRCLE) {
            json_key_hundredths(json, "radius", world_snapshot_hundredths(point->radius));
        }
        json_end(json);
    }
    json_end(json);
}

/* At most four decimals and six digits or so: what a formula needs, in few characters. */
static void write_value(float value, struct json_writer *json) {
    const double number = (double)value, size = fabs(number);
    const double scale = size >= 100000.0 ? 10.0 : size >= 1000.0 ? 100.0 : size >= 100.0 ? 1000.0 : 10000.0;
    const double limited = size < 1e9 ? number : number < 0.0 ? -1e9 : 1e9;
    json_number(json, rint(limited * scale) / scale + 0.0); /* never -0 */
}

static void write_values(const struct trace_term *term, struct json_writer *json) {
    json_key(json, "values");
    json_object(json);
    for (int i = 0; i < term->value_count; i++) {
        const struct trace_value *value = &term->values[i];
        json_key(json, value->name);
        if (value->is_vector) {
            json_array(json);
            write_value(value->vector.x, json);
            write_value(value->vector.y, json);
            json_end(json);
        } else {
            write_value(value->vector.x, json);
        }
    }
    json_end(json);
}

/* They add up to what the term wants in the digits that are shown. */
static void write_parts(const struct trace_term *term, struct json_writer *json) {
    struct snapshot_vector rounded[TRACE_PARTS];
    world_snapshot_parts(term, rounded);
    json_key(json, "parts");
    json_object(json);
    for (int i = 0; i < term->part_count; i++) {
        json_key(json, trace_part_names[i]);
        json_array(json);
        json_hundredths(json, rounded[i].x);
        json_hundredths(json, rounded[i].y);
        json_end(json);
    }
    json_end(json);
}

struct hundredths {
    int64_t x, y;
};

static void write_term(const struct trace_term *term, struct hundredths gets, struct json_writer *json) {
    json_object(json);
    json_key_string(json, "behavior", term->label);
    json_key_string(json, "type", term->type);
    json_key(json, "weight");
    json_float(json, term->weight);
    if (term->way != NULL) {
        json_key_string(json, "way", term->way);
    }
    if (term->why != NULL) {
        json_key_string(json, "why", term->why);
    }
    if (term->tier != TRACE_NO_TIER) {
        json_key_unsigned(json, "tier", (uint64_t)term->tier);
    }
    if (term->has_desired) {
        write_vector(json, "desired", term->desired);
    }
    write_vector(json, "wants", term->wants);
    json_key(json, "gets");
    json_array(json);
    json_hundredths(json, gets.x);
    json_hundredths(json, gets.y);
    json_end(json);
    if (term->part_count > 0) {
        write_parts(term, json);
    }
    write_values(term, json);
    json_end(json);
}

/* Whether two sums of the same forces differ by rounding alone. */
static bool is_near(vec2 a, vec2 b) {
    const float apart = vec2_length(vec2_sub(a, b)), size = vec2_length(b);
    return apart <= 0.005f + 1e-5f * size;
}

/* The terms' gets, rounded one after the other so that they add up to the rounded steering force. */
static void write_terms(const struct trace *trace, vec2 steering, struct json_writer *json) {
    vec2 sum = {0.0f, 0.0f};
    struct hundredths shown = {0, 0};
    int last = trace->term_count - 1;
    while (last > 0 && !(vec2_length_squared(trace->terms[last].gets) > 0.0f)) {
        last--;
    }
    json_key(json, "terms");
    json_array(json);
    for (int i = 0; i < trace->term_count; i++) {
        sum = vec2_add(sum, trace->terms[i].gets);
        sum = i >= last && is_near(sum, steering) ? steering : sum;
        const struct hundredths next = {world_snapshot_hundredths(sum.x), world_snapshot_hundredths(sum.y)};
        write_term(&trace->terms[i], (struct hundredths){next.x - shown.x, next.y - shown.y}, json);
        shown = next;
    }
    json_end(json);
}

void command_inspect_write(const struct world *world, int32_t row, struct json_writer *json) {
    struct agent_view agent = world_agent(world, row);
    const struct kind_def *kind = world_kind(world, agent.kind);
    struct steering_view view;
    struct trace trace;
    world_trace(world, row, &view, &trace);
    agent.max_speed = view.max_speed;
    json_object(json);
    json_key_unsigned(json, "id", agent.id);
    json_key_string(json, "kind", kind->name);
    json_key_string(json, "state", kind->states[agent.state].name);
    write_body(&agent, json);
    if (world_meter(world) > 0.0f) {
        write_meters(&agent, (double)world_meter(world), json);
    }
    json_key_string(json, "locomotion", locomotion_names[kind->body.locomotion]);
    write_vector(json, "desired", view.desired);
    write_vector(json, "steering", view.steering);
    json_key(json, "forces");
    json_object(json);
    for (int i = 0; i < view.count; i++) {
        write_vector(json, view.labels[i], view.forces[i]);
    }
    json_end(json);
    write_trace(&trace, json);
    write_terms(&trace, view.steering, json);
    json_end(json);
}

/* ---- gather ---- */

enum what { WHAT_VIEWS, WHAT_VIEW, WHAT_IDS, WHAT_TEXTS, WHAT_COUNT, WHAT_AREAS, WHAT_WORLD };
enum { ROOT = 0 };

/* The bytes of an order: this, then views or ids. */
struct question {
    enum what what;
    unsigned fields;
    uint64_t most;
    uint32_t id_count;
    int kind, agent_state;
};

/* No more than a request's ids, or views. */
static const size_t order_limit_bytes = (size_t)1 << 30;

/* Without memory for the question the program ends: the ranks could not go on together. */
static void ask(const struct simulation_state *state, const struct question *question, const void *more,
                size_t size) {
    struct buffer bytes;
    buffer_init(&bytes, order_limit_bytes);
    buffer_append(&bytes, question, sizeof *question);
    if (size > 0) {
        buffer_append(&bytes, more, size);
    }
    if (bytes.failed) {
        state->ranks->fail(state->ranks->context, "out of memory for a question to the other ranks");
    }
    state->ranks->order(state->ranks->context, RANK_ORDER_GATHER, bytes.data, bytes.length);
    buffer_fini(&bytes);
}

/* Rank 0, not this one, reports that memory is short. */
static void known_to_root(int result) {
    (void)result;
}

/* ---- snapshots ---- */

int state_gather_views(const struct simulation_state *state, const struct snapshot_demand *demand,
                       struct snapshot *out, struct snapshot_extract *extract) {
    const struct question question = {.what = WHAT_VIEWS};
    ask(state, &question, demand, snapshot_demand_bytes(demand));
    return snapshot_gather(state->gatherer, state->world, ROOT, demand, out, extract);
}

static int follow_views(const struct simulation_state *state, const char *bytes, size_t size) {
    struct snapshot_demand *demand = calloc(1, sizeof *demand);
    if (demand == NULL) {
        return -1;
    }
    assert(size <= sizeof *demand);
    memcpy(demand, bytes, size);
    known_to_root(snapshot_gather(state->gatherer, state->world, ROOT, demand, NULL, NULL));
    free(demand);
    return 0;
}

int state_gather_view(const struct simulation_state *state, const struct snapshot_view *view, uint64_t most,
                      struct snapshot *out, uint64_t *shown) {
    const struct question question = {.what = WHAT_VIEW, .most = most};
    ask(state, &question, view, sizeof *view);
    return snapshot_gather_view(state->gatherer, state->world, ROOT, view, most, out, shown);
}

static void follow_view(const struct simulation_state *state, const struct question *question,
                        const char *bytes) {
    struct snapshot_view view;
    uint64_t shown = 0;
    memcpy(&view, bytes, sizeof view);
    known_to_root(
        snapshot_gather_view(state->gatherer, state->world, ROOT, &view, question->most, NULL, &shown));
}

int state_gather_ids(const struct simulation_state *state, unsigned fields, const uint32_t *ids,
                     uint32_t count, struct snapshot *out) {
    const struct question question = {.what = WHAT_IDS, .fields = fields, .id_count = count};
    ask(state, &question, ids, (size_t)count * sizeof *ids);
    return snapshot_gather_ids(state->gatherer, state->world, ROOT, fields, ids, count, out);
}

/* ---- texts ---- */

/* What goes before a text. */
struct text_head {
    int32_t index; /* of the id */
    uint32_t length;
};

static void write_texts(const struct world *world, const uint32_t *ids, int count, struct buffer *out) {
    struct buffer text;
    buffer_init(&text, LIMIT_GET_BYTES);
    for (int i = 0; i < count; i++) {
        const int32_t row = world_find_agent(world, ids[i]);
        if (row < 0 || !world_owns(world, row)) {
            continue;
        }
        buffer_clear(&text);
        struct json_writer json = json_writer_begin(&text);
        command_inspect_write(world, row, &json);
        const struct text_head head = {.index = i, .length = (uint32_t)text.length};
        buffer_append(out, &head, sizeof head);
        buffer_append(out, text.data, text.length);
        out->failed = out->failed || text.failed;
    }
    buffer_fini(&text);
}

/* A rank whose memory is short gives a byte that is no head. */
static int read_texts(const struct exchange_part *part, struct buffer *texts) {
    const char *at = part->bytes, *end = at + part->size;
    while (at < end) {
        struct text_head head;
        if ((size_t)(end - at) < sizeof head) {
            return -1;
        }
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        buffer_append(&texts[head.index], at, head.length);
        if (texts[head.index].failed) {
            return -1;
        }
        at += head.length;
    }
    return 0;
}

/* texts: NULL on all ranks but rank 0. */
static int exchange_texts(const struct simulation_state *state, const uint32_t *ids, int count,
                          struct buffer *texts) {
    static char is_short;
    struct buffer own;
    int result = 0;
    buffer_init(&own, order_limit_bytes);
    write_texts(state->world, ids, count, &own);
    const struct exchange_part mine =
        own.failed ? (struct exchange_part){&is_short, 1} : (struct exchange_part){own.data, own.length};
    const struct exchange_part *parts = snapshot_gatherer_give(state->gatherer, state->exchange, ROOT, mine);
    for (int r = 0; texts != NULL && result == 0 && r < state->exchange->ranks; r++) {
        result = read_texts(&parts[r], texts);
    }
    buffer_fini(&own);
    return result;
}

int state_gather_texts(const struct simulation_state *state, const uint32_t *ids, int count,
                       struct buffer *texts) {
    const struct question question = {.what = WHAT_TEXTS, .id_count = (uint32_t)count};
    ask(state, &question, ids, (size_t)count * sizeof *ids);
    return exchange_texts(state, ids, count, texts);
}

/* ---- numbers, and the whole ---- */

uint64_t state_count_in_state(const struct simulation_state *state, int kind, int agent_state,
                              uint64_t most) {
    if (world_is_partial(state->world)) {
        const struct question question = {
            .what = WHAT_COUNT, .most = most, .kind = kind, .agent_state = agent_state};
        ask(state, &question, NULL, 0);
    }
    return world_count_in_state(state->world, kind, agent_state, most);
}

void state_count_areas(const struct simulation_state *state, struct area_count counts[LIMIT_AREAS]) {
    if (world_is_partial(state->world)) {
        const struct question question = {.what = WHAT_AREAS};
        ask(state, &question, NULL, 0);
    }
    world_count_areas(state->world, counts);
}

int state_gather_world(const struct simulation_state *state, struct world *whole) {
    const struct question question = {.what = WHAT_WORLD};
    ask(state, &question, NULL, 0);
    return world_gather(state->world, ROOT, whole);
}

/* ---- the others ---- */

/* The ids of a question may lie at any address. */
static int follow_ids(const struct simulation_state *state, const struct question *question,
                      const char *bytes) {
    const size_t size = (size_t)question->id_count * sizeof(uint32_t);
    uint32_t *ids = malloc(size + 1);
    if (ids == NULL) {
        return -1;
    }
    memcpy(ids, bytes, size);
    if (question->what == WHAT_IDS) {
        known_to_root(snapshot_gather_ids(state->gatherer, state->world, ROOT, question->fields, ids,
                                          question->id_count, NULL));
    } else {
        (void)exchange_texts(state, ids, (int)question->id_count, NULL);
    }
    free(ids);
    return 0;
}

int state_gather_follow(const struct simulation_state *state, const void *bytes, size_t size) {
    struct question question;
    assert(size >= sizeof question);
    memcpy(&question, bytes, sizeof question);
    const char *more = (const char *)bytes + sizeof question;
    switch (question.what) {
    case WHAT_VIEWS:
        return follow_views(state, more, size - sizeof question);
    case WHAT_VIEW:
        follow_view(state, &question, more);
        break;
    case WHAT_IDS:
    case WHAT_TEXTS:
        return follow_ids(state, &question, more);
    case WHAT_COUNT:
        (void)world_count_in_state(state->world, question.kind, question.agent_state, question.most);
        break;
    case WHAT_AREAS: {
        struct area_count counts[LIMIT_AREAS];
        world_count_areas(state->world, counts);
        break;
    }
    case WHAT_WORLD:
        known_to_root(world_gather(state->world, ROOT, NULL));
        break;
    }
    return 0;
}
