/* See options.h. */
#include "viewer/options.h"

#include <stdio.h>
#include <string.h>

#include "common/log.h"

enum { MIN_WIDTH = 320, MIN_HEIGHT = 240, MAX_SIZE = 8192, HEADLESS_FRAMES = 60 };

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
     FIELD_MEMBER(struct viewer_options, size),
     .unit = "WxH",
     .help = "Size of the window or picture, 320x240 to 8192x8192."},
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
    {.name = "no-reconnect",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct viewer_options, is_single_try),
     .help = "End when the server goes instead of waiting for it."},
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
    .epilog = "F1 shows the keys.\n"
              "A picture without a display: drover-viewer --headless --frames 60 --screenshot world.png\n",
};

static bool is_port(const char *text) {
    const size_t length = strlen(text);
    unsigned value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || i >= 5) {
            return false;
        }
        value = value * 10u + (unsigned)(text[i] - '0');
    }
    return length > 0 && value >= 1 && value <= 65535;
}

int address_parse(const char *text, struct address *address, struct failure *failure) {
    const char *host = text, *port = NULL;
    size_t host_length = strlen(text);
    const char *colon = strrchr(text, ':');
    if (text[0] == '[') {
        const char *end = strchr(text, ']');
        if (end == NULL || (end[1] != '\0' && end[1] != ':')) {
            return failure_set(failure, FAILURE_BAD_PARAM, "HOST", "\"%s\" is no address: expected [V6]:PORT",
                               text);
        }
        host = text + 1;
        host_length = (size_t)(end - host);
        port = end[1] == ':' ? end + 2 : NULL;
    } else if (colon != NULL && colon == strchr(text, ':')) { /* two colons or more: an IPv6 address */
        host_length = (size_t)(colon - text);
        port = colon + 1;
    }
    if (host_length == 0 || host_length >= sizeof address->host) {
        return failure_set(failure, FAILURE_BAD_PARAM, "HOST",
                           "\"%s\" has no host: expected HOST or HOST:PORT", text);
    }
    if (port != NULL && !is_port(port)) {
        return failure_set(failure, FAILURE_BAD_PARAM, "HOST", "\"%s\" is no port: expected 1 to 65535",
                           port);
    }
    memcpy(address->host, host, host_length);
    address->host[host_length] = '\0';
    if (port != NULL) {
        snprintf(address->port, sizeof address->port, "%s", port);
    }
    return 0;
}

static const char *read_length(const char *text, int32_t *length) {
    int digits = 0;
    for (*length = 0; digits < 5 && *text >= '0' && *text <= '9'; digits++, text++) {
        *length = *length * 10 + (*text - '0');
    }
    return digits > 0 ? text : NULL;
}

int size_parse(const char *text, int32_t *width, int32_t *height, struct failure *failure) {
    int32_t w = 0, h = 0;
    const char *rest = read_length(text, &w);
    if (rest != NULL && *rest == 'x') {
        rest = read_length(rest + 1, &h);
    } else {
        rest = NULL;
    }
    if (rest == NULL || *rest != '\0' || w < MIN_WIDTH || h < MIN_HEIGHT || w > MAX_SIZE || h > MAX_SIZE) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--size",
                           "--size: \"%s\" is no size: expected WIDTHxHEIGHT, %dx%d to %dx%d", text,
                           MIN_WIDTH, MIN_HEIGHT, MAX_SIZE, MAX_SIZE);
    }
    *width = w;
    *height = h;
    return 0;
}

enum options_result viewer_options_parse(int argc, char **argv, struct viewer_options *options,
                                         struct failure *failure) {
    const char *positional = NULL;
    *options =
        (struct viewer_options){.address = {"127.0.0.1", "7717"}, .size = "1280x800", .log_level = LOG_WARN};
    const enum options_result result = options_parse(&definition, argc, argv, options, &positional, failure);
    if (result != OPTIONS_RUN) {
        return result;
    }
    if (positional != NULL && address_parse(positional, &options->address, failure) != 0) {
        return OPTIONS_BAD;
    }
    if (size_parse(options->size, &options->width, &options->height, failure) != 0) {
        return OPTIONS_BAD;
    }
    if (options->is_headless && options->frames == 0) {
        options->frames = HEADLESS_FRAMES;
    }
    return OPTIONS_RUN;
}
