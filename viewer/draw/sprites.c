/* See sprites.h. */
#include "viewer/draw/sprites.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the shapes of agents ---- */

static const vec2 dart[] = {{1.15f, 0.0f}, {-0.85f, 0.74f}, {-0.55f, 0.0f}, {-0.85f, -0.74f}};
static const vec2 triangle[] = {{1.15f, 0.0f}, {-0.72f, 0.62f}, {-0.72f, -0.62f}};
static const vec2 kite[] = {{1.1f, 0.0f}, {-0.15f, 0.66f}, {-1.0f, 0.0f}, {-0.15f, -0.66f}};
static const vec2 shuttle[] = {
    {1.1f, 0.0f}, {0.35f, 0.52f}, {-0.8f, 0.52f}, {-0.8f, -0.52f}, {0.35f, -0.52f}};
static const vec2 barb[] = {{1.2f, 0.0f},   {-0.95f, 0.86f}, {-0.4f, 0.22f},
                            {-0.95f, 0.0f}, {-0.4f, -0.22f}, {-0.95f, -0.86f}};
static const vec2 beetle[] = {{0.95f, 0.3f},   {0.35f, 0.7f},  {-0.5f, 0.7f},  {-0.9f, 0.25f},
                              {-0.9f, -0.25f}, {-0.5f, -0.7f}, {0.35f, -0.7f}, {0.95f, -0.3f}};

#define SHAPE_ROW(points)                                                                                    \
    { points, (int)(sizeof points / sizeof points[0]) }
static const struct {
    const vec2 *points;
    int count;
} shapes[SHAPE_COUNT] = {
    [SHAPE_DART] = SHAPE_ROW(dart), [SHAPE_TRIANGLE] = SHAPE_ROW(triangle),
    [SHAPE_KITE] = SHAPE_ROW(kite), [SHAPE_SHUTTLE] = SHAPE_ROW(shuttle),
    [SHAPE_BARB] = SHAPE_ROW(barb), [SHAPE_BEETLE] = SHAPE_ROW(beetle),
};

const vec2 *shapes_points(enum shape shape, int *count) {
    assert((int)shape >= 0 && shape < SHAPE_COUNT);
    *count = shapes[shape].count;
    return shapes[shape].points;
}

void shapes_shift_outline(const vec2 *points, int count, float by, float least_cosine, vec2 *shifted) {
    assert(count >= 3 && least_cosine > 0.0f);
    for (int i = 0; i < count; i++) {
        const vec2 before = vec2_sub(points[i], points[(i + count - 1) % count]);
        const vec2 after = vec2_sub(points[(i + 1) % count], points[i]);
        const vec2 n0 = vec2_with_length(vec2_make(before.y, -before.x), 1.0f);
        const vec2 n1 = vec2_with_length(vec2_make(after.y, -after.x), 1.0f);
        const vec2 middle = vec2_with_length(vec2_add(n0, n1), 1.0f);
        shifted[i] = vec2_add(points[i], vec2_scale(middle, by / fmaxf(vec2_dot(middle, n0), least_cosine)));
    }
}

int shapes_outline(enum shape shape, vec2 center, float radius, vec2 direction, float outline_px,
                   vec2 *points, vec2 *grown) {
    int count;
    const vec2 *corners = shapes_points(shape, &count);
    const vec2 along = vec2_scale(direction, radius);
    for (int i = 0; i < count; i++) {
        points[i] = vec2_make(center.x + corners[i].x * along.x - corners[i].y * along.y,
                              center.y + corners[i].x * along.y + corners[i].y * along.x);
    }
    shapes_shift_outline(points, count, outline_px, SHAPES_LEAST_COSINE, grown);
    return count;
}

/* ---- sprites ---- */

enum {
    ATLAS_WIDTH = 544,
    ATLAS_HEIGHT = 1024,
    WHITE_PX = 4,
    SETS = 24,
    CELLS = SPRITES_ANGLES * 16,
    CELL_ROWS = 64
};

static const float place_radii[SPRITES_SIZES] = {4.0f, 6.0f, 8.5f, 12.0f, 17.0f, 24.0f, 36.0f, 56.0f};

/* How much of a pixel the color covers, and color and outline together: 0..255, fill <= body. */
struct texel {
    uint8_t fill, body;
};

/* A picture without its empty borders: its place in the square and its texels, row by row. */
struct cell {
    int32_t x, y, width, height;
    uint8_t begin[CELL_ROWS], end[CELL_ROWS]; /* of each row: where something is covered */
    struct texel texels[];
};

/* One shape in one size: a picture for each heading and fraction. */
struct set {
    enum shape shape;
    float radius;
    int32_t side;
    struct cell *cells[CELLS]; /* NULL until it is needed */
    uint32_t used;             /* sprites.clock when it was last needed */
};

struct sprites {
    float outline_px;
    struct raster *fill, *body; /* to draw pictures in */
    struct set sets[SETS];
    uint32_t clock;
    uint32_t *atlas;
    struct sprite_place places[SHAPE_COUNT][SPRITES_SIZES];
};

/* The square a shape of this radius fits in whatever way it is turned, px from the middle to the sides. */
static float half_of(float radius, float outline_px) {
    return ceilf(1.3f * radius + 2.3f * outline_px + 1.0f);
}

static void layout_places(struct sprites *sprites) {
    float y = 0.0f;
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        float x = WHITE_PX;
        for (int i = 0; i < SPRITES_SIZES; i++) {
            const float half = half_of(place_radii[i], sprites->outline_px), side = 2.0f * half;
            sprites->places[shape][i] = (struct sprite_place){
                place_radii[i],           half, x / ATLAS_WIDTH, y / ATLAS_HEIGHT, (x + side) / ATLAS_WIDTH,
                (y + side) / ATLAS_HEIGHT};
            x += side;
        }
        y += 2.0f * half_of(place_radii[SPRITES_SIZES - 1], sprites->outline_px);
    }
}

struct sprites *sprites_create(float outline_px) {
    struct sprites *sprites = calloc(1, sizeof *sprites);
    if (sprites == NULL) {
        return NULL;
    }
    sprites->outline_px = fminf(fmaxf(outline_px, 0.5f), 4.0f);
    const int32_t side = 2 * (int32_t)half_of(place_radii[SPRITES_SIZES - 1], 4.0f);
    sprites->fill = raster_create(side, side);
    sprites->body = raster_create(side, side);
    if (sprites->fill == NULL || sprites->body == NULL) {
        sprites_destroy(sprites);
        return NULL;
    }
    layout_places(sprites);
    return sprites;
}

static void free_cells(struct set *set) {
    for (int i = 0; i < CELLS; i++) {
        free(set->cells[i]);
        set->cells[i] = NULL;
    }
}

void sprites_destroy(struct sprites *sprites) {
    if (sprites != NULL) {
        for (int i = 0; i < SETS; i++) {
            free_cells(&sprites->sets[i]);
        }
        raster_destroy(sprites->fill);
        raster_destroy(sprites->body);
        free(sprites->atlas);
        free(sprites);
    }
}

float sprites_outline_px(const struct sprites *sprites, float radius) {
    return sprites->outline_px * fminf(fmaxf(radius / 6.0f, 0.4f), 1.0f);
}

/* Draws the shape into the two rasters: white on black, so that a pixel's blue is its coverage. */
static void bake(struct sprites *sprites, enum shape shape, vec2 center, float radius, vec2 direction,
                 int32_t side) {
    const struct raster_rect square = {0, 0, side, side};
    vec2 points[SHAPE_MAX_POINTS], grown[SHAPE_MAX_POINTS];
    const int count =
        shapes_outline(shape, center, radius, direction, sprites_outline_px(sprites, radius), points, grown);
    raster_set_clip(sprites->fill, square);
    raster_set_clip(sprites->body, square);
    raster_clear(sprites->fill, 0xff000000u);
    raster_clear(sprites->body, 0xff000000u);
    raster_fill_polygon(sprites->fill, points, count, 0xffffffffu);
    raster_fill_polygon(sprites->body, grown, count, 0xffffffffu);
}

static struct texel baked_texel(const struct sprites *sprites, int32_t x, int32_t y) {
    const size_t at = (size_t)y * (size_t)sprites->fill->width + (size_t)x;
    const uint32_t fill = sprites->fill->pixels[at] & 0xffu, outline = sprites->body->pixels[at] & 0xffu;
    /* color over outline: what either covers */
    const uint32_t body = fill + outline * (255u - fill) / 255u;
    return (struct texel){(uint8_t)fill, (uint8_t)body};
}

/* ---- the atlas ---- */

const uint32_t *sprites_atlas(struct sprites *sprites, int32_t *width, int32_t *height) {
    *width = ATLAS_WIDTH;
    *height = ATLAS_HEIGHT;
    if (sprites->atlas != NULL) {
        return sprites->atlas;
    }
    sprites->atlas = calloc((size_t)ATLAS_WIDTH * ATLAS_HEIGHT, sizeof *sprites->atlas);
    for (int i = 0; sprites->atlas != NULL && i < SHAPE_COUNT * SPRITES_SIZES; i++) {
        const enum shape shape = (enum shape)(i / SPRITES_SIZES);
        const struct sprite_place *place = &sprites->places[shape][i % SPRITES_SIZES];
        const int32_t side = 2 * (int32_t)place->half;
        const int32_t left = (int32_t)(place->u0 * ATLAS_WIDTH + 0.5f);
        const int32_t top = (int32_t)(place->v0 * ATLAS_HEIGHT + 0.5f);
        assert(left + side <= ATLAS_WIDTH && top + side <= ATLAS_HEIGHT);
        bake(sprites, shape, vec2_make(place->half, place->half), place->radius, vec2_make(1.0f, 0.0f), side);
        for (int32_t y = 0; y < side; y++) {
            for (int32_t x = 0; x < side; x++) {
                const struct texel texel = baked_texel(sprites, x, y);
                const uint32_t gray = texel.body > 0 ? texel.fill * 255u / texel.body : 0u;
                sprites->atlas[(size_t)(top + y) * ATLAS_WIDTH + (size_t)(left + x)] =
                    (uint32_t)texel.body << 24 | gray * 0x010101u;
            }
        }
    }
    for (int32_t i = 0; sprites->atlas != NULL && i < WHITE_PX * WHITE_PX; i++) {
        sprites->atlas[i / WHITE_PX * ATLAS_WIDTH + i % WHITE_PX] = 0xffffffffu;
    }
    return sprites->atlas;
}

const struct sprite_place *sprites_place(const struct sprites *sprites, enum shape shape, float radius) {
    assert((int)shape >= 0 && shape < SHAPE_COUNT);
    const struct sprite_place *places = sprites->places[shape];
    int i = 0;
    while (i + 1 < SPRITES_SIZES && places[i].radius < radius) {
        i++;
    }
    return &places[i];
}

vec2 sprites_white(const struct sprites *sprites) {
    (void)sprites;
    return vec2_make(0.5f * WHITE_PX / ATLAS_WIDTH, 0.5f * WHITE_PX / ATLAS_HEIGHT);
}

/* ---- into the raster ---- */

/* The set for the shape and radius; one that was not needed for longest makes room. */
static struct set *set_of(struct sprites *sprites, enum shape shape, float radius) {
    struct set *oldest = &sprites->sets[0];
    for (int i = 0; i < SETS; i++) {
        struct set *set = &sprites->sets[i];
        if (set->side > 0 && set->shape == shape && set->radius == radius) {
            set->used = ++sprites->clock;
            return set;
        }
        oldest = set->used < oldest->used ? set : oldest;
    }
    free_cells(oldest);
    oldest->shape = shape;
    oldest->radius = radius;
    oldest->side = 2 * (int32_t)half_of(radius, sprites->outline_px) + 1;
    oldest->used = ++sprites->clock;
    return oldest;
}

static void find_spans(struct cell *cell) {
    assert(cell->height <= CELL_ROWS && cell->width < 256);
    for (int32_t y = 0; y < cell->height; y++) {
        const struct texel *row = cell->texels + (size_t)y * (size_t)cell->width;
        int32_t begin = 0, end = cell->width;
        while (begin < end && row[begin].body == 0) {
            begin++;
        }
        while (end > begin && row[end - 1].body == 0) {
            end--;
        }
        cell->begin[y] = (uint8_t)begin;
        cell->end[y] = (uint8_t)end;
    }
}

/* What was just baked, cut out of its square. */
static struct cell *cut_cell(const struct sprites *sprites, int32_t side) {
    int32_t x0 = side, y0 = side, x1 = 0, y1 = 0;
    for (int32_t i = 0; i < side * side; i++) {
        const int32_t x = i % side, y = i / side;
        if (baked_texel(sprites, x, y).body > 0) {
            x0 = x < x0 ? x : x0;
            y0 = y < y0 ? y : y0;
            x1 = x >= x1 ? x + 1 : x1;
            y1 = y >= y1 ? y + 1 : y1;
        }
    }
    const int32_t width = x1 > x0 ? x1 - x0 : 0, height = y1 > y0 ? y1 - y0 : 0;
    struct cell *cell = malloc(sizeof *cell + (size_t)(width * height) * sizeof cell->texels[0]);
    if (cell != NULL) {
        *cell = (struct cell){.x = x0, .y = y0, .width = width, .height = height};
        for (int32_t i = 0; i < width * height; i++) {
            cell->texels[i] = baked_texel(sprites, x0 + i % width, y0 + i / width);
        }
        find_spans(cell);
    }
    return cell;
}

static const struct cell *cell_of(struct sprites *sprites, struct set *set, int angle, int step_x,
                                  int step_y) {
    struct cell **cell = &set->cells[(angle * SPRITES_STEPS + step_y) * SPRITES_STEPS + step_x];
    if (*cell == NULL) {
        const int32_t middle = set->side / 2;
        const float turn = (float)angle * (6.28318531f / SPRITES_ANGLES), half = (float)middle;
        const vec2 center = vec2_make(half + ((float)step_x + 0.5f) / SPRITES_STEPS,
                                      half + ((float)step_y + 0.5f) / SPRITES_STEPS);
        bake(sprites, set->shape, center, set->radius, vec2_make(cosf(turn), sinf(turn)), set->side);
        *cell = cut_cell(sprites, set->side);
    }
    return *cell;
}

/* 0 .. SPRITES_ANGLES - 1: the angle without an arc tangent, right to 0.2 degrees. */
static int angle_of(vec2 direction) {
    const float ax = fabsf(direction.x), ay = fabsf(direction.y);
    const float ratio = (ax < ay ? ax : ay) / (ax > ay ? ax : ay > 0.0f ? ay : 1.0f);
    float turn = ratio * (0.785398f + 0.273f * (1.0f - ratio)); /* arc tangent of 0..1 */
    turn = ay > ax ? 1.57079633f - turn : turn;
    turn = direction.x < 0.0f ? 3.14159265f - turn : turn;
    turn = direction.y < 0.0f ? 6.28318531f - turn : turn;
    return (int)(turn * (SPRITES_ANGLES / 6.28318531f) + 0.5f) % SPRITES_ANGLES;
}

/* Sums of 0..255 times 0..255, one or two in a word, -> 0..255 each, in the upper bytes of their halves. */
static inline uint32_t over_255(uint32_t sums, uint32_t lanes) {
    const uint32_t rounded = sums + (0x800080u & lanes);
    return (rounded + ((rounded >> 8) & lanes)) >> 8;
}

/* What the texel covers is taken away, its fill is added: the outline is black, so fill <= body. */
static inline uint32_t blit_pixel(uint32_t under, uint32_t fill, uint32_t keep, uint32_t red_blue,
                                  uint32_t green) {
    const uint32_t rb = over_255((under & 0xff00ffu) * keep + red_blue * fill, 0xff00ffu);
    const uint32_t g = over_255(((under >> 8) & 0xffu) * keep + green * fill, 0xffu);
    return 0xff000000u | (rb & 0xff00ffu) | (g & 0xffu) << 8;
}

static inline void blit_row(uint32_t *restrict row, const struct texel *restrict texels, int32_t count,
                            uint32_t red_blue, uint32_t green) {
    for (int32_t i = 0; i < count; i++) {
        row[i] = blit_pixel(row[i], texels[i].fill, 255u - texels[i].body, red_blue, green);
    }
}

/* alpha 0..256 */
static inline void blit_faded(uint32_t *restrict row, const struct texel *restrict texels, int32_t count,
                              uint32_t red_blue, uint32_t green, uint32_t alpha) {
    for (int32_t i = 0; i < count; i++) {
        const uint32_t fill = texels[i].fill * alpha >> 8, body = texels[i].body * alpha >> 8;
        row[i] = blit_pixel(row[i], fill, 255u - body, red_blue, green);
    }
}

int sprites_blit(struct sprites *sprites, struct raster *raster, enum shape shape, vec2 center, float radius,
                 vec2 direction, color fill, float alpha) {
    assert(radius > 0.0f && radius <= (float)SPRITES_MAX_BLIT_PX);
    struct set *set = set_of(sprites, shape, radius);
    const float x = floorf(center.x), y = floorf(center.y);
    const struct raster_rect clip = raster->clip;
    const int32_t half = set->side / 2;
    if (!(x > -10000.0f && x < 30000.0f && y > -10000.0f && y < 30000.0f)) {
        return 0; /* not near any picture */
    }
    if ((int32_t)x + half < clip.x0 || (int32_t)x - half >= clip.x1 || (int32_t)y + half < clip.y0 ||
        (int32_t)y - half >= clip.y1) {
        return 0;
    }
    const struct cell *cell =
        cell_of(sprites, set, angle_of(direction), (int)((center.x - x) * SPRITES_STEPS),
                (int)((center.y - y) * SPRITES_STEPS));
    if (cell == NULL) {
        return -1;
    }
    const int32_t left = (int32_t)x - half + cell->x, top = (int32_t)y - half + cell->y;
    const int32_t y0 = top < clip.y0 ? clip.y0 : top;
    const int32_t y1 = top + cell->height > clip.y1 ? clip.y1 : top + cell->height;
    const uint32_t strength = (uint32_t)(fminf(fmaxf(alpha, 0.0f), 1.0f) * 256.0f + 0.5f);
    const uint32_t red_blue = fill & 0xff00ffu, green = (fill >> 8) & 0xffu;
    for (int32_t row = y0; row < y1; row++) {
        const int32_t begin = left + cell->begin[row - top], end = left + cell->end[row - top];
        const int32_t x0 = begin < clip.x0 ? clip.x0 : begin, x1 = end > clip.x1 ? clip.x1 : end;
        if (x0 < x1) {
            uint32_t *to = raster->pixels + (size_t)row * (size_t)raster->width + (size_t)x0;
            const struct texel *from =
                cell->texels + (size_t)(row - top) * (size_t)cell->width + (size_t)(x0 - left);
            if (strength == 256u) {
                blit_row(to, from, x1 - x0, red_blue, green);
            } else {
                blit_faded(to, from, x1 - x0, red_blue, green, strength);
            }
        }
    }
    return 0;
}
