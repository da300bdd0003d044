/* See panels.h. ImGui's triangles on our canvas. */
#include "viewer/panels/panels_impl.hpp"

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
