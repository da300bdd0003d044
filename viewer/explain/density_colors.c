/* See density_colors.h. */
#include "viewer/explain/density_colors.h"

#include <math.h>

#include "viewer/explain/theme.h"

static const float full_turn = 6.28318531f;

enum color_mode density_colors_mode(const struct state_colors *colors, const struct view_settings *settings) {
    const enum color_mode mode = state_colors_mode(colors, settings);
    return mode == COLOR_STATE && colors->kind_count > 1 ? COLOR_KIND : mode;
}

bool density_colors_need_kinds(const struct state_colors *colors, const struct view_settings *settings) {
    return density_colors_mode(colors, settings) == COLOR_KIND && colors->kind_count > 1;
}

bool density_colors_need_speed(const struct state_colors *colors, const struct view_settings *settings) {
    const enum color_mode mode = density_colors_mode(colors, settings);
    return mode == COLOR_HEADING || mode == COLOR_SPEED;
}

/* Of kinds, so that those that are not lit are dimmed. */
static void kind_fills(const struct state_colors *colors, const struct density *density,
                       const struct server_model *server, enum palette palette, color fills[LIMIT_KINDS]) {
    static const float dimmed = 0.8f;
    const struct agent_group lit = state_colors_lit(colors);
    for (int32_t k = 0; k < density->kind_count; k++) {
        const struct message_kind *kind = server_model_kind(server, density->kinds[k]);
        const int number = kind != NULL ? (int)(kind - server->scenario.kinds) : 0;
        const bool is_lit = !lit.is_on || lit.kind < 0 || lit.kind == number;
        fills[k] = color_mix(state_colors_kind(colors, palette, number), theme_color(palette, THEME_WORLD),
                             is_lit ? 0.0f : dimmed);
    }
}

static void fill_kinds(const struct state_colors *colors, const struct density *density,
                       const struct server_model *server, enum palette palette, color *out) {
    const int32_t cells = density->columns * density->rows;
    color fills[LIMIT_KINDS];
    kind_fills(colors, density, server, palette, fills);
    for (int32_t c = 0; c < cells; c++) {
        float before = 0.0f;
        for (int32_t k = 0; k < density->kind_count; k++) { /* each kind's part of those so far */
            const float count = (float)density->by_kind[(ptrdiff_t)cells * k + c], more = count * count;
            before += more;
            out[c] = before > more ? color_mix(out[c], fills[k], more / before) : fills[k];
        }
    }
}

static void fill_headings(const struct density *density, enum palette palette, color *out) {
    const color gray =
        color_mix(color_scale_heading(palette, 0.0f), color_scale_heading(palette, 0.5f), 0.5f);
    for (int32_t c = 0; c < density->columns * density->rows; c++) {
        const float x = (float)density->vx[c], y = (float)density->vy[c];
        const float order = sqrtf(x * x + y * y) / fmaxf((float)density->mean_speed[c], 1.0f);
        const float turn = atan2f(y, x) / full_turn;
        out[c] = color_mix(gray, color_scale_heading(palette, turn), sqrtf(order));
    }
}

static void fill_speeds(const struct density *density, const struct server_model *server,
                        enum palette palette, color *out) {
    const float top = fmaxf(server_model_top_speed(server), 1e-6f);
    for (int32_t c = 0; c < density->columns * density->rows; c++) {
        out[c] = color_scale_value(palette, (float)density->mean_speed[c] * 0.01f / top);
    }
}

bool density_colors_fill(const struct state_colors *colors, const struct density *density,
                         const struct server_model *server, const struct view_settings *settings,
                         color *out) {
    const enum palette palette = view_settings_palette(settings);
    const enum color_mode mode = density_colors_mode(colors, settings);
    if (mode == COLOR_KIND && density->kind_count > 0) {
        fill_kinds(colors, density, server, palette, out);
        return true;
    }
    if (mode == COLOR_HEADING && density->has_mean_speed) {
        fill_headings(density, palette, out);
        return true;
    }
    if (mode == COLOR_SPEED && density->has_mean_speed) {
        fill_speeds(density, server, palette, out);
        return true;
    }
    return false;
}
