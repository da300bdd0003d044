/* See overlays_draw.h. */
#include "viewer/draw/overlays_draw.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "viewer/draw/agent_arrows.h"
#include "viewer/draw/arrow.h"
#include "viewer/draw/inspect_overlay.h"
#include "viewer/draw/palette.h"
#include "viewer/draw/tiles.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"
#include "viewer/model/camera.h"
#include "viewer/model/radius_overlay.h"

/* How far outside the clip rectangle a center may lie whose overlay is seen, window px. */
static const float seen_margin_px = 160.0f;

static bool is_seen(const struct scene *scene, const struct canvas *canvas, vec2 at) {
    const float margin = seen_margin_px * scene->pixel_scale;
    return at.x > (float)canvas->clip.x0 - margin && at.y > (float)canvas->clip.y0 - margin &&
           at.x < (float)canvas->clip.x1 + margin && at.y < (float)canvas->clip.y1 + margin;
}

/* ---- vectors ---- */

/* Where the arrows of an agent begin, and how long its greatest force and velocity are drawn. */
struct origin {
    vec2 center;
    float edge;                      /* picture px from the center; 0 unless a ring is around the agent */
    float push, force, reach, speed; /* picture px, and how much that is */
};

static void draw_arrow(struct canvas *canvas, const struct origin *origin, vec2 value, bool is_force,
                       float width, color stroke) {
    const vec2 from = agent_arrows_begin(origin->center, value, origin->edge);
    arrow_draw_vector(canvas, from,
                      agent_arrows_end(from, value, is_force ? origin->force : origin->speed,
                                       is_force ? origin->push : origin->reach),
                      width, stroke);
}

/* The arrow of a behavior's force, or of a part of it, in the color of its name. */
static void draw_force(const struct scene *scene, struct canvas *canvas, const struct origin *origin,
                       vec2 force, const char *name) {
    draw_arrow(canvas, origin, force, true, 1.5f * scene->pixel_scale,
               explain_behavior_color(view_settings_palette(scene->settings), name));
}

static vec2 to_vec2(struct snapshot_vector value) {
    return vec2_make((float)value.x * 0.01f, (float)value.y * 0.01f);
}

/* The parts of one share; false when it has none. */
static bool draw_parts(const struct scene *scene, struct canvas *canvas, int32_t row, uint16_t behavior,
                       const struct origin *origin) {
    const struct snapshot *names = scene->frame->names;
    bool has_parts = false;
    if (!snapshot_has_parts(names)) {
        return false;
    }
    for (int32_t k = names->part_begin[row]; k < names->part_begin[row + 1]; k++) {
        const struct snapshot_part *part = &names->parts[k];
        if (part->behavior == behavior) {
            draw_force(scene, canvas, origin, to_vec2(part->force), names->part_names.names[part->part]);
            has_parts = true;
        }
    }
    return has_parts;
}

/* Each behavior's share of the force, or its parts, in the colors that their rows of the inspector have. */
static void draw_behaviors(const struct scene *scene, struct canvas *canvas, int32_t index,
                           const struct origin *origin) {
    const struct snapshot *names = scene->frame->names;
    const int32_t row = scene->frame->row[index];
    if (row < 0) {
        return;
    }
    for (int32_t k = names->share_begin[row]; k < names->share_begin[row + 1]; k++) {
        const struct snapshot_share *share = &names->shares[k];
        if (!draw_parts(scene, canvas, row, share->behavior, origin)) {
            draw_force(scene, canvas, origin, to_vec2(share->force),
                       names->behavior_names.names[share->behavior]);
        }
    }
}

/* The same for the selected agent, whose forces came by themselves. */
static void draw_inspected(const struct scene *scene, struct canvas *canvas, const struct origin *origin) {
    const struct message_agent *agent = scene->inspected;
    for (int i = 0; i < agent->share_count; i++) {
        const struct message_agent_share *share = &agent->shares[i];
        const struct message_agent_term *term = message_agent_find_term(agent, share->behavior);
        const int part_count = term != NULL ? term->part_count : 0;
        for (int p = 0; p < part_count; p++) {
            draw_force(scene, canvas, origin, term->parts[p].force, term->parts[p].behavior);
        }
        if (part_count == 0) {
            draw_force(scene, canvas, origin, share->force, share->behavior);
        }
    }
}

static void draw_vectors(const struct scene *scene, struct canvas *canvas, int32_t index,
                         const struct scene_style *style) {
    const struct frame *frame = scene->frame;
    const uint16_t kind = frame->kind[index];
    const vec2 center = camera_to_window(scene->camera, vec2_make(frame->x[index], frame->y[index]));
    if (!is_seen(scene, canvas, center)) {
        return;
    }
    const float unit = scene->pixel_scale, thin = 2.0f * unit;
    const float radius = style->agents.radius[kind];
    const bool has_ring = selection_is(scene->selection, frame->id[index]);
    const float within = has_ring ? 0.0f : radius; /* of the arrow's length, below the agent */
    const struct origin origin = {.center = center,
                                  .edge = has_ring ? scene_ring_radius(scene, radius) : 0.0f,
                                  .push = within + AGENT_ARROWS_FORCE_PX * unit,
                                  .force = style->max_force[kind],
                                  .reach = within + AGENT_ARROWS_VELOCITY_PX * unit,
                                  .speed = style->max_speed[kind]};
    const bool is_inspected = scene->inspected != NULL && frame->id[index] == scene->inspected->id;
    const bool has_forces = frame->has_forces || is_inspected;
    const vec2 none = vec2_make(0.0f, 0.0f);
    const vec2 desired = is_inspected ? scene->inspected->desired : has_forces ? frame->desired[index] : none;
    const vec2 steering = is_inspected ? scene->inspected->steering
                          : has_forces ? frame->steering[index]
                                       : none;
    if (has_forces && scene->settings->shows_desired) {
        /* wider than the velocity: when the two agree, both are seen */
        draw_arrow(canvas, &origin, desired, false, 2.5f * thin, theme_color(canvas->palette, THEME_DESIRED));
    }
    if (scene->settings->shows_velocity) {
        const vec2 velocity = vec2_make(frame->vx[index], frame->vy[index]);
        draw_arrow(canvas, &origin, velocity, false, thin, theme_color(canvas->palette, THEME_VELOCITY));
    }
    if (is_inspected && scene->settings->shows_behaviors) {
        draw_inspected(scene, canvas, &origin);
    } else if (has_forces && scene->settings->shows_behaviors) {
        draw_behaviors(scene, canvas, index, &origin);
    }
    if (has_forces && scene->settings->shows_steering) {
        draw_arrow(canvas, &origin, steering, true, thin, theme_color(canvas->palette, THEME_STEERING));
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
    const color stroke = explain_is_behavior(circle->behavior)
                             ? explain_behavior_color(canvas->palette, circle->behavior)
                             : theme_color(canvas->palette, THEME_RADIUS);
    if (radius > 20000.0f) {
        return;
    }
    if (circle->form == RADIUS_WANDER) {
        const vec2 middle = vec2_add(center, vec2_scale(ahead, circle->distance * scene->camera->scale));
        canvas_draw_line(canvas, center, middle, 0.75f * width, color_fade(stroke, 0.5f));
        canvas_draw_ring(canvas, middle, radius, width, color_fade(stroke, 0.8f));
    } else if (circle->form == RADIUS_VIEW && circle->view < 6.2f) {
        const float half = 0.5f * circle->view;
        const vec2 left = vec2_make(cosf(pose->heading - half) * radius, sinf(pose->heading - half) * radius);
        const vec2 right =
            vec2_make(cosf(pose->heading + half) * radius, sinf(pose->heading + half) * radius);
        canvas_draw_line(canvas, center, vec2_add(center, left), width, color_fade(stroke, 0.55f));
        canvas_draw_line(canvas, center, vec2_add(center, right), width, color_fade(stroke, 0.55f));
        draw_arc(canvas, center, radius, pose->heading - half, pose->heading + half, width,
                 color_fade(stroke, 0.8f));
    } else {
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

/* Over the border of a wrapping world the line goes on at the other side, which another tile shows. */
static void draw_trail(const struct scene *scene, struct canvas *canvas, const struct trail *trail,
                       color stroke, float strength) {
    const vec2 wrap_size = scene_wrap_size(scene);
    vec2 before = vec2_make(0.0f, 0.0f);
    for (int i = 0; i < trail->count; i++) {
        bool is_broken;
        const vec2 at = trail_point(trail, i, &is_broken);
        const vec2 from = camera_to_window(scene->camera, before);
        if (i > 0 && !is_broken && is_seen(scene, canvas, from)) {
            const float age = (float)(i + 1) / (float)trail->count;
            canvas_draw_line(canvas, from,
                             camera_to_window(scene->camera, torus_nearest(at, before, wrap_size)),
                             1.5f * scene->pixel_scale, color_fade(stroke, strength * age));
        }
        before = at;
    }
}

static void draw_trails(const struct scene *scene, struct canvas *canvas) {
    const struct frame *frame = scene->frame;
    if (scene->trails == NULL || !scene->settings->shows_trails) {
        return;
    }
    for (int32_t i = 0; i < frame->settled_count && i < TRAILS_AGENTS; i++) {
        const struct trail *trail = trails_find(scene->trails, frame->id[i]);
        const bool is_selected = selection_is(scene->selection, frame->id[i]);
        if (trail != NULL) {
            draw_trail(scene, canvas, trail, frame->fill[i], is_selected ? 0.9f : 0.45f);
        }
    }
}

/* ---- the moments before and after ---- */

/* Paler the older they are. */
static void draw_onion(const struct scene *scene, struct canvas *canvas, const struct scene_style *style) {
    const struct frame *frame = scene->frame;
    const struct onion *onion = scene->settings->shows_onion ? scene->onion : NULL;
    for (int i = 0; onion != NULL && i < onion->count; i++) {
        const struct onion_ghost *ghost = &onion->rows[i];
        const vec2 at = camera_to_window(scene->camera, ghost->position);
        const uint16_t kind = frame->kind[ghost->index];
        const float radius = style->agents.radius[kind], alpha = 0.55f * (1.0f - ghost->age);
        if (!is_seen(scene, canvas, at)) {
            continue;
        }
        const bool is_copied = canvas->raster != NULL && onion->count > AGENTS_DRAW_EXACT &&
                               radius <= (float)SPRITES_MAX_BLIT_PX &&
                               sprites_blit(canvas->sprites, canvas->raster, style->agents.shape[kind], at,
                                            radius, ghost->direction, frame->fill[ghost->index], alpha) == 0;
        if (!is_copied) {
            arrow_draw(canvas, style->agents.shape[kind], at, radius, ghost->direction,
                       frame->fill[ghost->index], alpha);
        }
    }
}

/* Dashes that fade out, and a dot after each second. */
static void draw_way(const struct scene *scene, struct canvas *canvas, const struct way *way) {
    const float unit = scene->pixel_scale;
    const color stroke = scene->frame->fill[way->index];
    for (int i = 0; i < WAYS_STEPS; i++) {
        const color faded = color_fade(stroke, 0.9f - 0.6f * (float)i / (float)WAYS_STEPS);
        const vec2 to = camera_to_window(scene->camera, way->points[i + 1]);
        if (i % 2 == 0) {
            canvas_draw_line(canvas, camera_to_window(scene->camera, way->points[i]), to, 1.5f * unit, faded);
        }
        if ((i + 1) % (WAYS_STEPS / 2) == 0) {
            canvas_fill_disc(canvas, to, 2.5f * unit, faded);
        }
    }
}

static void draw_ways(const struct scene *scene, struct canvas *canvas) {
    const struct ways *ways = scene->settings->shows_predicted ? scene->ways : NULL;
    for (int i = 0; ways != NULL && i < ways->count; i++) {
        if (is_seen(scene, canvas, camera_to_window(scene->camera, ways->rows[i].points[0]))) {
            draw_way(scene, canvas, &ways->rows[i]);
        }
    }
}

/* Below the agent's ring; what is left of the whole. */
static void draw_stamina(const struct scene *scene, struct canvas *canvas, const struct pose *pose,
                         const struct scene_style *style) {
    const float unit = scene->pixel_scale, high = 4.0f * unit, wide = 32.0f * unit;
    const float most = scene->inspected != NULL
                           ? radius_overlay_value(scene->server->params, scene->server->param_count,
                                                  scene->inspected->kind, "max_stamina")
                           : 0.0f;
    if (!(most > 0.0f)) {
        return;
    }
    const float share = fminf(fmaxf(scene->inspected->stamina / most, 0.0f), 1.0f);
    const vec2 at = camera_to_window(scene->camera, pose->position);
    const vec2 low = vec2_make(floorf(at.x - 0.5f * wide),
                               floorf(at.y + 1.35f * style->agents.radius[pose->kind] + 9.0f * unit));
    const color fill =
        share > 0.3f ? theme_color(canvas->palette, THEME_OK) : theme_color(canvas->palette, THEME_WARN);
    canvas_fill_rect(canvas, vec2_make(low.x - unit, low.y - unit),
                     vec2_make(low.x + wide + unit, low.y + high + unit),
                     theme_color(canvas->palette, THEME_OUTLINE));
    canvas_fill_rect(canvas, low, vec2_make(low.x + wide, low.y + high), color_fade(fill, 0.25f));
    canvas_fill_rect(canvas, low, vec2_make(low.x + wide * share, low.y + high), fill);
}

/* ---- all of them ---- */

static void draw_inspect_overlay(const struct scene *scene, struct canvas *canvas, const struct pose *pose) {
    if (scene->inspected == NULL) {
        return;
    }
    if (scene->settings->shows_neighbors) {
        inspect_overlay_draw_neighbors(scene, canvas, pose);
    }
    if (scene->settings->shows_places) {
        inspect_overlay_draw_places(scene, canvas, pose);
    }
}

/* In one tile: scene->camera is that tile's. */
static void draw_tile(const struct scene *scene, struct canvas *canvas, const struct scene_style *style,
                      int32_t selected) {
    draw_trails(scene, canvas);
    draw_onion(scene, canvas, style);
    draw_ways(scene, canvas);
    if (selected >= 0) {
        const struct pose pose = frame_pose(scene->frame, selected);
        if (scene->settings->shows_radii) {
            draw_radii(scene, canvas, &pose);
        }
        draw_inspect_overlay(scene, canvas, &pose);
        draw_vectors(scene, canvas, selected, style);
        draw_stamina(scene, canvas, &pose, style);
        agent_arrows_draw_lit(scene, canvas);
    } else if (view_settings_have_vectors(scene->settings)) {
        for (int32_t i = 0; i < scene->frame->count; i++) {
            draw_vectors(scene, canvas, i, style);
        }
    }
}

/* Under the agents, which stay readable among vectors: for the selected one, or for all when none is. */
void overlays_draw(const struct scene *scene, struct canvas *canvas, const struct scene_style *style) {
    assert(style != NULL && scene->frame->names != NULL);
    const vec2 wrap_size = scene_wrap_size(scene);
    const int32_t selected =
        scene->selection->has_agent ? frame_find(scene->frame, scene->selection->id) : -1;
    for (int tile = 0; tile < tiles_count(wrap_size); tile++) {
        const struct camera camera = tiles_camera(scene->camera, wrap_size, tile);
        struct scene shifted = *scene;
        shifted.camera = &camera;
        draw_tile(&shifted, canvas, style, selected);
    }
}
