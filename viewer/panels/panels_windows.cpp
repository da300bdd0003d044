/* See panels.h. Which windows are open. Each is an ImGui window. */
#include "viewer/panels/panels_impl.hpp"

void panels::windows(const panels_view &view, ImVec2 size) {
    if (view_settings_have_panel(view.settings)) {
        side(view, size);
    }
    if (view.is_replay) {
        replay_timeline(view, size);
    } else if (view_settings_have_panel(view.settings)) {
        timeline(view, size);
    }
    if (!view_settings_have_panel(view.settings) && view.network_count > 0 &&
        (view.settings->shows_network || view.is_network_bad)) {
        network_corner(view, size);
    }
    covered_low = covered_high = ImVec2(0, 0);
    if (view.open->card) {
        card(view, size);
    }
    if (had_picker && !view.open->picker) {
        ImGui::SetWindowFocus(nullptr); /* its line takes no more keys */
        is_ready = false;
        early[0] = '\0';
    }
    result.hit = -1;
    if (view.open->picker) {
        picker(view, size);
    }
    if (view.open->question != PANELS_NO_QUESTION) {
        dialog(view, size);
    }
    scrubs_replay = scrubs_replay && view.is_replay;
    asked = view.open->question;
    std::snprintf(result.entered, sizeof result.entered, "%s", asked != PANELS_NO_QUESTION ? entered : "");
    had_picker = view.open->picker;
    had_card = view.open->card;
    std::snprintf(result.wanted, sizeof result.wanted, "%s", had_picker ? wanted : "");
}
