/* Control messages from the server: hello, scenario, reply, event, error, bye. Snapshots have snapshot.h.
 *
 * The server writes them with the message_write_* functions, each appending one line with its newline; the
 * viewer reads them with message_decode into one struct.
 */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/json/json_writer.h"
#include "common/protocol/message_event.h"
#include "common/protocol/message_scenario.h"
#include "common/protocol/request.h"

/* What the reply to `stats` says of the ranks of a cluster. A client reads it; the server writes it
 * (server/sessions/statistics.h).
 */

enum { MESSAGE_RANKS = 64 };

/** A rank; times are of a tick. */
struct message_rank {
    uint32_t rank;
    char host[64];
    double work_ms, work_p99_ms, wait_ms, wait_p99_ms; /* the means and 99th percentiles of the last second */
    uint64_t agents, ghosts, migrants;
    bool has_rows; /* stripes: */
    uint32_t row, row_end;
};

struct message_cluster {
    char mode[8];     /* "copy", "stripes" */
    uint32_t count;   /* of the ranks, which may be more than are listed */
    uint32_t longest; /* the number of the rank with the most work */
    double balance;   /* mean work / that of the longest rank */
    uint64_t agents, ghosts, migrants;
    double migrants_hz; /* a second */
    int rank_count;
    struct message_rank ranks[MESSAGE_RANKS];
};

/** Reads the member "cluster" of a line into *cluster, which is the caller's to free; NULL when there is none.
 * 0; or -1 with *failure, and *cluster NULL. */
NODISCARD int message_cluster_read(const cJSON *json, struct message_cluster **cluster,
                                   struct failure *failure);

/* What it says of a world and its twin (compare). */

enum { MESSAGE_TWIN_STATES = 64 };

/** How many agents of a kind are in a state; the world first in pairs. */
struct message_state_count {
    char state[LIMIT_NAME_CHARS + 1]; /* other kinds may have one with the same name */
    uint32_t agents[2];
};

struct message_comparison {
    double polarisation[2]; /* 0 to 1 */
    int state_count;
    struct message_state_count states[MESSAGE_TWIN_STATES];
};

/* What the reply to `measure` says. */

struct message_gate_count {
    char name[LIMIT_NAME_CHARS + 1];
    uint64_t forward, backward; /* ways through it, from its left to its right, and back */
};

struct message_area_count {
    char name[LIMIT_NAME_CHARS + 1];
    uint64_t agents;
    float mean_speed; /* px/s */
    float density;    /* agents for each px^2 */
};

struct message_measure {
    int gate_count, area_count;
    struct message_gate_count gates[LIMIT_GATES];
    struct message_area_count areas[LIMIT_AREAS];
};

/* What hello and stats say of a world that comes out of a recording: how far the server has got with continuing
 * it, or what it plays. Left out of both while there is nothing to say.
 */

/** Worlds of a recording whose spans are named; those beyond are only counted. */
enum { MESSAGE_REPLAY_SPANS = 64 };

/** The ticks of a world of the recording. */
struct message_replay_span {
    uint64_t first, last;
};

/** The recording that is played. */
struct message_replay {
    uint32_t world, worlds;     /* the number of the world that plays, from 1; how many there are */
    uint64_t tick, first, last; /* of that world: now, at its start, at its end in the recording */
    double speed;               /* 1: as it was; 0: as fast as it goes */
    bool has_diverged;          /* a hash was not the recorded one, at diverged_tick of diverged_world */
    uint32_t diverged_world;
    uint64_t diverged_tick;
    bool is_seeking; /* a request seek is under way: */
    double sought;   /* the share of its ticks that is done */
    int span_count;
    struct message_replay_span spans[MESSAGE_REPLAY_SPANS];
};

/* Bytes of a text of what was lost, its NUL included. */
enum { MESSAGE_LOST = 192 };

struct message_playback {
    bool is_resuming;  /* the world is brought to where the server before stopped: */
    double resumed;    /* the share of the ticks that is done */
    bool has_left_out; /* the server began before the end of the journal: */
    uint64_t left_out_ticks, left_out_requests;
    bool has_restarted;      /* the world goes on after a rank or its launcher was lost: */
    char lost[MESSAGE_LOST]; /* which one */
    uint64_t restarted_tick; /* from where */
    bool has_replay;         /* a recording is played */
    struct message_replay replay;
};

/** Writes the members "resuming", "left_out", "restarted" and "replay" into an open object, as far as they apply. */
void message_playback_write(const struct message_playback *playback, struct json_writer *json);
/** Reads them out of a line. 0, or -1 with *failure. */
NODISCARD int message_playback_read(const cJSON *json, struct message_playback *playback,
                                    struct failure *failure);

enum {
    PROTOCOL_VERSION = 1,
    MESSAGE_TEXT = 256,
    MESSAGE_SCENARIOS = 256,
    MESSAGE_SAVES = 4096,
    MESSAGE_FILE = 256,
    MESSAGE_PARAMS = 1024,
    MESSAGE_CURSOR_ROWS = 64
};

enum message_op {
    MESSAGE_HELLO,
    MESSAGE_SCENARIO,
    MESSAGE_REPLY,
    MESSAGE_EVENT,
    MESSAGE_ERROR,
    MESSAGE_BYE,
    MESSAGE_CURSORS,
    MESSAGE_SNAPSHOT, /* recognized only; decode it with snapshot_decode */
    MESSAGE_UNKNOWN,  /* an op of a later version: ignore */
};

struct message_hello {
    int protocol;
    char server[64]; /* "drover-server 0.1.0" */
    uint32_t session;
    char role[16];  /* what you may do until you show a token; "" in an older server */
    bool has_world; /* false: the rest is kept back until the session has a role */
    uint64_t tick;
    double time_s;
    bool is_paused;
    struct message_playback playback; /* of a world out of a recording */
    struct message_scenario scenario;
};

struct message_scenario_row {
    char name[LIMIT_NAME_CHARS + 1];
    char title[128];
    char description[512];
    char group[LIMIT_NAME_CHARS + 1];      /* as in struct message_about; "" for none */
    char caption[LIMIT_CAPTION_BYTES + 1]; /* likewise */
};

/** A saved world. */
struct message_save_row {
    char name[LIMIT_NAME_CHARS + 1];
    char scenario[LIMIT_NAME_CHARS + 1];
    uint64_t tick, agents, bytes;
    char saved[32]; /* when: "2026-11-21T19:00:00Z" */
};

/* What the replies to `list` say of the past of a live world. */

enum { MESSAGE_BRANCHES = 64, MESSAGE_MARKS = 64, MESSAGE_CHANGES = 256 };

struct message_branch {
    char name[LIMIT_NAME_CHARS + 1];
    char from[LIMIT_NAME_CHARS + 1]; /* the one that it leaves at the tick `at`; "" for the first one */
    uint64_t at, first, last;        /* ticks: first and last one that can be gone to */
    bool is_current;
};

struct message_mark {
    char name[LIMIT_NAME_CHARS + 1], branch[LIMIT_NAME_CHARS + 1];
    uint64_t tick;
};

/** A request that changed the world, or several of a sort in a row. */
struct message_change {
    uint64_t tick, number;
    char branch[LIMIT_NAME_CHARS + 1];
    uint32_t by, count;                /* the session; 0: one */
    char name[LIMIT_PERSON_BYTES + 1]; /* of the session; "" for none */
    char op[LIMIT_NAME_CHARS + 1], text[96];
};

struct message_past {
    bool has_branches, has_changes; /* branches and marks; changes */
    int branch_count, mark_count, change_count;
    struct message_branch branches[MESSAGE_BRANCHES];
    struct message_mark marks[MESSAGE_MARKS];
    struct message_change changes[MESSAGE_CHANGES]; /* the newest first */
};

struct message_param {
    char kind[LIMIT_NAME_CHARS + 1];
    char param[64];
    double value, min, max;
    char unit[24];
    char help[MESSAGE_TEXT];
};

/** What the parts of a tick take, ms: their medians. */
struct message_phases {
    bool is_known;
    double commands_ms, step_ms, copy_ms, broadcast_ms;
};

/** The members of a reply, by what it answers. Only what the viewer uses is decoded. */
struct message_reply {
    char to[LIMIT_NAME_CHARS + 1];
    char id[LIMIT_ID_CHARS * 6 + 3]; /* JSON text, "" when none */
    bool has_tick;
    uint64_t tick;
    /* subscribe */
    double hz;
    /* spawn: the ids follow each other */
    uint32_t first_id; /* 0 for none */
    /* ping */
    double t0, clock_ms;
    /* list what=scenarios */
    int scenario_count;
    struct message_scenario_row *scenarios; /* owned by the message */
    /* list what=saves */
    bool has_saves;
    int save_count;
    struct message_save_row *saves; /* owned by the message */
    /* list what=branches, what=changes */
    struct message_past *past; /* owned by the message; NULL in other replies */
    /* save */
    uint64_t bytes;
    char kept[16]; /* "disk" or "memory" */
    /* record: the file without .drover, the tick that it begins with */
    char file[MESSAGE_FILE];
    uint64_t from;
    /* seek: the world of the recording */
    uint32_t world;
    /* rewind: the branch in which the world goes on; look: the one that has the moment, "" for the present; mark: its name */
    char branch[LIMIT_NAME_CHARS + 1], mark[LIMIT_NAME_CHARS + 1];
    /* get_params */
    int param_count;
    struct message_param *params; /* owned by the message */
    /* hello */
    char role[16]; /* what you may do now; "" in other replies */
    /* stats, and a hello that tells what the first line had kept back */
    bool has_paused, is_paused;
    struct message_pace pace;              /* of stats, and of such a hello */
    struct message_playback playback;      /* the same */
    char recording[MESSAGE_FILE];          /* stats: the file that the server writes; "" for none */
    struct message_phases phases;          /* stats: the parts of a tick */
    struct message_cluster *cluster;       /* stats: its ranks, NULL for none; owned by the message */
    struct message_comparison *comparison; /* stats: NULL without a twin; owned by the message */
    /* measure */
    struct message_measure *measure; /* owned by the message; NULL in other replies */
    /* inspect */
    int agent_count;
    struct message_agent *agents; /* owned by the message */
};

/** The position of a session's cursor. */
struct message_cursor {
    uint32_t session;
    char name[LIMIT_PERSON_BYTES + 1]; /* "" when the session has none */
    float x, y;                        /* px */
};

/** Those of all sessions; those beyond the first MESSAGE_CURSOR_ROWS are left out. */
struct message_cursors {
    int count;
    struct message_cursor rows[MESSAGE_CURSOR_ROWS];
};

struct message_error {
    char id[LIMIT_ID_CHARS * 6 + 3];
    uint64_t line; /* of the connection, 1-based; 0 when none */
    struct failure failure;
};

struct message_bye {
    char reason[LIMIT_NAME_CHARS +
                1]; /* "client", "shutdown", "slow", "full", "protocol", "rate", "idle", "auth" */
    char message[MESSAGE_TEXT];
};

struct message {
    enum message_op op;
    union {
        struct message_hello hello;
        struct message_scenario scenario;
        struct message_reply reply;
        struct message_event event;
        struct message_error error;
        struct message_bye bye;
        struct message_cursors cursors;
    } body;
};

/** Brings what a viewer knows of the world up to date with an event about a target or an obstacle; others
 * change nothing. One that was heard of before does no harm. */
void message_scenario_follow(struct message_scenario *scenario, const struct message_event *event);

void message_write_hello(const struct message_hello *hello, struct buffer *out);
/** To the session alone that sent a request that is done and has no reply: the members its op does not know.
 * tick: the world's. */
void message_write_unknown(const struct request *request, uint64_t tick, struct buffer *out);
/** An error about a line of which no more is known than an id. line 0 leaves it out. */
void message_write_error(const char *id, uint64_t line, const struct failure *failure, struct buffer *out);
/** An error about a request: it names the members that the op does not know as well. */
void message_write_refusal(const struct request *request, uint64_t line, const struct failure *failure,
                           struct buffer *out);
/** retry_s: when to try again; 0 leaves it out. */
void message_write_bye(const char *reason, const char *text, uint32_t retry_s, struct buffer *out);

/** Opens {"op":"reply","to":...,"id":... ; the caller adds members and calls message_end_reply. */
struct json_writer message_begin_reply(enum request_op op, const char *id, struct buffer *out);
/** Whether an answer is a reply, not an error. NULL is neither. */
bool message_is_reply(const char *line, size_t length);
/** The same for a request; names the members that its op does not know. */
struct json_writer message_begin_answer(const struct request *request, struct buffer *out);
void message_end_reply(struct json_writer *json, struct buffer *out);
/** Opens the object of a member's reply within the reply to its batch: to, id, unknown; json_end closes it. */
void message_open_part(const struct request *request, struct json_writer *json);

/** Adds "seq" to a reply or an event, a malloc'd line with its newline, of *length bytes. Other lines, and NULL, stay as
 * they are. Returns the line, which may lie elsewhere now; without memory as it was. */
NODISCARD char *message_add_seq(char *line, size_t *length, uint64_t seq);

/** The op of a line by its first bytes, without parsing: MESSAGE_SNAPSHOT when it starts {"op":"snapshot",
 * else MESSAGE_UNKNOWN. */
enum message_op message_peek(const char *line, size_t length);

/** Reads one line that is not a snapshot. 0, or -1 with *failure. message_fini after use (also after
 * failure). Of an answer that is refused for another member, the id is there. */
NODISCARD int message_decode(const char *line, size_t length, struct message *message,
                             struct failure *failure);
void message_fini(struct message *message);

#endif
