/* See panels.h. The timeline of a recording that the server plays: from its first tick to its last. */
#include <imgui_internal.h> /* what the keyboard passes over */

#include "viewer/panels/panels_impl.hpp"

/* A word that can be pressed, ending at `right`. Returns where it begins. */
float panels::replay_button(const char *id, const char *words, float right, float middle, const char *why_not,
                            bool *is_pressed) {
    const float left = std::floor(right - width(bold, words) - px(20));
    const ImVec2 low(left, middle - px(12)), high(right, middle + px(12));
    box(low, high, theme(THEME_BUTTON), 0, 4);
    *is_pressed = button(id, low, high);
    if (ImGui::IsItemHovered() && why_not[0] != '\0') {
        tooltip(why_not, ImVec2(high.x, low.y - px(12)), 1.0f, 1.0f);
    }
    text(bold, left + px(10), middle - font_px(bold) / 2,
         why_not[0] != '\0' ? theme(THEME_FAINT) : theme(THEME_TEXT), words);
    return left;
}

/* The button at the right end, in as many letters as there is room for; returns where it begins. */
float panels::replay_take_over(const panels_view &view, float right, float least, float middle) {
    const bool is_short = right - width(bold, "take over") - px(20) < least + px(60);
    const char *const words = is_short ? "Ctrl+T" : "take over";
    bool is_pressed = false;
    if (is_short && right - width(bold, words) - px(20) < least) {
        return right + px(14); /* the key does it still */
    }
    const float x = replay_button("take over", words, right, middle, view.replay.no_take_over, &is_pressed);
    if (ImGui::IsItemHovered() && view.replay.no_take_over[0] == '\0') {
        tooltip("Ctrl+T: takes over from here", ImVec2(right, middle - px(24)), 1.0f, 1.0f);
    }
    if (is_pressed) {
        result.shortcut = shortcuts_row(SHORTCUT_TAKE_OVER);
    }
    return x;
}

/* What stands at the right of the line, from its end on; returns where it begins. What matters least is left out where
 * there is no room; what stays keeps its place while its words change. */
float panels::replay_words(const panels_view &view, float right, float least, float middle) {
    const panels_replay &replay = view.replay;
    const float y = middle - font_px(regular) / 2;
    char widest[64];
    const char *slash = std::strchr(replay.time, '/');
    std::snprintf(widest, sizeof widest, "%s /%s", slash != nullptr ? slash + 2 : "",
                  slash != nullptr ? slash + 1 : "");
    const float time = std::max(width(regular, widest), width(regular, replay.time));
    float x = replay_take_over(view, right, least + px(14) + time, middle) - px(14) - time;
    text(regular, x + time - width(regular, replay.time), y, theme(THEME_TEXT), replay.time);
    if (x - px(8) - width(bold, "REPLAY") > least + px(40)) {
        x -= px(8) + width(bold, "REPLAY");
        text(bold, x, middle - font_px(bold) / 2, replay.is_other ? theme(THEME_WARN) : theme(THEME_ACCENT),
             "REPLAY");
    }
    const auto add = [&](const char *words, float wide, color c) {
        if (x - px(12) - wide > least + px(60)) {
            x -= px(12) + wide;
            text(regular, x + wide - width(regular, words), y, c, words);
        }
    };
    if (replay.worlds[0] != '\0') {
        std::snprintf(widest, sizeof widest, "world %d of %d", replay.line.count, replay.line.count);
        add(replay.worlds, std::max(width(regular, replay.worlds), width(regular, widest)),
            theme(THEME_TEXT_DIM));
    }
    if (!view_settings_have_panel(view.settings)) {
        add("P: panel", width(regular, "P: panel"), theme(THEME_FAINT));
    }
    return x;
}

/* The line, amber from where the replay is not the recording any more, and its handle. */
void panels::replay_track(const panels_view &view, float left, float right, float middle) {
    const panels_replay &replay = view.replay;
    const float length = right - left, thick = px(2);
    const auto place = [&](const replay_moment &moment) {
        return left + length * static_cast<float>(replay_line_share(&replay.line, &moment));
    };
    const float knob = place(scrubs_replay ? scrub_at : replay.at);
    list->AddRectFilled(ImVec2(left, middle - thick), ImVec2(right, middle + thick),
                        to_imgui(theme(THEME_FRAME)), thick);
    list->AddRectFilled(ImVec2(left, middle - thick), ImVec2(knob, middle + thick),
                        to_imgui(theme(THEME_PLAYED)), thick);
    for (int i = 1; i < replay.line.count; i++) { /* a mark where a world begins */
        const float at = std::floor(
            place({replay.line.first_world + static_cast<uint32_t>(i), replay.line.spans[i].first}));
        list->AddRectFilled(ImVec2(at, middle - px(7)), ImVec2(at + px(1), middle + px(7)),
                            to_imgui(theme(THEME_FAINT)));
    }
    const float wrong = place(replay.diverged);
    if (replay.has_diverged) {
        const float end = place(replay_line_world_end(&replay.line, &replay.diverged));
        list->AddRectFilled(ImVec2(wrong, middle - thick), ImVec2(std::max(end, wrong), middle + thick),
                            to_imgui(theme(THEME_WARN)), thick);
        list->AddRectFilled(ImVec2(wrong - px(1), middle - px(9)), ImVec2(wrong + px(1), middle + px(9)),
                            to_imgui(theme(THEME_WARN)));
    }
    ImGui::SetCursorScreenPos(ImVec2(left - px(6), middle - px(12)));
    ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true); /* arrows go a second on */
    ImGui::InvisibleButton("seek", ImVec2(length + px(12), px(24)));
    ImGui::PopItemFlag();
    const float mouse_x = ImGui::GetIO().MousePos.x;
    scrubs_replay = ImGui::IsItemActive();
    if (scrubs_replay) {
        scrub_at = replay_line_moment(&replay.line, static_cast<double>((mouse_x - left) / length));
        result.is_seeking = true;
        result.seek_to = scrub_at;
    }
    list->AddCircleFilled(ImVec2(knob, middle), px(7), to_imgui(theme(THEME_KNOB)), 24);
    replay_hint(view, left, right, middle, mouse_x);
}

/* Over the line: which tick the mouse points at, and at the amber mark what it means. */
void panels::replay_hint(const panels_view &view, float left, float right, float middle, float mouse_x) {
    const panels_replay &replay = view.replay;
    if (!ImGui::IsItemHovered() && !scrubs_replay) {
        return;
    }
    char words[160], time[32];
    const double share = static_cast<double>((mouse_x - left) / (right - left));
    const replay_moment moment = replay_line_moment(&replay.line, share);
    const float wrong =
        left + (right - left) * static_cast<float>(replay_line_share(&replay.line, &replay.diverged));
    if (replay.has_diverged && !scrubs_replay && std::fabs(mouse_x - wrong) <= px(5)) {
        std::snprintf(words, sizeof words,
                      replay.line.count > 1
                          ? "From tick %llu to the end of world %u this is not what was recorded."
                          : "From tick %llu on this is not what was recorded.",
                      static_cast<unsigned long long>(replay.diverged.tick), replay.diverged.world);
    } else {
        const unsigned long long tick = moment.tick;
        replay_line_time(&replay.line, replay_line_offset(&replay.line, &moment), time, sizeof time);
        if (replay.line.count > 1) {
            std::snprintf(words, sizeof words, "%s   world %u, tick %llu", time, moment.world, tick);
        } else {
            std::snprintf(words, sizeof words, "%s   tick %llu", time, tick);
        }
    }
    tooltip(words, ImVec2(std::min(std::max(mouse_x, left), right), middle - px(26)), 0.5f, 1.0f);
}

void panels::replay_timeline(const panels_view &view, ImVec2 size) {
    const float beside = view_settings_have_panel(view.settings) ? side_px : 0;
    const ImVec2 low(0, size.y - px(PANELS_TIMELINE_PX)), high(size.x - beside, size.y);
    begin_window("timeline", low, high);
    list->AddRectFilled(low, high, to_imgui(theme(THEME_PANEL)));
    list->AddRectFilled(low, ImVec2(high.x, low.y + px(1)), to_imgui(theme(THEME_PANEL_EDGE)));
    const float middle = std::floor((low.y + high.y) / 2), left = time_buttons(view, low, high) + px(18);
    const float words = replay_words(view, high.x - px(10), left + px(20 + 70), middle);
    const float right = std::max(words - px(20), left + px(20));
    replay_track(view, left, right, middle);
    ImGui::End();
}
