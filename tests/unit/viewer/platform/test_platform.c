/* The server that the viewer starts, and its windows. */

#include "tests/unit/server/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "viewer/platform/own_server.h"
#include "viewer/platform/window_fit.h"

/* ==== The viewer's own server: shell scripts stand in for drover-server ==== */

static char folder[] = "/tmp/drover-own-server-XXXXXX";
static char program[128], recording[128];

static void write_file(const char *path, const char *text, mode_t mode) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static int setup_own_server(void **state) {
    assert_non_null(mkdtemp(folder));
    (void)snprintf(program, sizeof program, "%s/drover-server", folder);
    (void)snprintf(recording, sizeof recording, "%s/a run", folder);
    write_file(recording, "{\"op\":\"drover\",\"format\":1}\n", 0600);
    return 0;
}

static int teardown_own_server(void **state) {
    unlink(program);
    unlink(recording);
    return rmdir(folder);
}

static void recordings_are_known_by_name_or_content(void **state) {
    assert_true(recording_is_named("run.drover")); /* there or not: no host is named so */
    assert_true(recording_is_named("/tmp/run.drover.zst"));
    assert_true(recording_is_named(recording));
    assert_false(recording_is_named("localhost:7717"));
    assert_false(recording_is_named(".drover"));
    assert_false(recording_is_named(folder));
    write_file(program, "#!/bin/sh\n", 0700);
    assert_false(recording_is_named(program));
}

static void the_address_is_read(void **state) {
    struct address address = {"", ""};
    struct failure failure;
    write_file(program,
               "#!/bin/sh\necho \"drover-server listening on 127.0.0.1:4711\"\n"
               "[ \"$1 $3 $4 $5 $6\" = \"--replay --port 0 --listen 127.0.0.1\" ] || exit 3\n"
               "[ -s \"$2\" ] || exit 4\nexec sleep 60\n",
               0700);
    struct own_server *server = own_server_start(program, recording, 20000, &address, &failure);
    assert_non_null(server);
    assert_string_equal(address.host, "127.0.0.1");
    assert_string_equal(address.port, "4711");
    own_server_stop(server);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    assert_int_equal(errno, ECHILD);
}

static void a_refusal_is_in_the_server_s_words(void **state) {
    struct address address = {"", ""};
    struct failure failure;
    write_file(program, "#!/bin/sh\necho 'reading' >&2\necho 'drover-server: line 7: no world' >&2\nexit 1\n",
               0700);
    assert_null(own_server_start(program, recording, 20000, &address, &failure));
    assert_non_null(strstr(failure.message, "a run: line 7: no world"));
    write_file(program, "#!/bin/sh\necho hello\nexec sleep 60\n", 0700);
    assert_null(own_server_start(program, recording, 20000, &address, &failure));
    assert_non_null(strstr(failure.message, "hello"));
    assert_null(own_server_start(program, "/tmp/no-such.drover", 20000, &address, &failure));
    assert_non_null(strstr(failure.message, "/tmp/no-such.drover"));
}

static void a_path_is_named_once(void **state) {
    struct address address = {"", ""};
    struct failure failure;
    char script[256];
    (void)snprintf(script, sizeof script, "#!/bin/sh\necho 'drover-server: %s: no world' >&2\nexit 1\n",
                   recording);
    write_file(program, script, 0700);
    assert_null(own_server_start(program, recording, 20000, &address, &failure));
    (void)snprintf(script, sizeof script, "%s: no world", recording);
    assert_string_equal(failure.message, script);
}

static void a_server_that_ends_is_noticed(void **state) {
    struct address address = {"", ""};
    struct failure failure;
    char reason[64] = "";
    write_file(program,
               "#!/bin/sh\necho \"drover-server listening on 127.0.0.1:4711\"\n"
               "echo 'drover-server: no memory' >&2\nread line <\"$0.stop\"\n",
               0700);
    char stop[160];
    (void)snprintf(stop, sizeof stop, "%s.stop", program);
    (void)unlink(stop);
    assert_int_equal(mkfifo(stop, 0600), 0);
    struct own_server *server = own_server_start(program, recording, 20000, &address, &failure);
    assert_non_null(server);
    assert_false(own_server_has_ended(server, reason, sizeof reason));
    close(open(stop, O_WRONLY)); /* the script reads the end of the file, and ends */
    while (!own_server_has_ended(server, reason, sizeof reason)) {
        (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_string_equal(reason, "no memory");
    assert_true(own_server_has_ended(server, reason, sizeof reason));
    own_server_stop(server);
    (void)unlink(stop);
}

static void a_server_that_says_nothing_is_ended(void **state) {
    struct address address = {"", ""};
    struct failure failure;
    write_file(program, "#!/bin/sh\nexec sleep 60\n", 0700);
    assert_null(own_server_start(program, recording, 100, &address, &failure));
    assert_non_null(strstr(failure.message, "did not begin"));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* Whether the process ended; its new parent need not have fetched it. */
static bool is_gone(pid_t process) {
    char path[64], text[256] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    const int file = open(path, O_RDONLY);
    const ssize_t count = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0) {
        close(file);
    }
    return count <= 0 || strstr(text, ") Z ") != NULL;
}

/* A viewer that is killed has no chance to end its server. */
static void the_server_ends_with_a_killed_viewer(void **state) {
    char number[160];
    int status = 0;
    (void)snprintf(number, sizeof number, "%s/number", folder);
    write_file(program,
               "#!/bin/sh\necho $$ >\"${0%/*}/number\"\necho \"drover-server listening on 127.0.0.1:4711\"\n"
               "exec sleep 60\n",
               0700);
    const pid_t viewer = fork();
    if (viewer == 0) {
        struct address address = {"", ""};
        struct failure failure;
        if (own_server_start(program, recording, 20000, &address, &failure) != NULL) {
            (void)raise(SIGKILL);
        }
        _exit(1);
    }
    assert_int_equal(waitpid(viewer, &status, 0), viewer);
    assert_true(WIFSIGNALED(status));
    FILE *file = fopen(number, "r");
    int process = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &process), 1);
    (void)fclose(file);
    unlink(number);
    const struct timespec pause = {0, 20 * 1000000};
    for (int i = 0; !is_gone((pid_t)process); i++) {
        assert_true(i < 1000);
        (void)nanosleep(&pause, NULL);
    }
}

/* ==== A window and its frame stay on the screen; text suits it ==== */

static const struct window_border none = {0, 0, 0, 0}, frame = {1, 24, 1, 3};

static void assert_area(struct window_area area, int32_t x, int32_t y, int32_t width, int32_t height) {
    assert_int_equal(area.x, x);
    assert_int_equal(area.y, y);
    assert_int_equal(area.width, width);
    assert_int_equal(area.height, height);
}

static void what_fits_stays(void **state) {
    const struct window_area screen = {0, 0, 1920, 1080};
    assert_area(window_fit((struct window_area){320, 140, 1280, 800}, frame, screen), 320, 140, 1280, 800);
    assert_area(window_fit((struct window_area){0, 0, 1920, 1080}, none, screen), 0, 0, 1920, 1080);
    /* it hangs over: moved, as large as it was */
    assert_area(window_fit((struct window_area){-50, 900, 1280, 800}, frame, screen), 1, 277, 1280, 800);
}

static void what_does_not_fit_is_made_smaller(void **state) {
    const struct window_area wide = {0, 0, 1280, 800}, laptop = {0, 0, 1366, 768}, old = {0, 0, 640, 480};
    assert_area(window_fit((struct window_area){0, 0, 1280, 800}, frame, wide), 1, 24, 1278, 773);
    assert_area(window_fit((struct window_area){43, -16, 1280, 800}, frame, laptop), 43, 24, 1280, 741);
    assert_area(window_fit((struct window_area){-320, -160, 1280, 800}, none, old), 0, 0, 640, 480);
    /* a bar at the top, another screen at the left */
    const struct window_area second = {1920, 30, 1366, 738};
    assert_area(window_fit((struct window_area){0, 0, 3000, 2000}, frame, second), 1921, 54, 1364, 711);
    /* invalid values change no size */
    assert_area(window_fit((struct window_area){5, 5, 320, 240}, frame, (struct window_area){0, 0, 0, 0}), 1,
                24, 320, 240);
}

static void text_suits_the_screen(void **state) {
    assert_true(window_text_scale_for(96.0, 800, false) == 1.0);
    assert_true(window_text_scale_for(0.0, 1080, false) == 1.0); /* nothing is known */
    assert_true(window_text_scale_for(0.0, 1440, false) == 1.0);
    assert_true(window_text_scale_for(0.0, 2160, false) == 1.5);  /* 4K: 12 px would be too small to read */
    assert_true(window_text_scale_for(96.0, 2160, false) == 1.0); /* the desktop wants it so */
    assert_true(window_text_scale_for(72.0, 1080, false) == 1.0); /* never smaller */
    assert_true(window_text_scale_for(118.0, 768, false) == 1.0); /* a laptop's screen: 1366x768, 13 inch */
    assert_true(window_text_scale_for(120.0, 1080, false) == 1.25);
    assert_true(window_text_scale_for(191.7, 2160, false) == 2.0); /* nearly twice */
    assert_true(window_text_scale_for(288.0, 2160, false) == 3.0);
    assert_true(window_text_scale_for(305.0, 1080, false) == 1.75); /* a projector that claims to be tiny */
    assert_true(window_text_scale_for(1000.0, 480, false) == 1.0);
    assert_true(window_text_scale_for(1000.0, 4320, false) == 4.0);
}

static void full_screen_is_looked_at_from_afar(void **state) {
    assert_true(window_text_scale_for(96.0, 768, true) == 1.0);
    assert_true(window_text_scale_for(96.0, 1080, true) == 1.0);
    assert_true(window_text_scale_for(96.0, 1440, true) == 1.25);
    assert_true(window_text_scale_for(96.0, 2160, true) == 2.0);
    assert_true(window_text_scale_for(288.0, 2160, true) == 3.0);
}

static void desktops_say_how_large_text_is(void **state) {
    assert_true(window_resources_dpi(NULL) == 0.0);
    assert_true(window_resources_dpi("") == 0.0);
    assert_true(window_resources_dpi("Xft.dpi:\t192\n") == 192.0);
    assert_true(window_resources_dpi("Xcursor.size:\t24\nXft.dpi: 143.5\nXft.rgba:\trgb\n") == 143.5);
    assert_true(window_resources_dpi("*Xft.dpi: 200\nXft.dpi.more: 1\nXft.dpi:\n") == 0.0);
    assert_true(window_resources_dpi("Xft.dpi: 1e99") == 1.0);
    assert_true(window_resources_dpi("Xft.dpi: 99999999999999999999") <= 1e10);
    assert_true(window_resources_dpi("Xft.dpi: many\n") == 0.0);
}

/* ==== window tiles ====
 * Changed tiles are copied and reported, no others; the surface always has the picture
 * afterwards. */

enum { WIDTH = 700, HEIGHT = 300, PITCH = (WIDTH + 5) * 4 };

struct fixture {
    struct raster *raster;
    struct window_tiles tiles;
    char surface[(size_t)PITCH * HEIGHT], before[(size_t)PITCH * HEIGHT];
    struct raster_rect changed[WINDOW_TILES_MOST];
};

static int setup_window_tiles(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->raster = raster_create(WIDTH, HEIGHT);
    assert_non_null(fixture->raster);
    *state = fixture;
    return 0;
}

static int teardown_window_tiles(void **state) {
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
    const struct CMUnitTest tests_of_own_server[] = {
        cmocka_unit_test(recordings_are_known_by_name_or_content),
        cmocka_unit_test(the_address_is_read),
        cmocka_unit_test(a_refusal_is_in_the_server_s_words),
        cmocka_unit_test(a_path_is_named_once),
        cmocka_unit_test(a_server_that_ends_is_noticed),
        cmocka_unit_test(a_server_that_says_nothing_is_ended),
        cmocka_unit_test(the_server_ends_with_a_killed_viewer),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays),
        cmocka_unit_test(what_does_not_fit_is_made_smaller),
        cmocka_unit_test(text_suits_the_screen),
        cmocka_unit_test(desktops_say_how_large_text_is),
        cmocka_unit_test(full_screen_is_looked_at_from_afar),
        cmocka_unit_test_setup_teardown(the_first_picture_goes_whole, setup_window_tiles,
                                        teardown_window_tiles),
        cmocka_unit_test_setup_teardown(what_changed_is_named, setup_window_tiles, teardown_window_tiles),
        cmocka_unit_test_setup_teardown(neighbors_are_one, setup_window_tiles, teardown_window_tiles),
        cmocka_unit_test_setup_teardown(too_many_are_one, setup_window_tiles, teardown_window_tiles),
    };
    return cmocka_run_group_tests(tests_of_own_server, setup_own_server, teardown_own_server) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
