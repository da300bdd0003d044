/* See panels.h. The timeline of a live world; the buttons and the speed that each timeline begins with. */
#include <imgui_internal.h> /* what the keyboard passes over; whether a value is typed */

#include "viewer/panels/panels_impl.hpp"

/* ---- buttons, speed ---- */

/* A picture, and in a tooltip what its key does and why it does nothing. */
void panels::time_button(const panels_view &view, enum icon icon, enum shortcut_action action, ImVec2 low,
                         const char *why_not) {
    const shortcut *row = shortcuts_row(action);
    char id[16], words[96];
    std::snprintf(id, sizeof id, "time%d", static_cast<int>(action));
    std::snprintf(words, sizeof words, "%s: %s", row->name, shortcuts_help(row, view.is_replay));
    if (icon_button(id, low, theme(THEME_TEXT), icon, why_not)) {
        result.shortcut = row;
    }
    if (why_not[0] == '\0') {
        tip_above(words, "");
    }
}

/* A sentence over the control before; why it does nothing goes before it. */
void panels::tip_above(const char *words, const char *why_not) {
    const ImVec2 low = ImGui::GetItemRectMin();
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && !ImGui::IsItemActive()) {
        tooltip(why_not[0] != '\0' ? why_not : words, ImVec2(low.x, low.y - px(14)), 0.0f, 1.0f);
    }
}

/* The world is to go so fast. */
void panels::set_speed(double speed, bool is_held) {
    result.sets_speed = true;
    result.speed = speed;
    result.is_speed_held = is_held;
}

/* "0.5x" of the place that is held, else of the world. */
void panels::speed_words(const panels_view &view, char *out, size_t size) const {
    if (is_speed_held || view.speed > 0) {
        speeds_format(is_speed_held ? speeds_snap(static_cast<double>(held_speed)) : view.speed, out, size);
    } else {
        std::snprintf(out, size, "max");
    }
}

/* What the slider, the item before, was given. */
void panels::take_speed(float place, bool is_changed, bool is_typed) {
    if (is_typed || ImGui::IsItemDeactivated()) {
        is_speed_held = false;
    }
    if (is_changed) {
        is_speed_held = !is_typed;
        held_speed = place;
        set_speed(is_typed ? static_cast<double>(place) : speeds_snap(static_cast<double>(place)), !is_typed);
    } else if (ImGui::IsItemDeactivatedAfterEdit() && !is_typed) {
        set_speed(speeds_snap(static_cast<double>(held_speed)), false);
    }
    if (ImGui::IsItemHovered()) {
        is_over_slider = true;
        if (input->was_right_pressed) {
            set_speed(1.0, false);
        }
    }
}

/* Logarithmic; around 1, which has a mark, it stays there. A double click types a value, a right click is 1. */
void panels::speed_slider(const panels_view &view, float wide) {
    const float least = static_cast<float>(SPEEDS_LEAST), most = static_cast<float>(SPEEDS_MOST);
    const bool is_typed = ImGui::TempInputIsActive(ImGui::GetID("##speed"));
    float place = is_speed_held ? held_speed : view.speed <= 0 ? most : static_cast<float>(view.speed);
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float tall = font_px(regular) + px(4), inset = ImGui::GetStyle().GrabMinSize / 2 + 2,
                one = low.x + inset + (wide - 2 * inset) * std::log(1 / least) / std::log(most / least);
    ImGui::BeginDisabled(view.no_speed[0] != '\0');
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(6), px(2)));
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(is_typed ? theme(THEME_ACCENT) : 0x00000000u));
    ImGui::SetNextItemWidth(wide);
    const bool is_changed = ImGui::SliderFloat("##speed", &place, least, most, "%.3g",
                                               ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp |
                                                   (is_typed ? 0 : ImGuiSliderFlags_NoRoundToFormat));
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    take_speed(place, is_changed, is_typed);
    tip_above(
        "How fast the time of the world goes, times its own rate: - slower, = faster, 0 as usual. A double "
        "click types it; a right click: as usual.",
        view.no_speed);
    ImGui::EndDisabled();
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(std::floor(one), low.y + tall - px(3)),
                                              ImVec2(std::floor(one) + px(2), low.y + tall),
                                              to_imgui(theme(THEME_TEXT_DIM)));
}

void panels::speed_max(const panels_view &view) {
    const bool is_max = view.speed <= 0;
    ImGui::BeginDisabled(view.no_speed[0] != '\0');
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(is_max ? theme(THEME_ACCENT) : theme(THEME_TEXT)));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(6), px(2)));
    if (ImGui::Button("max")) {
        result.sets_speed = true;
        result.speed = is_max ? 1 : 0;
    }
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    tip_above("As fast as the server can; again: as usual.", view.no_speed);
    ImGui::EndDisabled();
}

/* Both behind one button where there is no room. Returns where it ends. */
float panels::speed_box(const panels_view &view, float x, float middle) {
    char shown[SPEEDS_TEXT] = "", words[SPEEDS_TEXT + 8];
    speed_words(view, shown, sizeof shown);
    (void)std::snprintf(words, sizeof words, "%s###pace", shown);
    ImGui::SetCursorScreenPos(ImVec2(x, middle - px(12)));
    if (ImGui::Button(words, ImVec2(px(52), px(24)))) {
        ImGui::OpenPopup("pace");
    }
    if (!ImGui::IsPopupOpen("pace")) {
        tip_above("How fast the time of the world goes.", view.no_speed);
    }
    ImGui::SetNextWindowPos(ImVec2(x, middle - px(22)), 0, ImVec2(0, 1));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(8), px(8)));
    if (ImGui::BeginPopup("pace")) {
        speed_slider(view, px(180));
        ImGui::SameLine();
        speed_max(view);
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
    return x + px(52);
}

/* Returns where they end. */
float panels::time_buttons(const panels_view &view, ImVec2 low, ImVec2 high) {
    const float middle = std::floor((low.y + high.y) / 2), y = middle - px(12);
    time_button(view, view.shows_play ? icon_play : icon_pause, SHORTCUT_PAUSE, ImVec2(px(10), y),
                view.no_time);
    time_button(view, icon_step, SHORTCUT_STEP, ImVec2(px(42), y), view.no_time);
    if (high.x - low.x < px(340)) {
        return px(70); /* the keys do the rest */
    }
    time_button(view, icon_restart, SHORTCUT_RESTART, ImVec2(px(74), y), view.no_restart);
    const float x = px(112);
    if (high.x - low.x < px(view.is_replay ? 960 : 760)) {
        return speed_box(view, x, middle);
    }
    const float wide = px(104), top = std::floor(middle - (font_px(regular) + px(4)) / 2);
    char words[SPEEDS_TEXT];
    ImGui::SetCursorScreenPos(ImVec2(x, top));
    speed_slider(view, wide);
    speed_words(view, words, sizeof words);
    text(regular, x + wide + px(8), middle - font_px(regular) / 2,
         view.no_speed[0] != '\0' ? theme(THEME_FAINT) : theme(THEME_TEXT), words);
    ImGui::SetCursorScreenPos(ImVec2(x + wide + px(48), top));
    speed_max(view);
    return x + wide + px(92);
}

/* ---- the line ---- */

/* The handle goes with the mouse from where it was taken; a press beside it takes it there. While the mouse
 * rests the moment stays, though the world goes on. */
void panels::scrub(const panels_view &view, float right, float knob, double seconds_per_px) {
    const float at = ImGui::GetIO().MousePos.x;
    if (ImGui::IsItemActivated()) {
        const bool is_on_knob = std::fabs(at - knob) <= px(9);
        scrub_x = at;
        scrub_s = view.now_s - (is_on_knob ? (view.is_live ? 0.0 : view.behind_s)
                                           : static_cast<double>(right - at) * seconds_per_px);
        is_scrubbed = !is_on_knob;
    }
    is_scrubbed = is_scrubbed || std::fabs(at - scrub_x) > px(2);
    if (ImGui::IsItemActive() && is_scrubbed && view.recorded_s > 0) {
        result.is_scrubbing = true;
        result.scrub_to_s =
            at >= right - px(2) ? view.now_s : scrub_s + static_cast<double>(at - scrub_x) * seconds_per_px;
    }
}

void panels::timeline(const panels_view &view, ImVec2 size) {
    const ImVec2 low(0, std::floor(size.y - px(PANELS_TIMELINE_PX))), high(size.x - side_px, size.y);
    begin_window("timeline", low, high);
    list->AddRectFilled(low, high, to_imgui(theme(THEME_PANEL)));
    list->AddRectFilled(low, ImVec2(high.x, low.y + px(1)), to_imgui(theme(THEME_PANEL_EDGE)));
    const float middle = std::floor((low.y + high.y) / 2), text_y = middle - font_px(regular) / 2;
    char words[32];
    const double reach = 60.0;
    const float left = time_buttons(view, low, high) + px(64),
                right = std::max(high.x - px(76), left + px(20)), length = right - left;
    const auto place = [&](double back_s) {
        return right - length * static_cast<float>(std::min(std::max(back_s, 0.0) / reach, 1.0));
    };
    const int back = static_cast<int>(view.is_live ? view.recorded_s * 10 : view.behind_s * 10 + 0.5);
    std::snprintf(words, sizeof words, view.is_live ? "-%d s" : "-%d.%d s", back / 10, back % 10);
    text(regular, left - px(12) - width(regular, words), text_y, theme(THEME_TEXT_DIM), words);
    const float from = place(view.recorded_s), knob = place(view.is_live ? 0.0 : view.behind_s);
    list->AddRectFilled(ImVec2(left, middle - px(2)), ImVec2(right, middle + px(2)),
                        to_imgui(theme(THEME_FRAME)), px(2));
    list->AddRectFilled(ImVec2(from, middle - px(2)), ImVec2(knob, middle + px(2)),
                        to_imgui(view.is_live ? theme(THEME_PLAYED) : theme(THEME_WARN)), px(2));
    ImGui::SetCursorScreenPos(ImVec2(left - px(6), middle - px(12)));
    ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true); /* arrows look back, , and . as well */
    ImGui::InvisibleButton("scrub", ImVec2(length + px(12), px(24)));
    ImGui::PopItemFlag();
    scrub(view, right, knob, reach / static_cast<double>(length));
    list->AddCircleFilled(ImVec2(knob, middle), px(7), to_imgui(theme(THEME_KNOB)), 24);
    if (button("live", ImVec2(high.x - px(60), middle - px(12)), ImVec2(high.x - px(8), middle + px(12)))) {
        result.shortcut = shortcuts_row(SHORTCUT_LIVE);
    }
    text(bold, high.x - px(50), text_y,
         view.is_live && view.has_live ? theme(THEME_OK) : theme(THEME_TEXT_DIM), "LIVE");
    ImGui::End();
}
