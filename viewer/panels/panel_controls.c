/* See panel_controls.h. */
#include "viewer/panels/panel_controls.h"

static const struct panel_control table[] = {
    {.member = "wanted",
     .name = "line of the picker",
     .help = "finds scenarios and saved worlds by what is typed"},
    {.member = "picks", .name = "row of the picker", .help = "loads the scenario or the saved world"},
    {.member = "removes",
     .name = "Delete in the picker",
     .help = "removes the saved world, after a question"},
    {.member = "entered", .name = "line of a question", .help = "takes the name of a saved world"},
    {.member = "agrees", .name = "button of a question", .help = "agrees with it"},
    {.member = "lit",
     .name = "equation of the selected agent",
     .help = "lights up in the picture what a word of it stands for"},
    {.member = "copies", .name = "copy", .help = "puts the equations on the clipboard"},
    {.member = "chooses",
     .name = "lists of colors, palette, ground, sizes, heat",
     .help = "shows the world so"},
    {.member = "lights", .name = "row of the legend", .help = "lights its agents while it is pointed at"},
    {.member = "keeps_light", .name = "click on it", .help = "keeps them lit; another lets go"},
    {.member = "panel_width", .name = "edge of the side panel", .help = "makes it wider or narrower"},
    {.member = "plots_own", .name = "list of plots", .help = "plots another figure"},
    {.member = "picks_kind", .name = "tabs of kinds", .help = "shows the sliders of another kind"},
    {.member = "tunes", .name = "sliders of parameters", .help = "give a parameter another value"},
    {.member = "mutes", .name = "switch of a behavior", .help = "takes its weight away, or gives it back"},
    {.member = "is_scrubbing",
     .name = "timeline of a live world",
     .help = "looks at a moment of the last minute"},
    {.member = "is_seeking", .name = "timeline of a recording", .help = "goes to a moment of it"},
    {.member = "sets_speed", .name = "slider of the speed", .help = "lets the world run slower or faster"},
};

const struct panel_control *panel_controls(size_t *count) {
    *count = sizeof table / sizeof table[0];
    return table;
}
