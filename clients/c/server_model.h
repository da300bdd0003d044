/* A client's model of the server, from its messages: the scenario, the pause, the client's role, refused
 * requests. Pure.
 *
 * Owns the lists of scenarios and parameters. Invariants: 1. epoch is that of the newest hello or scenario;
 * snapshots of another epoch are not of this scenario. 2. is_paused is the server's word; requests without an
 * answer yet are kept apart from it.
 */
#ifndef DROVER_CLIENTS_C_SERVER_MODEL_H
#define DROVER_CLIENTS_C_SERVER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/message.h"
#include "common/snapshot/snapshot.h"

enum { SERVER_MODEL_LEGEND_ROWS = 14, SERVER_MODEL_DENIAL = 128 };

/* Ids of the requests whose refusal restores a value. */
#define SERVER_MODEL_PAUSE_ID "\"pause\"" /* pause and resume */
#define SERVER_MODEL_TUNE_ID  "\"tune\""  /* set_param */

/** A state seen in this scenario. */
struct legend_row {
    char state[LIMIT_NAME_CHARS + 1];
};

struct server_model {
    bool has_scenario;
    struct message_scenario scenario;
    uint32_t epoch;
    bool is_paused;
    int pauses_asked;      /* requests to pause or resume that are not answered yet: */
    bool asked_paused;     /* what the newest of them wants */
    bool has_mouse_target; /* the scenario has a target named mouse */
    uint32_t session;      /* our number */
    enum role role;        /* what we may do */
    double agent_total;    /* in the world */

    int pending_switch; /* how many scenarios forward (or back) to go when the list comes */

    char notice[640]; /* the newest notice for the user: an error, a goodbye, a load */
    bool is_notice_error;
    uint32_t notice_count; /* rises with every notice */

    struct message_scenario_row *scenarios; /* the newest list, owned; NULL before the first */
    int scenario_count;
    struct message_param *params; /* of all kinds, owned; NULL before they came */
    int param_count;
    double *first_values; /* of the parameters when they came: what "as it was" means; owned */
    bool has_agent;       /* of the newest reply to inspect: */
    struct message_agent agent;
    struct message_cursors cursors; /* of all sessions, ours too */

    struct name_table behaviors; /* in the order they were seen in: each keeps its number */
    struct legend_row legend[SERVER_MODEL_LEGEND_ROWS];
    int legend_count;
};

/** Requests that a message calls for. */
struct server_model_wish {
    const char *load; /* a scenario, or NULL; the model's, valid until it takes in the next message */
    bool params;      /* get_params of every kind: a set_param was refused */
};

void server_model_init(struct server_model *model);
void server_model_fini(struct server_model *model);
/** Takes in a message; lists and parameters are taken out of it. epoch: of the connection when it came.
 * Returns what to ask the server for now. */
struct server_model_wish server_model_apply(struct server_model *model, struct message *message,
                                            uint32_t epoch);
/** The list of scenarios was asked for, so that the scenario `steps` after (or before) this one is loaded when
 * it comes: server_model_apply then names it. */
void server_model_ask_switch(struct server_model *model, int steps);
/** Notes the states and behaviors of a snapshot of this scenario. A state that was seen stays in the legend.
 */
void server_model_note_names(struct server_model *model, const struct snapshot *snapshot);
void server_model_set_notice(struct server_model *model, bool is_error, const char *format, ...)
    PRINTF_LIKE(3, 4);

/** Whether our role allows this. Before the server has said what there is, whatever is asked for may be
 * tried. */
bool server_model_may(const struct server_model *model, enum request_op op);
/** Why it does not: "Pausing needs the role admin; you are viewer: ..."; "" when it does. out has
 * SERVER_MODEL_DENIAL bytes. */
void server_model_denial(const struct server_model *model, enum request_op op, char *out);
/** A pause (or, with false, a resume) was asked for, with SERVER_MODEL_PAUSE_ID. */
void server_model_ask_paused(struct server_model *model, bool is_paused);
/** Whether the world will be paused once all that was asked for is done. */
bool server_model_will_be_paused(const struct server_model *model);
/** Takes a parameter to a value, as the server is about to. */
void server_model_set_param(struct server_model *model, const char *kind, const char *param, double value);
/** The kind of this name, or NULL. */
const struct message_kind *server_model_kind(const struct server_model *model, const char *name);
/** The behavior's number, the same for as long as the scenario runs; 0 for one that was never seen. */
int server_model_behavior(const struct server_model *model, const char *name);
bool server_model_wraps(const struct server_model *model);
/** A point as it may be sent to the server: inside a bounded world (edge wrap would carry it to the other
 * side). */
vec2 server_model_clamp_point(const struct server_model *model, vec2 point);

/** The name `steps` after (or before) `current` in the list, around its ends; the first when current is not
 * in it; NULL when the list is empty. */
const char *server_model_neighbor(const struct message_scenario_row *rows, int count, const char *current,
                                  int steps);

#endif
