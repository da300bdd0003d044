/* See panels.h. Layout is done with ImGui's draw list and font; its triangles go to our own canvas, because
 * SDL's software renderer would draw them with whole-pixel corners. */
#include <cstdlib>
#include <new>

#include <unistd.h>

#include "viewer/panels/panels_impl.hpp"

extern "C" {
#include "viewer/panels/panels.h"
}

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

} // namespace

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
