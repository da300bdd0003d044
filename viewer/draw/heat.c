/* See heat.h. */
#include "viewer/draw/heat.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/draw/canvas.h"
#include "viewer/explain/theme.h"

static const int32_t heat_least_agents = 5000;
static const float least_tint = 0.6f; /* how strong the tint of a few agents is */

void heat_init(struct heat *heat) {
    memset(heat, 0, sizeof *heat);
}

void heat_fini(struct heat *heat) {
    free(heat->counts);
    free(heat->sum_x);
    free(heat->sum_y);
    for (int i = 0; i < HEAT_TINTS; i++) {
        free(heat->tint[i]);
    }
    free(heat->level);
    free(heat->spare);
    free(heat->fill);
    heat_init(heat);
}

static int reserve(struct heat *heat, int32_t cells) {
    if (cells <= heat->capacity) {
        return 0;
    }
    heat_fini(heat);
    heat->counts = malloc((size_t)cells * sizeof *heat->counts);
    heat->sum_x = malloc((size_t)cells * sizeof *heat->sum_x);
    heat->sum_y = malloc((size_t)cells * sizeof *heat->sum_y);
    for (int i = 0; i < HEAT_TINTS; i++) {
        heat->tint[i] = malloc((size_t)cells * sizeof *heat->tint[i]);
    }
    heat->level = malloc((size_t)cells * sizeof *heat->level);
    heat->spare = malloc((size_t)cells * sizeof *heat->spare);
    heat->fill = malloc((size_t)cells * sizeof *heat->fill);
    if (heat->counts == NULL || heat->sum_x == NULL || heat->sum_y == NULL || heat->tint[0] == NULL ||
        heat->tint[1] == NULL || heat->tint[2] == NULL || heat->tint[HEAT_TINTED] == NULL ||
        heat->level == NULL || heat->spare == NULL || heat->fill == NULL) {
        heat_fini(heat);
        return -1;
    }
    heat->capacity = cells;
    return 0;
}

/* Agents of one color. */
static void add_tint(struct heat *heat, int32_t cell, color fill, float agents) {
    for (int i = 0; i < 3; i++) {
        heat->tint[i][cell] += agents * (float)(fill >> (16 - 8 * i) & 0xffu);
    }
    heat->tint[HEAT_TINTED][cell] += agents;
}

static void clear_tint(struct heat *heat) {
    for (int i = 0; i < HEAT_TINTS; i++) {
        memset(heat->tint[i], 0, (size_t)(heat->columns * heat->rows) * sizeof *heat->tint[i]);
    }
}

int heat_count(struct heat *heat, const struct frame *frame, const struct camera *camera, int32_t width,
               int32_t height, float cell_px) {
    assert(cell_px > 0.0f && width > 0 && height > 0);
    const int32_t columns = (int32_t)((float)width / cell_px) + 1,
                  rows = (int32_t)((float)height / cell_px) + 1;
    if (columns > HEAT_MOST_CELLS / rows || reserve(heat, columns * rows) != 0) {
        heat->columns = heat->rows = 0;
        return -1;
    }
    heat->columns = columns;
    heat->rows = rows;
    memset(heat->counts, 0, (size_t)(columns * rows) * sizeof *heat->counts);
    memset(heat->sum_x, 0, (size_t)(columns * rows) * sizeof *heat->sum_x);
    memset(heat->sum_y, 0, (size_t)(columns * rows) * sizeof *heat->sum_y);
    clear_tint(heat);
    heat->is_tinted = true;
    heat->has_fills = false;
    const float scale = camera->scale / cell_px, x0 = camera->offset.x / cell_px,
                y0 = camera->offset.y / cell_px;
    for (int32_t i = 0; i < frame->count; i++) {
        const float x = frame->x[i] * scale + x0, y = frame->y[i] * scale + y0;
        if (x >= 0.0f && y >= 0.0f && x < (float)columns && y < (float)rows) {
            const int32_t cell = (int32_t)y * columns + (int32_t)x;
            heat->counts[cell]++;
            heat->sum_x[cell] += frame->dir_x[i];
            heat->sum_y[cell] += frame->dir_y[i];
            add_tint(heat, cell, frame->fill[i], 1.0f);
        }
    }
    return 0;
}

int heat_take(struct heat *heat, const struct density *density, float speed) {
    const int32_t cells = density->columns * density->rows;
    if (reserve(heat, cells) != 0) {
        heat->columns = heat->rows = 0;
        return -1;
    }
    heat->columns = density->columns;
    heat->rows = density->rows;
    heat->is_tinted = heat->has_fills = false;
    for (int32_t i = 0; i < cells; i++) {
        const vec2 velocity = vec2_make((float)density->vx[i] * 0.01f, (float)density->vy[i] * 0.01f);
        const vec2 share = vec2_truncate(vec2_scale(velocity, 1.0f / fmaxf(speed, 1.0f)), 1.0f);
        heat->counts[i] = density->count[i];
        heat->sum_x[i] = share.x * (float)density->count[i];
        heat->sum_y[i] = share.y * (float)density->count[i];
    }
    return 0;
}

void heat_tint(struct heat *heat) {
    assert(!heat->has_fills);
    clear_tint(heat);
    heat->is_tinted = true;
    for (int32_t i = 0; i < heat->columns * heat->rows; i++) {
        if (heat->counts[i] > 0) {
            add_tint(heat, i, heat->fill[i], (float)heat->counts[i]);
        }
    }
}

/* Of the cells that have agents. */
static float mean_count(const struct heat *heat) {
    double sum = 0.0;
    int32_t cells = 0;
    for (int32_t i = 0; i < heat->columns * heat->rows; i++) {
        sum += heat->counts[i];
        cells += heat->counts[i] > 0 ? 1 : 0;
    }
    return cells > 0 ? (float)(sum / cells) : 1.0f;
}

static vec2 corner_of(const struct heat_place *place, float column, float row) {
    return vec2_make(place->corner.x + column * place->cell.x, place->corner.y + row * place->cell.y);
}

/* ---- how hot ---- */

/* Each value mixed with its neighbors along a line of `count` values that lie `stride` apart. side: the part of each. */
static void smooth_line(const float *from, float *to, int32_t count, int32_t stride, float side) {
    for (int32_t i = 0; i < count; i++) {
        const float before = from[(i > 0 ? i - 1 : i) * stride],
                    after = from[(i + 1 < count ? i + 1 : i) * stride];
        to[i * stride] = side * before + (1.0f - 2.0f * side) * from[i * stride] + side * after;
    }
}

static void smooth(struct heat *heat, float *values, float side) {
    const int32_t columns = heat->columns, rows = heat->rows;
    for (int32_t row = 0; row < rows; row++) {
        smooth_line(values + row * columns, heat->spare + row * columns, columns, 1, side);
    }
    for (int32_t column = 0; column < columns; column++) {
        smooth_line(heat->spare + column, values + column, rows, columns, side);
    }
}

/* The color of a cell whose agents are so hot; where it is nearly cold what lies below shows. */
static color tinted(const struct heat *heat, enum palette palette, int32_t cell) {
    const float level = heat->level[cell], agents = fmaxf(heat->tint[HEAT_TINTED][cell], 1e-6f);
    color mean = 0xffu;
    for (int i = 0; i < 3; i++) {
        mean = mean << 8 | (uint32_t)fminf(heat->tint[i][cell] / agents + 0.5f, 255.0f);
    }
    const color strong =
        color_mix(theme_color(palette, THEME_WORLD), mean, least_tint + (1.0f - least_tint) * level);
    return color_fade(strong, level * 6.0f);
}

/* Levels from counts, bent, so that both few and many are seen; and colors from them. */
static void find_fills(struct heat *heat, enum palette palette) {
    const int32_t columns = heat->columns, rows = heat->rows;
    const float wanted = color_scale_round(fmaxf(4.0f * mean_count(heat), 2.0f));
    if (wanted > heat->top || wanted * 2.5f < heat->top) {
        heat->top = wanted;
    }
    for (int32_t i = 0; i < columns * rows; i++) {
        heat->level[i] = (float)heat->counts[i];
    }
    for (int pass = 0; pass < 2; pass++) { /* so that single agents are no noise */
        smooth(heat, heat->level, 0.25f);
    }
    for (int i = 0; i < HEAT_TINTS && heat->is_tinted; i++) {
        smooth(heat, heat->tint[i],
               0.08f); /* lanes are as narrow as a cell; an empty cell has its neighbors' */
    }
    for (int32_t i = 0; i < columns * rows; i++) {
        heat->level[i] = sqrtf(fminf(heat->level[i] / heat->top, 1.0f));
        heat->fill[i] = heat->is_tinted
                            ? tinted(heat, palette, i)
                            : color_fade(color_scale_heat(palette, heat->level[i]), heat->level[i] * 6.0f);
    }
}

/* part: of 256, the way from a to b. */
static color between(color a, color b, uint32_t part) {
    const uint32_t odd = 0x00ff00ffu, left = 256u - part;
    return (((a & odd) * left + (b & odd) * part) >> 8 & odd) |
           (((a >> 8 & odd) * left + (b >> 8 & odd) * part) & ~odd);
}

static uint32_t of_256(float part) {
    return (uint32_t)(part * 256.0f + 0.5f);
}

static uint32_t blend(uint32_t under, color over) {
    const uint32_t alpha = over >> 24;
    return alpha == 255u ? over : color_mix(under, over | 0xff000000u, (float)alpha / 255.0f) | 0xff000000u;
}

/* The cell whose middle lies before a place, and how far it is to the next: places before the first middle and after the
 * last have the end's. */
static int32_t before(float at, int32_t count, float *part) {
    const float low = floorf(at);
    const int32_t cell = low < 0.0f                 ? 0
                         : low > (float)(count - 2) ? (count > 1 ? count - 2 : 0)
                                                    : (int32_t)low;
    *part = fminf(fmaxf(at - (float)cell, 0.0f), 1.0f);
    return cell;
}

static void paint_row(const struct heat *heat, const struct heat_place *place, int32_t y,
                      struct raster_rect area, uint32_t *pixels) {
    float across, down;
    const int32_t row = before(((float)y + 0.5f - place->corner.y) / place->cell.y - 0.5f, heat->rows, &down);
    const color *upper = heat->fill + row * heat->columns,
                *lower = upper + (row + 1 < heat->rows ? heat->columns : 0);
    int32_t known = -1;
    color left = 0, right = 0;
    for (int32_t x = area.x0; x < area.x1; x++) {
        const int32_t cell =
            before(((float)x + 0.5f - place->corner.x) / place->cell.x - 0.5f, heat->columns, &across);
        if (cell != known) {
            const int32_t next = cell + 1 < heat->columns ? cell + 1 : cell;
            left = between(upper[cell], lower[cell], of_256(down));
            right = between(upper[next], lower[next], of_256(down));
            known = cell;
        }
        const color tone = between(left, right, of_256(across));
        if (tone >> 24 != 0) {
            pixels[x] = blend(pixels[x], tone);
        }
    }
}

static int32_t clamp_px(float at, int32_t low, int32_t high) {
    return at <= (float)low ? low : at >= (float)high ? high : (int32_t)at;
}

static void paint_raster(const struct heat *heat, struct canvas *canvas, const struct heat_place *place) {
    const struct raster_rect clip = canvas->clip;
    const vec2 end = corner_of(place, (float)heat->columns, (float)heat->rows);
    const struct raster_rect area = {clamp_px(place->corner.x, clip.x0, clip.x1),
                                     clamp_px(place->corner.y, clip.y0, clip.y1),
                                     clamp_px(end.x, clip.x0, clip.x1), clamp_px(end.y, clip.y0, clip.y1)};
    for (int32_t y = area.y0; y < area.y1; y++) {
        paint_row(heat, place, y, area, canvas->raster->pixels + (ptrdiff_t)y * canvas->raster->width);
    }
}

/* A strip of quads between the middles of two rows of cells; the card mixes the colors of their corners. */
static void paint_strip(const struct heat *heat, struct canvas *canvas, const struct heat_place *place,
                        int32_t row, vec2 white) {
    const int32_t columns = heat->columns;
    struct mesh_vertex *vertex = NULL;
    int32_t *index = NULL, base = 0;
    if (mesh_add(canvas->mesh, MESH_SPRITES, canvas->clip, 2 * columns, 6 * (columns - 1), &vertex, &index,
                 &base) != 0) {
        return;
    }
    for (int32_t i = 0; i < 2 * columns; i++) {
        const int32_t column = i / 2, at = row + i % 2;
        const vec2 middle = corner_of(place, (float)column + 0.5f, (float)at + 0.5f);
        vertex[i] = (struct mesh_vertex){middle.x, middle.y, mesh_tint(heat->fill[at * columns + column]),
                                         white.x, white.y};
    }
    for (int32_t i = 0; i < columns - 1; i++) {
        const int32_t corners[6] = {0, 2, 3, 0, 3, 1};
        for (int k = 0; k < 6; k++) {
            index[6 * i + k] = base + 2 * i + corners[k];
        }
    }
}

static void paint_mesh(const struct heat *heat, struct canvas *canvas, const struct heat_place *place) {
    const vec2 white = sprites_white(canvas->sprites);
    for (int32_t row = 0; row + 1 < heat->rows && heat->columns > 1; row++) {
        const float top = corner_of(place, 0.0f, (float)row).y,
                    bottom = corner_of(place, 0.0f, (float)row + 2.0f).y;
        if (bottom > 0.0f && top < (float)canvas->height) {
            paint_strip(heat, canvas, place, row, white);
        }
    }
}

/* ---- where to ---- */

/* The mean heading of blocks of cells. */
static void draw_flow(const struct heat *heat, struct canvas *canvas, const struct heat_place *place,
                      float unit) {
    const float wanted = 34.0f * unit / fmaxf(place->cell.x, 1.0f);
    const int32_t block = wanted < 2.0f ? 2 : wanted > 64.0f ? 64 : (int32_t)wanted;
    const color stroke = theme_color(canvas->palette, THEME_TEXT);
    for (int32_t row = 0; row + block <= heat->rows; row += block) {
        for (int32_t column = 0; column + block <= heat->columns; column += block) {
            vec2 sum = vec2_make(0.0f, 0.0f);
            uint32_t count = 0;
            for (int32_t i = 0; i < block * block; i++) {
                const int32_t cell = (row + i / block) * heat->columns + column + i % block;
                count += heat->counts[cell];
                sum = vec2_add(sum, vec2_make(heat->sum_x[cell], heat->sum_y[cell]));
            }
            if (count < 4 || vec2_length(sum) < 0.15f * (float)count) {
                continue; /* no agent, or agents of opposite headings */
            }
            const float middle_of = 0.5f * (float)block;
            const vec2 middle = corner_of(place, (float)column + middle_of, (float)row + middle_of);
            const vec2 half = vec2_scale(sum, 0.4f * (float)block * place->cell.x / (float)count);
            arrow_draw_vector(canvas, vec2_sub(middle, half), vec2_add(middle, half), 1.5f * unit,
                              color_fade(stroke, 0.85f));
        }
    }
}

static void make_scale(struct heat *heat, enum palette palette) {
    heat->scale = (struct color_scale){.low = "0"};
    (void)snprintf(heat->scale.title, sizeof heat->scale.title, "agents per %.0f x %.0f px",
                   (double)heat->cell_px, (double)heat->cell_px);
    (void)snprintf(heat->scale.middle, sizeof heat->scale.middle, heat->top < 10.0f ? "%.1f" : "%.0f",
                   (double)heat->top * 0.25);
    (void)snprintf(heat->scale.high, sizeof heat->scale.high, "%.0f", (double)heat->top);
    for (int i = 0; i < COLOR_SCALE_STEPS; i++) {
        heat->scale.steps[i] = color_scale_heat(palette, (float)i / (float)(COLOR_SCALE_STEPS - 1));
    }
}

void heat_draw(struct heat *heat, struct canvas *canvas, const struct heat_place *place, float unit,
               float world_px) {
    assert(heat->columns * heat->rows <= heat->capacity && unit > 0.0f && world_px > 0.0f);
    if (heat->columns == 0 || heat->rows == 0) {
        return;
    }
    heat->cell_px = place->cell.x / world_px;
    if (!heat->has_fills) { /* a wrapping world is drawn more than once */
        find_fills(heat, canvas->palette);
        heat->has_fills = true;
    }
    if (canvas->mesh != NULL) {
        paint_mesh(heat, canvas, place);
    } else {
        paint_raster(heat, canvas, place);
    }
    draw_flow(heat, canvas, place, unit);
    make_scale(heat, canvas->palette);
}

bool heat_is_better(int32_t count, float radius_px, float world_px2) {
    const float each = 1.6f * radius_px * radius_px; /* about what an arrow covers */
    return count >= heat_least_agents && (float)count * each > world_px2;
}
