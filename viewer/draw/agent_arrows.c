/* See agent_arrows.h. */
#include "viewer/draw/agent_arrows.h"

#include <assert.h>
#include <math.h>

#include "viewer/draw/arrow.h"
#include "viewer/draw/inspect_overlay.h"
#include "viewer/draw/palette.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"

vec2 agent_arrows_end(vec2 from, vec2 value, float greatest, float length_px) {
    if (!(greatest > 0.0f)) {
        return from;
    }
    return vec2_add(from, vec2_truncate(vec2_scale(value, length_px / greatest), 1.6f * length_px));
}

vec2 agent_arrows_begin(vec2 center, vec2 value, float radius_px) {
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

void agent_arrows_draw_lit(const struct scene *scene, struct canvas *canvas) {
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
