/* The command line: addresses, sizes, defaults, mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "viewer/app/config.h"
#include "viewer/app/options.h"
#include "viewer/model/shortcuts.h"

static void addresses_are_read(void **state) {
    static const struct {
        const char *text, *host, *port;
    } rows[] = {
        {"localhost", "localhost", "7717"},
        {"10.0.0.2:80", "10.0.0.2", "80"},
        {"[::1]:7800", "::1", "7800"},
        {"[fe80::1]", "fe80::1", "7717"},
        {"::1", "::1", "7717"},
        {"host:65535", "host", "65535"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct address address = {"", "7717"};
        struct failure failure;
        assert_int_equal(address_parse(rows[i].text, &address, &failure), 0);
        assert_string_equal(address.host, rows[i].host);
        assert_string_equal(address.port, rows[i].port);
    }
}

static void bad_addresses_are_refused(void **state) {
    static const char *const rows[] = {"",        ":80",  "host:",  "host:0", "host:65536",
                                       "host:8x", "[::1", "[::1]x", "[]:5",   "host:123456789"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct address address = {"", "7717"};
        struct failure failure = {0};
        assert_int_equal(address_parse(rows[i], &address, &failure), -1);
        assert_true(strlen(failure.message) > 0);
    }
}

static void sizes_are_read(void **state) {
    int32_t width = 0, height = 0;
    struct failure failure;
    assert_int_equal(size_parse("1280x800", &width, &height, &failure), 0);
    assert_int_equal(width, 1280);
    assert_int_equal(height, 800);
    static const char *const bad[] = {"",         "x",          "1280",      "1280x",    "x800",    "10x10",
                                      "1280X800", "1280x800x2", "99999x800", "-640x480", "640 x480"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(size_parse(bad[i], &width, &height, &failure), -1);
        assert_non_null(strstr(failure.message, "--size"));
    }
    assert_int_equal(width, 1280); /* a refusal changes nothing */
}

/* Takes the words of a command line apart at blanks. */
static enum options_result parse(const char *line, struct viewer_options *options, struct failure *failure) {
    char words[256];
    char *arguments[16] = {words};
    int count = 1;
    assert_true(strlen(line) < sizeof words);
    memcpy(words, line, strlen(line) + 1);
    for (char *at = strchr(words, ' '); at != NULL; at = strchr(at, ' ')) {
        *at++ = '\0';
        assert_true(count < 15);
        arguments[count++] = at;
    }
    return viewer_options_parse(count, arguments, options, failure);
}

static void a_command_line_is_read(void **state) {
    struct viewer_options options;
    struct failure failure;
    assert_int_equal(parse("drover-viewer [::1]:7000 --headless --screenshot a.png --size=640x480 --forces "
                           "--fixed-dt 20 --log debug",
                           &options, &failure),
                     OPTIONS_RUN);
    assert_string_equal(options.address.host, "::1");
    assert_string_equal(options.address.port, "7000");
    assert_true(options.is_headless && options.shows_forces && !options.is_single_try);
    assert_int_equal(options.frames, 60); /* headless ends by itself */
    assert_string_equal(options.screenshot, "a.png");
    assert_int_equal(options.width, 640);
    assert_true(options.fixed_dt_ms == 20.0);
}

static void a_file_that_is_no_recording_is_refused(void **state) {
    struct viewer_options options;
    struct failure failure;
    char name[] = "notes-XXXXXX", line[64];
    const int file = mkstemp(name);
    assert_true(file >= 0);
    close(file);
    (void)snprintf(line, sizeof line, "drover-viewer %s", name);
    assert_int_equal(parse(line, &options, &failure), OPTIONS_BAD);
    assert_non_null(strstr(failure.message, "is no recording; expected"));
    assert_int_equal(remove(name), 0);
    assert_int_equal(parse("drover-viewer hour.drovr", &options, &failure), OPTIONS_BAD);
    assert_non_null(strstr(failure.message, "hour.drovr: no such file; expected"));
    assert_int_equal(parse("drover-viewer runs/hour", &options, &failure), OPTIONS_BAD);
    assert_int_equal(parse("drover-viewer lab.example:7000", &options, &failure), OPTIONS_RUN);
}

static void defaults_and_mistakes(void **state) {
    struct viewer_options options;
    struct failure failure;
    assert_int_equal(parse("drover-viewer", &options, &failure), OPTIONS_RUN);
    assert_string_equal(options.address.host, "127.0.0.1");
    assert_string_equal(options.address.port, "7717");
    assert_true(options.width == 0 && options.height == 0 &&
                options.settings.ui_scale == 0.0); /* the screen says */
    assert_int_equal(options.frames, 0);
    assert_int_equal(parse("drover-viewer --size 1x1", &options, &failure), OPTIONS_BAD);
    assert_int_equal(parse("drover-viewer --fullscreens", &options, &failure), OPTIONS_BAD);
    assert_int_equal(parse("drover-viewer --overlays trails,grid --forces", &options, &failure), OPTIONS_RUN);
    char shown[128];
    overlays_format(&options.settings, shown, sizeof shown);
    assert_string_equal(shown, "velocity,desired,steering,trails,grid");
    assert_true(
        options.flags.is_changed[offsetof(struct view_settings, shows_radii)]); /* not shown, and given */
    assert_false(options.flags.is_changed[offsetof(struct view_settings, panel)]);
    assert_int_equal(parse("drover-viewer --panel=on --palette safe", &options, &failure), OPTIONS_RUN);
    assert_true(options.flags.is_changed[offsetof(struct view_settings, panel)]);
    assert_true(options.flags.is_changed[offsetof(struct view_settings, palette)]); /* as it was, and given */
    assert_false(options.flags.is_changed[offsetof(struct view_settings, shows_radii)]);
    assert_int_equal(parse("drover-viewer --overlays trails,gird", &options, &failure), OPTIONS_BAD);
    assert_non_null(strstr(failure.message, "gird"));
    assert_int_equal(parse("drover-viewer --ui-scale 9", &options, &failure), OPTIONS_BAD);
    assert_int_equal(parse("drover-viewer --ui-scale 0.2", &options, &failure), OPTIONS_BAD);
    assert_non_null(strstr(failure.message, "expected 0, or 0.5 to 4"));
    assert_int_equal(parse("drover-viewer --ui-scale 0", &options, &failure), OPTIONS_RUN);
    assert_int_equal(parse("drover-viewer --palette classic", &options, &failure), OPTIONS_RUN);
    assert_int_equal(options.settings.palette, PALETTE_CLASSIC);
    assert_int_equal(parse("drover-viewer host:0", &options, &failure), OPTIONS_BAD);
    assert_int_equal(parse("drover-viewer --name A\xe2\x80\x8bnn", &options, &failure), OPTIONS_BAD);
    assert_non_null(strstr(failure.message, "--name: U+200B cannot be seen"));
    assert_int_equal(parse("drover-viewer --name Ann", &options, &failure), OPTIONS_RUN);
}

static void a_token_of_the_environment_is_read_or_refused(void **state) {
    struct viewer_options options;
    struct failure failure;
    char secret[LIMIT_TOKEN_CHARS + 2];
    memset(secret, 's', sizeof secret - 1);
    secret[sizeof secret - 1] = '\0';
    assert_int_equal(setenv("DROVER_TOKEN", secret, 1), 0);
    assert_int_equal(parse("drover-viewer", &options, &failure), OPTIONS_BAD); /* not dropped silently */
    assert_non_null(strstr(failure.message, "DROVER_TOKEN"));
    assert_null(strstr(failure.message, "sss"));
    assert_int_equal(parse("drover-viewer --token flagged-1", &options, &failure), OPTIONS_RUN);
    assert_int_equal(setenv("DROVER_TOKEN", secret + 1, 1), 0);
    assert_int_equal(parse("drover-viewer", &options, &failure), OPTIONS_RUN);
    assert_string_equal(options.token, secret + 1);
    assert_int_equal(unsetenv("DROVER_TOKEN"), 0);
}

/* By the members that the rows of the keys name. */
static void assert_equal_settings(const struct view_settings *a, const struct view_settings *b) {
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        const size_t offset = rows[i].setting.offset, size = rows[i].setting.size;
        assert_memory_equal((const char *)a + offset, (const char *)b + offset, size);
    }
}

static void overlays_are_written_as_they_are_read(void **state) {
    char text[128];
    struct failure failure;
    struct view_settings settings = view_settings_default(), read = {.shows_trails = true};
    overlays_format(&settings, text, sizeof text);
    assert_string_equal(text, "radii,neighbors,places,grid");
    assert_int_equal(overlays_parse(text, &read, &failure), 0);
    assert_equal_settings(&read, &settings);
    assert_int_equal(overlays_parse("none", &read, &failure), 0);
    overlays_format(&read, text, sizeof text);
    assert_string_equal(text, "none");
    assert_int_equal(overlays_parse("grid,gird", &read, &failure), -1);
    assert_non_null(
        strstr(failure.message, "--overlays: unknown overlay \"gird\"; expected velocity,desired,"));
    assert_false(read.shows_grid); /* a refusal changes nothing */
}

static int read_config(const char *text, struct view_settings *settings) {
    struct failure failure;
    return config_read(text, strlen(text), settings, &failure);
}

static void settings_are_read_or_left_alone(void **state) {
    struct view_settings settings = {.size = "640x480", .ui_scale = 1.0};
    const char *const bad[] = {"",
                               "[]",
                               "{",
                               "{\"ui_scale\":99}",
                               "{\"ui_scale\":0.2}",
                               "{\"palette\":\"pink\"}",
                               "{\"size\":\"5x5\"}",
                               "{\"overlays\":\"trails,nonsense\"}",
                               "{\"network\":1}",
                               "{\"panel\":7}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(read_config(bad[i], &settings), -1);
        assert_string_equal(settings.size, "640x480");
        assert_true(settings.ui_scale == 1.0 && settings.palette == PALETTE_SAFE &&
                    settings.panel == PANEL_AUTO);
    }
    assert_int_equal(read_config("{\"palette\":\"classic\",\"ui_scale\":1.5,\"later\":1}", &settings), 0);
    assert_int_equal(settings.palette, PALETTE_CLASSIC);
    assert_true(settings.ui_scale == 1.5);
    assert_int_equal(read_config("{\"size\":\"\",\"ui_scale\":0}", &settings), 0); /* as the screen says */
    assert_true(settings.size[0] == '\0' && settings.ui_scale == 0.0);
}

/* Files from before the choice "color" say whether kinds give the color. */
static void old_files_say_what_colors_mean(void **state) {
    struct view_settings settings = view_settings_default();
    assert_int_equal(read_config("{\"colors_by_kind\":false}", &settings), 0);
    assert_int_equal(settings.color, COLOR_STATE);
    assert_int_equal(read_config("{\"colors_by_kind\":true}", &settings), 0);
    assert_int_equal(settings.color, COLOR_KIND);
    assert_int_equal(read_config("{\"colors_by_kind\":true,\"color\":\"speed\"}", &settings), 0);
    assert_int_equal(settings.color, COLOR_SPEED);
    assert_int_equal(read_config("{\"colors_by_kind\":1}", &settings), -1);
    assert_int_equal(read_config("{\"color\":\"mood\"}", &settings), -1);
    assert_int_equal(settings.color, COLOR_SPEED);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void assert_file(const char *path, const char *text) {
    char found[512];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, text);
}

/* Saves these members, given by their offsets, as if they were changed in the window. */
static int save(const struct viewer_options *options, const size_t *offsets, size_t count,
                struct failure *failure) {
    struct view_changes changes = {{false}};
    for (size_t i = 0; i < count; i++) {
        view_changes_note(&changes, offsets[i]);
    }
    return config_save(&options->settings, &options->kept, &changes, failure);
}

static void only_what_was_changed_is_written(void **state) {
    const size_t palette = offsetof(struct view_settings, palette),
                 ui_scale = offsetof(struct view_settings, ui_scale),
                 panel = offsetof(struct view_settings, panel);
    char folder[] = "/tmp/drover-options-XXXXXX", path[128];
    struct viewer_options options;
    struct failure failure;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    (void)snprintf(path, sizeof path, "%s/drover/viewer.json", folder);
    assert_int_equal(parse("drover-viewer --palette classic --ui-scale 1.5", &options, &failure),
                     OPTIONS_RUN);
    assert_int_equal(save(&options, NULL, 0, &failure), 0);
    assert_int_equal(access(path, F_OK), -1); /* nothing was changed: not even a file */
    assert_int_equal(save(&options, &panel, 1, &failure), 0);
    assert_file(path, "{\"panel\":\"auto\"}\n"); /* not the flags */
    write_file(path, "{\"later\":[1],\"ui_scale\":1.25,\"overlays\":\"trails\"}");
    assert_int_equal(parse("drover-viewer --forces --overlays grid", &options, &failure), OPTIONS_RUN);
    assert_true(options.kept.shows_trails && !options.kept.shows_grid);
    assert_true(options.settings.shows_grid && options.settings.ui_scale == 1.25);
    options.settings.palette = PALETTE_CLASSIC;
    options.settings.ui_scale = 2.0;
    assert_int_equal(save(&options, (size_t[]){palette, ui_scale}, 2, &failure), 0);
    assert_file(path, "{\"later\":[1],\"overlays\":\"trails\",\"palette\":\"classic\",\"ui_scale\":2}\n");
    write_file(path, "{\"ui_scale\":"); /* it is being edited */
    assert_int_equal(save(&options, &palette, 1, &failure), -1);
    assert_non_null(strstr(failure.message, "viewer.json is not changed"));
    assert_file(path, "{\"ui_scale\":");
    assert_int_equal(remove(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", "/nonexistent", 1), 0);
}

/* Whatever setting a row of the keys has: the file keeps it. */
static void every_setting_of_a_key_is_kept(void **state) {
    char folder[] = "/tmp/drover-options-XXXXXX", path[128];
    struct failure failure;
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    (void)snprintf(path, sizeof path, "%s/drover/viewer.json", folder);
    for (size_t i = 0; i < count; i++) {
        struct view_settings settings = view_settings_default(), loaded = settings, kept = settings;
        struct view_changes changes = {{false}};
        if (rows[i].action == SHORTCUT_SETTING) {
            view_settings_change(&settings, &changes, &rows[i].setting);
            assert_int_equal(config_save(&settings, &kept, &changes, &failure), 0);
            assert_int_equal(config_load(&loaded), 0);
            assert_equal_settings(&loaded, &settings);
            assert_int_equal(remove(path), 0);
        }
    }
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    /* not the user's own settings */
    assert(setenv("XDG_CONFIG_HOME", "/nonexistent", 1) == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read),
        cmocka_unit_test(bad_addresses_are_refused),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(a_command_line_is_read),
        cmocka_unit_test(a_file_that_is_no_recording_is_refused),
        cmocka_unit_test(defaults_and_mistakes),
        cmocka_unit_test(a_token_of_the_environment_is_read_or_refused),
        cmocka_unit_test(overlays_are_written_as_they_are_read),
        cmocka_unit_test(settings_are_read_or_left_alone),
        cmocka_unit_test(old_files_say_what_colors_mean),
        cmocka_unit_test(only_what_was_changed_is_written),
        cmocka_unit_test(every_setting_of_a_key_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
