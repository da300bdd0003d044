/* See panels.h. A slider for every number of a kind that can be tuned: drag, double click to type, right
 * click for the value it had when this viewer first saw the world. */
#include <cctype>
#include <cstdlib>

#include "viewer/panels/panels_impl.hpp"

namespace {

/* Up to three decimals; no locale. */
void format_value(double value, char *out, size_t size) {
    const double magnitude = std::min(std::fabs(value), 1e15);
    const auto thousandths = static_cast<unsigned long long>(std::llround(magnitude * 1000));
    char rest[8];
    std::snprintf(rest, sizeof rest, ".%03llu", thousandths % 1000);
    for (size_t last = 3; last > 0 && rest[last] == '0'; last--) {
        rest[last] = '\0';
    }
    std::snprintf(out, size, "%s%llu%s", value < 0 && thousandths > 0 ? "-" : "", thousandths / 1000,
                  rest[1] != '\0' ? rest : "");
}

/* Digits with at most one point and a sign; no locale. */
bool read_value(const char *words, double *value) {
    const bool is_negative = *words == '-';
    double sum = 0, place = 0;
    int digits = 0;
    for (words += is_negative ? 1 : 0; *words != '\0'; words++) {
        if (*words == '.' && place == 0) {
            place = 1;
        } else if (*words >= '0' && *words <= '9') {
            sum = sum * 10 + (*words - '0');
            place *= 10;
            digits++;
        } else {
            return false;
        }
    }
    *value = (is_negative ? -sum : sum) / std::max(place, 1.0);
    return digits > 0;
}

/* The allowed range is often far wider than the sensible one: the track ends at four times the first value.
 */
double track_end(const panels_param &param) {
    const double usual = param.first > 0 ? 4 * param.first : std::min(param.max, 100.0);
    return std::min(std::max(usual, param.value), param.max);
}

/* 237.4183 -> 237.4: as fine as the track is. */
double rounded(double value, double reach) {
    const double step = std::pow(10.0, std::floor(std::log10(std::max(reach, 1e-3))) - 2);
    return std::round(value / step) * step;
}

} // namespace

/* Takes what was typed since the last frame; Return gives the value, Esc does not. */
void panels::type_value(const panels_param &param) {
    size_t used = std::strlen(typed);
    for (const char *c = input->text; *c != '\0' && used + 1 < sizeof typed; c++) {
        if (std::strchr("0123456789.-", *c) != nullptr) {
            typed[used++] = *c;
            typed[used] = '\0';
        }
    }
    if (input->is_backspace && used > 0) {
        typed[used - 1] = '\0';
    }
    double value = 0;
    if (input->is_return && !input->is_escape && read_value(typed, &value)) {
        tune(param, value); /* out of range: the app says so */
    }
    typed_param = input->is_return || input->is_escape ? -1 : typed_param;
}

/* Applies mouse and keyboard to the row that ImGui has seen last. */
void panels::handle_param(const panels_view &view, const panels_param &param, float x, float right) {
    const double end = track_end(param), begin = param.min, reach = std::max(end - begin, 1e-9);
    const bool is_hovered = ImGui::IsItemHovered(), is_active = ImGui::IsItemActive();
    const bool is_taken = held_param == param.index || std::fabs(mouse->at.x - mouse->pressed_at.x) > px(2);
    if (view.no_tuning[0] != '\0') {
        if (is_active && input->was_pressed) {
            tune(param, param.value); /* the app says why not */
        }
    } else if (is_hovered && input->was_double) {
        typed_param = param.index;
        typed[0] = '\0';
        held_param = -1;
    } else if (is_hovered && input->was_right_pressed) {
        tune(param, param.first);
    } else if (is_active && typed_param != param.index && is_taken) {
        const double share = static_cast<double>((mouse->at.x - x) / (right - x));
        const double value = std::min(std::max(begin + share * reach, begin), end);
        held_param = param.index;
        held_value = std::min(std::max(rounded(value, reach), begin), param.max);
        tune(param, held_value);
        result.is_sliding = true;
    } else if (held_param == param.index) { /* let go */
        held_param = -1;
        tune(param, held_value);
    }
    if (typed_param == param.index) {
        type_value(param);
    }
}

/* The parameter is to have this value. */
void panels::tune(const panels_param &param, double value) {
    result.tunes = true;
    result.param = param.index;
    result.value = value;
}

/* The number at the right, or what is typed in its place. Returns where it begins. */
float panels::param_value(const panels_param &param, double value, float y, float right) {
    const bool is_typed = typed_param == param.index;
    ImFont *font = is_typed ? bold : regular;
    char words[64], number[32];
    if (is_typed) {
        std::snprintf(words, sizeof words, "%s_", typed);
    } else {
        format_value(value, number, sizeof number);
        std::snprintf(words, sizeof words, std::strcmp(param.unit, "1") == 0 ? "%s" : "%s %s", number,
                      param.unit);
    }
    const color fill = is_typed ? PALETTE_ACCENT : value == param.first ? PALETTE_TEXT : PALETTE_WARN;
    const float left = right - width(font, words);
    text(font, left, y, fill, words);
    return left;
}

float panels::param_row(const panels_view &view, const panels_param &param, float x, float y, float right) {
    const ImVec2 low(x - px(4), y - px(1)), high(right + px(4), y + px(33));
    char id[16];
    std::snprintf(id, sizeof id, "param%d", param.index);
    ImGui::SetCursorScreenPos(low);
    ImGui::InvisibleButton(id, ImVec2(high.x - low.x, high.y - low.y));
    if (ImGui::IsItemHovered()) {
        list->AddRectFilled(low, high, to_imgui(0x10ffffffu), px(4));
    }
    handle_param(view, param, x, right);
    const double value = held_param == param.index ? held_value : param.value;
    const double reach = std::max(track_end(param) - param.min, 1e-9);
    const double share = std::min(std::max((value - param.min) / reach, 0.0), 1.0);
    const float knob = x + (right - x) * static_cast<float>(share), track = std::floor(y + px(24));
    const float left = param_value(param, value, y, right) - px(8);
    list->PushClipRect(ImVec2(x, y), ImVec2(left, y + px(22)), true); /* a long name gives way to the value */
    text(regular, x, y, PALETTE_TEXT_DIM, param.name);
    list->PopClipRect();
    list->AddRectFilled(ImVec2(x, track), ImVec2(right, track + px(3)), to_imgui(0xff2d343fu), px(2));
    list->AddRectFilled(ImVec2(x, track), ImVec2(knob, track + px(3)), to_imgui(0xff3774b8u), px(2));
    list->AddCircleFilled(ImVec2(knob, track + px(1.5f)), px(5),
                          to_imgui(view.no_tuning[0] == '\0' ? 0xffffffffu : faint_text), 16);
    return y + px(36);
}

float panels::params(const panels_view &view, float x, float y, float right) {
    const float top = y;
    y = heading(x, y, "Parameters");
    if (button("kind", ImVec2(right - width(bold, view.params_kind) - px(26), top - px(3)),
               ImVec2(right + px(4), top + px(19)))) {
        result.next_kind = true;
        typed_param = held_param = -1;
    }
    text(bold, right - width(bold, view.params_kind) - px(18), top, PALETTE_TEXT, view.params_kind);
    list->AddTriangleFilled(ImVec2(right - px(10), top + px(6)), ImVec2(right, top + px(6)),
                            ImVec2(right - px(5), top + px(12)), to_imgui(PALETTE_TEXT_DIM));
    const panels_param *hovered = nullptr;
    bool is_typed_shown = false;
    for (int i = 0; i < view.param_count; i++) {
        const panels_param &param = view.params[i];
        y = param_row(view, param, x, y, right);
        hovered = ImGui::IsItemHovered() ? &param : hovered;
        is_typed_shown = is_typed_shown || typed_param == param.index;
    }
    typed_param = is_typed_shown ? typed_param : -1;
    if (hovered != nullptr) {
        char least[32], most[32], words[600];
        format_value(hovered->min, least, sizeof least);
        format_value(hovered->max, most, sizeof most);
        std::snprintf(words, sizeof words, "%s\n%s to %s %s%s%s", hovered->help, least, most,
                      std::strcmp(hovered->unit, "1") == 0 ? "" : hovered->unit,
                      view.no_tuning[0] != '\0' ? "\n\n" : "", view.no_tuning);
        tooltip(words, ImVec2(x - px(40), mouse->at.y), 1.0f, 0.5f);
    }
    const char *note = view.param_count == 0       ? "The server has not listed its parameters yet."
                       : view.no_tuning[0] != '\0' ? view.no_tuning
                                                   : "Drag; double click to type; right click: as it was.";
    list->AddText(regular, regular->FontSize, ImVec2(std::floor(x), std::floor(y + px(4))),
                  to_imgui(PALETTE_TEXT_DIM), note, nullptr, right - x);
    return y + px(14) + regular->CalcTextSizeA(regular->FontSize, FLT_MAX, right - x, note).y;
}
