/* How a scenario wants to be looked at ("view") and what it says to a person ("about"): members of hello's
 * `scenario` and of `scenario` lines, as they stand in the scenario's file.
 *
 * The words of a view (a color mode, overlays) mean something to programs that draw: the server and this module check
 * that they are names, and a client ignores those that it does not know.
 */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_VIEW_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"

/* Members of a view that are there. The first ones are the rows of message_view_fields. */
enum message_view_member {
    MESSAGE_VIEW_TRAILS = 1u << 0,
    MESSAGE_VIEW_COLOR = 1u << 1,
    MESSAGE_VIEW_SELECT = 1u << 2,
    MESSAGE_VIEW_PANEL = 1u << 3,
    MESSAGE_VIEW_ZOOM = 1u << 4,
    MESSAGE_VIEW_FLAG = 1u << 5,
    MESSAGE_VIEW_OVERLAYS = 1u << 6,
};

/** Plain value. Zeroed it says nothing; a member whose bit is not in `has` is zero. */
struct message_view {
    uint64_t has;                     /* bits of enum message_view_member */
    bool trails;                      /* whether agents leave trails */
    char color[LIMIT_NAME_CHARS + 1]; /* by what agents are colored: "state", "kind", "heading", ... */
    uint32_t select;                  /* the id of the agent that is selected, from 1 */
    bool panel;                       /* whether the side panel is open */
    float zoom;                       /* 1: the whole world fits; 2: twice as near */
    char flag[LIMIT_NAME_CHARS + 1];  /* the target that is drawn as a flag */
    int overlay_count;                /* 0 with MESSAGE_VIEW_OVERLAYS in `has`: no overlay at all */
    char overlays[LIMIT_VIEW_OVERLAYS]
                 [LIMIT_NAME_CHARS + 1]; /* "velocity", "radii", ... in the file's order */
};

/** Plain value: UTF-8 texts for people, "" for those that are not there. */
struct message_about {
    char group[LIMIT_NAME_CHARS +
               1]; /* "tutorials", "behaviors", "crowds", "large"; a later server may have others */
    char caption[LIMIT_CAPTION_BYTES + 1];   /* one sentence: what it is */
    char to_try[LIMIT_TRY_BYTES + 1];        /* a sentence: what a person can do */
    char look_for[LIMIT_LOOK_FOR_BYTES + 1]; /* what there is to see */
    char source[LIMIT_SOURCE_BYTES + 1];     /* where it comes from */
};

/** The groups that a scenario file may name; a NULL-ended list. */
extern const char *const message_groups[];
/** The members of struct message_view but its overlays; row i is bit i of `has`. */
extern const struct field message_view_fields[];
/** The members of struct message_about. */
extern const struct field message_about_fields[];

/** Members "view" and "about" into an open object; one that says nothing is left out. */
void message_view_write(const struct message_view *view, struct json_writer *json);
void message_about_write(const struct message_about *about, struct json_writer *json);
/** Reads an array of names into view->overlays. path: of the array, for failures.
 * 0, or -1 with *failure (bad_param); the view may then be partly written. */
NODISCARD int message_overlays_read(const cJSON *array, const char *path, struct message_view *view,
                                    struct failure *failure);
/** Read "view" and "about" from the object that has them; absent, they are zeroed. Members that this version does not
 * know are ignored. 0, or -1 with *failure. */
NODISCARD int message_view_read(const cJSON *json, struct message_view *view, struct failure *failure);
NODISCARD int message_about_read(const cJSON *json, struct message_about *about, struct failure *failure);

#endif
