/* See panels.h. All that an exhibition shows over its world: the caption, and what is wrong; to be read from afar. */
#include "viewer/panels/panels_impl.hpp"

/* A title, a sentence and another one around the middle of a box, which is drawn behind them. */
void panels::kiosk_words(ImVec2 middle, float wrap, const char *title, const char *words, const char *more,
                         float alpha) {
    const char *const lines[] = {title, words, more};
    ImFont *const fonts[] = {afar_title, afar, afar};
    const color fills[] = {theme(THEME_TEXT), theme(THEME_TEXT), theme(THEME_TEXT_DIM)};
    const float pad = px(30), gap = px(8);
    ImVec2 sizes[3];
    float w = 0, h = 0;
    for (int i = 0; i < 3; i++) {
        sizes[i] = fonts[i]->CalcTextSizeA(font_px(fonts[i]), FLT_MAX, wrap, lines[i]);
        w = std::max(w, sizes[i].x);
        h += lines[i][0] != '\0' ? sizes[i].y + (i > 0 ? gap : 0) : 0;
    }
    const ImVec2 low(std::floor(middle.x - w / 2 - pad), std::floor(middle.y - h / 2 - px(18)));
    box(low, ImVec2(low.x + w + 2 * pad, low.y + h + 2 * px(18)),
        color_fade(theme(THEME_WELL), 0.785f * alpha), 0, 12);
    float y = low.y + px(18);
    for (int i = 0; i < 3; i++) {
        if (lines[i][0] != '\0') {
            list->AddText(fonts[i], font_px(fonts[i]),
                          ImVec2(std::floor(middle.x - sizes[i].x / 2), std::floor(y)),
                          to_imgui(color_fade(fills[i], alpha)), lines[i], nullptr, wrap);
            y += sizes[i].y + gap;
        }
    }
}

void panels::kiosk(const panels_view &view, ImVec2 size) {
    const float wrap = size.x - px(160) > px(200) ? size.x - px(160) : size.x - px(60);
    const panels_caption &caption = view.caption;
    if (view.asks_legend) {
        legend(view);
    }
    if (view.banner[0][0] != '\0') {
        kiosk_words(ImVec2(size.x / 2, size.y / 2), wrap, view.banner[0], view.banner[1], "", 1.0f);
    } else if (caption.alpha > 0.0f) {
        kiosk_words(ImVec2(size.x / 2, size.y - px(150)), wrap, caption.lines[0], caption.lines[1],
                    caption.lines[2], caption.alpha);
    }
}
