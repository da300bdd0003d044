/* The handlers that only read the world: get, get_params, list, inspect. See command_internal.h. */
#include "server/commands/command_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/json/json_text.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_packed.h"
#include "common/text/base64.h"
#include "server/commands/simulation_state.h"
#include "server/frames/nearest_rows.h"
#include "server/frames/rays.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world_image.h"
#include "server/sim/world/world_stripes.h"

/* ---- a frame in a reply ---- */

enum {
    HEAD_BYTES = 65536, /* of a reply beside its agents: targets, names */
    FRAME_BYTES = LIMIT_GET_BYTES - HEAD_BYTES,
    KEY_NUMBER = 1,  /* a key of its own, for the frame beside it */
    HUNDREDTHS = 100 /* of a snapshot's numbers, in a px */
};

/* What a frame is made of. */
struct making {
    struct snapshot_view view;
    struct snapshot *all, *selected; /* owned */
    int32_t *rows;                   /* owned */
    const struct snapshot *shown;    /* one of the two */
    struct buffer key, frame;        /* lines; key: empty in a layout without */
    int32_t nearest;                 /* of every agent; 0: not asked for */
    struct rays rays;                /* of every agent; number 0: not asked for */
    struct buffer near, far;         /* rows of the nearest, lengths of rays, in base64 */
};

/* ---- a frame in a reply: what is refused before anything is copied ---- */

static int check_kinds(const struct world *world, const char *kinds, struct failure *failure) {
    for (const char *at = kinds; *at != '\0';) {
        char name[LIMIT_NAME_CHARS + 1] = "";
        const size_t length = strcspn(at, " ");
        memcpy(name, at, length < sizeof name ? length : sizeof name - 1);
        if (command_find_kind(world, name, failure) < 0) {
            memcpy(failure->field, "kinds", sizeof "kinds");
            return -1;
        }
        at += length + (at[length] == ' ');
    }
    return 0;
}

static size_t agent_bytes(const struct making *making) {
    const struct frame_layout *layout = frame_layout_row(making->view.layout);
    return layout->agent_bytes(making->view.fields) +
           (layout->key != NULL ? layout->key->agent_bytes(making->view.fields) : 0) +
           base64_length((size_t)making->nearest * sizeof(int32_t)) +
           base64_length(making->rays.number * sizeof(float));
}

static uint64_t most_agents(const struct making *making) {
    return FRAME_BYTES / agent_bytes(making);
}

static int fail_memory(struct failure *failure) {
    return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

static int check_length(const struct making *making, uint64_t agents, struct failure *failure) {
    if (agents <= most_agents(making)) {
        return 0;
    }
    return failure_set(failure, FAILURE_FULL, NULL,
                       "a frame of %" PRIu64
                       " agents takes about %zu bytes, at most %d are allowed; ask for a region, kinds, "
                       "agents, fewer fields, or the layout packed",
                       agents, (size_t)agents * agent_bytes(making), LIMIT_GET_BYTES);
}

static struct making making_of(const struct request_subscribe *asked) {
    struct making making = {.view = {.layout = asked->layout, .fields = request_snapshot_fields(asked)}};
    struct snapshot_view *view = &making.view;
    view->has_region = asked->has_region;
    memcpy(view->region, asked->region, sizeof view->region);
    memcpy(view->kinds, asked->kinds, sizeof view->kinds);
    making.nearest = asked->has_nearest ? (int32_t)asked->nearest : 0;
    if (asked->has_rays) {
        making.rays = (struct rays){asked->rays.number, asked->rays.range, asked->rays.spread};
    }
    return making;
}

/* With what is looked at besides. */
static struct snapshot_view copied_view(const struct making *making) {
    struct snapshot_view view = making->view;
    view.fields |= making->rays.number > 0 ? (unsigned)SNAPSHOT_HEADING : 0u;
    return view;
}

int command_frame_check(const struct simulation_state *state, const struct request_subscribe *asked,
                        struct failure *failure) {
    const struct world *world = state->world;
    const struct making making = making_of(asked);
    int32_t agents = 0;
    if (check_kinds(world, making.view.kinds, failure) != 0) {
        return -1;
    }
    for (int k = 0; k < world_kind_count(world); k++) {
        agents += snapshot_view_has_kind(&making.view, world_kind(world, k)->name)
                      ? world_kind_population(world, k)
                      : 0;
    }
    return making.view.has_region ? 0 : check_length(&making, (uint64_t)agents, failure);
}

/* ---- a frame in a reply: which agents ---- */

static int compare_ids(const void *a, const void *b) {
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one < other ? -1 : one > other;
}

/* Keeps those of the rows whose id is asked for; both are ascending. */
static int32_t keep_asked(const struct snapshot *all, const uint32_t *ids, uint32_t id_count, int32_t *rows,
                          int32_t count) {
    int32_t kept = 0;
    uint32_t next = 0;
    for (int32_t i = 0; i < count; i++) {
        const uint32_t id = all->id[rows[i]];
        while (next < id_count && ids[next] < id) {
            next++;
        }
        if (next < id_count && ids[next] == id) {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

/* Returns how many of the rows remain, or -1 without memory. */
static int32_t filter_asked(const struct snapshot *all, const struct request_columns *agents, int32_t *rows,
                            int32_t count) {
    uint32_t *ids = malloc(sizeof *ids * (agents->count > 0 ? agents->count : 1));
    if (ids == NULL) {
        return -1;
    }
    for (uint32_t i = 0; i < agents->count; i++) {
        ids[i] = agents->agents[i];
    }
    qsort(ids, agents->count, sizeof *ids, compare_ids);
    const int32_t kept = keep_asked(all, ids, agents->count, rows, count);
    free(ids);
    return kept;
}

/* Of a world that ranks share: the agents that are asked for, or that the view shows if those are not too many. */
static int gather(const struct simulation_state *state, const struct request_columns *agents,
                  struct making *making, struct failure *failure) {
    const struct snapshot_view view = copied_view(making);
    uint64_t shown = 0;
    const int result = agents != NULL
                           ? state_gather_ids(state, view.fields, agents->agents, agents->count, making->all)
                           : state_gather_view(state, &view, most_agents(making), making->all, &shown);
    if (result != 0) {
        return fail_memory(failure);
    }
    return check_length(making, shown, failure);
}

/* Forces of no other agents than the view shows; all, where memory is short. */
static int copy_shown(const struct world *world, const struct snapshot_view *view, struct snapshot *out) {
    struct snapshot_demand *demand = calloc(1, sizeof *demand);
    if (demand != NULL) {
        snapshot_demand_add(demand, view);
    }
    const int result = world_snapshot_copy_wanted(world, view->fields, demand, out);
    free(demand);
    return result;
}

static int copy_world(const struct simulation_state *state, const struct request_columns *agents,
                      struct making *making, struct failure *failure) {
    const struct snapshot_view view = copied_view(making);
    making->all = snapshot_create();
    if (making->all == NULL) {
        return fail_memory(failure);
    }
    if (world_is_partial(state->world)) {
        if (gather(state, agents, making, failure) != 0) {
            return -1;
        }
    } else if (copy_shown(state->world, &view, making->all) != 0) {
        return fail_memory(failure);
    }
    const struct state_services *services = &state->services;
    making->all->epoch = state->epoch;
    making->all->clock_ms = services->clock_ms != NULL ? services->clock_ms(services->context) : 0.0;
    making->shown = making->all;
    return 0;
}

static bool select_agents(struct making *making, const struct request_columns *agents) {
    struct snapshot_filter filter;
    snapshot_view_filter(&making->view, making->all, 0.0, &filter);
    if (filter.is_all && agents == NULL) {
        return true;
    }
    making->rows = malloc(sizeof *making->rows * ((size_t)making->all->count + 1));
    making->selected = snapshot_create();
    if (making->rows == NULL || making->selected == NULL) {
        return false;
    }
    int32_t count = snapshot_filter_rows(&filter, making->all, making->rows);
    count = agents == NULL ? count : filter_asked(making->all, agents, making->rows, count);
    making->shown = making->selected;
    return count >= 0 && snapshot_select(making->all, making->rows, count, making->selected) == 0;
}

/* ---- a frame in a reply: its lines ---- */

static bool encode_with_key(struct making *making, const struct frame_key_codec *codec) {
    struct packed_encoder encoder;
    if (packed_encoder_init(&encoder, making->view.fields) != 0) {
        return false;
    }
    codec->encode_key(&encoder, making->shown, KEY_NUMBER, &making->key);
    const bool is_made = !making->key.failed && codec->encode_delta(&encoder, making->shown, &making->frame);
    packed_encoder_fini(&encoder);
    return is_made && !making->frame.failed;
}

static bool encode(struct making *making) {
    const struct frame_layout *layout = frame_layout_row(making->view.layout);
    if (layout->key != NULL) {
        return encode_with_key(making, layout->key);
    }
    layout->encode(&making->view, making->shown, NULL, &making->frame);
    return !making->frame.failed;
}

static void write_line(const char *name, const struct buffer *line, struct json_writer *json) {
    assert(line->length > 0 && line->data[line->length - 1] == '\n');
    line->data[line->length - 1] = '\0';
    json_key(json, name);
    json_raw(json, line->data);
    line->data[line->length - 1] = '\n';
}

/* Of the frame's own numbers: a client that looks for itself finds the same. */
static bool find_among(const struct snapshot *shown, int32_t most, double *places, int32_t *rows,
                       int32_t *out) {
    const bool wraps = shown->wraps;
    double *x = places, *y = places + shown->count;
    for (int32_t row = 0; row < shown->count; row++) {
        x[row] = (double)shown->x[row];
        y[row] = (double)shown->y[row];
        rows[row] = row;
    }
    const struct nearest_rows query = {
        .x = x,
        .y = y,
        .candidates = rows,
        .candidate_count = shown->count,
        .askers = rows,
        .asker_count = shown->count,
        .most = most,
        .wrap_x = wraps ? (double)shown->width * HUNDREDTHS : 0.0,
        .wrap_y = wraps ? (double)shown->height * HUNDREDTHS : 0.0,
    };
    return nearest_rows_find(&query, out) == 0;
}

static bool find_nearest(struct making *making) {
    const size_t count = (size_t)making->shown->count, most = (size_t)making->nearest;
    double *places = malloc((2 * count + 1) * sizeof *places);
    int32_t *rows = malloc((count + 1) * sizeof *rows), *found = malloc((count * most + 1) * sizeof *found);
    bool is_made = places != NULL && rows != NULL && found != NULL &&
                   find_among(making->shown, making->nearest, places, rows, found);
    const size_t length = base64_length(count * most * sizeof *found);
    char *text = is_made ? buffer_reserve(&making->near, length) : NULL;
    if (text != NULL) {
        (void)base64_encode_integers(found, count * most, sizeof *found, text);
        buffer_commit(&making->near, length);
    }
    free(places);
    free(rows);
    free(found);
    return text != NULL;
}

static bool cast_rays(const struct world *world, struct making *making) {
    const struct snapshot *shown = making->shown;
    const size_t number = making->rays.number, count = (size_t)shown->count * number;
    float *found = malloc((count + 1) * sizeof *found);
    const size_t length = base64_length(count * sizeof *found);
    char *text = found != NULL ? buffer_reserve(&making->far, length) : NULL;
    for (int32_t row = 0; text != NULL && row < shown->count; row++) {
        rays_cast(world, &making->rays, shown->x[row], shown->y[row], shown->heading[row],
                  found + (size_t)row * number);
    }
    if (text != NULL) {
        (void)base64_encode_integers(found, count, sizeof *found, text);
        buffer_commit(&making->far, length);
    }
    free(found);
    return text != NULL;
}

static void write_lines(const struct making *making, struct json_writer *json) {
    if (making->key.length > 0) {
        write_line("key", &making->key, json);
    }
    write_line("frame", &making->frame, json);
    if (making->nearest > 0) {
        json_key_string(json, "nearest", making->near.length > 0 ? making->near.data : "");
    }
    if (making->rays.number > 0) {
        json_key_string(json, "rays", making->far.length > 0 ? making->far.data : "");
    }
}

/* Ids that no agent has, in the order and as often as they were asked for. */
static void write_missing(const struct world *world, const struct request_columns *agents,
                          struct json_writer *json) {
    json_key(json, "missing");
    json_array(json);
    for (uint32_t i = 0; i < agents->count; i++) {
        if (world_find_agent(world, agents->agents[i]) < 0) {
            json_unsigned(json, agents->agents[i]);
        }
    }
    json_end(json);
}

static int make(const struct simulation_state *state, const struct request_columns *agents,
                struct making *making, struct failure *failure) {
    if (copy_world(state, agents, making, failure) != 0) {
        return -1;
    }
    if (!select_agents(making, agents)) {
        return fail_memory(failure);
    }
    if (check_length(making, (uint64_t)making->shown->count, failure) != 0) {
        return -1;
    }
    if ((making->nearest > 0 && !find_nearest(making)) ||
        (making->rays.number > 0 && !cast_rays(state->world, making))) {
        return fail_memory(failure);
    }
    if (!encode(making) ||
        making->key.length + making->frame.length + making->near.length + making->far.length > FRAME_BYTES) {
        return failure_set(failure, FAILURE_FULL, NULL, "the frame takes more than %d bytes",
                           LIMIT_GET_BYTES);
    }
    return 0;
}

int command_frame_write(const struct simulation_state *state, const struct request_subscribe *asked,
                        const struct request_columns *agents, struct json_writer *json,
                        struct failure *failure) {
    struct making making = making_of(asked);
    if (check_kinds(state->world, making.view.kinds, failure) != 0) {
        return -1;
    }
    buffer_init(&making.key, FRAME_BYTES);
    buffer_init(&making.frame, FRAME_BYTES);
    buffer_init(&making.near, FRAME_BYTES);
    buffer_init(&making.far, FRAME_BYTES);
    const int result = make(state, agents, &making, failure);
    if (result == 0) {
        write_lines(&making, json);
        if (agents != NULL) {
            write_missing(state->world, agents, json);
        }
    }
    snapshot_destroy(making.all);
    snapshot_destroy(making.selected);
    free(making.rows);
    buffer_fini(&making.key);
    buffer_fini(&making.frame);
    buffer_fini(&making.near);
    buffer_fini(&making.far);
    return result;
}

int apply_get(struct apply *apply) {
    const struct request_get *get = &apply->request->body.get;
    apply_write_tick(apply);
    return command_frame_write(apply->state, &get->view, request_columns_of(apply->request), apply->json,
                               &apply->failure);
}

/* ---- export ---- */

void command_export_write(const struct world *world, const char *name, char *document, size_t length,
                          const char *lost, struct json_writer *json) {
    document[json_compact(document, length, document)] = '\0';
    json_key_string(json, "scenario", name);
    json_key_unsigned(json, "seed", world_seed(world));
    json_key_number(json, "tick_hz", world_tick_hz(world));
    json_key(json, "document");
    json_raw(json, document);
    if (lost != NULL) {
        json_key(json, "lost");
        json_raw(json, lost);
    }
}

/* Here where a moment of the past is looked at, or no server is around; a server has its builder do it (scenario_order). */
static int export_changed(struct apply *apply, bool with_agents) {
    const struct simulation_state *state = apply->state;
    struct buffer document, lost;
    buffer_init(&document, LIMIT_SCENARIO_BYTES);
    buffer_init(&lost, LIMIT_CONTROL_BYTES);
    const int result = world_is_partial(state->world)
                           ? failure_set(&apply->failure, FAILURE_UNSUPPORTED, "what",
                                         "no rank has the whole world; allowed: \"loaded\"")
                           : scenario_write_now(state->text, state->text_length, state->world, with_agents,
                                                &document, &lost, &apply->failure);
    if (result == 0) {
        apply_write_tick(apply);
        command_export_write(state->world, state->name, document.data, document.length, lost.data,
                             apply->json);
    }
    buffer_fini(&document);
    buffer_fini(&lost);
    return result;
}

int apply_export(struct apply *apply) {
    const struct simulation_state *state = apply->state;
    const int what = apply->request->body.exported.what;
    if (state->text_length == 0) {
        return failure_set(&apply->failure, FAILURE_NO_SCENARIO, NULL,
                           "this world was made without a scenario's text");
    }
    if (what != EXPORT_LOADED) {
        return export_changed(apply, what == EXPORT_NOW);
    }
    char *document = malloc(state->text_length + 1);
    if (document == NULL) {
        return apply_fail_memory(apply);
    }
    memcpy(document, state->text, state->text_length);
    apply_write_tick(apply);
    command_export_write(state->world, state->name, document, state->text_length, NULL, apply->json);
    free(document);
    return 0;
}

/* ---- get_params ---- */

static void write_range(const struct field *field, struct json_writer *json) {
    json_key_number(json, "min", field->min);
    json_key_number(json, "max", field->max);
    if (field->type == FIELD_UINT32) {
        json_key_bool(json, "integer", true);
    }
    json_key_string(json, "unit", field->unit == NULL ? "1" : field->unit);
    json_key_string(json, "help", field->help);
}

/* The parameter's value in the units people use: 90, not 89.99999. */
static double param_value(const struct world *world, const struct param_ref *ref) {
    const struct kind_def *kind = world_kind(world, ref->kind);
    const void *object = ref->behavior < 0 ? (const void *)&kind->body
                                           : (const void *)&kind->states[ref->state].behaviors[ref->behavior];
    return field_get_number(ref->field, object);
}

static void write_params(const struct world *world, int kind, struct json_writer *json) {
    struct param_ref ref;
    char name[64];
    for (int i = 0; world_param_at(world, kind, i, &ref, name); i++) {
        json_object(json);
        json_key_string(json, "kind", world_kind(world, kind)->name);
        json_key_string(json, "param", name);
        json_key_number(json, "value", param_value(world, &ref));
        write_range(ref.field, json);
        json_end(json);
    }
}

int apply_get_params(struct apply *apply) {
    const struct request_get_params *request = &apply->request->body.get_params;
    const struct world *world = apply->state->world;
    struct json_writer *json = apply->json;
    apply_write_tick(apply);
    int first = 0;
    int last = world_kind_count(world) - 1;
    if (request->has_kind) {
        first = command_find_kind(world, request->kind, &apply->failure);
        last = first;
        if (first < 0) {
            return -1;
        }
    }
    json_key(json, "params");
    json_array(json);
    for (int kind = first; kind <= last; kind++) {
        write_params(world, kind, json);
    }
    json_end(json);
    return 0;
}

/* ---- list ---- */

static void list_kinds(const struct world *world, struct json_writer *json) {
    json_key(json, "kinds");
    json_array(json);
    for (int k = 0; k < world_kind_count(world); k++) {
        const struct kind_def *kind = world_kind(world, k);
        json_object(json);
        json_key_string(json, "name", kind->name);
        json_key(json, "radius");
        json_float(json, kind->body.radius.high);
        json_key(json, "max_speed");
        json_float(json, kind->body.max_speed.high);
        json_key(json, "max_force");
        json_float(json, kind->body.max_force.high);
        json_key_unsigned(json, "count", (uint64_t)world_kind_population(world, k));
        json_end(json);
    }
    json_end(json);
}

/* That it strolls, when it does so now and then. */
static void write_stroll(const struct world *world, int target, struct json_writer *json) {
    const struct target_def *def = world_image_target(world, target);
    if (def->stroll_speed > 0.0f) {
        json_key(json, "strolls");
        json_object(json);
        json_key(json, "after");
        json_float(json, def->stroll_after);
        json_key(json, "speed");
        json_float(json, def->stroll_speed);
        json_key_bool(json, "now", world_target_is_strolling(world, target));
        json_end(json);
    }
}

static void list_targets(const struct world *world, struct json_writer *json) {
    json_key(json, "targets");
    json_array(json);
    for (int t = 0; t < world_target_count(world); t++) {
        const vec2 at = world_target_position(world, t);
        json_object(json);
        json_key_string(json, "name", world_target_name(world, t));
        json_key_hundredths(json, "x", world_snapshot_hundredths(at.x));
        json_key_hundredths(json, "y", world_snapshot_hundredths(at.y));
        write_stroll(world, t, json);
        json_end(json);
    }
    json_end(json);
}

/* Who has come and left so far. */
static void list_sources(const struct world *world, struct json_writer *json) {
    json_key(json, "sources");
    json_array(json);
    for (int i = 0; i < world_source_count(world); i++) {
        const struct source_view source = world_source(world, i);
        json_object(json);
        json_key_string(json, "name", source.def->name);
        json_key_string(json, "kind", world_kind(world, source.def->kind)->name);
        json_key_string(json, "area", world_scenery(world)->def.areas[source.def->area].name);
        json_key_unsigned(json, "spawned", source.spawned);
        json_key_unsigned(json, "waiting", source.waiting);
        json_end(json);
    }
    json_end(json);
    json_key(json, "sinks");
    json_array(json);
    for (int i = 0; i < world_sink_count(world); i++) {
        const struct sink_view sink = world_sink(world, i);
        json_object(json);
        json_key_string(json, "name", sink.def->name);
        json_key_string(json, "area", world_scenery(world)->def.areas[sink.def->area].name);
        json_key_unsigned(json, "removed", sink.removed);
        json_end(json);
    }
    json_end(json);
}

/* Every behavior of this server with what a scenario can say about it. */
static void list_behaviors(struct json_writer *json) {
    json_key(json, "behaviors");
    json_array(json);
    for (int type = 0; behavior_type_name((enum behavior_type)type) != NULL; type++) {
        json_object(json);
        json_key_string(json, "name", behavior_type_name((enum behavior_type)type));
        json_key(json, "params");
        json_array(json);
        for (const struct field *row = behavior_fields((enum behavior_type)type); row->type != FIELD_END;
             row++) {
            if ((row->flags & FIELD_PARAM) != 0) {
                json_object(json);
                json_key_string(json, "param", row->name);
                write_range(row, json);
                json_end(json);
            }
        }
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

static int list_past(struct apply *apply, void (*list)(void *context, struct json_writer *json)) {
    if (list == NULL) {
        return failure_set(&apply->failure, FAILURE_FULL, "what",
                           "the past of the world is not in memory; start the server with --rewind BYTES");
    }
    list(apply->state->services.context, apply->json);
    return 0;
}

int apply_list(struct apply *apply) {
    const struct world *world = apply->state->world;
    apply_write_tick(apply);
    switch ((enum list_what)apply->request->body.list.what) {
    case LIST_SCENARIOS: /* of a folder, not of the world */
    case LIST_SAVES:
        break;
    case LIST_KINDS:
        list_kinds(world, apply->json);
        return 0;
    case LIST_TARGETS:
        list_targets(world, apply->json);
        return 0;
    case LIST_BEHAVIORS:
        list_behaviors(apply->json);
        return 0;
    case LIST_SOURCES:
        list_sources(world, apply->json);
        return 0;
    case LIST_BRANCHES:
        return list_past(apply, apply->state->services.list_branches);
    case LIST_SEATS:
        if (apply->state->services.list_seats == NULL) {
            break;
        }
        apply->state->services.list_seats(apply->state->services.context, apply->json);
        return 0;
    case LIST_CHANGES:
        return list_past(apply, apply->state->services.list_changes);
    }
    return failure_set(&apply->failure, FAILURE_INTERNAL, "what", "no such list");
}

/* ---- inspect ---- */

/* Those of each rank, in the order of the request. */
static int write_gathered(struct apply *apply, const struct request_inspect *request) {
    struct buffer texts[LIMIT_INSPECT_IDS];
    const int count = request->agent_count;
    for (int i = 0; i < count; i++) {
        buffer_init(&texts[i], LIMIT_GET_BYTES);
    }
    const int result = state_gather_texts(apply->state, request->agents, count, texts);
    for (int i = 0; i < count; i++) {
        if (result == 0 && texts[i].length > 0) {
            json_raw(apply->json, texts[i].data);
        }
        buffer_fini(&texts[i]);
    }
    return result == 0 ? 0 : apply_fail_memory(apply);
}

static void write_own(const struct world *world, const struct request_inspect *request,
                      struct json_writer *json) {
    for (int i = 0; i < request->agent_count; i++) {
        const int32_t row = world_find_agent(world, request->agents[i]);
        if (row >= 0) {
            command_inspect_write(world, row, json);
        }
    }
}

int apply_inspect(struct apply *apply) {
    const struct world *world = apply->state->world;
    const struct request_inspect *request = &apply->request->body.inspect;
    struct json_writer *json = apply->json;
    apply_write_tick(apply);
    json_key(json, "agents");
    json_array(json);
    if (!world_is_partial(world)) {
        write_own(world, request, json);
    } else if (write_gathered(apply, request) != 0) {
        return -1;
    }
    json_end(json);
    json_key(json, "missing");
    json_array(json);
    for (int i = 0; i < request->agent_count; i++) {
        if (world_find_agent(world, request->agents[i]) < 0) {
            json_unsigned(json, request->agents[i]);
        }
    }
    json_end(json);
    return 0;
}

/* ---- measure ---- */

/* Whether a request asks for a name: it lists it, or lists none. */
static bool asks_for(const char *names, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = names; *at != '\0';) {
        const size_t next = strcspn(at, " ");
        if (next == length && memcmp(at, name, length) == 0) {
            return true;
        }
        at += next + (at[next] == ' ');
    }
    return names[0] == '\0';
}

/* 0 when each name is that of a gate or an area. */
static int check_instruments(const struct geometry_def *geometry, const char *names,
                             struct failure *failure) {
    for (const char *at = names; *at != '\0';) {
        char name[LIMIT_NAME_CHARS + 1], list[NAME_LIST_BYTES] = "", hint[NEAREST_HINT_BYTES];
        const size_t length = strcspn(at, " ");
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length + (at[length] == ' ');
        if (geometry_def_find_gate(geometry, name) >= 0 || geometry_def_find_area(geometry, name) >= 0) {
            continue;
        }
        struct nearest_name nearest = nearest_name_begin(name);
        for (int i = 0; i < geometry->gate_count + geometry->area_count; i++) {
            const int area = i - geometry->gate_count;
            const char *known = area < 0 ? geometry->gates[i].name : geometry->areas[area].name;
            command_list_name(list, known, true);
            nearest_name_offer(&nearest, known);
        }
        nearest_name_hint(&nearest, hint);
        return failure_set(failure, FAILURE_BAD_PARAM, "names", "no gate or area \"%s\"%s; this world has %s",
                           name, hint, list[0] == '\0' ? "none" : list);
    }
    return 0;
}

static void write_areas(const struct simulation_state *state, const char *names, struct json_writer *json) {
    const struct geometry_def *geometry = &world_scenery(state->world)->def;
    const double meter = (double)world_meter(state->world);
    struct area_count counts[LIMIT_AREAS];
    state_count_areas(state, counts);
    for (int i = 0; i < geometry->area_count; i++) {
        const struct area_def *area = &geometry->areas[i];
        if (asks_for(names, area->name)) {
            json_object(json);
            json_key_string(json, "name", area->name);
            json_key_unsigned(json, "agents", counts[i].agents);
            json_key(json, "mean_speed");
            json_float(json, (float)counts[i].mean_speed);
            json_key(json, "density");
            json_float(json, (float)((double)counts[i].agents / area_size(area)));
            if (meter > 0.0) {
                json_key(json, "meters");
                json_object(json);
                json_key(json, "mean_speed");
                json_float(json, (float)(counts[i].mean_speed / meter));
                json_key(json, "density");
                json_float(json, (float)((double)counts[i].agents * meter * meter / area_size(area)));
                json_end(json);
            }
            json_end(json);
        }
    }
}

int apply_measure(struct apply *apply) {
    const char *names = apply->request->body.measure.names;
    const struct world *world = apply->state->world;
    const struct geometry_def *geometry = &world_scenery(world)->def;
    struct json_writer *json = apply->json;
    if (check_instruments(geometry, names, &apply->failure) != 0) {
        return -1;
    }
    apply_write_tick(apply);
    json_key_unsigned(json, "since", world_counted_since(world));
    json_key(json, "gates");
    json_array(json);
    for (int i = 0; i < geometry->gate_count; i++) {
        if (asks_for(names, geometry->gates[i].name)) {
            const struct gate_count count = world_gate_count(world, i);
            json_object(json);
            json_key_string(json, "name", geometry->gates[i].name);
            json_key_unsigned(json, "forward", count.forward);
            json_key_unsigned(json, "backward", count.backward);
            json_end(json);
        }
    }
    json_end(json);
    json_key(json, "areas");
    json_array(json);
    write_areas(apply->state, names, json);
    json_end(json);
    return 0;
}
