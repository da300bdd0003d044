/* What one agent wants: its behaviours evaluated over the state of tick t and combined.
 *
 * The state's behaviours are a weighted sum (the "movement manager"). Containment, when it acts, is a tier
 * above them: it takes what it needs of max_force and leaves the rest.
 */
#include <assert.h>

#include "server/sim/world_internal.h"

static vec2 target_point(const struct world *world, int32_t row, const struct behavior_def *behavior,
                         int target) {
    if (behavior->type == BEHAVIOR_SEEK || behavior->type == BEHAVIOR_ARRIVE) {
        const struct aim *aim = &world->aim[row];
        if (aim->mode == AIM_BEHAVIOR) {
            aim = &world->kinds[world->kind[row]].aim;
        }
        if (aim->mode == AIM_POINT) {
            return aim->point;
        }
        if (aim->mode == AIM_TARGET) {
            target = aim->target;
        }
    }
    return world->targets[target].at;
}

static void explain(struct steering_view *detail, const char *label, vec2 force) {
    if (detail) {
        assert(detail->count <= LIMIT_BEHAVIORS);
        detail->labels[detail->count] = label;
        detail->forces[detail->count] = force;
        detail->count++;
    }
}

static struct steering sum_behaviors(const struct world *world, int32_t row, struct senses *senses,
                                     struct steering_view *detail) {
    const struct kind *kind = &world->kinds[world->kind[row]];
    const struct state_def *state = &kind->def.states[world->state[row]];
    const struct state_runtime *runtime = &kind->states[world->state[row]];
    struct steering sum = {{0.0f, 0.0f}, {0.0f, 0.0f}};
    behavior_rates(senses, runtime->weight_sum);
    for (int i = 0; i < state->behavior_count; i++) {
        const struct behavior_def *behavior = &state->behaviors[i];
        const vec2 point = target_point(world, row, behavior, runtime->behaviors[i].target);
        senses->to_target = bounds_difference(&world->bounds, senses->position, point);
        const struct urge urge = behavior_function_of((enum behavior_type)behavior->type)(behavior, senses);
        const vec2 force = vec2_scale(urge.force, urge.is_active ? behavior->weight : 0.0f);
        if (urge.is_active) {
            sum.desired = vec2_add(sum.desired, vec2_scale(urge.desired, behavior->weight));
            sum.force = vec2_add(sum.force, force);
        }
        explain(detail, runtime->behaviors[i].label, force);
    }
    return sum;
}

/* Containment first, then whatever of max_force it leaves to the behaviours. */
static struct steering contain(const struct steering *behaviors, vec2 inward, struct senses *senses,
                               struct steering_view *detail) {
    const float max_force = senses->body->max_force;
    behavior_rates(senses, 1.0f);
    vec2 force = vec2_scale(vec2_sub(inward, senses->velocity), senses->rate);
    force = vec2_truncate(force, max_force);
    explain(detail, "containment", force);
    const float left = max_force - vec2_length(force);
    const vec2 rest = vec2_truncate(behaviors->force, left > 0.0f ? left : 0.0f);
    return (struct steering){inward, vec2_add(force, rest)};
}

struct steering world_steer(const struct world *world, int32_t row, struct steering_view *detail) {
    const struct motion motion = world->motion[world->now][row];
    const struct body *body = world_body(world, row);
    struct senses senses = {
        .position = {motion.x, motion.y},
        .velocity = {motion.vx, motion.vy},
        .heading = world->heading[row],
        .body = body,
        .dt = world->dt,
    };
    if (detail) {
        detail->count = 0;
    }
    struct steering sum = sum_behaviors(world, row, &senses, detail);
    vec2 inward;
    if (world->bounds.edge == EDGE_CONTAIN &&
        bounds_contain(&world->bounds, motion, body->radius, body->max_speed, body->max_force / body->mass,
                       2.0f * world->dt, &inward)) {
        sum = contain(&sum, inward, &senses, detail);
    }
    sum.desired = vec2_truncate(sum.desired, body->max_speed);
    return sum;
}

void world_explain(const struct world *world, int32_t row, struct steering_view *out) {
    assert(row >= 0 && row < world->agent_count);
    const struct steering sum = world_steer(world, row, out);
    const struct body *body = world_body(world, row);
    const struct motion motion = world->motion[world->now][row];
    const int locomotion = world->kinds[world->kind[row]].def.body.locomotion;
    out->desired = sum.desired;
    out->steering = locomotion_force((enum locomotion)locomotion, body, (vec2){motion.vx, motion.vy},
                                     sum.desired, sum.force);
}
