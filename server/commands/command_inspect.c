/* See command_inspect.h. */
#include "server/commands/command_inspect.h"

#include <math.h>

#include "server/frames/world_snapshot.h"

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
    const struct agent_view agent = world_agent(world, row);
    const struct kind_def *kind = world_kind(world, agent.kind);
    struct steering_view view;
    struct trace trace;
    world_trace(world, row, &view, &trace);
    json_object(json);
    json_key_unsigned(json, "id", agent.id);
    json_key_string(json, "kind", kind->name);
    json_key_string(json, "state", kind->states[agent.state].name);
    write_body(&agent, json);
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
