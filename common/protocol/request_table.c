/* The table of requests: names, roles, traits, fields, ranges, defaults, rules. protocol.md describes the same
 * rows for people; e2e.agreement and e2e.protocol_doc compare. Owns nothing. */
#include "common/protocol/request_table.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#include "common/protocol/message_event.h"
#include "common/protocol/request_extra.h"
#include "common/text/names.h"

static const char *const list_choices[] = {"scenarios", "kinds",    "targets", "behaviors", "saves",
                                           "sources",   "branches", "seats",   "changes",   NULL};

/* By enum seat_timeout. */
static const char *const timeout_choices[] = {"pause", "go", "leave", NULL};

/* clang-format off */
#define END {.name = NULL, .type = FIELD_END}

/* What else a row has stands behind its help: .initial, .choices, .unit, FIELD_HAS(...). */
#define ROW(field_name, field_type, structure, member, row_flags, low, high, ...)                                   \
    {.name = field_name, .type = field_type, FIELD_MEMBER(structure, member), .flags = row_flags, .min = low,        \
     .max = high, .help = __VA_ARGS__}
#define FLAG(structure, member, ...) ROW(#member, FIELD_BOOL, structure, member, 0, 0, 0, __VA_ARGS__)
#define NAME(structure, member, row_flags, ...)                                                                    \
    ROW(#member, FIELD_NAME, structure, member, row_flags, 0, 0, __VA_ARGS__)
#define NAMES(field_name, structure, member, ...)                                                                  \
    ROW(field_name, FIELD_NAMES, structure, member, 0, 0, 0, __VA_ARGS__)
#define COORDINATE(structure, member, row_flags, ...)                                                              \
    ROW(#member, FIELD_FLOAT, structure, member, row_flags, -LIMIT_COORDINATE, LIMIT_COORDINATE, __VA_ARGS__,       \
        .unit = "px")
/* The same as a number, or as a column with `agents` (request_extra.h). */
#define COORDINATE_COLUMN(structure, member, ...) COORDINATE(structure, member, FIELD_COLUMN, __VA_ARGS__)
/* Read by request_extra.c. */
#define AGENT_COLUMN(...) SHAPED("agents", "array of integers", LIMIT_AGENTS, __VA_ARGS__)
#define AGENT(structure, ...) ROW("agent", FIELD_UINT32, structure, agent, 0, 1, (double)UINT32_MAX, __VA_ARGS__)
#define SPEED_FLAGS(structure, member, row_flags, ...)                                                             \
    ROW(#member, FIELD_FLOAT, structure, member, row_flags, -LIMIT_SPEED, LIMIT_SPEED, __VA_ARGS__, .unit = "px/s")
#define SPEED(structure, member, ...) SPEED_FLAGS(structure, member, 0, __VA_ARGS__)
#define SPEED_COLUMN(structure, member, ...) SPEED_FLAGS(structure, member, FIELD_COLUMN, __VA_ARGS__)
/* A field of a shape of its own: the row's check reads it, the row's writer writes it. */
#define SHAPED(field_name, form, most, ...)                                                                        \
    {.name = field_name, .type = FIELD_SHAPED, .max = most, .unit = form, .help = __VA_ARGS__}
#define REGION(...) SHAPED("region", "[x, y, width, height]", 0, "Only what is inside; px.", __VA_ARGS__)

static const struct field no_fields[] = {END};

static const struct field subscribe_fields[] = {
    ROW("layout", FIELD_CHOICE, struct request_subscribe, layout, 0, 0, 0,
        "The form of the snapshots.", .initial = LAYOUT_OBJECTS, .choices = frame_layout_names),
    ROW("hz", FIELD_DOUBLE, struct request_subscribe, hz, 0, 0.01, LIMIT_TICK_HZ,
        "Snapshots a second of simulated time.", .initial = USUAL_FRAME_HZ),
    FLAG(struct request_subscribe, forces, "Steering vectors with every agent."),
    FLAG(struct request_subscribe, parts, "With forces, layout objects: the forces of flock's three rules."),
    FLAG(struct request_subscribe, twins, "Where the twin of every agent is, while `compare` runs one."),
    NAMES("fields", struct request_subscribe, fields,
        "What of every agent: pos, vel, heading, state, kind, stamina, force, desired.",
        .choices = request_field_names),
    REGION(FIELD_HAS(struct request_subscribe, has_region)),
    NAMES("kinds", struct request_subscribe, kinds, "Agents of these kinds only."),
    ROW("grid", FIELD_POINT, struct request_subscribe, grid, 0, 1, LIMIT_GRID_SIDE,
        "Layout density: columns and rows."),
    ROW("cell", FIELD_FLOAT, struct request_subscribe, cell, 0, 0.01, LIMIT_COORDINATE,
        "Layout density: the most a cell is wide and high.", .unit = "px"),
    FLAG(struct request_subscribe, by_kind, "Layout density: the agents of each kind as well."),
    FLAG(struct request_subscribe, mean_speed, "Layout density: the mean speed of each cell's agents as well."),
    FLAG(struct request_subscribe, key_changes, "Layout packed: a key may come as a change of the one before."),
    ROW("most", FIELD_UINT32, struct request_subscribe, most, 0, 1, LIMIT_AGENTS,
        "About so many agents at most: of more a sample, one in 2, 4, 8 ..., which the frames say."),
    FLAG(struct request_subscribe, cursors, "Where the others point."),
    NAMES("events", struct request_subscribe, events,
        "These events only; those that concern this session alone come in any case.", .choices = message_event_names),
    END,
};

static const struct field set_region_fields[] = {
    REGION(FIELD_HAS(struct request_set_region, has_region)),
    FLAG(struct request_set_region, clear, "The whole world again."),
    END,
};

static const struct field set_target_fields[] = {
    NAME(struct request_set_target, name, 0, "A named target.", FIELD_HAS(struct request_set_target, has_name)),
    AGENT(struct request_set_target,
        "The agent whose target it is.", FIELD_HAS(struct request_set_target, has_agent)),
    AGENT_COLUMN("Several agents; x and y are columns then.", FIELD_HAS(struct request_set_target, has_agents)),
    NAME(struct request_set_target, kind, 0,
        "The kind whose target it is.", FIELD_HAS(struct request_set_target, has_kind)),
    COORDINATE_COLUMN(struct request_set_target, x, "The place.", FIELD_HAS(struct request_set_target, has_point)),
    COORDINATE_COLUMN(struct request_set_target, y, "The place.", FIELD_HAS(struct request_set_target, has_point)),
    NAME(struct request_set_target, follow, 0,
        "The named target an agent or kind is to go to.", FIELD_HAS(struct request_set_target, has_follow)),
    FLAG(struct request_set_target, clear, "Back to what the scenario says."),
    END,
};

static const struct field place_fields[] = {
    AGENT(struct request_place, "One agent.", FIELD_HAS(struct request_place, has_agent)),
    AGENT_COLUMN("Several agents; the other members are columns then.", FIELD_HAS(struct request_place, has_agents)),
    COORDINATE_COLUMN(struct request_place, x,
        "The place; where it is when left out.", FIELD_HAS(struct request_place, has_point)),
    COORDINATE_COLUMN(struct request_place, y,
        "The place; where it is when left out.", FIELD_HAS(struct request_place, has_point)),
    SPEED_COLUMN(struct request_place, vx,
        "The velocity; as it is when left out.", FIELD_HAS(struct request_place, has_velocity)),
    SPEED_COLUMN(struct request_place, vy,
        "The velocity; as it is when left out.", FIELD_HAS(struct request_place, has_velocity)),
    ROW("heading", FIELD_ANGLE, struct request_place, heading, FIELD_COLUMN, -360, 360,
        "Along a new velocity when left out, otherwise as it is.",
        .unit = "deg", FIELD_HAS(struct request_place, has_heading)),
    ROW("stamina", FIELD_FLOAT, struct request_place, stamina, FIELD_COLUMN, 0, 1e6,
        "At most the kind's max_stamina; as it is when left out.", FIELD_HAS(struct request_place, has_stamina)),
    END,
};

/* The layouts of whole frames, the first of frame_layout_names. */
static const char *const whole_layouts[] = {[LAYOUT_OBJECTS] = "objects", [LAYOUT_PACKED] = "packed", NULL};

static const struct field rays_fields[] = {
    ROW("number", FIELD_UINT32, struct request_rays, number, FIELD_REQUIRED, 1, LIMIT_RAYS, "How many rays an agent has."),
    ROW("range", FIELD_FLOAT, struct request_rays, range, FIELD_REQUIRED, 1, LIMIT_RAY_RANGE, "How far they go.", .unit = "px"),
    ROW("spread", FIELD_FLOAT, struct request_rays, spread, 0, 0, 360,
        "From the first to the last, around the heading; 360: once round, the first one ahead.", .initial = 360, .unit = "deg"),
    END,
};

#define VIEW_FIELDS(structure)                                                                                     \
    NAMES("fields", structure, view.fields,                                                                        \
        "What of every agent: pos, vel, heading, state, kind, stamina, force, desired.",                           \
        .choices = request_field_names),                                                                           \
    REGION(FIELD_HAS(structure, view.has_region)),                                                                 \
    NAMES("kinds", structure, view.kinds, "Agents of these kinds only."),                                          \
    ROW("nearest", FIELD_UINT32, structure, view.nearest, 0, 1, LIMIT_NEAREST,                                     \
        "Beside a packed frame, the rows of so many of the nearest other agents of it, for every agent.",          \
        .initial = 1, FIELD_HAS(structure, view.has_nearest)),                                                     \
    ROW("rays", FIELD_OBJECT, structure, view.rays, 0, 0, 0,                                                       \
        "Beside a packed frame, how far so many rays of every agent go until they meet a solid.",                  \
        .table = rays_fields, .unit = "{number, range, spread}", FIELD_HAS(structure, view.has_rays))

static const struct field get_fields[] = {
    ROW("layout", FIELD_CHOICE, struct request_get, view.layout, 0, 0, 0,
        "The form of the frame.", .initial = LAYOUT_OBJECTS, .choices = whole_layouts),
    VIEW_FIELDS(struct request_get),
    AGENT_COLUMN("These agents only.", FIELD_HAS(struct request_get, has_agents)),
    END,
};

static const char *const export_choices[] = {
    [EXPORT_LOADED] = "loaded", [EXPORT_TUNED] = "tuned", [EXPORT_NOW] = "now", NULL};

static const struct field export_fields[] = {
    ROW("what", FIELD_CHOICE, struct request_export, what, FIELD_BRIEF, 0, 0,
        "As it was loaded; tuned: with what has been changed since; now: with the places of agents, too.",
        .initial = EXPORT_LOADED, .choices = export_choices),
    END,
};

static const struct field mouse_fields[] = {
    COORDINATE(struct request_mouse, x, FIELD_REQUIRED, "The place."),
    COORDINATE(struct request_mouse, y, FIELD_REQUIRED, "The place."),
    END,
};

static const struct field spawn_fields[] = {
    NAME(struct request_spawn, kind, FIELD_REQUIRED, "The kind of the new agents."),
    ROW("count", FIELD_UINT32, struct request_spawn, count, 0, 1, LIMIT_SPAWN,
        "All are spawned or none.", .initial = 1),
    COORDINATE(struct request_spawn, x, 0,
        "The place; anywhere in the world when left out.", FIELD_HAS(struct request_spawn, has_point)),
    COORDINATE(struct request_spawn, y, 0,
        "The place; anywhere in the world when left out.", FIELD_HAS(struct request_spawn, has_point)),
    ROW("radius", FIELD_FLOAT, struct request_spawn, radius, 0, 0, LIMIT_WORLD_SIZE,
        "Spread evenly over a disc around x, y.", .unit = "px"),
    ROW("spacing", FIELD_FLOAT, struct request_spawn, spacing, 0, 0, LIMIT_WORLD_SIZE,
        "From body to body at the least, where there is room; with a radius, or without a place.",
        .unit = "px", FIELD_HAS(struct request_spawn, has_spacing)),
    SPEED(struct request_spawn, vx, "Their velocity."),
    SPEED(struct request_spawn, vy, "Their velocity."),
    ROW("heading", FIELD_ANGLE, struct request_spawn, heading, 0, -360, 360,
        "Along the velocity when left out; random when at rest.",
        .unit = "deg", FIELD_HAS(struct request_spawn, has_heading)),
    END,
};

/* `agent` is the first of `agents`. */
static const struct field remove_fields[] = {
    ROW("agent", FIELD_UINT32, struct request_remove, agents[0], 0, 1, (double)UINT32_MAX, "One agent."),
    SHAPED("agents", "array of integers", LIMIT_REMOVE_IDS, "Several agents."),
    NAME(struct request_remove, kind, 0, "All agents of a kind.", FIELD_HAS(struct request_remove, has_kind)),
    END,
};

static const struct field set_param_fields[] = {
    NAME(struct request_set_param, kind, 0, "The kind to tune.", FIELD_HAS(struct request_set_param, has_kind)),
    AGENT(struct request_set_param, "The agent to tune.", FIELD_HAS(struct request_set_param, has_agent)),
    ROW("param", FIELD_TEXT, struct request_set_param, param, FIELD_REQUIRED, 0, 0,
        "A parameter as get_params names it."),
    ROW("value", FIELD_DOUBLE, struct request_set_param, value, FIELD_REQUIRED, -DBL_MAX, DBL_MAX,
        "In the units get_params states."),
    END,
};

static const struct field get_params_fields[] = {
    NAME(struct request_get_params, kind, 0,
        "One kind; all when left out.", FIELD_HAS(struct request_get_params, has_kind)),
    END,
};

static const struct field list_fields[] = {
    ROW("what", FIELD_CHOICE, struct request_list, what, 0, 0, 0,
        "What to list.", .initial = LIST_SCENARIOS, .choices = list_choices),
    END,
};

/* As in remove. */
static const struct field inspect_fields[] = {
    ROW("agent", FIELD_UINT32, struct request_inspect, agents[0], 0, 1, (double)UINT32_MAX, "One agent."),
    SHAPED("agents", "array of integers", LIMIT_INSPECT_IDS, "Several agents."),
    END,
};

static const struct field measure_fields[] = {
    NAMES("names", struct request_measure, names, "These gates and areas only."),
    END,
};

static const struct field step_fields[] = {
    ROW("count", FIELD_INT32, struct request_step, count, 0, -LIMIT_STEP, LIMIT_STEP,
        "Ticks to do; below 0: so many ticks back, as by rewind.", .initial = 1),
    ROW("return", FIELD_CHOICE, struct request_step, view.layout, 0, 0, 0,
        "The reply has a frame of the last tick in this form; none when left out.",
        .initial = LAYOUT_OBJECTS, .choices = whole_layouts, FIELD_HAS(struct request_step, has_return)),
    VIEW_FIELDS(struct request_step),
    SHAPED("until", "object", 0,
        "Ends the step, after count ticks (100000 when left out) at the latest: reached, caught, state or tick.",
        FIELD_HAS(struct request_step, has_until)),
    END,
};

static const struct field load_fields[] = {
    NAME(struct request_load, scenario, 0, "As `list` names it."),
    NAME(struct request_load, save, 0, "A saved world."),
    SHAPED("document", "object", 0, "A scenario itself, as its file has it.", FIELD_HAS(struct request_load, has_document)),
    NAME(struct request_load, name, 0, "What the world is called; with document, \"" REQUEST_DOCUMENT_NAME "\" when left out."),
    ROW("again", FIELD_BOOL, struct request_load, again, FIELD_BRIEF, 0, 0,
        "The scenario of this world from its beginning, wherever it came from."),
    ROW("seed", FIELD_UINT64, struct request_load, seed, 0, 0, LIMIT_ID_INTEGER,
        "Instead of the scenario's; not with save.", FIELD_HAS(struct request_load, has_seed)),
    FLAG(struct request_load, warmup,
        "false: without the warm-up of the scenario.", FIELD_HAS(struct request_load, has_warmup)),
    END,
};

static const struct field edit_fields[] = {
    SHAPED("patch", "object", 0, "A JSON merge patch (RFC 7396) of the document that export answers with.",
        .flags = FIELD_REQUIRED, FIELD_HAS(struct request_edit, has_patch)),
    FLAG(struct request_edit, remove_agents, "Those of kinds that the patch takes away."),
    END,
};

static const struct field ping_fields[] = {
    ROW("t0", FIELD_DOUBLE, struct request_ping, t0, 0, -DBL_MAX, DBL_MAX,
        "The client's own clock, echoed.", FIELD_HAS(struct request_ping, has_t0)),
    END,
};

static const struct field hello_fields[] = {
    ROW("protocol", FIELD_UINT32, struct request_hello, protocol, 0, 0, (double)UINT32_MAX,
        "The version of the protocol you speak.", FIELD_HAS(struct request_hello, has_protocol)),
    ROW("name", FIELD_TEXT, struct request_hello, name, 0, 0, 0, "Your name, which other clients see."),
    ROW("token", FIELD_TEXT, struct request_hello, token, 0, 0, 0, "The secret that gives you a role."),
    FLAG(struct request_hello, seq, "Replies and events say the number of the change that they are about."),
    FLAG(struct request_hello, speed, "The frames of later subscriptions say the speed of the world's time."),
    END,
};

static const struct field cursor_fields[] = {
    COORDINATE(struct request_cursor, x, 0, "The place."),
    COORDINATE(struct request_cursor, y, 0, "The place."),
    FLAG(struct request_cursor, gone, "Instead of a place: you have no cursor any more."),
    END,
};

static const struct field help_fields[] = {
    NAME(struct request_help, about, 0, "One op; all when left out."),
    END,
};

#define DRIVEN(member, ...)                                                                                        \
    ROW(#member, FIELD_FLOAT, struct request_drive, member, FIELD_REQUIRED | FIELD_COLUMN, -LIMIT_DRIVE,            \
        LIMIT_DRIVE, __VA_ARGS__, .unit = "px/s or mass*px/s^2")
static const struct field drive_fields[] = {
    AGENT(struct request_drive, "The agent that is driven.", FIELD_HAS(struct request_drive, has_agent)),
    AGENT_COLUMN("Several agents; vx and vy are columns then.", FIELD_HAS(struct request_drive, has_agents)),
    NAME(struct request_drive, kind, 0,
        "The kind whose agents are driven.", FIELD_HAS(struct request_drive, has_kind)),
    ROW("first", FIELD_UINT32, struct request_drive, first, 0, 0, LIMIT_AGENTS,
        "With kind and columns: how many agents of it, by id, come before those that are driven.",
        .unit = "agents", FIELD_HAS(struct request_drive, has_first)),
    DRIVEN(vx, "The velocity or force; with agents or kind a column of them."),
    DRIVEN(vy, "The velocity or force; with agents or kind a column of them."),
    END,
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
    SHAPED("polygon", "array of points", LIMIT_OBSTACLE_POINTS, "3 to 64 corners; its sides meet at them alone; px."),
    END,
};

#define OBSTACLE(structure)                                                                                        \
    ROW("obstacle", FIELD_UINT32, structure, obstacle, FIELD_REQUIRED, 1, (double)UINT32_MAX, "Its id.")

static const struct field move_obstacle_fields[] = {
    OBSTACLE(struct request_move_obstacle),
    COORDINATE(struct request_move_obstacle, x, FIELD_REQUIRED, "Where its first point goes."),
    COORDINATE(struct request_move_obstacle, y, FIELD_REQUIRED, "Where its first point goes."),
    END,
};

static const struct field set_obstacle_fields[] = {
    OBSTACLE(struct request_set_obstacle),
    ROW("closed", FIELD_BOOL, struct request_set_obstacle, closed, FIELD_REQUIRED, 0, 0, "Whether the door is to be closed."),
    END,
};

static const struct field remove_obstacle_fields[] = {
    OBSTACLE(struct request_remove_obstacle),
    END,
};

static const struct field resume_fields[] = {
    FLAG(struct request_resume, live, "The recording that is played becomes the world from here on."),
    END,
};

static const struct field save_fields[] = {
    NAME(struct request_save, name, FIELD_REQUIRED, "What to call it."),
    FLAG(struct request_save, replace, "In place of the saved world of this name."),
    END,
};

static const struct field remove_save_fields[] = {
    NAME(struct request_remove_save, name, FIELD_REQUIRED, "As `list` names it."),
    END,
};

static const struct field record_fields[] = {
    FLAG(struct request_record, on, "Whether to record from here on.", FIELD_HAS(struct request_record, has_on)),
    ROW("last", FIELD_DOUBLE, struct request_record, last, 0, 1, 86400,
        "Instead of on: write what is still in memory of so many seconds.",
        .unit = "s", FIELD_HAS(struct request_record, has_last)),
    NAME(struct request_record, name, 0, "Of the file, without .drover; one that says when, if left out."),
    END,
};

static const struct field seek_fields[] = {
    ROW("tick", FIELD_UINT64, struct request_seek, tick, FIELD_REQUIRED, 0, LIMIT_ID_INTEGER, "The tick to go to."),
    ROW("world", FIELD_UINT32, struct request_seek, world, 0, 1, (double)UINT32_MAX,
        "The number of a world of the recording; the one that plays when left out.",
        FIELD_HAS(struct request_seek, has_world)),
    END,
};

static const struct field rewind_fields[] = {
    ROW("seconds", FIELD_DOUBLE, struct request_rewind, seconds, 0, 0, LIMIT_ID_INTEGER,
        "How far back, in the world's time.", .unit = "s", FIELD_HAS(struct request_rewind, has_seconds)),
    ROW("ticks", FIELD_UINT32, struct request_rewind, ticks, 0, 0, (double)UINT32_MAX,
        "How far back, in ticks.", FIELD_HAS(struct request_rewind, has_ticks)),
    ROW("tick", FIELD_UINT64, struct request_rewind, tick, 0, 0, LIMIT_ID_INTEGER,
        "The tick to go to.", FIELD_HAS(struct request_rewind, has_tick)),
    NAME(struct request_rewind, mark, 0, "A mark to go to."),
    NAME(struct request_rewind, branch, 0, "The branch to go on with, where it was left; with tick: the tick's."),
    ROW("without", FIELD_UINT64, struct request_rewind, without, 0, 1, LIMIT_ID_INTEGER,
        "The number (seq) of a request: the present as it would be without it.", FIELD_HAS(struct request_rewind, has_without)),
    FLAG(struct request_rewind, row, "With without: and without the others of its row in list changes, such as those of a drag."),
    END,
};

static const struct field look_fields[] = {
    ROW("seconds", FIELD_DOUBLE, struct request_look, to.seconds, 0, 0, LIMIT_ID_INTEGER,
        "How far back, in the world's time.", .unit = "s", FIELD_HAS(struct request_look, to.has_seconds)),
    ROW("ticks", FIELD_UINT32, struct request_look, to.ticks, 0, 0, (double)UINT32_MAX,
        "How far back, in ticks.", FIELD_HAS(struct request_look, to.has_ticks)),
    ROW("tick", FIELD_UINT64, struct request_look, to.tick, 0, 0, LIMIT_ID_INTEGER,
        "The tick to look at.", FIELD_HAS(struct request_look, to.has_tick)),
    ROW("mark", FIELD_NAME, struct request_look, to.mark, 0, 0, 0, "A mark to look at."),
    ROW("branch", FIELD_NAME, struct request_look, to.branch, 0, 0, 0, "With tick: the branch that has it."),
    FLAG(struct request_look, follow, "The moment goes on, tick by tick with the live world."),
    FLAG(struct request_look, live, "Back to the present; alone."),
    END,
};

static const struct field mark_fields[] = {
    NAME(struct request_mark, name, FIELD_REQUIRED, "What to call the moment; a mark of this name moves there."),
    END,
};

static const struct field seat_fields[] = {
    NAME(struct request_seat, name, FIELD_REQUIRED, "What to call the seat; no other one has the name."),
    ROW("of", FIELD_UINT32, struct request_seat, of, 0, 1, LIMIT_SEATS,
        "How many seats are to be taken before the world steps.", .initial = 1),
    ROW("wait_ms", FIELD_UINT32, struct request_seat, wait_ms, 0, 1, LIMIT_SEAT_WAIT_MS,
        "How long a tick waits for your go.", .initial = 1000, .unit = "ms"),
    ROW("on_timeout", FIELD_CHOICE, struct request_seat, on_timeout, 0, 0, 0,
        "Then: the world is paused, the tick begins without you, or you lose the seat.",
        .initial = SEAT_TIMEOUT_PAUSE, .choices = timeout_choices),
    ROW("misses", FIELD_UINT32, struct request_seat, misses, 0, 1, 1e6,
        "After so many in a row you lose the seat.", .initial = 20),
    END,
};

static const struct field go_fields[] = {
    ROW("tick", FIELD_UINT64, struct request_go, tick, FIELD_REQUIRED, 0, LIMIT_ID_INTEGER,
        "The world's, as you have read it."),
    ROW("count", FIELD_UINT32, struct request_go, count, 0, 1, LIMIT_STEP, "Ticks to do.", .initial = 1),
    FLAG(struct request_go, hash, "The answer has the world's hash."),
    ROW("return", FIELD_CHOICE, struct request_go, view.layout, 0, 0, 0,
        "The answer has a frame of the last tick in this form; none when left out.",
        .initial = LAYOUT_OBJECTS, .choices = whole_layouts, FIELD_HAS(struct request_go, has_return)),
    VIEW_FIELDS(struct request_go),
    END,
};

static const struct field compare_fields[] = {
    NAME(struct request_compare, branch, 0, "The twin is this branch of the world, at the world's tick; when left out, with save: the world as it is."),
    NAME(struct request_compare, save, 0, "The twin is this saved world, brought to the world's tick."),
    NAME(struct request_compare, kind, 0, "The kind to tune in the twin alone; with param and value."),
    ROW("param", FIELD_TEXT, struct request_compare, param, 0, 0, 0, "Its parameter, as of set_param."),
    ROW("value", FIELD_DOUBLE, struct request_compare, value, 0, -DBL_MAX, DBL_MAX, "The parameter's value in the twin.",
        FIELD_HAS(struct request_compare, has_change)),
    SHAPED("requests", "[request, ...]", LIMIT_BATCH,
        "Instead of kind, param and value: requests for the twin alone, as in a batch."),
    FLAG(struct request_compare, follow,
        "false: what changes the world later does not change the twin.", FIELD_HAS(struct request_compare, has_follow)),
    FLAG(struct request_compare, keep, "The twin that runs goes on, and is changed further."),
    FLAG(struct request_compare, off, "Ends the comparison; without other members."),
    END,
};

static const struct field speed_fields[] = {
    ROW("factor", FIELD_DOUBLE, struct request_speed, factor, 0, 0.01, 1000,
        "How many times as fast as the clock; a recording at 1 goes as it was recorded.",
        .unit = "1", FIELD_HAS(struct request_speed, has_factor)),
    FLAG(struct request_speed, max, "Instead of factor: as fast as ticks can be done."),
    END,
};

static const struct field batch_fields[] = {
    SHAPED("requests",
        "[request, ...]", LIMIT_BATCH,
        "Requests that take effect together, or not at all: those that move, add, remove or tune something.",
        .flags = FIELD_REQUIRED),
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
    STRIPES_LIMIT("of more than " STRIPES_AGENTS " agents a frame in stripes shows a sample; a subscription whose most is more than that gets none then: ask for a region, for kinds, for fewer with most, or for the layout density")
#define OTHER_WORLD                                                                                                \
    STRIPES_LIMIT("a change after which stripes could not go on with the world is refused; the message says why, and what to change")
#define NO_PAST                                                                                                    \
    STRIPES_REFUSE("no rank has the whole world, of which checkpoints are kept in memory; use --mode copy")
#define NO_TWIN                                                                                                    \
    STRIPES_REFUSE("no rank has the whole world, beside which a twin would run; use drover-server")
#define NO_PLAYBACK                                                                                                \
    STRIPES_REFUSE("no rank has the whole world, with which a recording begins; play it with drover-server, or use --mode copy")

const struct request_row request_rows[REQUEST_OP_COUNT] = {
    [REQUEST_SUBSCRIBE] = {"subscribe", ROLE_VIEWER, LOOP | ANSWERS, subscribe_fields,
        request_check_subscribe, request_write_subscribe, MANY_AGENTS},
    [REQUEST_UNSUBSCRIBE] = {"unsubscribe", ROLE_VIEWER, LOOP | ANSWERS, no_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_SET_REGION] = {"set_region", ROLE_VIEWER, LOOP, set_region_fields,
        request_check_set_region, request_write_set_region, MANY_AGENTS},
    [REQUEST_RESYNC] = {"resync", ROLE_VIEWER, LOOP | ANSWERS, no_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_SET_TARGET] = {"set_target", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, set_target_fields,
        request_check_set_target, request_columns_write, STRIPES_TOO},
    [REQUEST_MOUSE] = {"mouse", ROLE_OPERATOR, LOOP | WORLD | CHANGES | REPLACES, mouse_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_SPAWN] = {"spawn", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, spawn_fields, request_check_spawn, NULL,
        OTHER_WORLD},
    [REQUEST_REMOVE] = {"remove", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES | LONG_ANSWER, remove_fields,
        request_check_remove, request_write_remove, STRIPES_TOO},
    [REQUEST_SET_PARAM] = {"set_param", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, set_param_fields,
        request_check_set_param, NULL, OTHER_WORLD},
    [REQUEST_GET_PARAMS] = {"get_params", ROLE_VIEWER, WORLD | ANSWERS | QUERY | LONG_ANSWER, get_params_fields,
        NULL, NULL, STRIPES_TOO},
    [REQUEST_LIST] = {"list", ROLE_VIEWER, WORLD | ANSWERS | QUERY | LONG_ANSWER, list_fields,
        NULL, NULL, STRIPES_TOO},
    [REQUEST_INSPECT] = {"inspect", ROLE_VIEWER, WORLD | ANSWERS | QUERY | LONG_ANSWER, inspect_fields,
        request_check_inspect, request_write_inspect, STRIPES_TOO},
    [REQUEST_PAUSE] = {"pause", ROLE_ADMIN, WORLD | AT | CHANGES, no_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_RESUME] = {"resume", ROLE_ADMIN, WORLD | AT | CHANGES, resume_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_STEP] = {"step", ROLE_ADMIN, WORLD | CHANGES | ANSWERS, step_fields, request_check_step,
        request_write_step, STRIPES_TOO},
    [REQUEST_LOAD] = {"load", ROLE_ADMIN, WORLD | CHANGES | ANSWERS, load_fields, request_check_load,
        request_write_load, STRIPES_LIMIT("a world that stripes cannot run is refused; the message says why, and what to change")},
    [REQUEST_PING] = {"ping", ROLE_NONE, LOOP | ANSWERS, ping_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_BYE] = {"bye", ROLE_NONE, LOOP | ANSWERS, no_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_HELLO] = {"hello", ROLE_NONE, LOOP | ANSWERS, hello_fields, request_check_hello, NULL, STRIPES_TOO},
    [REQUEST_CURSOR] = {"cursor", ROLE_VIEWER, LOOP | WORLD | CHANGES | REPLACES, cursor_fields, request_check_cursor,
        request_write_cursor, STRIPES_TOO},
    [REQUEST_STATS] = {"stats", ROLE_VIEWER, LOOP | ANSWERS, no_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_HELP] = {"help", ROLE_NONE, LOOP | ANSWERS, help_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_ADD_TARGET] = {"add_target", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, add_target_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_REMOVE_TARGET] = {"remove_target", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, remove_target_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_ADD_OBSTACLE] = {"add_obstacle", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, add_obstacle_fields,
        request_check_add_obstacle, request_write_add_obstacle, STRIPES_TOO},
    [REQUEST_MOVE_OBSTACLE] = {"move_obstacle", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, move_obstacle_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_SET_OBSTACLE] = {"set_obstacle", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, set_obstacle_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_REMOVE_OBSTACLE] = {"remove_obstacle", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, remove_obstacle_fields,
        NULL, NULL, STRIPES_TOO},
    [REQUEST_SAVE] = {"save", ROLE_ADMIN, WORLD | ANSWERS, save_fields, NULL, NULL,
        STRIPES_LIMIT("a save in stripes has at most " STRIPES_AGENTS " agents; use --state, whose checkpoints all ranks write, or --mode copy")},
    [REQUEST_REMOVE_SAVE] = {"remove_save", ROLE_ADMIN, WORLD | ANSWERS, remove_save_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_RECORD] = {"record", ROLE_ADMIN, WORLD | ANSWERS, record_fields, request_check_record, NULL,
        STRIPES_REFUSE("no rank has the whole world, with which a recording begins; use --state, or --mode copy")},
    [REQUEST_SEEK] = {"seek", ROLE_ADMIN, WORLD | ANSWERS, seek_fields, NULL, NULL, NO_PLAYBACK},
    [REQUEST_SPEED] = {"speed", ROLE_ADMIN, WORLD | ANSWERS, speed_fields, request_check_speed, NULL, STRIPES_TOO},
    [REQUEST_PLACE] = {"place", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, place_fields, request_check_place,
        request_columns_write, STRIPES_TOO},
    [REQUEST_BATCH] = {"batch", ROLE_OPERATOR, WORLD | AT | CHANGES | ANSWERS | LONG_ANSWER, batch_fields,
        NULL, NULL, OTHER_WORLD}, /* request_codec.c reads and writes its members */
    [REQUEST_DRIVE] = {"drive", ROLE_OPERATOR, WORLD | AT | BATCH | CHANGES, drive_fields, request_check_drive,
        request_columns_write, STRIPES_TOO},
    [REQUEST_GET] = {"get", ROLE_VIEWER, WORLD | ANSWERS | QUERY | LONG_ANSWER, get_fields,
        request_check_get, request_write_get, STRIPES_TOO},
    [REQUEST_MEASURE] = {"measure", ROLE_VIEWER, WORLD | ANSWERS | QUERY | LONG_ANSWER, measure_fields,
        NULL, NULL, STRIPES_TOO},
    [REQUEST_REWIND] = {"rewind", ROLE_ADMIN, WORLD | CHANGES | ANSWERS, rewind_fields, request_check_rewind, NULL, NO_PAST},
    [REQUEST_MARK] = {"mark", ROLE_ADMIN, WORLD | ANSWERS, mark_fields, NULL, NULL, NO_PAST},
    [REQUEST_SEAT] = {"seat", ROLE_OPERATOR, WORLD | ANSWERS, seat_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_GO] = {"go", ROLE_OPERATOR, WORLD | ANSWERS, go_fields, request_check_go, request_write_go, STRIPES_TOO},
    [REQUEST_LEAVE] = {"leave", ROLE_OPERATOR, LOOP | WORLD | ANSWERS, no_fields, NULL, NULL, STRIPES_TOO},
    [REQUEST_LOOK] = {"look", ROLE_OPERATOR, LOOP | ANSWERS, look_fields, request_check_look, NULL, NO_PAST},
    [REQUEST_COMPARE] = {"compare", ROLE_ADMIN, WORLD | ANSWERS, compare_fields, request_check_compare, NULL, NO_TWIN},
    [REQUEST_EXPORT] = {"export", ROLE_VIEWER, WORLD | ANSWERS | QUERY | LONG_ANSWER, export_fields, NULL, NULL,
        STRIPES_LIMIT("as it is now, a world in stripes has at most " STRIPES_AGENTS " agents, as for save")},
    [REQUEST_EDIT] = {"edit", ROLE_ADMIN, WORLD | AT | BATCH | CHANGES, edit_fields, request_check_edit, request_write_edit,
        STRIPES_REFUSE("no rank has the whole world, of which another one is made; load the document with the changes in it")},
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
