/* See trace.h. */
#include "server/sim/steering/trace.h"

#include <assert.h>
#include <stdbool.h>

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

static bool is_noted(const struct trace *trace, uint32_t id) {
    for (int i = 0; i < trace->neighbor_count; i++) {
        if (trace->neighbors[i] == id) {
            return true;
        }
    }
    return false;
}

/* Whether a neighbour comes before the one at a place of the list. */
static bool is_before(const struct trace *trace, float squared, uint32_t id, int place) {
    return squared < trace->squared[place] ||
           (squared <= trace->squared[place] && id < trace->neighbors[place]);
}

void trace_note_neighbor(struct trace *trace, uint32_t id, vec2 offset) {
    if (is_noted(trace, id)) {
        return;
    }
    const float squared = vec2_length_squared(offset);
    int place = trace->neighbor_count;
    if (place == LIMIT_INSPECT_NEIGHBORS) {
        place--;
        if (!is_before(trace, squared, id, place)) {
            return;
        }
    } else {
        trace->neighbor_count++;
    }
    for (; place > 0 && is_before(trace, squared, id, place - 1); place--) {
        trace->neighbors[place] = trace->neighbors[place - 1];
        trace->squared[place] = trace->squared[place - 1];
    }
    trace->neighbors[place] = id;
    trace->squared[place] = squared;
}
