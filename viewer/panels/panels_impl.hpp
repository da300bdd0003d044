/* The primitives of the panels: text, boxes, marks, invisible buttons. For the panels alone. */
#ifndef DROVER_VIEWER_PANELS_PANELS_IMPL_HPP
#define DROVER_VIEWER_PANELS_PANELS_IMPL_HPP

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <imgui.h>

/* vec2.h is C: its compound literals are an extension here */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
extern "C" {
#include "viewer/draw/canvas.h"
#include "viewer/draw/raster.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/formula.h"
#include "viewer/explain/param_list.h"
#include "viewer/explain/texts.h"
#include "viewer/explain/theme.h"
#include "viewer/model/replay.h"
#include "viewer/model/shortcuts.h"
#include "viewer/panels/panel_controls.h"
#include "viewer/panels/panels.h"
}
#pragma GCC diagnostic pop

/* The colors of a theme: theme(THEME_TEXT). */
struct theme_parts {
    enum palette palette;
    color operator()(enum theme_part part) const { return theme_color(palette, part); }
};

/* ImGui's colors have red in the lowest byte, ours blue. */
inline ImU32 to_imgui(color c) {
    return (c & 0xff00ff00u) | ((c & 0xffu) << 16) | ((c >> 16) & 0xffu);
}
inline color from_imgui(ImU32 c) {
    return to_imgui(c);
}

enum icon { icon_pause, icon_play, icon_step, icon_restart };

/* The size of a font, px: ours have one each. Those of Dear ImGui 1.92 have any, and keep the one that they were loaded with. */
inline float font_px(const ImFont *font) {
#if IMGUI_VERSION_NUM >= 19200
    return font->LegacySize;
#else
    return font->FontSize;
#endif
}

/* A child whose controls are its parent's for the keyboard, until ImGui::EndChild. is_padded: as a window is. */
inline void begin_part(const char *name, ImVec2 size, bool is_padded) {
#if IMGUI_VERSION_NUM >= 19090 /* these are flags of children */
    ImGui::BeginChild(name, size,
                      ImGuiChildFlags_NavFlattened |
                          (is_padded ? ImGuiChildFlags_AlwaysUseWindowPadding : ImGuiChildFlags_None));
#else
    ImGui::BeginChild(name, size, false,
                      ImGuiWindowFlags_NavFlattened |
                          (is_padded ? ImGuiWindowFlags_AlwaysUseWindowPadding : ImGuiWindowFlags_None));
#endif
}

/* Draws into an ImGui list, in window px times the scale. */
struct panels_pen {
    float scale;
    theme_parts theme; /* of this frame */
    ImFont *regular, *bold, *large;
    ImDrawList *list;

    float px(float window_px) const { return window_px * scale; }
    /* Text at whole pixels. Returns its width. */
    float text(ImFont *font, float x, float y, color c, const char *words) {
        list->AddText(font, font_px(font), ImVec2(std::floor(x), std::floor(y)), to_imgui(c), words);
        return width(font, words);
    }
    static float width(ImFont *font, const char *words, float wrap = 0.0f) {
        return font->CalcTextSizeA(font_px(font), FLT_MAX, wrap, words).x;
    }
    static void fit(ImFont *font, const char *words, float room, char *out, size_t size);
    void box(ImVec2 low, ImVec2 high, color fill, color edge, float rounding);
    void agent_mark(ImVec2 at, enum shape shape, float radius, color fill);
    void vector_mark(ImVec2 at, color fill);
    float heading(float x, float y, const char *words);
    void row(float x, float y, float right, const panels_row &row);

    void begin_window(const char *name, ImVec2 low, ImVec2 high);
    bool button(const char *id, ImVec2 low, ImVec2 high);
    bool icon_button(const char *id, ImVec2 low, color fill, enum icon icon, const char *why_not);
    void tooltip(const char *words, ImVec2 at, float share_x, float share_y);
};

/* The state of the panels, for the viewer's C++ files alone.
 *
 * From the bottom up: panels_draw.cpp (text, boxes, buttons, triangles to pixels); then the parts: panels_legend.cpp (bar, legend, notices),
 * panels_side.cpp (agent, settings, plots, sliders), panels_equations.cpp (and the card about the world), panels_timeline.cpp,
 * panels_picker.cpp (and questions); then panels.cpp (style, which of them are open, exhibitions).
 */

struct bar_item;

/* A part of a formula's line that is not broken. */
struct formula_piece {
    const formula_token *token;
    const char *begin, *end; /* in its text */
    float wide, room;        /* px of the text, and of what is reserved for it */
    bool is_closing;         /* it does not begin a line */
};
enum { FORMULA_PIECES = 120 };

/* The texture of panels_view.preview; the font's is null. A pointer or, since Dear ImGui 1.91.4, a number. */
inline ImTextureID preview_texture() {
    static const char its_address = '\0';
    return reinterpret_cast<ImTextureID>(const_cast<char *>(&its_address));
}
/* What ImGui sees of the input in this frame. */
struct panels_given {
    bool takes_click, takes_press; /* those of the input: they need not come again */
    bool has_control;              /* takes_press: it came with Ctrl */
};

struct panels : panels_pen {
    raster_texture texture;
    ImFont *afar_title, *afar; /* of captions from afar */
    ImVec2 white;              /* u, v of an opaque texel */
    panels_result result;
    float side_px;   /* how wide the side panel is, px of the picture */
    char wanted[64]; /* typed in the picker */
    int chosen;      /* row of the picker */
    bool had_picker, had_help, had_card;
    char early[64];    /* typed before the picker's line was ready for it */
    bool is_ready;     /* the line takes letters */
    bool has_typed;    /* the rows of the view are not yet those that fit what is typed */
    bool picks_next;   /* Return came with letters: it means the rows that fit them */
    int picker_shown;  /* the row that was last brought into sight */
    float help_scroll; /* px that the rows of the help are moved up */
    /* the side panel */
    enum panels_focus focus; /* of the frame before */
    float sliders_px;        /* how high all sliders are, px of the picture; 0: not known yet */
    bool had_params;
    char filter[64];                        /* of the sliders */
    char first_state[LIMIT_NAME_CHARS + 1]; /* whose sliders come first */
    struct formula formula;                 /* of the row that is drawn */
    int held_param;                         /* the parameter that is dragged, typed or moved by keys; -1 */
    double held_value;                      /* what it has until then */
    bool is_taken;                          /* it is no mere click */
    panels_given given;
    bool is_over_slider;    /* in the frame before */
    bool is_speed_held;     /* the slider of the speed is, */
    float held_speed;       /* at this place */
    float scrub_x;          /* where the mouse last moved the timeline's handle, */
    float scrub_off;        /* how far the handle was beside it, */
    float scrub_place;      /* where it was then, */
    double scrub_tick;      /* and at which moment, */
    bool is_scrub_live;     /* or at now, however late that becomes */
    bool is_scrubbed;       /* the mouse has moved since, or it was taken beside the handle */
    bool scrubs_replay;     /* the handle of a recording's timeline is held, */
    replay_moment scrub_at; /* at this moment */
    int asked;              /* the question of the frame before, enum panels_question */
    bool is_proposal;       /* what stands in the question's line is the proposal */
    char entered[LIMIT_NAME_CHARS + 1];
    char refused[48];                 /* why the last key changed nothing in it; "" when it did */
    ImVec2 covered_low, covered_high; /* the box of the question or the list; both 0 without one */
    raster_image preview;             /* of this frame; pixels NULL for none */
    const panels_input *input;

    /* panels_legend.cpp */
    float item_width(const bar_item &item);
    void draw_item(float x, float y, const bar_item &item);
    float bar_begin(const panels_view &view, float y, float bar_width);
    void bar(const panels_view &view, float width);
    /* panels_legend.cpp */
    float legend(const panels_view &view);
    float legend_rows(const panels_view &view, float y, float line, float left, float right);
    void legend_row_button(const panels_view &view, int index, ImVec2 low, ImVec2 high);
    void legend_head(bool has_rows, ImVec2 low, ImVec2 high);
    void legend_way(const legend_row &row, ImVec2 at);
    void legend_mark(const legend_row &row, ImVec2 at);
    void legend_scale(const color_scale &bar, float x, float y, float right);
    void labels(const panels_view &view);
    /* panels_legend.cpp */
    void help(const panels_view &view, ImVec2 size);
    void help_rows(const panels_view &view, ImVec2 low, ImVec2 high, size_t lines, float line, float keys,
                   float column);
    void toast(const panels_view &view, ImVec2 size);
    float toast_top(const panels_view &view, ImVec2 size, float left, float w, float h);
    void tool(const panels_view &view, ImVec2 size);
    void tag(const panels_view &view);
    void past(const panels_view &view, ImVec2 size, float legend_right);
    void banner(const panels_view &view, ImVec2 size);

    /* panels_side.cpp */
    void sliders(const panels_view &view);
    void kind_choice(const panels_view &view);
    void param_rows(const panels_view &view);
    void param_row(const panels_view &view, int index);
    void param_tip(const panels_view &view, const message_param &param, double first);
    void move_param(const panels_view &view, int param, double value, bool is_changed);
    void tune(int param, double value);

    /* panels_side.cpp */
    void inspector(const panels_view &view);
    /* panels_equations.cpp */
    void equations(const panels_view &view);
    void term(const panels_view &view, int index, float most);
    void muted_terms(const panels_view &view);
    void force_bar(const char *behavior, float wants, float gets, float most);
    void formula_lines(const panels_view &view, const char *kind, float indent);
    int formula_pieces(const formula_line &line, formula_piece *pieces);
    float reserved(const char *key, int index, float wide);
    void formula_line_row(const panels_view &view, const formula_line &line, float indent);
    void token(const panels_view &view, const formula_token &token, const char *begin, const char *end);
    void figure(const panels_view &view);
    void figure_arrow(const panels_view &view, const formula_arrow &arrow, ImVec2 from, ImVec2 to);
    void figure_words(const panels_view &view, const formula_figure &shown, ImVec2 low, ImVec2 high,
                      float keys, float px_per);
    void point_at(const formula_link &link);
    bool eye(const panels_view &view, int weight);
    /* panels_side.cpp */
    void setting_rows(const panels_view &view);
    void toggle_row(const panels_view &view, const shortcut &row);
    void choice_row(const panels_view &view, const shortcut &row);
    void setting_mark(const shortcut &row, float right, float y);
    /* panels_side.cpp */
    void plot(const panels_view &view, const panels_plot &plot);
    void plot_number(const char *number, float x, float y);
    void plot_tip(const panels_view &view, const panels_plot &plot, int index);
    void own_choice(const panels_view &view);
    void plots(const panels_view &view);
    /* panels_side.cpp */
    float network(const panels_view &view, float x, float y, float right);
    void network_section(const panels_view &view);
    void network_corner(const panels_view &view, ImVec2 size);
    /* panels_side.cpp */
    void rank_bar(const panels_rank &rank);
    void ranks(const panels_view &view);
    /* panels_side.cpp */
    void move_focus(const panels_view &view);
    bool section(const panels_view &view, enum panel_section_id which);
    void note(const char *words);
    void value_row(const char *name, const char *value);
    void place_tip();
    void tip(const char *words);
    void tip(const char *words, const char *more);
    void observations(const panels_view &view);
    void side(const panels_view &view, ImVec2 size);
    void side_edge(float left, float top, float bottom);
    /* panels_timeline.cpp */
    float action_button(const panels_view &view, enum shortcut_action action, const char *label, bool is_lit, float right, float wide,
                        float middle);
    float moment_buttons(const panels_view &view, float right, float wide, float middle);
    void moments(const panels_view &view, float left, float length, int lane, float y);
    void lane(const panels_view &view, float left, float length, int index, float middle);
    void moment_hint(const panels_view &view, float left, float length, float middle);
    void scrub(const panels_view &view, float left, float length, float knob);
    void track(const panels_view &view, float left, float length, float middle);
    void timeline(const panels_view &view, ImVec2 size);
    float time_buttons(const panels_view &view, ImVec2 low, ImVec2 high);
    void time_button(const panels_view &view, enum icon icon, enum shortcut_action action, ImVec2 low);
    float speed_box(const panels_view &view, float x, float middle);
    void speed_slider(const panels_view &view, float wide);
    void speed_words(const panels_view &view, char *out, size_t size) const;
    void take_speed(float place, bool is_changed, bool is_typed);
    void tip_above(const char *words, const char *why_not);
    void speed_max(const panels_view &view);
    void set_speed(double speed, bool is_held);
    /* panels_picker.cpp */
    void picker(const panels_view &view, ImVec2 size);
    void picker_keys(const panels_view &view, int page);
    void picker_head(const panels_view &view, float wide);
    void picker_list(const panels_view &view, ImVec2 room);
    void picker_row(const panels_view &view, int index, float wide);
    void picker_detail(const panels_view &view, ImVec2 room);
    /* panels_equations.cpp */
    void caption(const panels_view &view, ImVec2 size, float legend_right);
    /* panels.cpp */
    void kiosk_words(ImVec2 middle, float wrap, const char *title, const char *words, const char *more,
                     float alpha);
    void kiosk(const panels_view &view, ImVec2 size);
    void finish(struct canvas *canvas);
    void card(const panels_view &view, ImVec2 size);
    void card_texts(const explain_card &card);
    void card_keys(const explain_card &card);
    /* panels.cpp */
    void windows(const panels_view &view, ImVec2 size);

    /* panels_picker.cpp */
    void dialog(const panels_view &view, ImVec2 size);
    void edit_line(const panels_view &view);
    void dialog_line(const panels_view &view, float x, float y, float right);
    void dialog_buttons(const panels_view &view, float x, float y, float right);

    /* panels_timeline.cpp */
    void replay_timeline(const panels_view &view, ImVec2 size);
    void replay_track(const panels_view &view, float left, float right, float middle);
    void replay_hint(const panels_view &view, float left, float right, float middle, float mouse_x);
    float replay_words(const panels_view &view, float right, float least, float middle);
    float replay_take_over(const panels_view &view, float right, float least, float middle);
    float replay_button(const char *id, const char *words, float right, float middle, const char *why_not,
                        bool *is_pressed);

    /* panels_draw.cpp */
    void paint_raster(canvas *canvas);
    void paint_mesh(canvas *canvas);
    void paint_triangles(canvas *canvas, const ImDrawList *commands, const ImDrawCmd &command);
    void paint_preview(canvas *canvas, const ImDrawList *commands, const ImDrawCmd &command);
    bool paint_quad(raster *raster, const ImDrawVert *vertex, const ImDrawIdx *index);
};

#endif
