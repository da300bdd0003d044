/* The rule that decides which view a client subscribes to, so that the picture has the agents that it shows
 * and no more: all agents, those around the visible part, or a density. Pure.
 */
#ifndef DROVER_VIEWER_LINK_STREAM_PLAN_H
#define DROVER_VIEWER_LINK_STREAM_PLAN_H

#include <stdbool.h>

#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/snapshot/snapshot_density.h"

enum {
    STREAM_REGION_FROM = 4000,  /* worlds with fewer agents are sent whole */
    STREAM_MOST_AGENTS = 30000, /* more than these around what is visible are sent as densities */
    STREAM_MOST_SINGLE = 250000 /* the same when heat is switched off */
};

/** A rectangle of the world, px. */
struct stream_box {
    vec2 low, high;
};

/** A subscription. */
struct stream_choice {
    enum layout layout;
    bool forces;     /* desired velocity and steering of every agent */
    bool parts;      /* the parts of the behaviors' forces as well */
    bool has_region; /* else everywhere */
    struct stream_box region;
    float cell;               /* px of the world; of a layout that takes a grid: */
    bool by_kind, mean_speed; /* counts of each kind and the mean speed as well */
};

struct stream_wish {
    vec2 world; /* px */
    bool is_open;
    bool wraps; /* a region goes on at the other side */
    struct stream_box visible;
    float cell;               /* px of the world that a cell of heat has in this picture */
    double total;             /* agents in the world */
    bool never_heat;          /* every agent by itself, however many */
    bool by_kind, mean_speed; /* what the colors of heat say */
    enum layout agents;       /* the layout to have agents one by one in */
    bool forces, shares;      /* of every agent; shares: each behavior's force, in parts where it has some */
};

/** For a world of which only its scenario is known. agents: the layout to have agents one by one in. */
struct stream_choice stream_first(const struct message_scenario *scenario, enum layout agents);
/** The visible part with a margin, inside the world unless it is open: agents must be known there. */
struct stream_box stream_surroundings(const struct stream_wish *wish);
/** The subscription for now. `around`: about how many agents are in the surroundings. It stays *now while that
 * has every agent the picture needs and costs little more than another one. */
struct stream_choice stream_plan(const struct stream_choice *now, const struct stream_wish *wish,
                                 double around);
bool stream_equals(const struct stream_choice *a, const struct stream_choice *b);
/** Agents in a box, judged by a density; `total` where the density does not reach. */
double stream_count(const struct density *density, const struct stream_box *box,
                    const struct stream_wish *wish);
/** How large a part of b's area a is; 1 when b has none. */
double stream_part(const struct stream_box *a, const struct stream_box *b);

/** How large a part of what is visible of the world lies in this box; 1 when nothing of it is visible. */
double stream_covered(const struct stream_box *box, const struct stream_wish *wish);
/** The part of the world that a density covers. */
struct stream_box stream_density_box(const struct density *density);

/** The request for it; a set_region when `before` differs by its region alone (NULL: nothing came before). */
struct request stream_request(const struct stream_choice *stream, const struct stream_choice *before);

#endif
