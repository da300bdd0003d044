/* See panels.h. A slider for every number of a kind that can be tuned: drag; double click or Ctrl+click to type; right
 * click for the value it had when this viewer first saw the world. */
#include <imgui_internal.h> /* whether a value is typed in a slider */

#include "viewer/panels/panels_impl.hpp"

namespace {

double first_value(const panels_view &view, int param) {
    return view.server->first_values != nullptr ? view.server->first_values[param]
                                                : view.server->params[param].value;
}

} // namespace

/* The parameter is to have this value. */
void panels::tune(int param, double value) {
    result.tunes = true;
    result.param = param;
    result.value = value;
}

/* Help, unit, range, and why it cannot be changed. */
void panels::param_tip(const panels_view &view, const message_param &param, double first) {
    char range[PARAM_RANGE_TEXT], more[400];
    param_range_text(&param, first, range);
    std::snprintf(more, sizeof more, "%s%s%s", range, view.no_tuning[0] != '\0' ? "\n\n" : "",
                  view.no_tuning);
    tip(param.help, more);
}

/* Takes what the slider, the item before, made of the value. A mere click changes nothing: it may become a double one.
 * What is typed is taken when it is done. */
void panels::move_param(const panels_view &view, int param, double value, bool is_changed) {
    const bool is_typed = ImGui::GetCurrentContext()->TempInputId == ImGui::GetItemID();
    const ImGuiIO &io = ImGui::GetIO();
    const bool is_pressed = io.MouseDown[0],
               is_moved = is_pressed && std::fabs(io.MousePos.x - io.MouseClickedPos[0].x) > px(2);
    if (ImGui::IsItemActivated()) {
        held_param = param;
        held_value = view.server->params[param].value;
        is_taken = false;
    }
    if (held_param == param && is_changed && (is_typed || is_moved || is_taken || !is_pressed)) {
        is_taken = true;
        held_value = value;
    }
    if (held_param == param && is_taken && !is_typed) { /* each frame: the app sends at a bounded rate */
        tune(param, held_value);
        result.is_sliding = true;
    }
    if (ImGui::IsItemDeactivated() && held_param == param) {
        held_param = -1;
        if (is_taken) {
            tune(param, held_value); /* out of range: the app says so */
            result.is_sliding = false;
        }
    }
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
        is_over_slider = true;
        if (input->was_right_pressed) {
            tune(param, first_value(view, param));
        } else if (view.no_tuning[0] != '\0' && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
            tune(param, view.server->params[param].value); /* the app says why not */
        }
    }
}

void panels::param_row(const panels_view &view, int index) {
    const message_param &param = view.server->params[index];
    const double first = first_value(view, index), end = param_track_end(&param, first), begin = param.min;
    double value = held_param == index ? held_value : param.value;
    char words[UNITS_TEXT];
    ImGui::PushID(index);
    ImGui::BeginGroup();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    units_format_param(&param, value, words);
    ImGui::TextDisabled("%s", param_name_of(param.param).name);
    list = ImGui::GetWindowDrawList();
    text(regular, at.x + room - width(regular, words), at.y,
         value == first ? theme(THEME_TEXT) : theme(THEME_WARN), words);
    ImGui::BeginDisabled(view.no_tuning[0] != '\0');
    const bool is_typed = ImGui::TempInputIsActive(ImGui::GetID("##value"));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - px(3));
    ImGui::SetNextItemWidth(-FLT_MIN);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(6), px(1)));
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(is_typed ? theme(THEME_ACCENT) : 0x00000000u));
    const bool is_changed =
        ImGui::SliderScalar("##value", ImGuiDataType_Double, &value, &begin, &end, "%.9g");
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    move_param(view, index, is_typed ? value : param_rounded(value, end - begin), is_changed);
    ImGui::EndDisabled();
    ImGui::EndGroup();
    if (held_param != index) {
        param_tip(view, param, first);
    }
    ImGui::PopID();
}

/* Of which kind they are. */
void panels::kind_choice(const panels_view &view) {
    const message_scenario &scenario = view.server->scenario;
    ImGui::SetNextItemWidth(px(104));
    if (ImGui::BeginCombo("##kind", view.tuned_kind)) {
        for (int i = 0; i < scenario.kind_count; i++) {
            const bool is_it = std::strcmp(scenario.kinds[i].name, view.tuned_kind) == 0;
            if (ImGui::Selectable(scenario.kinds[i].name, is_it)) {
                result.picks_kind = true;
                result.kind = i;
            }
            if (is_it) {
                ImGui::SetItemDefaultFocus();
            }
        }
        ImGui::EndCombo();
    }
    tip("The kind of agent that the sliders are for.");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-FLT_MIN);
    ImGui::InputTextWithHint("##filter", "filter", filter, sizeof filter);
    tip("Shows the numbers whose names hold these words.");
}

/* A fold for each behavior; those of the selected agent's state, and of the body, are open at first. */
void panels::param_rows(const panels_view &view) {
    param_list rows;
    bool is_open = true;
    param_list_fill(view.server->params, view.server->param_count, view.tuned_kind, first_state, filter,
                    &rows);
    for (int i = 0; i < rows.count; i++) {
        const struct param_row &row = rows.rows[i];
        const param_name name = param_name_of(view.server->params[row.index].param);
        if (row.is_first) {
            char title[80];
            std::snprintf(title, sizeof title, "%s%s%s", name.state, name.state[0] != '\0' ? ": " : "",
                          name.behavior[0] != '\0' ? name.behavior : "body");
            ImGui::SetNextItemOpen(filter[0] != '\0' || row.is_now || first_state[0] == '\0',
                                   filter[0] != '\0' ? ImGuiCond_Always : ImGuiCond_Once);
            is_open = ImGui::TreeNodeEx(title, ImGuiTreeNodeFlags_NoTreePushOnOpen |
                                                   ImGuiTreeNodeFlags_SpanAvailWidth);
        }
        if (is_open) {
            param_row(view, row.index);
        }
    }
    const char *note = view.server->param_count == 0 ? "The server has not listed its parameters yet."
                       : view.no_tuning[0] != '\0'   ? view.no_tuning
                       : rows.count == 0 && filter[0] != '\0'
                           ? "No number has such a name."
                           : "Drag; double click to type; right click: as it was.";
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextDisabled("%s", note);
    ImGui::PopTextWrapPos();
}

void panels::sliders(const panels_view &view) {
    ImGui::SetNextItemOpen(view.open->params);
    const bool is_open = section("Sliders", "sliders", shortcuts_row(SHORTCUT_PARAMS)->name);
    if (is_open != view.open->params) {
        result.shortcut = shortcuts_row(SHORTCUT_PARAMS);
    }
    if (!is_open) {
        held_param = -1;
        return;
    }
    const bool is_over = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows |
                                                ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    const bool is_of_kind = std::strcmp(view.agent_kind, view.tuned_kind) == 0;
    if (!is_over && held_param < 0) { /* no slider runs away from the hand */
        std::snprintf(first_state, sizeof first_state, "%s", is_of_kind ? view.agent_state : "");
    }
    kind_choice(view);
    const float from = ImGui::GetCursorPosY();
    begin_part("rows", ImVec2(0, 0), false);
    const float top = ImGui::GetCursorPosY();
    param_rows(view);
    sliders_px = from - top + ImGui::GetCursorPosY();
    ImGui::EndChild();
}
