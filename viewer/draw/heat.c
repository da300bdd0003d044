/* See heat.h. */
#include "viewer/draw/heat.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/draw/palette.h"

static const int32_t heat_least_agents = 5000;

void heat_init(struct heat *heat) {
    memset(heat, 0, sizeof *heat);
}

void heat_fini(struct heat *heat) {
    free(heat->counts);
    free(heat->sum_x);
    free(heat->sum_y);
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
    if (heat->counts == NULL || heat->sum_x == NULL || heat->sum_y == NULL) {
        heat_fini(heat);
        return -1;
    }
    heat->capacity = cells;
    return 0;
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
    const float scale = camera->scale / cell_px, x0 = camera->offset.x / cell_px,
                y0 = camera->offset.y / cell_px;
    for (int32_t i = 0; i < frame->count; i++) {
        const float x = frame->x[i] * scale + x0, y = frame->y[i] * scale + y0;
        if (x >= 0.0f && y >= 0.0f && x < (float)columns && y < (float)rows) {
            const int32_t cell = (int32_t)y * columns + (int32_t)x;
            heat->counts[cell]++;
            heat->sum_x[cell] += frame->dir_x[i];
            heat->sum_y[cell] += frame->dir_y[i];
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
    for (int32_t i = 0; i < cells; i++) {
        const vec2 velocity = vec2_make((float)density->vx[i] * 0.01f, (float)density->vy[i] * 0.01f);
        const vec2 share = vec2_truncate(vec2_scale(velocity, 1.0f / fmaxf(speed, 1.0f)), 1.0f);
        heat->counts[i] = density->count[i];
        heat->sum_x[i] = share.x * (float)density->count[i];
        heat->sum_y[i] = share.y * (float)density->count[i];
    }
    return 0;
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

/* The mean heading of blocks of cells: a line with a dot at its head. */
static void draw_flow(const struct heat *heat, struct canvas *canvas, const struct heat_place *place,
                      float unit) {
    enum { BLOCK = 4 };
    for (int32_t row = 0; row + BLOCK <= heat->rows; row += BLOCK) {
        for (int32_t column = 0; column + BLOCK <= heat->columns; column += BLOCK) {
            vec2 sum = vec2_make(0.0f, 0.0f);
            uint32_t count = 0;
            for (int32_t i = 0; i < BLOCK * BLOCK; i++) {
                const int32_t cell = (row + i / BLOCK) * heat->columns + column + i % BLOCK;
                count += heat->counts[cell];
                sum = vec2_add(sum, vec2_make(heat->sum_x[cell], heat->sum_y[cell]));
            }
            if (count < BLOCK || vec2_length(sum) < 0.15f * (float)count) {
                continue; /* no agent, or agents of opposite headings */
            }
            const vec2 middle = corner_of(place, (float)column + 0.5f * BLOCK, (float)row + 0.5f * BLOCK);
            const vec2 half = vec2_scale(sum, 0.45f * (float)BLOCK * place->cell.x / (float)count);
            canvas_draw_line(canvas, vec2_sub(middle, half), vec2_add(middle, half), 1.25f * unit,
                             0xa0ffffffu);
            canvas_fill_disc(canvas, vec2_add(middle, half), 1.75f * unit, 0xd0ffffffu);
        }
    }
}

void heat_draw(const struct heat *heat, struct canvas *canvas, const struct heat_place *place, float unit) {
    assert(heat->columns * heat->rows <= heat->capacity && unit > 0.0f);
    const float mean = mean_count(heat); /* it has a middling color, so that both more and fewer are seen */
    const vec2 end = vec2_make((float)canvas->width, (float)canvas->height);
    for (int32_t row = 0; row < heat->rows; row++) {
        for (int32_t column = 0; column < heat->columns; column++) {
            const uint32_t count = heat->counts[row * heat->columns + column];
            const vec2 low = corner_of(place, (float)column, (float)row);
            const vec2 high = corner_of(place, (float)column + 1.0f, (float)row + 1.0f);
            if (count > 0 && high.x > 0.0f && high.y > 0.0f && low.x < end.x && low.y < end.y) {
                const float share = 0.1f + 0.9f * (float)count / ((float)count + 1.4f * mean);
                /* whole pixels: neighbors meet without a seam */
                canvas_fill_rect(canvas, vec2_make(floorf(low.x), floorf(low.y)),
                                 vec2_make(floorf(high.x), floorf(high.y)), palette_heat(share));
            }
        }
    }
    draw_flow(heat, canvas, place, unit);
}

bool heat_is_better(int32_t count, float radius_px, float world_px2) {
    const float each = 1.6f * radius_px * radius_px; /* about what an arrow covers */
    return count >= heat_least_agents && (float)count * each > world_px2;
}
