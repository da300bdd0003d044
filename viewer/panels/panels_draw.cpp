/* See panels_impl.hpp. */
#include "viewer/panels/panels_impl.hpp"

#include <imgui_internal.h> /* the mark of the keyboard around a button of our own */

/* ---- text, boxes, buttons ---- */

namespace {

constexpr ImGuiWindowFlags still = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus;

} // namespace

void panels_pen::box(ImVec2 low, ImVec2 high, color fill, color edge, float rounding) {
    low = ImVec2(std::floor(low.x), std::floor(low.y));
    high = ImVec2(std::floor(high.x), std::floor(high.y));
    list->AddRectFilled(low, high, to_imgui(fill), px(rounding));
    if (edge != 0) {
        list->AddRect(low, high, to_imgui(edge), px(rounding), 0, px(1));
    }
}

/* As agents look, pointing right. Not convex, so a fan around the middle, whose inner edges must not be
 * smoothed. */
void panels_pen::agent_mark(ImVec2 at, enum shape shape, float radius, color fill) {
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

void panels_pen::vector_mark(ImVec2 at, color fill) {
    list->AddLine(ImVec2(at.x - px(11), at.y), ImVec2(at.x + px(6), at.y), to_imgui(fill), px(2));
    list->AddTriangleFilled(ImVec2(at.x + px(4), at.y - px(4)), ImVec2(at.x + px(12), at.y),
                            ImVec2(at.x + px(4), at.y + px(4)), to_imgui(fill));
}

/* The words if they fit, else as many letters as do and an ellipsis. */
void panels_pen::fit(ImFont *font, const char *words, float room, char *out, size_t size) {
    std::snprintf(out, size, "%s", words);
    for (size_t length = std::strlen(out); length > 0 && width(font, out) > room;) {
        do {
            length--;
        } while (length > 0 && (static_cast<unsigned char>(words[length]) & 0xc0u) == 0x80u);
        std::snprintf(out + length, size - length, "%s", length > 0 ? "…" : "");
    }
}

/* ---- controls ---- */

void panels_pen::begin_window(const char *name, ImVec2 low, ImVec2 high) {
    ImGui::SetNextWindowPos(low);
    ImGui::SetNextWindowSize(ImVec2(high.x - low.x, high.y - low.y));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0f);
    ImGuiWindowFlags flags =
        still | (std::strcmp(name, "side") == 0 ? 0 : ImGuiWindowFlags_NoScrollWithMouse);
    if (std::strcmp(name, "picker") == 0 || std::strcmp(name, "dialog") == 0) {
        flags &= ~ImGuiWindowFlags_NoBringToFrontOnFocus; /* over the side panel and the timeline */
    } else if (std::strcmp(name, "timeline") == 0) {
        flags &= ~ImGuiWindowFlags_NoNav;
    }
    ImGui::Begin(name, nullptr, flags);
    ImGui::PopStyleVar(2);
    list = ImGui::GetWindowDrawList();
}

/* An invisible one; it glows a little under the mouse. */
bool panels_pen::button(const char *id, ImVec2 low, ImVec2 high) {
    ImGui::SetCursorScreenPos(low);
    const bool is_pressed = ImGui::InvisibleButton(id, ImVec2(high.x - low.x, high.y - low.y));
    if (ImGui::IsItemHovered()) {
        list->AddRectFilled(low, high, to_imgui(theme(THEME_GLOW)), px(4));
    }
    ImGui::RenderNavHighlight(ImRect(low, high), ImGui::GetItemID());
    return is_pressed;
}

/* why_not: why it does nothing; "" when it does something. */
bool panels_pen::icon_button(const char *id, ImVec2 low, color fill, enum icon icon, const char *why_not) {
    const ImVec2 high(low.x + px(28), low.y + px(24)), middle((low.x + high.x) / 2, (low.y + high.y) / 2);
    box(low, high, theme(THEME_BUTTON), 0, 4);
    const bool is_pressed = button(id, low, high);
    fill = why_not[0] != '\0' ? theme(THEME_FAINT) : fill;
    if (ImGui::IsItemHovered() && why_not[0] != '\0') {
        tooltip(why_not, ImVec2(low.x, low.y - px(12)), 0.0f, 1.0f);
    }
    const float s = px(5);
    if (icon == icon_pause) {
        list->AddRectFilled(ImVec2(middle.x - s, middle.y - s), ImVec2(middle.x - px(1.5f), middle.y + s),
                            to_imgui(fill));
        list->AddRectFilled(ImVec2(middle.x + px(1.5f), middle.y - s), ImVec2(middle.x + s, middle.y + s),
                            to_imgui(fill));
    } else if (icon == icon_restart) {
        list->AddRectFilled(ImVec2(middle.x - s, middle.y - s), ImVec2(middle.x - s + px(2), middle.y + s),
                            to_imgui(fill));
        list->AddTriangleFilled(ImVec2(middle.x + s, middle.y - s), ImVec2(middle.x - s * 0.5f, middle.y),
                                ImVec2(middle.x + s, middle.y + s), to_imgui(fill));
    } else {
        list->AddTriangleFilled(ImVec2(middle.x - s, middle.y - s), ImVec2(middle.x + s * 0.8f, middle.y),
                                ImVec2(middle.x - s, middle.y + s), to_imgui(fill));
    }
    if (icon == icon_step) {
        list->AddRectFilled(ImVec2(middle.x + s * 0.8f, middle.y - s),
                            ImVec2(middle.x + s * 0.8f + px(2), middle.y + s), to_imgui(fill));
    }
    return is_pressed;
}

/* A box with words over everything; share 0: it begins at `at`, 1: it ends there. */
void panels_pen::tooltip(const char *words, ImVec2 at, float share_x, float share_y) {
    const float wrap = px(240);
    const ImVec2 size = regular->CalcTextSizeA(font_px(regular), FLT_MAX, wrap, words);
    const ImVec2 room = ImGui::GetIO().DisplaySize, most(room.x - size.x - px(11), room.y - size.y - px(11));
    const ImVec2 low(std::floor(std::max(std::min(at.x - size.x * share_x, most.x), px(11))),
                     std::floor(std::max(std::min(at.y - size.y * share_y, most.y), px(11))));
    ImDrawList *before = list;
    list = ImGui::GetForegroundDrawList();
    box(ImVec2(low.x - px(10), low.y - px(7)), ImVec2(low.x + size.x + px(10), low.y + size.y + px(7)),
        theme(THEME_POP), theme(THEME_POP_EDGE), 5);
    list->AddText(regular, font_px(regular), low, to_imgui(theme(THEME_TEXT)), words, nullptr, wrap);
    list = before;
}

float panels_pen::heading(float x, float y, const char *words) {
    text(bold, x, y, theme(THEME_ACCENT), words);
    return y + px(22);
}

void panels_pen::row(float x, float y, float right, const panels_row &row) {
    text(regular, x, y, theme(THEME_TEXT_DIM), row.name);
    text(regular, right - width(regular, row.value), y, theme(THEME_TEXT), row.value);
}

/* ---- triangles to pixels ---- */

namespace {

raster_vertex to_vertex(const ImDrawVert &vertex) {
    return {vertex.pos.x, vertex.pos.y, vertex.uv.x, vertex.uv.y, from_imgui(vertex.col)};
}

} // namespace

/* Two triangles that make an upright rectangle in one color, plain or a glyph: nearly all of what panels
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
            if (command.UserCallback == nullptr && command.GetTexID() == preview_texture()) {
                paint_preview(canvas, commands, command);
            } else if (command.UserCallback == nullptr) {
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

/* Its rectangle: a command of this texture has nothing else. */
void panels::paint_preview(canvas *canvas, const ImDrawList *commands, const ImDrawCmd &command) {
    const ImDrawIdx *index = commands->IdxBuffer.Data + command.IdxOffset;
    const ImDrawVert *vertex = commands->VtxBuffer.Data + command.VtxOffset;
    canvas_set_clip(canvas, clip_of(command));
    for (unsigned i = 0; preview.pixels != nullptr && i + 5 < command.ElemCount; i += 6) {
        const ImVec2 low = vertex[index[i]].pos, high = vertex[index[i + 2]].pos;
        raster_draw_image(canvas->raster, {low.x, low.y}, {high.x, high.y}, &preview);
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
                mesh_add(canvas->mesh, command.GetTexID() == preview_texture() ? MESH_PREVIEW : MESH_FONT,
                         canvas->clip, high - low + 1, count, &vertex, &index, &base) != 0) {
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
