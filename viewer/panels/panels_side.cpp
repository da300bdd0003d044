/* See panels.h. The side panel: the agent, settings, network, ranks, plots, sliders. */
#include "viewer/panels/panels_impl.hpp"

#include <imgui_internal.h> /* the keyboard's focus: ImGui shows it only after an arrow key */

/* ---- the selected agent ---- */

/* A paragraph. */
void panels::note(const char *words) {
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextDisabled("%s", words);
    ImGui::PopTextWrapPos();
}

void panels::inspector(const panels_view &view) {
    if (view.agent[0] == '\0') {
        return note("Click an agent to see what it does, and why.");
    }
    if (view.inspected != nullptr) {
        equations(view);
    }
    if (view.agent_note[0] != '\0') {
        note(view.agent_note);
    }
}

/* ---- settings ---- */

void panels::setting_mark(const shortcut &row, float right, float y) {
    const panel_mark mark = panel_mark_of(&row);
    const ImU32 fill = to_imgui(theme(mark.fill));
    const float middle = std::floor(y + px(9)) + 0.5f;
    const ImVec2 at(right - px(13), middle);
    const float arm = px(4);
    switch (mark.mark) {
    case LEGEND_VECTOR:
        vector_mark(at, theme(mark.fill));
        break;
    case LEGEND_CIRCLE:
        list->AddCircle(at, px(7), fill, 24, px(1.25f));
        break;
    case LEGEND_TIE:
        list->AddLine(ImVec2(right - px(24), middle), ImVec2(right - px(12), middle), fill, px(1.25f));
        list->AddCircle(ImVec2(right - px(7), middle), px(5), fill, 24, px(1.25f));
        break;
    case LEGEND_CROSS:
        list->AddLine(ImVec2(at.x - arm, at.y - arm), ImVec2(at.x + arm, at.y + arm), fill, px(2));
        list->AddLine(ImVec2(at.x - arm, at.y + arm), ImVec2(at.x + arm, at.y - arm), fill, px(2));
        break;
    default:
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

/* ---- the network ---- */

float panels::network(const panels_view &view, float x, float y, float right) {
    y = heading(x, y, panel_sections[PANEL_NETWORK].title);
    for (int i = 0; i < view.network_count; i++, y += px(19)) {
        row(x, y, right, view.network[i]);
    }
    const float high = y + px(26), step = (right - x) / static_cast<float>(PANELS_LAG_BARS);
    box(ImVec2(x, y), ImVec2(right, high), theme(THEME_WELL), 0, 2);
    for (int i = 0; i < view.lag.count; i++) {
        const float late = view.lag.late_ms[i], left = x + step * static_cast<float>(i);
        const color fill = late <= 0 ? theme(THEME_OK) : late < 100 ? theme(THEME_WARN) : theme(THEME_BAD);
        const float tall = late <= 0 ? px(5) : px(8) + std::min(late / 250.0f, 1.0f) * px(17);
        list->AddRectFilled(ImVec2(left, high - tall), ImVec2(left + std::max(step - px(0.7f), 1.0f), high),
                            to_imgui(fill));
    }
    return high + px(10);
}

/* Only when something is wrong or it was asked for, and the side panel does not show it already. */
void panels::network_corner(const panels_view &view, ImVec2 size) {
    const float w = px(230), h = px(24) + px(19) * static_cast<float>(view.network_count) + px(40);
    const ImVec2 low(size.x - w - px(10), px(PANELS_BAR_PX + 10)), high(size.x - px(10), low.y + h);
    box(low, high, theme(THEME_CAPTION), view.is_network_bad ? theme(THEME_WARN) : theme(THEME_PANEL_EDGE),
        5);
    network(view, std::floor(low.x + px(12)), std::floor(low.y + px(8)), std::floor(high.x - px(12)));
}

/* ---- ranks ---- */

/* A bar for each rank of a cluster, its work and, paler, its wait; the longest has another color. */
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
    value_row("work and wait", "in a tick");
    for (int i = 0; i < view.ranks.count; i++) {
        rank_bar(view.ranks.bars[i]);
    }
}

/* ---- plots ---- */

/* The values of a sample, and how long ago that was. */
void panels::plot_tip(const panels_view &view, const panels_plot &plot, int index) {
    const plots_sample *newest = plots_at(view.samples, view.samples->count - 1);
    char number[32];
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(7)));
    place_tip();
    ImGui::BeginTooltip();
    units_format_number(std::round(10 * (newest->time_s - plots_at(view.samples, index)->time_s)) / 10,
                        number, sizeof number);
    ImGui::TextDisabled("%s s ago", number);
    for (int s = 0; s < plot.series_count; s++) {
        const float value = plots_value(view.samples, plot.series[s], index);
        units_format_number(std::round(100 * static_cast<double>(value)) / 100, number, sizeof number);
        ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(plot.fill[s]));
        char name[PLOTS_SERIES_NAME];
        plots_series_name(view.samples, plot.series[s], name);
        ImGui::Text("%s%s%s", name, name[0] != '\0' ? " " : "", std::isnan(value) ? "not known" : number);
        ImGui::PopStyleColor();
    }
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

/* A number of the axis, on the ground of the plot: no curve runs through it. */
void panels::plot_number(const char *number, float x, float y) {
    list->AddRectFilled(ImVec2(x - px(2), y),
                        ImVec2(x + width(regular, number) + px(2), y + font_px(regular)),
                        to_imgui(theme(THEME_WELL)));
    text(regular, x, y, theme(THEME_FAINT), number);
}

/* A line for each series, in a scale from 0 to its top, the newest sample at the right. */
void panels::plot(const panels_view &view, const panels_plot &plot) {
    const int count = view.samples->count;
    const float height = px(46);
    char top[32];
    value_row(plot.title, plot.value);
    const ImVec2 low = ImGui::GetCursorScreenPos(),
                 high(low.x + ImGui::GetContentRegionAvail().x, low.y + height);
    ImGui::Dummy(ImVec2(high.x - low.x, height));
    list = ImGui::GetWindowDrawList();
    box(low, high, theme(THEME_WELL), 0, 3);
    list->PushClipRect(low, high, true);
    const float room = height - px(6), step = (high.x - low.x) / static_cast<float>(PLOTS_SAMPLES - 1);
    const float first = high.x - step * static_cast<float>(count - 1);
    const auto place = [&](int s, int i) {
        const float share =
            std::min(std::max(plots_value(view.samples, plot.series[s], i) / plot.top, 0.0f), 1.0f);
        return ImVec2(first + step * static_cast<float>(i), high.y - px(3) - share * room);
    };
    for (int s = 0; s < plot.series_count; s++) {
        for (int i = 0; i + 2 < count;
             i += 2) { /* two samples a pixel at most; each piece alone has no spikes */
            if (!std::isnan(plots_value(view.samples, plot.series[s], i)) &&
                !std::isnan(plots_value(view.samples, plot.series[s], i + 2))) {
                list->AddLine(place(s, i), place(s, i + 2), to_imgui(plot.fill[s]), px(1.25f));
            }
        }
    }
    units_format_number(
        static_cast<double>(plot.top < 10 ? std::round(plot.top * 100) / 100 : std::round(plot.top)), top,
        sizeof top);
    plot_number(top, low.x + px(4), low.y + px(1));
    plot_number("0", low.x + px(4), high.y - font_px(regular) - px(1));
    if (view.plot_mark >= 0) {
        const float at = std::floor(first + step * static_cast<float>(view.plot_mark));
        list->AddRectFilled(ImVec2(at, low.y), ImVec2(at + px(1), high.y), to_imgui(theme(THEME_WARN)));
    }
    const int under = static_cast<int>(std::lround((ImGui::GetIO().MousePos.x - first) / step));
    if (ImGui::IsItemHovered() && under >= 0 && under < count) {
        const float at = std::floor(first + step * static_cast<float>(under));
        list->AddRectFilled(ImVec2(at, low.y), ImVec2(at + px(1), high.y), to_imgui(theme(THEME_TEXT_DIM)));
        plot_tip(view, plot, under);
    }
    list->PopClipRect();
}

void panels::own_choice(const panels_view &view) {
    const char *const own = view.samples->own_name;
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##own", own[0] != '\0' ? own : "plot something else")) {
        panel_plot_choice choice;
        for (int at = 0; panel_next_plot_choice(&view, &at, &choice);) {
            if (ImGui::Selectable(choice.words, choice.is_it)) {
                result.plots_own = true;
                result.own_kind = choice.kind;
                result.own_name = choice.name;
            }
        }
        ImGui::EndCombo();
    }
    tip("Plots overlapping bodies, the count of a state or a number of a kind, from now on.");
}

void panels::plots(const panels_view &view) {
    for (int i = 0; i < view.plot_count; i++) {
        if (view.plots[i].series_count > 0) {
            plot(view, view.plots[i]);
        }
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    list = ImGui::GetWindowDrawList();
    text(regular, at.x, at.y - px(3), theme(THEME_FAINT), "60 s ago");
    text(regular, at.x + room - width(regular, "now"), at.y - px(3), theme(THEME_FAINT), "now");
    ImGui::Dummy(ImVec2(room, font_px(regular) - px(2)));
    own_choice(view);
}

/* ---- sliders ---- */

/* A slider for every number of a kind that can be tuned: drag; double click or Ctrl+click to type; right
 * click for the value it had when this viewer first saw the world. */

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
            tune(param, panel_first_value(&view, param));
        } else if (view.no_tuning[0] != '\0' && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
            tune(param, view.server->params[param].value); /* the app says why not */
        }
    }
}

void panels::param_row(const panels_view &view, int index) {
    const message_param &param = view.server->params[index];
    const double first = panel_first_value(&view, index), end = param_track_end(&param, first),
                 begin = param.min;
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
        if (row.is_first) {
            char title[PANEL_GROUP_TEXT];
            panel_group_text(&view.server->params[row.index], title);
            ImGui::SetNextItemOpen(filter[0] != '\0' || row.is_now || first_state[0] == '\0',
                                   filter[0] != '\0' ? ImGuiCond_Always : ImGuiCond_Once);
            is_open = ImGui::TreeNodeEx(title, ImGuiTreeNodeFlags_NoTreePushOnOpen |
                                                   ImGuiTreeNodeFlags_SpanAvailWidth);
        }
        if (is_open) {
            param_row(view, row.index);
        }
    }
    note(panel_params_note(&view, filter, rows.count, "Drag; double click to type; right click: as it was."));
}

void panels::sliders(const panels_view &view) {
    ImGui::SetNextItemOpen(view.open->params);
    const bool is_open = section(view, PANEL_PARAMS);
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

/* ---- the panel ---- */

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

/* The head of a section, which a click folds, and its rows. Returns whether it is open. */
bool panels::section(const panels_view &view, enum panel_section_id which) {
    const panel_section_view shown = panel_section_of(&view, which);
    char words[128];
    std::snprintf(words, sizeof words, "%s###%s", shown.title, panel_sections[which].name);
    ImGui::PushFont(bold);
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(theme(THEME_ACCENT)));
    ImGui::PushStyleColor(ImGuiCol_Header, to_imgui(theme(THEME_SECTION)));
    const bool is_open = ImGui::CollapsingHeader(words, ImGuiTreeNodeFlags_DefaultOpen);
    ImGui::PopStyleColor(2);
    ImGui::PopFont();
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    ImGui::GetWindowDrawList()->AddText(
        regular, font_px(regular),
        ImVec2(std::floor(high.x - px(8) - width(regular, shown.key)), std::floor(low.y + px(3))),
        to_imgui(theme(THEME_FAINT)), shown.key);
    for (int i = 0; is_open && i < shown.row_count; i++) {
        value_row(shown.rows[i].name, shown.rows[i].value);
    }
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

/* Without a head. */
void panels::network_section(const panels_view &view) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float right = low.x + ImGui::GetContentRegionAvail().x;
    list = ImGui::GetWindowDrawList();
    const float bottom = network(view, std::floor(low.x), std::floor(low.y), std::floor(right));
    ImGui::Dummy(ImVec2(1, bottom - low.y));
}

/* The sections above the sliders. */
void panels::observations(const panels_view &view) {
    static const struct {
        enum panel_section_id which;
        void (panels::*draw)(const panels_view &view);
    } contents[] = {{PANEL_AGENT, &panels::inspector},
                    {PANEL_SETTINGS, &panels::setting_rows},
                    {PANEL_PLOTS, &panels::plots},
                    {PANEL_RANKS, &panels::ranks},
                    {PANEL_NETWORK, &panels::network_section}};
    for (int i = 0; i < PANEL_PARAMS; i++) {
        const auto which = static_cast<enum panel_section_id>(i);
        const bool is_shown = panel_section_of(&view, which).is_shown;
        const bool is_open = is_shown && (which == PANEL_NETWORK || section(view, which));
        for (const auto &content : contents) {
            if (is_open && content.which == which) {
                (this->*content.draw)(view);
            }
        }
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
    side_edge(left, top, size.y - px(panels_timeline_px(&view)));
}
