/* See overlays_draw.h. */
#include "viewer/draw/overlays_draw.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "viewer/draw/arrow.h"
#include "viewer/draw/inspect_overlay.h"
#include "viewer/draw/palette.h"
#include "viewer/model/radius_overlay.h"

/* How long the arrows of max_speed and max_force are drawn, window px. */
static const float velocity_length_px = 60.0f, steering_length_px = 46.0f;

/* What shows of a wrapping world lies inside it: there the same place is on the other side. */
void overlays_clip_to_world(const struct scene *scene, struct canvas *canvas) {
    const vec2 low = camera_to_window(scene->camera, vec2_make(0.0f, 0.0f));
    const vec2 high = camera_to_window(scene->camera, scene->server->scenario.size);
    const float most = (float)RASTER_MAX_SIZE;
    canvas_set_clip(canvas, (struct raster_rect){(int32_t)floorf(fminf(fmaxf(low.x, 0.0f), most)),
                                                 (int32_t)floorf(fminf(fmaxf(low.y, 0.0f), most)),
                                                 (int32_t)ceilf(fminf(fmaxf(high.x, 0.0f), most)),
                                                 (int32_t)ceilf(fminf(fmaxf(high.y, 0.0f), most))});
}

/* ---- vectors ---- */

/* A vector as long as its share of the greatest it can be, so that worlds of any size and mass are readable.
 */
static vec2 vector_end(vec2 from, vec2 value, float greatest, float length_px) {
    if (!(greatest > 0.0f)) {
        return from;
    }
    return vec2_add(from, vec2_truncate(vec2_scale(value, length_px / greatest), 1.6f * length_px));
}

/* Each behavior's share of the force, in the color its row of the inspector has. */
static void draw_behaviors(const struct scene *scene, struct canvas *canvas, int32_t index, vec2 center,
                           float push, float greatest) {
    const struct snapshot *names = scene->frame->names;
    const int32_t row = scene->frame->row[index];
    if (row < 0) {
        return;
    }
    for (int32_t k = names->share_begin[row]; k < names->share_begin[row + 1]; k++) {
        const struct snapshot_share *share = &names->shares[k];
        const vec2 force = vec2_make((float)share->force.x * 0.01f, (float)share->force.y * 0.01f);
        arrow_draw_vector(canvas, center, vector_end(center, force, greatest, push),
                          1.5f * scene->pixel_scale,
                          palette_series(server_model_behavior(
                              scene->server, names->behavior_names.names[share->behavior])));
    }
}

/* The same for the selected agent, whose forces came by themselves. */
static void draw_inspected(const struct scene *scene, struct canvas *canvas, vec2 center, float push,
                           float greatest) {
    for (int i = 0; i < scene->inspected->share_count; i++) {
        const struct message_agent_share *share = &scene->inspected->shares[i];
        arrow_draw_vector(canvas, center, vector_end(center, share->force, greatest, push),
                          1.5f * scene->pixel_scale,
                          palette_series(server_model_behavior(scene->server, share->behavior)));
    }
}

static void draw_vectors(const struct scene *scene, struct canvas *canvas, int32_t index,
                         const struct scene_style *style) {
    const struct frame *frame = scene->frame;
    const uint16_t kind = frame->kind[index];
    const vec2 center = camera_to_window(scene->camera, vec2_make(frame->x[index], frame->y[index]));
    const float unit = scene->pixel_scale, thin = 2.0f * unit;
    const float speed = style->max_speed[kind], force = style->max_force[kind];
    const float reach = style->agents.radius[kind] + velocity_length_px * unit;
    const float push = style->agents.radius[kind] + steering_length_px * unit;
    const bool is_inspected = scene->inspected != NULL && frame->id[index] == scene->inspected->id;
    const bool has_forces = frame->has_forces || is_inspected;
    const vec2 none = vec2_make(0.0f, 0.0f);
    const vec2 desired = is_inspected ? scene->inspected->desired : has_forces ? frame->desired[index] : none;
    const vec2 steering = is_inspected ? scene->inspected->steering
                          : has_forces ? frame->steering[index]
                                       : none;
    if (has_forces && scene->settings->shows_desired) {
        /* wider than the velocity: when the two agree, both are seen */
        arrow_draw_vector(canvas, center, vector_end(center, desired, speed, reach), 2.5f * thin,
                          PALETTE_DESIRED);
    }
    if (scene->settings->shows_velocity) {
        const vec2 velocity = vec2_make(frame->vx[index], frame->vy[index]);
        arrow_draw_vector(canvas, center, vector_end(center, velocity, speed, reach), thin, PALETTE_VELOCITY);
    }
    if (is_inspected && scene->settings->shows_behaviors) {
        draw_inspected(scene, canvas, center, push, force);
    } else if (has_forces && scene->settings->shows_behaviors) {
        draw_behaviors(scene, canvas, index, center, push, force);
    }
    if (has_forces && scene->settings->shows_steering) {
        arrow_draw_vector(canvas, center, vector_end(center, steering, force, push), thin, PALETTE_STEERING);
    }
}

/* ---- the selected agent ---- */

static void draw_arc(struct canvas *canvas, vec2 center, float radius, float from, float to, float width,
                     color stroke) {
    const int count = 4 + (int)(fabsf(to - from) * sqrtf(fmaxf(radius, 1.0f)));
    vec2 before = vec2_add(center, vec2_make(cosf(from) * radius, sinf(from) * radius));
    for (int i = 1; i <= count && i < 400; i++) {
        const float turn = from + (to - from) * (float)i / (float)count;
        const vec2 next = vec2_add(center, vec2_make(cosf(turn) * radius, sinf(turn) * radius));
        canvas_draw_line(canvas, before, next, width, stroke);
        before = next;
    }
}

static void draw_radius(const struct scene *scene, struct canvas *canvas, const struct radius_overlay *circle,
                        const struct pose *pose) {
    const float width = 1.25f * scene->pixel_scale, radius = circle->radius * scene->camera->scale;
    const vec2 center = camera_to_window(scene->camera, pose->position);
    const vec2 ahead = vec2_make(cosf(pose->heading), sinf(pose->heading));
    if (radius > 20000.0f) {
        return;
    }
    if (circle->form == RADIUS_WANDER) {
        const vec2 middle = vec2_add(center, vec2_scale(ahead, circle->distance * scene->camera->scale));
        canvas_draw_line(canvas, center, middle, 0.75f * width, color_fade(PALETTE_RADIUS, 0.5f));
        canvas_draw_ring(canvas, middle, radius, width, color_fade(PALETTE_RADIUS, 0.8f));
    } else if (circle->form == RADIUS_VIEW && circle->view < 6.2f) {
        const float half = 0.5f * circle->view;
        const vec2 left = vec2_make(cosf(pose->heading - half) * radius, sinf(pose->heading - half) * radius);
        const vec2 right =
            vec2_make(cosf(pose->heading + half) * radius, sinf(pose->heading + half) * radius);
        canvas_draw_line(canvas, center, vec2_add(center, left), width, color_fade(PALETTE_RADIUS, 0.55f));
        canvas_draw_line(canvas, center, vec2_add(center, right), width, color_fade(PALETTE_RADIUS, 0.55f));
        draw_arc(canvas, center, radius, pose->heading - half, pose->heading + half, width,
                 color_fade(PALETTE_RADIUS, 0.8f));
    } else {
        const color stroke = circle->form == RADIUS_SLOWING ? PALETTE_TARGET : PALETTE_RADIUS;
        canvas_draw_ring(canvas, center, radius, width, color_fade(stroke, 0.6f));
    }
}

static void draw_radii(const struct scene *scene, struct canvas *canvas, const struct pose *pose) {
    struct radius_overlay radii[RADIUS_OVERLAY_MOST];
    const struct snapshot *names = scene->frame->names;
    const int count = radius_overlay_find(scene->server->params, scene->server->param_count,
                                          names->kind_names.names[pose->kind],
                                          names->state_names.names[pose->state], radii);
    /* where it really is, is among the places */
    const bool has_circle = scene->inspected != NULL && scene->settings->shows_places &&
                            inspect_overlay_has(scene->inspected, "circle");
    for (int i = 0; i < count; i++) {
        if (radii[i].form != RADIUS_WANDER || !has_circle) {
            draw_radius(scene, canvas, &radii[i], pose);
        }
    }
}

static void draw_trail(const struct scene *scene, struct canvas *canvas, const struct trail *trail,
                       color stroke, float strength) {
    vec2 before = vec2_make(0.0f, 0.0f);
    for (int i = 0; i < trail->count; i++) {
        bool is_broken;
        const vec2 at = camera_to_window(scene->camera, trail_point(trail, i, &is_broken));
        if (i > 0 && !is_broken) {
            const float age = (float)(i + 1) / (float)trail->count;
            canvas_draw_line(canvas, before, at, 1.5f * scene->pixel_scale,
                             color_fade(stroke, strength * age));
        }
        before = at;
    }
}

static void draw_trails(const struct scene *scene, struct canvas *canvas, const struct scene_style *style) {
    const struct frame *frame = scene->frame;
    if (scene->trails == NULL || !scene->settings->shows_trails) {
        return;
    }
    for (int32_t i = 0; i < frame->settled_count && i < TRAILS_AGENTS; i++) {
        const struct trail *trail = trails_find(scene->trails, frame->id[i]);
        const bool is_selected = selection_is(scene->selection, frame->id[i]);
        if (trail != NULL) {
            const color stroke = style->agents.by_kind ? style->agents.kind_fill[frame->kind[i]]
                                                       : style->agents.state_fill[frame->state[i]];
            draw_trail(scene, canvas, trail, stroke, is_selected ? 0.9f : 0.45f);
        }
    }
}

/* ---- all of them ---- */

static void draw_inspect_overlay(const struct scene *scene, struct canvas *canvas, const struct pose *pose) {
    if (scene->inspected == NULL) {
        return;
    }
    if (scene->settings->shows_neighbors) {
        if (server_model_wraps(scene->server)) {
            overlays_clip_to_world(scene, canvas);
        }
        inspect_overlay_draw_neighbors(scene, canvas, pose);
        canvas_reset_clip(canvas);
    }
    if (scene->settings->shows_places) {
        inspect_overlay_draw_places(scene, canvas, pose);
    }
}

/* Under the agents, which stay readable among vectors: for the selected one, or for all when none is. */
void overlays_draw(const struct scene *scene, struct canvas *canvas, const struct scene_style *style) {
    assert(style != NULL && scene->frame->names != NULL);
    const int32_t selected =
        scene->selection->has_agent ? frame_find(scene->frame, scene->selection->id) : -1;
    draw_trails(scene, canvas, style);
    if (selected >= 0) {
        const struct pose pose = frame_pose(scene->frame, selected);
        if (scene->settings->shows_radii) {
            draw_radii(scene, canvas, &pose);
        }
        draw_inspect_overlay(scene, canvas, &pose);
        draw_vectors(scene, canvas, selected, style);
    } else if (view_settings_have_vectors(scene->settings)) {
        for (int32_t i = 0; i < scene->frame->count; i++) {
            draw_vectors(scene, canvas, i, style);
        }
    }
}
