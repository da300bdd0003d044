/* Frames for people and for programs: which fields of the agents, of which agents, and how they are written. Pure. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_FRAME_VIEW_H
#define DROVER_CLIENTS_DROVER_LIVE_FRAME_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/c/include/drover/drover.h"
#include "clients/drover/live/text_table.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

/** What can be written of an agent, beside its id, which always is. */
enum frame_field {
    FRAME_KIND,
    FRAME_STATE,
    FRAME_X,
    FRAME_Y,
    FRAME_VX,
    FRAME_VY,
    FRAME_HEADING,
    FRAME_STAMINA,
    FRAME_FIELD_COUNT
};
extern const char *const frame_field_names[FRAME_FIELD_COUNT + 1]; /* NULL-ended */

enum { FRAME_VIEW_AGENTS = 256 };

struct frame_view {
    enum frame_field fields[FRAME_FIELD_COUNT]; /* in the order in which they are written */
    int field_count;
    uint32_t agents[FRAME_VIEW_AGENTS]; /* only these, when there are any */
    int agent_count;
};

/** Reads names with commas or blanks between them; "": the usual ones, all but stamina. Also "pos" and "vel", as in
 * subscribe. 0, or -1 with *failure. */
NODISCARD int frame_view_read_fields(struct frame_view *view, const char *text, struct failure *failure);
/** Reads ids with commas between them; "": all agents. 0, or -1 with *failure. */
NODISCARD int frame_view_read_agents(struct frame_view *view, const char *text, struct failure *failure);
/** Appends the member `fields` of a subscription: ["pos","kind"]. */
void frame_view_write_wanted(const struct frame_view *view, struct buffer *out);

/** How many agents of the frame are shown. */
int frame_view_count(const struct frame_view *view, const struct drover_frame *frame);
/** Appends the frame as a line of JSON, like the `snapshot` of the protocol with the members of the view. */
void frame_view_json(const struct frame_view *view, const struct drover_frame *frame, struct buffer *out);
/** Appends a table of at most `most` agents from number `first` on; most < 0: all. */
void frame_view_table(const struct frame_view *view, const struct drover_frame *frame, int first, int most,
                      const struct text_style *style, struct buffer *out);
/** Appends "tick 60, 1.00 s, 202 agents: 200 prey, 2 predator", the kinds when the frame has them. */
void frame_view_summary(const struct frame_view *view, const struct drover_frame *frame, struct buffer *out);

#endif
