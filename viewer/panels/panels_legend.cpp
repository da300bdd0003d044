/* See panels.h. The legend, the bar at the top, and notices. */
#include "viewer/explain/theme.h"

#include "viewer/panels/panels_impl.hpp"

/* ---- the legend ---- */

/* A line that goes from left to right. */
void panels::legend_way(const legend_row &row, ImVec2 at) {
    for (int i = 0; i < 4; i++) {
        const float x = at.x + px(6) * static_cast<float>(i - 2);
        const ImU32 faded = to_imgui(color_fade(row.fill, 0.25f * static_cast<float>(i + 1)));
        if (row.mark == LEGEND_ONION) {
            list->AddCircleFilled(ImVec2(x + px(3), at.y), px(3), faded, 16);
        } else if (row.mark == LEGEND_TRAIL) {
            list->AddLine(ImVec2(x, at.y), ImVec2(x + px(6), at.y), faded, px(2));
        } else if (row.mark == LEGEND_DASHES) {
            list->AddLine(ImVec2(x, at.y), ImVec2(x + px(4), at.y), to_imgui(row.fill), px(1.5f));
        } else {
            list->AddLine(ImVec2(x, at.y), ImVec2(x + px(6), at.y), to_imgui(row.fill), px(4));
        }
    }
}

/* What is drawn, in small, around `at`. */
void panels::legend_mark(const legend_row &row, ImVec2 at) {
    const ImU32 fill = to_imgui(row.fill);
    at = ImVec2(std::floor(at.x) + 0.5f, std::floor(at.y) + 0.5f);
    switch (row.mark) {
    case LEGEND_AGENT:
        agent_mark(ImVec2(std::floor(at.x), std::floor(at.y)), palette_shape(row.kind), px(7), row.fill);
        break;
    case LEGEND_VECTOR:
    case LEGEND_FLOW:
        vector_mark(at, row.fill);
        break;
    case LEGEND_CIRCLE:
        list->AddCircle(at, px(7), fill, 32, px(1.5f));
        break;
    case LEGEND_CROSS:
        list->AddLine(ImVec2(at.x - px(5), at.y - px(5)), ImVec2(at.x + px(5), at.y + px(5)), fill, px(2));
        list->AddLine(ImVec2(at.x - px(5), at.y + px(5)), ImVec2(at.x + px(5), at.y - px(5)), fill, px(2));
        break;
    case LEGEND_TIE:
        list->AddLine(ImVec2(at.x - px(11), at.y + px(4)), ImVec2(at.x + px(6), at.y - px(3)), fill,
                      px(1.5f));
        list->AddCircle(ImVec2(at.x + px(8), at.y - px(4)), px(4), fill, 24, px(1));
        break;
    case LEGEND_DASHES:
    case LEGEND_TRAIL:
    case LEGEND_ONION:
    case LEGEND_WALL:
        legend_way(row, at);
        break;
    case LEGEND_TARGET:
        list->AddCircle(at, px(5), fill, 32, px(1.5f));
        list->AddCircleFilled(at, px(2), fill, 16);
        break;
    case LEGEND_FLAG:
        list->AddLine(ImVec2(at.x - px(4), at.y + px(8)), ImVec2(at.x - px(4), at.y - px(8)), fill, px(1.5f));
        list->AddTriangleFilled(ImVec2(at.x - px(4), at.y - px(8)), ImVec2(at.x + px(7), at.y - px(3.5f)),
                                ImVec2(at.x - px(4), at.y + px(1)), fill);
        break;
    case LEGEND_REGION: {
        const ImVec2 low(at.x - px(8), at.y - px(5)), high(at.x + px(8), at.y + px(5));
        list->AddRectFilled(low, high, to_imgui(color_fade(row.fill, 0.25f)));
        list->AddRect(low, high, fill, 0, 0, px(1.5f));
        break;
    }
    case LEGEND_PATH:
        list->AddLine(ImVec2(at.x - px(11), at.y), ImVec2(at.x + px(11), at.y), fill, px(1));
        list->AddLine(ImVec2(at.x - px(2), at.y - px(4)), ImVec2(at.x + px(2), at.y), fill, px(1.5f));
        list->AddLine(ImVec2(at.x - px(2), at.y + px(4)), ImVec2(at.x + px(2), at.y), fill, px(1.5f));
        break;
    default:
        list->AddCircleFilled(at, px(5), fill, 32);
        break;
    }
}

/* A bar of colors with numbers below. */
void panels::legend_scale(const color_scale &bar, float x, float y, float right) {
    const float step = (right - x) / static_cast<float>(COLOR_SCALE_STEPS), top = std::floor(y + px(20)),
                numbers = top + px(14);
    text(regular, x, y, theme(THEME_TEXT), bar.title);
    for (int i = 0; i < COLOR_SCALE_STEPS; i++) {
        list->AddRectFilled(ImVec2(std::floor(x + step * static_cast<float>(i)), top),
                            ImVec2(std::floor(x + step * static_cast<float>(i + 1)), top + px(10)),
                            to_imgui(bar.steps[i]));
    }
    const char *const words[] = {bar.low, bar.first_quarter, bar.middle, bar.last_quarter, bar.high};
    for (int i = 0; i < 5; i++) {
        const float left = (right - x - width(regular, words[i])) * static_cast<float>(i) / 4;
        text(regular, std::floor(x + left), numbers, theme(THEME_TEXT_DIM), words[i]);
    }
}

/* Pointed at, a row of agents lights them in the world; a click keeps it so. */
void panels::legend_row_button(const panels_view &view, int index, ImVec2 low, ImVec2 high) {
    const legend_row &row = view.legend.rows[index];
    if (row.lights.is_on && !view.is_kiosk) {
        ImGui::SetCursorScreenPos(low);
        ImGui::PushID(index);
        result.keeps_light |= ImGui::InvisibleButton("row", ImVec2(high.x - low.x, high.y - low.y));
        ImGui::PopID();
        result.lights = ImGui::IsItemHovered() ? index : result.lights;
    }
    if (view.legend.lit == index) {
        list->AddRectFilled(low, high, to_imgui(theme(THEME_LIT)), px(3));
    }
}

/* Rows from y on. Returns where they end. */
float panels::legend_rows(const panels_view &view, float y, float line, float left, float right) {
    const ::legend &rows = view.legend;
    for (int i = 0; i < rows.count; i++, y += line) {
        const legend_row &row = rows.rows[i];
        if (i == rows.agent_count && i > 0) {
            list->AddRectFilled(ImVec2(left + px(12), std::floor(y + px(4))),
                                ImVec2(right - px(12), std::floor(y + px(4)) + px(1)),
                                to_imgui(theme(THEME_PANEL_EDGE)));
            y += px(9);
        }
        const float text_y = y + (line - font_px(regular)) / 2;
        legend_row_button(view, i, ImVec2(left + px(4), y), ImVec2(right - px(4), y + line));
        legend_mark(row, ImVec2(left + px(21), y + line / 2));
        text(regular, left + px(42), text_y, theme(THEME_TEXT), row.words);
        if (row.count >= 0) {
            char number[16];
            std::snprintf(number, sizeof number, "%d", row.count);
            text(regular, right - px(12) - width(regular, number), text_y, theme(THEME_TEXT_DIM), number);
        }
    }
    return y;
}

/* A click on it folds the rows away, and unfolds them. */
void panels::legend_head(bool has_rows, ImVec2 low, ImVec2 high) {
    const shortcut *row = shortcuts_row(SHORTCUT_LEGEND);
    ImGui::SetCursorScreenPos(low);
    if (ImGui::InvisibleButton("fold", ImVec2(high.x - low.x, high.y - low.y))) {
        result.shortcut = row;
    }
    const color fill = theme(ImGui::IsItemHovered() ? THEME_TEXT : THEME_TEXT_DIM);
    const ImVec2 at(low.x + px(21), (low.y + high.y) / 2);
    const float arm = px(4);
    if (has_rows) {
        list->AddTriangleFilled(ImVec2(at.x - arm, at.y - arm / 2), ImVec2(at.x + arm, at.y - arm / 2),
                                ImVec2(at.x, at.y + arm), to_imgui(fill));
    } else {
        list->AddTriangleFilled(ImVec2(at.x - arm / 2, at.y - arm), ImVec2(at.x + arm, at.y),
                                ImVec2(at.x - arm / 2, at.y + arm), to_imgui(fill));
    }
    const float y = at.y - font_px(regular) / 2;
    text(regular, low.x + px(42), y, fill, "Legend");
    text(regular, high.x - px(12) - width(regular, row->name), y, theme(THEME_FAINT), row->name);
}

/* Returns its right edge, 0 without one. */
float panels::legend(const panels_view &view) {
    const ::legend &rows = view.legend;
    const bool has_scale = rows.scale.title[0] != '\0';
    const float least = rows.scale.first_quarter[0] != '\0' ? px(150) : px(110);
    float words = has_scale ? std::max(least, width(regular, rows.scale.title) - px(30)) : 0, counts = 0;
    for (int i = 0; i < rows.count; i++) {
        char number[16];
        std::snprintf(number, sizeof number, "%d", rows.rows[i].count);
        words = std::max(words, width(regular, rows.rows[i].words));
        counts = std::max(counts, rows.rows[i].count >= 0 ? width(regular, number) : 0.0f);
    }
    if (rows.count == 0 && !has_scale) {
        return 0;
    }
    const bool has_rows = view.is_kiosk || view_settings_have_legend(view.settings);
    const float line = px(22), left = px(10), top = px(PANELS_BAR_PX + 10), head = view.is_kiosk ? 0 : line;
    const float gap = rows.agent_count > 0 && rows.agent_count < rows.count ? px(9) : 0;
    const float head_px = px(42) + width(regular, "Legend") + px(40);
    const float right =
        left + (has_rows ? std::max(px(42) + words + (counts > 0 ? px(16) + counts : 0) + px(12), head_px)
                         : head_px);
    const float below = has_scale ? px(56) : 0;
    const float height =
        has_rows ? px(12) + head + line * static_cast<float>(rows.count) + gap + below : px(6) + head;
    const float bottom = top + height;
    box(ImVec2(left, top), ImVec2(right, bottom), theme(THEME_LEGEND), theme(THEME_PANEL_EDGE), 5);
    result.legend_right = right;
    result.legend_bottom = bottom;
    ImDrawList *const ground =
        list; /* below labels and notices; the window takes what the mouse does there */
    if (!view.is_kiosk) {
        begin_window("legend", ImVec2(left, top), ImVec2(right, bottom));
        list = ground;
        legend_head(has_rows, ImVec2(left, top + px(3)), ImVec2(right, top + px(3) + head));
    }
    if (has_rows) {
        const float y = legend_rows(view, top + px(6) + head, line, left, right);
        if (has_scale) {
            legend_scale(rows.scale, left + px(12), y + px(4), right - px(12));
        }
    }
    if (!view.is_kiosk) {
        ImGui::End();
    }
    return right;
}

void panels::labels(const panels_view &view) {
    const color ground = theme_color(view_settings_palette(view.settings), THEME_GROUND);
    for (int i = 0; i < view.label_count; i++) {
        const panels_label &label = view.labels[i];
        /* over a crowd words alone could not be read */
        box(ImVec2(label.x - px(3), label.y - px(1)),
            ImVec2(label.x + width(regular, label.text) + px(3), label.y + font_px(regular) + px(1)),
            color_fade(ground, 0.65f), 0, 3);
        text(regular, label.x, label.y, label.fill, label.text);
    }
}

/* ---- the bar ---- */

/* A number in the bar and its name. */
struct bar_item {
    const char *name, *value;
    float least; /* window px for the value, so that what is beside it does not jump */
    bool is_left;
    bool explains_itself; /* the name may go when there is no room for both */
    bool has_dot;         /* a red one before it */
};

float panels::item_width(const bar_item &item) {
    const float name = width(regular, item.name);
    return std::max(width(regular, item.value), px(item.least)) + name + (name > 0 ? px(6) : 0) +
           (item.has_dot ? px(16) : 0);
}

void panels::draw_item(float x, float y, const bar_item &item) {
    if (item.has_dot) {
        list->AddCircleFilled(ImVec2(std::floor(x + px(5)) + 0.5f, std::floor(px(PANELS_BAR_PX) / 2) + 0.5f),
                              px(5), to_imgui(theme(THEME_BAD)), 24);
        x += px(16);
    }
    const float name = text(regular, x, y, theme(THEME_TEXT_DIM), item.name);
    text(regular, x + name + (name > 0 ? px(6) : 0), y, name > 0 ? theme(THEME_TEXT) : theme(THEME_TEXT_DIM),
         item.value);
}

/* Title and state. A long title gives way to the state, which is always there. Returns where they end. */
float panels::bar_begin(const panels_view &view, float y, float bar_width) {
    float x = px(12);
    if (view.scenario[0] != '\0') {
        const float room = bar_width - x - px(20 + 16 + 12) - width(regular, view.state);
        char title[sizeof view.scenario + 4];
        fit(bold, view.scenario, room, title, sizeof title);
        x += text(bold, x, y, theme(THEME_TEXT), title) + px(20);
    }
    list->AddCircleFilled(ImVec2(std::floor(x + px(5)) + 0.5f, std::floor(px(PANELS_BAR_PX) / 2) + 0.5f),
                          px(4.5f), to_imgui(view.state_color), 24);
    const float from = x - px(4), tall = px(PANELS_BAR_PX);
    x += px(16);
    const float end = x + text(regular, x, y, view.state_words, view.state);
    const ImGuiIO &io = ImGui::GetIO();
    if (view.state_tip[0] != '\0' && !io.WantCaptureMouse && io.MousePos.x >= from && io.MousePos.x < end &&
        io.MousePos.y >= 0 && io.MousePos.y < tall) {
        tooltip(view.state_tip, ImVec2(from + px(10), tall + px(12)), 0.0f, 0.0f);
    }
    return std::max(end, x + px(64)) + px(18);
}

/* Left: what is running. Right: how well it is seen. When the window is narrow, what matters least is left
 * out; what stays keeps its place while the numbers change. */
void panels::bar(const panels_view &view, float bar_width) {
    const float height = px(PANELS_BAR_PX), y = std::floor((height - font_px(regular)) / 2);
    list->AddRectFilled(ImVec2(0, 0), ImVec2(bar_width, height), to_imgui(theme(THEME_PANEL)));
    list->AddRectFilled(ImVec2(0, height - px(1)), ImVec2(bar_width, height),
                        to_imgui(theme(THEME_PANEL_EDGE)));
    const char *const panel = view_settings_have_panel(view.settings) ? "" : "panel, time, speed";
    const bar_item items[] = {{"recording", view.clip, 0, false, true, true},
                              {"", view.recording, 0, false, true, true},
                              {"tick", view.tick, 58, true, false, false},
                              {"agents", view.agents, 0, true, false, false},
                              {"role", view.role, 0, false, true, false},
                              {"F1", "keys", 0, false, false, false},
                              {"P", panel, 0, false, false, false},
                              {"ping", view.ping, 52, false, true, false},
                              {"snapshots", view.rate, 40, false, true, false},
                              {"t", view.time, 58, true, true, false},
                              {"", view.address, 0, false, true, false}};
    float left = bar_begin(view, y, bar_width), right = bar_width - px(12);
    for (bar_item item : items) { /* what matters most first */
        if (item.explains_itself && left + item_width(item) > right) {
            item.name = "";
        }
        const float needed = item_width(item);
        if (item.value[0] == '\0' || left + needed > right) {
            continue;
        }
        if (item.is_left) {
            draw_item(left, y, item);
            left += needed + px(14);
        } else {
            draw_item(right - needed, y, item);
            right -= needed + px(18);
        }
    }
}

/* ---- notices ---- */

/* What lies over the picture for a while: the help, the toast, the tool in hand, how long ago
 * a moment was, the banner. */

/* ---- notices ---- */

/* What lies between low and high of the rows, moved by the wheel and the arrows. */
void panels::help_rows(const panels_view &view, ImVec2 low, ImVec2 high, size_t lines, float line, float keys,
                       float column) {
    const float room = high.y - low.y, all = line * static_cast<float>(lines),
                most = std::max(all - room, 0.0f);
    const int steps = (input->is_down_key ? 1 : 0) - (input->is_up ? 1 : 0);
    help_scroll += line * (static_cast<float>(steps) - 3 * input->wheel);
    help_scroll = std::floor(std::min(std::max(had_help ? help_scroll : 0.0f, 0.0f), most));
    size_t count = 0, at = 0;
    const shortcut *table = shortcuts_table(&count);
    list->PushClipRect(low, high, true);
    for (size_t i = 0; i < count; i++) {
        if (table[i].name[0] != '\0') {
            const size_t side = at / lines;
            const float x = low.x + column * static_cast<float>(side);
            const float y = low.y + line * static_cast<float>(at % lines) - help_scroll;
            const bool is_denied =
                view.is_denied[table[i].action] || (view.is_replay && table[i].is_live_only);
            text(bold, x, y, is_denied ? theme(THEME_FAINT) : theme(THEME_ACCENT), table[i].name);
            text(regular, x + keys + px(18), y, is_denied ? theme(THEME_FAINT) : theme(THEME_TEXT),
                 shortcuts_help(&table[i], view.is_replay));
            at++;
        }
    }
    list->PopClipRect();
    if (most > 0) {
        const float thumb = room * room / all, top = low.y + (room - thumb) * help_scroll / most;
        const float left = high.x + px(8);
        list->AddRectFilled(ImVec2(left, low.y), ImVec2(left + px(4), high.y), to_imgui(theme(THEME_WELL)),
                            px(2));
        list->AddRectFilled(ImVec2(left, top), ImVec2(left + px(4), top + thumb), to_imgui(theme(THEME_GRIP)),
                            px(2));
    }
}

/* In as many columns as the height asks for and the width allows; what has no room is scrolled to. */
void panels::help(const panels_view &view, ImVec2 size) {
    size_t count = 0, shown = 0;
    const shortcut *table = shortcuts_table(&count);
    float keys = 0, words = 0;
    for (size_t i = 0; i < count; i++) {
        keys = std::max(keys, width(bold, table[i].name));
        words = std::max(words, width(regular, shortcuts_help(&table[i], view.is_replay)));
        shown += table[i].name[0] != '\0' ? 1 : 0;
    }
    const float pad = px(22), room = size.y - px(PANELS_BAR_PX + 8 + 34) - pad * 2;
    const float column = keys + px(18) + words + px(22), wide = size.x - px(16) - pad * 2 + px(22);
    const size_t columns = room / px(23) >= static_cast<float>(shown) || wide < 2 * column ? 1 : 2,
                 lines = (shown + columns - 1) / columns;
    const float fitting = room / static_cast<float>(lines);
    const float line = fitting < font_px(regular) + px(1) ? px(20) : std::min(px(25), fitting);
    const float w = std::min(pad * 2 + column * static_cast<float>(columns) - px(22), size.x - px(16));
    const float rows = std::min(line * static_cast<float>(lines), room), h = pad * 2 + px(34) + rows;
    const ImVec2 low(std::floor((size.x - w) / 2),
                     std::floor(std::max((size.y - h) / 2, px(PANELS_BAR_PX + 4))));
    list->AddRectFilled(ImVec2(0, px(PANELS_BAR_PX)), size, to_imgui(theme(THEME_SHADE)));
    box(low, ImVec2(low.x + w, low.y + h), theme(THEME_POP), theme(THEME_POP_EDGE), 8);
    const float title = text(large, low.x + pad, low.y + pad - px(4), theme(THEME_TEXT),
                             view.is_replay ? "Keys in a recording" : "Keys");
    if (rows < line * static_cast<float>(lines)) {
        text(regular, low.x + pad + title + px(14), low.y + pad - px(1), theme(THEME_TEXT_DIM),
             "Up, Down, wheel: the others");
    }
    const ImVec2 first(low.x + pad, low.y + pad + px(34));
    help_rows(view, first, ImVec2(low.x + w - pad, first.y + rows), lines, line, keys, column);
}

/* The upper edge of the notice: clear of the timeline and the hint over it, and of a question or list. -1 when there is
 * no room. */
float panels::toast_top(const panels_view &view, ImVec2 size, float left, float w, float h) {
    const float below = view.is_replay                            ? px(PANELS_TIMELINE_PX + 34)
                        : view_settings_have_panel(view.settings) ? px(panels_timeline_px(&view) + 6)
                                                                  : px(34);
    const float top = std::floor(size.y - below - h), gap = px(8);
    const bool is_beside = left + w < covered_low.x || left > covered_high.x;
    if (is_beside || top > covered_high.y + gap) {
        return top;
    }
    const float above = std::floor(covered_low.y - gap - h);
    return above >= px(PANELS_BAR_PX + 4) ? above : -1.0f;
}

void panels::toast(const panels_view &view, ImVec2 size) {
    if (view.toast[0] == '\0' || view.toast_alpha <= 0.0f) {
        return;
    }
    const float pad = px(14), stripe = px(4);
    const float wrap = std::max(std::min(px(640), size.x - px(80)), px(80));
    const ImVec2 words = regular->CalcTextSizeA(font_px(regular), FLT_MAX, wrap, view.toast);
    const float w = words.x + pad * 2, h = words.y + pad * 2 - px(6), left = std::floor((size.x - w) / 2);
    const float top = toast_top(view, size, left, w, h);
    if (top < 0) {
        result.holds_toast = true;
        return;
    }
    const ImVec2 low(left, top), high(left + w, top + h);
    const color mark = view.is_toast_error     ? theme(THEME_BAD)
                       : view.is_toast_warning ? theme(THEME_WARN)
                                               : theme(THEME_ACCENT);
    box(low, high, color_fade(theme(THEME_POP), view.toast_alpha),
        color_fade(theme(THEME_POP_EDGE), view.toast_alpha), 5);
    list->AddRectFilled(ImVec2(low.x, low.y), ImVec2(low.x + stripe, std::floor(high.y)),
                        to_imgui(color_fade(mark, view.toast_alpha)), px(5), ImDrawFlags_RoundCornersLeft);
    list->AddText(regular, font_px(regular), ImVec2(low.x + pad, std::floor(low.y + pad - px(3))),
                  to_imgui(color_fade(theme(THEME_TEXT), view.toast_alpha)), view.toast, nullptr, wrap);
}

/* A line under the bar says what a click does, or what to do first. */
void panels::tool(const panels_view &view, ImVec2 size) {
    const bool is_tool = view.tool[0] != '\0';
    const char *said = is_tool ? view.tool : view.hint;
    if (said[0] != '\0') {
        const float words = width(bold, said), x = std::floor((size.x - words) / 2),
                    y = px(PANELS_BAR_PX + 10);
        box(ImVec2(x - px(14), y), ImVec2(x + words + px(14), y + px(28)),
            is_tool ? theme(THEME_TOOL) : theme(THEME_HINT),
            is_tool ? theme(THEME_ACCENT) : theme(THEME_WARN), 5);
        text(bold, x, y + px(6), theme(THEME_TEXT), said);
    }
}

/* The card beside the selected agent. */
void panels::tag(const panels_view &view) {
    const panels_tag &tag = view.tag;
    if (tag.lines[0][0] == '\0') {
        return;
    }
    const color fills[PANELS_TAG_LINES] = {theme(THEME_TEXT), theme(THEME_TEXT), theme(THEME_TEXT_DIM)};
    box(ImVec2(tag.low.x, tag.low.y), ImVec2(tag.high.x, tag.high.y), theme(THEME_CAPTION),
        theme(THEME_PANEL_EDGE), 5);
    float y = tag.low.y + px(PANELS_TAG_PAD_PX);
    for (int i = 0; i < PANELS_TAG_LINES; i++) {
        text(i == 0 ? bold : regular, tag.low.x + px(PANELS_TAG_PAD_PX), y, fills[i], tag.lines[i]);
        y += font_px(regular) + px(PANELS_TAG_GAP_PX);
    }
}

/* A frame around a picture of the past, and how long ago it was: in the middle, or beside the legend. */
void panels::past(const panels_view &view, ImVec2 size, float legend_right) {
    if (view.past[0] == '\0') {
        return;
    }
    const float right = size.x - (view_settings_have_panel(view.settings) ? side_px : 0),
                bottom =
                    size.y - (view_settings_have_panel(view.settings) ? px(panels_timeline_px(&view)) : 0),
                top = px(PANELS_BAR_PX);
    const float half = px(1.5f);
    if (!view.is_beyond) {
        list->AddRect(ImVec2(half, top + half), ImVec2(right - half, bottom - half),
                      to_imgui(theme(THEME_WARN)), 0, 0, px(3));
    }
    const char *const hints[] = {view.is_beyond && view.no_go_on[0] == '\0'
                                     ? "Ctrl+T: go on from there   End: now"
                                 : view.is_beyond   ? "End: now"
                                 : !view.shows_play ? "Space: hold   End: now"
                                                    : "Space: play   End: now",
                                 "End: now", ""};
    const float ago = width(bold, view.past), gap = px(18), room = right - legend_right - px(38) - ago - gap;
    const char *const *hint = hints;
    while (**hint != '\0' && width(regular, *hint) > room) {
        hint++;
    }
    const float words = ago + (**hint != '\0' ? gap + width(regular, *hint) : 0),
                middle = (right - words) / 2;
    const float x = std::floor(std::min(std::max(middle, legend_right + px(22)), right - words - px(14)));
    const float y = top + px(3);
    list->AddRectFilled(ImVec2(x - px(14), top), ImVec2(x + words + px(14), y + px(25)),
                        to_imgui(theme(THEME_WARN)), px(5), ImDrawFlags_RoundCornersBottom);
    text(bold, x, y + px(3), theme(THEME_ON_WARN), view.past);
    text(regular, x + ago + gap, y + px(3), theme(THEME_ON_WARN), *hint);
}

void panels::banner(const panels_view &view, ImVec2 size) {
    if (view.banner[0][0] == '\0') {
        return;
    }
    const float wrap = std::max(std::min(px(640), size.x - px(80)), px(80));
    const ImVec2 title = large->CalcTextSizeA(font_px(large), FLT_MAX, 0.0f, view.banner[0]);
    const ImVec2 words = regular->CalcTextSizeA(font_px(regular), FLT_MAX, wrap, view.banner[1]);
    const bool has_words = view.banner[1][0] != '\0';
    const float w = std::max(title.x, words.x) + px(56), h = px(64) + (has_words ? px(14) + words.y : 0);
    const ImVec2 low(std::floor((size.x - w) / 2), std::floor((size.y - h) / 2));
    box(low, ImVec2(low.x + w, low.y + h), theme(THEME_POP), theme(THEME_POP_EDGE), 8);
    text(large, (size.x - title.x) / 2, low.y + px(20), theme(THEME_TEXT), view.banner[0]);
    list->AddText(regular, font_px(regular),
                  ImVec2(std::floor((size.x - words.x) / 2), std::floor(low.y + px(54))),
                  to_imgui(theme(THEME_TEXT_DIM)), view.banner[1], nullptr, wrap);
}
