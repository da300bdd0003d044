/* See panels.h. Layout is done with ImGui's draw list and font; its triangles go to our own canvas, because
 * SDL's software renderer would draw them with whole-pixel corners. */
#include <cstdlib>
#include <new>

#include <unistd.h>

#include "viewer/panels/panels_impl.hpp"

/* A number in the bar and its name. */
struct bar_item {
    const char *name, *value;
    float least; /* window px for the value, so that what is beside it does not jump */
    bool is_left;
    bool explains_itself; /* the name may go when there is no room for both */
};

namespace {

const char *const regular_fonts[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf", "/usr/share/fonts/TTF/DejaVuSans.ttf"};
const char *const bold_fonts[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf", "/usr/share/fonts/dejavu/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans-Bold.ttf", "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf"};

/* Latin, Greek, Cyrillic, punctuation and arrows: what titles are likely to hold. */
const ImWchar glyph_ranges[] = {0x0020, 0x017f, 0x0370, 0x03ff, 0x0400, 0x045f,
                                0x2010, 0x2026, 0x2190, 0x2193, 0};

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

raster_vertex to_vertex(const ImDrawVert &vertex) {
    return {vertex.pos.x, vertex.pos.y, vertex.uv.x, vertex.uv.y, from_imgui(vertex.col)};
}

} // namespace

void panels::box(ImVec2 low, ImVec2 high, color fill, color edge, float rounding) {
    low = ImVec2(std::floor(low.x), std::floor(low.y));
    high = ImVec2(std::floor(high.x), std::floor(high.y));
    list->AddRectFilled(low, high, to_imgui(fill), px(rounding));
    if (edge != 0) {
        list->AddRect(low, high, to_imgui(edge), px(rounding), 0, px(1));
    }
}

/* As agents look, pointing right. Not convex, so a fan around the middle, whose inner edges must not be
 * smoothed. */
void panels::agent_mark(ImVec2 at, enum shape shape, float radius, color fill) {
    int count = 0;
    const vec2 *points = shapes_points(shape, &count);
    ImVec2 corners[SHAPE_MAX_POINTS];
    const ImDrawListFlags before = list->Flags;
    for (int i = 0; i < count; i++) {
        corners[i] = ImVec2(at.x + points[i].x * radius, at.y + points[i].y * radius);
    }
    list->Flags &= ~ImDrawListFlags_AntiAliasedFill;
    for (int i = 0; i < count; i++) {
        list->AddTriangleFilled(at, corners[i], corners[(i + 1) % count], to_imgui(fill));
    }
    list->Flags = before;
    list->AddPolyline(corners, count, to_imgui(fill), ImDrawFlags_Closed, px(1));
}

void panels::vector_mark(ImVec2 at, color fill) {
    list->AddLine(ImVec2(at.x - px(11), at.y), ImVec2(at.x + px(6), at.y), to_imgui(fill), px(2));
    list->AddTriangleFilled(ImVec2(at.x + px(4), at.y - px(4)), ImVec2(at.x + px(12), at.y),
                            ImVec2(at.x + px(4), at.y + px(4)), to_imgui(fill));
}

float panels::item_width(const bar_item &item) {
    const float name = width(regular, item.name);
    return std::max(width(regular, item.value), px(item.least)) + name + (name > 0 ? px(6) : 0);
}

void panels::draw_item(float x, float y, const bar_item &item) {
    const float name = text(regular, x, y, PALETTE_TEXT_DIM, item.name);
    text(regular, x + name + (name > 0 ? px(6) : 0), y, name > 0 ? PALETTE_TEXT : PALETTE_TEXT_DIM,
         item.value);
}

/* The words if they fit, else as many letters as do and an ellipsis. */
static void fit(ImFont *font, const char *words, float room, char *out, size_t size) {
    std::snprintf(out, size, "%s", words);
    for (size_t length = std::strlen(out); length > 0 && panels::width(font, out) > room;) {
        do {
            length--;
        } while (length > 0 && (static_cast<unsigned char>(words[length]) & 0xc0u) == 0x80u);
        std::snprintf(out + length, size - length, "%s", length > 0 ? "…" : "");
    }
}

/* Title and state. A long title gives way to the state, which is always there. Returns where they end. */
float panels::bar_begin(const panels_view &view, float y, float bar_width) {
    float x = px(12);
    if (view.scenario[0] != '\0') {
        const float room = bar_width - x - px(20 + 16 + 12) - width(regular, view.state);
        char title[sizeof view.scenario + 4];
        fit(bold, view.scenario, room, title, sizeof title);
        x += text(bold, x, y, PALETTE_TEXT, title) + px(20);
    }
    list->AddCircleFilled(ImVec2(std::floor(x + px(5)) + 0.5f, std::floor(px(PANELS_BAR_PX) / 2) + 0.5f),
                          px(4.5f), to_imgui(view.state_color), 24);
    x += px(16);
    return x + std::max(text(regular, x, y, view.state_words, view.state), px(64)) + px(18);
}

/* Left: what is running. Right: how well it is seen. When the window is narrow, what matters least is left
 * out; what stays keeps its place while the numbers change. */
void panels::bar(const panels_view &view, float bar_width) {
    const float height = px(PANELS_BAR_PX), y = std::floor((height - regular->FontSize) / 2);
    list->AddRectFilled(ImVec2(0, 0), ImVec2(bar_width, height), to_imgui(0xff1b1f26u));
    list->AddRectFilled(ImVec2(0, height - px(1)), ImVec2(bar_width, height), to_imgui(panel_edge));
    const bar_item items[] = {{"recording", view.clip, 0, false, true},  {"tick", view.tick, 58, true, false},
                              {"agents", view.agents, 0, true, false},   {"role", view.role, 0, false, true},
                              {"F1", "keys", 0, false, false},           {"ping", view.ping, 52, false, true},
                              {"snapshots", view.rate, 40, false, true}, {"t", view.time, 58, true, true},
                              {"", view.address, 0, false, true}};
    float left = bar_begin(view, y, bar_width), right = bar_width - px(12);
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

/* Returns its right edge, 0 without one. */
float panels::legend(const panels_view &view) {
    struct vector_row {
        bool is_shown;
        const char *name;
        color fill;
        bool needs_data;
    };
    const view_settings &settings = *view.settings;
    const vector_row vectors[] = {{settings.shows_velocity, "velocity", PALETTE_VELOCITY, false},
                                  {settings.shows_desired, "desired", PALETTE_DESIRED, true},
                                  {settings.shows_steering, "steering", PALETTE_STEERING, true}};
    int shown = 0;
    float names = 0, counts = 0;
    char number[16];
    for (int i = 0; i < view.legend_count; i++) {
        std::snprintf(number, sizeof number, "%d", view.legend[i].count);
        names = std::max(names, width(regular, view.legend[i].name));
        counts = std::max(counts, width(regular, number));
    }
    for (const vector_row &entry : vectors) {
        if (entry.is_shown && (view.has_force_data || !entry.needs_data)) {
            names = std::max(names, width(regular, entry.name));
            shown++;
        }
    }
    if (view.legend_count + shown == 0) {
        return 0;
    }
    const float line = px(22), left = px(10), top = px(PANELS_BAR_PX + 10), text_x = left + px(42);
    const float gap = view.legend_count > 0 && shown > 0 ? px(9) : 0;
    const float right = text_x + names + (counts > 0 ? px(16) + counts : 0) + px(12);
    const float bottom = top + px(12) + line * static_cast<float>(view.legend_count + shown) + gap;
    /* it may lie over the world: what moves below it shows through */
    box(ImVec2(left, top), ImVec2(right, bottom), legend_fill, panel_edge, 5);
    float y = top + px(6);
    for (int i = 0; i < view.legend_count; i++, y += line) {
        const panels_legend_row &row = view.legend[i];
        const float text_y = y + (line - regular->FontSize) / 2;
        agent_mark(ImVec2(std::floor(left + px(21)), std::floor(y + line / 2)), row.shape, px(7), row.fill);
        std::snprintf(number, sizeof number, "%d", row.count);
        text(regular, text_x, text_y, PALETTE_TEXT, row.name);
        text(regular, right - px(12) - width(regular, number), text_y, PALETTE_TEXT_DIM, number);
    }
    if (gap > 0) {
        list->AddRectFilled(ImVec2(left + px(12), std::floor(y + gap / 2)),
                            ImVec2(right - px(12), std::floor(y + gap / 2) + px(1)), to_imgui(panel_edge));
        y += gap;
    }
    for (const vector_row &entry : vectors) {
        if (entry.is_shown && (view.has_force_data || !entry.needs_data)) {
            vector_mark(ImVec2(std::floor(left + px(21)) + 0.5f, std::floor(y + line / 2) + 0.5f),
                        entry.fill);
            text(regular, text_x, y + (line - regular->FontSize) / 2, PALETTE_TEXT, entry.name);
            y += line;
        }
    }
    return right;
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

/* What lies between low and high of the rows, moved by the wheel and the arrows. */
void panels::help_rows(const panels_view &view, ImVec2 low, ImVec2 high, size_t lines, float line, float keys,
                       float column) {
    const float room = high.y - low.y, all = line * static_cast<float>(lines),
                most = std::max(all - room, 0.0f);
    const int steps = (input->is_down_key ? 1 : 0) - (input->is_up ? 1 : 0);
    help_scroll += line * (static_cast<float>(steps) - 3 * input->wheel);
    help_scroll = std::floor(std::min(std::max(had_help ? help_scroll : 0.0f, 0.0f), most));
    size_t count = 0, at = 0;
    const shortcut *table = shortcuts_table(&count);
    list->PushClipRect(low, high, true);
    for (size_t i = 0; i < count; i++) {
        if (table[i].name[0] != '\0') {
            const size_t side = at / lines;
            const float x = low.x + column * static_cast<float>(side);
            const float y = low.y + line * static_cast<float>(at % lines) - help_scroll;
            const bool is_denied = view.is_denied[table[i].action];
            text(bold, x, y, is_denied ? faint_text : PALETTE_ACCENT, table[i].name);
            text(regular, x + keys + px(18), y, is_denied ? faint_text : PALETTE_TEXT, table[i].help);
            at++;
        }
    }
    list->PopClipRect();
    if (most > 0) {
        const float thumb = room * room / all, top = low.y + (room - thumb) * help_scroll / most;
        const float left = high.x + px(8);
        list->AddRectFilled(ImVec2(left, low.y), ImVec2(left + px(4), high.y), to_imgui(well_fill), px(2));
        list->AddRectFilled(ImVec2(left, top), ImVec2(left + px(4), top + thumb), to_imgui(0xff6c7683u),
                            px(2));
    }
}

/* In as many columns as the height asks for and the width allows; what has no room is scrolled to. */
void panels::help(const panels_view &view, ImVec2 size) {
    size_t count = 0, shown = 0;
    const shortcut *table = shortcuts_table(&count);
    float keys = 0, words = 0;
    for (size_t i = 0; i < count; i++) {
        keys = std::max(keys, width(bold, table[i].name));
        words = std::max(words, width(regular, table[i].help));
        shown += table[i].name[0] != '\0' ? 1 : 0;
    }
    const float pad = px(22), room = size.y - px(PANELS_BAR_PX + 8 + 34) - pad * 2;
    const float column = keys + px(18) + words + px(22), wide = size.x - px(16) - pad * 2 + px(22);
    const size_t columns = room / px(23) >= static_cast<float>(shown) || wide < 2 * column ? 1 : 2,
                 lines = (shown + columns - 1) / columns;
    const float fitting = room / static_cast<float>(lines);
    const float line = fitting < regular->FontSize + px(1) ? px(20) : std::min(px(25), fitting);
    const float w = std::min(pad * 2 + column * static_cast<float>(columns) - px(22), size.x - px(16));
    const float rows = std::min(line * static_cast<float>(lines), room), h = pad * 2 + px(34) + rows;
    const ImVec2 low(std::floor((size.x - w) / 2),
                     std::floor(std::max((size.y - h) / 2, px(PANELS_BAR_PX + 4))));
    list->AddRectFilled(ImVec2(0, px(PANELS_BAR_PX)), size, to_imgui(0x8015181du));
    box(low, ImVec2(low.x + w, low.y + h), pop_fill, pop_edge, 8);
    const float title = text(large, low.x + pad, low.y + pad - px(4), PALETTE_TEXT, "Keys");
    if (rows < line * static_cast<float>(lines)) {
        text(regular, low.x + pad + title + px(14), low.y + pad - px(1), PALETTE_TEXT_DIM,
             "Up, Down, wheel: the others");
    }
    const ImVec2 first(low.x + pad, low.y + pad + px(34));
    help_rows(view, first, ImVec2(low.x + w - pad, first.y + rows), lines, line, keys, column);
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

/* What a click does now, under the bar; or what is to be done first. */
void panels::tool(const panels_view &view, ImVec2 size) {
    const bool is_tool = view.tool[0] != '\0';
    const char *said = is_tool ? view.tool : view.hint;
    if (said[0] != '\0') {
        const float words = width(bold, said), x = std::floor((size.x - words) / 2),
                    y = px(PANELS_BAR_PX + 10);
        box(ImVec2(x - px(14), y), ImVec2(x + words + px(14), y + px(28)),
            is_tool ? 0xf02a3a50u : 0xf03a3423u, is_tool ? PALETTE_ACCENT : PALETTE_WARN, 5);
        text(bold, x, y + px(6), PALETTE_TEXT, said);
    }
}

/* A frame around the picture, and how long ago it was: in the middle, or beside the legend. */
void panels::past(const panels_view &view, ImVec2 size, float legend_right) {
    if (view.past[0] == '\0') {
        return;
    }
    const float right = size.x - (view_settings_have_panel(view.settings) ? px(PANELS_SIDE_PX) : 0),
                bottom = size.y - (view_settings_have_panel(view.settings) ? px(PANELS_TIMELINE_PX) : 0),
                top = px(PANELS_BAR_PX);
    const float half = px(1.5f);
    list->AddRect(ImVec2(half, top + half), ImVec2(right - half, bottom - half), to_imgui(PALETTE_WARN), 0, 0,
                  px(3));
    const char *const hints[] = {!view.shows_play ? "Space: hold   End: now" : "Space: play   End: now",
                                 "End: now", ""};
    const float ago = width(bold, view.past), gap = px(18), room = right - legend_right - px(38) - ago - gap;
    const char *const *hint = hints;
    while (**hint != '\0' && width(regular, *hint) > room) {
        hint++;
    }
    const float words = ago + (**hint != '\0' ? gap + width(regular, *hint) : 0),
                middle = (right - words) / 2;
    const float x = std::floor(std::min(std::max(middle, legend_right + px(22)), right - words - px(14)));
    const float y = top + px(3);
    list->AddRectFilled(ImVec2(x - px(14), top), ImVec2(x + words + px(14), y + px(25)),
                        to_imgui(PALETTE_WARN), px(5), ImDrawFlags_RoundCornersBottom);
    text(bold, x, y + px(3), PALETTE_OUTLINE, view.past);
    text(regular, x + ago + gap, y + px(3), PALETTE_OUTLINE, *hint);
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

/* ---- ImGui's triangles on our canvas ---- */

/* Two triangles that make an upright rectangle in one colour, plain or a glyph: nearly all of what panels
 * are. */
bool panels::paint_quad(raster *raster, const ImDrawVert *vertex, const ImDrawIdx *index) {
    const ImDrawVert &a = vertex[index[0]], &b = vertex[index[1]], &c = vertex[index[2]],
                     &d = vertex[index[5]];
    if (index[3] != index[0] || index[4] != index[2] || a.col != b.col || a.col != c.col || a.col != d.col ||
        a.pos.y != b.pos.y || b.pos.x != c.pos.x || c.pos.y != d.pos.y || d.pos.x != a.pos.x ||
        c.pos.x <= a.pos.x || c.pos.y <= a.pos.y) {
        return false;
    }
    const bool is_plain = a.uv.x == c.uv.x && a.uv.y == c.uv.y && a.uv.x == b.uv.x && a.uv.y == d.uv.y;
    if (is_plain && a.uv.x == white.x && a.uv.y == white.y) {
        raster_fill_rect(raster, {a.pos.x, a.pos.y}, {c.pos.x, c.pos.y}, from_imgui(a.col));
        return true;
    }
    const float wide = static_cast<float>(texture.width), high = static_cast<float>(texture.height);
    const float u = a.uv.x * wide, v = a.uv.y * high, w = (c.uv.x - a.uv.x) * wide,
                h = (c.uv.y - a.uv.y) * high;
    const bool is_glyph = std::fabs(w - (c.pos.x - a.pos.x)) < 0.01f &&
                          std::fabs(h - (c.pos.y - a.pos.y)) < 0.01f && a.pos.x == std::floor(a.pos.x) &&
                          a.pos.y == std::floor(a.pos.y) && a.pos.x > -16000 && a.pos.x < 32000 &&
                          a.pos.y > -16000 && a.pos.y < 32000 && u >= 0 && v >= 0;
    if (is_glyph) {
        raster_draw_texels(raster, static_cast<int32_t>(a.pos.x), static_cast<int32_t>(a.pos.y),
                           static_cast<int32_t>(std::lround(u)), static_cast<int32_t>(std::lround(v)),
                           static_cast<int32_t>(std::lround(w)), static_cast<int32_t>(std::lround(h)),
                           from_imgui(a.col), &texture);
    }
    return is_glyph;
}

void panels::paint_raster(canvas *canvas) {
    const ImDrawData *data = ImGui::GetDrawData();
    for (int l = 0; l < data->CmdListsCount; l++) {
        const ImDrawList *commands = data->CmdLists[l];
        for (const ImDrawCmd &command : commands->CmdBuffer) {
            if (command.UserCallback == nullptr) {
                paint_triangles(canvas, commands, command);
            }
        }
    }
    canvas_reset_clip(canvas);
}

static raster_rect clip_of(const ImDrawCmd &command) {
    return {static_cast<int32_t>(command.ClipRect.x), static_cast<int32_t>(command.ClipRect.y),
            static_cast<int32_t>(command.ClipRect.z), static_cast<int32_t>(command.ClipRect.w)};
}

void panels::paint_triangles(canvas *canvas, const ImDrawList *commands, const ImDrawCmd &command) {
    canvas_set_clip(canvas, clip_of(command));
    const ImDrawIdx *index = commands->IdxBuffer.Data + command.IdxOffset;
    const ImDrawVert *vertex = commands->VtxBuffer.Data + command.VtxOffset;
    for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
        if (i + 5 < command.ElemCount && paint_quad(canvas->raster, vertex, index + i)) {
            i += 3;
            continue;
        }
        const raster_vertex corners[3] = {to_vertex(vertex[index[i]]), to_vertex(vertex[index[i + 1]]),
                                          to_vertex(vertex[index[i + 2]])};
        raster_draw_triangle(canvas->raster, corners, &texture);
    }
}

void panels::paint_mesh(canvas *canvas) {
    const ImDrawData *data = ImGui::GetDrawData();
    for (int l = 0; l < data->CmdListsCount; l++) {
        const ImDrawList *commands = data->CmdLists[l];
        for (const ImDrawCmd &command : commands->CmdBuffer) {
            const int32_t count = static_cast<int32_t>(command.ElemCount);
            const ImDrawIdx *from = commands->IdxBuffer.Data + command.IdxOffset;
            const ImDrawVert *corners = commands->VtxBuffer.Data + command.VtxOffset;
            mesh_vertex *vertex = nullptr;
            int32_t *index = nullptr, base = 0, low = INT32_MAX, high = 0;
            for (int32_t i = 0; i < count; i++) {
                low = std::min<int32_t>(low, from[i]);
                high = std::max<int32_t>(high, from[i]);
            }
            canvas_set_clip(canvas, clip_of(command));
            if (command.UserCallback != nullptr || count == 0 ||
                mesh_add(canvas->mesh, MESH_FONT, canvas->clip, high - low + 1, count, &vertex, &index,
                         &base) != 0) {
                continue;
            }
            for (int32_t i = low; i <= high; i++) {
                const ImDrawVert &c = corners[i];
                vertex[i - low] = {c.pos.x, c.pos.y, c.col, c.uv.x, c.uv.y};
            }
            for (int32_t i = 0; i < count; i++) {
                index[i] = base + from[i] - low;
            }
        }
    }
    canvas_reset_clip(canvas);
}

/* ---- the whole ---- */

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
    io.ConfigInputTextCursorBlink = false; /* pictures can be compared */
    io.KeyMap[ImGuiKey_Backspace] = 1;
    ImGui::GetStyle().AntiAliasedLinesUseTex = false; /* would need a filtered texture */
    ImGui::GetStyle().WindowMinSize = ImVec2(1, 1);
    made->scale = scale;
    made->typed_param = made->held_param = -1;
    made->regular = load_font(regular_fonts, std::floor(14 * scale));
    made->bold = load_font(bold_fonts, std::floor(14 * scale));
    made->large = load_font(bold_fonts, std::floor(18 * scale));
    io.Fonts->Flags |= ImFontAtlasFlags_NoBakedLines;
    unsigned char *texels = nullptr;
    io.Fonts->GetTexDataAsAlpha8(&texels, &made->texture.width, &made->texture.height);
    made->texture.texels = texels;
    made->white = io.Fonts->TexUvWhitePixel;
    return made;
}

void panels_destroy(struct panels *panels) {
    if (panels != nullptr) {
        ImGui::DestroyContext();
        delete panels;
    }
}

uint32_t *panels_font_texels(const struct panels *panels, int32_t *width, int32_t *height) {
    const raster_texture &font = panels->texture;
    const size_t count = static_cast<size_t>(font.width) * static_cast<size_t>(font.height);
    uint32_t *texels = static_cast<uint32_t *>(std::malloc(count * sizeof(uint32_t)));
    for (size_t i = 0; texels != nullptr && i < count; i++) {
        texels[i] = static_cast<uint32_t>(font.texels[i]) << 24 | 0xffffffu;
    }
    *width = font.width;
    *height = font.height;
    return texels;
}

static void give_input(const pointer &pointer, const panels_input &input, ImVec2 size) {
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = size;
    io.DeltaTime = 1.0f / 60.0f;
    io.MousePos = pointer.is_over_window ? ImVec2(pointer.at.x, pointer.at.y) : ImVec2(-FLT_MAX, -FLT_MAX);
    io.MouseDown[0] = input.is_down || input.was_pressed;
    io.MouseWheel = input.wheel;
    io.KeysDown[1] = input.is_backspace;
    io.AddInputCharactersUTF8(input.text);
}

const struct panels_result *panels_draw(struct panels *panels, const struct panels_view *view,
                                        const struct pointer *pointer, const struct panels_input *input,
                                        struct canvas *canvas) {
    const ImVec2 size(static_cast<float>(canvas->width), static_cast<float>(canvas->height));
    give_input(*pointer, *input, size);
    panels->result = {};
    panels->mouse = pointer;
    panels->input = input;
    ImGui::NewFrame();
    panels->list = ImGui::GetBackgroundDrawList();
    panels->labels(*view, size.x);
    panels->bar(*view, size.x);
    panels->past(*view, size, panels->legend(*view));
    if (view->open->picker && view->hit_count > 0) {
        panels->chosen += (input->is_down_key ? 1 : 0) - (input->is_up ? 1 : 0);
        panels->result.picks = input->is_return;
    }
    panels->windows(*view, size);
    panels->list = ImGui::GetForegroundDrawList();
    panels->banner(*view, size);
    panels->tool(*view, size);
    panels->toast(*view, size);
    if (view->open->help) {
        panels->help(*view, size);
    }
    panels->had_help = view->open->help;
    ImGui::Render();
    if (canvas->raster != nullptr) {
        panels->paint_raster(canvas);
    } else {
        panels->paint_mesh(canvas);
    }
    panels->result.wants_mouse = ImGui::GetIO().WantCaptureMouse;
    panels->result.is_typing = panels->typed_param >= 0;
    panels->result.wants_keys = view->open->picker || panels->result.is_typing;
    return &panels->result;
}
