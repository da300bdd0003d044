/* See options.h. */
#include "viewer/app/options.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "common/system/log.h"
#include "common/text/names.h"
#include "viewer/app/config.h"
#include "viewer/model/kiosk.h"
#include "viewer/model/shortcuts.h"
#include "viewer/platform/own_server.h"

/* ---- values ---- */

enum { MIN_WIDTH = 320, MIN_HEIGHT = 240, MAX_SIZE = 8192, SHOWN_CHARS = 40 };

/* Up to five digits; the rest of the text, or NULL without a digit. */
static const char *read_length(const char *text, int32_t *length) {
    int digits = 0;
    for (*length = 0; digits < 5 && *text >= '0' && *text <= '9'; digits++, text++) {
        *length = *length * 10 + (*text - '0');
    }
    return digits > 0 ? text : NULL;
}

int size_parse(const char *text, int32_t *width, int32_t *height, struct failure *failure) {
    assert(text != NULL && width != NULL && height != NULL);
    int32_t w = 0, h = 0;
    const char *rest = read_length(text, &w);
    if (rest != NULL && *rest == 'x') {
        rest = read_length(rest + 1, &h);
    } else {
        rest = NULL;
    }
    if (rest == NULL || *rest != '\0' || w < MIN_WIDTH || h < MIN_HEIGHT || w > MAX_SIZE || h > MAX_SIZE) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--size",
                           "--size: invalid size \"%s\"; expected WIDTHxHEIGHT, %dx%d to %dx%d", text,
                           MIN_WIDTH, MIN_HEIGHT, MAX_SIZE, MAX_SIZE);
    }
    *width = w;
    *height = h;
    return 0;
}

int ui_scale_check(double scale, struct failure *failure) {
    if (scale != 0.0 && scale < 0.5) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--ui-scale",
                           "--ui-scale: invalid scale; expected 0, or 0.5 to 4");
    }
    return 0;
}

/* ---- overlays: the rows of shortcuts.c with is_overlay ---- */

static bool *overlay_of(const struct shortcut *row, struct view_settings *settings) {
    assert(row->is_overlay && row->setting.type == FIELD_BOOL);
    return (bool *)((char *)settings + row->setting.offset);
}

/* Shows the overlay of this name; false when there is none. */
static bool show_overlay(const char *name, size_t length, struct view_settings *settings) {
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].is_overlay && strlen(rows[i].setting.name) == length &&
            strncmp(name, rows[i].setting.name, length) == 0) {
            *overlay_of(&rows[i], settings) = true;
            return true;
        }
    }
    return length == strlen("none") && strncmp(name, "none", length) == 0;
}

static void set_overlays(struct view_settings *settings, bool are_shown) {
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].is_overlay) {
            *overlay_of(&rows[i], settings) = are_shown;
        }
    }
}

static int fail_overlay(const char *name, size_t length, struct failure *failure) {
    char known[256];
    struct view_settings all = view_settings_default();
    set_overlays(&all, true);
    overlays_format(&all, known, sizeof known);
    return failure_set(failure, FAILURE_BAD_PARAM, "--overlays",
                       "--overlays: unknown overlay \"%.*s\"; expected %s or none",
                       length > SHOWN_CHARS ? SHOWN_CHARS : (int)length, name, known);
}

int overlays_parse(const char *text, struct view_settings *settings, struct failure *failure) {
    assert(text != NULL && settings != NULL);
    struct view_settings read = *settings;
    set_overlays(&read, false);
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (!show_overlay(at, length, &read)) {
            return fail_overlay(at, length, failure);
        }
        at += length + (at[length] == ',' ? 1 : 0);
    }
    *settings = read;
    return 0;
}

void overlays_format(const struct view_settings *settings, char *out, size_t size) {
    size_t count = 0, used = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    (void)snprintf(out, size, "none");
    for (size_t i = 0; i < count && used < size; i++) {
        if (rows[i].is_overlay && view_settings_get_bool(settings, &rows[i].setting)) {
            const int more =
                snprintf(out + used, size - used, "%s%s", used > 0 ? "," : "", rows[i].setting.name);
            used += more > 0 ? (size_t)more : 0;
        }
    }
    assert(used < size);
}

/* ---- the command line ---- */

enum { HEADLESS_FRAMES = 60 };

static const char *const renderer_names[] = {"auto", "card", "raster", NULL};

static const char *const layout_names[] = {"objects", "packed", NULL}; /* enum layout */

static const struct field table[] = {
    OPTION_FLAG(struct viewer_options, is_headless, "headless",
                "Draw without a display; ends after --frames frames (60)."),
    OPTION_NUMBER(struct viewer_options, frames, "frames", 0, 1000000, 0, "N",
                  "End after this many frames, counted from the first snapshot; 0 for never."),
    OPTION_TEXT(struct viewer_options, screenshot, "screenshot", "FILE", "Save the last frame as a PNG."),
    OPTION_TEXT(struct viewer_options, settings.size, "size", "WxH",
                "Size of the window or picture, 320x240 to 8192x8192; a window is no larger than its screen. "
                "Without it: 1280x800, more where text is larger."),
    OPTION_NUMBER(struct viewer_options, fixed_dt_ms, "fixed-dt", 0, 1000, 0, "MS",
                  "Frames this far apart, the newest snapshot as it is and no measured numbers: the same "
                  "picture each time."),
    OPTION_NUMBER(struct viewer_options, advance_s, "advance", 0, 600, 0, "S",
                  "Step a paused world for so many seconds first, shown as they pass: a picture with trails, "
                  "the same each time with --fixed-dt."),
    OPTION_FLAG(struct viewer_options, is_bare, "bare", "The world alone: no bar, legend, panels or names."),
    OPTION_FLAG(struct viewer_options, shows_forces, "forces",
                "Start with velocity, desired velocity and steering shown."),
    OPTION_TEXT(struct viewer_options, overlays, "overlays", "LIST",
                "What to draw over the world: velocity, desired, steering, behaviors, radii, neighbors, "
                "places, trails, onion, predicted, grid with commas between them, or none."),
    OPTION_CHOICE(struct viewer_options, settings.palette, "palette", palette_names, "NAME",
                  "Colors of the states: safe (for color-blind people too) or classic (the tutorials')."),
    OPTION_CHOICE(struct viewer_options, settings.color, "color", color_mode_names, "WHAT",
                  "What the color of an agent says: state, kind, heading, speed, force, neighbors or time "
                  "(in its state)."),
    OPTION_CHOICE(struct viewer_options, settings.theme, "theme", theme_names, "NAME",
                  "The ground: dark, or light for projectors."),
    OPTION_CHOICE(struct viewer_options, settings.agent_size, "agent-size", agent_size_names, "N",
                  "How much larger than they are agents are drawn: 1, 1.5, 2 or 3 times."),
    OPTION_NUMBER(struct viewer_options, settings.ui_scale, "ui-scale", 0, 4, 0, "N",
                  "Size of text, lines and panels, 0.5 or more; 0 for what suits the screen."),
    OPTION_CHOICE(struct viewer_options, settings.panel, "panel", panel_choice_names, "WHEN",
                  "The side panel and the timeline: auto (in windows at least 1000 wide, more where text is "
                  "larger), on or off."),
    OPTION_FLAG(struct viewer_options, shows_sliders, "sliders",
                "Start with the sliders open, in the side panel."),
    OPTION_NUMBER(struct viewer_options, selected, "select", 0, 4294967295.0, 0, "ID",
                  "Start with this agent selected; 0 for none."),
    OPTION_FLAG(
        struct viewer_options, has_own_view, "own-view",
        "Do not show worlds the way their scenarios propose (trails, colors, overlays, selected agent)."),
    OPTION_FLAG(struct viewer_options, is_full_screen, "full-screen", "Start in full screen."),
    OPTION_FLAG(struct viewer_options, is_kiosk, "kiosk",
                "For exhibitions: full screen, the world alone with its caption, the server's scenarios by "
                "turns (with the role admin), no way out but Ctrl+Q."),
    OPTION_TEXT(
        struct viewer_options, kiosk_list, "kiosk-list", "FILE",
        "--kiosk with the worlds of this file: lines SCENARIO [SECONDS], usually 60 s; # begins a note."),
    OPTION_NUMBER(
        struct viewer_options, kiosk_reset_s, "kiosk-reset", 1, 86400, 0, "S",
        "--kiosk puts the world and its view back when no hand has touched anything for so long: 60."),
    OPTION_CHOICE(struct viewer_options, renderer, "renderer", renderer_names, "NAME",
                  "What draws: the graphics card (card), the processor (raster), or auto: the card if it is "
                  "a real one."),
    OPTION_TEXT(struct viewer_options, clip, "clip", "FILE",
                "Record everything to an MP4 or GIF file, by its ending; needs ffmpeg."),
    OPTION_CHOICE(struct viewer_options, settings.panels_in, "panels-in", panels_in_names, "WHAT",
                  "Which saved files have bar, legend and panels in them: pictures (those of F12; clips have "
                  "the world alone), all or none."),
    OPTION_TEXT(struct viewer_options, hint, "hint", "TEXT",
                "Show this for a while when the first world appears."),
    OPTION_TEXT(struct viewer_options, name, "name", "TEXT",
                "Name that other clients show beside your cursor; at most 31 bytes."),
    OPTION_TEXT(
        struct viewer_options, token, "token", "SECRET",
        "Shown to a server that asks for one. DROVER_TOKEN in the environment does the same, unseen by ps."),
    OPTION_TEXT(struct viewer_options, seconds, "seconds", "URL",
                "Watch what a server's --seconds wrote: the address of its index.json on a web server "
                "(https:, http:), or "
                "its folder."),
    OPTION_TEXT(struct viewer_options, ca, "ca", "FILE",
                "Certificates (PEM) to trust in place of the system's, for --seconds over https."),
    OPTION_CHOICE(struct viewer_options, layout, "layout", layout_names, "NAME",
                  "How agents are sent: packed (small) or objects (readable JSON)."),
    OPTION_FLAG(struct viewer_options, prints_stats, "stats", "Print at the end how long frames took."),
    OPTION_FLAG(struct viewer_options, has_no_config, "no-config",
                "Neither read nor write the file that keeps the settings. --headless does neither anyway."),
    OPTION_FLAG(struct viewer_options, is_single_try, "no-reconnect",
                "End when the connection ends instead of reconnecting."),
    OPTION_CHOICE(struct viewer_options, log_level, "log", log_level_names, "LEVEL",
                  "What to write to stderr: error, warn, info or debug."),
    OPTIONS_END,
};

static const struct options_def definition = {
    .program = "drover-viewer",
    .summary = "Shows the world of a drover-server and steers it with the mouse.",
    .positional = "[HOST[:PORT] | mqtt://HOST/NAME | FILE | URL]",
    .positional_help = "The server; an IPv6 address with a port in brackets. Default 127.0.0.1:7717. "
                       "Or a world at a broker of MQTT (mqtt://USER:PASSWORD@HOST:PORT/NAME). "
                       "Or a recording (.drover, .drover.zst): drover-viewer then starts a server for it. Or "
                       "static seconds, as --seconds takes them.",
    .table = table,
    .epilog =
        "F1 shows the keys.\n"
        "What is changed in the window (overlays, colors, palette, heat, panel, network figures, size of\n"
        "text and window) is kept in $XDG_CONFIG_HOME/drover/viewer.json (~/.config); flags win, for this\n"
        "run alone.\n"
        "A picture without a display: drover-viewer --headless --frames 60 --screenshot world.png\n",
};

/* Applies the flags --overlays and --forces. */
static int read_overlays(struct viewer_options *options, struct failure *failure) {
    if (options->overlays[0] != '\0' && overlays_parse(options->overlays, &options->settings, failure) != 0) {
        return -1;
    }
    if (options->shows_forces) {
        view_settings_show_forces(&options->settings);
    }
    return 0;
}

static bool is_given(int argc, char **argv, const char *name) {
    const size_t length = strlen(name);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, name, length) == 0 &&
            (argv[i][2 + length] == '\0' || argv[i][2 + length] == '=')) {
            return true;
        }
    }
    return false;
}

/* Notes the settings that flags gave; a list of overlays speaks of all of them. */
static void note_flags(int argc, char **argv, struct view_changes *flags) {
    const size_t first = offsetof(struct viewer_options, settings);
    for (const struct field *row = table; row->type != FIELD_END; row++) {
        if (row->offset >= first && row->offset < first + sizeof(struct view_settings) &&
            is_given(argc, argv, row->name)) {
            view_changes_note(flags, row->offset - first);
        }
    }
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count && is_given(argc, argv, "overlays"); i++) {
        if (rows[i].is_overlay) {
            view_changes_note(flags, rows[i].setting.offset);
        }
    }
    if (is_given(argc, argv, "forces")) {
        view_changes_note(flags, offsetof(struct view_settings, shows_velocity));
        view_changes_note(flags, offsetof(struct view_settings, shows_desired));
        view_changes_note(flags, offsetof(struct view_settings, shows_steering));
    }
}

/* Checked here: a server would refuse the whole hello, with its token. */
static int check_name(const char *name, struct failure *failure) {
    char kept[LIMIT_PERSON_BYTES + 1];
    struct failure inner;
    return person_name_read(name, "--name", kept, &inner) == 0
               ? 0
               : failure_set(failure, inner.code, "--name", "--name: %s", inner.message);
}

/* The token of the environment, unless a flag gave one. */
static int read_secret(struct viewer_options *options, struct failure *failure) {
    const char *secret = getenv("DROVER_TOKEN");
    if (options->token[0] != '\0' || secret == NULL) {
        return 0;
    }
    const size_t length = strlen(secret);
    if (length > LIMIT_TOKEN_CHARS) {
        return failure_set(failure, FAILURE_BAD_PARAM, "DROVER_TOKEN",
                           "DROVER_TOKEN: the token is too long (%zu bytes); at most %d are allowed", length,
                           LIMIT_TOKEN_CHARS);
    }
    memcpy(options->token, secret, length + 1);
    return 0;
}

/* Whether a flag says not to read the file of settings, which is read before the flags. */
static bool skips_config(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--no-config") == 0 || strcmp(argv[i], "--headless") == 0 ||
            strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "--version") == 0) {
            return true;
        }
    }
    return false;
}

/* A file that is no recording, or that is not there. */
static int refuse_file(const char *path, struct failure *failure) {
    const bool exists = file_is_there(path);
    return failure_set(
        failure, FAILURE_BAD_PARAM, "FILE",
        exists ? "%s is no recording; expected a .drover or .drover.zst file, or HOST[:PORT] of a server"
               : "%s: no such file; expected a .drover or .drover.zst file, or HOST[:PORT] of a server",
        path);
}

/* Whether this is the address of static seconds, or their folder. */
static bool is_seconds(const char *text) {
    char index[sizeof((struct viewer_options *)NULL)->seconds + 16];
    const size_t length = strlen(text), ending = strlen("index.json");
    (void)snprintf(index, sizeof index, "%s/index.json", text);
    return strstr(text, "://") != NULL || strncmp(text, "file:", 5) == 0 || file_is_there(index) ||
           (length >= ending && strcmp(text + length - ending, "index.json") == 0);
}

/* A folder, or the path of its index, becomes an address; one that ends in a slash gets index.json. */
static int read_seconds(const char *text, struct viewer_options *options, struct failure *failure) {
    static const char name[] = "index.json";
    char path[sizeof options->seconds] = "";
    const size_t length = strlen(text);
    const bool has_scheme = strstr(text, "://") != NULL || strncmp(text, "file:", 5) == 0;
    const bool is_folder =
        length > 0 && (text[length - 1] == '/' || (!has_scheme && strstr(text, name) == NULL));
    const char *own = has_scheme || text[0] == '/' ? "" : own_folder(path, sizeof path);
    if (has_scheme && strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0 &&
        strncmp(text, "file:", 5) != 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--seconds",
                           "--seconds: expected http://, https://, file: or a folder, found \"%.200s\"",
                           text);
    }
    char whole[2 * sizeof options->seconds];
    (void)snprintf(whole, sizeof whole, "%s%s%s%s%s%s", has_scheme ? "" : "file://", own,
                   own[0] != '\0' ? "/" : "", text, is_folder && text[length - 1] != '/' ? "/" : "",
                   is_folder ? name : "");
    if (strlen(whole) >= sizeof options->seconds) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--seconds",
                           "--seconds: the address is too long; at most %zu bytes",
                           sizeof options->seconds - 1);
    }
    memcpy(options->seconds, whole, strlen(whole) + 1);
    return 0;
}

/* The server, the recording to start one for, or static seconds. */
static int read_positional(const char *text, struct viewer_options *options, struct failure *failure) {
    struct address *address = &options->address;
    if (address_is_mqtt(text) && strlen(text) < sizeof address->host) {
        (void)snprintf(address->host, sizeof address->host, "%s", text); /* the library reads it */
        address->port[0] = '\0';
        return 0;
    }
    if (is_seconds(text)) {
        return read_seconds(text, options, failure);
    }
    if (!recording_is_named(text)) {
        return file_is_meant(text) ? refuse_file(text, failure) : address_parse(text, address, failure);
    }
    if (strlen(text) >= sizeof options->recording) {
        return failure_set(failure, FAILURE_BAD_PARAM, "FILE",
                           "the name of the recording is too long; at most %zu bytes",
                           sizeof options->recording - 1);
    }
    (void)snprintf(options->recording, sizeof options->recording, "%s", text);
    return 0;
}

enum options_result viewer_options_parse(int argc, char **argv, struct viewer_options *options,
                                         struct failure *failure) {
    char seconds[sizeof options->seconds];
    const char *positional = NULL;
    *options = (struct viewer_options){.address = {"127.0.0.1", "7717"},
                                       .settings = view_settings_default(),
                                       .kiosk_reset_s = KIOSK_USUAL_S,
                                       .log_level = LOG_WARN,
                                       .layout = LAYOUT_PACKED};
    if (!skips_config(argc, argv) && config_load(&options->settings) != 0) {
        options->has_no_config = true;
    }
    options->kept = options->settings;
    const enum options_result result = options_parse(&definition, argc, argv, options, &positional, failure);
    if (result != OPTIONS_RUN) {
        return result;
    }
    if (read_secret(options, failure) != 0) {
        return OPTIONS_BAD;
    }
    const bool has_seconds = options->seconds[0] != '\0';
    (void)snprintf(seconds, sizeof seconds, "%s", options->seconds);
    if ((positional != NULL && read_positional(positional, options, failure) != 0) ||
        (has_seconds && read_seconds(seconds, options, failure) != 0)) {
        return OPTIONS_BAD;
    }
    if (options->settings.size[0] != '\0' &&
        size_parse(options->settings.size, &options->width, &options->height, failure) != 0) {
        return OPTIONS_BAD;
    }
    if (ui_scale_check(options->settings.ui_scale, failure) != 0) {
        return OPTIONS_BAD;
    }
    note_flags(argc, argv, &options->flags);
    if (read_overlays(options, failure) != 0 || check_name(options->name, failure) != 0) {
        return OPTIONS_BAD;
    }
    options->is_kiosk = options->is_kiosk || options->kiosk_list[0] != '\0';
    options->is_full_screen = options->is_full_screen || options->is_kiosk;
    if (options->is_headless && options->frames == 0) {
        options->frames = HEADLESS_FRAMES;
    }
    return OPTIONS_RUN;
}
