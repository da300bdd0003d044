/* See panels.h. The timelines: of the last minute, and of a recording that the server plays. */
#include <imgui_internal.h> /* what the keyboard passes over; whether a value is typed */

#include "viewer/panels/panels_impl.hpp"

/* ---- the recording's timeline ---- */

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
    char words[PANEL_TIME_TEXT];
    const double share = static_cast<double>((mouse_x - left) / (right - left));
    const replay_moment moment = replay_line_moment(&replay.line, share);
    const float wrong =
        left + (right - left) * static_cast<float>(replay_line_share(&replay.line, &replay.diverged));
    if (replay.has_diverged && !scrubs_replay && std::fabs(mouse_x - wrong) <= px(5)) {
        panel_diverged_text(&replay, words);
    } else {
        panel_moment_text(&replay, &moment, words);
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

/* ---- buttons, speed: each timeline begins with them ---- */

/* A picture, and in a tooltip what its key does and why it does nothing. */
void panels::time_button(const panels_view &view, enum icon icon, enum shortcut_action action, ImVec2 low) {
    const shortcut *row = shortcuts_row(action);
    const char *const why_not = panel_why_not(&view, action);
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
    time_button(view, view.shows_play ? icon_play : icon_pause, SHORTCUT_PAUSE, ImVec2(px(10), y));
    time_button(view, icon_step, SHORTCUT_STEP, ImVec2(px(42), y));
    if (high.x - low.x < px(340)) {
        return px(70); /* the keys do the rest */
    }
    time_button(view, icon_restart, SHORTCUT_RESTART, ImVec2(px(74), y));
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

/* ---- the timeline of a live world ---- */

/* A word that can be pressed, ending at `right`; is_lit: it stands out. Returns where it begins. */
float panels::action_button(const panels_view &view, enum shortcut_action action, const char *label,
                            bool is_lit, float right, float wide, float middle) {
    const shortcut *const row = shortcuts_row(action);
    const char *const why_not = panel_why_not(&view, action);
    const ImVec2 low(right - wide, middle - px(12)), high(right, middle + px(12));
    char words[160];
    is_lit = is_lit && why_not[0] == '\0';
    box(low, high, is_lit ? theme(THEME_AGREE) : theme(THEME_BUTTON), 0, 4);
    if (button(label, low, high)) {
        result.shortcut = row; /* without the role a notice says why */
    }
    std::snprintf(words, sizeof words, "%s: %s", row->name, shortcuts_help(row, false));
    tip_above(words, why_not);
    text(bold, std::floor((low.x + high.x - width(bold, label)) / 2), middle - font_px(bold) / 2,
         why_not[0] != '\0' ? theme(THEME_FAINT)
         : is_lit           ? theme(THEME_ON_BUTTON)
                            : theme(THEME_TEXT),
         label);
    return low.x;
}

/* Before LIVE: sets a mark, or in the past lets the world go on from there. It has one width, so that the line stays while it is
 * dragged. Where there is room, the button of a twin stands before it. Returns where they begin. */
float panels::moment_buttons(const panels_view &view, float right, float wide, float middle) {
    const bool is_short = wide < px(80);
    const char *const label =
        view.is_live ? (is_short ? "mark" : "set a mark") : (is_short ? "go on" : "go on from here");
    const float begin = action_button(view, view.is_live ? SHORTCUT_MARK : SHORTCUT_TAKE_OVER, label,
                                      !view.is_live, right, wide, middle);
    return is_short ? begin
                    : action_button(view, SHORTCUT_WHAT_IF, "what if", view.has_twin, begin - px(6),
                                    width(bold, "what if") + px(20), middle);
}

/* What is done at the moments of the line, or of a lane: a stroke for a request, a flag for a mark. */
void panels::moments(const panels_view &view, float left, float length, int lane, float y) {
    const struct timeline &line = view.line;
    const bool is_line = lane == TIMELINE_ON_LINE;
    const float high = px(is_line ? 9 : 5), low = px(is_line ? 4 : 2), flag = px(is_line ? 5 : 4);
    for (int i = 0; i < line.past->change_count; i++) {
        const message_change &change = line.past->changes[i];
        const double tick = static_cast<double>(change.tick);
        if (timeline_lane_of(&line, change.branch, tick) == lane) {
            const float x = std::floor(left + length * static_cast<float>(timeline_share(&line, tick)));
            list->AddRectFilled(ImVec2(x, y - high), ImVec2(x + px(1), y - low),
                                to_imgui(theme(THEME_TEXT_DIM)));
        }
    }
    for (int i = 0; i < line.past->mark_count; i++) {
        const message_mark &mark = line.past->marks[i];
        const double tick = static_cast<double>(mark.tick);
        if (timeline_lane_of(&line, mark.branch, tick) == lane) {
            const float x = left + length * static_cast<float>(timeline_share(&line, tick)),
                        top = y - high - px(3);
            list->AddTriangleFilled(ImVec2(x - flag, top), ImVec2(x + flag, top), ImVec2(x, y - px(2)),
                                    to_imgui(theme(THEME_ACCENT)));
        }
    }
}

/* A branch that was left: where it leaves the line or another lane, and its end. */
void panels::lane(const panels_view &view, float left, float length, int index, float middle) {
    const timeline_lane &lane = view.line.lanes[index];
    const auto lane_y = [&](int at) {
        return at == TIMELINE_ON_LINE ? middle
                                      : middle + px(static_cast<float>(PANELS_TIMELINE_PX) / 2 +
                                                    static_cast<float>(5 + PANELS_LANE_PX * at));
    };
    const auto place = [&](double tick) {
        return std::floor(left + length * static_cast<float>(timeline_share(&view.line, tick)));
    };
    const float y = lane_y(index), from = place(lane.from), to = std::max(place(lane.to), from + px(6));
    const float wide = width(regular, lane.branch->name);
    const bool is_right = to + px(12) + wide < left + length + px(70);
    char id[24], words[TIMELINE_TEXT];
    std::snprintf(id, sizeof id, "lane%d", index);
    ImGui::SetCursorScreenPos(ImVec2(from - px(4), y - px(PANELS_LANE_PX) / 2));
    ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
    const bool is_pressed = ImGui::InvisibleButton(
        id, ImVec2(to - from + px(8) + (is_right ? px(8) + wide : 0), px(PANELS_LANE_PX)));
    ImGui::PopItemFlag();
    const bool is_over = ImGui::IsItemHovered();
    const ImU32 fill = to_imgui(is_over ? theme(THEME_TEXT) : theme(THEME_FAINT));
    const float start = lane_y(lane.parent) + px(2), bend = std::min(px(6), to - from);
    list->PathLineTo(ImVec2(from, start));
    list->PathLineTo(ImVec2(from, y - bend));
    list->PathBezierQuadraticCurveTo(ImVec2(from, y), ImVec2(from + bend, y));
    list->PathLineTo(ImVec2(to, y));
    list->PathStroke(fill, 0, px(1.5f));
    list->AddCircleFilled(ImVec2(to, y), px(3), fill, 12);
    text(regular, is_right ? to + px(8) : from - px(8) - wide, y - font_px(regular) / 2,
         is_over ? theme(THEME_TEXT) : theme(THEME_TEXT_DIM), lane.branch->name);
    moments(view, left, length, index, y);
    if (is_over) {
        timeline_branch_text(&lane, words);
        const float x = std::min(std::max(ImGui::GetIO().MousePos.x, left), left + length);
        tooltip(view.no_go_on[0] != '\0' ? view.no_go_on : words, ImVec2(x, middle - px(26)), 0.5f, 1.0f);
    }
    if (is_pressed) {
        std::snprintf(result.branch, sizeof result.branch, "%s", lane.branch->name);
    }
}

/* What the mouse points at: a mark, what was done, a moment. */
void panels::moment_hint(const panels_view &view, float left, float length, float middle) {
    const struct timeline &line = view.line;
    const float at = std::min(std::max(ImGui::GetIO().MousePos.x, left), left + length);
    const double tick = timeline_tick(&line, static_cast<double>((at - left) / length));
    const message_mark *const mark = timeline_find_mark(&line, tick, static_cast<double>(px(6) / length));
    const message_change *nearest = nullptr;
    float off = px(4);
    for (int i = 0; i < line.past->change_count; i++) {
        const message_change &change = line.past->changes[i];
        const double when = static_cast<double>(change.tick);
        const float away = std::fabs(left + length * static_cast<float>(timeline_share(&line, when)) - at);
        if (away < off && timeline_lane_of(&line, change.branch, when) == TIMELINE_ON_LINE) {
            off = away;
            nearest = &change;
        }
    }
    char words[TIMELINE_TEXT];
    if (mark != nullptr) {
        timeline_mark_text(&line, mark, words);
    } else if (nearest != nullptr && !is_scrubbed) {
        timeline_change_text(&line, nearest, words);
    } else {
        timeline_moment_text(&line, tick, words);
    }
    tooltip(words, ImVec2(at, middle - px(26)), 0.5f, 1.0f);
}

/* The handle goes along with the mouse, from where it was taken; a press beside it takes it there. While the mouse
 * rests the moment stays, though the world goes on and the handle with it, away from the mouse. */
void panels::scrub(const panels_view &view, float left, float length, float knob) {
    const struct timeline &line = view.line;
    const float at = ImGui::GetIO().MousePos.x;
    const auto place = [&](double tick) {
        return left + length * static_cast<float>(timeline_share(&line, tick));
    };
    if (ImGui::IsItemActivated()) {
        is_scrubbed = std::fabs(at - knob) > px(9);
        scrub_off = is_scrubbed ? 0 : knob - at;
        scrub_x = is_scrubbed ? knob : at; /* beside it: as if the mouse came from it */
        scrub_place = knob;
        scrub_tick = line.now - (view.is_live ? 0.0 : view.behind_s * line.hz);
        is_scrub_live = view.is_live;
    }
    is_scrubbed = ImGui::IsItemActive() && (is_scrubbed || std::fabs(at - scrub_x) > px(2));
    if (!is_scrubbed || (view.recorded_s <= 0 && line.past == nullptr)) {
        return;
    }
    if (at != scrub_x) {
        scrub_off += is_scrub_live ? 0 : place(scrub_tick) - scrub_place;
        scrub_x = at;
        scrub_tick = timeline_tick(&line, static_cast<double>((at + scrub_off - left) / length));
        scrub_place = place(scrub_tick);
        is_scrub_live = at + scrub_off >= place(line.now) - px(2);
    }
    const message_mark *const mark =
        timeline_find_mark(&line, scrub_tick, static_cast<double>(px(4) / length));
    result.is_scrubbing = true;
    result.scrub_to_s = is_scrub_live
                            ? view.now_s
                            : (mark != nullptr ? static_cast<double>(mark->tick) : scrub_tick) / line.hz;
}

/* The line: what the server keeps, what this window has seen, the handle. */
void panels::track(const panels_view &view, float left, float length, float middle) {
    const struct timeline &line = view.line;
    const double seen = line.now - view.recorded_s * line.hz,
                 at = line.now - (view.is_live ? 0.0 : view.behind_s * line.hz);
    const auto place = [&](double tick) {
        return left + length * static_cast<float>(timeline_share(&line, tick));
    };
    const auto stroke = [&](float from, float to, float half, color c) {
        list->AddRectFilled(ImVec2(from, middle - half), ImVec2(std::max(from, to), middle + half),
                            to_imgui(c), half);
    };
    const float knob = place(at), now = place(line.now);
    float from = place(seen);
    stroke(left, now, px(2), theme(THEME_FRAME));
    if (line.past != nullptr) {
        const float kept = place(timeline_kept(&line));
        stroke(kept, now, px(2), theme(THEME_GRIP_OVER));
        from = knob < from ? kept : from;
        if (line.point_count > 2 &&
            line.points[1].tick < line.now) { /* a minute ago: the scale is another one before */
            const float minute = std::floor(place(line.now - 60.0 * line.hz));
            list->AddRectFilled(ImVec2(minute, middle - px(5)), ImVec2(minute + px(1), middle + px(5)),
                                to_imgui(theme(THEME_FAINT)));
        }
    }
    stroke(from, knob, px(2), view.is_live ? theme(THEME_PLAYED) : theme(THEME_WARN));
    for (int i = 0; i < line.lane_count; i++) {
        lane(view, left, length, i, middle);
    }
    if (line.past != nullptr) {
        moments(view, left, length, TIMELINE_ON_LINE, middle);
    }
    ImGui::SetCursorScreenPos(ImVec2(left - px(6), middle - px(12)));
    ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true); /* arrows look back, , and . as well */
    ImGui::InvisibleButton("scrub", ImVec2(length + px(12), px(24)));
    ImGui::PopItemFlag();
    scrub(view, left, length, knob);
    list->AddCircleFilled(ImVec2(knob, middle), px(7), to_imgui(theme(THEME_KNOB)), 24);
    if (line.past != nullptr && (ImGui::IsItemHovered() || ImGui::IsItemActive())) {
        moment_hint(view, left, length, middle);
    }
}

void panels::timeline(const panels_view &view, ImVec2 size) {
    const ImVec2 low(0, std::floor(size.y - px(panels_timeline_px(&view)))), high(size.x - side_px, size.y);
    begin_window("timeline", low, high);
    list->AddRectFilled(low, high, to_imgui(theme(THEME_PANEL)));
    list->AddRectFilled(low, ImVec2(high.x, low.y + px(1)), to_imgui(theme(THEME_PANEL_EDGE)));
    const float middle = std::floor(low.y + px(PANELS_TIMELINE_PX) / 2),
                text_y = middle - font_px(regular) / 2;
    char words[PANEL_TIME_TEXT];
    const ImVec2 buttons_high(high.x, low.y + px(PANELS_TIMELINE_PX));
    const float left = time_buttons(view, low, buttons_high) + px(64);
    const float slot = view.line.past == nullptr || high.x - low.x < px(460) ? 0
                       : high.x - low.x < px(860)                            ? width(bold, "go on") + px(20)
                                                  : width(bold, "go on from here") + px(20);
    float end = high.x - px(76);
    if (slot > 0) {
        end = moment_buttons(view, high.x - px(64), slot, middle) - px(16);
    }
    const float length = std::max(end - left, px(20));
    panel_back_text(&view, words);
    text(regular, left - px(12) - width(regular, words), text_y, theme(THEME_TEXT_DIM), words);
    if (view.line.lane_count > 0) {
        panel_branch_text(&view, words);
        text(regular, px(12), low.y + px(PANELS_TIMELINE_PX), theme(THEME_TEXT_DIM), words);
    }
    track(view, left, length, middle);
    if (button("live", ImVec2(high.x - px(60), middle - px(12)), ImVec2(high.x - px(8), middle + px(12)))) {
        result.shortcut = shortcuts_row(SHORTCUT_LIVE);
    }
    text(bold, high.x - px(50), text_y,
         view.is_live && view.has_live ? theme(THEME_OK) : theme(THEME_TEXT_DIM), "LIVE");
    ImGui::End();
}
