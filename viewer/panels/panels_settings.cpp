/* See panels.h. The settings of the key table, as check boxes. */
#include "viewer/panels/panels_impl.hpp"

namespace {

/* What stands beside the check box of an overlay: a piece of what it draws. */
enum mark { mark_none, mark_vector, mark_circle, mark_tie, mark_cross };

struct overlay_mark {
    size_t offset; /* of the overlay's member of the settings */
    enum mark mark;
    theme_part fill;
};

const overlay_mark overlay_marks[] = {
    {offsetof(view_settings, shows_velocity), mark_vector, THEME_VELOCITY},
    {offsetof(view_settings, shows_desired), mark_vector, THEME_DESIRED},
    {offsetof(view_settings, shows_steering), mark_vector, THEME_STEERING},
    {offsetof(view_settings, shows_radii), mark_circle, THEME_RADIUS},
    {offsetof(view_settings, shows_neighbors), mark_tie, THEME_NEIGHBOR},
    {offsetof(view_settings, shows_places), mark_cross, THEME_TEXT_DIM},
};

/* Without a row above: no mark. */
overlay_mark mark_of(const shortcut &row) {
    for (const overlay_mark &mark : overlay_marks) {
        if (mark.offset == row.setting.offset) {
            return mark;
        }
    }
    return {row.setting.offset, mark_none, THEME_TEXT};
}

} // namespace

void panels::setting_mark(const shortcut &row, float right, float y) {
    const overlay_mark mark = mark_of(row);
    const ImU32 fill = to_imgui(theme(mark.fill));
    const float middle = std::floor(y + px(9)) + 0.5f;
    const ImVec2 at(right - px(13), middle);
    const float arm = px(4);
    switch (mark.mark) {
    case mark_vector:
        vector_mark(at, theme(mark.fill));
        break;
    case mark_circle:
        list->AddCircle(at, px(7), fill, 24, px(1.25f));
        break;
    case mark_tie:
        list->AddLine(ImVec2(right - px(24), middle), ImVec2(right - px(12), middle), fill, px(1.25f));
        list->AddCircle(ImVec2(right - px(7), middle), px(5), fill, 24, px(1.25f));
        break;
    case mark_cross:
        list->AddLine(ImVec2(at.x - arm, at.y - arm), ImVec2(at.x + arm, at.y + arm), fill, px(2));
        list->AddLine(ImVec2(at.x - arm, at.y + arm), ImVec2(at.x + arm, at.y - arm), fill, px(2));
        break;
    case mark_none:
        break;
    }
}

/* The key and the mark of the row before, at its right. */
void panels::toggle_row(const panels_view &view, const shortcut &row) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float right = at.x + ImGui::GetContentRegionAvail().x;
    bool is_on = view_settings_get_bool(view.settings, &row.setting);
    if (ImGui::Checkbox(row.label, &is_on)) {
        result.shortcut = &row;
    }
    tip(tips_find(row.setting.name));
    list = ImGui::GetWindowDrawList();
    const float y = std::floor(at.y + px(1));
    setting_mark(row, right, y);
    text(regular, right - px(34) - width(regular, row.name), y, theme(THEME_FAINT), row.name);
}

void panels::choice_row(const panels_view &view, const shortcut &row) {
    const float names = px(108), keys = px(52), pad = px(6);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    float words = 0;
    for (int i = 0; row.setting.choices[i] != nullptr; i++) {
        words = std::max(words, width(regular, row.setting.choices[i]));
    }
    const bool has_key = room - names - keys >= words + 2 * pad; /* beside a scroll bar the words go first */
    char id[48];
    std::snprintf(id, sizeof id, "##%s", row.setting.name);
    list = ImGui::GetWindowDrawList();
    text(regular, at.x, at.y + px(1), theme(THEME_TEXT), row.label);
    if (has_key) {
        text(regular, at.x + room - width(regular, row.name), at.y + px(1), theme(THEME_FAINT), row.name);
    }
    ImGui::SetCursorScreenPos(ImVec2(at.x + names, at.y));
    ImGui::SetNextItemWidth(room - names - (has_key ? keys : 0));
    if (ImGui::BeginCombo(id, view_settings_get_choice(view.settings, &row.setting),
                          ImGuiComboFlags_NoArrowButton)) {
        for (int i = 0; row.setting.choices[i] != nullptr; i++) {
            const char *name = row.setting.choices[i];
            const bool is_it = name == view_settings_get_choice(view.settings, &row.setting);
            if (ImGui::Selectable(name, is_it)) {
                result.chooses = &row;
                result.choice = i;
            }
            if (is_it) {
                ImGui::SetItemDefaultFocus();
            }
        }
        ImGui::EndCombo();
    }
    tip(tips_find(row.setting.name));
}

/* The settings of the key table that have a label. */
void panels::setting_rows(const panels_view &view) {
    size_t count = 0;
    const shortcut *table = shortcuts_table(&count);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(6), px(1)));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0f);
    ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(theme(THEME_FRAME_EDGE)));
    for (size_t i = 0; i < count; i++) {
        const shortcut &row = table[i];
        if (row.label != nullptr && row.setting.type == FIELD_BOOL) {
            toggle_row(view, row);
        } else if (row.label != nullptr) {
            choice_row(view, row);
        }
    }
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
}
