/* See scene.h. */
#include "viewer/scene.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "viewer/arrow.h"
#include "viewer/palette.h"
#include "viewer/scenery_draw.h"

/* How long the arrows of max_speed and max_force are drawn, window px. */
static const float velocity_length_px = 60.0f, steering_length_px = 46.0f;

/* Per kind and state of one frame, looked up once and not for each agent. */
struct scene_style {
    float radius[NAME_TABLE_CAPACITY]; /* picture px */
    float max_speed[NAME_TABLE_CAPACITY], max_force[NAME_TABLE_CAPACITY];
    color fill[NAME_TABLE_CAPACITY]; /* by state */
};

static void draw_grid(const struct scene *scene, struct raster *raster, vec2 low, vec2 high) {
    const float step_px = 100.0f;
    const vec2 size = scene->server->scenario.size;
    float step = step_px;
    while (step * scene->camera.scale < 40.0f * scene->pixel_scale) {
        step *= 2.0f;
    }
    const float width = fmaxf(roundf(scene->pixel_scale), 1.0f);
    for (float x = step; x < size.x; x += step) {
        const float at = floorf(camera_to_window(&scene->camera, vec2_make(x, 0.0f)).x);
        raster_fill_rect(raster, vec2_make(at, low.y), vec2_make(at + width, high.y), PALETTE_GRID);
    }
    for (float y = step; y < size.y; y += step) {
        const float at = floorf(camera_to_window(&scene->camera, vec2_make(0.0f, y)).y);
        raster_fill_rect(raster, vec2_make(low.x, at), vec2_make(high.x, at + width), PALETTE_GRID);
    }
}

static void draw_ground(const struct scene *scene, struct raster *raster) {
    raster_clear(raster, PALETTE_GROUND);
    if (!scene->server->has_scenario) {
        return;
    }
    /* whole pixels: a border that is one pixel wide must not be smeared over two */
    vec2 low = camera_to_window(&scene->camera, vec2_make(0.0f, 0.0f));
    vec2 high = camera_to_window(&scene->camera, scene->server->scenario.size);
    low = vec2_make(floorf(low.x), floorf(low.y));
    high = vec2_make(ceilf(high.x), ceilf(high.y));
    const float border = fmaxf(roundf(scene->pixel_scale), 1.0f);
    raster_fill_rect(raster, vec2_make(low.x - border, low.y - border),
                     vec2_make(high.x + border, high.y + border), PALETTE_BORDER);
    raster_fill_rect(raster, low, high, PALETTE_WORLD);
    draw_grid(scene, raster, low, high);
    scenery_draw(&scene->server->scenario, &scene->camera, scene->pixel_scale, raster);
}

static void style_init(const struct scene *scene, struct scene_style *style) {
    const struct snapshot *names = scene->frame->names;
    const float least = SCENE_MIN_ARROW_PX * scene->pixel_scale;
    for (int i = 0; i < names->kind_names.count; i++) {
        const struct message_kind *kind = server_view_kind(scene->server, names->kind_names.names[i]);
        style->radius[i] = fmaxf(kind != NULL ? kind->radius * scene->camera.scale : least, least);
        style->max_speed[i] = kind != NULL ? kind->max_speed : 0.0f;
        style->max_force[i] = kind != NULL ? kind->max_force : 0.0f;
    }
    for (int i = 0; i < names->state_names.count; i++) {
        style->fill[i] = palette_state(names->state_names.names[i]);
    }
}

/* A vector as long as its share of the greatest it can be, so that worlds of any size and mass are readable.
 */
static vec2 vector_end(vec2 from, vec2 value, float greatest, float length_px) {
    if (!(greatest > 0.0f)) {
        return from;
    }
    return vec2_add(from, vec2_truncate(vec2_scale(value, length_px / greatest), 1.6f * length_px));
}

static void draw_forces(const struct scene *scene, struct raster *raster, const struct pose *pose,
                        const struct scene_style *style) {
    const vec2 center = camera_to_window(&scene->camera, pose->position);
    const float unit = scene->pixel_scale, thin = 2.0f * unit;
    const float speed = style->max_speed[pose->kind], force = style->max_force[pose->kind];
    const float reach = style->radius[pose->kind] + velocity_length_px * unit;
    const float push = style->radius[pose->kind] + steering_length_px * unit;
    if (scene->frame->has_forces) {
        /* wider than the velocity: when the two agree, both are seen */
        arrow_draw_vector(raster, center, vector_end(center, pose->desired, speed, reach), 2.5f * thin,
                          PALETTE_DESIRED);
    }
    arrow_draw_vector(raster, center, vector_end(center, pose->velocity, speed, reach), thin,
                      PALETTE_VELOCITY);
    if (scene->frame->has_forces) {
        arrow_draw_vector(raster, center, vector_end(center, pose->steering, force, push), thin,
                          PALETTE_STEERING);
    }
}

static void draw_agents(const struct scene *scene, struct raster *raster, const struct scene_style *style) {
    const struct frame *frame = scene->frame;
    /* under the agents, which stay readable among their own vectors */
    for (int32_t i = 0; scene->shows_forces && i < frame->count; i++) {
        draw_forces(scene, raster, &frame->poses[i], style);
    }
    for (int32_t i = 0; i < frame->count; i++) {
        const struct pose *pose = &frame->poses[i];
        arrow_draw(raster, camera_to_window(&scene->camera, pose->position), style->radius[pose->kind],
                   pose->heading, style->fill[pose->state], 1.25f * scene->pixel_scale, pose->alpha);
    }
}

/* A ring, a dot and four ticks. */
static void draw_marker(struct raster *raster, vec2 at, float unit, color stroke) {
    static const vec2 directions[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    raster_draw_ring(raster, at, 9.0f * unit, 4.0f * unit, color_fade(PALETTE_OUTLINE, 0.6f));
    for (int i = 0; i < 4; i++) {
        raster_draw_line(raster, vec2_add(at, vec2_scale(directions[i], 6.0f * unit)),
                         vec2_add(at, vec2_scale(directions[i], 14.0f * unit)), 2.0f * unit, stroke);
    }
    raster_draw_ring(raster, at, 9.0f * unit, 2.0f * unit, stroke);
    raster_fill_disc(raster, at, 3.0f * unit, stroke);
}

static void draw_targets(const struct scene *scene, struct raster *raster) {
    const struct frame *frame = scene->frame;
    const float unit = scene->pixel_scale;
    for (int32_t i = 0; i < frame->target_count; i++) {
        const vec2 at = camera_to_window(&scene->camera, frame->targets[i].position);
        const char *name = frame->names->target_names.names[frame->targets[i].name];
        if (scene->has_cursor && strcmp(name, "mouse") == 0) {
            raster_draw_ring(raster, at, 14.0f * unit, 1.5f * unit, color_fade(PALETTE_TARGET, 0.8f));
        } else {
            draw_marker(raster, at, unit, PALETTE_TARGET);
        }
    }
    if (scene->has_cursor) {
        draw_marker(raster, scene->cursor, unit, PALETTE_TARGET);
    }
}

void scene_draw(const struct scene *scene, struct raster *raster) {
    draw_ground(scene, raster);
    if (scene->server->has_scenario && scene->frame->names != NULL) {
        struct scene_style style;
        style_init(scene, &style);
        draw_targets(scene, raster);
        draw_agents(scene, raster, &style);
    }
    if (scene->is_dimmed) {
        raster_tint(raster, color_fade(PALETTE_GROUND, 0.6f));
    }
}
