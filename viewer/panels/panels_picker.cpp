/* See panels.h. The list of scenarios and saved worlds: a line to type in, the rows in their groups, and beside them all
 * that the chosen one says of itself. */
#include "viewer/panels/panels_impl.hpp"

namespace {

constexpr ImGuiWindowFlags fixed_place = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                         ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                         ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
constexpr float row_px = 42, detail_px = 268, least_list_px = 250;

} // namespace

/* The arrows choose, a page at a time with the keys for it. */
void panels::picker_keys(const panels_view &view, int page) {
    const bool *const pressed = input->was_key_pressed;
    picks_next = picks_next || pressed[PANELS_KEY_RETURN];
    if (view.hit_count == 0 || view.open->question != PANELS_NO_QUESTION) {
        return;
    }
    chosen += (pressed[PANELS_KEY_DOWN] ? 1 : 0) - (pressed[PANELS_KEY_UP] ? 1 : 0) +
              page * ((pressed[PANELS_KEY_PAGE_DOWN] ? 1 : 0) - (pressed[PANELS_KEY_PAGE_UP] ? 1 : 0));
    result.picks = picks_next && !has_typed;
    picks_next = picks_next && has_typed;
    result.removes = pressed[PANELS_KEY_DELETE];
}

/* The title, how many there are, and the line to type in. */
void panels::picker_head(const panels_view &view, float wide) {
    const char *const title = "Scenarios and saved worlds";
    ImGui::PushFont(large);
    ImGui::TextUnformatted(title);
    const float room = wide - ImGui::CalcTextSize(title).x;
    ImGui::PopFont();
    if (room > width(regular, view.hit_words) + px(16)) {
        ImGui::SameLine(wide - width(regular, view.hit_words) + ImGui::GetStyle().WindowPadding.x);
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("%s", view.hit_words);
    }
    if (view.open->question == PANELS_NO_QUESTION) {
        ImGui::SetWindowFocus(); /* Dear ImGui 1.90.1 finds the line only from the window that it is in */
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(10), px(7)));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, std::max(px(1), 1.0f));
    ImGui::PushStyleColor(ImGuiCol_FrameBg, to_imgui(theme(THEME_WELL)));
    ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(theme(THEME_ACCENT)));
    ImGui::SetNextItemWidth(wide);
    if (ImGui::InputTextWithHint("##wanted", "a few letters of its name, or a word: predator, ORCA, tunnel",
                                 wanted, sizeof wanted)) {
        chosen = 0;
        has_typed = true;
    }
    is_ready = ImGui::IsItemActive();
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(2);
}

/* Two lines: its title and its name, and what it is as far as there is room. */
void panels::picker_row(const panels_view &view, int index, float wide) {
    const panels_hit &hit = view.hits[index];
    const ImVec2 low = ImGui::GetCursorScreenPos();
    ImGui::PushID(index);
    if (ImGui::Selectable("##hit", index == chosen, ImGuiSelectableFlags_None, ImVec2(wide, px(row_px)))) {
        chosen = index;
        result.picks = true;
    }
    ImGui::PopID();
    if (index == chosen && picker_shown != chosen) {
        ImGui::SetScrollHereY(0.5f);
        picker_shown = chosen;
    }
    list = ImGui::GetWindowDrawList();
    const float x = low.x + px(8), right = low.x + wide - px(8);
    const char *const said = hit.caption[0] != '\0' ? hit.caption : hit.description;
    list->PushClipRect(low, ImVec2(right, low.y + px(row_px)), true);
    const float name = text(bold, x, low.y + px(4), theme(THEME_TEXT), hit.is_save ? hit.name : hit.title);
    text(regular, x + name + px(10), low.y + px(4), theme(THEME_FAINT), hit.is_save ? hit.title : hit.name);
    char fitting[sizeof(panels_save::description) + 512];
    fit(regular, said, right - x, fitting, sizeof fitting);
    text(regular, x, low.y + px(21), theme(THEME_TEXT_DIM), fitting);
    list->PopClipRect();
}

void panels::picker_list(const panels_view &view, ImVec2 room) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, px(2)));
    ImGui::BeginChild("rows", room, false, ImGuiWindowFlags_NoNav);
    const float wide = ImGui::GetContentRegionAvail().x - px(2);
    for (int i = 0; i < view.hit_count; i++) {
        if (view.hits[i].begins_group) {
            ImGui::Dummy(ImVec2(0, i > 0 ? px(4) : 0));
            ImGui::PushFont(bold);
            ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(to_imgui(theme(THEME_ACCENT))), "%s",
                               view.hits[i].group);
            ImGui::PopFont();
            ImGui::SameLine(0, px(8));
            ImGui::TextDisabled("%d", view.hits[i].group_count);
        }
        picker_row(view, i, wide);
    }
    if (view.hit_count == 0) {
        ImGui::PushTextWrapPos(0.0f);
        ImGui::TextDisabled("%s", wanted[0] != '\0' ? "no scenario or saved world matches"
                                                    : "asking the server ...");
        ImGui::PopTextWrapPos();
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

/* The chosen row: its picture, if there is one, and its texts in full. */
void panels::picker_detail(const panels_view &view, ImVec2 room) {
    ImGui::BeginChild("detail", room, false, ImGuiWindowFlags_NoNav);
    if (chosen < view.hit_count) {
        const panels_hit &hit = view.hits[chosen];
        const panels_preview &its = view.preview;
        const float wide = ImGui::GetContentRegionAvail().x;
        if (its.name != nullptr && !hit.is_save && std::strcmp(its.name, hit.name) == 0) {
            const float tall =
                wide * static_cast<float>(its.image.height) / static_cast<float>(its.image.width);
            ImGui::Image(preview_texture(), ImVec2(std::floor(wide), std::floor(tall)));
        }
        ImGui::PushTextWrapPos(0.0f);
        ImGui::PushFont(bold);
        ImGui::TextUnformatted(hit.is_save ? hit.name : hit.title);
        ImGui::PopFont();
        if (hit.caption[0] != '\0') {
            ImGui::TextUnformatted(hit.caption);
            ImGui::Spacing();
        }
        ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(theme(THEME_TEXT_DIM)));
        ImGui::TextUnformatted(hit.description);
        ImGui::Spacing();
        ImGui::TextUnformatted(hit.is_save ? "Return loads it, Delete removes it." : hit.group);
        ImGui::PopStyleColor();
        ImGui::PopTextWrapPos();
    }
    ImGui::EndChild();
}

/* A window over all of the picture: a press beside the list is not meant for the world. */
void panels::picker(const panels_view &view, ImVec2 size) {
    const float top = px(PANELS_BAR_PX + 12), w = std::min(px(820), size.x - px(24)),
                h = std::min(px(560), size.y - top - px(12));
    if (!had_picker) {
        wanted[0] = '\0';
        chosen = 0;
        picker_shown = -1;
        picks_next = is_ready = false;
    }
    begin_window("picker", ImVec2(0, 0), size);
    list->AddRectFilled(ImVec2(0, px(PANELS_BAR_PX)), size, to_imgui(theme(THEME_SHADE)));
    covered_low = ImVec2(std::floor((size.x - w) / 2), std::floor(top));
    covered_high = ImVec2(covered_low.x + w, covered_low.y + h);
    ImGui::SetCursorScreenPos(covered_low);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, to_imgui(theme(THEME_POP)));
    ImGui::BeginChild("list", ImVec2(w, h), true, fixed_place | ImGuiWindowFlags_NoScrollbar);
    ImGui::PopStyleColor();
    has_typed = early[0] != '\0';
    picker_head(view, ImGui::GetContentRegionAvail().x);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool has_detail = room.x >= px(least_list_px + detail_px);
    picker_keys(view, std::max(static_cast<int>(room.y / px(row_px + 2)) - 1, 1));
    chosen = std::max(std::min(chosen, view.hit_count - 1), 0);
    picker_list(view, ImVec2(has_detail ? room.x - px(detail_px) - px(14) : room.x, room.y));
    if (has_detail) {
        ImGui::SameLine(0, px(14));
        picker_detail(view, room.x >= px(detail_px) ? ImVec2(px(detail_px), room.y) : room);
    }
    result.picks = result.picks && view.hit_count > 0;
    result.hit = view.hit_count > 0 ? chosen : -1;
    ImGui::EndChild();
    ImGui::End();
}
