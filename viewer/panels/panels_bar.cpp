/* See panels.h. The bar at the top, the legend, the names beside markers. */
#include "viewer/panels/panels_impl.hpp"

/* A number in the bar and its name. */
struct bar_item {
    const char *name, *value;
    float least; /* window px for the value, so that what is beside it does not jump */
    bool is_left;
    bool explains_itself; /* the name may go when there is no room for both */
};

float panels::item_width(const bar_item &item) {
    const float name = width(regular, item.name);
    return std::max(width(regular, item.value), px(item.least)) + name + (name > 0 ? px(6) : 0);
}

void panels::draw_item(float x, float y, const bar_item &item) {
    const float name = text(regular, x, y, PALETTE_TEXT_DIM, item.name);
    text(regular, x + name + (name > 0 ? px(6) : 0), y, name > 0 ? PALETTE_TEXT : PALETTE_TEXT_DIM,
         item.value);
}

/* The words if they fit, else as many letters as do and an ellipsis. */
static void fit(ImFont *font, const char *words, float room, char *out, size_t size) {
    std::snprintf(out, size, "%s", words);
    for (size_t length = std::strlen(out); length > 0 && panels::width(font, out) > room;) {
        do {
            length--;
        } while (length > 0 && (static_cast<unsigned char>(words[length]) & 0xc0u) == 0x80u);
        std::snprintf(out + length, size - length, "%s", length > 0 ? "…" : "");
    }
}

/* Title and state. A long title gives way to the state, which is always there. Returns where they end. */
float panels::bar_begin(const panels_view &view, float y, float bar_width) {
    float x = px(12);
    if (view.scenario[0] != '\0') {
        const float room = bar_width - x - px(20 + 16 + 12) - width(regular, view.state);
        char title[sizeof view.scenario + 4];
        fit(bold, view.scenario, room, title, sizeof title);
        x += text(bold, x, y, PALETTE_TEXT, title) + px(20);
    }
    list->AddCircleFilled(ImVec2(std::floor(x + px(5)) + 0.5f, std::floor(px(PANELS_BAR_PX) / 2) + 0.5f),
                          px(4.5f), to_imgui(view.state_color), 24);
    x += px(16);
    return x + std::max(text(regular, x, y, view.state_words, view.state), px(64)) + px(18);
}

/* Left: what is running. Right: how well it is seen. When the window is narrow, what matters least is left
 * out; what stays keeps its place while the numbers change. */
void panels::bar(const panels_view &view, float bar_width) {
    const float height = px(PANELS_BAR_PX), y = std::floor((height - regular->FontSize) / 2);
    list->AddRectFilled(ImVec2(0, 0), ImVec2(bar_width, height), to_imgui(0xff1b1f26u));
    list->AddRectFilled(ImVec2(0, height - px(1)), ImVec2(bar_width, height), to_imgui(panel_edge));
    const bar_item items[] = {{"recording", view.clip, 0, false, true},  {"tick", view.tick, 58, true, false},
                              {"agents", view.agents, 0, true, false},   {"role", view.role, 0, false, true},
                              {"F1", "keys", 0, false, false},           {"ping", view.ping, 52, false, true},
                              {"snapshots", view.rate, 40, false, true}, {"t", view.time, 58, true, true},
                              {"", view.address, 0, false, true}};
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

namespace {

/* A vector that is drawn at agents. */
struct vector_row {
    bool is_shown;
    const char *name;
    color fill;
};

struct vector_rows {
    vector_row rows[3];
};

vector_rows shown_vectors(const panels_view &view) {
    const view_settings &settings = *view.settings;
    return {{{settings.shows_velocity, "velocity", PALETTE_VELOCITY},
             {settings.shows_desired && view.has_force_data, "desired", PALETTE_DESIRED},
             {settings.shows_steering && view.has_force_data, "steering", PALETTE_STEERING}}};
}

} // namespace

/* A row for each kind or state, from y on. Returns where they end. */
float panels::legend_rows(const panels_view &view, float y, float line, float left, float right) {
    for (int i = 0; i < view.legend_count; i++, y += line) {
        const panels_legend_row &row = view.legend[i];
        const float text_y = y + (line - regular->FontSize) / 2;
        char number[16];
        agent_mark(ImVec2(std::floor(left + px(21)), std::floor(y + line / 2)), row.shape, px(7), row.fill);
        std::snprintf(number, sizeof number, "%d", row.count);
        text(regular, left + px(42), text_y, PALETTE_TEXT, row.name);
        text(regular, right - px(12) - width(regular, number), text_y, PALETTE_TEXT_DIM, number);
    }
    return y;
}

/* Returns its right edge, 0 without one. */
float panels::legend(const panels_view &view) {
    const vector_rows vectors = shown_vectors(view);
    int shown = 0;
    float names = 0, counts = 0;
    for (int i = 0; i < view.legend_count; i++) {
        char number[16];
        std::snprintf(number, sizeof number, "%d", view.legend[i].count);
        names = std::max(names, width(regular, view.legend[i].name));
        counts = std::max(counts, width(regular, number));
    }
    for (const vector_row &entry : vectors.rows) {
        names = entry.is_shown ? std::max(names, width(regular, entry.name)) : names;
        shown += entry.is_shown ? 1 : 0;
    }
    if (view.legend_count + shown == 0) {
        return 0;
    }
    const float line = px(22), left = px(10), top = px(PANELS_BAR_PX + 10), text_x = left + px(42);
    const float gap = view.legend_count > 0 && shown > 0 ? px(9) : 0;
    const float right = text_x + names + (counts > 0 ? px(16) + counts : 0) + px(12);
    const float bottom = top + px(12) + line * static_cast<float>(view.legend_count + shown) + gap;
    /* it may lie over the world: what moves below it shows through */
    box(ImVec2(left, top), ImVec2(right, bottom), legend_fill, panel_edge, 5);
    float y = legend_rows(view, top + px(6), line, left, right);
    if (gap > 0) {
        list->AddRectFilled(ImVec2(left + px(12), std::floor(y + gap / 2)),
                            ImVec2(right - px(12), std::floor(y + gap / 2) + px(1)), to_imgui(panel_edge));
        y += gap;
    }
    for (const vector_row &entry : vectors.rows) {
        if (entry.is_shown) {
            const ImVec2 middle(std::floor(left + px(21)) + 0.5f, std::floor(y + line / 2) + 0.5f);
            vector_mark(middle, entry.fill);
            text(regular, text_x, y + (line - regular->FontSize) / 2, PALETTE_TEXT, entry.name);
            y += line;
        }
    }
    return right;
}

/* Beside its marker: to the right, or to the left where the picture ends. */
void panels::labels(const panels_view &view, float picture_width) {
    for (int i = 0; i < view.label_count; i++) {
        const panels_label &label = view.labels[i];
        const float words = width(regular, label.text), gap = px(18);
        const bool fits = label.x + gap + words + px(4) <= picture_width;
        const float x = fits ? label.x + gap : label.x - gap - words;
        const float y = label.y - regular->FontSize / 2;
        text(regular, x + px(1), y + px(1), 0xc00a0c0fu, label.text);
        text(regular, x, y, PALETTE_TEXT_DIM, label.text);
    }
}
