/* One agent's tick: what it intends becomes motion, kept out of solids and inside the edge. */
#include <assert.h>

#include "server/sim/steering/locomotion.h"
#include "server/sim/world/world_internal.h"

/* Solids, then the edge. What a bounce would throw through a solid stays where it was. */
struct motion world_move(const struct world *world, struct motion old, struct motion moved, float radius) {
    const struct scenery *scenery = &world->scenery;
    const struct bounds *bounds = &world->bounds;
    const struct motion held = scenery_constrain(scenery, bounds, old, moved, radius);
    struct motion next = bounds_apply(bounds, held, radius);
    if (bounds->edge == EDGE_BOUNCE && scenery->solid_count > 0 && (next.x != held.x || next.y != held.y)) {
        next = scenery_constrain(scenery, bounds, old, next, radius);
        const vec2 settled = bounds_settle(bounds, vec2_make(next.x, next.y));
        next.x = settled.x;
        next.y = settled.y;
    }
    return next;
}

void world_step_agent(struct world *world, int32_t slot, const struct precomputed_sums *precomputed) {
    assert(slot >= 0 && slot < world->grid.count && !world->is_pure_flock);
    const int32_t row = world->grid.row[slot];
    const struct kind *kind = &world->kinds[world->kind[row]];
    const struct body *body = world_body(world, row);
    const struct motion old = world->grid.motion[slot];
    const struct intent intent = world_intend(world, row, precomputed, NULL);
    const vec2 velocity =
        locomotion_velocity((enum locomotion)kind->def.body.locomotion, body, vec2_make(old.vx, old.vy),
                            intent.desired, intent.force, world->dt);
    const struct motion moved = {old.x + velocity.x * world->dt, old.y + velocity.y * world->dt, velocity.x,
                                 velocity.y};
    const struct motion next = world_move(world, old, moved, body->radius);
    assert(next.x - next.x == 0.0f && next.y - next.y == 0.0f);
    world->grid.next[slot] = next;
    world->next_heading[slot] =
        locomotion_heading(world->heading[slot], vec2_make(next.vx, next.vy), body->max_speed, kind->turn);
    /* Only the agent itself reads these, so they need no second buffer. */
    world->state[slot] = (uint8_t)intent.state;
    world->memory[slot] = intent.memory;
}
