/* See scene.h. */
#include "viewer/draw/scene.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "viewer/draw/canvas.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"
#include "viewer/model/camera.h"
#include "viewer/model/interpolate.h"
#include "viewer/model/radius_overlay.h"

/* ---- what is around an inspected agent ---- */

/* Places that move along with the agent; the others keep their place in the world until the next reply. */
static const char *const carried[] = {"circle", "goal", "future", "probe"};

static bool is_carried(const char *what) {
    bool is_found = false;
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; i++) {
        is_found = is_found || strcmp(what, carried[i]) == 0;
    }
    return is_found;
}

vec2 inspect_overlay_place(const struct message_agent *inspected, const struct message_agent_point *point,
                           vec2 position, vec2 wrap_size) {
    const vec2 place = vec2_make(point->x, point->y), then = vec2_make(inspected->x, inspected->y);
    const vec2 from = is_carried(point->what) ? then : position;
    return vec2_add(position, torus_short_way(vec2_sub(place, from), wrap_size));
}

bool inspect_overlay_has(const struct message_agent *inspected, const char *what) {
    bool is_found = false;
    for (int i = 0; i < inspected->point_count; i++) {
        is_found = is_found || strcmp(inspected->points[i].what, what) == 0;
    }
    return is_found;
}

/* Lines from the agent at `pose` to the neighbors of scene->inspected, and rings around them. */
static void inspect_overlay_draw_neighbors(const struct scene *scene, struct canvas *canvas,
                                           const struct pose *pose) {
    assert(scene->inspected != NULL);
    const struct frame *frame = scene->frame;
    const vec2 center = camera_to_window(scene->camera, pose->position);
    for (int i = 0; i < scene->inspected->neighbor_count; i++) {
        const int32_t index = frame_find(frame, scene->inspected->neighbors[i]);
        if (index < 0) {
            continue; /* it left, or is beyond what is sent */
        }
        const vec2 there =
            camera_to_window(scene->camera, torus_nearest(vec2_make(frame->x[index], frame->y[index]),
                                                          pose->position, scene_wrap_size(scene)));
        const struct message_kind *kind =
            server_model_kind(scene->server, frame->names->kind_names.names[frame->kind[index]]);
        const float radius = scene_agent_radius(scene, kind != NULL ? kind->radius : 0.0f);
        canvas_draw_line(canvas, center, there, 1.25f * scene->pixel_scale,
                         color_fade(theme_color(canvas->palette, THEME_NEIGHBOR), 0.7f));
        canvas_draw_ring(canvas, there, 1.2f * radius + 2.0f * scene->pixel_scale, scene->pixel_scale,
                         color_fade(theme_color(canvas->palette, THEME_NEIGHBOR), 0.65f));
    }
}

/* A cross in a dark one: seen over agents and obstacles. */
static void draw_cross(struct canvas *canvas, vec2 at, float unit, color stroke) {
    const float arm = 5.0f * unit;
    for (int pass = 0; pass < 2; pass++) {
        const float width = (pass == 0 ? 4.0f : 2.0f) * unit, reach = pass == 0 ? arm + unit : arm;
        const color c = pass == 0 ? color_fade(theme_color(canvas->palette, THEME_OUTLINE), 0.8f) : stroke;
        canvas_draw_line(canvas, vec2_make(at.x - reach, at.y - reach), vec2_make(at.x + reach, at.y + reach),
                         width, c);
        canvas_draw_line(canvas, vec2_make(at.x - reach, at.y + reach), vec2_make(at.x + reach, at.y - reach),
                         width, c);
    }
}

static void draw_place(const struct scene *scene, struct canvas *canvas,
                       const struct message_agent_point *point, const struct pose *pose) {
    const float unit = scene->pixel_scale, radius = point->radius * scene->camera->scale;
    const vec2 center = camera_to_window(scene->camera, pose->position);
    const vec2 at =
        camera_to_window(scene->camera, inspect_overlay_place(scene->inspected, point, pose->position,
                                                              scene_wrap_size(scene)));
    const color stroke = explain_behavior_color(view_settings_palette(scene->settings), point->behavior);
    canvas_draw_line(canvas, center, at, 1.25f * unit, color_fade(stroke, 0.5f));
    if (radius > 0.0f && radius < 20000.0f) {
        canvas_draw_ring(canvas, at, radius, 1.5f * unit, color_fade(stroke, 0.8f));
    } else {
        draw_cross(canvas, at, unit, stroke);
    }
}

/* Lines from the agent at `pose` to the places of scene->inspected, with crosses and circles there. */
static void inspect_overlay_draw_places(const struct scene *scene, struct canvas *canvas,
                                        const struct pose *pose) {
    assert(scene->inspected != NULL);
    for (int i = 0; i < scene->inspected->point_count; i++) {
        draw_place(scene, canvas, &scene->inspected->points[i], pose);
    }
}

/* ---- the arrows of the selected agent ---- */

/* Where the arrow of a vector ends: as long as its share of the greatest it can be, so that worlds of any size and mass
 * are readable. from: picture px; length_px: of the greatest. */
static vec2 agent_arrows_end(vec2 from, vec2 value, float greatest, float length_px) {
    if (!(greatest > 0.0f)) {
        return from;
    }
    return vec2_add(from, vec2_truncate(vec2_scale(value, length_px / greatest), 1.6f * length_px));
}

/* Where an arrow from an agent begins: at the edge of a circle around it. center: picture px. */
static vec2 agent_arrows_begin(vec2 center, vec2 value, float radius_px) {
    return vec2_add(center, vec2_with_length(value, radius_px));
}

/* The selected agent in the picture. */
struct place {
    int32_t index;
    vec2 center;
    float ring;         /* where its arrows begin, picture px from its center */
    float reach, push;  /* how long max_speed and max_force are drawn, picture px; */
    float speed, force; /* how much they are */
};

static bool find(const struct scene *scene, struct place *place) {
    const struct message_agent *agent = scene->inspected;
    const int32_t index =
        agent != NULL && scene->frame->names != NULL ? frame_find(scene->frame, agent->id) : -1;
    const struct message_kind *kind = index >= 0 ? server_model_kind(scene->server, agent->kind) : NULL;
    if (kind == NULL || !selection_is(scene->selection, agent->id)) {
        return false;
    }
    const float radius = scene_agent_radius(scene, kind->radius);
    *place = (struct place){
        .index = index,
        .center = camera_to_window(scene->camera, vec2_make(scene->frame->x[index], scene->frame->y[index])),
        .ring = scene_ring_radius(scene, radius),
        .reach = AGENT_ARROWS_VELOCITY_PX * scene->pixel_scale,
        .push = AGENT_ARROWS_FORCE_PX * scene->pixel_scale,
        .speed = kind->max_speed,
        .force = kind->max_force};
    return true;
}

/* Where the arrow of a force ends, and of a velocity. */
static vec2 force_end(const struct place *place, vec2 force) {
    return agent_arrows_end(agent_arrows_begin(place->center, force, place->ring), force, place->force,
                            place->push);
}

static vec2 velocity_end(const struct place *place, vec2 velocity) {
    return agent_arrows_end(agent_arrows_begin(place->center, velocity, place->ring), velocity, place->speed,
                            place->reach);
}

static vec2 point_at(const struct scene *scene, const struct place *place, int point) {
    const vec2 position = vec2_make(scene->frame->x[place->index], scene->frame->y[place->index]);
    return camera_to_window(scene->camera,
                            inspect_overlay_place(scene->inspected, &scene->inspected->points[point],
                                                  position, scene_wrap_size(scene)));
}

/* ---- the pointer ---- */

/* How far p is from the line from a to b; near a it is any arrow. */
static float distance(vec2 a, vec2 b, vec2 p) {
    const vec2 along = vec2_sub(b, a), to = vec2_sub(p, a);
    const float length = vec2_length(along);
    if (length < 4.0f) {
        return INFINITY;
    }
    const float share = fminf((to.x * along.x + to.y * along.y) / (length * length), 1.0f);
    return share < 0.3f ? INFINITY : vec2_length(vec2_sub(to, vec2_scale(along, share)));
}

struct nearest {
    float distance;
    struct lit lit;
};

static void offer(struct nearest *nearest, float distance_px, enum lit_what what, int term, int point) {
    if (distance_px < nearest->distance) {
        *nearest = (struct nearest){distance_px, {what, term, -1, point}};
    }
}

/* The arrow of a term, or those of its parts. */
static void offer_term(struct nearest *nearest, const struct place *place,
                       const struct message_agent_term *terms, int term, vec2 at) {
    const int part_count = terms[term].part_count;
    for (int p = 0; p < part_count; p++) {
        const float apart = distance(place->center, force_end(place, terms[term].parts[p].force), at);
        if (apart < nearest->distance) {
            *nearest = (struct nearest){apart, {LIT_PART, term, p, -1}};
        }
    }
    if (part_count == 0) {
        offer(nearest, distance(place->center, force_end(place, terms[term].wants), at), LIT_TERM, term, -1);
    }
}

struct lit agent_arrows_pick(const struct scene *scene, vec2 at, float reach_px) {
    struct nearest nearest = {reach_px, {LIT_NOTHING, -1, -1, -1}};
    const struct message_agent *agent = scene->inspected;
    const struct view_settings *settings = scene->settings;
    struct place place;
    if (!find(scene, &place)) {
        return nearest.lit;
    }
    const vec2 velocity = vec2_make(scene->frame->vx[place.index], scene->frame->vy[place.index]);
    if (settings->shows_velocity) {
        offer(&nearest, distance(place.center, velocity_end(&place, velocity), at), LIT_VELOCITY, -1, -1);
    }
    if (settings->shows_desired) {
        offer(&nearest, distance(place.center, velocity_end(&place, agent->desired), at), LIT_DESIRED, -1,
              -1);
    }
    if (settings->shows_steering) {
        offer(&nearest, distance(place.center, force_end(&place, agent->steering), at), LIT_STEERING, -1, -1);
    }
    for (int i = 0; settings->shows_behaviors && i < agent->term_count; i++) {
        offer_term(&nearest, &place, agent->terms, i, at);
    }
    for (int i = 0; settings->shows_places && i < agent->point_count; i++) {
        offer(&nearest, vec2_length(vec2_sub(at, point_at(scene, &place, i))), LIT_POINT, -1, i);
    }
    return nearest.lit;
}

/* ---- the light ---- */

static void draw_bright(const struct scene *scene, struct canvas *canvas, const struct place *place, vec2 to,
                        color fill) {
    const vec2 from = agent_arrows_begin(place->center, vec2_sub(to, place->center), place->ring);
    arrow_draw_vector(canvas, from, to, 8.0f * scene->pixel_scale,
                      color_fade(theme_color(canvas->palette, THEME_SELECTED), 0.35f));
    arrow_draw_vector(canvas, from, to, 4.0f * scene->pixel_scale, fill);
}

static void draw_term_force(const struct scene *scene, struct canvas *canvas, const struct place *place,
                            vec2 force, const char *behavior) {
    draw_bright(scene, canvas, place, force_end(place, force),
                explain_behavior_color(view_settings_palette(scene->settings), behavior));
}

static void draw_point(const struct scene *scene, struct canvas *canvas, vec2 at, color fill) {
    canvas_draw_ring(canvas, at, 9.0f * scene->pixel_scale, 5.0f * scene->pixel_scale,
                     color_fade(theme_color(canvas->palette, THEME_SELECTED), 0.35f));
    canvas_draw_ring(canvas, at, 9.0f * scene->pixel_scale, 2.0f * scene->pixel_scale, fill);
}

/* Draws the arrow or place that is lit, brighter, whatever the settings show. */
static void agent_arrows_draw_lit(const struct scene *scene, struct canvas *canvas) {
    const struct lit lit = scene->selection->lit;
    const struct message_agent *agent = scene->inspected;
    struct place place;
    if (lit.what == LIT_NOTHING || !find(scene, &place)) {
        return;
    }
    const bool has_term = lit.term >= 0 && lit.term < agent->term_count;
    const struct message_agent_term *term = has_term ? &agent->terms[lit.term] : NULL;
    if (lit.what == LIT_VELOCITY) {
        const vec2 velocity = vec2_make(scene->frame->vx[place.index], scene->frame->vy[place.index]);
        draw_bright(scene, canvas, &place, velocity_end(&place, velocity),
                    theme_color(canvas->palette, THEME_VELOCITY));
    } else if (lit.what == LIT_DESIRED) {
        draw_bright(scene, canvas, &place,
                    velocity_end(&place, term != NULL ? term->desired : agent->desired),
                    theme_color(canvas->palette, THEME_DESIRED));
    } else if (lit.what == LIT_STEERING) {
        draw_bright(scene, canvas, &place, force_end(&place, agent->steering),
                    theme_color(canvas->palette, THEME_STEERING));
    } else if (lit.what == LIT_TERM && term != NULL) {
        draw_term_force(scene, canvas, &place, term->wants, term->type);
    } else if (lit.what == LIT_PART && term != NULL && lit.part >= 0 && lit.part < term->part_count) {
        draw_term_force(scene, canvas, &place, term->parts[lit.part].force, term->parts[lit.part].behavior);
    } else if (lit.what == LIT_POINT && lit.point >= 0 && lit.point < agent->point_count) {
        draw_point(scene, canvas, point_at(scene, &place, lit.point),
                   explain_behavior_color(view_settings_palette(scene->settings),
                                          agent->points[lit.point].behavior));
    }
}

/* ---- overlays ---- */

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
    } else if (circle->form == RADIUS_TURN) { /* one at each side */
        const vec2 right = vec2_scale(vec2_make(-ahead.y, ahead.x), radius);
        canvas_draw_ring(canvas, vec2_add(center, right), radius, width, color_fade(stroke, 0.6f));
        canvas_draw_ring(canvas, vec2_sub(center, right), radius, width, color_fade(stroke, 0.6f));
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
