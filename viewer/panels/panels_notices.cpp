/* See panels.h. What lies over the picture for a while: the help, the toast, the tool in hand, how long ago
 * a moment was, the banner. */
#include "viewer/panels/panels_impl.hpp"

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
                        : view_settings_have_panel(view.settings) ? px(PANELS_TIMELINE_PX + 6)
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

/* A frame around the picture, and how long ago it was: in the middle, or beside the legend. */
void panels::past(const panels_view &view, ImVec2 size, float legend_right) {
    if (view.past[0] == '\0') {
        return;
    }
    const float right = size.x - (view_settings_have_panel(view.settings) ? side_px : 0),
                bottom = size.y - (view_settings_have_panel(view.settings) ? px(PANELS_TIMELINE_PX) : 0),
                top = px(PANELS_BAR_PX);
    const float half = px(1.5f);
    list->AddRect(ImVec2(half, top + half), ImVec2(right - half, bottom - half), to_imgui(theme(THEME_WARN)),
                  0, 0, px(3));
    const char *const hints[] = {!view.shows_play ? "Space: hold   End: now" : "Space: play   End: now",
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
