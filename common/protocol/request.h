/* Requests, the lines of a client, as structs. protocol.md is the reference.
 *
 * One table row per op (request_table.c) gives its wire name, its role, its traits, its fields
 * (common/base/field.h) and the rules between them. Decoding and encoding (request_codec.c), `help` and the
 * checks of protocol.md and protocol.schema.json go by that table. Decoding fills a struct and does nothing
 * else.
 */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_H
#define DROVER_COMMON_PROTOCOL_REQUEST_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/base/geometry.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/json/json_writer.h"
#include "common/snapshot/frame_layout.h"
#include "common/text/names.h"

struct json_limits;

enum request_op {
    REQUEST_SUBSCRIBE,
    REQUEST_UNSUBSCRIBE,
    REQUEST_SET_REGION,
    REQUEST_RESYNC,
    REQUEST_SET_TARGET,
    REQUEST_MOUSE,
    REQUEST_SPAWN,
    REQUEST_REMOVE,
    REQUEST_SET_PARAM,
    REQUEST_GET_PARAMS,
    REQUEST_LIST,
    REQUEST_INSPECT,
    REQUEST_PAUSE,
    REQUEST_RESUME,
    REQUEST_STEP,
    REQUEST_LOAD,
    REQUEST_PING,
    REQUEST_BYE,
    REQUEST_HELLO,
    REQUEST_CURSOR,
    REQUEST_STATS,
    REQUEST_HELP,
    REQUEST_ADD_TARGET,
    REQUEST_REMOVE_TARGET,
    REQUEST_ADD_OBSTACLE,
    REQUEST_MOVE_OBSTACLE,
    REQUEST_SET_OBSTACLE,
    REQUEST_REMOVE_OBSTACLE,
    REQUEST_SAVE,
    REQUEST_REMOVE_SAVE,
    REQUEST_RECORD,
    REQUEST_SEEK,
    REQUEST_SPEED,
    REQUEST_PLACE,
    REQUEST_BATCH,
    REQUEST_DRIVE,
    REQUEST_GET,
    REQUEST_MEASURE,
    REQUEST_REWIND,
    REQUEST_MARK,
    REQUEST_SEAT,
    REQUEST_GO,
    REQUEST_LEAVE,
    REQUEST_LOOK,
    REQUEST_COMPARE,
    REQUEST_EXPORT,
    REQUEST_EDIT,
    REQUEST_OP_COUNT
};

/** Roles; each role may send the requests of the roles before it. */
enum role {
    ROLE_NONE,     /* has not shown a token yet */
    ROLE_VIEWER,   /* reads */
    ROLE_OPERATOR, /* targets, mouse, tuning, spawning, removing */
    ROLE_ADMIN,    /* time and scenarios */
    ROLE_COUNT
};

/** Traits of an op, bits of its row. */
enum request_trait {
    REQUEST_TRAIT_LOOP = 1,        /* the server's loop has a handler for it */
    REQUEST_TRAIT_WORLD = 2,       /* the world has one; an op with both goes to the loop first */
    REQUEST_TRAIT_ANSWERS = 4,     /* answered even without an id */
    REQUEST_TRAIT_LONG_ANSWER = 8, /* the answer may be more than a few hundred bytes, up to a megabyte */
    REQUEST_TRAIT_QUERY = 16,      /* only reads the world */
    REQUEST_TRAIT_BATCH = 128,  /* may stand in a batch: all that it does is in the state of the simulation */
    REQUEST_TRAIT_AT = 256,     /* may wait for a tick: at */
    REQUEST_TRAIT_CHANGES = 64, /* changes the world or its time: it has a number, and recordings have it */
    REQUEST_TRAIT_REPLACES = 32, /* without an id it replaces the last one of its session that waits */
};

enum list_what {
    LIST_SCENARIOS,
    LIST_KINDS,
    LIST_TARGETS,
    LIST_BEHAVIORS,
    LIST_SAVES,
    LIST_SOURCES,
    LIST_BRANCHES,
    LIST_SEATS,
    LIST_CHANGES
};

enum { REQUEST_FIELDS_TEXT = 96, REQUEST_EVENTS_TEXT = 512 };

struct request_rays {
    uint32_t number;
    float range;  /* px */
    float spread; /* degrees, between the first and the last; 360: once round */
};

struct request_subscribe {
    int layout;                       /* enum layout */
    double hz;                        /* snapshots a second; 30 when left out */
    bool forces;                      /* steering vectors with every agent */
    bool parts;                       /* those of the behaviors' forces as well; with forces */
    bool twins;                       /* where the agents' twins are, while there is a comparison */
    bool cursors;                     /* the `cursors` lines as well */
    char events[REQUEST_EVENTS_TEXT]; /* names with a blank between them; "": every event */
    char fields[REQUEST_FIELDS_TEXT]; /* names with a blank between them; "": the usual ones */
    char kinds[LIMIT_KINDS * (LIMIT_NAME_CHARS + 1)]; /* the same; "": every kind */
    bool has_region;
    float region[4];          /* px: x, y, width, height */
    float grid[2];            /* density: columns and rows, or 0 */
    float cell;               /* density: px, or 0 */
    bool by_kind, mean_speed; /* density: has these as well */
    bool key_changes;         /* packed: keys may come as changes of the one before */
    uint32_t most;            /* about so many agents, of more a sample; 0: all */
    bool has_nearest;
    uint32_t nearest; /* of a frame in a reply: so many of the nearest of every agent are beside it */
    bool has_rays;
    struct request_rays rays; /* the same, how far each agent sees */
};

struct request_set_region {
    bool has_region;
    float region[4]; /* px: x, y, width, height */
    bool clear;      /* the whole world again */
};

/** Exactly one of name (a named target), agent, agents or kind says whose target it is; one of {x,y}, follow, clear
 * what. agents, with x and y that are columns as well, is in the request's extra. */
struct request_set_target {
    bool has_name, has_agent, has_agents, has_kind, has_point, has_follow;
    char name[LIMIT_NAME_CHARS + 1];
    uint32_t agent;
    char kind[LIMIT_NAME_CHARS + 1];
    float x, y;                        /* px */
    char follow[LIMIT_NAME_CHARS + 1]; /* the named target an agent or kind is to go to */
    bool clear;                        /* back to what the scenario says */
};

/** Exactly one of agent, agents and kind. The vectors are in the request's extra, for each agent one, or there is one
 * vector: of the agent, or of all agents of the kind. */
struct request_drive {
    bool has_agent, has_agents, has_kind, has_first;
    uint32_t agent;
    char kind[LIMIT_NAME_CHARS + 1];
    uint32_t first; /* the vectors are those of the kind's agents from here on, by id in ascending order */
    float vx, vy;   /* px/s or mass*px/s^2, as the kind's external behavior says */
};

/** Exactly one of agent and agents; at least one of {x,y}, {vx,vy}, heading and stamina. The columns of agents are in
 * the request's extra. */
struct request_place {
    bool has_agent, has_agents, has_point, has_velocity, has_heading, has_stamina;
    uint32_t agent;
    float x, y;    /* px */
    float vx, vy;  /* px/s */
    float heading; /* rad (degrees on the wire, and in columns) */
    float stamina;
};

/** A frame without a subscription. agents, in the request's extra: only those. */
struct request_get {
    struct request_subscribe view; /* layout, fields, kinds and region; the others at their defaults */
    bool has_agents;
};

/** What of the world a scenario says. */
enum export_what {
    EXPORT_LOADED, /* the document that it came from */
    EXPORT_TUNED,  /* and what has been changed since, but for agents */
    EXPORT_NOW,    /* and where agents are */
};

struct request_export {
    int what; /* enum export_what */
};

struct request_mouse {
    float x, y; /* px */
};

/** count agents of a kind; at x,y within radius, or anywhere in the world when x,y are left out. */
struct request_spawn {
    char kind[LIMIT_NAME_CHARS + 1];
    uint32_t count; /* default 1 */
    bool has_point, has_heading, has_spacing;
    float x, y, radius; /* px; radius default 0: all exactly at x,y */
    float spacing;      /* px, from body to body, where there is room */
    float vx, vy;       /* px/s */
    float heading;      /* rad (degrees on the wire) */
};

/** Exactly one of agents (or the single agent) and kind. */
struct request_remove {
    bool has_kind;
    char kind[LIMIT_NAME_CHARS + 1];
    int agent_count;
    uint32_t agents[LIMIT_REMOVE_IDS]; /* as given; may repeat */
};

/** Exactly one of kind and agent. param is "max_speed" or "seek.weight" (a second seek: "seek2.weight"). */
struct request_set_param {
    bool has_kind, has_agent;
    char kind[LIMIT_NAME_CHARS + 1];
    uint32_t agent;
    char param[64];
    double value; /* in the units get_params states */
};

struct request_get_params {
    bool has_kind;
    char kind[LIMIT_NAME_CHARS + 1];
};

struct request_list {
    int what; /* enum list_what */
};

/** agents, or the single agent. */
struct request_inspect {
    int agent_count;
    uint32_t agents[LIMIT_INSPECT_IDS]; /* as given; may repeat */
};

struct request_measure {
    char names[(LIMIT_AREAS + LIMIT_GATES) * (LIMIT_NAME_CHARS + 1)]; /* with a blank between them; "": all */
};

/** Exactly one of reached, caught, state and tick. */
struct request_until {
    bool reached; /* an agent came within a target's jump_within */
    bool has_caught, has_state, has_tick;
    uint32_t caught;                  /* catches since the step began */
    char kind[LIMIT_NAME_CHARS + 1];  /* has_state: at least `count` of its agents are in */
    char state[LIMIT_NAME_CHARS + 1]; /* this state */
    uint32_t count;
    uint64_t tick; /* the world's */
};

struct request_step {
    int32_t count;                 /* default 1; with until LIMIT_STEP; below 0: so many ticks back */
    bool has_return;               /* the reply has a frame of this view */
    struct request_subscribe view; /* layout, fields, kinds and region; the others at their defaults */
    bool has_until;
    struct request_until until;
};

/** Exactly one of scenario, save and document; the names of the others are "". */
struct request_load {
    char scenario[LIMIT_NAME_CHARS + 1];
    char save[LIMIT_NAME_CHARS + 1]; /* a saved world */
    bool again;                      /* the scenario of this world */
    bool has_document;               /* a scenario's; its text is in the extra (request_extra.h) */
    char name[LIMIT_NAME_CHARS + 1]; /* what the world of a document is called; "": REQUEST_DOCUMENT_NAME */
    bool has_seed;                   /* not with a saved world */
    uint64_t seed;
    bool has_warmup, warmup; /* false: without the warm-up of the scenario */
};

#define REQUEST_DOCUMENT_NAME "document"

struct request_edit {
    bool has_patch;     /* its text is the document in the extra */
    bool remove_agents; /* those of kinds that are gone */
};

struct request_resume {
    bool live; /* a recording that is played becomes the world from here on */
};

struct request_save {
    char name[LIMIT_NAME_CHARS + 1];
    bool replace; /* a saved world of this name */
};

struct request_remove_save {
    char name[LIMIT_NAME_CHARS + 1];
};

/** Exactly one of on and last. */
struct request_record {
    bool has_on, on;
    bool has_last;
    double last;                     /* s: what is still in memory of the past */
    char name[LIMIT_NAME_CHARS + 1]; /* of the file, without .drover; "": one that says when */
};

/** In a recording that is played. */
struct request_seek {
    uint64_t tick;
    bool has_world;
    uint32_t world; /* its number in the recording; otherwise the one that plays */
};

/** Exactly one of seconds, ticks, tick, mark, branch and without; tick may have a branch as well. */
struct request_rewind {
    bool has_seconds, has_ticks, has_tick, has_without;
    double seconds; /* s of the world's time, back from where it is */
    uint32_t ticks; /* the same in ticks */
    uint64_t tick;
    char mark[LIMIT_NAME_CHARS + 1];
    char branch[LIMIT_NAME_CHARS + 1]; /* without tick: where it was left */
    uint64_t without;                  /* the number of the change that is left out */
    bool row;                          /* with all of its row in the list of changes */
    bool is_step;                      /* it is a step with a count below 0; not on the wire */
};

/** live, or a moment: one of seconds, ticks, mark and tick, which may have a branch; then also follow. */
struct request_look {
    struct request_rewind to;
    bool follow; /* goes on from there, as far as the live world does */
    bool live;   /* back to the present */
};

struct request_mark {
    char name[LIMIT_NAME_CHARS + 1];
};

/** What is done when the holder of a seat has not said go in time. */
enum seat_timeout {
    SEAT_TIMEOUT_PAUSE, /* the world is paused */
    SEAT_TIMEOUT_GO,    /* the tick begins without it */
    SEAT_TIMEOUT_LEAVE  /* the seat is freed */
};

struct request_seat {
    char name[LIMIT_NAME_CHARS + 1];
    uint32_t of;      /* seats that are to be taken before the world steps */
    uint32_t wait_ms; /* how long a tick waits for the holder */
    int on_timeout;   /* enum seat_timeout */
    uint32_t misses;  /* waits in a row that may end without it; then the seat is freed */
};

struct request_go {
    uint64_t tick;  /* the one that its sender has read */
    uint32_t count; /* ticks to do */
    bool hash;      /* the answer has the world's */
    bool has_return;
    struct request_subscribe view; /* as in struct request_step */
};

/** At most one of branch, save, keep and off; off is alone. The change of the twin: a parameter, or the members of a batch. */
struct request_compare {
    char branch[LIMIT_NAME_CHARS + 1]; /* what the twin is; "" and "": the present */
    char save[LIMIT_NAME_CHARS + 1];
    bool has_change; /* kind, param and value, as of set_param */
    char kind[LIMIT_NAME_CHARS + 1];
    char param[64];
    double value;
    bool has_follow, follow; /* whether later requests reach the twin as well; true when left out */
    bool keep;               /* the twin that runs is changed further */
    bool off;
};

/** Exactly one of factor and max. */
struct request_speed {
    bool has_factor;
    double factor; /* 1: as it was */
    bool max;      /* as fast as ticks can be done */
};

struct request_ping {
    bool has_t0;
    double t0; /* the client's own clock, echoed */
};

struct request_hello {
    bool has_protocol;
    uint32_t protocol;
    char name[LIMIT_PERSON_BYTES + 1]; /* of the person or program; "" when not given */
    char token[LIMIT_TOKEN_CHARS + 1]; /* a secret; "" when not given */
    bool seq;                          /* replies and events say the number of the change */
    bool speed;                        /* frames say the speed */
};

/** A place, or gone. */
struct request_cursor {
    float x, y; /* px */
    bool gone;  /* the session withdraws its cursor; the loop does it for a session that has ended */
};

struct request_add_target {
    char name[LIMIT_NAME_CHARS + 1];
    float x, y; /* px */
};

struct request_remove_target {
    char name[LIMIT_NAME_CHARS + 1];
};

/** One of circle, box and polygon; id is 0. */
struct request_add_obstacle {
    struct obstacle_def shape;
};

struct request_move_obstacle {
    uint32_t obstacle; /* id */
    float x, y;        /* px: where its first point goes */
};

struct request_set_obstacle {
    uint32_t obstacle; /* id */
    bool closed;
};

struct request_remove_obstacle {
    uint32_t obstacle; /* id */
};

struct request_help {
    char about[LIMIT_NAME_CHARS + 1]; /* one op; "" for all */
};

struct request_extra;

enum { REQUEST_UNKNOWN_BYTES = 256, REQUEST_UNKNOWN_MOST = 8, REQUEST_UNKNOWN_CHARS = 64 };

/** id: the JSON text of the id as it came (17 or "abc"), "" when the request has none.
 * unknown: the members that its op does not know, a name a line, "" when there are none; at most
 * REQUEST_UNKNOWN_MOST of at most REQUEST_UNKNOWN_CHARS bytes each, printable UTF-8. They change nothing. */
struct request {
    enum request_op op;
    bool has_at;
    uint64_t
        at; /* the tick that the world is to have when the request takes effect; of ops with REQUEST_TRAIT_AT */
    char id[LIMIT_ID_CHARS * 6 + 3];
    char unknown[REQUEST_UNKNOWN_BYTES];
    struct request_extra *extra; /* what has no fixed size (request_extra.h); NULL: nothing */
    union {
        struct request_subscribe subscribe;
        struct request_set_region set_region;
        struct request_set_target set_target;
        struct request_place place;
        struct request_get get;
        struct request_measure measure;
        struct request_export exported;
        struct request_mouse mouse;
        struct request_spawn spawn;
        struct request_remove remove;
        struct request_set_param set_param;
        struct request_get_params get_params;
        struct request_list list;
        struct request_inspect inspect;
        struct request_step step;
        struct request_load load;
        struct request_edit edit;
        struct request_ping ping;
        struct request_hello hello;
        struct request_cursor cursor;
        struct request_help help;
        struct request_add_target add_target;
        struct request_remove_target remove_target;
        struct request_add_obstacle add_obstacle;
        struct request_move_obstacle move_obstacle;
        struct request_remove_obstacle remove_obstacle;
        struct request_set_obstacle set_obstacle;
        struct request_resume resume;
        struct request_save save;
        struct request_remove_save remove_save;
        struct request_record record;
        struct request_seek seek;
        struct request_speed speed;
        struct request_drive drive;
        struct request_rewind rewind;
        struct request_mark mark;
        struct request_seat seat;
        struct request_go go;
        struct request_look look;
        struct request_compare compare;
    } body;
};

/** The wire name, "set_target". */
const char *request_op_name(enum request_op op);
/** The role an op needs. */
enum role request_role(enum request_op op);
bool request_has_trait(enum request_op op, enum request_trait trait);
/** Whether the op is answered even without an id. */
bool request_always_answers(enum request_op op);
/** "none", "viewer", "operator", "admin". */
const char *role_name(enum role role);
/** The role of this name, or ROLE_COUNT. */
enum role role_from_name(const char *name);
/** Why an op, or some of its requests (*is_limited), is not for a world in stripes, and what to do instead: a sentence
 * without a capital and a full stop. NULL: it is. */
const char *request_stripes_refusal(enum request_op op, bool *is_limited);
/** The op's table of fields (FIELD_END-ended), for documentation checks and help. */
const struct field *request_fields(enum request_op op);

/** The fields a subscription asks for (enum snapshot_field): those named, or the usual ones, and the forces,
 * as far as its layout has them. */
unsigned request_snapshot_fields(const struct request_subscribe *subscribe);
/** The names of such a set, in the order of protocol.md: "pos", "vel", ...; NULL after the last. */
const char *request_field_name(int index, unsigned *field);
/** Whether the answer may have a frame of the world, or its scenario: up to LIMIT_GET_BYTES. */
bool request_answers_with_frame(const struct request *request);
/** The wire name of a layout. */
const char *request_layout_name(int layout);

/** " (did you mean \"ping\"?)" for something like an op, else "". */
void request_op_hint(const char *op, char hint[NEAREST_HINT_BYTES]);
/** An empty request of this op: every field at its default. */
struct request request_default(enum request_op op);

/** Reads one line (no newline). Does the strict JSON check first, within these limits: json_limits_line, or
 * json_limits_admin for an admin's line.
 * returns 0; or -1 with *failure, and request->id set when an id could be read, so that the error can carry
 * it; op and unknown (or "") as well. The caller ends a request that was decoded with request_fini. */
NODISCARD int request_decode_within(const char *line, size_t length, const struct json_limits *limits,
                                    struct request *request, struct failure *failure);

/** A copy that shares the extra; request_fini ends it as well. `to` is not read. */
void request_copy(struct request *to, const struct request *from);
/** Gives back the extra of a request, if it has one. The rest stays. */
void request_fini(struct request *request);
/** The memory that a request takes beyond its fixed size. */
size_t request_extra_bytes(const struct request *request);

/** Appends the request as one line with its newline. Left-out optional fields are not written. */
void request_encode(const struct request *request, struct buffer *out);

/* The members of a request that its op does not know: noted, so that its answer can name them, and compared
 * with those it knows. They never change what a request does. */

/** Writes "unknown", an array, and "hint", a sentence, into an open object; nothing when all are known. */
void request_unknown_write(const struct request *request, struct json_writer *json);

/* The reply to `help`: every op with its role and its fields, from the table that decoding uses. */

/** Adds the member "ops" to an open reply: all of them, or the one that the request is about. 0, or -1 with
 * *failure (unknown_op, field "about"); nothing is written then. */
NODISCARD int request_help_write(const struct request_help *request, struct json_writer *json,
                                 struct failure *failure);

#endif
