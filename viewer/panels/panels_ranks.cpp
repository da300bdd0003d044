/* See panels.h. The ranks of a cluster: a bar for each, its work and, paler, its wait; the longest has another color. */
#include "viewer/panels/panels_impl.hpp"

void panels::rank_bar(const panels_rank &rank) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x, tall = font_px(regular);
    const float left = std::floor(low.x + px(24)), right = std::floor(low.x + room - px(94)),
                wide = right - left;
    ImDrawList *draws = ImGui::GetWindowDrawList();
    ImGui::Dummy(ImVec2(room, tall));
    const ImU32 fill = to_imgui(theme(rank.is_longest ? THEME_WARN : THEME_ACCENT));
    const ImU32 words = to_imgui(theme(rank.is_longest ? THEME_WARN : THEME_TEXT_DIM));
    draws->AddText(low, words, rank.name);
    const float top = std::floor(low.y + px(3)), bottom = std::floor(low.y + tall - px(1));
    const float middle = left + std::floor(wide * rank.work);
    draws->AddRectFilled(ImVec2(left, top), ImVec2(right, bottom), to_imgui(theme(THEME_WELL)), px(2));
    draws->AddRectFilled(ImVec2(left, top), ImVec2(middle, bottom), fill, px(2));
    draws->AddRectFilled(ImVec2(middle, top), ImVec2(middle + std::floor(wide * rank.wait), bottom),
                         to_imgui(theme(THEME_FAINT)), px(2));
    draws->AddText(ImVec2(std::floor(low.x + room - width(regular, rank.value)), low.y),
                   to_imgui(theme(THEME_TEXT)), rank.value);
    tip(rank.tip);
}

void panels::ranks(const panels_view &view) {
    for (int i = 0; i < view.ranks.row_count; i++) {
        value_row(view.ranks.rows[i].name, view.ranks.rows[i].value);
    }
    value_row("work and wait", "in a tick");
    for (int i = 0; i < view.ranks.count; i++) {
        rank_bar(view.ranks.bars[i]);
    }
}
