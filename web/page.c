/* See page.h. The one page of the module is its only mutable state. */
#include "web/page.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/json/json_writer.h"
#include "common/system/log.h"
#include "viewer/app/app.h"
#include "viewer/app/app_state.h"
#include "viewer/model/shortcuts.h"
#include "web/page_host.h"
#include "web/page_panels.h"
#include "web/page_state.h"

/* ---- the table of shortcuts ---- */

enum { JSON_BYTES = 64 * 1024 };

static void write_row(struct json_writer *json, const struct shortcut *row, size_t index) {
    json_object(json);
    json_key_unsigned(json, "row", index);
    json_key_unsigned(json, "action", (uint64_t)row->action);
    json_key_string(json, "key", row->name);
    json_key_unsigned(json, "code", (uint64_t)row->key);
    json_key_bool(json, "control", row->has_control);
    json_key_bool(json, "shift", row->has_shift);
    json_key_string(json, "help", row->help);
    if (row->replay_help != NULL) {
        json_key_string(json, "replay", row->replay_help);
    }
    if (row->page_way != NULL) {
        json_key_string(json, "page_way", row->page_way);
    }
    json_key_bool(json, "live_only", row->is_live_only);
    if (row->no_page != NULL) {
        json_key_string(json, "no_page", row->no_page);
    }
    json_end(json);
}

PAGE_EXPORT(page_shortcuts) uint32_t page_shortcuts(uint32_t *length) {
    static struct buffer text; /* the table never changes: written once */
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    if (text.length == 0) {
        buffer_init(&text, JSON_BYTES);
        struct json_writer json = json_writer_begin(&text);
        json_array(&json);
        for (size_t i = 0; i < count; i++) {
            write_row(&json, &rows[i], i);
        }
        json_end(&json);
    }
    *length = text.failed ? 0 : (uint32_t)text.length;
    return page_address(text.data);
}

/* ---- panels exports ---- */

/* What page_panels.h does, for the page's own panels, as exports of the module. */

/* ---- the panels ---- */

/** The address of the sections that changed; *length: their bytes. Valid until the next call. */
PAGE_EXPORT(page_panels) uint32_t page_panels(uint32_t *length);
/** Takes the message of this length in page_text. Returns whether it was one. */
PAGE_EXPORT(page_panels_take) int32_t page_panels_take(uint32_t length);

uint32_t page_panels(uint32_t *length) {
    struct app *app = page_app();
    size_t bytes = 2;
    const char *text = app != NULL && app->panels != NULL ? page_panels_sections(app->panels, &bytes) : "{}";
    *length = (uint32_t)bytes;
    return (uint32_t)(uintptr_t)text;
}

int32_t page_panels_take(uint32_t length) {
    struct app *app = page_app();
    if (app == NULL || app->panels == NULL) {
        return 0;
    }
    app->pacing.is_dirty = true;
    return page_panels_message(app->panels, page_words(length), length) ? 1 : 0;
}

/* ---- the page ---- */

enum { OPTIONS_MOST = 32, OPTION_BYTES = 1200, OUTPUT_BYTES = 4 * MAILBOX_OUTPUT_BYTES };

struct page {
    struct app *app; /* page_state's */
    bool is_hidden, has_ended;
    char *options[OPTIONS_MOST + 1]; /* as argv */
    int option_count;
    struct buffer output;
    struct failure failure;        /* message "" for none */
    struct view_settings settings; /* as they were looked at for page_host_keep */
};

static struct page page;

/* ---- the start ---- */

PAGE_EXPORT(page_option) int32_t page_option(uint32_t length) {
    const char *words = page_words(length);
    char *copy = page.option_count + 1 < OPTIONS_MOST && length < OPTION_BYTES ? strdup(words) : NULL;
    if (copy == NULL) {
        return 0;
    }
    page.options[1 + page.option_count++] = copy; /* 0 is the program */
    return 1;
}

PAGE_EXPORT(page_settings) int32_t page_settings(uint32_t length) {
    return page_config_begin(page_words(length), length) ? 1 : 0;
}

static void set_canvas(int32_t width, int32_t height, double ratio) {
    struct page_canvas *canvas = &page_state()->canvas;
    canvas->width = width > 0 ? width : 1;
    canvas->height = height > 0 ? height : 1;
    canvas->ratio = ratio >= 0.25 && ratio <= 8.0 ? (float)ratio : 1.0f;
}

static struct app *create_app(void) {
    struct viewer_options options;
    static char program[] = "drover-viewer";
    page.options[0] = program;
    switch (viewer_options_parse(1 + page.option_count, page.options, &options, &page.failure)) {
    case OPTIONS_RUN:
        break;
    case OPTIONS_EXIT:
        (void)failure_set(&page.failure, FAILURE_BAD_PARAM, NULL, "this option is for drover-viewer alone");
        return NULL;
    default:
        return NULL;
    }
    log_set_level((enum log_level)options.log_level);
    options.is_page = true;
    options.reduces_motion = page_state()->reduces_motion;
    options.has_own_server = page_state()->has_own_server;
    return app_create(&options, &page.failure);
}

PAGE_EXPORT(page_create)
int32_t page_create(int32_t width, int32_t height, double pixel_ratio, uint32_t flags) {
    if (page.app != NULL) {
        return 0;
    }
    page.failure.message[0] = '\0';
    set_canvas(width, height, pixel_ratio);
    page_state()->canvas.has_card = (flags & PAGE_HAS_CARD) != 0;
    page_state()->canvas.takes_crowd = (flags & PAGE_TAKES_CROWD) != 0;
    page_state()->reduces_motion = (flags & PAGE_REDUCES_MOTION) != 0;
    page_state()->has_own_server = (flags & PAGE_OWN_SERVER) != 0;
    buffer_init(&page.output, OUTPUT_BYTES);
    page.app = page_state()->app = create_app();
    if (page.app == NULL) {
        return 0;
    }
    page.settings = page.app->settings;
    app_start(page.app);
    return 1;
}

PAGE_EXPORT(page_failure) uint32_t page_failure(uint32_t *length) {
    *length = (uint32_t)strlen(page.failure.message);
    return page_address(page.failure.message);
}

/* ---- the socket ---- */

PAGE_EXPORT(page_reserve) uint32_t page_reserve(uint32_t size) {
    return page.app != NULL ? page_address(page_connection_reserve(page.app->connection, size)) : 0;
}

PAGE_EXPORT(page_commit) void page_commit(uint32_t size) {
    if (page.app == NULL) {
        return;
    }
    page_connection_commit(page.app->connection, size);
    if (page.is_hidden) { /* nothing may pile up */
        app_begin_frame(page.app);
        app_take_mail(page.app);
    }
}

PAGE_EXPORT(page_fetched) void page_fetched(uint32_t size, uint32_t length) {
    if (page.app != NULL) {
        page_connection_fetched(page.app->connection, size, length > 0 ? page_words(length) : NULL);
    }
}

PAGE_EXPORT(page_link) void page_link(uint32_t event, uint32_t code, uint32_t length) {
    if (page.app != NULL && event <= PAGE_LINK_FAILED) {
        page_connection_event(page.app->connection, (enum page_link_event)event, code, page_words(length));
    }
}

PAGE_EXPORT(page_take_output) uint32_t page_take_output(uint32_t *length) {
    buffer_clear(&page.output);
    if (page.app != NULL) {
        page_connection_take(page.app->connection, &page.output);
    }
    *length = (uint32_t)page.output.length;
    return page_address(page.output.data);
}

/* ---- frames ---- */

/* What was changed is kept at once: a tab may end at any time. */
static void keep_settings(void) {
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a copy of all bytes, so of those between members too */
    if (memcmp(&page.settings, &page.app->settings, sizeof page.settings) != 0) {
        memcpy(&page.settings, &page.app->settings, sizeof page.settings);
        app_keep_settings(page.app);
    }
}

/* A message that waits wants another frame. */
static uint32_t panels_wish(void) {
    const struct panels *panels = page.app->panels;
    page.app->pacing.is_dirty = page.app->pacing.is_dirty || page_panels_wait(panels);
    return page_panels_have_news(panels) ? (uint32_t)PAGE_HAS_PANELS : 0u;
}

/* The last frame was drawn. */
static void finish(void) {
    page.has_ended = true;
    if (page.failure.message[0] == '\0') {
        (void)(app_finish(page.app, &page.failure) == 0);
    }
}

PAGE_EXPORT(page_frame) uint32_t page_frame(void) {
    if (page.app == NULL || page.has_ended) {
        return PAGE_HAS_ENDED;
    }
    app_begin_frame(page.app);
    if (page.is_hidden) {
        const uint32_t wishes = page_connection_tick(page.app->connection);
        app_take_mail(page.app); /* nothing may pile up */
        return wishes | PAGE_IS_STILL;
    }
    if (app_frame(page.app, &page.failure) != 0 || !app_is_running(page.app)) {
        finish();
    }
    keep_settings();
    const uint32_t still = page.app->pacing.is_still ? (uint32_t)PAGE_IS_STILL : 0u;
    const uint32_t ended = page.has_ended ? (uint32_t)PAGE_HAS_ENDED : 0u;
    return still | ended | page_window_take(page.app->window) | page_connection_tick(page.app->connection) |
           panels_wish();
}

PAGE_EXPORT(page_mesh) const struct page_mesh *page_mesh(void) {
    return page.app != NULL ? page_window_mesh(page.app->window) : NULL;
}

PAGE_EXPORT(page_crowd) const struct page_crowd *page_crowd(void) {
    return page.app != NULL ? page_window_crowd(page.app->window) : NULL;
}

PAGE_EXPORT(page_texture) const struct page_texture *page_texture(uint32_t slot) {
    return page.app != NULL ? page_window_texture(page.app->window, slot) : NULL;
}

PAGE_EXPORT(page_pixels) const struct page_picture *page_pixels(void) {
    return page.app != NULL ? page_window_picture(page.app->window) : NULL;
}

PAGE_EXPORT(page_resize) void page_resize(int32_t width, int32_t height, double pixel_ratio) {
    set_canvas(width, height, pixel_ratio);
    if (page.app != NULL) {
        struct app_picture *picture = &page.app->picture;
        picture->wants_scale = picture->wants_scale || picture->window_scale != page_canvas()->ratio;
        picture->window_scale = page_canvas()->ratio;
        page.app->pacing.is_dirty = true;
    }
}

PAGE_EXPORT(page_hide) void page_hide(uint32_t is_hidden) {
    if (page.app != NULL && page.is_hidden != (is_hidden != 0)) {
        page.is_hidden = is_hidden != 0;
        page.app->pacing.is_dirty = true;
        page_connection_hide(page.app->connection, page.is_hidden);
    }
}

/* ---- input ---- */

static vec2 css_point(double x, double y) {
    return vec2_make((float)x, (float)y);
}

static void hand_over(const struct input_event *event) {
    if (page.app != NULL && !page.has_ended) {
        app_begin_frame(page.app);
        app_handle_event(page.app, event);
    }
}

PAGE_EXPORT(page_pointer)
void page_pointer(uint32_t type, int32_t id, double x, double y, uint32_t buttons, uint32_t clicks,
                  double ms) {
    static const enum input_type types[] = {[PAGE_POINTER_MOVE] = INPUT_MOTION,
                                            [PAGE_POINTER_DOWN] = INPUT_BUTTON,
                                            [PAGE_POINTER_UP] = INPUT_BUTTON,
                                            [PAGE_POINTER_LEAVE] = INPUT_LEFT,
                                            [PAGE_POINTER_CANCEL] = INPUT_CANCEL};
    (void)ms;
    if (type > PAGE_POINTER_CANCEL) {
        return;
    }
    const struct input_event event = {.type = types[type],
                                      .at = css_point(x, y),
                                      .has_shift = page.app != NULL && page.app->input.has_shift,
                                      .button = (buttons & PAGE_BUTTON_LEFT) != 0 ? INPUT_BUTTON_LEFT
                                                                                  : INPUT_BUTTON_OTHER,
                                      .is_down = type == PAGE_POINTER_DOWN,
                                      .is_finger = id != 0,
                                      .clicks = clicks > 0 && clicks < 100 ? (int32_t)clicks : 1};
    hand_over(&event);
}

PAGE_EXPORT(page_wheel) void page_wheel(double x, double y, double notches) {
    const struct input_event move = {.type = INPUT_MOTION, .at = css_point(x, y)};
    const struct input_event event = {.type = INPUT_WHEEL, .wheel = (float)notches};
    hand_over(&move);
    hand_over(&event);
}

PAGE_EXPORT(page_gesture) void page_gesture(double x, double y, double dx, double dy, double factor) {
    const struct input_event event = {
        .type = INPUT_GESTURE, .at = css_point(x, y), .by = css_point(dx, dy), .factor = (float)factor};
    hand_over(&event);
}

/* Whether the page does nothing for this key: the browser may have it. */
static bool is_for_browser(const struct input_event *event) {
    const struct shortcut *row = shortcuts_find(event->key, event->has_control, event->has_shift);
    return event->has_alt || (event->has_control && row == NULL) || (row != NULL && row->no_page != NULL);
}

PAGE_EXPORT(page_key)
int32_t page_key(uint32_t code, uint32_t is_down, uint32_t is_repeat, uint32_t modifiers) {
    const struct input_event event = {.type = INPUT_KEY,
                                      .key = (int32_t)code,
                                      .is_down = is_down != 0,
                                      .is_repeat = is_repeat != 0,
                                      .has_shift = (modifiers & PAGE_SHIFT) != 0,
                                      .has_control = (modifiers & PAGE_CONTROL) != 0,
                                      .has_alt = (modifiers & PAGE_ALT) != 0};
    if (event.is_down && is_for_browser(&event)) {
        return 0;
    }
    hand_over(&event);
    return shortcuts_find(event.key, event.has_control, event.has_shift) != NULL ? 1 : 0;
}

PAGE_EXPORT(page_typed) void page_typed(uint32_t length) {
    struct input_event event = {.type = INPUT_TEXT};
    if (length < sizeof event.text) {
        memcpy(event.text, page_words(length), length);
        hand_over(&event);
    }
}

PAGE_EXPORT(page_act) void page_act(uint32_t row) {
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    if (page.app != NULL && !page.has_ended && row < count && rows[row].action != SHORTCUT_NONE &&
        rows[row].no_page == NULL) {
        app_begin_frame(page.app);
        page.app->pacing.is_dirty = true;
        app_act(page.app, &rows[row]);
    }
}
