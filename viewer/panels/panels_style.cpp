/* See panels_draw.hpp. The colors and sizes of ImGui's widgets. */
#include "viewer/panels/panels_draw.hpp"

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

void panels_apply_style(float scale) {
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

void panels_apply_colors(const theme_parts &theme) {
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
