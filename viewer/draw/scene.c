/* See scene.h. */
#include "viewer/draw/scene.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "viewer/draw/agents_draw.h"
#include "viewer/draw/arrow.h"
#include "viewer/draw/inspect_overlay.h"
#include "viewer/draw/palette.h"
#include "viewer/draw/scenery_draw.h"
#include "viewer/model/radius_overlay.h"

/* How long the arrows of max_speed and max_force are drawn, window px. */
static const float velocity_length_px = 60.0f, steering_length_px = 46.0f;
static const float crowd_arrow_px = 2.5f; /* the least radius among many thousands */

/* Per kind and state of one frame, looked up once and not for each agent. */
struct scene_style {
    struct agents_style agents;
    float max_speed[NAME_TABLE_CAPACITY], max_force[NAME_TABLE_CAPACITY];
};

/* Only lines that are seen, however far in or out. */
static void draw_grid(const struct scene *scene, struct canvas *canvas, vec2 low, vec2 high) {
    const vec2 size = scene->server->scenario.size;
    float step = 100.0f;
    while (step * scene->camera->scale < 40.0f * scene->pixel_scale) {
        step *= 2.0f;
    }
    const float width = fmaxf(roundf(scene->pixel_scale), 1.0f);
    const vec2 first = camera_to_world(scene->camera, vec2_make(0.0f, 0.0f));
    const vec2 last = camera_to_world(scene->camera, vec2_make((float)canvas->width, (float)canvas->height));
    for (float x = fmaxf(floorf(first.x / step) * step, step); x < fminf(size.x, last.x); x += step) {
        const float at = floorf(camera_to_window(scene->camera, vec2_make(x, 0.0f)).x);
        canvas_fill_rect(canvas, vec2_make(at, low.y), vec2_make(at + width, high.y), PALETTE_GRID);
    }
    for (float y = fmaxf(floorf(first.y / step) * step, step); y < fminf(size.y, last.y); y += step) {
        const float at = floorf(camera_to_window(scene->camera, vec2_make(0.0f, y)).y);
        canvas_fill_rect(canvas, vec2_make(low.x, at), vec2_make(high.x, at + width), PALETTE_GRID);
    }
}

static void draw_ground(const struct scene *scene, struct canvas *canvas) {
    canvas_clear(canvas, PALETTE_GROUND);
    if (!scene->server->has_scenario) {
        return;
    }
    /* whole pixels: a border that is one pixel wide must not be smeared over two */
    vec2 low = camera_to_window(scene->camera, vec2_make(0.0f, 0.0f));
    vec2 high = camera_to_window(scene->camera, scene->server->scenario.size);
    low = vec2_make(floorf(low.x), floorf(low.y));
    high = vec2_make(ceilf(high.x), ceilf(high.y));
    const float border = fmaxf(roundf(scene->pixel_scale), 1.0f);
    canvas_fill_rect(canvas, vec2_make(low.x - border, low.y - border),
                     vec2_make(high.x + border, high.y + border), PALETTE_BORDER);
    canvas_fill_rect(canvas, low, high, PALETTE_WORLD);
    if (scene->settings->shows_grid) {
        draw_grid(scene, canvas, low, high);
    }
    scenery_draw(&scene->server->scenario, scene->camera, scene->pixel_scale, canvas);
    if (scene->handle != NULL) {
        scenery_draw_obstacle_handle(&scene->server->scenario, scene->handle, scene->camera,
                                     scene->pixel_scale, canvas);
    }
}

/* Among thousands small arrows are clearer than large ones that hide each other. */
static float least_radius(const struct scene *scene) {
    const vec2 size = scene->server->scenario.size;
    const int32_t count = scene->frame->count > 0 ? scene->frame->count : 1;
    const float room = size.x * size.y * scene->camera->scale * scene->camera->scale / (float)count;
    const float fair = 0.4f * sqrtf(fmaxf(room, 0.0f));
    return fminf(fmaxf(fair, crowd_arrow_px * scene->pixel_scale), SCENE_MIN_ARROW_PX * scene->pixel_scale);
}

float scene_arrow_radius(const struct scene *scene, float world_radius) {
    const float least = least_radius(scene), radius = fmaxf(world_radius * scene->camera->scale, least);
    /* pictures made beforehand are kept by size: few sizes while zooming */
    return scene->frame->count > AGENTS_DRAW_EXACT ? roundf(radius * 4.0f) * 0.25f : radius;
}

static void style_init(const struct scene *scene, struct scene_style *style) {
    const struct snapshot *names = scene->frame->names;
    struct agents_style *agents = &style->agents;
    const vec2 none = {0.0f, 0.0f};
    for (int i = 0; i < names->kind_names.count; i++) {
        const struct message_kind *kind = server_view_kind(scene->server, names->kind_names.names[i]);
        const int number = kind != NULL ? (int)(kind - scene->server->scenario.kinds) : i;
        agents->radius[i] = scene_arrow_radius(scene, kind != NULL ? kind->radius : 0.0f);
        agents->shape[i] = palette_shape(number);
        agents->kind_fill[i] = palette_series(number);
        style->max_speed[i] = kind != NULL ? kind->max_speed : 0.0f;
        style->max_force[i] = kind != NULL ? kind->max_force : 0.0f;
    }
    for (int i = 0; i < names->state_names.count; i++) {
        agents->state_fill[i] =
            palette_state((enum palette)scene->settings->palette, names->state_names.names[i]);
    }
    agents->by_kind = scene->settings->colors_by_kind;
    agents->is_held = scene->is_held;
    agents->wrap_size = server_view_wraps(scene->server) ? scene->server->scenario.size : none;
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

/* Each behaviour's share of the force, in the colour its row of the inspector has. */
static void draw_behaviors(const struct scene *scene, struct canvas *canvas, int32_t index, vec2 center,
                           float push, float greatest) {
    const struct snapshot *names = scene->frame->names;
    const int32_t row = scene->frame->row[index];
    if (row < 0) {
        return;
    }
    for (int32_t k = names->share_begin[row]; k < names->share_begin[row + 1]; k++) {
        const struct snapshot_share *share = &names->shares[k];
        const vec2 force = {(float)share->force.x * 0.01f, (float)share->force.y * 0.01f};
        arrow_draw_vector(canvas, center, vector_end(center, force, greatest, push),
                          1.5f * scene->pixel_scale,
                          palette_series(server_view_behavior(scene->server,
                                                              names->behavior_names.names[share->behavior])));
    }
}

/* The same for the selected agent, whose forces came by themselves. */
static void draw_inspected(const struct scene *scene, struct canvas *canvas, vec2 center, float push,
                           float greatest) {
    for (int i = 0; i < scene->inspected->share_count; i++) {
        const struct message_agent_share *share = &scene->inspected->shares[i];
        arrow_draw_vector(canvas, center, vector_end(center, share->force, greatest, push),
                          1.5f * scene->pixel_scale,
                          palette_series(server_view_behavior(scene->server, share->behavior)));
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
    const vec2 none = {0.0f, 0.0f};
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
        const vec2 velocity = {frame->vx[index], frame->vy[index]};
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
    const vec2 ahead = {cosf(pose->heading), sinf(pose->heading)};
    if (radius > 20000.0f) {
        return;
    }
    if (circle->form == RADIUS_WANDER) {
        const vec2 middle = vec2_add(center, vec2_scale(ahead, circle->distance * scene->camera->scale));
        canvas_draw_line(canvas, center, middle, 0.75f * width, color_fade(PALETTE_RADIUS, 0.5f));
        canvas_draw_ring(canvas, middle, radius, width, color_fade(PALETTE_RADIUS, 0.8f));
    } else if (circle->form == RADIUS_VIEW && circle->view < 6.2f) {
        const float half = 0.5f * circle->view;
        const vec2 left = {cosf(pose->heading - half) * radius, sinf(pose->heading - half) * radius};
        const vec2 right = {cosf(pose->heading + half) * radius, sinf(pose->heading + half) * radius};
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
    vec2 before = {0.0f, 0.0f};
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

static void draw_ring_at(const struct scene *scene, struct canvas *canvas, uint32_t id, color stroke,
                         const struct scene_style *style) {
    const int32_t index = frame_find(scene->frame, id);
    if (index >= 0) {
        const vec2 at = {scene->frame->x[index], scene->frame->y[index]};
        const float radius =
            1.35f * style->agents.radius[scene->frame->kind[index]] + 4.0f * scene->pixel_scale;
        canvas_draw_ring(canvas, camera_to_window(scene->camera, at), radius, 1.75f * scene->pixel_scale,
                         stroke);
    }
}

/* What shows of a wrapping world lies inside it: there the same place is on the other side. */
static void clip_to_world(const struct scene *scene, struct canvas *canvas) {
    const vec2 low = camera_to_window(scene->camera, vec2_make(0.0f, 0.0f));
    const vec2 high = camera_to_window(scene->camera, scene->server->scenario.size);
    const float most = (float)RASTER_MAX_SIZE;
    canvas_set_clip(canvas, (struct raster_rect){(int32_t)floorf(fminf(fmaxf(low.x, 0.0f), most)),
                                                 (int32_t)floorf(fminf(fmaxf(low.y, 0.0f), most)),
                                                 (int32_t)ceilf(fminf(fmaxf(high.x, 0.0f), most)),
                                                 (int32_t)ceilf(fminf(fmaxf(high.y, 0.0f), most))});
}

static void draw_inspect_overlay(const struct scene *scene, struct canvas *canvas, const struct pose *pose) {
    if (scene->inspected == NULL) {
        return;
    }
    if (scene->settings->shows_neighbors) {
        if (server_view_wraps(scene->server)) {
            clip_to_world(scene, canvas);
        }
        inspect_overlay_draw_neighbors(scene, canvas, pose);
        canvas_reset_clip(canvas);
    }
    if (scene->settings->shows_places) {
        inspect_overlay_draw_places(scene, canvas, pose);
    }
}

/* Under the agents, which stay readable among vectors: for the selected one, or for all when none is. */
static void draw_overlays(const struct scene *scene, struct canvas *canvas, const struct scene_style *style) {
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

/* ---- the crowd ---- */

bool scene_is_heat(const struct scene *scene) {
    const vec2 size = scene->server->scenario.size;
    const float world = size.x * size.y * scene->camera->scale * scene->camera->scale;
    if (scene->heat == NULL || scene->frame->names == NULL || scene->settings->heat != HEAT_AUTO) {
        return scene->heat != NULL && scene->settings->heat == HEAT_ON;
    }
    return heat_is_better(scene->frame->count, least_radius(scene), world);
}

/* As the server counted them: agents who have just left the frame fade out over it. */
static void draw_density(const struct scene *scene, struct canvas *canvas) {
    const struct density *density = scene->density;
    const vec2 corner = {(float)density->region.x * 0.01f, (float)density->region.y * 0.01f};
    const float scale = scene->camera->scale * 0.01f;
    float speed = 0.0f;
    for (int i = 0; i < scene->server->scenario.kind_count; i++) {
        speed = fmaxf(speed, scene->server->scenario.kinds[i].max_speed);
    }
    if (heat_take(scene->heat, density, speed) == 0) {
        const struct heat_place place = {camera_to_window(scene->camera, corner),
                                         {(float)density->region.width * scale / (float)density->columns,
                                          (float)density->region.height * scale / (float)density->rows}};
        heat_draw(scene->heat, canvas, &place, scene->pixel_scale);
    }
}

static void draw_crowd(const struct scene *scene, struct canvas *canvas, const struct scene_style *style) {
    const float cell = (float)HEAT_CELL_PX * scene->pixel_scale;
    if (scene->density != NULL && scene->heat != NULL) {
        draw_density(scene, canvas);
        if (scene->hides_agents) {
            return;
        }
    } else if (scene_is_heat(scene) && heat_count(scene->heat, scene->frame, scene->camera, canvas->width,
                                                  canvas->height, cell) == 0) {
        const struct heat_place place = {{0.0f, 0.0f}, {cell, cell}};
        heat_draw(scene->heat, canvas, &place, scene->pixel_scale);
        return;
    }
    agents_draw(canvas, scene->frame, scene->camera, &style->agents);
}

bool scene_pick(const struct scene *scene, vec2 at, float reach_px, uint32_t *id) {
    const struct frame *frame = scene->frame;
    float best = INFINITY;
    for (int32_t i = 0; frame->names != NULL && i < frame->count; i++) {
        const vec2 place = camera_to_window(scene->camera, vec2_make(frame->x[i], frame->y[i]));
        const float distance = vec2_length(vec2_sub(place, at));
        const struct message_kind *kind =
            distance < best ? server_view_kind(scene->server, frame->names->kind_names.names[frame->kind[i]])
                            : NULL;
        if (distance < best &&
            distance <= reach_px + scene_arrow_radius(scene, kind != NULL ? kind->radius : 0.0f)) {
            best = distance;
            *id = frame->id[i];
        }
    }
    return best < INFINITY;
}

/* A ring, a dot and four ticks. */
static void draw_marker(struct canvas *canvas, vec2 at, float unit, color stroke) {
    static const vec2 directions[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    canvas_draw_ring(canvas, at, 9.0f * unit, 4.0f * unit, color_fade(PALETTE_OUTLINE, 0.6f));
    for (int i = 0; i < 4; i++) {
        canvas_draw_line(canvas, vec2_add(at, vec2_scale(directions[i], 6.0f * unit)),
                         vec2_add(at, vec2_scale(directions[i], 14.0f * unit)), 2.0f * unit, stroke);
    }
    canvas_draw_ring(canvas, at, 9.0f * unit, 2.0f * unit, stroke);
    canvas_fill_disc(canvas, at, 3.0f * unit, stroke);
}

static void draw_targets(const struct scene *scene, struct canvas *canvas) {
    const struct frame *frame = scene->frame;
    const float unit = scene->pixel_scale;
    for (int32_t i = 0; i < frame->target_count; i++) {
        const vec2 at = camera_to_window(scene->camera, frame->targets[i].position);
        const char *name = frame->names->target_names.names[frame->targets[i].name];
        if (scene->has_cursor && strcmp(name, "mouse") == 0) {
            canvas_draw_ring(canvas, at, 14.0f * unit, 1.5f * unit, color_fade(PALETTE_TARGET, 0.8f));
        } else {
            draw_marker(canvas, at, unit, PALETTE_TARGET);
        }
    }
    if (scene->has_cursor) {
        draw_marker(canvas, scene->cursor, unit, PALETTE_TARGET);
    }
}

/* Where the others point; their names are labels (hud.c). */
static void draw_cursors(const struct scene *scene, struct canvas *canvas) {
    static const vec2 tip[3] = {{0.0f, 0.0f}, {0.0f, 15.0f}, {10.5f, 10.5f}};
    for (int i = 0; i < scene->server->cursors.count; i++) {
        const struct message_cursor *cursor = &scene->server->cursors.rows[i];
        const vec2 at = camera_to_window(scene->camera, vec2_make(cursor->x, cursor->y));
        if (cursor->session != scene->server->session) {
            vec2 points[3];
            for (int k = 0; k < 3; k++) {
                points[k] = vec2_add(at, vec2_scale(tip[k], scene->pixel_scale));
            }
            const color fill = palette_series((int)(cursor->session % 8u));
            canvas_draw_line(canvas, points[0], points[1], 3.0f * scene->pixel_scale, PALETTE_OUTLINE);
            canvas_draw_line(canvas, points[0], points[2], 3.0f * scene->pixel_scale, PALETTE_OUTLINE);
            canvas_draw_line(canvas, points[1], points[2], 3.0f * scene->pixel_scale, PALETTE_OUTLINE);
            canvas_fill_polygon(canvas, points, 3, fill);
        }
    }
}

void scene_draw(const struct scene *scene, struct canvas *canvas) {
    draw_ground(scene, canvas);
    if (scene->server->has_scenario && scene->frame->names != NULL) {
        struct scene_style style;
        style_init(scene, &style);
        draw_targets(scene, canvas);
        draw_overlays(scene, canvas, &style);
        if (server_view_wraps(scene->server)) {
            clip_to_world(scene, canvas);
        }
        draw_crowd(scene, canvas, &style);
        canvas_reset_clip(canvas);
        if (scene->has_hovered) {
            draw_ring_at(scene, canvas, scene->hovered, color_fade(PALETTE_SELECTED, 0.45f), &style);
        }
        if (scene->selection->has_agent) {
            draw_ring_at(scene, canvas, scene->selection->id, PALETTE_SELECTED, &style);
        }
    }
    draw_cursors(scene, canvas);
    if (scene->is_dimmed) {
        canvas_tint(canvas, color_fade(PALETTE_GROUND, 0.6f));
    }
}
