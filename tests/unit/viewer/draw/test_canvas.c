/* The mesh: batches, smoothed edges, agents left out when they are not seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/draw/agents_draw.h"
#include "viewer/draw/canvas.h"
#include "viewer/explain/theme.h"
#include "viewer/model/interpolate.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_share_a_batch_until_the_clip_changes),
        cmocka_unit_test(edges_fade_over_a_pixel),
        cmocka_unit_test(agents_are_one_batch_of_those_that_are_seen),
        cmocka_unit_test(larger_kinds_of_a_crowd_stay_larger),
        cmocka_unit_test(quads_have_indices),
        cmocka_unit_test(blits_look_like_the_exact_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
