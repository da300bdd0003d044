/* See panels.h. The plots of the last minute. */
#include "viewer/panels/panels_impl.hpp"

/* The values of a sample, and how long ago that was. */
void panels::plot_tip(const panels_view &view, const panels_plot &plot, int index) {
    const plots_sample *newest = plots_at(view.samples, view.samples->count - 1);
    char number[32];
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(7)));
    place_tip();
    ImGui::BeginTooltip();
    units_format_number(std::round(10 * (newest->time_s - plots_at(view.samples, index)->time_s)) / 10,
                        number, sizeof number);
    ImGui::TextDisabled("%s s ago", number);
    for (int s = 0; s < plot.series_count; s++) {
        const float value = plots_value(view.samples, plot.series[s], index);
        units_format_number(std::round(100 * static_cast<double>(value)) / 100, number, sizeof number);
        ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(plot.fill[s]));
        ImGui::Text("%s%s%s", plot.has_names ? view.samples->state_names[plot.series[s] - PLOTS_STATE] : "",
                    plot.has_names ? " " : "", std::isnan(value) ? "not known" : number);
        ImGui::PopStyleColor();
    }
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

/* A number of the axis, on the ground of the plot: no curve runs through it. */
void panels::plot_number(const char *number, float x, float y) {
    list->AddRectFilled(ImVec2(x - px(2), y),
                        ImVec2(x + width(regular, number) + px(2), y + font_px(regular)),
                        to_imgui(theme(THEME_WELL)));
    text(regular, x, y, theme(THEME_FAINT), number);
}

/* A line for each series, in a scale from 0 to its top, the newest sample at the right. */
void panels::plot(const panels_view &view, const panels_plot &plot) {
    const int count = view.samples->count;
    const float height = px(46);
    char top[32];
    value_row(plot.title, plot.value);
    const ImVec2 low = ImGui::GetCursorScreenPos(),
                 high(low.x + ImGui::GetContentRegionAvail().x, low.y + height);
    ImGui::Dummy(ImVec2(high.x - low.x, height));
    list = ImGui::GetWindowDrawList();
    box(low, high, theme(THEME_WELL), 0, 3);
    list->PushClipRect(low, high, true);
    const float room = height - px(6), step = (high.x - low.x) / static_cast<float>(PLOTS_SAMPLES - 1);
    const float first = high.x - step * static_cast<float>(count - 1);
    const auto place = [&](int s, int i) {
        const float share =
            std::min(std::max(plots_value(view.samples, plot.series[s], i) / plot.top, 0.0f), 1.0f);
        return ImVec2(first + step * static_cast<float>(i), high.y - px(3) - share * room);
    };
    for (int s = 0; s < plot.series_count; s++) {
        for (int i = 0; i + 2 < count;
             i += 2) { /* two samples a pixel at most; each piece alone has no spikes */
            if (!std::isnan(plots_value(view.samples, plot.series[s], i))) {
                list->AddLine(place(s, i), place(s, i + 2), to_imgui(plot.fill[s]), px(1.25f));
            }
        }
    }
    units_format_number(
        static_cast<double>(plot.top < 10 ? std::round(plot.top * 100) / 100 : std::round(plot.top)), top,
        sizeof top);
    plot_number(top, low.x + px(4), low.y + px(1));
    plot_number("0", low.x + px(4), high.y - font_px(regular) - px(1));
    if (view.plot_mark >= 0) {
        const float at = std::floor(first + step * static_cast<float>(view.plot_mark));
        list->AddRectFilled(ImVec2(at, low.y), ImVec2(at + px(1), high.y), to_imgui(theme(THEME_WARN)));
    }
    const int under = static_cast<int>(std::lround((ImGui::GetIO().MousePos.x - first) / step));
    if (ImGui::IsItemHovered() && under >= 0 && under < count) {
        const float at = std::floor(first + step * static_cast<float>(under));
        list->AddRectFilled(ImVec2(at, low.y), ImVec2(at + px(1), high.y), to_imgui(theme(THEME_TEXT_DIM)));
        plot_tip(view, plot, under);
    }
    list->PopClipRect();
}

/* Any number of the kind that has the sliders, or the count of any state. */
void panels::own_choice(const panels_view &view) {
    const struct plots &samples = *view.samples;
    const auto item = [&](const char *words, const char *kind, const char *name) {
        if (ImGui::Selectable(words, std::strcmp(samples.own_kind, kind) == 0 &&
                                         std::strcmp(samples.own_name, name) == 0)) {
            result.plots_own = true;
            result.own_kind = kind;
            result.own_name = name;
        }
    };
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::BeginCombo("##own", samples.own_name[0] != '\0' ? samples.own_name : "plot something else")) {
        item("nothing", "", "");
        for (int s = 0; s < samples.state_count; s++) {
            char words[64];
            std::snprintf(words, sizeof words, "count of %s", samples.state_names[s]);
            item(words, "", samples.state_names[s]);
        }
        for (int i = 0; i < view.server->param_count; i++) {
            const message_param &param = view.server->params[i];
            if (std::strcmp(param.kind, view.tuned_kind) == 0) {
                item(param.param, param.kind, param.param);
            }
        }
        ImGui::EndCombo();
    }
    tip("Plots the count of a state or a number of a kind, from now on.");
}

void panels::plots(const panels_view &view) {
    for (int i = 0; i < view.plot_count; i++) {
        if (view.plots[i].series_count > 0) {
            plot(view, view.plots[i]);
        }
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    list = ImGui::GetWindowDrawList();
    text(regular, at.x, at.y - px(3), theme(THEME_FAINT), "60 s ago");
    text(regular, at.x + room - width(regular, "now"), at.y - px(3), theme(THEME_FAINT), "now");
    ImGui::Dummy(ImVec2(room, font_px(regular) - px(2)));
    own_choice(view);
}
