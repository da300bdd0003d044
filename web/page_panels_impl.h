/* The state of the page's panels, for web/page_panels*.c alone. */
#ifndef DROVER_WEB_PAGE_PANELS_IMPL_H
#define DROVER_WEB_PAGE_PANELS_IMPL_H

#include "common/base/buffer.h"
#include "common/json/json_writer.h"
#include "viewer/explain/formula.h"
#include "viewer/explain/theme.h"
#include "viewer/panels/panel_controls.h"
#include "web/page_panels.h"

enum {
    PAGE_SECTIONS = 26,
    PAGE_MESSAGES = 64,           /* that wait; more are refused */
    PAGE_SECTION_BYTES = 1 << 20, /* the most of a section */
    PAGE_GLYPHS = 95,             /* from ' ' to '~' */
};

/** What a message asks for. */
enum page_message_kind {
    PAGE_SHORTCUT,
    PAGE_CHOOSE,
    PAGE_TUNE,
    PAGE_FIRST,
    PAGE_MUTE,
    PAGE_KIND,
    PAGE_FILTER,
    PAGE_OWN,
    PAGE_COPY,
    PAGE_LIT,
    PAGE_LIGHT,
    PAGE_KEEP_LIGHT,
    PAGE_WIDTH,
    PAGE_SCRUB,
    PAGE_BRANCH,
    PAGE_SEEK,
    PAGE_POINT,
    PAGE_SPEED,
    PAGE_SET_SPEED,
    PAGE_WANTED,
    PAGE_PICK,
    PAGE_REMOVE,
    PAGE_ENTERED,
    PAGE_AGREE,
    PAGE_COVER,
    PAGE_FONT,
    PAGE_MESSAGE_KINDS
};

struct page_message {
    enum page_message_kind kind;
    int index, choice; /* a row, a parameter, a kind, a hit; a choice */
    double value;      /* a value, a place, a moment, a speed */
    bool is_held, is_save;
    struct lit lit;
    char text[64], name[64];
};

/** A section: its text as it was handed over, or is to be. */
struct page_section {
    struct buffer text;
    uint64_t stamp; /* of what it was written from; 0: not written yet */
    bool is_new;
};

struct panels {
    float scale; /* picture px per CSS px */
    bool is_kiosk;
    float line_px, widths[PAGE_GLYPHS]; /* CSS px, of the font that names in the picture have */
    struct page_section sections[PAGE_SECTIONS];
    struct buffer fresh, out; /* a section that may be the same as before; what the page gets */
    struct panels_result result;
    struct page_message messages[PAGE_MESSAGES];
    int message_count;
    char filter[64]; /* of the sliders */
    char wanted[64]; /* typed in the picker */
    char entered[LIMIT_NAME_CHARS + 1];
    char own_kind[64], own_name[64];
    char first_state[LIMIT_NAME_CHARS + 1]; /* whose sliders come first */
    int light;                              /* the legend's row that is pointed at; -1: none */
    int held_param;                         /* the parameter whose slider is held; -1 */
    double held_value;
    bool is_scrubbing, is_seeking, is_speed_held; /* a handle is held */
    double scrub_to_s, held_speed;
    struct replay_moment seek_to;
    double pointed_share; /* of a recording's line; < 0: none */
    struct lit lit;
    float legend_right, legend_bottom; /* CSS px */
    bool is_narrow;                    /* the page has a sheet in place of the side panel */
    struct formula formula;            /* of the term that is written */
};

/** Writes a section, in the form that its row says. */
typedef void page_section_writer(struct json_writer *json, struct panels *panels,
                                 const struct panels_view *view);

page_section_writer page_write_theme, page_write_actions, page_write_open, page_write_bar, page_write_words,
    page_write_caption, page_write_legend, page_write_agent, page_write_equations, page_write_settings,
    page_write_plots, page_write_params, page_write_timeline, page_write_past, page_write_replay,
    page_write_picker, page_write_card, page_write_help, page_write_dialog, page_write_toast,
    page_write_banner, page_write_tag, page_write_labels, page_write_network, page_write_ranks,
    page_write_side;

/** A number that differs when what a long section is written from differs: then it is written again. Not 0. */
typedef uint64_t page_section_stamp(struct panels *panels, const struct panels_view *view);

page_section_stamp page_stamp_theme, page_stamp_help, page_stamp_plots, page_stamp_params, page_stamp_past,
    page_stamp_picker;

/** Continues a stamp with bytes, a text, a number. It begins with PAGE_STAMP. */
#define PAGE_STAMP UINT64_C(0xcbf29ce484222325)
uint64_t page_stamp_bytes(uint64_t stamp, const void *bytes, size_t size);
uint64_t page_stamp_text(uint64_t stamp, const char *text);
uint64_t page_stamp_number(uint64_t stamp, double number);

/** Whether there is a place for what the side panel shows. */
bool page_has_side(const struct panels *panels, const struct panels_view *view);
/** "#rrggbb", or "#rrggbbaa" when it lets something through. */
void page_color(struct json_writer *json, const char *key, color value);
void page_color_item(struct json_writer *json, color value);
/** A number of a picture with two decimals: enough for a screen, and short. */
void page_number(struct json_writer *json, const char *key, double value);
/** Makes a result of the messages that wait. */
void page_take_messages(struct panels *panels, const struct panels_view *view);

#endif
