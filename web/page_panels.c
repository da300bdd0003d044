/* See page_panels.h. */
#include "web/page_panels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/formula.h"
#include "viewer/explain/param_list.h"
#include "viewer/model/replay.h"
#include "web/page_panels_impl.h"

/* ---- sections ---- */

static const struct {
    const char *name;
    char form; /* '{': members of an object are written; '[': items of an array; 0: a whole value, or null */
    page_section_writer *write;
    page_section_stamp *stamp; /* NULL: the section is short enough to be written with every frame */
} writers[PAGE_SECTIONS] = {
    {"theme", '{', page_write_theme, page_stamp_theme},
    {"actions", '{', page_write_actions, NULL},
    {"open", '{', page_write_open, NULL},
    {"bar", '{', page_write_bar, NULL},
    {"words", '{', page_write_words, NULL},
    {"caption", '{', page_write_caption, NULL},
    {"legend", '{', page_write_legend, NULL},
    {"side", '[', page_write_side, NULL},
    {"agent", '{', page_write_agent, NULL},
    {"equations", 0, page_write_equations, NULL},
    {"settings", '[', page_write_settings, NULL},
    {"plots", 0, page_write_plots, page_stamp_plots},
    {"params", 0, page_write_params, page_stamp_params},
    {"timeline", '{', page_write_timeline, NULL},
    {"past", 0, page_write_past, page_stamp_past},
    {"replay", 0, page_write_replay, NULL},
    {"picker", 0, page_write_picker, page_stamp_picker},
    {"card", 0, page_write_card, NULL},
    {"help", '{', page_write_help, page_stamp_help},
    {"dialog", 0, page_write_dialog, NULL},
    {"toast", '{', page_write_toast, NULL},
    {"banner", '{', page_write_banner, NULL},
    {"tag", '{', page_write_tag, NULL},
    {"labels", '[', page_write_labels, NULL},
    {"network", '{', page_write_network, NULL},
    {"ranks", '[', page_write_ranks, NULL},
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
        if (writers[i].form == '{') {
            json_object(&json);
        } else if (writers[i].form == '[') {
            json_array(&json);
        }
        writers[i].write(&json, panels, view);
        if (writers[i].form != 0) {
            json_end(&json);
        }
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

/* ---- lists ---- */

static void write_hit(struct json_writer *json, const struct panels_hit *hit) {
    json_object(json);
    json_key_string(json, "name", hit->name);
    json_key_string(json, "title", hit->title);
    json_key_string(json, "description", hit->description);
    json_key_string(json, "caption", hit->caption);
    json_key_string(json, "group", hit->begins_group ? hit->group : "");
    json_key_unsigned(json, "group_count", (uint64_t)hit->group_count);
    json_key_bool(json, "save", hit->is_save);
    json_end(json);
}

/* The texts of a saved world's row change with its age; those of scenarios stay as they are where they are. */
static uint64_t stamp_hit(uint64_t stamp, const struct panels_hit *hit) {
    stamp = page_stamp_bytes(stamp, &hit->name, sizeof hit->name);
    stamp = page_stamp_text(stamp, hit->name);
    stamp = page_stamp_number(
        stamp, (double)(hit->group_count * 4 + (hit->begins_group ? 2 : 0) + (hit->is_save ? 1 : 0)));
    return hit->is_save ? page_stamp_text(page_stamp_text(stamp, hit->title), hit->description) : stamp;
}

uint64_t page_stamp_picker(struct panels *panels, const struct panels_view *view) {
    uint64_t stamp = page_stamp_number(PAGE_STAMP, (double)view->open->picker);
    stamp = page_stamp_text(page_stamp_text(stamp, panels->result.wanted), view->hit_words);
    for (int i = 0; view->open->picker && i < view->hit_count; i++) {
        stamp = stamp_hit(stamp, &view->hits[i]);
    }
    return stamp;
}

void page_write_picker(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    if (!view->open->picker) {
        json_raw(json, "null");
        return;
    }
    json_object(json);
    json_key_string(json, "wanted",
                    panels->result.wanted); /* the hits of the view fit what was typed before it */
    json_key_string(json, "count_words", view->hit_words);
    json_key(json, "hits");
    json_array(json);
    for (int i = 0; i < view->hit_count; i++) {
        write_hit(json, &view->hits[i]);
    }
    json_end(json);
    json_end(json);
}

void page_write_card(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const struct explain_card *card = &view->card;
    (void)panels;
    if (!view->open->card || card->title == NULL) {
        json_raw(json, "null");
        return;
    }
    json_object(json);
    json_key_string(json, "title", card->title);
    json_key_string(json, "caption", card->caption);
    json_key_string(json, "description", card->description);
    json_key_string(json, "try", card->to_try);
    json_key_string(json, "look_for", card->look_for);
    json_key_string(json, "source", card->source);
    json_key(json, "keys");
    json_array(json);
    for (int i = 0; i < card->key_count; i++) {
        json_object(json);
        json_key_string(json, "key", card->keys[i].key);
        json_key_string(json, "words", card->keys[i].words);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

uint64_t page_stamp_help(struct panels *panels, const struct panels_view *view) {
    (void)panels;
    return page_stamp_number(page_stamp_bytes(PAGE_STAMP, view->is_denied, sizeof view->is_denied),
                             (double)view->is_replay);
}

void page_write_help(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    size_t count = 0;
    const struct shortcut *table = shortcuts_table(&count);
    (void)panels;
    json_key_string(json, "title", view->is_replay ? "Keys in a recording" : "Keys");
    json_key(json, "rows");
    json_array(json);
    for (size_t i = 0; i < count; i++) {
        const struct shortcut *row = &table[i];
        if (row->name[0] != '\0' && row->no_page == NULL) {
            json_object(json);
            json_key_string(json, "key", row->name);
            json_key_string(json, "words", shortcuts_help(row, view->is_replay));
            json_key_string(json, "way", row->page_way != NULL ? row->page_way : "");
            json_key_bool(json, "off",
                          view->is_denied[row->action] || (view->is_replay && row->is_live_only));
            json_end(json);
        }
    }
    json_end(json);
}

void page_write_dialog(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const struct panels_dialog *dialog = &view->dialog;
    (void)panels;
    if (view->open->question == PANELS_NO_QUESTION) {
        json_raw(json, "null");
        return;
    }
    json_object(json);
    json_key_unsigned(json, "question", (uint64_t)view->open->question);
    json_key_string(json, "title", dialog->title);
    json_key_string(json, "words", dialog->words);
    json_key_string(json, "note", dialog->note);
    json_key_string(json, "agree", dialog->agree);
    json_key_bool(json, "grave", dialog->is_grave);
    json_key_bool(json, "line", dialog->has_line);
    json_key_string(json, "proposal", dialog->has_line ? dialog->proposal : "");
    json_key_unsigned(json, "most", LIMIT_NAME_CHARS);
    json_end(json);
}

/* ---- time ---- */

/* The place of a speed on its slider, 0 to 1. */
static double page_speed_place(double speed) {
    const double share = log(fmax(speed, SPEEDS_LEAST) / SPEEDS_LEAST) / log(SPEEDS_MOST / SPEEDS_LEAST);
    return speed <= 0.0 ? 1.0 : fmin(share, 1.0);
}

static void write_share(struct json_writer *json, const char *key, double share) {
    json_key(json, key);
    json_number(json, round(share * 1e4) * 1e-4);
}

/* The places on the line, 0 to 1, and where it is bent. */
static void write_line(struct json_writer *json, const struct panels_view *view) {
    const struct timeline *line = &view->line;
    const double at = line->now - (view->is_live ? 0.0 : view->behind_s * line->hz);
    char hint[TIMELINE_TEXT];
    write_share(json, "at", timeline_share(line, at));
    write_share(json, "now", timeline_share(line, line->now));
    write_share(json, "seen", timeline_share(line, line->now - view->recorded_s * line->hz));
    write_share(json, "kept", timeline_share(line, timeline_kept(line)));
    json_key(json, "bends");
    json_array(json);
    for (int i = 0; i < line->point_count; i++) {
        json_array(json);
        json_number(json, round(line->points[i].tick));
        json_number(json, round(line->points[i].share * 1e4) * 1e-4);
        json_end(json);
    }
    json_end(json);
    timeline_moment_text(line, at, hint);
    json_key_string(json, "moment", hint);
}

/* ---- marks, changes, branches: ticks, which the page places by the bends ---- */

uint64_t page_stamp_past(struct panels *panels, const struct panels_view *view) {
    (void)panels;
    uint64_t stamp =
        page_stamp_number(PAGE_STAMP, view->line.past == NULL ? -1.0 : (double)view->server->past_count);
    stamp = page_stamp_number(stamp, (double)view->line.lane_count);
    for (int i = 0; i < view->line.lane_count; i++) {
        stamp = page_stamp_number(stamp, view->line.lanes[i].from);
    }
    return page_stamp_text(stamp, view->no_go_on);
}

static void write_moment(struct json_writer *json, double tick, int lane, const char *words) {
    json_object(json);
    json_key_unsigned(json, "tick", (uint64_t)tick);
    json_key(json, "lane");
    json_signed(json, lane);
    json_key_string(json, "words", words);
    json_end(json);
}

static void write_moments(struct json_writer *json, const struct timeline *line) {
    char words[TIMELINE_TEXT];
    json_key(json, "marks");
    json_array(json);
    for (int i = 0; i < line->past->mark_count; i++) {
        const struct message_mark *mark = &line->past->marks[i];
        const int lane = timeline_lane_of(line, mark->branch, (double)mark->tick);
        timeline_mark_text(line, mark, words);
        if (lane != TIMELINE_NOWHERE) {
            write_moment(json, (double)mark->tick, lane, words);
        }
    }
    json_end(json);
    json_key(json, "changes");
    json_array(json);
    for (int i = 0; i < line->past->change_count; i++) {
        const struct message_change *change = &line->past->changes[i];
        const int lane = timeline_lane_of(line, change->branch, (double)change->tick);
        timeline_change_text(line, change, words);
        if (lane != TIMELINE_NOWHERE) {
            write_moment(json, (double)change->tick, lane, words);
        }
    }
    json_end(json);
}

void page_write_past(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const struct timeline *line = &view->line;
    char words[TIMELINE_TEXT], branch[PANEL_TIME_TEXT];
    (void)panels;
    if (line->past == NULL) {
        json_raw(json, "null");
        return;
    }
    panel_branch_text(view, branch);
    json_object(json);
    json_key_string(json, "branch", branch);
    json_key_string(json, "no_go_on", view->no_go_on);
    json_key(json, "lanes");
    json_array(json);
    for (int i = 0; i < line->lane_count; i++) {
        const struct timeline_lane *lane = &line->lanes[i];
        timeline_branch_text(lane, words);
        json_object(json);
        json_key_string(json, "name", lane->branch->name);
        json_key(json, "parent");
        json_signed(json, lane->parent);
        json_key_unsigned(json, "from", (uint64_t)fmax(lane->from, 0.0));
        json_key_unsigned(json, "to", (uint64_t)lane->to);
        json_key_string(json, "words", words);
        json_end(json);
    }
    json_end(json);
    write_moments(json, line);
    json_end(json);
}

void page_write_timeline(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const double speed = panels->is_speed_held ? panels->held_speed : view->speed;
    char words[SPEEDS_TEXT] = "max", back[PANEL_TIME_TEXT];
    if (speed > 0.0) {
        speeds_format(speed, words, sizeof words);
    }
    panel_back_text(view, back);
    json_key_bool(json, "play", view->shows_play);
    json_key_bool(json, "live", view->is_live);
    json_key_bool(json, "has_live", view->has_live);
    json_key_bool(json, "beyond", view->is_beyond);
    json_key_bool(json, "twin", view->has_twin);
    write_line(json, view);
    json_key_string(json, "back", back);
    json_key_string(json, "past", view->past);
    page_number(json, "speed", speed);
    json_key_string(json, "speed_words", words);
    page_number(json, "speed_place", page_speed_place(speed));
    json_key(json, "speed_one");
    json_number(json, page_speed_place(1.0));
    json_key_string(json, "no_speed", view->no_speed);
}

static void write_wrong(struct json_writer *json, const struct panels_replay *replay) {
    const struct replay_moment end = replay_line_world_end(&replay->line, &replay->diverged);
    const double from = replay_line_share(&replay->line, &replay->diverged),
                 to = replay_line_share(&replay->line, &end);
    char words[PANEL_TIME_TEXT];
    panel_diverged_text(replay, words);
    json_key(json, "wrong");
    json_array(json);
    json_number(json, from);
    json_number(json, fmax(from, to));
    json_end(json);
    json_key_string(json, "wrong_words", words);
}

void page_write_replay(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const struct panels_replay *replay = &view->replay;
    if (!view->is_replay) {
        json_raw(json, "null");
        return;
    }
    char hint[PANEL_TIME_TEXT] = "";
    if (panels->pointed_share >= 0.0) {
        const struct replay_moment moment = replay_line_moment(&replay->line, panels->pointed_share);
        panel_moment_text(replay, &moment, hint);
    }
    json_object(json);
    json_key(json, "share");
    json_number(json, replay_line_share(&replay->line, panels->is_seeking ? &panels->seek_to : &replay->at));
    json_key_string(json, "time", replay->time);
    json_key_string(json, "worlds", replay->worlds);
    json_key(json, "marks");
    json_array(json);
    for (int i = 1; i < replay->line.count; i++) {
        const struct replay_moment begin = {replay->line.first_world + (uint32_t)i,
                                            replay->line.spans[i].first};
        json_number(json, replay_line_share(&replay->line, &begin));
    }
    json_end(json);
    if (replay->has_diverged) {
        write_wrong(json, replay);
    }
    json_key_bool(json, "other", replay->is_other);
    json_key_string(json, "hint", hint);
    json_end(json);
}

/* ---- equations ---- */

/* A writer of an agent's equations. */
struct equations {
    struct json_writer *json;
    const struct panels_view *view;
    const struct message_agent *agent;
    enum palette palette;
    float most; /* the length of a whole bar */
};

static void write_lit(struct json_writer *json, const char *key, struct lit lit) {
    json_key(json, key);
    json_array(json);
    json_signed(json, lit.what);
    json_signed(json, lit.term);
    json_signed(json, lit.part);
    json_signed(json, lit.point);
    json_end(json);
}

static void write_token(const struct equations *of, const struct formula_token *token) {
    const struct lit lit = formula_lit(token->link);
    const struct formula_word *word = token->word != NULL ? formula_word_of(token->word) : NULL;
    json_object(of->json);
    json_key_string(of->json, "text", token->text);
    page_color(of->json, "color", formula_token_color(of->palette, token));
    if (lit.what != LIT_NOTHING) {
        write_lit(of->json, "lit", lit);
    }
    if (formula_is_lit(lit, of->view->lit)) {
        json_key_bool(of->json, "on", true);
    }
    if (token->number_count > 0) {
        json_key_unsigned(of->json, "number", (uint64_t)token->number_count);
    }
    if (word != NULL) {
        char tip[240];
        (void)snprintf(tip, sizeof tip, "%s%s%s%s", word->help, word->unit[0] != '\0' ? " (" : "", word->unit,
                       word->unit[0] != '\0' ? ")" : "");
        json_key_string(of->json, "tip", tip);
    }
    json_end(of->json);
}

static void write_lines(const struct equations *of, const char *key, const struct formula *formula) {
    json_key(of->json, key);
    json_array(of->json);
    for (int i = 0; i < formula->line_count; i++) {
        const struct formula_line *line = &formula->lines[i];
        json_object(of->json);
        json_key_unsigned(of->json, "kind", (uint64_t)line->kind);
        json_key(of->json, "tokens");
        json_array(of->json);
        for (int t = 0; t < line->token_count; t++) {
            write_token(of, &line->tokens[t]);
        }
        json_end(of->json);
        json_end(of->json);
    }
    json_end(of->json);
}

static void write_part(const struct equations *of, const struct message_agent_share *part, struct lit lit) {
    const float force = vec2_length(part->force);
    char words[FORMULA_NUMBER_TEXT];
    (void)formula_number_text(words, (double)roundf(force));
    json_object(of->json);
    json_key_string(of->json, "behavior", part->behavior);
    json_key_string(of->json, "words", words);
    page_number(of->json, "share", (double)(force / of->most));
    page_color(of->json, "fill", explain_behavior_color(of->palette, part->behavior));
    write_lit(of->json, "lit", lit);
    json_end(of->json);
}

static void write_term(const struct equations *of, int index, struct formula *formula) {
    const struct message_agent_term *term = &of->agent->terms[index];
    const struct server_model *server = of->view->server;
    const int weight = param_list_weight(server->params, server->param_count, of->agent->kind,
                                         of->agent->state, term->behavior);
    const bool is_muted = weight >= 0 && server->params[weight].value == 0.0;
    const struct lit lit = formula_lit((struct formula_link){FORMULA_LINK_TERM, index, -1, -1});
    const color fill = explain_behavior_color(of->palette, term->type);
    char words[FORMULA_TERM_WORDS];
    formula_term_words(term, is_muted, words);
    json_object(of->json);
    json_key_string(of->json, "behavior", term->behavior);
    page_color(of->json, "color", theme_readable(of->palette, fill));
    page_color(of->json, "fill", fill);
    json_key_string(of->json, "words", words);
    page_number(of->json, "wants", (double)(vec2_length(term->wants) / of->most));
    page_number(of->json, "gets",
                (double)(fminf(vec2_length(term->gets), vec2_length(term->wants)) / of->most));
    write_lit(of->json, "lit", lit);
    json_key_bool(of->json, "on", formula_is_lit(lit, of->view->lit));
    page_number(of->json, "weight", (double)weight);
    json_key_bool(of->json, "muted", is_muted);
    json_key_bool(of->json, "quiet", formula_is_quiet(term));
    json_key(of->json, "parts");
    json_array(of->json);
    for (int part = 0; part < term->part_count; part++) {
        write_part(of, &term->parts[part],
                   formula_lit((struct formula_link){FORMULA_LINK_PART, index, part, -1}));
    }
    json_end(of->json);
    formula_of_term(of->agent, index, formula);
    write_lines(of, "lines", formula);
    json_end(of->json);
}

/* ---- the figure ---- */

static void write_place(struct json_writer *json, const char *key, vec2 place) {
    json_key(json, key);
    json_array(json);
    json_number(json, (double)(roundf(place.x * 10.0f) / 10.0f));
    json_number(json, (double)(roundf(place.y * 10.0f) / 10.0f));
    json_end(json);
}

static void write_arrow(const struct equations *of, const struct formula_arrow *arrow) {
    json_object(of->json);
    json_key_string(of->json, "label", arrow->label);
    page_color(of->json, "color", formula_arrow_color(of->palette, arrow));
    json_key_bool(of->json, "wide",
                  formula_is_lit(formula_lit(arrow->link), of->view->lit) || arrow->role == FORMULA_DESIRED);
    write_place(of->json, "from", arrow->from);
    write_place(of->json, "to", arrow->to);
    json_end(of->json);
}

/* What the figure is of. */
static void write_figure_title(const struct equations *of, const struct formula_figure *figure) {
    const struct message_agent_term *term =
        figure->kind == FORMULA_TRIANGLE ? &of->agent->terms[figure->term] : NULL;
    json_key_string(of->json, "title",
                    term != NULL                  ? term->behavior
                    : figure->kind == FORMULA_SUM ? "the forces added"
                                                  : "no force now");
    page_color(of->json, "title_color",
               term != NULL ? theme_readable(of->palette, explain_behavior_color(of->palette, term->type))
                            : theme_color(of->palette, THEME_TEXT_DIM));
}

static void write_figure(const struct equations *of) {
    const struct formula_figure figure =
        formula_figure_of(of->agent, formula_pointed_term(of->agent, of->view->lit));
    char number[FORMULA_NUMBER_TEXT], words[64] = "";
    if (figure.kind != FORMULA_NO_FIGURE) {
        (void)formula_number_text(number, (double)figure.bar);
        (void)snprintf(words, sizeof words, "%s %s", number, figure.unit);
    }
    json_key(of->json, "figure");
    json_object(of->json);
    json_key_unsigned(of->json, "kind", (uint64_t)figure.kind);
    write_figure_title(of, &figure);
    json_key_string(of->json, "tip", formula_figure_tip(figure.kind));
    write_place(of->json, "low", figure.low);
    write_place(of->json, "high", figure.high);
    page_number(of->json, "bar", (double)figure.bar);
    json_key_string(of->json, "bar_words", words);
    json_key(of->json, "arrows");
    json_array(of->json);
    for (int i = 0; i < figure.arrow_count; i++) {
        write_arrow(of, &figure.arrows[i]);
    }
    json_end(of->json);
    json_end(of->json);
}

/* Those that were muted and have no term now: they can be given their weight back. */
static void write_muted(const struct equations *of) {
    const struct server_model *server = of->view->server;
    json_key(of->json, "muted");
    json_array(of->json);
    for (int i = 0; i < server->param_count; i++) {
        if (param_list_is_muted(&server->params[i], of->agent)) {
            const struct param_name name = param_name_of(server->params[i].param);
            json_object(of->json);
            json_key_string(of->json, "behavior", name.behavior);
            page_number(of->json, "weight", (double)i);
            json_end(of->json);
        }
    }
    json_end(of->json);
}

void page_write_equations(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    if (view->inspected == NULL || view->agent[0] == '\0' || !page_has_side(panels, view)) {
        json_raw(json, "{\"has\":false}");
        return;
    }
    const struct equations of = {.json = json,
                                 .view = view,
                                 .agent = view->inspected,
                                 .palette = view_settings_palette(view->settings),
                                 .most = formula_most_wanted(view->inspected)};
    json_object(json);
    json_key_bool(json, "has", true);
    json_key_string(json, "kind", of.agent->kind);
    json_key_string(json, "no_tuning", view->no_tuning);
    json_key(json, "terms");
    json_array(json);
    int order[MESSAGE_AGENT_TERMS];
    formula_term_order(of.agent, order);
    for (int i = 0; i < of.agent->term_count; i++) {
        write_term(&of, order[i], &panels->formula);
    }
    json_end(json);
    write_muted(&of);
    if (of.agent->term_count > 0) {
        write_figure(&of);
        formula_of_sum(of.agent, &panels->formula);
        write_lines(&of, "sum", &panels->formula);
    }
    json_end(json);
}
