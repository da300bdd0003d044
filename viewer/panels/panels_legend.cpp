/* See panels.h. The legend, and the names beside markers. */
#include "viewer/explain/theme.h"
#include "viewer/panels/panels_impl.hpp"

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
