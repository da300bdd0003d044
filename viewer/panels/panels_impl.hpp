/* What the viewer's C++ files share: the panels' state and how they write. Not for others. */
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
#include "viewer/draw/palette.h"
#include "viewer/model/shortcuts.h"
#include "viewer/panels/panels.h"
}
#pragma GCC diagnostic pop

constexpr color panel_fill = 0xff1b1f26u, legend_fill = 0xa01b1f26u, panel_edge = 0xff2d343fu,
                pop_fill = 0xfa1e232bu, pop_edge = 0xff3d4653u, well_fill = 0xff12151au,
                faint_text = 0xff6c7683u;

struct bar_item;

/* ImGui's colours have red in the lowest byte, ours blue. */
inline ImU32 to_imgui(color c) {
    return (c & 0xff00ff00u) | ((c & 0xffu) << 16) | ((c >> 16) & 0xffu);
}
inline color from_imgui(ImU32 c) {
    return to_imgui(c);
}

struct panels {
    float scale;
    ImFont *regular, *bold, *large;
    raster_texture texture;
    ImVec2 white; /* u, v of an opaque texel */
    ImDrawList *list;
    panels_result result;
    char wanted[64]; /* typed in the picker */
    int chosen;      /* row of the picker */
    bool had_picker, had_help;
    float help_scroll;           /* px that the rows of the help are moved up */
    int typed_param, held_param; /* index of the parameter that is typed, or held; -1 */
    char typed[24];
    double held_value;
    float scrub_x;    /* where the timeline's handle was taken, */
    double scrub_s;   /* and at which moment */
    bool is_scrubbed; /* the mouse has moved since, or it was taken beside the handle */
    const pointer *mouse;
    const panels_input *input;

    float px(float window_px) const { return window_px * scale; }
    /* Text at whole pixels. Returns its width. */
    float text(ImFont *font, float x, float y, color c, const char *words) {
        list->AddText(font, font->FontSize, ImVec2(std::floor(x), std::floor(y)), to_imgui(c), words);
        return width(font, words);
    }
    static float width(ImFont *font, const char *words, float wrap = 0.0f) {
        return font->CalcTextSizeA(font->FontSize, FLT_MAX, wrap, words).x;
    }
    void box(ImVec2 low, ImVec2 high, color fill, color edge, float rounding);
    void agent_mark(ImVec2 at, enum shape shape, float radius, color fill);
    void vector_mark(ImVec2 at, color fill);
    float item_width(const bar_item &item);
    void draw_item(float x, float y, const bar_item &item);
    float bar_begin(const panels_view &view, float y, float bar_width);
    void bar(const panels_view &view, float width);
    float legend(const panels_view &view);
    void labels(const panels_view &view, float picture_width);
    void help(const panels_view &view, ImVec2 size);
    void help_rows(const panels_view &view, ImVec2 low, ImVec2 high, size_t lines, float line, float keys,
                   float column);
    void tooltip(const char *words, ImVec2 at, float share_x, float share_y);
    void toast(const panels_view &view, ImVec2 size);
    void tool(const panels_view &view, ImVec2 size);
    void past(const panels_view &view, ImVec2 size, float legend_right);
    void banner(const panels_view &view, ImVec2 size);

    /* panels_windows.cpp */
    /* panels_params.cpp */
    float params(const panels_view &view, float x, float y, float right);
    float param_row(const panels_view &view, const panels_param &param, float x, float y, float right);
    bool type_value(const panels_param &param);

    void windows(const panels_view &view, ImVec2 size);
    void begin_window(const char *name, ImVec2 low, ImVec2 high);
    bool button(const char *id, ImVec2 low, ImVec2 high);
    bool icon_button(const char *id, ImVec2 low, color fill, int icon, const char *why_not);
    float heading(float x, float y, const char *words);
    void row(float x, float y, float right, const panels_row &row);
    float inspector(const panels_view &view, float x, float y, float right);
    float setting_rows(const panels_view &view, float x, float y, float right);
    void toggle_row(const shortcut &row, bool is_on, float x, float y, float right);
    void choice_row(const panels_view &view, const shortcut &row, float x, float y);
    void setting_mark(const shortcut &row, float right, float y);
    float plot(const panels_plot &plot, int mark, float x, float y, float right, float height);
    float network(const panels_view &view, float x, float y, float right);
    float observations(const panels_view &view, float x, float y, float right);
    void side(const panels_view &view, ImVec2 size);
    void scrub(const panels_view &view, float right, float knob, double seconds_per_px);
    void timeline(const panels_view &view, ImVec2 size);
    void network_corner(const panels_view &view, ImVec2 size);
    void picker(const panels_view &view, ImVec2 size);
    void hit_rows(const panels_view &view, float x, float y, float right, float bottom);

    void paint_raster(canvas *canvas);
    void paint_mesh(canvas *canvas);
    void paint_triangles(canvas *canvas, const ImDrawList *commands, const ImDrawCmd &command);
    bool paint_quad(raster *raster, const ImDrawVert *vertex, const ImDrawIdx *index);
};

#endif
