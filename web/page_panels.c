/* See page_panels.h. */
#include "web/page_panels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "web/page_panels_impl.h"

static const struct {
    const char *name;
    page_section_writer *write;
    page_section_stamp *stamp; /* NULL: the section is short enough to be written with every frame */
} writers[PAGE_SECTIONS] = {
    {"theme", page_write_theme, page_stamp_theme},
    {"actions", page_write_actions, NULL},
    {"open", page_write_open, NULL},
    {"bar", page_write_bar, NULL},
    {"words", page_write_words, NULL},
    {"caption", page_write_caption, NULL},
    {"legend", page_write_legend, NULL},
    {"agent", page_write_agent, NULL},
    {"equations", page_write_equations, NULL},
    {"settings", page_write_settings, NULL},
    {"plots", page_write_plots, page_stamp_plots},
    {"params", page_write_params, page_stamp_params},
    {"timeline", page_write_timeline, NULL},
    {"replay", page_write_replay, NULL},
    {"picker", page_write_picker, page_stamp_picker},
    {"card", page_write_card, NULL},
    {"help", page_write_help, page_stamp_help},
    {"dialog", page_write_dialog, NULL},
    {"toast", page_write_toast, NULL},
    {"banner", page_write_banner, NULL},
    {"tag", page_write_tag, NULL},
    {"labels", page_write_labels, NULL},
    {"network", page_write_network, NULL},
    {"ranks", page_write_ranks, NULL},
};

/* ---- the font of names in the picture: the page measures it, until then this is near enough ---- */

static const float usual_line_px = 16.0f, usual_width_px = 7.4f, wide_px = 14.0f;

struct panels *panels_create(float scale, bool is_kiosk) {
    struct panels *panels = calloc(1, sizeof *panels);
    if (panels == NULL) {
        return NULL;
    }
    panels->scale = scale;
    panels->is_kiosk = is_kiosk;
    panels->line_px = usual_line_px;
    for (int i = 0; i < PAGE_GLYPHS; i++) {
        panels->widths[i] = usual_width_px;
    }
    for (int i = 0; i < PAGE_SECTIONS; i++) {
        buffer_init(&panels->sections[i].text, PAGE_SECTION_BYTES);
    }
    buffer_init(&panels->fresh, PAGE_SECTION_BYTES);
    buffer_init(&panels->out, (size_t)PAGE_SECTIONS * PAGE_SECTION_BYTES);
    panels->held_param = -1;
    panels->light = -1;
    panels->pointed_share = -1.0;
    return panels;
}

void panels_destroy(struct panels *panels) {
    if (panels == NULL) {
        return;
    }
    for (int i = 0; i < PAGE_SECTIONS; i++) {
        buffer_fini(&panels->sections[i].text);
    }
    buffer_fini(&panels->fresh);
    buffer_fini(&panels->out);
    free(panels);
}

float panels_words_px(const void *panels, const char *words) {
    const struct panels *const own = panels;
    float wide = 0.0f;
    for (const char *at = words; *at != '\0'; at++) {
        const unsigned char byte = (unsigned char)*at;
        if (byte >= ' ' && byte <= '~') {
            wide += own->widths[byte - ' '];
        } else if (byte >= 0xc0u) { /* the first byte of a letter that has several */
            wide += byte >= 0xe0u ? wide_px : own->widths['o' - ' '];
        }
    }
    return wide * own->scale;
}

float panels_line_px(const struct panels *panels) {
    return panels->line_px * panels->scale;
}

/* The page draws its words itself: the picture's font is one clear texel. */
uint32_t *panels_font_texels(const struct panels *panels, int32_t *width, int32_t *height) {
    (void)panels;
    *width = *height = 1;
    return calloc(1, sizeof(uint32_t));
}

/* ---- the sections ---- */

/* Keeps the text when it is another one than before. */
static void take_section(struct panels *panels, struct page_section *section) {
    const struct buffer *fresh = &panels->fresh;
    const bool is_same = section->text.length == fresh->length && fresh->length > 0 &&
                         memcmp(section->text.data, fresh->data, fresh->length) == 0;
    if (fresh->failed || is_same) {
        section->stamp = fresh->failed ? 0 : section->stamp;
        return;
    }
    buffer_clear(&section->text);
    buffer_append(&section->text, fresh->data, fresh->length);
    if (section->text.failed) {
        buffer_clear(&section->text); /* there is no memory now: it is written again with the next frame */
        section->stamp = 0;
    } else {
        section->is_new = true;
    }
}

static void write_sections(struct panels *panels, const struct panels_view *view) {
    for (int i = 0; i < PAGE_SECTIONS; i++) {
        const uint64_t stamp = writers[i].stamp != NULL ? writers[i].stamp(panels, view) : 0;
        if (stamp != 0 && stamp == panels->sections[i].stamp) {
            continue;
        }
        panels->sections[i].stamp = stamp;
        buffer_clear(&panels->fresh);
        struct json_writer json = json_writer_begin(&panels->fresh);
        writers[i].write(&json, panels, view);
        take_section(panels, &panels->sections[i]);
    }
}

bool page_panels_have_news(const struct panels *panels) {
    for (int i = 0; i < PAGE_SECTIONS; i++) {
        if (panels->sections[i].is_new) {
            return true;
        }
    }
    return false;
}

const char *page_panels_sections(struct panels *panels, size_t *length) {
    buffer_clear(&panels->out);
    struct json_writer json = json_writer_begin(&panels->out);
    json_object(&json);
    for (int i = 0; i < PAGE_SECTIONS; i++) {
        if (panels->sections[i].is_new) {
            json_key(&json, writers[i].name);
            json_raw(&json, panels->sections[i].text.data);
        }
    }
    json_end(&json);
    if (panels->out.failed || panels->out.data == NULL) {
        *length = 2;
        return "{}";
    }
    for (int i = 0; i < PAGE_SECTIONS; i++) {
        panels->sections[i].is_new = false;
    }
    *length = panels->out.length;
    return panels->out.data;
}

/* ---- a frame ---- */

/* The page takes pointer and keys before they come to the app: what comes is for the world. */
const struct panels_result *panels_draw(struct panels *panels, const struct panels_view *view,
                                        const struct pointer *pointer, const struct panels_input *input,
                                        struct canvas *canvas) {
    (void)pointer;
    (void)input;
    (void)canvas;
    write_sections(panels, view);
    page_take_messages(panels, view);
    return &panels->result;
}

/* ---- what the writers share ---- */

bool page_has_side(const struct panels *panels, const struct panels_view *view) {
    return panels->is_narrow || view_settings_have_panel(view->settings);
}

static void color_text(color value, char out[10]) {
    const unsigned alpha = value >> 24;
    (void)snprintf(out, 10, alpha == 255u ? "#%06x" : "#%06x%02x", (unsigned)(value & 0xffffffu), alpha);
}

void page_color(struct json_writer *json, const char *key, color value) {
    char text[10];
    color_text(value, text);
    json_key_string(json, key, text);
}

void page_color_item(struct json_writer *json, color value) {
    char text[10];
    color_text(value, text);
    json_string(json, text);
}

void page_number(struct json_writer *json, const char *key, double value) {
    json_key(json, key);
    json_number(json, isfinite(value) ? round(value * 100.0) / 100.0 : 0.0);
}

uint64_t page_stamp_bytes(uint64_t stamp, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        stamp = (stamp ^ at[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    }
    return stamp | 1u;
}

uint64_t page_stamp_text(uint64_t stamp, const char *text) {
    return page_stamp_bytes(stamp, text, strlen(text) + 1);
}

uint64_t page_stamp_number(uint64_t stamp, double number) {
    return page_stamp_bytes(stamp, &number, sizeof number);
}
