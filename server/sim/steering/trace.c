/* See trace.h. */
#include "server/sim/steering/trace.h"

#include <assert.h>

const char *const trace_names[TRACE_COUNT] = {
    [TRACE_TARGET] = "target",   [TRACE_PREDICTED] = "predicted",   [TRACE_MIDPOINT] = "midpoint",
    [TRACE_PLACE] = "place",     [TRACE_CIRCLE] = "circle",         [TRACE_GOAL] = "goal",
    [TRACE_FUTURE] = "future",   [TRACE_PROBE] = "probe",           [TRACE_CONTACT] = "contact",
    [TRACE_SURFACE] = "surface", [TRACE_PATH_POINT] = "path_point", [TRACE_HIDING_PLACE] = "hiding_place",
    [TRACE_CENTER] = "center",
};

void trace_note_place(struct trace *trace, enum trace_what what, vec2 place, float radius) {
    assert(trace->point_count < TRACE_POINTS_MAX);
    /* Only a torus moves a place: beyond the border of another world is where it says. */
    const struct bounds open = {.size = trace->bounds.size, .edge = EDGE_OPEN};
    const struct bounds *bounds = trace->bounds.edge == EDGE_WRAP ? &trace->bounds : &open;
    trace->points[trace->point_count++] = (struct trace_point){
        .label = trace->label, .what = what, .at = bounds_settle(bounds, place), .radius = radius};
}

/* ---- terms ---- */

const char *const trace_part_names[TRACE_PARTS] = {"separation", "alignment", "cohesion"};

static struct trace_term *present(struct trace *trace) {
    assert(trace->term_count >= 1 && trace->term_count <= TRACE_TERMS_MAX);
    return &trace->terms[trace->term_count - 1];
}

void trace_begin_term(struct trace *trace, const char *label, const char *type, float weight, int tier) {
    assert(trace->term_count < TRACE_TERMS_MAX);
    trace->label = label;
    trace->term_count++;
    struct trace_term *term = present(trace);
    term->label = label;
    term->type = type;
    term->way = term->why = NULL;
    term->weight = weight;
    term->tier = tier;
    term->has_desired = false;
    term->desired = term->wants = term->gets = vec2_make(0.0f, 0.0f);
    term->part_count = 0;
    term->value_count = 0;
}

void trace_end_term(struct trace *trace, const vec2 *desired, vec2 force) {
    struct trace_term *term = present(trace);
    term->has_desired = desired != NULL;
    term->desired = desired != NULL ? *desired : vec2_make(0.0f, 0.0f);
    term->wants = term->gets = force;
    for (int i = 0; i < term->part_count; i++) {
        term->parts[i] = vec2_scale(term->parts[i], term->weight);
    }
}

void trace_scale_terms(struct trace *trace, int first, vec2 after, vec2 before) {
    const double x = (double)before.x, y = (double)before.y, squared = x * x + y * y;
    const double share = squared > 0.0 ? ((double)after.x * x + (double)after.y * y) / squared : 0.0;
    for (int i = first; i < trace->term_count; i++) {
        vec2 *gets = &trace->terms[i].gets;
        *gets = vec2_make((float)((double)gets->x * share), (float)((double)gets->y * share));
    }
}

void trace_note_value(struct trace *trace, const char *name, bool is_vector, vec2 vector) {
    struct trace_term *term = present(trace);
    if (term->value_count < TRACE_TERM_VALUES) {
        term->values[term->value_count++] = (struct trace_value){name, is_vector, vector};
    }
}

void trace_note_parts(struct trace *trace, const vec2 parts[TRACE_PARTS]) {
    struct trace_term *term = present(trace);
    term->part_count = TRACE_PARTS;
    for (int i = 0; i < TRACE_PARTS; i++) {
        term->parts[i] = parts[i];
    }
}
