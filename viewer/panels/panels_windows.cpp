/* See panels.h. What one can press: the side panel, the timeline, the scenario picker. Each is an ImGui
 * window for the sake of the mouse; what it looks like is drawn here. */
#include "viewer/panels/panels_impl.hpp"

namespace {

/* What stands beside the check box of an overlay: a piece of what it draws. */
enum mark { mark_none, mark_vector, mark_circle, mark_tie, mark_cross };

struct overlay_mark {
    size_t offset; /* of the overlay's member of the settings */
    enum mark mark;
    color fill;
};

const overlay_mark overlay_marks[] = {
    {offsetof(view_settings, shows_velocity), mark_vector, PALETTE_VELOCITY},
    {offsetof(view_settings, shows_desired), mark_vector, PALETTE_DESIRED},
    {offsetof(view_settings, shows_steering), mark_vector, PALETTE_STEERING},
    {offsetof(view_settings, shows_radii), mark_circle, PALETTE_RADIUS},
    {offsetof(view_settings, shows_neighbors), mark_tie, PALETTE_NEIGHBOR},
    {offsetof(view_settings, shows_places), mark_cross, PALETTE_TEXT_DIM},
};

/* Without a row above: no mark. */
overlay_mark mark_of(const shortcut &row) {
    for (const overlay_mark &mark : overlay_marks) {
        if (mark.offset == row.setting.offset) {
            return mark;
        }
    }
    return {row.setting.offset, mark_none, 0};
}

} // namespace

/* ---- the side panel ---- */

float panels::inspector(const panels_view &view, float x, float y, float right) {
    if (view.agent[0] == '\0') {
        y = heading(x, y, "Agent");
        list->AddText(regular, regular->FontSize, ImVec2(std::floor(x), std::floor(y)),
                      to_imgui(PALETTE_TEXT_DIM), "Click an agent to see what it does, and why.", nullptr,
                      right - x);
        return y + px(44);
    }
    y = heading(x, y, view.agent);
    for (int i = 0; i < view.agent_row_count; i++, y += px(19)) {
        row(x, y, right, view.agent_rows[i]);
    }
    if (view.share_count > 0) {
        y += px(6);
        text(regular, x, y, PALETTE_TEXT_DIM, "force of each behaviour");
        y += px(21);
    }
    for (int i = 0; i < view.share_count; i++, y += px(25)) {
        const panels_share &share = view.shares[i];
        const ImVec2 low(x, std::floor(y + px(17))), high(right, std::floor(y + px(21)));
        text(regular, x, y, PALETTE_TEXT, share.name);
        text(regular, right - width(regular, share.value), y, PALETTE_TEXT_DIM, share.value);
        list->AddRectFilled(low, high, to_imgui(well_fill), px(2));
        list->AddRectFilled(low, ImVec2(low.x + (high.x - low.x) * std::min(share.share, 1.0f), high.y),
                            to_imgui(share.fill), px(2));
    }
    if (view.agent_note[0] != '\0') {
        list->AddText(regular, regular->FontSize, ImVec2(std::floor(x), std::floor(y)),
                      to_imgui(PALETTE_TEXT_DIM), view.agent_note, nullptr, right - x);
        y += regular->CalcTextSizeA(regular->FontSize, FLT_MAX, right - x, view.agent_note).y;
    }
    return y + px(8);
}

void panels::setting_mark(const shortcut &row, float right, float y) {
    const overlay_mark mark = mark_of(row);
    const ImU32 fill = to_imgui(mark.fill);
    const float middle = std::floor(y + px(9)) + 0.5f;
    const ImVec2 at(right - px(13), middle);
    const float arm = px(4);
    switch (mark.mark) {
    case mark_vector:
        vector_mark(at, mark.fill);
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

/* A check box. */
void panels::toggle_row(const shortcut &row, bool is_on, float x, float y, float right) {
    const ImVec2 low(x, std::floor(y + px(1))), high(x + px(15), std::floor(y + px(16)));
    box(low, high, is_on ? PALETTE_ACCENT : 0xff2d343fu, 0, 3);
    if (is_on) {
        const ImVec2 tick[3] = {ImVec2(low.x + px(3.5f), low.y + px(8)),
                                ImVec2(low.x + px(6.5f), low.y + px(11)),
                                ImVec2(low.x + px(11.5f), low.y + px(4.5f))};
        list->AddPolyline(tick, 3, to_imgui(0xffffffffu), 0, px(2));
    }
    text(regular, x + px(24), y, PALETTE_TEXT, row.label);
    setting_mark(row, right, y);
}

/* A click takes the next one; the colors of the palette show which it is. */
void panels::choice_row(const panels_view &view, const shortcut &row, float x, float y) {
    const char *const samples[] = {"seek", "pursue", "evade", "wander"};
    char words[64];
    std::snprintf(words, sizeof words, "%s: %s", row.label,
                  view_settings_get_choice(view.settings, &row.setting));
    text(regular, x + px(24), y, PALETTE_TEXT, words);
    for (int i = 0; row.setting.offset == offsetof(view_settings, palette) && i < 4; i++) {
        const ImVec2 low(std::floor(x + px(1) + px(7) * static_cast<float>(i % 2)),
                         std::floor(y + px(2) + px(7) * (i < 2 ? 0.0f : 1.0f)));
        const auto palette = static_cast<enum palette>(view.settings->palette);
        list->AddRectFilled(low, ImVec2(low.x + px(6), low.y + px(6)),
                            to_imgui(palette_state(palette, samples[i])));
    }
}

/* The settings of the key table that have a label; a click is the key. */
float panels::setting_rows(const panels_view &view, float x, float y, float right) {
    size_t count = 0;
    const shortcut *table = shortcuts_table(&count);
    y = heading(x, y, "Overlays");
    for (size_t i = 0; i < count; i++) {
        const shortcut &row = table[i];
        if (row.label == nullptr) {
            continue;
        }
        if (button(row.label, ImVec2(x - px(4), y - px(1)), ImVec2(right + px(4), y + px(19)))) {
            result.shortcut = &row;
        }
        if (row.setting.type == FIELD_BOOL) {
            toggle_row(row, view_settings_get_bool(view.settings, &row.setting), x, y, right);
        } else {
            choice_row(view, row, x, y);
        }
        text(regular, right - px(34) - width(regular, row.name), y, faint_text, row.name);
        y += px(22);
    }
    return y + px(6);
}

float panels::plot(const panels_plot &plot, int mark, float x, float y, float right, float height) {
    const ImVec2 low(x, y + px(18)), high(right, y + px(18) + height);
    panels_row title;
    std::snprintf(title.name, sizeof title.name, "%s", plot.title);
    std::snprintf(title.value, sizeof title.value, "%s", plot.value);
    row(x, y, right, title);
    box(low, high, well_fill, 0, 3);
    const float room = height - px(6), step = (right - x) / static_cast<float>(PLOTS_SAMPLES - 1);
    const float first = right - step * static_cast<float>(plot.count - 1);
    for (int s = 0; s < plot.series_count; s++) {
        list->PathClear();
        for (int i = 0; i < plot.count; i += 2) { /* two samples a pixel at most */
            const float share = std::min(std::max(plot.values[s][i] / plot.top, 0.0f), 1.0f);
            list->PathLineTo(ImVec2(first + step * static_cast<float>(i), high.y - px(3) - share * room));
        }
        list->PathStroke(to_imgui(plot.fill[s]), 0, px(1.25f));
    }
    if (mark >= 0) {
        const float at = std::floor(first + step * static_cast<float>(mark));
        list->AddRectFilled(ImVec2(at, low.y), ImVec2(at + px(1), high.y), to_imgui(PALETTE_WARN));
    }
    return high.y + px(8);
}

float panels::network(const panels_view &view, float x, float y, float right) {
    y = heading(x, y, "Network");
    for (int i = 0; i < view.network_count; i++, y += px(19)) {
        row(x, y, right, view.network[i]);
    }
    const float high = y + px(26), step = (right - x) / static_cast<float>(PANELS_LAG_BARS);
    box(ImVec2(x, y), ImVec2(right, high), well_fill, 0, 2);
    for (int i = 0; i < view.lag.count; i++) {
        const float late = view.lag.late_ms[i], left = x + step * static_cast<float>(i);
        const color fill = late <= 0 ? PALETTE_OK : late < 100 ? PALETTE_WARN : PALETTE_BAD;
        const float tall = late <= 0 ? px(5) : px(8) + std::min(late / 250.0f, 1.0f) * px(17);
        list->AddRectFilled(ImVec2(left, high - tall), ImVec2(left + std::max(step - px(0.7f), 1.0f), high),
                            to_imgui(fill));
    }
    return high + px(10);
}

float panels::observations(const panels_view &view, float x, float y, float right) {
    y = inspector(view, x, y, right);
    y = setting_rows(view, x, y, right);
    if (view.plot_count > 0) {
        y = heading(x, y, "The last minute");
    }
    for (int i = 0; i < view.plot_count; i++) {
        y = plot(view.plots[i], view.plot_mark, x, y, right, px(34));
    }
    return view.network_count > 0 ? network(view, x, y, right) : y;
}

void panels::side(const panels_view &view, ImVec2 size) {
    const float left = size.x - px(PANELS_SIDE_PX), top = px(PANELS_BAR_PX);
    begin_window("side", ImVec2(left, top), size);
    list->AddRectFilled(ImVec2(left, top), size, to_imgui(panel_fill));
    list->AddRectFilled(ImVec2(left, top), ImVec2(left + px(1), size.y), to_imgui(panel_edge));
    const float x = std::floor(left + px(14)), right = std::floor(size.x - px(14));
    float y = std::floor(top + px(12) - ImGui::GetScrollY());
    const float begin = y;
    if (view.open->params) {
        y = params(view, x, y, right);
    } else {
        y = observations(view, x, y, right);
    }
    ImGui::SetCursorPos(ImVec2(0, 0)); /* says how much there is to scroll */
    ImGui::Dummy(ImVec2(1, y - begin + px(24)));
    ImGui::End();
}

/* Only when something is wrong or it was asked for, and the side panel does not show it already. */
void panels::network_corner(const panels_view &view, ImVec2 size) {
    const float w = px(230), h = px(24) + px(19) * static_cast<float>(view.network_count) + px(40);
    const ImVec2 low(size.x - w - px(10), px(PANELS_BAR_PX + 10)), high(size.x - px(10), low.y + h);
    box(low, high, 0xd81b1f26u, view.is_network_bad ? PALETTE_WARN : panel_edge, 5);
    network(view, std::floor(low.x + px(12)), std::floor(low.y + px(8)), std::floor(high.x - px(12)));
}

/* ---- the timeline ---- */

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
    const ImVec2 low(0, size.y - px(PANELS_TIMELINE_PX)), high(size.x - px(PANELS_SIDE_PX), size.y);
    begin_window("timeline", low, high);
    list->AddRectFilled(low, high, to_imgui(panel_fill));
    list->AddRectFilled(low, ImVec2(high.x, low.y + px(1)), to_imgui(panel_edge));
    const float middle = std::floor((low.y + high.y) / 2), text_y = middle - regular->FontSize / 2;
    if (icon_button("pause", ImVec2(px(10), middle - px(12)), PALETTE_TEXT,
                    view.shows_play ? icon_play : icon_pause, view.no_time)) {
        result.shortcut = shortcuts_row(SHORTCUT_PAUSE);
    }
    if (icon_button("step", ImVec2(px(42), middle - px(12)), PALETTE_TEXT, icon_step, view.no_time)) {
        result.shortcut = shortcuts_row(SHORTCUT_STEP);
    }
    char words[32];
    const double reach = 60.0;
    const float left = px(134), right = std::max(high.x - px(76), left + px(20)), length = right - left;
    const auto place = [&](double back_s) {
        return right - length * static_cast<float>(std::min(std::max(back_s, 0.0) / reach, 1.0));
    };
    const int back = static_cast<int>(view.is_live ? view.recorded_s * 10 : view.behind_s * 10 + 0.5);
    std::snprintf(words, sizeof words, view.is_live ? "-%d s" : "-%d.%d s", back / 10, back % 10);
    text(regular, left - px(12) - width(regular, words), text_y, PALETTE_TEXT_DIM, words);
    const float from = place(view.recorded_s), knob = place(view.is_live ? 0.0 : view.behind_s);
    list->AddRectFilled(ImVec2(left, middle - px(2)), ImVec2(right, middle + px(2)), to_imgui(0xff2d343fu),
                        px(2));
    list->AddRectFilled(ImVec2(from, middle - px(2)), ImVec2(knob, middle + px(2)),
                        to_imgui(view.is_live ? 0xff3774b8u : PALETTE_WARN), px(2));
    ImGui::SetCursorScreenPos(ImVec2(left - px(6), middle - px(12)));
    ImGui::InvisibleButton("scrub", ImVec2(length + px(12), px(24)));
    scrub(view, right, knob, reach / static_cast<double>(length));
    list->AddCircleFilled(ImVec2(knob, middle), px(7), to_imgui(0xffffffffu), 24);
    if (button("live", ImVec2(high.x - px(60), middle - px(12)), ImVec2(high.x - px(8), middle + px(12)))) {
        result.shortcut = shortcuts_row(SHORTCUT_LIVE);
    }
    text(bold, high.x - px(50), text_y, view.is_live && view.has_live ? PALETTE_OK : PALETTE_TEXT_DIM,
         "LIVE");
    ImGui::End();
}

/* ---- the picker ---- */

void panels::hit_rows(const panels_view &view, float x, float y, float right, float bottom) {
    const float line = px(42);
    const int visible = std::max(static_cast<int>((bottom - y) / line), 1);
    const int first = std::max(std::min(chosen - visible / 2, view.hit_count - visible), 0);
    for (int i = first; i < view.hit_count && i < first + visible; i++, y += line) {
        const panels_hit &hit = view.hits[i];
        const ImVec2 low(x - px(10), y), high(right + px(10), y + line - px(2));
        char id[16];
        std::snprintf(id, sizeof id, "hit%d", i);
        if (i == chosen) {
            list->AddRectFilled(low, high, to_imgui(0xff2a3a50u), px(4));
        }
        if (button(id, low, high)) {
            chosen = i;
            result.picks = true;
        }
        list->PushClipRect(low, high, true);
        const float name = text(bold, x, y + px(4), PALETTE_TEXT, hit.name);
        text(regular, x + name + px(12), y + px(4), PALETTE_TEXT_DIM, hit.title);
        text(regular, x, y + px(21), 0xff8b949fu, hit.description);
        list->PopClipRect();
    }
    if (view.hit_count == 0) {
        text(regular, x, y + px(6), PALETTE_TEXT_DIM,
             wanted[0] != '\0' ? "no scenario matches" : "asking the server ...");
    }
}

void panels::picker(const panels_view &view, ImVec2 size) {
    const float w = std::min(px(620), size.x - px(32)),
                h = std::min(px(480), size.y - px(PANELS_BAR_PX + 32));
    const ImVec2 low(std::floor((size.x - w) / 2), std::floor(px(PANELS_BAR_PX + 16))),
        high(low.x + w, low.y + h);
    if (!had_picker) {
        wanted[0] = '\0';
        chosen = 0;
        ImGui::SetNextWindowFocus();
    }
    begin_window("picker", ImVec2(0, 0),
                 size); /* all of it: a press beside the list is not meant for the world */
    list->AddRectFilled(ImVec2(0, px(PANELS_BAR_PX)), size, to_imgui(0x8015181du));
    box(low, high, pop_fill, pop_edge, 8);
    const float x = low.x + px(22), right = high.x - px(22);
    text(large, x, low.y + px(16), PALETTE_TEXT, "Scenario");
    box(ImVec2(x - px(10), low.y + px(46)), ImVec2(right + px(10), low.y + px(76)), well_fill, PALETTE_ACCENT,
        4);
    ImGui::SetCursorScreenPos(ImVec2(x - px(2), std::floor(low.y + px(50))));
    ImGui::SetNextItemWidth(right - x);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
    ImGui::SetKeyboardFocusHere();
    if (ImGui::InputTextWithHint("##wanted", "type a few letters of it", wanted, sizeof wanted)) {
        chosen = 0;
    }
    ImGui::PopStyleColor();
    chosen = std::max(std::min(chosen, view.hit_count - 1), 0);
    hit_rows(view, x, low.y + px(86), right, high.y - px(12));
    result.picks = result.picks && view.hit_count > 0;
    result.hit = chosen;
    ImGui::End();
}

void panels::windows(const panels_view &view, ImVec2 size) {
    if (view_settings_have_panel(view.settings)) {
        side(view, size);
        timeline(view, size);
    } else if (view.network_count > 0 && (view.settings->shows_network || view.is_network_bad)) {
        network_corner(view, size);
    }
    if (view.open->picker) {
        picker(view, size);
    }
    had_picker = view.open->picker;
    std::snprintf(result.wanted, sizeof result.wanted, "%s", had_picker ? wanted : "");
}
