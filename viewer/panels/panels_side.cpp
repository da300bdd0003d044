/* See panels.h. The side panel: what is seen above, what can be changed below. */
#include <imgui_internal.h> /* the keyboard's focus: ImGui shows it only after an arrow key */

#include "viewer/panels/panels_impl.hpp"

namespace {

constexpr ImGuiWindowFlags side_flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                        ImGuiWindowFlags_NoSavedSettings |
                                        ImGuiWindowFlags_NoBringToFrontOnFocus;

/* Whether the control that has the keyboard is marked. */
void mark_control(bool is_marked) {
#if IMGUI_VERSION_NUM >= 19140
    ImGui::GetCurrentContext()->NavCursorVisible = is_marked;
#else
    ImGui::GetCurrentContext()->NavDisableHighlight = !is_marked;
#endif
}

} // namespace

/* Gives the keyboard to the part that the view names; its first control is marked at once. */
void panels::move_focus(const panels_view &view) {
    const enum panels_focus next = view.open->focus;
    if (next == focus) {
        if (focus != PANELS_FOCUS_WORLD) {
            mark_control(true); /* whatever the mouse did */
        }
        return;
    }
    ImGuiWindow *window = next == PANELS_FOCUS_SIDE       ? ImGui::FindWindowByName("side")
                          : next == PANELS_FOCUS_TIMELINE ? ImGui::FindWindowByName("timeline")
                                                          : nullptr;
    ImGui::ClosePopupsOverWindow(nullptr, false);
    ImGui::FocusWindow(window);
    if (window != nullptr) {
        ImGui::NavInitWindow(window, true);
    }
    mark_control(window != nullptr);
    focus = next;
}

/* The next tooltip of the side panel opens to the left of the panel, where it covers nothing of it. */
void panels::place_tip() {
    const ImVec2 mouse_at = ImGui::GetIO().MousePos, screen = ImGui::GetIO().DisplaySize;
    const float edge = screen.x - side_px;
    if (ImGui::GetWindowPos().x >= edge - px(1) && mouse_at.x >= edge) {
        /* from its top at the picture's top to its bottom at the picture's bottom */
        const float share = std::min(std::max(mouse_at.y / std::max(screen.y, 1.0f), 0.0f), 1.0f);
        ImGui::SetNextWindowPos(ImVec2(std::floor(edge - px(6)), std::floor(mouse_at.y)), ImGuiCond_Always,
                                ImVec2(1.0f, share));
    }
}

/* A sentence at the control before, when the pointer rests on it or the keyboard has it. */
void panels::tip(const char *words, const char *more) {
    if (words[0] == '\0' && more[0] == '\0') {
        return;
    }
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && !ImGui::IsItemActive()) {
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(7)));
        place_tip();
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(px(260));
        ImGui::TextUnformatted(words);
        if (more[0] != '\0') {
            ImGui::TextDisabled("%s", more);
        }
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
        ImGui::PopStyleVar();
    }
}

void panels::tip(const char *words) {
    tip(words, "");
}

/* The head of a part that can be folded. key: what does the same, at the right; "" for none. */
bool panels::section(const char *title, const char *id, const char *key) {
    char words[128];
    std::snprintf(words, sizeof words, "%s###%s", title, id);
    ImGui::PushFont(bold);
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(theme(THEME_ACCENT)));
    ImGui::PushStyleColor(ImGuiCol_Header, to_imgui(theme(THEME_SECTION)));
    const bool is_open = ImGui::CollapsingHeader(words, ImGuiTreeNodeFlags_DefaultOpen);
    ImGui::PopStyleColor(2);
    ImGui::PopFont();
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    ImGui::GetWindowDrawList()->AddText(
        regular, font_px(regular),
        ImVec2(std::floor(high.x - px(8) - width(regular, key)), std::floor(low.y + px(3))),
        to_imgui(theme(THEME_FAINT)), key);
    return is_open;
}

/* A name at the left, a value at the right, a sentence under the pointer. */
void panels::value_row(const char *name, const char *value) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    ImDrawList *draws = ImGui::GetWindowDrawList();
    ImGui::Dummy(ImVec2(room, font_px(regular)));
    draws->AddText(low, to_imgui(theme(THEME_TEXT_DIM)), name);
    draws->AddText(ImVec2(std::floor(low.x + room - width(regular, value)), low.y),
                   to_imgui(theme(THEME_TEXT)), value);
    tip(tips_find(name));
}

void panels::observations(const panels_view &view) {
    char title[96];
    std::snprintf(title, sizeof title, "%s", view.agent[0] != '\0' ? view.agent : "Agent");
    if (section(title, "agent", "")) {
        inspector(view);
    }
    if (section("Overlays", "overlays", "")) {
        setting_rows(view);
    }
    if (view.plot_count > 0 && section("The last minute", "plots", "Ctrl+E")) {
        plots(view);
    }
    if (view.ranks.row_count > 0 && section("Ranks", "ranks", "")) {
        ranks(view);
    }
    if (view.network_count > 0) {
        const ImVec2 low = ImGui::GetCursorScreenPos();
        const float right = low.x + ImGui::GetContentRegionAvail().x;
        list = ImGui::GetWindowDrawList();
        const float bottom = network(view, std::floor(low.x), std::floor(low.y), std::floor(right));
        ImGui::Dummy(ImVec2(1, bottom - low.y));
    }
}

/* Beside the panel, where the mouse drags its edge. */
void panels::side_edge(float left, float top, float bottom) {
    const ImVec2 low(left - px(6), top), high(left, bottom);
    begin_window("edge", low, high);
    ImGui::SetCursorScreenPos(low);
    (void)ImGui::InvisibleButton("drag", ImVec2(high.x - low.x, high.y - low.y));
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, 1)) {
        const float wide = (ImGui::GetIO().DisplaySize.x - ImGui::GetIO().MousePos.x) / scale;
        result.panel_width = static_cast<double>(std::max(std::floor(wide), 1.0f));
    }
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
        list->AddRectFilled(ImVec2(high.x - px(2), low.y), high, to_imgui(theme(THEME_ACCENT)));
    }
    ImGui::End();
}

/* The sliders have the lower half at most: agent and overlays are seen while they move. */
void panels::side(const panels_view &view, ImVec2 size) {
    const float left = size.x - side_px, top = px(PANELS_BAR_PX), room = size.y - top;
    ImGui::SetNextWindowPos(ImVec2(left, top));
    ImGui::SetNextWindowSize(ImVec2(size.x - left, room));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0.0f);
    ImGui::Begin("side", nullptr, side_flags);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
    const float head = px(41);
    const float below =
        view.open->params ? std::min(head + std::max(sliders_px, px(120)), std::floor(room * 0.55f)) : head;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(5)));
    begin_part("seen", ImVec2(0, room - below), true);
    observations(view);
    ImGui::EndChild();
    ImGui::SetCursorPos(ImVec2(0, room - below));
    const ImVec2 edge = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled(edge, ImVec2(size.x, edge.y + px(1)),
                                              to_imgui(theme(THEME_PANEL_EDGE)));
    begin_part("tuned", ImVec2(0, below), true);
    sliders(view);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    ImGui::End();
    ImGui::PopStyleVar(3);
    side_edge(left, top, size.y - px(PANELS_TIMELINE_PX));
}
