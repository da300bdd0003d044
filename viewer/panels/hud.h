/* Turns what is known into what the panels say. Pure: formats numbers, decides words and colors.
 */
#ifndef DROVER_VIEWER_PANELS_HUD_H
#define DROVER_VIEWER_PANELS_HUD_H

#include "viewer/panels/hud_input.h"

enum run_state {
    RUN_CONNECTING,
    RUN_RECONNECTING,
    RUN_REFUSED,
    RUN_STALLED,
    RUN_PAUSED,
    RUN_RUNNING,
    RUN_PAST,
    RUN_RESUMING, /* the server continues a world that it had before */
    RUN_SEEKING,  /* the server goes to another moment of a recording */
    RUN_PLAYING,  /* the server plays a recording */
    RUN_WARMING,  /* a fresh world hurries through its warm-up */
    RUN_ENDED     /* the server that played it has ended */
};

/** Agents whose forces are asked for: with more of them the snapshots would be too large. */
enum { HUD_FORCES_MOST = 5000 };

/** The state of server and connection; the most important one wins. */
enum run_state hud_run_state(const struct link_status *link, bool is_paused, bool is_stalled);
/** "running", "paused" ... Static storage. */
const char *run_state_name(enum run_state state);

/** The notice about a refused token: a title, and a sentence that says what helps. */
struct hud_refusal {
    const char *title, *words;
};
/** For a link in state LINK_REFUSED. is_page: in a browser, which has an address instead of a command line. Static storage. */
struct hud_refusal hud_refusal(const struct link_status *link, bool is_page);

/** Fills the whole of *view; its pointers are those of the input. */
void hud_fill(const struct hud_input *input, struct panels_view *view);

#endif
