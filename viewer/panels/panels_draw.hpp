/* The primitives of the panels: text, boxes, marks, invisible buttons. For the panels alone. */
#ifndef DROVER_VIEWER_PANELS_PANELS_DRAW_HPP
#define DROVER_VIEWER_PANELS_PANELS_DRAW_HPP

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
#include "viewer/panels/panels_view.h"
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

/* The sizes of ImGui's own widgets, after the context was created. scale: picture px per window px. */
void panels_apply_style(float scale);
/* Their colors. */
void panels_apply_colors(const theme_parts &theme);

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

#endif
