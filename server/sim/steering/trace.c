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
