/* Coverage adds up to area, nothing leaves the clip rectangle, edges are shared without gap or overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/draw/raster.h"
#include "viewer/draw/sprites.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
