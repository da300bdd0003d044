/* What this window changed in the world: what can be undone, what is muted, where an obstacle is taken. Pure. */
#ifndef DROVER_VIEWER_MODEL_EDITS_H
#define DROVER_VIEWER_MODEL_EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/message.h"
#include "common/protocol/message_event.h"
#include "common/protocol/message_scenario.h"
#include "common/protocol/request.h"

/* What this window did to the world, to be undone and redone: by the opposite ordinary requests. Pure.
 *
 * Invariants: 1. Rows before `done` are in effect, the others were undone; a new one takes their place. 2. At most
 * EDITS_MOST; the oldest gives way. 3. A row that another client has touched since says so until it is overwritten.
 */

enum { EDITS_MOST = 200, EDIT_WORDS = 192 };

enum edit_what { EDIT_PARAM, EDIT_TARGET, EDIT_OBSTACLE, EDIT_DOOR, EDIT_ADDED, EDIT_REMOVED };

/** One of them. */
struct edit {
    enum edit_what what;
    uint32_t number;                 /* in the ids of its requests; never used twice */
    uint64_t tick;                   /* of the world, when it was done last */
    char kind[LIMIT_NAME_CHARS + 1]; /* PARAM, ADDED, REMOVED */
    char param[64];                  /* PARAM: */
    double before, after;
    char target[LIMIT_NAME_CHARS + 1]; /* TARGET */
    uint32_t obstacle;                 /* OBSTACLE, DOOR: its id */
    bool closes;                       /* DOOR */
    vec2 from, to;                     /* TARGET, OBSTACLE: px of the world */
    uint32_t first_id, count; /* ADDED, REMOVED: the agents; first_id 0 until the server has said it */
    uint32_t was_id;          /* of an agent that came back: the id before; 0 for none */
    vec2 at;                  /* ADDED, REMOVED: px of the world */
    float radius;             /* ADDED: around it, px */
    vec2 velocity;            /* REMOVED: px/s */
    float heading;            /* REMOVED: rad */
    char by[LIMIT_PERSON_BYTES + 16]; /* the client that has changed the same thing since; "" for none */
    bool is_warned;                   /* a notice has named it: the next time it is overwritten */
};

/** Zeroed memory has none. */
struct edits {
    struct edit rows[EDITS_MOST];
    int count, done;
    uint32_t newest; /* the newest number */
    uint64_t
        now; /* the tick of the world, as far as it is known: that of a new row until the server says it */
    bool is_slider_held; /* the newest row is of a slider that moves on */
};

/** Another world. */
void edits_clear(struct edits *edits);
/** The world goes on from this tick of its past, before the requests that came then: what was done from then on is forgotten,
 * and what was undone. */
void edits_cut(struct edits *edits, uint64_t tick);
/** Another run of the same world: agents that were added or removed are forgotten, and what was undone. */
void edits_restart(struct edits *edits);
/** Adds one; what was undone is forgotten. Its number is given here. Returns it. */
const struct edit *edits_add(struct edits *edits, const struct edit *edit);
/** A parameter goes from a value to another; while its slider is held it is one edit. */
void edits_add_param(struct edits *edits, const char *kind, const char *param, double before, double after,
                     bool is_held);
/** The server has refused to do it. */
void edits_drop(struct edits *edits, uint32_t number);
/** The server has answered at a tick, and named the agents that were added, or that came back; first_id 0: none.
 * Returns the edit, or NULL without agents. */
const struct edit *edits_name_agents(struct edits *edits, uint32_t number, uint64_t tick, uint32_t first_id);
/** An event of another client marks what it is about; one of this window says when it was done. session: this window's. */
void edits_note(struct edits *edits, const struct message_event *event, uint32_t session);

/** The one that would be undone, or redone, now; NULL for none. */
const struct edit *edits_next(const struct edits *edits, bool is_undo);
/** How many of the newest changes are undone. */
int edits_undone(const struct edits *edits);
/** Whether the user is to be asked first, because another client has changed the same thing. Once for each change. */
bool edits_asks(struct edits *edits, bool is_undo);
/** The request that undoes, or does again, an edit; its id says the number. false: the ids are not known yet. */
bool edits_request(const struct edit *edit, bool is_undo, struct request *request);
/** The request for edits_next was sent. */
void edits_take(struct edits *edits, bool is_undo);
/** The number in the id of a request that edits_request made, or app's own of the same form; 0 when it has none. */
uint32_t edits_number(const char *id);
/** The id of a request of this number, JSON text. */
void edits_id(uint32_t number, char *out, size_t size);

/** "max_speed of bird 130 -> 180": what undoing, or doing it again, changes. */
void edits_words(const struct edit *edit, bool is_undo, char *out, size_t size);

/** The newest edit of each target and obstacle, and no others. */
void edits_places(const struct edits *edits, struct edits *places);

/* Behaviors that were muted, and the weights they had before. Pure. */

enum { MUTES_MOST = 32 };

struct mutes {
    int count;
    struct mute {
        char kind[LIMIT_NAME_CHARS + 1], param[64];
        double weight;
    } rows[MUTES_MOST]; /* the newest last */
};

/** The value that mutes the behavior of this weight, or, when it is muted, the one it had; 1 when that was never seen.
 * Notes the value it has. The oldest note is forgotten for a new one. */
double mutes_toggle(struct mutes *mutes, const struct message_param *weight);

/* Finds the obstacle under the pointer. Pure. obstacle_moved (common/base/geometry.h) moves it. */

/** The obstacle at a point: the one drawn last of those that hold it, else the nearest within reach.
 *
 * at, reach  px of the world
 * moment     when: what moves is found where it is; in a wrapping world the point's copies count as well
 * returns    one of geometry's, or NULL */
const struct obstacle_def *obstacle_handle_find(const struct message_geometry *geometry, vec2 at, float reach,
                                                const struct message_moment *moment);
/** The obstacle of this id, or NULL. 0 is no id. */
const struct obstacle_def *obstacle_handle_by_id(const struct message_geometry *geometry, uint32_t id);

/** How far a point is from it, px of the world; 0 inside. */
float obstacle_handle_distance(const struct obstacle_def *obstacle, vec2 at);

#endif
