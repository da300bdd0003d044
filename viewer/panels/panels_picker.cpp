/* See panels.h. The list of scenarios and saved worlds: a line to type in, the rows in their groups, and beside them all
 * that the chosen one says of itself. */
#include "viewer/panels/panels_impl.hpp"

/* ---- worlds to choose ---- */

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
    /* ---- questions ---- */
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

/* ---- dialog ---- */

/* A question over the picture: a title, words, perhaps a line to type a name in, the button that agrees. */

extern "C" {
#include "viewer/model/replay.h"
}

/* Keys that came with the frame in which the question was asked count already. The first one replaces the proposal. */
void panels::edit_line(const panels_view &view) {
    if (asked != view.open->question) {
        std::snprintf(entered, sizeof entered, "%s", view.dialog.proposal);
        is_proposal = true;
        refused[0] = '\0';
    }
    if (input->is_backspace || input->text[0] != '\0') {
        refused[0] = '\0';
    }
    size_t length = std::strlen(entered);
    if (input->is_backspace || (is_proposal && input->text[0] != '\0')) {
        length = is_proposal || length == 0 ? 0 : length - 1;
        is_proposal = false;
    }
    for (const char *typed_letter = input->text; *typed_letter != '\0'; typed_letter++) {
        const char letter = save_name_letter(*typed_letter);
        if (letter != '\0' && length + 1 < sizeof entered) {
            entered[length++] = letter;
        } else if (letter != '\0') {
            std::snprintf(refused, sizeof refused, "at most %d characters", LIMIT_NAME_CHARS);
        } else {
            std::snprintf(refused, sizeof refused, "letters, digits, _ and - only");
        }
    }
    entered[length] = '\0';
}

/* The line; a proposal is marked: it gives way to what is typed. */
void panels::dialog_line(const panels_view &view, float x, float y, float right) {
    edit_line(view);
    box(ImVec2(x - px(10), y), ImVec2(right + px(10), y + px(30)), theme(THEME_WELL), theme(THEME_ACCENT), 4);
    const float text_y = y + (px(30) - font_px(regular)) / 2, end = x + width(regular, entered);
    if (is_proposal) {
        list->AddRectFilled(ImVec2(x - px(1), y + px(6)), ImVec2(end + px(1), y + px(24)),
                            to_imgui(theme(THEME_MARKED)), px(2));
    }
    text(regular, x, text_y, theme(THEME_TEXT), entered);
    if (refused[0] != '\0') {
        const float words = width(regular, refused), at = std::floor(right - words);
        box(ImVec2(at - px(8), y + px(2)), ImVec2(right + px(9), y + px(28)), theme(THEME_WELL), 0, 3);
        text(regular, at, text_y, theme(THEME_BAD), refused);
    }
    list->AddRectFilled(ImVec2(std::floor(end + px(1)), y + px(7)),
                        ImVec2(std::floor(end + px(1)) + px(1), y + px(23)), to_imgui(theme(THEME_TEXT)));
}

/* The buttons, from the right; returns where they begin. */
void panels::dialog_buttons(const panels_view &view, float x, float y, float right) {
    const panels_dialog &dialog = view.dialog;
    const bool can_agree = !dialog.has_line || entered[0] != '\0';
    const float wide = std::max(width(bold, dialog.agree) + px(36), px(96)), tall = px(30);
    const ImVec2 low(std::floor(right + px(10) - wide), y), high(right + px(10), y + tall);
    const color fill = !can_agree               ? theme(THEME_FRAME)
                       : dialog.is_grave        ? theme(THEME_GRAVE)
                       : dialog.note[0] != '\0' ? theme(THEME_CAUTION)
                                                : theme(THEME_AGREE);
    box(low, high, fill, 0, 4);
    if (button("agree", low, high) && can_agree) {
        result.agrees = true;
    }
    text(bold, (low.x + high.x - width(bold, dialog.agree)) / 2, y + (tall - font_px(bold)) / 2,
         can_agree ? theme(THEME_ON_BUTTON) : theme(THEME_FAINT), dialog.agree);
    text(regular, x, y + (tall - font_px(regular)) / 2, theme(THEME_TEXT_DIM), "Esc goes back");
    result.agrees = result.agrees || (input->is_return && can_agree);
}

void panels::dialog(const panels_view &view, ImVec2 size) {
    const panels_dialog &dialog = view.dialog;
    const float w = std::min(px(480), size.x - px(32)), inner = w - px(44);
    const float words = regular->CalcTextSizeA(font_px(regular), FLT_MAX, inner, dialog.words).y;
    const float note = dialog.note[0] != '\0'
                           ? regular->CalcTextSizeA(font_px(regular), FLT_MAX, inner, dialog.note).y + px(12)
                           : 0;
    const float h = px(16 + 22 + 12) + words + px(14) + (dialog.has_line ? px(42) : 0) + note + px(30 + 20);
    const ImVec2 low(std::floor((size.x - w) / 2),
                     std::floor(std::max((size.y - h) * 0.4f, px(PANELS_BAR_PX + 8))));
    const ImVec2 high(low.x + w, low.y + h);
    if (asked != view.open->question) { /* another question than in the frame before */
        ImGui::SetNextWindowFocus();
    }
    begin_window("dialog", ImVec2(0, 0),
                 size); /* all of it: a press beside the box is not meant for the world */
    list->AddRectFilled(ImVec2(0, px(PANELS_BAR_PX)), size, to_imgui(theme(THEME_SHADE)));
    box(low, high, theme(THEME_POP), theme(THEME_POP_EDGE), 8);
    covered_low = low;
    covered_high = high;
    const float x = low.x + px(22), right = high.x - px(22);
    float y = low.y + px(16);
    text(large, x, y, theme(THEME_TEXT), dialog.title);
    y += px(22 + 12);
    list->AddText(regular, font_px(regular), ImVec2(std::floor(x), std::floor(y)),
                  to_imgui(theme(THEME_TEXT_DIM)), dialog.words, nullptr, inner);
    y += words + px(14);
    if (dialog.has_line) {
        dialog_line(view, x, y, right);
        y += px(42);
    }
    if (dialog.note[0] != '\0') {
        list->AddText(regular, font_px(regular), ImVec2(std::floor(x), std::floor(y)),
                      to_imgui(theme(THEME_WARN)), dialog.note, nullptr, inner);
        y += note;
    }
    dialog_buttons(view, x, y, right);
    ImGui::End();
}
