/* See panels.h. Layout is done with ImGui's draw list and font; its triangles go to our own raster, because
 * SDL's software renderer would draw them with whole-pixel corners. */
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include <imgui.h>
#include <unistd.h>

/* vec2.h is C: its compound literals are an extension here */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
extern "C" {
#include "viewer/arrow.h"
#include "viewer/palette.h"
#include "viewer/panels.h"
#include "viewer/shortcuts.h"
}
#pragma GCC diagnostic pop

namespace {

constexpr color legend_fill = 0xa01b1f26u, panel_edge = 0xff2d343fu;

const char *const regular_fonts[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf", "/usr/share/fonts/TTF/DejaVuSans.ttf"};
const char *const bold_fonts[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf", "/usr/share/fonts/dejavu/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans-Bold.ttf", "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf"};

/* Latin, Greek, Cyrillic, punctuation and arrows: what titles are likely to hold. */
const ImWchar glyph_ranges[] = {0x0020, 0x017f, 0x0370, 0x03ff, 0x0400, 0x045f,
                                0x2010, 0x2026, 0x2190, 0x2193, 0};

/* A number in the bar and its name. */
struct bar_item {
    const char *name, *value;
    float least; /* window px for the value, so that what is beside it does not jump */
    bool is_left;
    bool explains_itself; /* the name may go when there is no room for both */
};

struct swatch {
    enum { agent, vector } shape;
    ImVec2 at;
    color fill;
};

template <size_t count> ImFont *load_font(const char *const (&paths)[count], float size) {
    ImFontConfig config;
    config.OversampleH =
        1; /* glyphs lie on whole pixels: drawn texel for pixel, as sharp as they were made */
    config.OversampleV = 1;
    config.PixelSnapH = true;
    for (const char *path : paths) {
        if (access(path, R_OK) == 0) {
            return ImGui::GetIO().Fonts->AddFontFromFileTTF(path, size, &config, glyph_ranges);
        }
    }
    config.SizePixels = size;
    return ImGui::GetIO().Fonts->AddFontDefault(&config);
}

/* ImGui's colours have red in the lowest byte, ours blue. */
ImU32 to_imgui(color c) {
    return (c & 0xff00ff00u) | ((c & 0xffu) << 16) | ((c >> 16) & 0xffu);
}
color from_imgui(ImU32 c) {
    return to_imgui(c);
}

raster_vertex to_vertex(const ImDrawVert &vertex) {
    return {vertex.pos.x, vertex.pos.y, vertex.uv.x, vertex.uv.y, from_imgui(vertex.col)};
}

} // namespace

struct panels {
    float scale;
    ImFont *regular, *bold, *large;
    raster_texture texture;
    ImDrawList *list;
    std::vector<swatch> swatches; /* drawn by the raster after the panels */

    float px(float window_px) const { return window_px * scale; }
    /* Text at whole pixels. Returns its width. */
    float text(ImFont *font, float x, float y, color c, const char *words) {
        list->AddText(font, font->FontSize, ImVec2(std::floor(x), std::floor(y)), to_imgui(c), words);
        return width(font, words);
    }
    static float width(ImFont *font, const char *words, float wrap = 0.0f) {
        return font->CalcTextSizeA(font->FontSize, FLT_MAX, wrap, words).x;
    }
    void box(ImVec2 low, ImVec2 high, color fill, color edge, float rounding) {
        low = ImVec2(std::floor(low.x), std::floor(low.y));
        high = ImVec2(std::floor(high.x), std::floor(high.y));
        list->AddRectFilled(low, high, to_imgui(fill), px(rounding));
        if (edge != 0) {
            list->AddRect(low, high, to_imgui(edge), px(rounding), 0, px(1));
        }
    }
    float item_width(const bar_item &item);
    void draw_item(float x, float y, const bar_item &item);
    float bar_begin(const panels_view &view, float y);
    void bar(const panels_view &view, float width);
    void legend(const panels_view &view);
    void labels(const panels_view &view, float picture_width);
    void help(ImVec2 size);
    void toast(const panels_view &view, ImVec2 size);
    void banner(const panels_view &view, ImVec2 size);
    void paint(struct raster *raster);
};

float panels::item_width(const bar_item &item) {
    const float name = width(regular, item.name);
    return std::max(width(regular, item.value), px(item.least)) + name + (name > 0 ? px(6) : 0);
}

void panels::draw_item(float x, float y, const bar_item &item) {
    const float name = text(regular, x, y, PALETTE_TEXT_DIM, item.name);
    text(regular, x + name + (name > 0 ? px(6) : 0), y, name > 0 ? PALETTE_TEXT : PALETTE_TEXT_DIM,
         item.value);
}

/* Title and state. Returns where they end. */
float panels::bar_begin(const panels_view &view, float y) {
    float x = px(12);
    if (view.scenario[0] != '\0') {
        x += text(bold, x, y, PALETTE_TEXT, view.scenario) + px(20);
    }
    list->AddCircleFilled(ImVec2(std::floor(x + px(5)) + 0.5f, std::floor(px(PANELS_BAR_PX) / 2) + 0.5f),
                          px(4.5f), to_imgui(view.state_color), 24);
    x += px(16);
    return x + std::max(text(regular, x, y, PALETTE_TEXT, view.state), px(64)) + px(18);
}

/* Left: what is running. Right: how well it is seen. When the window is narrow, what matters least is left
 * out; what stays keeps its place while the numbers change. */
void panels::bar(const panels_view &view, float bar_width) {
    const float height = px(PANELS_BAR_PX), y = std::floor((height - regular->FontSize) / 2);
    list->AddRectFilled(ImVec2(0, 0), ImVec2(bar_width, height), to_imgui(0xff1b1f26u));
    list->AddRectFilled(ImVec2(0, height - px(1)), ImVec2(bar_width, height), to_imgui(panel_edge));
    const bar_item items[] = {{"tick", view.tick, 58, true, false}, {"F1", "keys", 0, false, false},
                              {"ping", view.ping, 52, false, true}, {"snapshots", view.rate, 40, false, true},
                              {"t", view.time, 58, true, true},     {"", view.address, 0, false, true}};
    float left = bar_begin(view, y), right = bar_width - px(12);
    for (bar_item item : items) { /* what matters most first */
        if (item.explains_itself && left + item_width(item) > right) {
            item.name = "";
        }
        const float needed = item_width(item);
        if (item.value[0] == '\0' || left + needed > right) {
            continue;
        }
        if (item.is_left) {
            draw_item(left, y, item);
            left += needed + px(14);
        } else {
            draw_item(right - needed, y, item);
            right -= needed + px(18);
        }
    }
}

void panels::legend(const panels_view &view) {
    struct row {
        swatch mark;
        const char *name;
        char count[16];
    };
    std::vector<row> rows;
    for (int i = 0; i < view.legend_count; i++) {
        row entry = {{swatch::agent, {}, palette_state(view.legend[i].state)}, view.legend[i].state, ""};
        std::snprintf(entry.count, sizeof entry.count, "%d", view.legend[i].count);
        rows.push_back(entry);
    }
    const size_t states = rows.size();
    if (view.shows_forces) {
        rows.push_back({{swatch::vector, {}, PALETTE_VELOCITY}, "velocity", ""});
        if (view.has_force_data) {
            rows.push_back({{swatch::vector, {}, PALETTE_DESIRED}, "desired", ""});
            rows.push_back({{swatch::vector, {}, PALETTE_STEERING}, "steering", ""});
        }
    }
    if (rows.empty()) {
        return;
    }
    float names = 0, counts = 0;
    for (const row &entry : rows) {
        names = std::max(names, width(regular, entry.name));
        counts = std::max(counts, width(regular, entry.count));
    }
    const float line = px(22), left = px(10), top = px(PANELS_BAR_PX + 10), text_x = left + px(42);
    const float gap = states > 0 && states < rows.size() ? px(9) : 0;
    const float right = text_x + names + (counts > 0 ? px(16) + counts : 0) + px(12);
    const float bottom = top + px(12) + line * static_cast<float>(rows.size()) + gap;
    /* it may lie over the world: what moves below it shows through */
    box(ImVec2(left, top), ImVec2(right, bottom), legend_fill, panel_edge, 5);
    float y = top + px(6);
    for (size_t i = 0; i < rows.size(); i++) {
        if (i == states && gap > 0) {
            list->AddRectFilled(ImVec2(left + px(12), std::floor(y + gap / 2)),
                                ImVec2(right - px(12), std::floor(y + gap / 2) + px(1)),
                                to_imgui(panel_edge));
            y += gap;
        }
        row &entry = rows[i];
        entry.mark.at = ImVec2(std::floor(left + px(21)) + 0.5f, std::floor(y + line / 2) + 0.5f);
        swatches.push_back(entry.mark);
        const float text_y = y + (line - regular->FontSize) / 2;
        text(regular, text_x, text_y, PALETTE_TEXT, entry.name);
        text(regular, right - px(12) - width(regular, entry.count), text_y, PALETTE_TEXT_DIM, entry.count);
        y += line;
    }
}

/* Beside its marker: to the right, or to the left where the picture ends. */
void panels::labels(const panels_view &view, float picture_width) {
    for (int i = 0; i < view.label_count; i++) {
        const panels_label &label = view.labels[i];
        const float words = width(regular, label.text), gap = px(18);
        const bool fits = label.x + gap + words + px(4) <= picture_width;
        const float x = fits ? label.x + gap : label.x - gap - words;
        const float y = label.y - regular->FontSize / 2;
        text(regular, x + px(1), y + px(1), 0xc00a0c0fu, label.text);
        text(regular, x, y, PALETTE_TEXT_DIM, label.text);
    }
}

void panels::help(ImVec2 size) {
    size_t count = 0;
    const shortcut *table = shortcuts_table(&count);
    float keys = 0, words = 0;
    for (size_t i = 0; i < count; i++) {
        keys = std::max(keys, width(bold, table[i].name));
        words = std::max(words, width(regular, table[i].help));
    }
    const float pad = px(22), room = size.y - px(PANELS_BAR_PX + 8 + 34) - pad * 2;
    const float line =
        std::min(px(25), std::max(room / static_cast<float>(count), regular->FontSize + px(1)));
    const float w = pad * 2 + keys + px(26) + words, h = pad * 2 + px(34) + line * static_cast<float>(count);
    const ImVec2 low(std::floor((size.x - w) / 2),
                     std::floor(std::max((size.y - h) / 2, px(PANELS_BAR_PX + 4))));
    list->AddRectFilled(ImVec2(0, px(PANELS_BAR_PX)), size, to_imgui(0x8015181du));
    box(low, ImVec2(low.x + w, low.y + h), 0xfa1e232bu, 0xff3d4653u, 8);
    text(large, low.x + pad, low.y + pad - px(4), PALETTE_TEXT, "Keys");
    float y = low.y + pad + px(34);
    for (size_t i = 0; i < count; i++, y += line) {
        text(bold, low.x + pad, y, PALETTE_ACCENT, table[i].name);
        text(regular, low.x + pad + keys + px(26), y, PALETTE_TEXT, table[i].help);
    }
}

void panels::toast(const panels_view &view, ImVec2 size) {
    if (view.toast[0] == '\0' || view.toast_alpha <= 0.0f) {
        return;
    }
    const float pad = px(14), stripe = px(4);
    const float wrap = std::max(std::min(px(640), size.x - px(80)), px(80));
    const ImVec2 words = regular->CalcTextSizeA(regular->FontSize, FLT_MAX, wrap, view.toast);
    const ImVec2 low(std::floor((size.x - words.x) / 2 - pad),
                     std::floor(size.y - px(28) - words.y - pad * 2));
    const ImVec2 high(low.x + words.x + pad * 2, low.y + words.y + pad * 2 - px(6));
    const color mark = view.is_toast_error ? PALETTE_BAD : PALETTE_ACCENT;
    box(low, high, color_fade(0xfa1e232bu, view.toast_alpha), color_fade(0xff3d4653u, view.toast_alpha), 5);
    list->AddRectFilled(ImVec2(low.x, low.y), ImVec2(low.x + stripe, std::floor(high.y)),
                        to_imgui(color_fade(mark, view.toast_alpha)), px(5), ImDrawFlags_RoundCornersLeft);
    list->AddText(regular, regular->FontSize, ImVec2(low.x + pad, std::floor(low.y + pad - px(3))),
                  to_imgui(color_fade(PALETTE_TEXT, view.toast_alpha)), view.toast, nullptr, wrap);
}

void panels::banner(const panels_view &view, ImVec2 size) {
    if (view.banner[0][0] == '\0') {
        return;
    }
    const float wrap = std::max(std::min(px(640), size.x - px(80)), px(80));
    const ImVec2 title = large->CalcTextSizeA(large->FontSize, FLT_MAX, 0.0f, view.banner[0]);
    const ImVec2 words = regular->CalcTextSizeA(regular->FontSize, FLT_MAX, wrap, view.banner[1]);
    const bool has_words = view.banner[1][0] != '\0';
    const float w = std::max(title.x, words.x) + px(56), h = px(64) + (has_words ? px(14) + words.y : 0);
    const ImVec2 low(std::floor((size.x - w) / 2), std::floor((size.y - h) / 2));
    box(low, ImVec2(low.x + w, low.y + h), 0xf01e232bu, 0xff3d4653u, 8);
    text(large, (size.x - title.x) / 2, low.y + px(20), PALETTE_TEXT, view.banner[0]);
    list->AddText(regular, regular->FontSize,
                  ImVec2(std::floor((size.x - words.x) / 2), std::floor(low.y + px(54))),
                  to_imgui(PALETTE_TEXT_DIM), view.banner[1], nullptr, wrap);
}

void panels::paint(struct raster *raster) {
    const ImDrawData *data = ImGui::GetDrawData();
    for (int l = 0; l < data->CmdListsCount; l++) {
        const ImDrawList *commands = data->CmdLists[l];
        for (const ImDrawCmd &command : commands->CmdBuffer) {
            if (command.UserCallback != nullptr) {
                continue;
            }
            raster_set_clip(
                raster, {static_cast<int32_t>(command.ClipRect.x), static_cast<int32_t>(command.ClipRect.y),
                         static_cast<int32_t>(command.ClipRect.z), static_cast<int32_t>(command.ClipRect.w)});
            const ImDrawIdx *index = commands->IdxBuffer.Data + command.IdxOffset;
            const ImDrawVert *vertex = commands->VtxBuffer.Data + command.VtxOffset;
            for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
                const raster_vertex corners[3] = {to_vertex(vertex[index[i]]),
                                                  to_vertex(vertex[index[i + 1]]),
                                                  to_vertex(vertex[index[i + 2]])};
                raster_draw_triangle(raster, corners, &texture);
            }
        }
    }
    raster_reset_clip(raster);
}

struct panels *panels_create(float scale) {
    panels *made = new (std::nothrow) panels();
    if (made == nullptr) {
        return nullptr;
    }
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr; /* nothing is written beside the user's files */
    io.LogFilename = nullptr;
    ImGui::GetStyle().AntiAliasedLinesUseTex = false; /* would need a filtered texture */
    made->scale = scale;
    made->regular = load_font(regular_fonts, std::floor(14 * scale));
    made->bold = load_font(bold_fonts, std::floor(14 * scale));
    made->large = load_font(bold_fonts, std::floor(18 * scale));
    io.Fonts->Flags |= ImFontAtlasFlags_NoBakedLines;
    unsigned char *texels = nullptr;
    io.Fonts->GetTexDataAsAlpha8(&texels, &made->texture.width, &made->texture.height);
    made->texture.texels = texels;
    return made;
}

void panels_destroy(struct panels *panels) {
    if (panels != nullptr) {
        ImGui::DestroyContext();
        delete panels;
    }
}

void panels_draw(struct panels *panels, const struct panels_view *view, struct raster *raster) {
    const ImVec2 size(static_cast<float>(raster->width), static_cast<float>(raster->height));
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = size;
    io.DeltaTime = 1.0f / 60.0f;
    ImGui::NewFrame();
    panels->list = ImGui::GetBackgroundDrawList();
    panels->swatches.clear();
    panels->labels(*view, size.x);
    panels->bar(*view, size.x);
    panels->legend(*view);
    panels->banner(*view, size);
    panels->toast(*view, size);
    ImGui::Render();
    panels->paint(raster);
    for (const swatch &mark : panels->swatches) {
        const float s = panels->scale;
        if (mark.shape == swatch::agent) {
            arrow_draw(raster, {mark.at.x, mark.at.y}, 7 * s, 0, mark.fill, 1.25f * s, 1);
        } else {
            arrow_draw_vector(raster, {mark.at.x - 10 * s, mark.at.y}, {mark.at.x + 11 * s, mark.at.y}, 2 * s,
                              mark.fill);
        }
    }
    if (view->shows_help) { /* over the swatches too */
        ImGui::NewFrame();
        panels->list = ImGui::GetBackgroundDrawList();
        panels->help(size);
        ImGui::Render();
        panels->paint(raster);
    }
}
