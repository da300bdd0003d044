/* See options.h. */
#include "viewer/app/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "common/system/log.h"
#include "common/text/person_name.h"
#include "viewer/app/config.h"
#include "viewer/app/option_values.h"

enum { HEADLESS_FRAMES = 60 };

static const char *const renderer_names[] = {"auto", "card", "raster", NULL};

static const char *const layout_names[] = {"objects", "packed", NULL}; /* enum layout */

static const struct field table[] = {
    {.name = "headless",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct viewer_options, is_headless),
     .help = "Draw without a display; ends after --frames frames (60)."},
    {.name = "frames",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct viewer_options, frames),
     .min = 0,
     .max = 1000000,
     .unit = "N",
     .help = "End after this many frames, counted from the first snapshot; 0 for never."},
    {.name = "screenshot",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct viewer_options, screenshot),
     .unit = "FILE",
     .help = "Save the last frame as a PNG."},
    {.name = "size",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct viewer_options, settings.size),
     .unit = "WxH",
     .help = "Size of the window or picture, 320x240 to 8192x8192; a window is no larger than its screen. "
             "Without it: 1280x800, more where text is larger."},
    {.name = "fixed-dt",
     .type = FIELD_DOUBLE,
     FIELD_MEMBER(struct viewer_options, fixed_dt_ms),
     .min = 0,
     .max = 1000,
     .unit = "MS",
     .help = "Frames this far apart, the newest snapshot as it is and no measured numbers: the same picture "
             "each time."},
    {.name = "forces",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct viewer_options, shows_forces),
     .help = "Start with velocity, desired velocity and steering shown."},
    {.name = "overlays",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct viewer_options, overlays),
     .unit = "LIST",
     .help = "What to draw over the world: velocity, desired, steering, behaviors, radii, neighbors, places, "
             "trails, grid with commas between them, or none."},
    {.name = "palette",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct viewer_options, settings.palette),
     .choices = palette_names,
     .unit = "NAME",
     .help = "Colors of the states: safe (for color-blind people too) or classic (the tutorials')."},
    {.name = "ui-scale",
     .type = FIELD_DOUBLE,
     FIELD_MEMBER(struct viewer_options, settings.ui_scale),
     .min = 0,
     .max = 4,
     .unit = "N",
     .help = "Size of text, lines and panels, 0.5 or more; 0 for what suits the screen."},
    {.name = "panel",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct viewer_options, settings.panel),
     .choices = panel_choice_names,
     .unit = "WHEN",
     .help = "The side panel and the timeline: auto (in windows at least 1000 wide, more where text is "
             "larger), on or off."},
    {.name = "select",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct viewer_options, selected),
     .min = 0,
     .max = 4294967295.0,
     .unit = "ID",
     .help = "Start with this agent selected; 0 for none."},
    {.name = "full-screen",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct viewer_options, is_full_screen),
     .help = "Start in full screen."},
    {.name = "renderer",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct viewer_options, renderer),
     .choices = renderer_names,
     .unit = "NAME",
     .help =
         "What draws: the graphics card (card), the processor (raster), or auto: the card if it is a real "
         "one."},
    {.name = "clip",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct viewer_options, clip),
     .unit = "FILE",
     .help = "Record everything to an MP4 or GIF file, by its ending; needs ffmpeg."},
    {.name = "hint",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct viewer_options, hint),
     .unit = "TEXT",
     .help = "Show this for a while when the first world appears."},
    {.name = "name",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct viewer_options, name),
     .unit = "TEXT",
     .help = "Name that other clients show beside your cursor; at most 31 bytes."},
    {.name = "token",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct viewer_options, token),
     .unit = "SECRET",
     .help =
         "Shown to a server that asks for one. DROVER_TOKEN in the environment does the same, unseen by ps."},
    {.name = "layout",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct viewer_options, layout),
     .choices = layout_names,
     .unit = "NAME",
     .help = "How agents are sent: packed (small) or objects (readable JSON)."},
    {.name = "stats",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct viewer_options, prints_stats),
     .help = "Print at the end how long frames took."},
    {.name = "no-config",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct viewer_options, has_no_config),
     .help = "Neither read nor write the file that keeps the settings. --headless does neither anyway."},
    {.name = "no-reconnect",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct viewer_options, is_single_try),
     .help = "End when the connection ends instead of reconnecting."},
    {.name = "log",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct viewer_options, log_level),
     .choices = log_level_names,
     .unit = "LEVEL",
     .help = "What to write to stderr: error, warn, info or debug."},
    {.type = FIELD_END},
};

static const struct options_def definition = {
    .program = "drover-viewer",
    .summary = "Shows the world of a drover-server and steers it with the mouse.",
    .positional = "[HOST[:PORT]]",
    .positional_help = "The server; an IPv6 address with a port in brackets. Default 127.0.0.1:7717.",
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

enum options_result viewer_options_parse(int argc, char **argv, struct viewer_options *options,
                                         struct failure *failure) {
    const char *positional = NULL;
    *options = (struct viewer_options){.address = {"127.0.0.1", "7717"},
                                       .settings = view_settings_default(),
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
    if (positional != NULL && address_parse(positional, &options->address, failure) != 0) {
        return OPTIONS_BAD;
    }
    if (options->settings.size[0] != '\0' &&
        size_parse(options->settings.size, &options->width, &options->height, failure) != 0) {
        return OPTIONS_BAD;
    }
    if (ui_scale_check(options->settings.ui_scale, failure) != 0) {
        return OPTIONS_BAD;
    }
    if (read_overlays(options, failure) != 0 || check_name(options->name, failure) != 0) {
        return OPTIONS_BAD;
    }
    if (options->is_headless && options->frames == 0) {
        options->frames = HEADLESS_FRAMES;
    }
    return OPTIONS_RUN;
}
