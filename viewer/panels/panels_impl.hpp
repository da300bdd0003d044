/* The state of the panels, for the viewer's C++ files alone.
 *
 * From the bottom up: panels_draw.cpp (text, boxes, buttons), panels_params.cpp (sliders),
 * panels_windows.cpp (side panel, timeline, picker), panels_bar.cpp and panels_notices.cpp (what cannot be
 * clicked), panels_paint.cpp (triangles to pixels), panels.cpp.
 */
#ifndef DROVER_VIEWER_PANELS_PANELS_IMPL_HPP
#define DROVER_VIEWER_PANELS_PANELS_IMPL_HPP

#include "viewer/panels/panels_draw.hpp"

struct bar_item;

struct panels : panels_pen {
    raster_texture texture;
    ImVec2 white; /* u, v of an opaque texel */
    panels_result result;
    char wanted[64]; /* typed in the picker */
    int chosen;      /* row of the picker */
    bool had_picker, had_help;
    float help_scroll;           /* px that the rows of the help are moved up */
    int typed_param, held_param; /* index of the parameter that is typed, or held; -1 */
    char typed[24];
    double held_value;
    float scrub_x;    /* where the timeline's handle was taken, */
    double scrub_s;   /* and at which moment */
    bool is_scrubbed; /* the mouse has moved since, or it was taken beside the handle */
    const pointer *mouse;
    const panels_input *input;

    /* panels_bar.cpp */
    float item_width(const bar_item &item);
    void draw_item(float x, float y, const bar_item &item);
    float bar_begin(const panels_view &view, float y, float bar_width);
    void bar(const panels_view &view, float width);
    float legend(const panels_view &view);
    float legend_rows(const panels_view &view, float y, float line, float left, float right);
    void labels(const panels_view &view, float picture_width);
    /* panels_notices.cpp */
    void help(const panels_view &view, ImVec2 size);
    void help_rows(const panels_view &view, ImVec2 low, ImVec2 high, size_t lines, float line, float keys,
                   float column);
    void toast(const panels_view &view, ImVec2 size);
    void tool(const panels_view &view, ImVec2 size);
    void past(const panels_view &view, ImVec2 size, float legend_right);
    void banner(const panels_view &view, ImVec2 size);

    /* panels_params.cpp */
    float params(const panels_view &view, float x, float y, float right);
    float param_row(const panels_view &view, const panels_param &param, float x, float y, float right);
    float param_value(const panels_param &param, double value, float y, float right);
    void handle_param(const panels_view &view, const panels_param &param, float x, float right);
    void tune(const panels_param &param, double value);
    void type_value(const panels_param &param);

    /* panels_windows.cpp */
    void windows(const panels_view &view, ImVec2 size);
    float inspector(const panels_view &view, float x, float y, float right);
    float setting_rows(const panels_view &view, float x, float y, float right);
    void toggle_row(const shortcut &row, bool is_on, float x, float y, float right);
    void choice_row(const panels_view &view, const shortcut &row, float x, float y);
    void setting_mark(const shortcut &row, float right, float y);
    float plot(const panels_plot &plot, int mark, float x, float y, float right, float height);
    float network(const panels_view &view, float x, float y, float right);
    float observations(const panels_view &view, float x, float y, float right);
    void side(const panels_view &view, ImVec2 size);
    void scrub(const panels_view &view, float right, float knob, double seconds_per_px);
    void timeline(const panels_view &view, ImVec2 size);
    void network_corner(const panels_view &view, ImVec2 size);
    void picker(const panels_view &view, ImVec2 size);
    void hit_rows(const panels_view &view, float x, float y, float right, float bottom);

    /* panels_paint.cpp */
    void paint_raster(canvas *canvas);
    void paint_mesh(canvas *canvas);
    void paint_triangles(canvas *canvas, const ImDrawList *commands, const ImDrawCmd &command);
    bool paint_quad(raster *raster, const ImDrawVert *vertex, const ImDrawIdx *index);
};

#endif
