/* The viewer without a window: options, and what keys and buttons do. */

#include "tests/unit/server/cmocka_all.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/app/app.h"
#include "viewer/app/app_state.h"
#include "viewer/app/config.h"
#include "viewer/app/options.h"
#include "viewer/model/input.h"
#include "viewer/model/shortcuts.h"
#include "viewer/platform/files.h"
#include "viewer/platform/window.h"

/* ==== The command line: addresses, sizes, defaults, mistakes ==== */

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
    assert_string_equal(text, "radii,neighbors,places,grid,instruments");
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

/* ==== app ====
 * Keys, clicks and panels become requests. The window, the panels, the connection and the files are those of this file. */

enum { WIDTH = 800, HEIGHT = 600 };

/* ---- the connection: keeps the lines that are sent ---- */

struct connection {
    struct mailbox mailbox;
    struct buffer sent;
    bool is_lost;
};

struct connection *connection_create(const struct connection_def *def) {
    struct connection *connection = calloc(1, sizeof *connection);
    (void)def;
    assert_non_null(connection);
    assert_int_equal(mailbox_init(&connection->mailbox), 0);
    buffer_init(&connection->sent, 65536);
    return connection;
}

void connection_destroy(struct connection *connection) {
    if (connection != NULL) {
        mailbox_fini(&connection->mailbox);
        buffer_fini(&connection->sent);
        free(connection);
    }
}

struct mailbox *connection_mailbox(struct connection *connection) {
    return &connection->mailbox;
}

int connection_send(struct connection *connection, const struct request *request) {
    if (connection->is_lost) {
        return -1;
    }
    request_encode(request, &connection->sent);
    return 0;
}

void connection_set_stream(struct connection *connection, const struct stream_choice *stream) {
    mailbox_set_stream(&connection->mailbox, stream);
}

/* ---- the window: a raster that nobody sees ---- */

struct window {
    char title[64];
};

struct window *window_create(const struct window_def *def, struct failure *failure) {
    (void)def;
    (void)failure;
    return calloc(1, sizeof(struct window));
}

void window_destroy(struct window *window) {
    free(window);
}

bool window_settle(struct window *window) {
    (void)window;
    return false;
}

float window_text_scale(const struct window *window) {
    (void)window;
    return 1.0f;
}

void window_picture_size(const struct window *window, int32_t *width, int32_t *height) {
    (void)window;
    *width = WIDTH;
    *height = HEIGHT;
}

bool window_size(const struct window *window, int32_t *width, int32_t *height) {
    window_picture_size(window, width, height);
    return true;
}

float window_pixel_scale(const struct window *window) {
    (void)window;
    return 1.0f;
}

void window_expose(struct window *window) {
    (void)window;
}

void window_present(struct window *window, const struct raster *raster) {
    (void)window;
    (void)raster;
}

bool window_wants_mesh(const struct window *window) {
    (void)window;
    return false;
}

bool window_takes_crowd(const struct window *window) {
    (void)window;
    return false;
}

void window_toggle_full_screen(struct window *window) {
    (void)window;
}

void window_set_pointer(struct window *window, enum window_pointer pointer) {
    (void)window;
    (void)pointer;
}

bool window_copy(const struct window *window, const char *words) {
    (void)window;
    (void)words;
    return true;
}

void window_set_title(struct window *window, const char *title) {
    (void)snprintf(window->title, sizeof window->title, "%s", title);
}

int window_set_texture(struct window *window, enum mesh_texture slot, const uint32_t *texels, int32_t width,
                       int32_t height, bool is_smooth) {
    (void)window;
    (void)slot;
    (void)texels;
    (void)width;
    (void)height;
    (void)is_smooth;
    return 0;
}

void window_draw_mesh(struct window *window, struct mesh *mesh) {
    (void)window;
    (void)mesh;
}

void window_show(struct window *window) {
    (void)window;
}

int window_read(struct window *window, struct raster *raster) {
    (void)window;
    (void)raster;
    return 0;
}

/* ---- the panels: what is done in them is set by a test ---- */

struct panels {
    struct panels_result result;
};

struct panels *panels_create(float scale, bool is_kiosk) {
    (void)scale;
    (void)is_kiosk;
    return calloc(1, sizeof(struct panels));
}

void panels_destroy(struct panels *panels) {
    free(panels);
}

const struct panels_result *panels_draw(struct panels *panels, const struct panels_view *view,
                                        const struct pointer *pointer, const struct panels_input *input,
                                        struct canvas *canvas) {
    (void)view;
    (void)pointer;
    (void)input;
    (void)canvas;
    return &panels->result;
}

float panels_words_px(const void *panels, const char *words) {
    (void)panels;
    return 8.0f * (float)strlen(words);
}

float panels_line_px(const struct panels *panels) {
    (void)panels;
    return 16.0f;
}

uint32_t *panels_font_texels(const struct panels *panels, int32_t *width, int32_t *height) {
    (void)panels;
    *width = *height = 1;
    return calloc(1, sizeof(uint32_t));
}

/* ---- files: none ---- */

int png_file_save(const struct raster *raster, const char *path, struct failure *failure) {
    (void)raster;
    (void)path;
    (void)failure;
    return 0;
}

int text_file_save(const char *path, const char *text, size_t length) {
    (void)path;
    (void)text;
    (void)length;
    return 0;
}

const char *text_file_folder(char *out, size_t size) {
    (void)size;
    out[0] = '\0';
    return out;
}

void preview_file_load(struct preview_file *preview, const char *name) {
    (void)preview;
    (void)name;
}

void preview_file_fini(struct preview_file *preview) {
    (void)preview;
}

struct clip *clip_start(const char *path, int32_t width, int32_t height, bool waits,
                        struct failure *failure) {
    (void)path;
    (void)width;
    (void)height;
    (void)waits;
    (void)failure_set(failure, FAILURE_INTERNAL, NULL, "no clips here");
    return NULL;
}

bool clip_wants_frame(const struct clip *clip, double now_ms) {
    (void)clip;
    (void)now_ms;
    return false;
}

int clip_add(struct clip *clip, const struct raster *raster, double now_ms) {
    (void)clip;
    (void)raster;
    (void)now_ms;
    return -1;
}

void clip_end(struct clip *clip) {
    (void)clip;
}

bool clip_has_ended(struct clip *clip) {
    (void)clip;
    return true;
}

int clip_stop(struct clip *clip, struct failure *failure) {
    (void)clip;
    (void)failure;
    return 0;
}

/* ---- an app in a world of 800 x 600 px with an agent in the middle ---- */

static void frame(struct app *app) {
    struct failure failure;
    app_begin_frame(app);
    assert_int_equal(app_frame(app, &failure), 0);
}

static void forget_sent(struct app *app) {
    buffer_clear(&app->connection->sent);
}

/* The lines that were sent since forget_sent. */
static const char *sent(struct app *app) {
    buffer_append(&app->connection->sent, "", 1);
    app->connection->sent.length--;
    return app->connection->sent.data;
}

static void assert_sends(struct app *app, const char *part) {
    if (strstr(sent(app), part) == NULL) {
        fail_msg("not sent: %s\nbut: %s", part, sent(app));
    }
}

static void assert_sends_nothing(struct app *app) {
    assert_string_equal(sent(app), "");
}

static void deliver(struct app *app, struct message *message) {
    assert_int_equal(mailbox_put_message(&app->connection->mailbox, message, 1), 0);
}

static struct message *message_of(enum message_op op) {
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = op;
    return message;
}

static struct message *hello_as(const char *role) {
    struct message *message = message_of(MESSAGE_HELLO);
    struct message_hello *hello = &message->body.hello;
    struct message_scenario *scenario = &hello->scenario;
    hello->session = 7;
    hello->has_world = true;
    (void)snprintf(hello->role, sizeof hello->role, "%s", role);
    (void)snprintf(scenario->name, sizeof scenario->name, "seek");
    (void)snprintf(scenario->edge, sizeof scenario->edge, "bounce");
    scenario->size = vec2_make(800.0f, 600.0f);
    scenario->tick_hz = 60;
    scenario->seed = 5;
    scenario->target_count = 1;
    (void)snprintf(scenario->targets[0], sizeof scenario->targets[0], "mouse");
    scenario->kind_count = 1;
    (void)snprintf(scenario->kinds[0].name, sizeof scenario->kinds[0].name, "ship");
    scenario->kinds[0].radius = 8.0f;
    scenario->kinds[0].max_speed = 100.0f;
    return message;
}

static void deliver_snapshot(struct app *app, double clock_ms) {
    const struct test_agent agent = {3, 400.0f, 300.0f, 0.0f, 0.0f, 0.0f, NULL};
    struct snapshot *snapshot = make_snapshot(clock_ms, &agent, 1);
    snapshot->epoch = 1;
    struct snapshot *spare = mailbox_put_snapshot(&app->connection->mailbox, snapshot, connection_now_ms());
    assert_non_null(spare);
    snapshot_destroy(spare);
    frame(app);
}

static struct app *begin(const char *role) {
    static char program[] = "drover-viewer", no_config[] = "--no-config";
    char *words[] = {program, no_config, NULL};
    struct viewer_options options;
    struct failure failure;
    assert_int_equal(viewer_options_parse(2, words, &options, &failure), OPTIONS_RUN);
    options.settings.panel = options.settings.legend = PANEL_OFF;
    struct app *app = app_create(&options, &failure);
    assert_non_null(app);
    app_start(app);
    mailbox_set_status(&app->connection->mailbox, &(struct link_status){.state = LINK_READY});
    deliver(app, hello_as(role));
    for (int i = 0; i < 3; i++) {
        deliver_snapshot(app, 1000.0 * i);
    }
    assert_true(app->server.has_scenario && app->frame.names != NULL);
    forget_sent(app);
    return app;
}

static int set_up(void **state) {
    *state = begin("admin");
    return 0;
}

static int set_up_viewer(void **state) {
    *state = begin("viewer");
    return 0;
}

static int tear_down(void **state) {
    app_destroy(*state);
    return 0;
}

static void press_with(struct app *app, int32_t key, bool has_control, bool has_shift) {
    const struct input_event event = {
        .type = INPUT_KEY, .key = key, .is_down = true, .has_control = has_control, .has_shift = has_shift};
    app_handle_event(app, &event);
}

static void press(struct app *app, int32_t key) {
    press_with(app, key, false, false);
}

/* Where a point of the world is in the window. */
static vec2 window_point(const struct app *app, float x, float y) {
    return camera_to_window(&app->picture.camera, vec2_make(x, y));
}

static void click(struct app *app, vec2 at) {
    const struct input_event move = {.type = INPUT_MOTION, .at = at};
    struct input_event button = {.type = INPUT_BUTTON, .at = at, .is_down = true, .clicks = 1};
    app_handle_event(app, &move);
    app_handle_event(app, &button);
    button.is_down = false;
    app_handle_event(app, &button);
}

/* ---- time ---- */

/* The second press comes before the server has said that it is paused. */
static void space_pauses_and_resumes(void **state) {
    struct app *app = *state;
    press(app, KEY_SPACE);
    assert_sends(app, "\"op\":\"pause\"");
    forget_sent(app);
    press(app, KEY_SPACE);
    assert_sends(app, "\"op\":\"resume\"");
}

/* The second press comes before the server has said that a twin runs. */
static void u_asks_for_a_twin_and_again_for_none(void **state) {
    struct app *app = *state;
    press(app, KEY_U);
    assert_sends(app, "\"op\":\"compare\"");
    assert_null(strstr(sent(app), "\"off\":true"));
    forget_sent(app);
    press(app, KEY_U);
    assert_sends(app, "\"off\":true");
}

static void a_step_pauses_a_running_world_first(void **state) {
    struct app *app = *state;
    press(app, KEY_PERIOD);
    const char *pause = strstr(sent(app), "\"op\":\"pause\""), *step = strstr(sent(app), "\"op\":\"step\"");
    assert_true(pause != NULL && step != NULL && pause < step);
}

static void keys_choose_the_speed(void **state) {
    struct app *app = *state;
    press(app, KEY_EQUALS);
    assert_sends(app, "\"factor\":2");
    forget_sent(app);
    press(app, KEY_0);
    assert_sends(app, "\"factor\":1");
}

static void ctrl_r_loads_the_world_with_its_seed(void **state) {
    struct app *app = *state;
    press_with(app, KEY_R, true, false);
    assert_sends(app, "\"op\":\"load\"");
    assert_sends(app, "\"scenario\":\"seek\"");
    assert_sends(app, "\"seed\":5");
}

/* Space plays the past on then, and tools are refused. */
static void the_past_sends_no_changes(void **state) {
    struct app *app = *state;
    press(app, KEY_LEFT);
    assert_false(app->past.playhead.is_live);
    press(app, KEY_SPACE);
    press(app, KEY_A);
    assert_sends_nothing(app);
    assert_int_equal(app->hand.tool, TOOL_NONE);
    assert_non_null(strstr(app->server.notice, "this is the past"));
    press(app, KEY_END);
    press(app, KEY_SPACE);
    assert_sends(app, "\"op\":\"pause\"");
}

/* The server keeps all that was; the window has seen nothing of it. */
static void forget_seen(struct app *app) {
    struct message_past *past = &app->server.past;
    past->has_branches = true;
    past->branch_count = 1;
    past->branches[0] = (struct message_branch){.name = "b1", .is_current = true};
    history_clear(&app->past.history);
}

static void deliver_answer(struct app *app, enum message_op op, const char *id, uint64_t tick,
                           const char *branch) {
    struct message *message = message_of(op);
    if (op == MESSAGE_ERROR) {
        (void)snprintf(message->body.error.id, sizeof message->body.error.id, "%s", id);
        (void)failure_set(&message->body.error.failure, FAILURE_FULL, NULL, "4 sessions look already");
    } else {
        struct message_reply *reply = &message->body.reply;
        (void)snprintf(reply->to, sizeof reply->to, "look");
        (void)snprintf(reply->id, sizeof reply->id, "%s", id);
        (void)snprintf(reply->branch, sizeof reply->branch, "%s", branch);
        reply->has_tick = true;
        reply->tick = tick;
    }
    deliver(app, message);
}

/* The scenario line of a look, or of the way back, and a snapshot of a tick. */
static void deliver_moment(struct app *app, uint32_t epoch, uint64_t tick, double clock_ms) {
    const struct test_agent agent = {3, 200.0f, 100.0f, 0.0f, 0.0f, 0.0f, NULL};
    struct message *hello = hello_as("admin"), *line = message_of(MESSAGE_SCENARIO);
    line->body.scenario = hello->body.hello.scenario;
    message_fini(hello);
    free(hello);
    if (epoch != app->server.epoch) {
        assert_int_equal(mailbox_put_message(&app->connection->mailbox, line, epoch), 0);
    } else {
        message_fini(line);
        free(line);
    }
    struct snapshot *snapshot = make_snapshot((double)tick / 0.06, &agent, 1);
    snapshot->epoch = epoch;
    snapshot->clock_ms = clock_ms;
    struct snapshot *spare = mailbox_put_snapshot(&app->connection->mailbox, snapshot, connection_now_ms());
    assert_non_null(spare);
    snapshot_destroy(spare);
    frame(app);
}

/* The picture is of now until the server shows the moment; Ctrl+T takes the world to where the handle is. */
static void where_only_the_server_has_been_it_is_asked(void **state) {
    struct app *app = *state;
    forget_seen(app);
    press(app, KEY_LEFT);
    assert_true(app->past.is_beyond);
    frame(app);
    assert_sends(app, "\"op\":\"look\"");
    assert_sends(app, "\"tick\":60");
    assert_string_equal(app->view.past, "now, not 1.0 s ago");
    press(app, KEY_SPACE);
    assert_sends(app, "\"op\":\"pause\"");
    press_with(app, KEY_T, true, false);
    assert_sends(app, "\"op\":\"rewind\"");
}

/* One at a time: the newest wish is sent when the one before is answered. */
static void the_moment_that_the_server_shows_is_the_past(void **state) {
    struct app *app = *state;
    forget_seen(app);
    app->server.is_paused = true;
    press_with(app, KEY_LEFT, false, true);
    frame(app);
    forget_sent(app);
    app->past.look.sent_ms -= 1000.0;
    press_with(app, KEY_LEFT, false, true);
    frame(app);
    assert_null(strstr(sent(app), "\"op\":\"look\""));
    deliver_answer(app, MESSAGE_REPLY, SERVER_MODEL_LOOK_ID, 60, "b1");
    deliver_moment(app, 2, 60, 3000.0);
    assert_sends(app, "\"op\":\"look\"");
    assert_sends(app, "\"tick\":0");
    assert_true(app_shows_look(app) && app->frame.names->tick == 60);
    assert_string_equal(app->view.past, "1.0 s ago");
    assert_false(app->view.is_beyond || app->view.is_live);
    assert_int_equal(app_now_tick(app), 120);
    forget_sent(app);
    deliver_moment(app, 2, 120,
                   3100.0); /* of the moment before, on its way when the answer came: not shown */
    assert_int_equal(app->frame.names->tick, 60);
    deliver_answer(app, MESSAGE_REPLY, SERVER_MODEL_LOOK_ID, 0, "b1");
    deliver_moment(app, 2, 0, 3200.0);
    assert_int_equal(app->frame.names->tick, 0);
    assert_string_equal(app->view.past, "2.0 s ago");
    forget_sent(app);
    click(app, window_point(app, 200.0f, 100.0f)); /* what changes the world waits for the present */
    press(app, KEY_A);
    frame(app);
    assert_null(strstr(sent(app), "\"op\":\"mouse\""));
    assert_int_equal(app->hand.tool, TOOL_NONE);
    press(app, KEY_END);
    frame(app);
    assert_sends(app, "\"live\":true");
    deliver_answer(app, MESSAGE_REPLY, SERVER_MODEL_NOW_ID, 120, "");
    struct message *event = message_of(MESSAGE_EVENT);
    (void)snprintf(event->body.event.event, sizeof event->body.event.event, "look_ended");
    (void)snprintf(event->body.event.reason, sizeof event->body.event.reason, "live");
    event->body.event.tick = 120;
    deliver(app, event);
    deliver_moment(app, 3, 120, 3300.0);
    assert_true(app_shows_now(app) && app->view.is_live && app->frame.names->tick == 120);
    assert_true(app->selection.has_agent);
}

/* Space plays it on, by looks at later and later ticks. */
static void the_moment_that_the_server_shows_plays_on(void **state) {
    struct app *app = *state;
    forget_seen(app);
    press(app, KEY_LEFT);
    frame(app);
    deliver_answer(app, MESSAGE_REPLY, SERVER_MODEL_LOOK_ID, 60, "b1");
    deliver_moment(app, 2, 60, 3000.0);
    forget_sent(app);
    press(app, KEY_SPACE);
    assert_true(app->past.look.plays);
    app->past.look.sent_ms -= 1000.0;
    app->past.look.played_ms -= 100.0;
    frame(app);
    assert_sends(app, "\"op\":\"look\"");
    assert_true(app->past.beyond >= 66.0);
    assert_null(strstr(sent(app), "\"op\":\"pause\""));
    press(app, KEY_SPACE);
    assert_false(app->past.look.plays);
}

/* The words are then what they were before there were looks, and the tick is not asked for again. */
static void a_refused_look_leaves_the_present(void **state) {
    struct app *app = *state;
    forget_seen(app);
    press(app, KEY_LEFT);
    frame(app);
    forget_sent(app);
    deliver_answer(app, MESSAGE_ERROR, SERVER_MODEL_LOOK_ID, 0, "");
    frame(app);
    assert_string_equal(app->server.notice, "That moment is not shown: 4 sessions look already");
    assert_string_equal(app->view.past, "now, not 1.0 s ago");
    assert_null(strstr(sent(app), "\"op\":\"look\""));
    assert_true(app->past.is_beyond && app_shows_now(app));
}

static void deliver_change(struct app *app, uint64_t number, uint32_t by, const char *op) {
    struct message *message = message_of(MESSAGE_REPLY);
    struct message_past *past = message->body.reply.past = calloc(1, sizeof *past);
    assert_non_null(past);
    (void)snprintf(message->body.reply.to, sizeof message->body.reply.to, "list");
    (void)snprintf(message->body.reply.id, sizeof message->body.reply.id, "%s", SERVER_MODEL_WITHOUT_ID);
    past->has_changes = true;
    past->change_count = 2;
    past->changes[0] = (struct message_change){.tick = 9, .number = 90, .by = 7, .count = 3, .op = "mouse"};
    past->changes[1] = (struct message_change){.tick = 8, .number = number, .by = by};
    (void)snprintf(past->changes[1].op, sizeof past->changes[1].op, "%s", op);
    deliver(app, message);
    frame(app);
}

/* What another did stays, and a pointer that only moved is no change. */
static void the_newest_own_change_is_left_out(void **state) {
    struct app *app = *state;
    press_with(app, KEY_U, true, false);
    assert_sends(app, "\"what\":\"changes\"");
    deliver_change(app, 80, 6, "spawn");
    assert_null(strstr(sent(app), "\"op\":\"rewind\""));
    assert_non_null(strstr(app->server.notice, "nothing to leave out"));
    press_with(app, KEY_U, true, false);
    deliver_change(app, 80, 7, "set_target");
    assert_sends(app, "\"op\":\"rewind\"");
    assert_sends(app, "\"without\":80");
    assert_sends(app, "\"row\":true");
    assert_true(app->past.is_rewinding);
    deliver_answer(app, MESSAGE_ERROR, SERVER_MODEL_WITHOUT_ID, 0, "");
    frame(app);
    assert_false(app->past.is_rewinding || app->past.leaving_out.is_going);
}

/* What was left out is no edit any more: the next press leaves out one as well, and nothing counts as undone. */
static void each_press_leaves_out_one(void **state) {
    struct app *app = *state;
    const struct edit edit = {.what = EDIT_TARGET, .target = "home", .to = {9.0f, 9.0f}};
    for (int i = 0; i < 3; i++) {
        (void)edits_add(&app->edits, &edit);
    }
    press_with(app, KEY_U, true, false);
    deliver_change(app, 80, 7, "set_target");
    struct message *message = message_of(MESSAGE_REPLY);
    (void)snprintf(message->body.reply.to, sizeof message->body.reply.to, "rewind");
    (void)snprintf(message->body.reply.id, sizeof message->body.reply.id, "%s", SERVER_MODEL_WITHOUT_ID);
    deliver(app, message);
    frame(app);
    assert_int_equal(app->edits.count, 2);
    assert_int_equal(edits_undone(&app->edits), 0);
    assert_false(app->past.leaving_out.has_next);
    edits_take(&app->edits, true);
    edits_take(&app->edits, true);
    app->past.is_rewinding = false;
    forget_sent(app);
    press_with(app, KEY_U, true, false); /* which of two it would be is not known */
    assert_sends_nothing(app);
    assert_non_null(strstr(app->server.notice, "several changes are undone"));
}

/* The scenario line of a rewind, and the event behind it. */
static void deliver_rewound(struct app *app, uint64_t tick, const char *branch, const char *from) {
    struct message *hello = hello_as("admin"), *line = message_of(MESSAGE_SCENARIO),
                   *event = message_of(MESSAGE_EVENT);
    line->body.scenario = hello->body.hello.scenario;
    message_fini(hello);
    free(hello);
    assert_int_equal(mailbox_put_message(&app->connection->mailbox, line, app->server.epoch + 1), 0);
    frame(app);
    event->body.event = (struct message_event){.event = "rewound", .tick = tick, .by = 9};
    (void)snprintf(event->body.event.branch, sizeof event->body.event.branch, "%s", branch);
    (void)snprintf(event->body.event.from, sizeof event->body.event.from, "%s", from);
    assert_int_equal(mailbox_put_message(&app->connection->mailbox, event, app->server.epoch), 0);
    frame(app);
}

static void add_edit_at(struct app *app, uint64_t tick) {
    app->edits.now = tick;
    (void)edits_add(&app->edits, &(struct edit){.what = EDIT_TARGET, .target = "home"});
}

/* Own rewinds and others' alike; in another line of branches it may not have happened. */
static void what_was_done_before_the_moment_can_be_undone(void **state) {
    struct app *app = *state;
    forget_seen(app);
    add_edit_at(app, 50);
    add_edit_at(app, 60);
    add_edit_at(app, 90);
    deliver_rewound(app, 80, "b2", "b1");
    assert_int_equal(app->edits.done, 2);
    app->past.is_rewinding = true;
    deliver_rewound(app, 55, "b2", "b1"); /* nothing had happened in b2: it is moved */
    assert_int_equal(app->edits.done, 1);
    add_edit_at(app, 58);
    deliver_rewound(app, 57, "b3", "b2");
    assert_int_equal(app->edits.done, 1);
    assert_true(server_model_is_in_effect(&app->server, "b1", 55));
    assert_false(server_model_is_in_effect(&app->server, "b1", 56));
    deliver_rewound(app, 120, "b1", "b1");
    assert_int_equal(app->edits.done, 0);
}

/* ---- roles and connections ---- */

static void a_role_that_may_not_is_told(void **state) {
    struct app *app = *state;
    press(app, KEY_SPACE);
    press_with(app, KEY_R, true, false);
    assert_sends_nothing(app);
    assert_non_null(strstr(app->server.notice, "needs the role"));
}

static void a_lost_connection_is_told(void **state) {
    struct app *app = *state;
    app->connection->is_lost = true;
    press(app, KEY_SPACE);
    assert_string_equal(app->server.notice, "not sent: there is no connection");
    assert_false(server_model_will_be_paused(&app->server));
}

/* ---- the mouse ---- */

static void a_click_on_an_agent_inspects_it(void **state) {
    struct app *app = *state;
    click(app, window_point(app, 400.0f, 300.0f));
    assert_true(app->selection.has_agent);
    assert_int_equal(app->selection.id, 3);
    frame(app);
    assert_sends(app, "\"op\":\"inspect\"");
}

/* What is known of the selected agent stays through a frame of many seconds; without answers, or a connection, it goes. */
static void a_slow_frame_keeps_what_is_known_of_an_agent(void **state) {
    struct app *app = *state;
    click(app, window_point(app, 400.0f, 300.0f));
    frame(app);
    struct message *reply = message_of(MESSAGE_REPLY);
    (void)snprintf(reply->body.reply.to, sizeof reply->body.reply.to, "inspect");
    reply->body.reply.agents = calloc(1, sizeof *reply->body.reply.agents);
    assert_non_null(reply->body.reply.agents);
    reply->body.reply.agent_count = 1;
    reply->body.reply.agents[0].id = 3;
    deliver(app, reply);
    frame(app);
    assert_non_null(app_inspected(app));
    app->now_ms += 60000.0;
    assert_non_null(app_inspected(app));
    app->inspection.asked_ms -= 60000.0;
    frame(app);
    assert_non_null(app_inspected(app)); /* asked again just now */
    app->now_ms -= 60000.0;
    app->inspection.open_ms -= 60000.0;
    frame(app);
    assert_non_null(app_inspected(app)); /* a frame of a minute, and the answer may be there */
    app->now_ms += 60000.0;
    assert_null(app_inspected(app));
    app->inspection.open_ms = 0.0;
    assert_non_null(app_inspected(app));
    app->link.state = LINK_CONNECTING;
    assert_null(app_inspected(app));
}

static void motion_moves_the_target_named_mouse(void **state) {
    struct app *app = *state;
    const struct input_event move = {.type = INPUT_MOTION, .at = window_point(app, 200.0f, 150.0f)};
    app_handle_event(app, &move);
    assert_sends_nothing(app); /* once a frame */
    frame(app);
    assert_sends(app, "\"op\":\"mouse\"");
    const char *x = strstr(sent(app), "\"x\":");
    assert_non_null(x);
    assert_true(strtod(x + 4, NULL) > 199.0 && strtod(x + 4, NULL) < 201.0);
}

/* Ctrl+Z removes what was added, as soon as the server has named it. */
static void a_tool_adds_and_undo_removes(void **state) {
    struct app *app = *state;
    press(app, KEY_A);
    click(app, window_point(app, 100.0f, 100.0f));
    assert_sends(app, "\"op\":\"spawn\"");
    assert_sends(app, "\"kind\":\"ship\"");
    forget_sent(app);
    press_with(app, KEY_Z, true, false);
    assert_sends_nothing(app);
    struct message *reply = message_of(MESSAGE_REPLY);
    (void)snprintf(reply->body.reply.to, sizeof reply->body.reply.to, "spawn");
    edits_id(app->edits.newest, reply->body.reply.id, sizeof reply->body.reply.id);
    reply->body.reply.first_id = 41;
    deliver(app, reply);
    frame(app);
    forget_sent(app);
    press_with(app, KEY_Z, true, false);
    assert_sends(app, "\"op\":\"remove\"");
    assert_sends(app, "41");
}

/* ---- panels ---- */

static void what_is_done_in_panels_is_done_once(void **state) {
    struct app *app = *state;
    app->panels->result = (struct panels_result){.shortcut = shortcuts_row(SHORTCUT_PAUSE), .hit = -1};
    frame(app);
    assert_sends(app, "\"op\":\"pause\"");
    app->panels->result = (struct panels_result){.sets_speed = true, .speed = 4.0, .hit = -1};
    forget_sent(app);
    frame(app);
    assert_sends(app, "\"op\":\"speed\"");
    assert_sends(app, "\"factor\":4");
    app->panels->result = (struct panels_result){.hit = -1};
    forget_sent(app);
    frame(app);
    assert_null(strstr(sent(app), "\"op\":\"speed\""));
    assert_null(strstr(sent(app), "\"op\":\"pause\""));
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
        cmocka_unit_test_setup_teardown(space_pauses_and_resumes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(u_asks_for_a_twin_and_again_for_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_newest_own_change_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_done_before_the_moment_can_be_undone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_press_leaves_out_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_step_pauses_a_running_world_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keys_choose_the_speed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ctrl_r_loads_the_world_with_its_seed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_past_sends_no_changes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(where_only_the_server_has_been_it_is_asked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_moment_that_the_server_shows_is_the_past, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_moment_that_the_server_shows_plays_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refused_look_leaves_the_present, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_role_that_may_not_is_told, set_up_viewer, tear_down),
        cmocka_unit_test_setup_teardown(a_lost_connection_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_click_on_an_agent_inspects_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_slow_frame_keeps_what_is_known_of_an_agent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(motion_moves_the_target_named_mouse, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tool_adds_and_undo_removes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_done_in_panels_is_done_once, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
