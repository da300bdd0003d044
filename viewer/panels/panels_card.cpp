/* See panels.h. What the world says of itself: the caption over the picture for a while, the card until it is closed. */
#include "viewer/panels/panels_impl.hpp"

/* In the middle of what the legend and the side panel leave, above the timeline and the notice; where that is over the
 * selected agent, below the bar and the tool's or the hint's words. Its lines begin at one edge. */
void panels::caption(const panels_view &view, ImVec2 size, float legend_right) {
    const panels_caption &caption = view.caption;
    if (caption.alpha <= 0.0f) {
        return;
    }
    const bool has_line = view.tool[0] != '\0' || view.hint[0] != '\0';
    const float left = legend_right + px(12),
                right = size.x - px(12) - (view_settings_have_panel(view.settings) ? side_px : 0);
    const float pad = px(16), wrap = std::min(px(560), right - left - 2 * pad);
    ImFont *const fonts[] = {bold, regular, regular};
    const color fills[] = {theme(THEME_TEXT), theme(THEME_TEXT), theme(THEME_TEXT_DIM)};
    ImVec2 sizes[3];
    float w = 0, h = 2 * px(10);
    for (int i = 0; i < 3; i++) {
        sizes[i] = fonts[i]->CalcTextSizeA(font_px(fonts[i]), FLT_MAX, wrap, caption.lines[i]);
        w = std::max(w, sizes[i].x);
        h += caption.lines[i][0] != '\0' ? sizes[i].y + (i > 0 ? px(4) : 0) : 0;
    }
    if (wrap < px(120)) {
        return;
    }
    const float below =
        view_settings_have_panel(view.settings) || view.is_replay ? px(PANELS_TIMELINE_PX + 34) : px(34);
    const float notice = view.toast[0] != '\0' && view.toast_alpha > 0.0f ? px(48) : 0;
    const float high = px(PANELS_BAR_PX + 10) + (has_line ? px(38) : 0), low = size.y - below - notice - h;
    const float x = std::floor((left + right - w) / 2 - pad),
                top = std::floor(caption.is_high ? high : std::max(high, low));
    box(ImVec2(x, top), ImVec2(x + w + 2 * pad, top + h), color_fade(theme(THEME_CAPTION), caption.alpha),
        color_fade(theme(THEME_PANEL_EDGE), caption.alpha), 6);
    float y = top + px(10);
    for (int i = 0; i < 3; i++) {
        if (caption.lines[i][0] != '\0') {
            list->AddText(fonts[i], font_px(fonts[i]), ImVec2(std::floor(x + pad), std::floor(y)),
                          to_imgui(color_fade(fills[i], caption.alpha)), caption.lines[i], nullptr, wrap);
            y += sizes[i].y + px(4);
        }
    }
}

static void words(const panels_pen &pen, const char *heading, const char *body) {
    if (body[0] == '\0') {
        return;
    }
    ImGui::Spacing();
    if (heading[0] != '\0') {
        ImGui::PushFont(pen.bold);
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(to_imgui(pen.theme(THEME_ACCENT))), "%s", heading);
        ImGui::PopFont();
    }
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(body);
    ImGui::PopTextWrapPos();
}

void panels::card_texts(const explain_card &card) {
    ImGui::PushFont(bold);
    words(*this, "", card.caption);
    ImGui::PopFont();
    words(*this, "", card.description);
    words(*this, "Look for", card.look_for);
    words(*this, "Try", card.to_try);
}

void panels::card_keys(const explain_card &card) {
    ImGui::Spacing();
    ImGui::PushFont(bold);
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(to_imgui(theme(THEME_ACCENT))),
                       "Keys that matter here");
    ImGui::PopFont();
    if (!ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
        return;
    }
    ImGui::TableSetupColumn("key");
    ImGui::TableSetupColumn("words", ImGuiTableColumnFlags_WidthStretch);
    for (int i = 0; i < card.key_count; i++) {
        ImGui::TableNextColumn();
        ImGui::PushFont(bold);
        ImGui::TextUnformatted(card.keys[i].key);
        ImGui::PopFont();
        ImGui::TableNextColumn();
        ImGui::TextWrapped("%s", card.keys[i].words);
    }
    ImGui::EndTable();
}

/* Over the side panel: the world is what it is about. As high as its texts, and no higher than the picture: then it
 * scrolls, by the wheel and the keys. */
void panels::card(const panels_view &view, ImVec2 size) {
    const float margin = px(10), w = std::min(px(PANELS_CARD_PX), size.x - 2 * margin),
                top = px(PANELS_BAR_PX + 10);
    const float x = std::floor(std::max(size.x - margin - w, margin));
    const explain_card &card = view.card;
    ImGui::SetNextWindowPos(ImVec2(x, top));
    ImGui::SetNextWindowSizeConstraints(ImVec2(w, 0), ImVec2(w, size.y - top - px(PANELS_TIMELINE_PX + 10)));
    if (!had_card) {
        ImGui::SetNextWindowFocus();
    }
    ImGui::PushStyleColor(ImGuiCol_WindowBg, to_imgui(theme(THEME_POP)));
    ImGui::Begin("card", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoNav);
    ImGui::PopStyleColor();
    const int lines =
        (input->was_key_pressed[PANELS_KEY_DOWN] ? 1 : 0) - (input->was_key_pressed[PANELS_KEY_UP] ? 1 : 0);
    const int pages = (input->was_key_pressed[PANELS_KEY_PAGE_DOWN] ? 1 : 0) -
                      (input->was_key_pressed[PANELS_KEY_PAGE_UP] ? 1 : 0);
    if (!had_card) {
        ImGui::SetScrollY(0);
    } else if (lines + pages != 0) {
        ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(lines) * px(40) +
                          static_cast<float>(pages) * ImGui::GetWindowHeight() * 0.8f);
    }
    ImGui::PushFont(large);
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(card.title);
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    card_texts(card);
    card_keys(card);
    words(*this, "From", card.source);
    ImGui::Spacing();
    ImGui::TextDisabled("I or Esc closes this%s",
                        ImGui::GetScrollMaxY() > 0 ? ";  Up, Down, wheel: the rest" : "");
    ImGui::End();
}
