/* Driving from outside: a client says where an agent goes. See behavior.h. */
#define LANES_WIDTH 1 /* one agent at a time */
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_fields.h"
#include "server/sim/steering/one_agent.inc.h"

static const char *const mode_names[] = {"velocity", "force", NULL};

const struct field behavior_external_fields[] = {
    WEIGHT_ROW,
    {
        .name = "mode",
        .type = FIELD_CHOICE,
        FIELD_MEMBER(struct behavior_def, mode),
        .choices = mode_names,
        .unit = "",
        .help = "What the vectors of drive are: velocities to have, or forces.",
    },
    ROW(FIELD_UINT32, "hold", struct behavior_def, hold, FIELD_PARAM, 1, LIMIT_HOLD, 6, "ticks",
        "How long a vector counts unless another one comes; then this behavior is silent."),
    NUMBER("limit", limit, LIMIT_DRIVE, 0.0, "px/s or mass*px/s^2",
           "Longer vectors are cut to this; 0: as far as the body goes."),
    TURN_ROWS,
    END_ROW,
};

/* External: what a client drives the agent with (world_drive), as a velocity or as a force.
 *
 * Inactive without a vector that is new enough, so that the other behaviors act when a client is gone. What the
 * body cannot do is cut off: velocities at max_speed, forces at max_force, turns as everywhere. */
struct steering_output behavior_external(const struct behavior_def *behavior,
                                         const struct steering_context *context) {
    const struct drive *drive = context->drive;
    trace_number(context->trace, "hold", (float)behavior->hold);
    if (drive == NULL || !drive_is_fresh(drive, behavior->hold)) {
        return (struct steering_output){false, {0.0f, 0.0f}, {0.0f, 0.0f}};
    }
    trace_number(context->trace, "ticks_ago", (float)(LIMIT_HOLD - drive->left));
    const struct rule_lanes agent = rule_agent(context);
    const struct pair vector = pair_of(drive->vector);
    if (behavior->mode == EXTERNAL_FORCE) {
        trace_vector(context->trace, "driven_force", drive->vector);
        trace_number(context->trace, "force_limit", longest_drive(agent.max_force, behavior->limit));
        return output_of(drive_force(&agent, vector, behavior->limit, context->dt / context->body->mass));
    }
    const struct steering_output output =
        output_of(drive_velocity(&agent, vector, behavior->limit, context->exact_rate));
    trace_vector(context->trace, "driven", drive->vector);
    trace_number(context->trace, "speed_limit", longest_drive(agent.max_speed, behavior->limit));
    trace_vector(context->trace, "steering", vec2_sub(output.desired, context->velocity));
    trace_number(context->trace, "rate", context->exact_rate);
    return output;
}
