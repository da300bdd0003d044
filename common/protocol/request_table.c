/* The table of requests: names, roles, traits, fields, ranges, defaults, rules. protocol.md describes the same
 * rows for people; e2e.agreement and e2e.protocol_doc compare. Owns nothing. */
#include "common/protocol/request_table.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#include "common/protocol/message_event.h"
#include "common/protocol/request_extra.h"
#include "common/text/names.h"

static const char *const list_choices[] = {"scenarios", "kinds", "targets", "behaviors", "saves", NULL};

/* clang-format off */
#define END {.name = NULL, .type = FIELD_END}
#define NO_PRESENCE {NULL, 0}

#define NAME(structure, member, row_flags, help_text)                                                              \
    {#member, FIELD_NAME, FIELD_MEMBER(structure, member), row_flags, 0, 0, 0, NULL, NULL, help_text}
#define COORDINATE(structure, member, row_flags, help_text)                                                        \
    {#member, FIELD_FLOAT, FIELD_MEMBER(structure, member), row_flags, -LIMIT_COORDINATE, LIMIT_COORDINATE, 0,      \
     NULL, "px", help_text}
/* The same as a number, or as a column with `agents` (request_extra.h). */
#define COORDINATE_COLUMN(structure, member, help_text) COORDINATE(structure, member, FIELD_COLUMN, help_text)
/* Read by request_extra.c. */
#define AGENT_COLUMN(help_text)                                                                                    \
    SHAPED("agents", "array of integers", LIMIT_AGENTS, help_text)
#define AGENT(structure, help_text)                                                                                \
    {"agent", FIELD_UINT32, FIELD_MEMBER(structure, agent), 0, 1, (double)UINT32_MAX, 0, NULL, NULL, help_text}
#define SPEED_FLAGS(structure, member, row_flags, help_text)                                                       \
    {#member, FIELD_FLOAT, FIELD_MEMBER(structure, member), row_flags, -LIMIT_SPEED, LIMIT_SPEED, 0, NULL, "px/s",  \
     help_text}
#define SPEED(structure, member, help_text) SPEED_FLAGS(structure, member, 0, help_text)
#define SPEED_COLUMN(structure, member, help_text) SPEED_FLAGS(structure, member, FIELD_COLUMN, help_text)
/* A field of a shape of its own: the row's check reads it, the row's writer writes it. */
#define SHAPED(field_name, form, most, help_text)                                                                  \
    {field_name, FIELD_SHAPED, 0, 0, 0, 0, most, 0, NULL, form, help_text}
#define REGION SHAPED("region", "[x, y, width, height]", 0, "Only what is inside; px.")
#define HAS(structure, field_name, member) {field_name, offsetof(structure, member)}

static const struct field no_fields[] = {END};
static const struct request_presence no_presences[] = {NO_PRESENCE};

static const struct field subscribe_fields[] = {
    {"layout", FIELD_CHOICE, FIELD_MEMBER(struct request_subscribe, layout), 0, 0, 0, LAYOUT_OBJECTS,
     frame_layout_names, NULL, "The form of the snapshots."},
    {"hz", FIELD_DOUBLE, FIELD_MEMBER(struct request_subscribe, hz), 0, 0.01, LIMIT_TICK_HZ, USUAL_FRAME_HZ, NULL,
     NULL, "Snapshots a second of simulated time."},
    {"forces", FIELD_BOOL, FIELD_MEMBER(struct request_subscribe, forces), 0, 0, 0, 0, NULL, NULL,
     "Steering vectors with every agent."},
    {"parts", FIELD_BOOL, FIELD_MEMBER(struct request_subscribe, parts), 0, 0, 0, 0, NULL, NULL,
     "With forces, layout objects: the forces of flock's three rules."},
    {"fields", FIELD_NAMES, FIELD_MEMBER(struct request_subscribe, fields), 0, 0, 0, 0, request_field_names, NULL,
     "What of every agent: pos, vel, heading, state, kind, stamina, force, desired."},
    REGION,
    {"kinds", FIELD_NAMES, FIELD_MEMBER(struct request_subscribe, kinds), 0, 0, 0, 0, NULL, NULL,
     "Agents of these kinds only."},
    {"grid", FIELD_POINT, FIELD_MEMBER(struct request_subscribe, grid), 0, 1, LIMIT_GRID_SIDE, 0, NULL, NULL,
     "Layout density: columns and rows."},
    {"cell", FIELD_FLOAT, FIELD_MEMBER(struct request_subscribe, cell), 0, 0.01, LIMIT_COORDINATE, 0, NULL, "px",
     "Layout density: the most a cell is wide and high."},
    {"by_kind", FIELD_BOOL, FIELD_MEMBER(struct request_subscribe, by_kind), 0, 0, 0, 0, NULL, NULL,
     "Layout density: the agents of each kind as well."},
    {"mean_speed", FIELD_BOOL, FIELD_MEMBER(struct request_subscribe, mean_speed), 0, 0, 0, 0, NULL, NULL,
     "Layout density: the mean speed of each cell's agents as well."},
    {"cursors", FIELD_BOOL, FIELD_MEMBER(struct request_subscribe, cursors), 0, 0, 0, 0, NULL, NULL,
     "Where the others point."},
    {"events", FIELD_NAMES, FIELD_MEMBER(struct request_subscribe, events), 0, 0, 0, 0, message_event_names, NULL,
     "These events only; those that concern this session alone come in any case."},
    END,
};
static const struct request_presence subscribe_presences[] = {
    HAS(struct request_subscribe, "region", has_region),
    NO_PRESENCE,
};

static const struct field set_region_fields[] = {
    REGION,
    {"clear", FIELD_BOOL, FIELD_MEMBER(struct request_set_region, clear), 0, 0, 0, 0, NULL, NULL,
     "The whole world again."},
    END,
};
static const struct request_presence set_region_presences[] = {
    HAS(struct request_set_region, "region", has_region),
    NO_PRESENCE,
};

static const struct field set_target_fields[] = {
    NAME(struct request_set_target, name, 0, "A named target."),
    AGENT(struct request_set_target, "The agent whose target it is."),
    AGENT_COLUMN("Several agents; x and y are columns then."),
    NAME(struct request_set_target, kind, 0, "The kind whose target it is."),
    COORDINATE_COLUMN(struct request_set_target, x, "The place."),
    COORDINATE_COLUMN(struct request_set_target, y, "The place."),
    NAME(struct request_set_target, follow, 0, "The named target an agent or kind is to go to."),
    {"clear", FIELD_BOOL, FIELD_MEMBER(struct request_set_target, clear), 0, 0, 0, 0, NULL, NULL,
     "Back to what the scenario says."},
    END,
};
static const struct request_presence set_target_presences[] = {
    HAS(struct request_set_target, "name", has_name),
    HAS(struct request_set_target, "agent", has_agent),
    HAS(struct request_set_target, "agents", has_agents),
    HAS(struct request_set_target, "kind", has_kind),
    HAS(struct request_set_target, "x", has_point),
    HAS(struct request_set_target, "y", has_point),
    HAS(struct request_set_target, "follow", has_follow),
    NO_PRESENCE,
};

static const struct field place_fields[] = {
    AGENT(struct request_place, "One agent."),
    AGENT_COLUMN("Several agents; the other members are columns then."),
    COORDINATE_COLUMN(struct request_place, x, "The place; where it is when left out."),
    COORDINATE_COLUMN(struct request_place, y, "The place; where it is when left out."),
    SPEED_COLUMN(struct request_place, vx, "The velocity; as it is when left out."),
    SPEED_COLUMN(struct request_place, vy, "The velocity; as it is when left out."),
    {"heading", FIELD_ANGLE, FIELD_MEMBER(struct request_place, heading), FIELD_COLUMN, -360, 360, 0, NULL, "deg",
     "Along a new velocity when left out, otherwise as it is."},
    {"stamina", FIELD_FLOAT, FIELD_MEMBER(struct request_place, stamina), FIELD_COLUMN, 0, 1e6, 0, NULL, NULL,
     "At most the kind's max_stamina; as it is when left out."},
    END,
};
static const struct request_presence place_presences[] = {
    HAS(struct request_place, "agent", has_agent),
    HAS(struct request_place, "agents", has_agents),
    HAS(struct request_place, "x", has_point),
    HAS(struct request_place, "y", has_point),
    HAS(struct request_place, "vx", has_velocity),
    HAS(struct request_place, "vy", has_velocity),
    HAS(struct request_place, "heading", has_heading),
    HAS(struct request_place, "stamina", has_stamina),
    NO_PRESENCE,
};

/* The layouts of whole frames, the first of frame_layout_names. */
static const char *const whole_layouts[] = {[LAYOUT_OBJECTS] = "objects", [LAYOUT_PACKED] = "packed", NULL};

#define VIEW_FIELDS(structure)                                                                                     \
    {"fields", FIELD_NAMES, FIELD_MEMBER(structure, view.fields), 0, 0, 0, 0, request_field_names, NULL,            \
     "What of every agent: pos, vel, heading, state, kind, stamina, force, desired."},                             \
    REGION,                                                                                                        \
    {"kinds", FIELD_NAMES, FIELD_MEMBER(structure, view.kinds), 0, 0, 0, 0, NULL, NULL,                             \
     "Agents of these kinds only."},                                                                               \
    {"nearest", FIELD_UINT32, FIELD_MEMBER(structure, view.nearest), 0, 1, LIMIT_NEAREST, 1, NULL, NULL,            \
     "Beside a packed frame, the rows of so many of the nearest other agents of it, for every agent."}

static const struct field get_fields[] = {
    {"layout", FIELD_CHOICE, FIELD_MEMBER(struct request_get, view.layout), 0, 0, 0, LAYOUT_OBJECTS, whole_layouts,
     NULL, "The form of the frame."},
    VIEW_FIELDS(struct request_get),
    AGENT_COLUMN("These agents only."),
    END,
};
static const struct request_presence get_presences[] = {
    HAS(struct request_get, "region", view.has_region),
    HAS(struct request_get, "nearest", view.has_nearest),
    HAS(struct request_get, "agents", has_agents),
    NO_PRESENCE,
};

static const struct field mouse_fields[] = {
    COORDINATE(struct request_mouse, x, FIELD_REQUIRED, "The place."),
    COORDINATE(struct request_mouse, y, FIELD_REQUIRED, "The place."),
    END,
};

static const struct field spawn_fields[] = {
    NAME(struct request_spawn, kind, FIELD_REQUIRED, "The kind of the new agents."),
    {"count", FIELD_UINT32, FIELD_MEMBER(struct request_spawn, count), 0, 1, LIMIT_SPAWN, 1, NULL, NULL,
     "All are spawned or none."},
    COORDINATE(struct request_spawn, x, 0, "The place; anywhere in the world when left out."),
    COORDINATE(struct request_spawn, y, 0, "The place; anywhere in the world when left out."),
    {"radius", FIELD_FLOAT, FIELD_MEMBER(struct request_spawn, radius), 0, 0, LIMIT_WORLD_SIZE, 0, NULL, "px",
     "Spread evenly over a disc around x, y."},
    SPEED(struct request_spawn, vx, "Their velocity."),
    SPEED(struct request_spawn, vy, "Their velocity."),
    {"heading", FIELD_ANGLE, FIELD_MEMBER(struct request_spawn, heading), 0, -360, 360, 0, NULL, "deg",
     "Along the velocity when left out; random when at rest."},
    END,
};
static const struct request_presence spawn_presences[] = {
    HAS(struct request_spawn, "x", has_point),
    HAS(struct request_spawn, "y", has_point),
    HAS(struct request_spawn, "heading", has_heading),
    NO_PRESENCE,
};

/* `agent` is the first of `agents`. */
static const struct field remove_fields[] = {
    {"agent", FIELD_UINT32, offsetof(struct request_remove, agents), sizeof(uint32_t), 0, 1, (double)UINT32_MAX, 0,
     NULL, NULL, "One agent."},
    SHAPED("agents", "array of integers", LIMIT_REMOVE_IDS, "Several agents."),
    NAME(struct request_remove, kind, 0, "All agents of a kind."),
    END,
};
static const struct request_presence remove_presences[] = {
    HAS(struct request_remove, "kind", has_kind),
    NO_PRESENCE,
};

static const struct field set_param_fields[] = {
    NAME(struct request_set_param, kind, 0, "The kind to tune."),
    AGENT(struct request_set_param, "The agent to tune."),
    {"param", FIELD_TEXT, FIELD_MEMBER(struct request_set_param, param), FIELD_REQUIRED, 0, 0, 0, NULL, NULL,
     "A parameter as get_params names it."},
    {"value", FIELD_DOUBLE, FIELD_MEMBER(struct request_set_param, value), FIELD_REQUIRED, -DBL_MAX, DBL_MAX, 0, NULL,
     NULL, "In the units get_params states."},
    END,
};
static const struct request_presence set_param_presences[] = {
    HAS(struct request_set_param, "kind", has_kind),
    HAS(struct request_set_param, "agent", has_agent),
    NO_PRESENCE,
};

static const struct field get_params_fields[] = {
    NAME(struct request_get_params, kind, 0, "One kind; all when left out."),
    END,
};
static const struct request_presence get_params_presences[] = {
    HAS(struct request_get_params, "kind", has_kind),
    NO_PRESENCE,
};

static const struct field list_fields[] = {
    {"what", FIELD_CHOICE, FIELD_MEMBER(struct request_list, what), 0, 0, 0, LIST_SCENARIOS, list_choices, NULL,
     "What to list."},
    END,
};

/* As in remove. */
static const struct field inspect_fields[] = {
    {"agent", FIELD_UINT32, offsetof(struct request_inspect, agents), sizeof(uint32_t), 0, 1, (double)UINT32_MAX, 0,
     NULL, NULL, "One agent."},
    SHAPED("agents", "array of integers", LIMIT_INSPECT_IDS, "Several agents."),
    END,
};

static const struct field step_fields[] = {
    {"count", FIELD_UINT32, FIELD_MEMBER(struct request_step, count), 0, 1, LIMIT_STEP, 1, NULL, NULL,
     "Ticks to do."},
    {"return", FIELD_CHOICE, FIELD_MEMBER(struct request_step, view.layout), 0, 0, 0, LAYOUT_OBJECTS, whole_layouts,
     NULL, "The reply has a frame of the last tick in this form; none when left out."},
    VIEW_FIELDS(struct request_step),
    SHAPED("until", "object", 0, "Ends the step, after count ticks (100000 when left out) at the latest: reached, caught, state or tick."),
    END,
};
static const struct request_presence step_presences[] = {
    HAS(struct request_step, "return", has_return),
    HAS(struct request_step, "region", view.has_region),
    HAS(struct request_step, "nearest", view.has_nearest),
    HAS(struct request_step, "until", has_until),
    NO_PRESENCE,
};

static const struct field load_fields[] = {
    NAME(struct request_load, scenario, 0, "As `list` names it."),
    NAME(struct request_load, save, 0, "A saved world."),
    {"seed", FIELD_UINT64, FIELD_MEMBER(struct request_load, seed), 0, 0, LIMIT_ID_INTEGER, 0, NULL, NULL,
     "Instead of the file's; with scenario."},
    {"warmup", FIELD_BOOL, FIELD_MEMBER(struct request_load, warmup), 0, 0, 0, 0, NULL, NULL,
     "false: without the warm-up of the scenario."},
    END,
};
static const struct request_presence load_presences[] = {
    HAS(struct request_load, "seed", has_seed),
    HAS(struct request_load, "warmup", has_warmup),
    NO_PRESENCE,
};

static const struct field ping_fields[] = {
    {"t0", FIELD_DOUBLE, FIELD_MEMBER(struct request_ping, t0), 0, -DBL_MAX, DBL_MAX, 0, NULL, NULL,
     "The client's own clock, echoed."},
    END,
};
static const struct request_presence ping_presences[] = {
    HAS(struct request_ping, "t0", has_t0),
    NO_PRESENCE,
};

static const struct field hello_fields[] = {
    {"protocol", FIELD_UINT32, FIELD_MEMBER(struct request_hello, protocol), 0, 0, (double)UINT32_MAX, 0, NULL, NULL,
     "The version of the protocol you speak."},
    {"name", FIELD_TEXT, FIELD_MEMBER(struct request_hello, name), 0, 0, 0, 0, NULL, NULL,
     "Your name, which other clients see."},
    {"token", FIELD_TEXT, FIELD_MEMBER(struct request_hello, token), 0, 0, 0, 0, NULL, NULL,
     "The secret that gives you a role."},
    {"seq", FIELD_BOOL, FIELD_MEMBER(struct request_hello, seq), 0, 0, 0, 0, NULL, NULL,
     "Replies and events say the number of the change that they are about."},
    {"speed", FIELD_BOOL, FIELD_MEMBER(struct request_hello, speed), 0, 0, 0, 0, NULL, NULL,
     "The frames of later subscriptions say the speed of the world's time."},
    END,
};
static const struct request_presence hello_presences[] = {
    HAS(struct request_hello, "protocol", has_protocol),
    NO_PRESENCE,
};

static const struct field cursor_fields[] = {
    COORDINATE(struct request_cursor, x, 0, "The place."),
    COORDINATE(struct request_cursor, y, 0, "The place."),
    {"gone", FIELD_BOOL, FIELD_MEMBER(struct request_cursor, gone), 0, 0, 0, 0, NULL, NULL,
     "Instead of a place: you have no cursor any more."},
    END,
};

static const struct field help_fields[] = {
    NAME(struct request_help, about, 0, "One op; all when left out."),
    END,
};

#define DRIVEN(member, help_text)                                                                                  \
    {#member, FIELD_FLOAT, FIELD_MEMBER(struct request_drive, member), FIELD_REQUIRED | FIELD_COLUMN, -LIMIT_DRIVE,  \
     LIMIT_DRIVE, 0, NULL, "px/s or mass*px/s^2", help_text}
static const struct field drive_fields[] = {
    AGENT(struct request_drive, "The agent that is driven."),
    AGENT_COLUMN("Several agents; vx and vy are columns then."),
    NAME(struct request_drive, kind, 0, "The kind whose agents are driven."),
    {"first", FIELD_UINT32, FIELD_MEMBER(struct request_drive, first), 0, 0, LIMIT_AGENTS, 0, NULL, "agents",
     "With kind and columns: how many agents of it, by id, come before those that are driven."},
    DRIVEN(vx, "The velocity or force; with agents or kind a column of them."),
    DRIVEN(vy, "The velocity or force; with agents or kind a column of them."),
    END,
};
static const struct request_presence drive_presences[] = {
    HAS(struct request_drive, "agent", has_agent),
    HAS(struct request_drive, "agents", has_agents),
    HAS(struct request_drive, "kind", has_kind),
    HAS(struct request_drive, "first", has_first),
    NO_PRESENCE,
};

static const struct field add_target_fields[] = {
    NAME(struct request_add_target, name, FIELD_REQUIRED, "A name that no target has."),
    COORDINATE(struct request_add_target, x, FIELD_REQUIRED, "The place."),
    COORDINATE(struct request_add_target, y, FIELD_REQUIRED, "The place."),
    END,
};

static const struct field remove_target_fields[] = {
    NAME(struct request_remove_target, name, FIELD_REQUIRED, "A target that no behavior of the scenario uses."),
    END,
};

static const struct field add_obstacle_fields[] = {
    SHAPED("circle", "[x, y, radius]", 0, "A disc; px."),
    SHAPED("box", "[x, y, width, height]", 0, "From its upper left corner; px."),
    SHAPED("polygon", "array of points", LIMIT_OBSTACLE_POINTS, "3 to 16 corners of a convex shape; px."),
    END,
};

#define OBSTACLE(structure)                                                                                        \
    {"obstacle", FIELD_UINT32, FIELD_MEMBER(structure, obstacle), FIELD_REQUIRED, 1, (double)UINT32_MAX, 0, NULL,   \
     NULL, "Its id."}

static const struct field move_obstacle_fields[] = {
    OBSTACLE(struct request_move_obstacle),
    COORDINATE(struct request_move_obstacle, x, FIELD_REQUIRED, "Where its first point goes."),
    COORDINATE(struct request_move_obstacle, y, FIELD_REQUIRED, "Where its first point goes."),
    END,
};

static const struct field remove_obstacle_fields[] = {
    OBSTACLE(struct request_remove_obstacle),
    END,
};

static const struct field resume_fields[] = {
    {"live", FIELD_BOOL, FIELD_MEMBER(struct request_resume, live), 0, 0, 0, 0, NULL, NULL,
     "The recording that is played becomes the world from here on."},
    END,
};

static const struct field save_fields[] = {
    NAME(struct request_save, name, FIELD_REQUIRED, "What to call it."),
    {"replace", FIELD_BOOL, FIELD_MEMBER(struct request_save, replace), 0, 0, 0, 0, NULL, NULL,
     "In place of the saved world of this name."},
    END,
};

static const struct field remove_save_fields[] = {
    NAME(struct request_remove_save, name, FIELD_REQUIRED, "As `list` names it."),
    END,
};

static const struct field record_fields[] = {
    {"on", FIELD_BOOL, FIELD_MEMBER(struct request_record, on), 0, 0, 0, 0, NULL, NULL,
     "Whether to record from here on."},
    {"last", FIELD_DOUBLE, FIELD_MEMBER(struct request_record, last), 0, 1, 86400, 0, NULL, "s",
     "Instead of on: write what is still in memory of so many seconds."},
    NAME(struct request_record, name, 0, "Of the file, without .drover; one that says when, if left out."),
    END,
};
static const struct request_presence record_presences[] = {
    HAS(struct request_record, "on", has_on),
    HAS(struct request_record, "last", has_last),
    NO_PRESENCE,
};

static const struct field seek_fields[] = {
    {"tick", FIELD_UINT64, FIELD_MEMBER(struct request_seek, tick), FIELD_REQUIRED, 0, LIMIT_ID_INTEGER, 0, NULL, NULL,
     "The tick to go to."},
    {"world", FIELD_UINT32, FIELD_MEMBER(struct request_seek, world), 0, 1, (double)UINT32_MAX, 0, NULL, NULL,
     "The number of a world of the recording; the one that plays when left out."},
    END,
};
static const struct request_presence seek_presences[] = {
    HAS(struct request_seek, "world", has_world),
    NO_PRESENCE,
};

static const struct field speed_fields[] = {
    {"factor", FIELD_DOUBLE, FIELD_MEMBER(struct request_speed, factor), 0, 0.01, 1000, 0, NULL, "1",
     "How many times as fast as the clock; a recording at 1 goes as it was recorded."},
    {"max", FIELD_BOOL, FIELD_MEMBER(struct request_speed, max), 0, 0, 0, 0, NULL, NULL,
     "Instead of factor: as fast as ticks can be done."},
    END,
};
static const struct request_presence speed_presences[] = {
    HAS(struct request_speed, "factor", has_factor),
    NO_PRESENCE,
};

static const struct field batch_fields[] = {
    {"requests", FIELD_SHAPED, 0, 0, FIELD_REQUIRED, 0, LIMIT_BATCH, 0, NULL, "[request, ...]",
           "Requests that take effect together, or not at all: those that move, add, remove or tune something."},
    END,
};

#define ANSWERS REQUEST_TRAIT_ANSWERS
#define AT REQUEST_TRAIT_AT
#define BATCH REQUEST_TRAIT_BATCH
#define CHANGES REQUEST_TRAIT_CHANGES
#define LONG_ANSWER REQUEST_TRAIT_LONG_ANSWER
#define LOOP REQUEST_TRAIT_LOOP
#define QUERY REQUEST_TRAIT_QUERY
#define REPLACES REQUEST_TRAIT_REPLACES
#define WORLD REQUEST_TRAIT_WORLD

/* ---- what stripes do not do (struct request_stripes) ---- */

#define TEXT_OF_VALUE(value) #value
#define TEXT_OF(limit)       TEXT_OF_VALUE(limit)
#define STRIPES_AGENTS       TEXT_OF(LIMIT_STRIPES_AGENTS)
#define STRIPES_TOO          {NULL, NULL} /* all of it */
#define STRIPES_REFUSE(why)  {.refused = why}
#define STRIPES_LIMIT(why)   {.limited = why}
#define MANY_AGENTS                                                                                                \
    STRIPES_LIMIT("a frame in stripes shows at most " STRIPES_AGENTS " agents; ask for a region, for kinds, or for the layout density")
#define OTHER_WORLD                                                                                                \
    STRIPES_LIMIT("a change after which stripes could not go on with the world is refused; the message says why, and what to change")
#define NO_PLAYBACK                                                                                                \
    STRIPES_REFUSE("no rank has the whole world, with which a recording begins; play it with drover-server, or use --mode copy")

const struct request_row request_rows[REQUEST_OP_COUNT] = {
    [REQUEST_SUBSCRIBE] = {"subscribe", ROLE_VIEWER, LOOP | ANSWERS, subscribe_fields, subscribe_presences,
        request_check_subscribe, request_write_subscribe, MANY_AGENTS},
    [REQUEST_UNSUBSCRIBE] = {"unsubscribe", ROLE_VIEWER, LOOP | ANSWERS, no_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_SET_REGION] = {"set_region", ROLE_VIEWER, LOOP, set_region_fields, set_region_presences,
        request_check_set_region, request_write_set_region, MANY_AGENTS},
    [REQUEST_RESYNC] = {"resync", ROLE_VIEWER, LOOP | ANSWERS, no_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_SET_TARGET] = {"set_target", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, set_target_fields, set_target_presences,
        request_check_set_target, request_columns_write, STRIPES_TOO},
    [REQUEST_MOUSE] = {"mouse", ROLE_OPERATOR, LOOP | WORLD | CHANGES | REPLACES, mouse_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_SPAWN] = {"spawn", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, spawn_fields, spawn_presences, request_check_spawn, NULL,
        OTHER_WORLD},
    [REQUEST_REMOVE] = {"remove", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES | LONG_ANSWER, remove_fields, remove_presences,
        request_check_remove, request_write_remove, STRIPES_TOO},
    [REQUEST_SET_PARAM] = {"set_param", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, set_param_fields, set_param_presences,
        request_check_set_param, NULL, OTHER_WORLD},
    [REQUEST_GET_PARAMS] = {"get_params", ROLE_VIEWER, WORLD | ANSWERS | QUERY | LONG_ANSWER, get_params_fields, get_params_presences,
        NULL, NULL, STRIPES_TOO},
    [REQUEST_LIST] = {"list", ROLE_VIEWER, WORLD | ANSWERS | QUERY | LONG_ANSWER, list_fields, no_presences,
        NULL, NULL, STRIPES_TOO},
    [REQUEST_INSPECT] = {"inspect", ROLE_VIEWER, WORLD | ANSWERS | QUERY | LONG_ANSWER, inspect_fields, no_presences,
        request_check_inspect, request_write_inspect, STRIPES_TOO},
    [REQUEST_PAUSE] = {"pause", ROLE_ADMIN, WORLD | AT | CHANGES, no_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_RESUME] = {"resume", ROLE_ADMIN, WORLD | AT | CHANGES, resume_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_STEP] = {"step", ROLE_ADMIN, WORLD | CHANGES | ANSWERS, step_fields, step_presences, request_check_step,
        request_write_step, STRIPES_TOO},
    [REQUEST_LOAD] = {"load", ROLE_ADMIN, WORLD | CHANGES | ANSWERS, load_fields, load_presences, request_check_load,
        NULL, STRIPES_LIMIT("a world that stripes cannot run is refused; the message says why, and what to change")},
    [REQUEST_PING] = {"ping", ROLE_NONE, LOOP | ANSWERS, ping_fields, ping_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_BYE] = {"bye", ROLE_NONE, LOOP | ANSWERS, no_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_HELLO] = {"hello", ROLE_NONE, LOOP | ANSWERS, hello_fields, hello_presences, request_check_hello, NULL, STRIPES_TOO},
    [REQUEST_CURSOR] = {"cursor", ROLE_VIEWER, LOOP | WORLD | CHANGES | REPLACES, cursor_fields, no_presences, request_check_cursor,
        request_write_cursor, STRIPES_TOO},
    [REQUEST_STATS] = {"stats", ROLE_VIEWER, LOOP | ANSWERS, no_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_HELP] = {"help", ROLE_NONE, LOOP | ANSWERS, help_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_ADD_TARGET] = {"add_target", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, add_target_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_REMOVE_TARGET] = {"remove_target", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, remove_target_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_ADD_OBSTACLE] = {"add_obstacle", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, add_obstacle_fields, no_presences,
        request_check_add_obstacle, request_write_add_obstacle, STRIPES_TOO},
    [REQUEST_MOVE_OBSTACLE] = {"move_obstacle", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, move_obstacle_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_REMOVE_OBSTACLE] = {"remove_obstacle", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, remove_obstacle_fields, no_presences,
        NULL, NULL, STRIPES_TOO},
    [REQUEST_SAVE] = {"save", ROLE_ADMIN, WORLD | ANSWERS, save_fields, no_presences, NULL, NULL,
        STRIPES_LIMIT("a save in stripes has at most " STRIPES_AGENTS " agents; use --state, whose checkpoints all ranks write, or --mode copy")},
    [REQUEST_REMOVE_SAVE] = {"remove_save", ROLE_ADMIN, WORLD | ANSWERS, remove_save_fields, no_presences, NULL, NULL, STRIPES_TOO},
    [REQUEST_RECORD] = {"record", ROLE_ADMIN, WORLD | ANSWERS, record_fields, record_presences, request_check_record, NULL,
        STRIPES_REFUSE("no rank has the whole world, with which a recording begins; use --state, or --mode copy")},
    [REQUEST_SEEK] = {"seek", ROLE_ADMIN, WORLD | ANSWERS, seek_fields, seek_presences, NULL, NULL, NO_PLAYBACK},
    [REQUEST_SPEED] = {"speed", ROLE_ADMIN, WORLD | ANSWERS, speed_fields, speed_presences, request_check_speed, NULL, STRIPES_TOO},
    [REQUEST_PLACE] = {"place", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, place_fields, place_presences, request_check_place,
        request_columns_write, STRIPES_TOO},
    [REQUEST_BATCH] = {"batch", ROLE_OPERATOR, WORLD | AT | CHANGES | ANSWERS | LONG_ANSWER, batch_fields, no_presences,
        NULL, NULL, OTHER_WORLD}, /* request_codec.c reads and writes its members */
    [REQUEST_DRIVE] = {"drive", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, drive_fields, drive_presences, request_check_drive,
        request_columns_write, STRIPES_TOO},
    [REQUEST_GET] = {"get", ROLE_VIEWER, WORLD | ANSWERS | QUERY | LONG_ANSWER, get_fields, get_presences,
        request_check_get, request_write_get, STRIPES_TOO},
};
/* clang-format on */

const char *request_op_name(enum request_op op) {
    assert(op < REQUEST_OP_COUNT);
    return request_rows[op].name;
}

enum role request_role(enum request_op op) {
    assert(op < REQUEST_OP_COUNT);
    return request_rows[op].role;
}

bool request_has_trait(enum request_op op, enum request_trait trait) {
    assert(op < REQUEST_OP_COUNT);
    return (request_rows[op].traits & (unsigned)trait) != 0;
}

const char *request_stripes_refusal(enum request_op op, bool *is_limited) {
    assert(op < REQUEST_OP_COUNT);
    const struct request_stripes *stripes = &request_rows[op].stripes;
    *is_limited = stripes->refused == NULL;
    return stripes->refused != NULL ? stripes->refused : stripes->limited;
}

bool request_always_answers(enum request_op op) {
    return request_has_trait(op, REQUEST_TRAIT_ANSWERS);
}

const struct field *request_fields(enum request_op op) {
    return request_rows[op].fields;
}

static const char *const role_names[ROLE_COUNT] = {"none", "viewer", "operator", "admin"};

const char *role_name(enum role role) {
    assert(role < ROLE_COUNT);
    return role_names[role];
}

enum role role_from_name(const char *name) {
    for (int role = ROLE_VIEWER; role < ROLE_COUNT; role++) {
        if (strcmp(name, role_names[role]) == 0) {
            return (enum role)role;
        }
    }
    return ROLE_COUNT;
}

void request_op_hint(const char *op, char hint[NEAREST_HINT_BYTES]) {
    struct nearest_name nearest = nearest_name_begin(op);
    for (int i = 0; i < REQUEST_OP_COUNT; i++) {
        nearest_name_offer(&nearest, request_rows[i].name);
    }
    nearest_name_hint(&nearest, hint);
}
