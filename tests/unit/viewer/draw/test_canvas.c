/* Triangles and pixels: canvas, raster, agents. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/draw/agents_draw.h"
#include "viewer/draw/canvas.h"
#include "viewer/draw/raster.h"
#include "viewer/draw/sprites.h"
#include "viewer/explain/theme.h"
#include "viewer/model/interpolate.h"

/* ==== The mesh: batches, smoothed edges, agents left out when they are not seen ==== */

struct fixture {
    struct mesh mesh;
    struct sprites *sprites;
    struct canvas canvas;
};

static void begin(struct fixture *fixture) {
    mesh_init(&fixture->mesh);
    fixture->sprites = sprites_create(1.25f);
    assert_non_null(fixture->sprites);
    fixture->canvas = canvas_on_mesh(&fixture->mesh, fixture->sprites, 200, 100);
}

static void end(struct fixture *fixture) {
    mesh_fini(&fixture->mesh);
    sprites_destroy(fixture->sprites);
}

/* Every index of every batch is one of the batch's own vertices. */
static void check_mesh(const struct mesh *mesh) {
    int32_t vertices = 0;
    for (int32_t b = 0; b < mesh->batch_count; b++) {
        const struct mesh_batch *batch = &mesh->batches[b];
        assert_int_equal(batch->first_vertex, vertices);
        vertices += batch->vertex_count;
        for (int32_t i = 0; i < batch->index_count; i++) {
            const int32_t index = mesh->indices[batch->first_index + i];
            assert_true(index >= 0 && index < batch->vertex_count);
        }
        for (int32_t i = 0; i < batch->vertex_count; i++) {
            const struct mesh_vertex *vertex = &mesh->vertices[batch->first_vertex + i];
            assert_true(isfinite(vertex->x) && isfinite(vertex->y));
            assert_true(vertex->u >= 0 && vertex->u <= 1 && vertex->v >= 0 && vertex->v <= 1);
        }
    }
    assert_int_equal(vertices, mesh->vertex_count);
    assert_int_equal(mesh->lost, 0);
}

static void shapes_share_a_batch_until_the_clip_changes(void **state) {
    struct fixture fixture;
    begin(&fixture);
    const vec2 square[4] = {{10, 10}, {30, 10}, {30, 30}, {10, 30}};
    canvas_clear(&fixture.canvas, theme_color(PALETTE_SAFE, THEME_WORLD));
    canvas_fill_polygon(&fixture.canvas, square, 4, 0xff00ff00u);
    canvas_draw_line(&fixture.canvas, vec2_make(5, 5), vec2_make(90, 40), 2.0f, 0xffffffffu);
    canvas_fill_disc(&fixture.canvas, vec2_make(50, 50), 8, 0xff0000ffu);
    canvas_draw_ring(&fixture.canvas, vec2_make(50, 50), 20, 2, 0xff0000ffu);
    assert_int_equal(fixture.mesh.batch_count, 1);
    canvas_set_clip(&fixture.canvas, (struct raster_rect){-5, 10, 500, 60});
    assert_int_equal(fixture.canvas.clip.x1, 200);
    canvas_fill_rect(&fixture.canvas, vec2_make(0, 0), vec2_make(5, 5), 0xffffffffu);
    assert_int_equal(fixture.mesh.batch_count, 2);
    canvas_draw_line(&fixture.canvas, vec2_make(NAN, 5), vec2_make(90, 40), 2.0f, 0xffffffffu);
    canvas_fill_disc(&fixture.canvas, vec2_make(50, INFINITY), 8, 0xff0000ffu);
    check_mesh(&fixture.mesh);
    end(&fixture);
}

static void edges_fade_over_a_pixel(void **state) {
    struct fixture fixture;
    begin(&fixture);
    const vec2 square[4] = {{10, 10}, {30, 10}, {30, 30}, {10, 30}};
    canvas_fill_polygon(&fixture.canvas, square, 4, 0xff00ff00u);
    int inside = 0, faded = 0;
    for (int32_t i = 0; i < fixture.mesh.vertex_count; i++) {
        const struct mesh_vertex *v = &fixture.mesh.vertices[i];
        const float out = fmaxf(fabsf(v->x - 20.0f), fabsf(v->y - 20.0f));
        if (v->tint >> 24 == 255) {
            inside += fabsf(out - 9.5f) < 0.01f ? 1 : 0;
        } else {
            assert_int_equal(v->tint >> 24, 0);
            faded += fabsf(out - 10.5f) < 0.01f ? 1 : 0;
        }
    }
    assert_int_equal(inside, 4);
    assert_int_equal(faded, 4);
    end(&fixture);
}

/* The opaque triangles of a polygon, either way round, have its area together, and no middle of one is outside. */
static void polygons_with_dents_are_filled(void **state) {
    static const vec2 comb[] = {{10, 10}, {110, 10}, {110, 80}, {90, 80}, {90, 30}, {70, 30},
                                {70, 80}, {50, 80},  {50, 30},  {30, 30}, {30, 80}, {10, 80}};
    enum { COUNT = sizeof comb / sizeof *comb };
    for (int turned = 0; turned < 2; turned++) {
        struct fixture fixture;
        vec2 points[COUNT];
        float area = 0.0f;
        for (int i = 0; i < COUNT; i++) {
            points[i] = comb[turned ? COUNT - 1 - i : i];
        }
        begin(&fixture);
        canvas_fill_polygon(&fixture.canvas, points, COUNT, 0xff00ff00u);
        check_mesh(&fixture.mesh);
        const struct mesh_batch *batch = &fixture.mesh.batches[0];
        for (int32_t i = 0; i < 3 * (COUNT - 2); i += 3) {
            const int32_t *index = &fixture.mesh.indices[batch->first_index + i];
            const struct mesh_vertex *a = &fixture.mesh.vertices[index[0]],
                                     *b = &fixture.mesh.vertices[index[1]],
                                     *c = &fixture.mesh.vertices[index[2]];
            const float x = (a->x + b->x + c->x) / 3.0f, y = (a->y + b->y + c->y) / 3.0f;
            const bool is_in_gap = y > 30.0f && ((x > 30.0f && x < 50.0f) || (x > 70.0f && x < 90.0f));
            assert_false(is_in_gap);
            area += 0.5f * fabsf((b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x));
        }
        /* 100 x 70 less two gaps of 20 x 50, and half a pixel all round. */
        assert_true(fabsf(area - (99.0f * 69.0f - 2.0f * 21.0f * 50.0f)) < 1.0f);
        end(&fixture);
    }
}

static void agents_are_one_batch_of_those_that_are_seen(void **state) {
    const struct test_agent agents[] = {{.id = 1, .x = 50, .y = 50},
                                        {.id = 2, .x = 500, .y = 50}, /* outside */
                                        {.id = 3, .x = 1, .y = 50, .heading_degrees = 90},
                                        {.id = 4, .x = 60, .y = 50}};
    const struct interpolate_rules rules = {.world_size = {1000, 1000}, .is_paused = true, .period_ms = 33};
    struct snapshot_buffer buffer;
    struct frame frame;
    static struct agents_style style;
    struct fixture fixture;
    const struct camera camera = {.scale = 1.0f};
    begin(&fixture);
    snapshot_buffer_init(&buffer);
    frame_init(&frame);
    assert_null(snapshot_buffer_push(&buffer, make_snapshot(0, agents, 4)));
    assert_int_equal(interpolate_at(&buffer, 0.0, &rules, &frame), 0);
    frame.alpha[3] = 0.5f;
    style.radius[0] = 10.0f;
    for (int32_t i = 0; i < frame.count; i++) {
        frame.fill[i] = 0xff112233u;
    }
    agents_draw(&fixture.canvas, &frame, &camera, &style);
    check_mesh(&fixture.mesh);
    assert_int_equal(fixture.mesh.batch_count, 1);
    assert_int_equal(fixture.mesh.batches[0].index_count, 0); /* quads */
    assert_int_equal(fixture.mesh.vertex_count, 3 * 4);
    assert_int_equal(fixture.mesh.vertices[0].tint, 0xff332211u);
    assert_int_equal(fixture.mesh.vertices[8].tint >> 24, 128);
    /* the second seen one heads down: u grows with y */
    const struct mesh_vertex *v = &fixture.mesh.vertices[4];
    assert_true(v[1].u > v[0].u && v[1].y > v[0].y + 10.0f && fabsf(v[1].x - v[0].x) < 0.01f);
    style.wrap_size = vec2_make(510.0f, 1000.0f); /* a copy of the second agent is seen at the left border */
    mesh_clear(&fixture.mesh);
    agents_draw(&fixture.canvas, &frame, &camera, &style);
    assert_int_equal(fixture.mesh.batch_count, 1);
    assert_int_equal(fixture.mesh.vertex_count, 4 * 4);
    assert_true(fabsf(0.5f * (fixture.mesh.vertices[0].x + fixture.mesh.vertices[2].x) + 10.0f) < 0.01f);
    frame_fini(&frame);
    snapshot_buffer_fini(&buffer);
    end(&fixture);
}

static void quads_have_indices(void **state) {
    struct mesh mesh;
    mesh_init(&mesh);
    const int32_t *indices = mesh_quad_indices(&mesh, 3000);
    assert_non_null(indices);
    for (int32_t q = 0; q < 3000; q++) {
        assert_int_equal(indices[6 * q], 4 * q);
        assert_int_equal(indices[6 * q + 2], 4 * q + 2);
        assert_int_equal(indices[6 * q + 5], 4 * q + 3);
    }
    mesh_fini(&mesh);
}

/* A prepared picture against the exact one. */
static void blits_look_like_the_exact_shape(void **state) {
    struct sprites *sprites = sprites_create(1.25f);
    struct raster *exact = raster_create(64, 64), *quick = raster_create(64, 64);
    assert_non_null(sprites);
    if (exact == NULL || quick == NULL) {
        fail();
        return;
    }
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        for (int turn = 0; turn < 16; turn++) {
            const float angle = 0.3927f * (float)turn;
            const vec2 direction = {cosf(angle), sinf(angle)}, at = {32.125f, 31.375f};
            struct canvas canvas = canvas_on_raster(exact, sprites);
            raster_clear(exact, theme_color(PALETTE_SAFE, THEME_WORLD));
            raster_clear(quick, theme_color(PALETTE_SAFE, THEME_WORLD));
            arrow_draw(&canvas, (enum shape)shape, at, 9.0f, direction, 0xff56b4e9u, 1.0f);
            assert_int_equal(
                sprites_blit(sprites, quick, (enum shape)shape, at, 9.0f, direction, 0xff56b4e9u, 1.0f), 0);
            long difference = 0;
            for (int i = 0; i < 64 * 64; i++) {
                difference +=
                    labs((long)((exact->pixels[i] >> 8) & 0xffu) - (long)((quick->pixels[i] >> 8) & 0xffu));
            }
            assert_true(difference < 64 * 64); /* less than a step a pixel of the picture, all in all */
            assert_int_equal(quick->pixels[32 * 64 + 32], 0xff56b4e9u);
        }
    }
    assert_int_equal(
        sprites_blit(sprites, quick, SHAPE_DART, vec2_make(-1e9f, NAN), 9.0f, vec2_make(1, 0), 1, 1), 0);
    raster_destroy(exact);
    raster_destroy(quick);
    sprites_destroy(sprites);
}

/* Four falcons among ten thousand starlings are seen from afar. */
static void larger_kinds_of_a_crowd_stay_larger(void **state) {
    struct frame frame = {.count = 10004};
    const struct camera far = {.scale = 0.2f}, near = {.scale = 4.0f};
    const vec2 size = vec2_make(4800.0f, 3600.0f);
    const float starling = agents_draw_radius(&frame, &far, size, 3.0f, 1.0f, 3.0f);
    assert_float_equal(agents_draw_radius(&frame, &far, size, 3.0f, 1.0f, 9.0f), 3.0f * starling, 0.3);
    assert_float_equal(agents_draw_radius(&frame, &near, size, 3.0f, 1.0f, 9.0f), 36.0f, 0.3);
    frame.count = 50; /* few are told apart by shape and color */
    assert_float_equal(agents_draw_radius(&frame, &far, size, 3.0f, 1.0f, 9.0f),
                       agents_draw_radius(&frame, &far, size, 3.0f, 1.0f, 3.0f), 0.01);
}

/* ==== raster ====
 * Coverage adds up to area, nothing leaves the clip rectangle, edges are shared without gap or overlap. */

static const color white = 0xffffffffu;

static struct raster *black(int32_t width, int32_t height) {
    struct raster *raster = raster_create(width, height);
    assert_non_null(raster);
    return raster;
}

/* The area that was painted white, pixels. */
static double area(const struct raster *raster) {
    double sum = 0.0;
    for (int32_t i = 0; i < raster->width * raster->height; i++) {
        sum += (double)(raster->pixels[i] & 0xffu) / 255.0;
    }
    return sum;
}

static unsigned level(const struct raster *raster, int32_t x, int32_t y) {
    return raster->pixels[y * raster->width + x] & 0xffu;
}

static void assert_area(const struct raster *raster, double wanted, double tolerance) {
    const double found = area(raster);
    if (!(fabs(found - wanted) <= tolerance)) {
        fail_msg("painted %f px, wanted %f", found, wanted);
    }
}

static double polygon_area(const vec2 *points, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        const vec2 a = points[i], b = points[(i + 1) % count];
        sum += (double)a.x * (double)b.y - (double)b.x * (double)a.y;
    }
    return fabs(sum) * 0.5;
}

static void polygons_cover_their_area(void **state) {
    const vec2 shapes[][5] = {
        {{3.3f, 2.1f}, {17.7f, 5.2f}, {14.2f, 18.9f}, {9.5f, 12.0f}, {2.2f, 16.5f}}, /* not convex */
        {{5.1f, 5.1f}, {5.6f, 5.1f}, {5.6f, 5.4f}, {5.3f, 5.45f}, {5.1f, 5.4f}},     /* inside one pixel */
        {{1.0f, 1.0f}, {19.0f, 1.1f}, {19.0f, 1.3f}, {10.0f, 1.25f}, {1.0f, 1.2f}},  /* flat */
    };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (int reversed = 0; reversed < 2; reversed++) {
            vec2 points[5];
            for (int i = 0; i < 5; i++) {
                points[i] = shapes[s][reversed != 0 ? 4 - i : i];
            }
            struct raster *raster = black(20, 20);
            raster_fill_polygon(raster, points, 5, white);
            assert_area(raster, polygon_area(points, 5), 0.06); /* 1/510 a pixel on the edge */
            raster_destroy(raster);
        }
    }
}

static void whole_pixels_are_exact(void **state) {
    struct raster *raster = black(10, 10);
    const vec2 square[4] = {{2, 3}, {7, 3}, {7, 8}, {2, 8}};
    raster_fill_polygon(raster, square, 4, white);
    for (int32_t y = 0; y < 10; y++) {
        for (int32_t x = 0; x < 10; x++) {
            const bool is_inside = x >= 2 && x < 7 && y >= 3 && y < 8;
            assert_int_equal(level(raster, x, y), is_inside ? 255 : 0);
        }
    }
    raster_destroy(raster);
}

static void a_half_covered_pixel_is_half_bright(void **state) {
    struct raster *raster = black(4, 4);
    const vec2 triangle[3] = {{1, 1}, {2, 1}, {1, 2}};
    raster_fill_polygon(raster, triangle, 3, white);
    assert_in_range(level(raster, 1, 1), 126, 129);
    raster_fill_rect(raster, vec2_make(2.25f, 2.5f), vec2_make(3.0f, 3.0f), white);
    assert_in_range(level(raster, 2, 2), 94, 97); /* 0.75 * 0.5 */
    raster_destroy(raster);
}

static void shapes_out_of_the_picture_are_cut(void **state) {
    struct raster *raster = black(20, 20);
    const vec2 around[4] = {{-50, -30}, {70, -30}, {70, 60}, {-50, 60}};
    raster_fill_polygon(raster, around, 4, white);
    assert_area(raster, 400.0, 0.0);
    raster_clear(raster, 0xff000000u);
    const vec2 corner[3] = {{-10, -10}, {10, -10}, {-10, 10}}; /* its long side passes through 0,0 alone */
    raster_fill_polygon(raster, corner, 3, white);
    assert_area(raster, 0.0, 0.01);
    const vec2 slanted[3] = {
        {-10, 10}, {30, -10}, {30, 30}}; /* enters at the left, grows out of top and bottom */
    raster_fill_polygon(raster, slanted, 3, white);
    assert_area(raster, 350.0, 0.2);
    raster_destroy(raster);
}

static void extreme_coordinates_are_harmless(void **state) {
    struct raster *raster = black(16, 16);
    const float values[] = {-3e38f, -1e9f, 0.0f, 5.5f, 1e9f, 3e38f, INFINITY, NAN};
    for (size_t i = 0; i < 8; i++) {
        for (size_t j = 0; j < 8; j++) {
            const vec2 p = {values[i], values[j]};
            const vec2 points[3] = {p, {8, 8}, {12, 3}};
            raster_fill_polygon(raster, points, 3, 0x80ffffffu);
            raster_draw_line(raster, vec2_make(1, 1), p, 2.0f, 0x80ffffffu);
            raster_fill_disc(raster, p, 4.0f, 0x80ffffffu);
            raster_draw_ring(raster, vec2_make(8, 8), values[i], values[j], 0x80ffffffu);
            raster_fill_rect(raster, p, vec2_make(10, 10), 0x80ffffffu);
        }
    }
    for (int32_t x = 0; x < 18; x++) {
        assert_true(raster->sums[x] == 0.0f || x >= 18); /* nothing is left over for the next shape */
    }
    raster_destroy(raster);
}

static void nothing_leaves_the_clip_rectangle(void **state) {
    struct raster *raster = black(30, 30);
    const uint8_t full = 255;
    const struct raster_texture texture = {&full, 1, 1};
    const struct raster_vertex corners[3] = {
        {-5, -5, 0, 0, white}, {60, 0, 0, 0, white}, {0, 60, 0, 0, white}};
    raster_set_clip(raster, (struct raster_rect){7, 9, 21, 20});
    raster_fill_rect(raster, vec2_make(-5, -5), vec2_make(50, 50), white);
    raster_fill_disc(raster, vec2_make(15, 15), 30, white);
    raster_draw_ring(raster, vec2_make(15, 15), 8, 3, white);
    raster_draw_line(raster, vec2_make(-4, 3), vec2_make(40, 28), 6, white);
    raster_draw_triangle(raster, corners, &texture);
    raster_tint(raster, white);
    assert_area(raster, 14.0 * 11.0, 0.0);
    assert_int_equal(level(raster, 6, 9), 0);
    assert_int_equal(level(raster, 7, 8), 0);
    assert_int_equal(level(raster, 20, 19), 255);
    assert_int_equal(level(raster, 21, 19), 0);
    raster_set_clip(raster, (struct raster_rect){-9, 25, 400, 2}); /* turned inside out: empty */
    raster_clear(raster, 0xff123456u);
    assert_area(raster, 14.0 * 11.0, 0.0);
    raster_destroy(raster);
}

static void circles_and_lines_have_their_area(void **state) {
    const double pi = 3.14159265358979;
    struct raster *raster = black(60, 60);
    raster_fill_disc(raster, vec2_make(30.3f, 29.6f), 12.5f, white);
    assert_area(raster, pi * 12.5 * 12.5, 1.5);
    raster_clear(raster, 0xff000000u);
    raster_draw_ring(raster, vec2_make(30.3f, 29.6f), 15.0f, 2.0f, white);
    assert_area(raster, 2.0 * pi * 15.0 * 2.0, 1.5);
    assert_int_equal(level(raster, 30, 29), 0);
    raster_clear(raster, 0xff000000u);
    raster_draw_line(raster, vec2_make(5.2f, 7.7f), vec2_make(41.2f, 34.7f), 1.5f, white);
    assert_area(raster, 45.0 * 1.5, 0.6);
    raster_clear(raster, 0xff000000u);
    raster_draw_line(raster, vec2_make(5, 5), vec2_make(5, 5), 3, white); /* no direction, no line */
    assert_area(raster, 0.0, 0.0);
    raster_destroy(raster);
}

/* The line is drawn by distances; the polygon of its four corners is the exact answer. */
static void lines_agree_with_the_polygon_they_are(void **state) {
    struct raster *line = black(64, 64), *polygon = black(64, 64);
    for (int i = 0; i < 90; i++) {
        const float angle = (float)i * 0.07f + 0.01f, width = 1.0f + (float)(i % 7);
        const vec2 from = {31.3f + (float)(i % 5) * 0.2f, 32.6f};
        const vec2 along = {cosf(angle), sinf(angle)};
        const vec2 to = vec2_add(from, vec2_scale(along, 12.0f + (float)(i % 11) * 3.0f)); /* some leave */
        const vec2 side = vec2_scale(vec2_make(-along.y, along.x), width * 0.5f);
        const vec2 quad[4] = {vec2_add(from, side), vec2_add(to, side), vec2_sub(to, side),
                              vec2_sub(from, side)};
        raster_clear(line, 0xff000000u);
        raster_clear(polygon, 0xff000000u);
        raster_draw_line(line, from, to, width, white);
        raster_fill_polygon(polygon, quad, 4, white);
        /* pixels on a diagonal lie 0.7 px apart across it: a thin one is up to 1/8 too bright or dark */
        assert_area(line, area(polygon), 0.125 * area(polygon) / (double)width + 0.3);
        for (int32_t y = 0; y < 64; y++) {
            for (int32_t x = 0; x < 64; x++) {
                const int difference = abs((int)level(line, x, y) - (int)level(polygon, x, y));
                if (difference > 40) {
                    fail_msg("line %d, pixel %d %d: differs by %d of 255", i, (int)x, (int)y, difference);
                }
            }
        }
    }
    raster_destroy(line);
    raster_destroy(polygon);
}

static void triangles_share_edges_without_seam(void **state) {
    const uint8_t full = 255;
    const struct raster_texture texture = {&full, 1, 1};
    struct raster *raster = black(40, 40);
    const color half = 0x80ffffffu;
    const struct raster_vertex center = {20.2f, 19.7f, 0, 0, half};
    for (int i = 0; i < 12; i++) { /* a fan: twice painted pixels would be brighter */
        const float a = (float)i * 0.5235988f, b = (float)(i + 1) * 0.5235988f;
        const struct raster_vertex corners[3] = {center,
                                                 {20 + 15 * cosf(a), 20 + 15 * sinf(a), 0, 0, half},
                                                 {20 + 15 * cosf(b), 20 + 15 * sinf(b), 0, 0, half}};
        raster_draw_triangle(raster, corners, &texture);
    }
    for (int32_t y = 11; y < 29; y++) {
        for (int32_t x = 11; x < 29; x++) {
            assert_int_equal(level(raster, x, y), 128);
        }
    }
    raster_destroy(raster);
}

static void textures_are_copied_texel_for_pixel(void **state) {
    enum { SIDE = 8 };
    uint8_t texels[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        texels[i] = (uint8_t)(i * 37 % 256);
    }
    const struct raster_texture texture = {texels, SIDE, SIDE};
    struct raster *raster = black(20, 20);
    const struct raster_vertex a = {5, 6, 0, 0, white}, b = {13, 6, 1, 0, white};
    const struct raster_vertex c = {13, 14, 1, 1, white}, d = {5, 14, 0, 1, white};
    raster_draw_triangle(raster, (const struct raster_vertex[3]){a, b, c}, &texture);
    raster_draw_triangle(raster, (const struct raster_vertex[3]){a, c, d}, &texture);
    for (int32_t y = 0; y < SIDE; y++) {
        for (int32_t x = 0; x < SIDE; x++) {
            assert_int_equal(level(raster, 5 + x, 6 + y), texels[y * SIDE + x]);
        }
    }
    raster_destroy(raster);
}

static void draw_dart(struct raster *raster, float heading) {
    vec2 points[SHAPE_MAX_POINTS], grown[SHAPE_MAX_POINTS];
    const int count = shapes_outline(SHAPE_DART, vec2_make(20.5f, 20.5f), 9.0f,
                                     vec2_make(cosf(heading), sinf(heading)), 1.0f, points, grown);
    raster_fill_polygon(raster, points, count, white);
}

static void arrows_are_symmetric_and_turn_without_changing(void **state) {
    struct raster *raster = black(41, 41);
    draw_dart(raster, 0.0f);
    const double upright = area(raster);
    for (int32_t y = 0; y < 41; y++) {
        for (int32_t x = 0; x < 41; x++) {
            assert_in_range(level(raster, x, y) + 1, level(raster, x, 40 - y), level(raster, x, 40 - y) + 2);
        }
    }
    assert_int_equal(level(raster, 28, 20), 255); /* it points along +x */
    assert_int_equal(level(raster, 11, 20), 0);
    for (float heading = 0.1f; heading < 6.28f; heading += 0.37f) {
        raster_clear(raster, 0xff000000u);
        draw_dart(raster, heading);
        assert_area(raster, upright, 0.25);
    }
    raster_destroy(raster);
}

static void texels_are_copied_where_the_clip_allows(void **state) {
    struct raster *raster = black(8, 8);
    const uint8_t texels[16] = {0, 50, 100, 150, 1, 51, 101, 151, 2, 52, 102, 152, 3, 53, 103, 153};
    const struct raster_texture texture = {texels, 4, 4};
    raster_set_clip(raster, (struct raster_rect){3, 0, 8, 8});
    raster_draw_texels(raster, 2, 5, 1, 1, 3, 3, white, &texture);
    assert_int_equal(level(raster, 2, 5), 0); /* clipped */
    assert_int_equal(level(raster, 3, 5), 101);
    assert_int_equal(level(raster, 4, 7), 153);
    assert_int_equal(level(raster, 5, 7), 0);
    raster_draw_texels(raster, 0, 0, 3, 0, 2, 1, white, &texture); /* beyond the texture: nothing */
    raster_draw_texels(raster, -100, -100, 0, 0, 4, 4, white, &texture);
    assert_int_equal(level(raster, 4, 0), 0);
    raster_destroy(raster);
}

static void colors_mix(void **state) {
    assert_int_equal(color_fade(0xff102030u, 0.5f), 0x80102030u);
    assert_int_equal(color_fade(0xff102030u, 7.0f), 0xff102030u);
    assert_int_equal(color_mix(0xff000000u, 0xffffffffu, 0.0f), 0xff000000u);
    assert_int_equal(color_mix(0xff000000u, 0xffffffffu, 1.0f), 0xffffffffu);
    struct raster *raster = black(2, 2);
    raster_clear(raster, 0x00ff8040u);
    assert_int_equal(raster->pixels[0], 0xffff8040u); /* the picture stays opaque */
    raster_tint(raster, 0x80000000u);
    assert_in_range((raster->pixels[0] >> 16) & 0xffu, 126, 128);
    raster_destroy(raster);
}

static void resizing_keeps_it_whole(void **state) {
    struct raster *raster = black(5, 5);
    assert_int_equal(raster_resize(raster, 64, 3), 0);
    raster_fill_rect(raster, vec2_make(0, 0), vec2_make(64, 3), white);
    assert_area(raster, 192.0, 0.0);
    raster_destroy(raster);
    raster_destroy(NULL);
}

static void an_image_fills_its_rectangle(void **state) {
    static const uint32_t pixels[] = {0xff000000u, 0xffffffffu};
    const struct raster_image image = {pixels, 2, 1};
    struct raster *raster = black(8, 4);
    raster_clear(raster, 0xff00ff00u);
    raster_set_clip(raster, (struct raster_rect){0, 0, 6, 4});
    raster_draw_image(raster, vec2_make(1, 1), vec2_make(7, 3), &image);
    assert_int_equal(raster_row(raster, 0)[3], 0xff00ff00u);
    assert_int_equal(raster_row(raster, 1)[0], 0xff00ff00u);
    assert_int_equal(raster_row(raster, 1)[1], 0xff000000u);
    assert_true(level(raster, 4, 2) > level(raster, 3, 2)); /* between the centers of the two */
    assert_int_equal(raster_row(raster, 2)[5], 0xffffffffu);
    assert_int_equal(raster_row(raster, 2)[6], 0xff00ff00u);             /* beyond the clip */
    raster_draw_image(raster, vec2_make(1, 1), vec2_make(1, 3), &image); /* nothing of it */
    raster_destroy(raster);
}

/* ==== agent instances ====
 * The rows of a crowd: the formula of the shader in web/src/crowd.ts, here in C, moves them to where interpolate_at has the
 * agents; a few agents of a kept frame are moved to the same places. */

enum { AGENTS = 120, ROUNDS = 60, MOMENTS = 12 };

static const float agent_instances_width = 800.0f, agent_instances_height = 600.0f;

/* ---- the shader ---- */

struct shown {
    float x, y, dir_x, dir_y, alpha;
};

static float shader_nearer(float path, float length) {
    path -= path > 0.5f * length ? length : 0.0f;
    return path + (path < -0.5f * length ? length : 0.0f);
}

static float shader_wrap(float place, float length) {
    place -= length * floorf(place / length);
    return place < length ? place : 0.0f;
}

/* main() of the vertex shader, as far as the world goes. */
static struct shown shader(const struct agent_instance *row, const struct interpolate_motion *m) {
    const float x = (float)row->from_x * 0.01f, y = (float)row->from_y * 0.01f;
    float path_x = (float)row->to_x * 0.01f - x, path_y = (float)row->to_y * 0.01f - y;
    const float ux = (float)row->from_vx * 0.01f, uy = (float)row->from_vy * 0.01f;
    const float wx = (float)row->to_vx * 0.01f, wy = (float)row->to_vy * 0.01f;
    struct shown shown = {.x = x, .y = y, .alpha = 1.0f};
    float part = m->part;
    if (row->phase == AGENT_STAYS) {
        path_x = m->width > 0.0f ? shader_nearer(path_x, m->width) : path_x;
        path_y = m->width > 0.0f ? shader_nearer(path_y, m->height) : path_y;
        const float limit = sqrtf(fmaxf(ux * ux + uy * uy, wx * wx + wy * wy)) * m->reach_s + 10.0f;
        const bool jumps = path_x * path_x + path_y * path_y > limit * limit;
        const float jumped = m->has_jumped ? 1.0f : 0.0f;
        part = jumps ? jumped : part;
        shown.x = jumps ? x + path_x * jumped : x + path_x * m->along + ux * m->leave + wx * m->reach;
        shown.y = jumps ? y + path_y * jumped : y + path_y * m->along + uy * m->leave + wy * m->reach;
    } else if (row->phase == AGENT_COMES) {
        shown.alpha = m->fade_in;
    } else {
        shown.x = x + ux * m->since_s;
        shown.y = y + uy * m->since_s;
        shown.alpha = m->fade_out;
    }
    if (m->width > 0.0f) {
        shown.x = shader_wrap(shown.x, m->width);
        shown.y = shader_wrap(shown.y, m->height);
    }
    const float angle = ((float)row->heading + (float)row->turn * part) * 0.01f * 3.14159265f / 180.0f;
    shown.dir_x = cosf(angle);
    shown.dir_y = sinf(angle);
    return shown;
}

/* ---- worlds ---- */

static float draw_number(uint32_t *random, float low, float high) {
    *random = *random * 1664525u + 1013904223u;
    return low + (high - low) * (float)(*random >> 8) / 16777216.0f;
}

/* Agents that moved on since `before`; some stay away, some are others, some jumped. */
static int32_t make_agents(uint32_t *random, float seconds, bool is_lossy, struct test_agent *agents) {
    int32_t count = 0;
    for (uint32_t id = 1; id <= AGENTS; id++) {
        uint32_t own = id * 7919u; /* the same in both snapshots */
        struct test_agent agent = {.id = id,
                                   .vx = draw_number(&own, -120.0f, 120.0f),
                                   .vy = draw_number(&own, -120.0f, 120.0f),
                                   .heading_degrees = draw_number(random, 0.0f, 359.9f)};
        const bool jumps = draw_number(random, 0.0f, 1.0f) < 0.1f;
        agent.x = shader_wrap(draw_number(&own, 0.0f, agent_instances_width) + agent.vx * seconds +
                                  (jumps ? 300.0f : 0.0f),
                              agent_instances_width);
        agent.y = shader_wrap(draw_number(&own, 0.0f, agent_instances_height) + agent.vy * seconds,
                              agent_instances_height);
        if (!is_lossy || draw_number(random, 0.0f, 1.0f) > 0.1f) {
            agents[count++] = agent;
        }
    }
    return count;
}

static struct snapshot *random_snapshot(uint32_t *random, double clock_ms, bool is_lossy) {
    struct test_agent agents[AGENTS];
    const int32_t count = make_agents(random, (float)(clock_ms * 0.001 - 1.0), is_lossy, agents);
    return make_snapshot(clock_ms, agents, count);
}

/* ---- tests ---- */

/* The difference on a circle of this length, in [-length/2, length/2]. */
static float wrapped(float difference, float length) {
    return length > 0.0f ? difference - length * roundf(difference / length) : difference;
}

static void assert_close(float found, float wanted, float length, float tolerance) {
    if (!(fabsf(wrapped(found - wanted, length)) <= tolerance)) {
        fail_msg("found %f, wanted %f", (double)found, (double)wanted);
    }
}

static void assert_as_the_frame(const struct agent_instances *rows, const struct interpolate_motion *motion,
                                const struct frame *frame) {
    for (int32_t i = 0; i < frame->count; i++) {
        const struct shown shown = shader(&rows->rows[i], motion);
        assert_close(shown.x, frame->x[i], motion->width, 2e-3f);
        assert_close(shown.y, frame->y[i], motion->height, 2e-3f);
        assert_close(shown.dir_x, frame->dir_x[i], 0.0f, 1e-3f);
        assert_close(shown.dir_y, frame->dir_y[i], 0.0f, 1e-3f);
        assert_close(shown.alpha, frame->alpha[i], 0.0f, 1e-6f);
        assert_int_equal(rows->rows[i].kind, frame->kind[i]);
        assert_int_equal(rows->rows[i].tint, mesh_tint(frame->fill[i]));
    }
}

/* Rows are filled at one moment and moved to others: the frames have the same agents as long as both fades are on the same
 * side of 0. */
static void check_round(uint32_t *random, struct snapshot_buffer *buffer,
                        const struct interpolate_rules *rules, double gap_ms) {
    struct frame frame;
    struct agent_instances rows;
    struct interpolate_motion motion;
    bool came = false, left = false;
    frame_init(&frame);
    agent_instances_init(&rows);
    for (int k = 0; k < MOMENTS; k++) {
        const double ms = 1000.0 + gap_ms * (double)draw_number(random, k == 0 ? 0.4f : -0.2f, 1.4f);
        assert_int_equal(interpolate_at(buffer, ms, rules, &frame), 0);
        assert_true(interpolate_motion(buffer, ms, rules, &motion));
        const bool is_same = rows.count > 0 && rows.motion.a == motion.a && rows.motion.b == motion.b &&
                             came == (motion.fade_in > 0.0f) && left == (motion.fade_out > 0.0f);
        if (!is_same) {
            for (int32_t i = 0; i < frame.count; i++) {
                frame.fill[i] = 0xff000000u | (uint32_t)(i * 77);
            }
            assert_int_equal(agent_instances_fill(&rows, &frame, &motion), 0);
            came = motion.fade_in > 0.0f;
            left = motion.fade_out > 0.0f;
        }
        assert_int_equal(rows.count, frame.count);
        assert_as_the_frame(&rows, &motion, &frame);
    }
    agent_instances_fini(&rows);
    frame_fini(&frame);
}

static void the_shader_moves_agents_to_the_places_of_the_frame(void **state) {
    static const double gaps_ms[] = {16.0, 33.0, 120.0, 700.0, 4000.0};
    uint32_t random = 16;
    for (int round = 0; round < ROUNDS; round++) {
        const double gap_ms = gaps_ms[round % 5];
        const struct interpolate_rules rules = {.world_size = {agent_instances_width, agent_instances_height},
                                                .wraps = round % 2 == 0,
                                                .period_ms = gap_ms,
                                                .speed = round % 3 == 0 ? 0.5 : 1.0};
        struct snapshot_buffer buffer;
        snapshot_buffer_init(&buffer);
        const bool is_lossy = round % 4 != 0;
        assert_null(snapshot_buffer_push(&buffer, random_snapshot(&random, 1000.0, is_lossy)));
        assert_null(snapshot_buffer_push(&buffer, random_snapshot(&random, 1000.0 + gap_ms, is_lossy)));
        check_round(&random, &buffer, &rules, gap_ms);
        snapshot_buffer_fini(&buffer);
    }
}

/* A frame of one moment, of which some agents are moved to another: these are where interpolate_at has them, the others stay. */
static void few_agents_are_moved_alone(void **state) {
    const struct interpolate_rules rules = {.world_size = {agent_instances_width, agent_instances_height},
                                            .wraps = true,
                                            .period_ms = 120.0,
                                            .speed = 1.0};
    uint32_t random = 3;
    struct snapshot_buffer buffer;
    struct frame kept, whole;
    snapshot_buffer_init(&buffer);
    frame_init(&kept);
    frame_init(&whole);
    assert_null(snapshot_buffer_push(&buffer, random_snapshot(&random, 1000.0, true)));
    assert_null(snapshot_buffer_push(&buffer, random_snapshot(&random, 1120.0, true)));
    for (double ms = 1010.0; ms < 1119.0; ms += 9.0) {
        assert_int_equal(interpolate_at(&buffer, 1005.0, &rules, &kept), 0);
        assert_int_equal(interpolate_at(&buffer, ms, &rules, &whole), 0);
        const int32_t few[] = {0, 5, kept.settled_count, kept.count - 1};
        const float third = kept.x[3];
        interpolate_few(&buffer, ms, &rules, few, 4, &kept);
        assert_int_equal(kept.count, whole.count);
        for (int k = 0; k < 4; k++) {
            assert_true(kept.x[few[k]] == whole.x[few[k]] && kept.y[few[k]] == whole.y[few[k]]);
            assert_true(kept.vx[few[k]] == whole.vx[few[k]] && kept.dir_y[few[k]] == whole.dir_y[few[k]]);
        }
        assert_true(kept.x[3] == third);
        assert_true(kept.time_s == whole.time_s && kept.late_ms == whole.late_ms);
    }
    frame_fini(&kept);
    frame_fini(&whole);
    snapshot_buffer_fini(&buffer);
}

static void a_mesh_that_takes_rows_gets_no_triangles_of_agents(void **state) {
    static struct agents_style style;
    const struct interpolate_rules rules = {
        .world_size = {agent_instances_width, agent_instances_height}, .is_paused = true, .period_ms = 33.0};
    const struct camera camera = {.scale = 0.25f, .offset = {10.0f, 20.0f}};
    uint32_t random = 5;
    struct snapshot_buffer buffer;
    struct frame frame;
    struct agent_instances rows;
    struct interpolate_motion motion;
    struct mesh mesh;
    struct sprites *sprites = sprites_create(1.25f);
    mesh_init(&mesh);
    snapshot_buffer_init(&buffer);
    frame_init(&frame);
    agent_instances_init(&rows);
    assert_null(snapshot_buffer_push(&buffer, random_snapshot(&random, 1000.0, false)));
    assert_int_equal(interpolate_at(&buffer, 1000.0, &rules, &frame), 0);
    assert_true(interpolate_motion(&buffer, 1000.0, &rules, &motion));
    struct canvas canvas = canvas_on_mesh(&mesh, sprites, 240, 200);
    style.radius[0] = 6.0f;
    style.wrap_size = vec2_make(agent_instances_width, agent_instances_height);
    mesh.instances = &rows;
    assert_false(agent_instances_draw(&canvas, &frame, &camera, &style)); /* no rows yet */
    assert_int_equal(agent_instances_fill(&rows, &frame, &motion), 0);
    mesh_clear(&mesh);
    canvas_fill_rect(&canvas, vec2_make(0, 0), vec2_make(9, 9), 0xffffffffu);
    assert_true(agent_instances_draw(&canvas, &frame, &camera, &style));
    canvas_fill_rect(&canvas, vec2_make(0, 0), vec2_make(9, 9), 0xffffffffu);
    assert_int_equal(mesh.vertex_count, 8);
    assert_int_equal(mesh.batch_count, 2); /* not joined: the crowd lies between them */
    assert_int_equal(mesh.instances_batch, 1);
    /* the world is 200 x 150 px at 10, 20: copies are seen on all sides; it is drawn last */
    assert_int_equal(rows.frame.tile_count, TILES_COUNT);
    assert_true(rows.frame.tiles[TILES_COUNT - 1][0] == 0.0f && rows.frame.tiles[TILES_COUNT - 1][1] == 0.0f);
    assert_true(rows.frame.half[0] > 6.0f && rows.frame.sprite[0].u1 > rows.frame.sprite[0].u0);
    mesh_clear(&mesh);
    assert_int_equal(mesh.instances_batch, -1);
    agent_instances_fini(&rows);
    frame_fini(&frame);
    snapshot_buffer_fini(&buffer);
    sprites_destroy(sprites);
    mesh_fini(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_share_a_batch_until_the_clip_changes),
        cmocka_unit_test(edges_fade_over_a_pixel),
        cmocka_unit_test(polygons_with_dents_are_filled),
        cmocka_unit_test(agents_are_one_batch_of_those_that_are_seen),
        cmocka_unit_test(larger_kinds_of_a_crowd_stay_larger),
        cmocka_unit_test(quads_have_indices),
        cmocka_unit_test(blits_look_like_the_exact_shape),
        cmocka_unit_test(an_image_fills_its_rectangle),
        cmocka_unit_test(polygons_cover_their_area),
        cmocka_unit_test(whole_pixels_are_exact),
        cmocka_unit_test(a_half_covered_pixel_is_half_bright),
        cmocka_unit_test(shapes_out_of_the_picture_are_cut),
        cmocka_unit_test(extreme_coordinates_are_harmless),
        cmocka_unit_test(nothing_leaves_the_clip_rectangle),
        cmocka_unit_test(circles_and_lines_have_their_area),
        cmocka_unit_test(lines_agree_with_the_polygon_they_are),
        cmocka_unit_test(triangles_share_edges_without_seam),
        cmocka_unit_test(textures_are_copied_texel_for_pixel),
        cmocka_unit_test(texels_are_copied_where_the_clip_allows),
        cmocka_unit_test(arrows_are_symmetric_and_turn_without_changing),
        cmocka_unit_test(colors_mix),
        cmocka_unit_test(resizing_keeps_it_whole),
        cmocka_unit_test(the_shader_moves_agents_to_the_places_of_the_frame),
        cmocka_unit_test(few_agents_are_moved_alone),
        cmocka_unit_test(a_mesh_that_takes_rows_gets_no_triangles_of_agents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
