/* See panels.h. The selected agent: what it does, and why. */
#include "viewer/panels/panels_impl.hpp"

void panels::inspector(const panels_view &view) {
    if (view.agent[0] == '\0') {
        ImGui::PushTextWrapPos(0.0f);
        ImGui::TextDisabled("Click an agent to see what it does, and why.");
        ImGui::PopTextWrapPos();
        return;
    }
    for (int i = 0; i < view.agent_row_count; i++) {
        value_row(view.agent_rows[i].name, view.agent_rows[i].value);
    }
    if (view.inspected != nullptr) {
        equations(view);
    }
    if (view.agent_note[0] != '\0') {
        ImGui::PushTextWrapPos(0.0f);
        ImGui::TextDisabled("%s", view.agent_note);
        ImGui::PopTextWrapPos();
    }
}
