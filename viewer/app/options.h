/* The viewer's command line. Pure apart from --help and --version, which print. */
#ifndef DROVER_VIEWER_APP_OPTIONS_H
#define DROVER_VIEWER_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/c/server_address.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/system/options.h"
#include "viewer/model/overlays.h"

/** auto: when the window is wide enough. */
enum panel_choice { PANEL_AUTO, PANEL_ON, PANEL_OFF };

struct viewer_options {
    struct address address;
    bool is_headless;
    uint32_t frames;       /* 0: until it is closed */
    char screenshot[1024]; /* "" for none */
    char size[24];         /* as given: "1280x800"; "" for the usual size */
    int32_t width, height; /* window px, from size; 0 for the usual size */
    double fixed_dt_ms;    /* 0: real time */
    bool shows_forces;
    char overlays[128];        /* as given: "velocity,trails"; "" for what is usual */
    overlay_set overlay_bits;  /* from overlays and shows_forces */
    overlay_set kept_overlays; /* what the settings say, without flags */
    int palette;               /* enum palette */
    double ui_scale;           /* size of text and lines; 0: what suits the screen */
    int panel;                 /* enum panel_choice */
    int renderer;              /* enum window_renderer */
    bool is_full_screen;
    bool has_no_config; /* neither read nor written */
    bool prints_stats;
    uint32_t selected;                 /* an agent's id; 0 for none */
    char clip[1024];                   /* "" for none */
    bool is_single_try;                /* do not reconnect: end when the server goes */
    int layout;                        /* enum layout: LAYOUT_OBJECTS or LAYOUT_PACKED */
    char hint[160];                    /* shown as the first world appears; "" for nothing */
    char name[LIMIT_PERSON_BYTES + 1]; /* what the others are told we are called; "" for nothing */
    char token[LIMIT_TOKEN_CHARS + 1]; /* a secret: neither kept nor logged */
    int log_level;                     /* enum log_level */
};

/** Reads the command line. OPTIONS_BAD fills *failure. */
enum options_result viewer_options_parse(int argc, char **argv, struct viewer_options *options,
                                         struct failure *failure);

/** "velocity,trails", "none" -> a set. */
NODISCARD int overlays_parse(const char *text, overlay_set *set, struct failure *failure);
/** The set as such text. */
void overlays_format(overlay_set set, char *out, size_t size);
/** 0, or 0.5 to 4. */
NODISCARD int ui_scale_check(double scale, struct failure *failure);
/** WIDTHxHEIGHT, 320x240 to 8192x8192. */
NODISCARD int size_parse(const char *text, int32_t *width, int32_t *height, struct failure *failure);

#endif
