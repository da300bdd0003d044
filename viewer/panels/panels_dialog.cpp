/* See panels.h. A question over the picture: a title, words, perhaps a line to type a name in, the button that agrees.
 */
#include "viewer/panels/panels_impl.hpp"

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
