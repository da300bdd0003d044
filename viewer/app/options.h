/* The viewer's command line. Pure apart from --help and --version, which print. */
#ifndef DROVER_VIEWER_APP_OPTIONS_H
#define DROVER_VIEWER_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/system/options.h"
#include "common/text/server_address.h"
#include "viewer/model/view_settings.h"

struct viewer_options {
    struct address address;
    char recording[1024]; /* a file, shown by a server of the viewer's own; "" for a server at address */
    char seconds[1024];   /* the address of an index of static seconds, in place of a server; "" */
    char ca[1024];        /* a file of certificates for it; "": the system's */
    bool is_headless;
    uint32_t frames;               /* 0: until it is closed */
    char screenshot[1024];         /* "" for none */
    struct view_settings settings; /* the file of settings, then the flags */
    struct view_settings kept;     /* the file alone: what is kept of members that are not changed */
    struct view_changes flags;     /* the members that flags gave */
    int32_t width, height;         /* window px, from settings.size; 0 for the usual size */
    double fixed_dt_ms;            /* 0: real time */
    double advance_s;              /* of a paused world, before the frames that count; 0: none */
    bool is_bare;                  /* the world alone */
    bool shows_forces;
    char overlays[256]; /* as given: "velocity,trails"; "" for those of the settings */
    int renderer;       /* enum window_renderer */
    bool is_full_screen;
    bool is_page;        /* in a browser: what it says names no command lines */
    bool has_own_server; /* it runs in the same page: there is no network */
    bool reduces_motion; /* the visitor prefers that: nothing fades, and no view follows an agent by itself */
    bool is_kiosk;       /* for an exhibition: full screen, no panels, worlds by turns */
    char kiosk_list[1024]; /* a file: the worlds; "" for those of the server */
    double kiosk_reset_s;  /* after so long without a hand the world is put back */
    bool has_no_config;    /* neither read nor written */
    bool has_own_view;     /* whatever scenarios say */
    bool shows_sliders;    /* from the beginning, where the panel is open */
    bool prints_stats;
    uint32_t selected;                 /* an agent's id; 0 for none */
    char clip[1024];                   /* "" for none */
    bool is_single_try;                /* do not reconnect: end when the server goes */
    int layout;                        /* enum layout: LAYOUT_OBJECTS or LAYOUT_PACKED */
    char hint[160];                    /* shown as the first world appears; "" for nothing */
    char name[LIMIT_PERSON_BYTES + 1]; /* what other clients see beside our cursor; "" for nothing */
    char token[LIMIT_TOKEN_CHARS + 1]; /* a secret: neither kept nor logged */
    int log_level;                     /* enum log_level */
};

/** Reads the command line. OPTIONS_BAD fills *failure. */
enum options_result viewer_options_parse(int argc, char **argv, struct viewer_options *options,
                                         struct failure *failure);

/* Values that both the command line and the file of settings have: read, checked, written. Pure. */

/** WIDTHxHEIGHT in px, 320x240 to 8192x8192. -1 with *failure, and nothing changes. */
NODISCARD int size_parse(const char *text, int32_t *width, int32_t *height, struct failure *failure);
/** 0, or 0.5 to 4. -1 with *failure. */
NODISCARD int ui_scale_check(double scale, struct failure *failure);
/** A list like "velocity,trails", or "none": shows these overlays and no others. -1 with *failure, and
 * nothing changes. */
NODISCARD int overlays_parse(const char *text, struct view_settings *settings, struct failure *failure);
/** The overlays that are shown as such a list; size: of out, bytes. */
void overlays_format(const struct view_settings *settings, char *out, size_t size);

#endif
