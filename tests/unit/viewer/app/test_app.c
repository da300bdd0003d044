/* Keys, clicks and panels become requests. The window, the panels, the connection and the files are those of this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/app/app.h"
#include "viewer/app/app_state.h"
#include "viewer/model/input.h"
#include "viewer/platform/files.h"
#include "viewer/platform/window.h"

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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(space_pauses_and_resumes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_step_pauses_a_running_world_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keys_choose_the_speed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ctrl_r_loads_the_world_with_its_seed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_past_sends_no_changes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_role_that_may_not_is_told, set_up_viewer, tear_down),
        cmocka_unit_test_setup_teardown(a_lost_connection_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_click_on_an_agent_inspects_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(motion_moves_the_target_named_mouse, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tool_adds_and_undo_removes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_done_in_panels_is_done_once, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
