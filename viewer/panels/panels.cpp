/* See panels_impl.hpp. The colors and sizes of ImGui's widgets. */
#include "viewer/panels/panels_impl.hpp"

#include <cstdlib>
#include <imgui_internal.h> /* what the active control uses */
#include <new>
#include <unistd.h>

/* ---- style ---- */

namespace {

struct style_color {
    ImGuiCol_ role;
    theme_part fill;
};

const style_color style_colors[] = {
    {ImGuiCol_Text, THEME_TEXT},
    {ImGuiCol_TextDisabled, THEME_TEXT_DIM},
    {ImGuiCol_WindowBg, THEME_PANEL},
    {ImGuiCol_PopupBg, THEME_POP},
    {ImGuiCol_Border, THEME_PANEL_EDGE},
    {ImGuiCol_FrameBg, THEME_FRAME},
    {ImGuiCol_FrameBgHovered, THEME_FRAME_OVER},
    {ImGuiCol_FrameBgActive, THEME_FRAME_DOWN},
    {ImGuiCol_ScrollbarGrab, THEME_GRIP},
    {ImGuiCol_ScrollbarGrabHovered, THEME_GRIP_OVER},
    {ImGuiCol_ScrollbarGrabActive, THEME_GRIP_DOWN},
    {ImGuiCol_CheckMark, THEME_ACCENT},
    {ImGuiCol_SliderGrab, THEME_KNOB},
    {ImGuiCol_SliderGrabActive, THEME_ACCENT},
    {ImGuiCol_Button, THEME_BUTTON},
    {ImGuiCol_ButtonHovered, THEME_BUTTON_OVER},
    {ImGuiCol_ButtonActive, THEME_BUTTON_DOWN},
    {ImGuiCol_Header, THEME_ROW},
    {ImGuiCol_HeaderHovered, THEME_ROW_OVER},
    {ImGuiCol_HeaderActive, THEME_ROW_DOWN},
    {ImGuiCol_Separator, THEME_PANEL_EDGE},
    {ImGuiCol_Tab, THEME_SECTION},
    {ImGuiCol_TabHovered, THEME_ROW_OVER},
    {ImGuiCol_TabActive, THEME_ROW},
    {ImGuiCol_TableHeaderBg, THEME_SECTION},
    {ImGuiCol_TableBorderStrong, THEME_PANEL_EDGE},
    {ImGuiCol_TableBorderLight, THEME_PANEL_EDGE},
    {ImGuiCol_TextSelectedBg, THEME_MARKED},
    {ImGuiCol_NavHighlight, THEME_ACCENT},
};

const ImGuiCol_ clear_roles[] = {ImGuiCol_ChildBg, ImGuiCol_BorderShadow, ImGuiCol_ScrollbarBg};

} // namespace

/* The sizes of ImGui's own widgets, after the context was created. scale: picture px per window px. */
static void panels_apply_style(float scale) {
    ImGuiStyle &style = ImGui::GetStyle();
    style.WindowPadding = ImVec2(14, 10);
    style.FramePadding = ImVec2(8, 3);
    style.ItemSpacing = ImVec2(8, 5);
    style.ItemInnerSpacing = ImVec2(8, 4);
    style.CellPadding = ImVec2(4, 2);
    style.ScrollbarSize = 10;
    style.GrabMinSize = 12;
    style.WindowRounding = style.ChildRounding = style.PopupRounding = 5;
    style.FrameRounding = style.GrabRounding = style.TabRounding = 4;
    style.ScrollbarRounding = 5;
    style.WindowMinSize = ImVec2(1, 1);
    style.ScaleAllSizes(scale);
    style.WindowBorderSize = style.PopupBorderSize = 1;
    style.AntiAliasedLinesUseTex = false; /* would need a filtered texture */
}

/* Their colors. */
static void panels_apply_colors(const theme_parts &theme) {
    ImGuiStyle &style = ImGui::GetStyle();
    if (theme_is_light(theme.palette)) {
        ImGui::StyleColorsLight(&style);
    } else {
        ImGui::StyleColorsDark(&style);
    }
    for (const style_color &row : style_colors) {
        style.Colors[row.role] = ImGui::ColorConvertU32ToFloat4(to_imgui(theme(row.fill)));
    }
    for (const ImGuiCol_ role : clear_roles) {
        style.Colors[role] = ImVec4(0, 0, 0, 0);
    }
}

/* ---- which windows are open ---- */

void panels::windows(const panels_view &view, ImVec2 size) {
    if (view_settings_have_panel(view.settings)) {
        side(view, size);
    }
    if (view.is_replay) {
        replay_timeline(view, size);
    } else if (view_settings_have_panel(view.settings)) {
        timeline(view, size);
    }
    if (!view_settings_have_panel(view.settings) && view.network_count > 0) {
        network_corner(view, size);
    }
    covered_low = covered_high = ImVec2(0, 0);
    if (view.open->card) {
        card(view, size);
    }
    if (had_picker && !view.open->picker) {
        ImGui::SetWindowFocus(nullptr); /* its line takes no more keys */
        is_ready = false;
        early[0] = '\0';
    }
    result.hit = -1;
    if (view.open->picker) {
        picker(view, size);
    }
    if (view.open->question != PANELS_NO_QUESTION) {
        dialog(view, size);
    }
    scrubs_replay = scrubs_replay && view.is_replay;
    asked = view.open->question;
    std::snprintf(result.entered, sizeof result.entered, "%s", asked != PANELS_NO_QUESTION ? entered : "");
    had_picker = view.open->picker;
    had_card = view.open->card;
    std::snprintf(result.wanted, sizeof result.wanted, "%s", had_picker ? wanted : "");
}

/* ---- kiosk ---- */

/* All that an exhibition shows over its world: the caption, and what is wrong; to be read from afar. */

/* ---- exhibitions ---- */

/* A title, a sentence and another one around the middle of a box, which is drawn behind them. */
void panels::kiosk_words(ImVec2 middle, float wrap, const char *title, const char *words, const char *more,
                         float alpha) {
    const char *const lines[] = {title, words, more};
    ImFont *const fonts[] = {afar_title, afar, afar};
    const color fills[] = {theme(THEME_TEXT), theme(THEME_TEXT), theme(THEME_TEXT_DIM)};
    const float pad = px(30), gap = px(8);
    ImVec2 sizes[3];
    float w = 0, h = 0;
    for (int i = 0; i < 3; i++) {
        sizes[i] = fonts[i]->CalcTextSizeA(font_px(fonts[i]), FLT_MAX, wrap, lines[i]);
        w = std::max(w, sizes[i].x);
        h += lines[i][0] != '\0' ? sizes[i].y + (i > 0 ? gap : 0) : 0;
    }
    const ImVec2 low(std::floor(middle.x - w / 2 - pad), std::floor(middle.y - h / 2 - px(18)));
    box(low, ImVec2(low.x + w + 2 * pad, low.y + h + 2 * px(18)),
        color_fade(theme(THEME_WELL), 0.785f * alpha), 0, 12);
    float y = low.y + px(18);
    for (int i = 0; i < 3; i++) {
        if (lines[i][0] != '\0') {
            list->AddText(fonts[i], font_px(fonts[i]),
                          ImVec2(std::floor(middle.x - sizes[i].x / 2), std::floor(y)),
                          to_imgui(color_fade(fills[i], alpha)), lines[i], nullptr, wrap);
            y += sizes[i].y + gap;
        }
    }
    /* ---- life and frame ---- */
}

void panels::kiosk(const panels_view &view, ImVec2 size) {
    const float wrap = size.x - px(160) > px(200) ? size.x - px(160) : size.x - px(60);
    const panels_caption &caption = view.caption;
    if (view.asks_legend) {
        legend(view);
    }
    if (view.banner[0][0] != '\0') {
        kiosk_words(ImVec2(size.x / 2, size.y / 2), wrap, view.banner[0], view.banner[1], "", 1.0f);
    } else if (caption.alpha > 0.0f) {
        kiosk_words(ImVec2(size.x / 2, size.y - px(150)), wrap, caption.lines[0], caption.lines[1],
                    caption.lines[2], caption.alpha);
    }
}

/* ---- panels ---- */

/* Layout is done with ImGui's draw list and font; its triangles go to our own canvas, because
 * SDL's software renderer would draw them with whole-pixel corners. */

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
const ImWchar glyph_ranges[] = {0x0020, 0x017f, 0x0370, 0x03ff, 0x0400, 0x045f, 0x2010,
                                0x2026, 0x2190, 0x2193, 0x2212, 0x2212, 0x221a, 0x221a,
                                0x2248, 0x2248, 0x2264, 0x2265, 0};

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

const ImGuiKey imgui_keys[PANELS_KEYS] = {
    ImGuiKey_Tab,       ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow,
    ImGuiKey_PageUp,    ImGuiKey_PageDown,  ImGuiKey_Home,       ImGuiKey_End,     ImGuiKey_Delete,
    ImGuiKey_Backspace, ImGuiKey_Space,     ImGuiKey_Enter,      ImGuiKey_Escape,  ImGuiKey_A,
    ImGuiKey_C,         ImGuiKey_V,         ImGuiKey_X,          ImGuiKey_Y,       ImGuiKey_Z};

/* Keys and modifiers as they are in the next frame. Dear ImGui 1.86 is given a table; since 1.89 there are
 * events with modifiers, which go through a queue with the letters. */
#if IMGUI_VERSION_NUM >= 18900
void prepare_keys(ImGuiIO &io) {
    io.ConfigInputTrickleEventQueue = false; /* all of a frame are seen in it */
}

void set_key(ImGuiIO &io, int key, bool is_down) {
    io.AddKeyEvent(imgui_keys[key], is_down);
}

void set_modifier(ImGuiIO &io, bool ImGuiIO::*modifier, bool is_down) {
    io.AddKeyEvent(modifier == &ImGuiIO::KeyShift ? ImGuiMod_Shift
                   : modifier == &ImGuiIO::KeyAlt ? ImGuiMod_Alt
                                                  : ImGuiMod_Ctrl,
                   is_down);
}
#else
void prepare_keys(ImGuiIO &io) {
    for (int key = 0; key < PANELS_KEYS; key++) {
        io.KeyMap[imgui_keys[key]] = key;
    }
}

void set_key(ImGuiIO &io, int key, bool is_down) {
    io.KeysDown[key] = is_down;
}

void set_modifier(ImGuiIO &io, bool ImGuiIO::*modifier, bool is_down) {
    io.*modifier = is_down;
}
#endif

} // namespace

struct panels *panels_create(float scale, bool is_kiosk) {
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
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    prepare_keys(io);
    panels_apply_style(scale);
    panels_apply_colors(made->theme);
    made->scale = scale;
    made->held_param = -1;
    made->regular = load_font(regular_fonts, std::floor(14 * scale));
    made->bold = load_font(bold_fonts, std::floor(14 * scale));
    made->large = load_font(bold_fonts, std::floor(18 * scale));
    made->afar_title = is_kiosk ? load_font(bold_fonts, std::floor(44 * scale)) : made->large;
    made->afar = is_kiosk ? load_font(regular_fonts, std::floor(28 * scale)) : made->regular;
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

float panels_words_px(const void *panels, const char *words) {
    const struct panels *all = static_cast<const struct panels *>(panels);
    return all->regular->CalcTextSizeA(font_px(all->regular), FLT_MAX, 0, words).x;
}

float panels_line_px(const struct panels *panels) {
    return font_px(panels->regular);
}

static const ImVec2 nowhere(-FLT_MAX, -FLT_MAX);

/* Keys are the panels' while a control has the keyboard, something is typed or a list is open. Tab goes on like Down:
 * it reaches every control. waits: the keyboard goes to another part in this frame, and the press comes after it. */
static void give_keys(const panels_input &input, bool has_focus, bool waits, panels_given *given) {
    ImGuiIO &io = ImGui::GetIO();
    const bool takes_keys = !waits && (has_focus || io.WantTextInput);
    const bool had_press = given->takes_press; /* a frame without a key is between two presses */
    given->takes_press = input.has_press && !had_press && !waits;
    given->has_control = given->takes_press && input.press.has_control;
    bool is_down[PANELS_KEYS];
    for (int key = 0; key < PANELS_KEYS; key++) {
        const bool is_pressed = given->takes_press && input.press.key == key;
        is_down[key] = takes_keys && (is_pressed || (!input.has_press && input.is_key_down[key]));
    }
    if (has_focus && !io.WantTextInput && is_down[PANELS_KEY_TAB]) {
        is_down[PANELS_KEY_TAB] = false;
        is_down[input.has_shift ? PANELS_KEY_UP : PANELS_KEY_DOWN] = true;
    }
    for (int key = 0; key < PANELS_KEYS; key++) {
        set_key(io, key, is_down[key]);
    }
    set_modifier(io, &ImGuiIO::KeyShift,
                 input.has_shift && !(has_focus && input.is_key_down[PANELS_KEY_TAB]));
    set_modifier(io, &ImGuiIO::KeyAlt, input.has_alt && takes_keys);
}

static bool is_list_open() {
    return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

/* A button that Space holds is none: Esc after a quick Space goes on to what it is for. */
static bool is_slider_held() {
    return ImGui::IsAnyItemActive() && ImGui::GetCurrentContext()->ActiveIdUsingNavDirMask != 0;
}

/* The left button as ImGui is to see it: one press or release a frame, where it happened; a way that ends with a release is
 * gone in the frame before it. A press in the world is nowhere: it ends what is typed, and meets no panel. A double
 * click on a slider is a Ctrl+click, which types its value. before: where ImGui saw the mouse in the last frame. */
static void give_click(const panels_input &input, ImVec2 before, bool is_over_slider, panels_given *given) {
    ImGuiIO &io = ImGui::GetIO();
    bool is_double = false;
    given->takes_click = false;
    if (input.has_click) {
        const panels_click &click = input.click;
        const bool is_elsewhere =
            std::fabs(click.at.x - before.x) >= 1 || std::fabs(click.at.y - before.y) >= 1;
        const bool is_on_way = io.MouseDown[0] && !click.is_down && is_elsewhere;
        io.MousePos = ImVec2(click.at.x, click.at.y);
        io.MouseDown[0] = click.is_down || is_on_way;
        is_double = click.is_down && click.is_double;
        given->takes_click = !is_on_way;
    } else {
        const bool was_down = io.MouseDown[0];
        io.MouseDown[0] = input.is_down || input.was_pressed_in_world;
        if (input.was_pressed_in_world && !was_down) {
            io.MousePos = nowhere;
        }
    }
    set_modifier(io, &ImGuiIO::KeyCtrl,
                 input.has_control || given->has_control || (is_double && is_over_slider));
}

/* What ImGui has not seen yet is for the next frames. */
static bool has_more(const panels_input &input, const panels_given &given) {
    return ImGui::GetIO().MouseDown[0] != input.is_down || (input.has_click && !given.takes_click) ||
           input.has_press;
}

static void give_input(const pointer &pointer, const panels_input &input, const char *text, ImVec2 size) {
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = size;
    io.DeltaTime = 1.0f / 60.0f;
    io.MousePos = pointer.is_over_window ? ImVec2(pointer.at.x, pointer.at.y) : nowhere;
    io.MouseWheel = input.wheel;
    io.AddInputCharactersUTF8(text);
}

void panels::finish(struct canvas *canvas) {
    ImGui::Render();
    if (canvas->raster != nullptr) {
        paint_raster(canvas);
    } else {
        paint_mesh(canvas);
    }
}

static void set_theme(struct panels *panels, const struct view_settings *settings) {
    const theme_parts theme = {view_settings_palette(settings)};
    if (theme.palette != panels->theme.palette) {
        panels->theme = theme;
        panels_apply_colors(theme);
    }
}

const struct panels_result *panels_draw(struct panels *panels, const struct panels_view *view,
                                        const struct pointer *pointer, const struct panels_input *input,
                                        struct canvas *canvas) {
    const ImVec2 size(static_cast<float>(canvas->width), static_cast<float>(canvas->height));
    const bool has_focus = panels->focus != PANELS_FOCUS_WORLD || is_list_open();
    char
        text[sizeof panels->early + sizeof input->text]; /* letters wait until the picker's line takes them */
    std::snprintf(text, sizeof text, "%s%s", panels->early, input->text);
    const bool waits = view->open->picker && !panels->is_ready;
    std::snprintf(panels->early, sizeof panels->early, "%.*s", waits ? 63 : 0, text);
    const ImVec2 mouse_before = ImGui::GetIO().MousePos;
    give_input(*pointer, *input, waits ? "" : text, size);
    give_keys(*input, has_focus, panels->focus != view->open->focus, &panels->given);
    give_click(*input, mouse_before, panels->is_over_slider, &panels->given);
    panels->is_over_slider = false;
    panels->result = {};
    panels->result.lights = -1;
    panels->result.takes_click = panels->given.takes_click;
    panels->result.takes_press = panels->given.takes_press;
    panels->preview = view->preview.image;
    panels->input = input;
    panels->side_px =
        std::floor(view_settings_panel_px(view->settings, size.x / panels->scale) * panels->scale);
    set_theme(panels, view->settings);
    ImGui::NewFrame();
    panels->list = ImGui::GetBackgroundDrawList();
    panels->labels(*view);
    if (view->is_kiosk) {
        panels->kiosk(*view, size);
        panels->finish(canvas);
        return &panels->result;
    }
    panels->bar(*view, size.x);
    const float legend_right = panels->legend(*view);
    panels->past(*view, size, legend_right);
    panels->caption(*view, size, legend_right);
    panels->tag(*view);
    const bool is_asked = view->open->question != PANELS_NO_QUESTION;
    panels->move_focus(*view);
    panels->windows(*view, size);
    panels->list = ImGui::GetForegroundDrawList();
    panels->banner(*view, size);
    panels->tool(*view, size);
    panels->toast(*view, size);
    if (view->open->help) {
        panels->help(*view, size);
    }
    panels->had_help = view->open->help;
    panels->finish(canvas);
    panels->result.wants_mouse = ImGui::GetIO().WantCaptureMouse;
    panels->result.wants_text = ImGui::GetIO().WantTextInput && ImGui::IsAnyItemActive();
    panels->result.has_focus = panels->focus != PANELS_FOCUS_WORLD || is_list_open();
    panels->result.takes_escape = is_list_open() || ImGui::GetIO().WantTextInput ||
                                  (panels->focus != PANELS_FOCUS_WORLD && is_slider_held());
    panels->result.has_more = panels->early[0] != '\0' || has_more(*input, panels->given);
    panels->result.wants_keys = view->open->picker || is_asked || ImGui::GetIO().WantTextInput;
    return &panels->result;
}
