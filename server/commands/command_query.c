/* The handlers that only read the world: get_params, list, inspect. */
#include "server/commands/command_internal.h"

#include "common/json/field_json.h"
#include "server/commands/simulation_state.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world_image.h"
#include "server/sim/world/world_stripes.h"

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
