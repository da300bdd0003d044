/* See panels.h. The figures of the network. */
#include "viewer/panels/panels_impl.hpp"

float panels::network(const panels_view &view, float x, float y, float right) {
    y = heading(x, y, "Network");
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
