/* See panels.h. The bar at the top. */
#include "viewer/panels/panels_impl.hpp"

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
