/* Changed tiles are copied and reported, no others; the surface always has the picture
 * afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "viewer/platform/window_fit.h"

enum { WIDTH = 700, HEIGHT = 300, PITCH = (WIDTH + 5) * 4 };

struct fixture {
    struct raster *raster;
    struct window_tiles tiles;
    char surface[(size_t)PITCH * HEIGHT], before[(size_t)PITCH * HEIGHT];
    struct raster_rect changed[WINDOW_TILES_MOST];
};

static int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->raster = raster_create(WIDTH, HEIGHT);
    assert_non_null(fixture->raster);
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *fixture = *state;
    raster_destroy(fixture->raster);
    free(fixture);
    return 0;
}

static bool is_inside(const struct fixture *fixture, int count, int32_t x, int32_t y) {
    bool is_in = false;
    for (int i = 0; i < count; i++) {
        const struct raster_rect *c = &fixture->changed[i];
        is_in = is_in || (x >= c->x0 && x < c->x1 && y >= c->y0 && y < c->y1);
    }
    return is_in;
}

/* Copies, and checks the surface against the picture and against the reported changes. */
static int copy(struct fixture *fixture) {
    memcpy(fixture->before, fixture->surface, sizeof fixture->before);
    const int count =
        window_tiles_copy(&fixture->tiles, fixture->raster, fixture->surface, PITCH, fixture->changed);
    assert_in_range(count, 0, WINDOW_TILES_MOST);
    for (int32_t y = 0; y < HEIGHT; y++) {
        const char *row = fixture->surface + (size_t)y * PITCH;
        assert_memory_equal(row, fixture->raster->pixels + (size_t)y * WIDTH, (size_t)WIDTH * 4);
        for (int32_t x = 0; x < WIDTH; x++) {
            const size_t at = (size_t)y * PITCH + (size_t)x * 4;
            if (memcmp(fixture->surface + at, fixture->before + at, 4) != 0) {
                assert_true(is_inside(fixture, count, x, y));
            }
        }
        assert_memory_equal(row + (size_t)WIDTH * 4, fixture->before + (size_t)y * PITCH + (size_t)WIDTH * 4,
                            PITCH - (size_t)WIDTH * 4);
    }
    return count;
}

static void dot(struct fixture *fixture, int x, int y) {
    fixture->raster->pixels[y * WIDTH + x] ^= 0xffu;
}

static void the_first_picture_goes_whole(void **state) {
    struct fixture *fixture = *state;
    assert_int_equal(copy(fixture), 1);
    assert_int_equal(fixture->changed[0].x1, WIDTH);
    assert_int_equal(fixture->changed[0].y1, HEIGHT);
    assert_int_equal(copy(fixture), 0);
}

static void what_changed_is_named(void **state) {
    struct fixture *fixture = *state;
    copy(fixture);
    dot(fixture, 130, 33);
    dot(fixture, WIDTH - 1, HEIGHT - 1);
    assert_int_equal(copy(fixture), 2);
    assert_memory_equal(&fixture->changed[0], (&(struct raster_rect){128, 32, 256, 64}),
                        sizeof *fixture->changed);
    assert_memory_equal(&fixture->changed[1], (&(struct raster_rect){640, 288, WIDTH, HEIGHT}),
                        sizeof *fixture->changed);
    assert_int_equal(copy(fixture), 0);
}

static void neighbors_are_one(void **state) {
    struct fixture *fixture = *state;
    copy(fixture);
    dot(fixture, 100, 40);
    dot(fixture, 200, 50);
    dot(fixture, 300, 60);
    assert_int_equal(copy(fixture), 1);
    assert_memory_equal(&fixture->changed[0], (&(struct raster_rect){0, 32, 384, 64}),
                        sizeof *fixture->changed);
}

/* A tall picture has more tiles than the limit of rectangles. */
static void too_many_are_one(void **state) {
    struct fixture *fixture = *state;
    enum { TALL = 1000, WIDE = 640 };
    struct raster *raster = raster_create(WIDE, TALL);
    char *surface = calloc(TALL, (size_t)WIDE * 4);
    assert_true(raster != NULL && surface != NULL);
    struct window_tiles tiles = {0, 0};
    window_tiles_copy(&tiles, raster, surface, WIDE * 4, fixture->changed);
    for (int y = 5; y < TALL; y += 32) {
        raster->pixels[y * WIDE + 10] ^= 1u; /* every other tile: none can be joined */
        raster->pixels[y * WIDE + 300] ^= 1u;
        raster->pixels[y * WIDE + 600] ^= 1u;
    }
    const int count = window_tiles_copy(&tiles, raster, surface, WIDE * 4, fixture->changed);
    assert_in_range(count, 1, WINDOW_TILES_MOST);
    assert_memory_equal(surface, raster->pixels, (size_t)WIDE * TALL * 4);
    for (int y = 5; y < TALL; y += 32) {
        assert_true(is_inside(fixture, count, 10, y) && is_inside(fixture, count, 300, y) &&
                    is_inside(fixture, count, 600, y));
    }
    raster_destroy(raster);
    free(surface);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_picture_goes_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(what_changed_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(neighbors_are_one, setup, teardown),
        cmocka_unit_test_setup_teardown(too_many_are_one, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
