/* A client's model of the server, from its messages: the scenario, the pause, the client's role, refused
 * requests. Pure.
 *
 * Owns the lists of scenarios and parameters. Invariants: 1. epoch is that of the newest hello or scenario;
 * snapshots of another epoch are not of this scenario. 2. is_paused is the server's word; requests without an
 * answer yet are kept apart from it.
 */
#ifndef DROVER_VIEWER_LINK_SERVER_MODEL_H
#define DROVER_VIEWER_LINK_SERVER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/message.h"
#include "common/snapshot/snapshot.h"

enum { SERVER_MODEL_LEGEND_ROWS = 14, SERVER_MODEL_DENIAL = 128 };

/* Ids of the requests whose refusal restores a value. */
#define SERVER_MODEL_PAUSE_ID "\"pause\"" /* pause and resume */
#define SERVER_MODEL_TUNE_ID  "\"tune\""  /* set_param */
#define SERVER_MODEL_SPEED_ID "\"speed\"" /* speed */
#define SERVER_MODEL_TWIN_ID  "\"twin\""  /* compare */
/* Ids of the requests whose answer is waited for. */
#define SERVER_MODEL_SAVE_ID      "\"save\""
#define SERVER_MODEL_SAVES_ID     "\"saves\"" /* list what=saves; an older server refuses it */
#define SERVER_MODEL_SEEK_ID      "\"seek\""
#define SERVER_MODEL_LOAD_ID      "\"load\"" /* of a saved world */
#define SERVER_MODEL_TAKE_OVER_ID "\"live\"" /* resume with live */
#define SERVER_MODEL_PAST_ID      "\"past\"" /* list what=branches, what=changes; refused: no past is kept */
#define SERVER_MODEL_REWIND_ID    "\"rewind\""
#define SERVER_MODEL_WITHOUT_ID   "\"without\"" /* list what=changes, then rewind without one of them */
#define SERVER_MODEL_LOOK_ID      "\"look\""    /* at a moment */
#define SERVER_MODEL_NOW_ID       "\"now\""     /* look with live */

/** Which moment the server's frames show us: now; another one; or one before, until the world as it is now is described. */
enum server_model_look { SERVER_MODEL_LIVE, SERVER_MODEL_LOOKS, SERVER_MODEL_RETURNS };

/** What the newest request to record asked for. */
enum server_model_record { SERVER_MODEL_STOPS, SERVER_MODEL_RECORDS, SERVER_MODEL_KEEPS };

/** A state seen in this scenario. */
struct seen_state {
    char state[LIMIT_NAME_CHARS + 1];
};

struct server_model {
    bool has_scenario;
    struct message_scenario scenario;
    uint32_t epoch;
    bool is_paused;
    bool has_twin;         /* a comparison has begun since the connection, and not ended */
    bool has_heard_twin;   /* one has begun or ended since the connection */
    int twins_asked;       /* requests to compare, or no longer, that are not answered yet: */
    bool asked_twin;       /* what the newest of them wants */
    int pauses_asked;      /* requests to pause or resume that are not answered yet: */
    bool asked_paused;     /* what the newest of them wants */
    int speeds_asked;      /* requests for a speed that are not answered yet: */
    double asked_speed;    /* what the newest of them wants */
    bool has_mouse_target; /* the scenario has a target named mouse */
    uint32_t session;      /* our number */
    enum role role;        /* what we may do */
    bool is_static;        /* static seconds: no server takes requests */
    double agent_total;    /* in the world */

    int pending_switch; /* how many scenarios forward (or back) to go when the list comes */

    char notice[640]; /* the newest notice for the user: an error, a goodbye, a load */
    bool is_notice_error, is_notice_warning;
    uint32_t notice_count; /* rises with every notice */

    struct message_scenario_row *scenarios; /* the newest list, owned; NULL before the first */
    int scenario_count;
    struct message_save_row *saves; /* the newest list, owned; NULL before the first */
    int save_count;
    struct message_past past; /* of the live world, by the newest lists; has_branches: the server keeps one */
    bool has_no_past;         /* it refused to list it */
    uint32_t past_count;      /* rises with every list */
    enum server_model_look look;
    uint64_t look_tick;                     /* the moment of the newest look */
    char asked_save[LIMIT_NAME_CHARS + 1];  /* the name of the newest request to save */
    char loaded_save[LIMIT_NAME_CHARS + 1]; /* whose scenario line is awaited; "" for none */
    enum server_model_record asked_record;
    struct message_playback playback;  /* of a world out of a recording */
    char recording[MESSAGE_FILE];      /* the file that the server writes; "" for none */
    char lost_recording[MESSAGE_FILE]; /* that it wrote in the connection before, until stats came; or "" */
    int seeks_asked;                   /* requests to seek that are not answered yet */
    struct message_param *params;      /* of all kinds, owned; NULL before they came */
    int param_count;
    double *first_values; /* of the parameters when they first came: what "as it was" means; owned */
    int first_count;
    bool
        is_first_of_before; /* of the world before the newest scenario line; the same one when `rewound` follows */
    bool has_agent;         /* of the newest reply to inspect: */
    struct message_agent agent;
    struct message_cursors cursors; /* of all sessions, ours too */

    struct seen_state legend[SERVER_MODEL_LEGEND_ROWS];
    int legend_count;
    /* by number of the scenario's kind: the first state that an agent of it was seen in; "" for none yet */
    char kind_states[LIMIT_KINDS][LIMIT_NAME_CHARS + 1];
    struct message_phases phases; /* of the newest reply to stats */
    struct message_comparison
        *comparison; /* with a twin, of the newest reply to stats; owned; NULL: there is none */
    struct message_cluster *cluster; /* its ranks, of the newest reply to stats; owned; NULL: it has none */
    uint32_t cluster_count;          /* rises with every change of them */
    struct message_measure
        *measure; /* what the newest reply to measure says; owned; NULL: of this world there was none */
    uint32_t names_count; /* rises with every state in legend and kind_states */
};

/** Requests that a message calls for. */
struct server_model_wish {
    const char *load; /* a scenario, or NULL; the model's, valid until it takes in the next message */
    bool params;      /* get_params of every kind: a set_param was refused */
    bool saves;       /* list what=saves: there are others now */
    bool stats;       /* something of it has changed */
    bool replaces;    /* the user is to be asked: a save of the name asked_save exists */
    bool sought;      /* the answer to a seek came; */
    bool reached;     /* it is the reply: playback.replay says which moment */
    bool branches;    /* list what=branches: there are others now, or marks */
    bool changes;     /* list what=changes: something was changed */
    bool rewound;     /* the answer to our rewind came */
    bool is_back;     /* the world went back to a moment that had led to where it was, an event says */
};

void server_model_init(struct server_model *model);
void server_model_fini(struct server_model *model);
/** Takes in a message; lists and parameters are taken out of it. epoch: of the connection when it came.
 * Returns what to ask the server for now. */
struct server_model_wish server_model_apply(struct server_model *model, struct message *message,
                                            uint32_t epoch);
/** Whether a tick of a branch has led to the present, as far as branches are known. */
bool server_model_is_in_effect(const struct server_model *model, const char *branch, uint64_t tick);
/** Whether a snapshot shows the world and the moment that the server's messages are about. */
bool server_model_shows(const struct server_model *model, const struct snapshot *snapshot);
/** Whether a scenario line describes the same world at another moment, to which a look, or the way back from one, has led. */
bool server_model_is_moment(const struct server_model *model, const struct message_scenario *scenario);
/** The list of scenarios was asked for, so that the scenario `steps` after (or before) this one is loaded when
 * it comes: server_model_apply then names it. */
void server_model_ask_switch(struct server_model *model, int steps);
/** Notes the states of a snapshot of this scenario. A state that was seen stays in the legend. */
void server_model_note_names(struct server_model *model, const struct snapshot *snapshot);
void server_model_set_notice(struct server_model *model, bool is_error, const char *format, ...)
    PRINTF_LIKE(3, 4);

/** The same for what is no mistake of the user's and should not be missed: amber. */
void server_model_set_warning(struct server_model *model, const char *format, ...) PRINTF_LIKE(2, 3);

/** The world is to be saved under this name, with SERVER_MODEL_SAVE_ID. */
void server_model_ask_save(struct server_model *model, const char *name);
/** A recording is asked for. */
void server_model_ask_record(struct server_model *model, enum server_model_record what);
/** The saved world of this name is to be loaded, with SERVER_MODEL_LOAD_ID. */
void server_model_ask_load(struct server_model *model, const char *save);
/** A request to seek was sent, with SERVER_MODEL_SEEK_ID. A refusal while a further one is under way is no news. */
void server_model_ask_seek(struct server_model *model);
/** 12345 -> "12 KB". */
void server_model_format_bytes(uint64_t bytes, char *out, size_t size);
/** The saved world of this name in the newest list, or NULL. */
const struct message_save_row *server_model_save(const struct server_model *model, const char *name);
/** Whether the server plays a recording. */
bool server_model_is_replay(const struct server_model *model);

/** Whether our role allows this, and a recording that is played does. Before the server has said what there is, whatever is asked for may be
 * tried. */
bool server_model_may(const struct server_model *model, enum request_op op);
/** Why it does not: "Pausing needs the role admin; you are viewer: ..."; "" when it does. out has
 * SERVER_MODEL_DENIAL bytes. */
void server_model_denial(const struct server_model *model, enum request_op op, char *out);
/** A pause (or, with false, a resume) was asked for, with SERVER_MODEL_PAUSE_ID. */
void server_model_ask_paused(struct server_model *model, bool is_paused);
/** Whether the world will be paused once all that was asked for is done. */
bool server_model_will_be_paused(const struct server_model *model);
/** How fast the time of the world goes, live or out of a recording: 1 is its own rate, 0 as fast as it can. While a speed
 * is asked for it is that one. */
double server_model_speed(const struct server_model *model);
/** When obstacles are where at a time of the world, s. */
struct message_moment server_model_moment(const struct server_model *model, double time_s);
/** The speed at which ticks come now: 0 in a warm-up, whatever the speed is. */
double server_model_pace(const struct server_model *model);
/** Whether a fresh world hurries through its warm-up. */
bool server_model_is_warming(const struct server_model *model);
/** A comparison was asked for, or its end, with SERVER_MODEL_TWIN_ID. */
void server_model_ask_twin(struct server_model *model, bool wants_twin);

/** Whether a twin will run beside the world once the server has answered. `is_shown`: the newest frame has twins, which counts
 * where no event has told of a comparison yet. */
bool server_model_will_have_twin(const struct server_model *model, bool is_shown);

/** A speed was asked for, with SERVER_MODEL_SPEED_ID: it is the speed until the server says otherwise after its answer. A
 * refusal brings the former one back. */
void server_model_ask_speed(struct server_model *model, double speed);
/** Takes a parameter to a value, as the server is about to. */
void server_model_set_param(struct server_model *model, const char *kind, const char *param, double value);
/** The kind of this name, or NULL. */
const struct message_kind *server_model_kind(const struct server_model *model, const char *name);
/** The greatest max_speed of the kinds, px/s; 0 without kinds. */
float server_model_top_speed(const struct server_model *model);
bool server_model_wraps(const struct server_model *model);
/** A point as it may be sent to the server: inside a bounded world (edge wrap would carry it to the other
 * side). */
vec2 server_model_clamp_point(const struct server_model *model, vec2 point);

/** The name `steps` after (or before) `current` in the list, around its ends; the first when current is not
 * in it; NULL when the list is empty. */
const char *server_model_neighbor(const struct message_scenario_row *rows, int count, const char *current,
                                  int steps);

#endif
