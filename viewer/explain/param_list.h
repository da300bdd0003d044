/* Numbers with their units, and the list of parameters. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_PARAM_LIST_H
#define DROVER_VIEWER_EXPLAIN_PARAM_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/message.h"

/* Units and numbers as a person reads them: "240 px/s", "no limit" instead of "86400 deg/s". Pure. */

enum { UNITS_TEXT = 48 };

/** The unit beside a number: "px/s"; "" for a unit that says nothing there ("1", "mass", a force's). unit: as in the
 * reply to get_params. Static storage, or `unit` itself. */
const char *units_beside(const char *unit);
/** The unit in a sentence: "mass × px/s²". "" for a plain number. Static storage, or `unit` itself. */
const char *units_in_words(const char *unit);
/** A whole number, thousands apart: "12 600". Returns its length. out has at least 27 bytes, or as many as the values of
 * the caller need. */
size_t units_format_whole(uint64_t value, char *out, size_t size);
/** Up to three decimals, thousands apart: "12 600", "0.35". No locale. out has at least 32 bytes. */
void units_format_number(double value, char *out, size_t size);
/** A value of the parameter with its unit, or "no limit" where the value stands for that. out has UNITS_TEXT bytes. */
void units_format_param(const struct message_param *param, double value, char out[UNITS_TEXT]);

/* The parameters of a kind in the order in which a person looks for them: the body, what the selected agent does now,
 * the other states; those that a filter names. Pure. */

enum { PARAM_LIST_MOST = 256 };

/** The parts of a parameter's name, "STATE/LABEL.NAME", "LABEL.NAME" or "NAME". */
struct param_name {
    char state[LIMIT_NAME_CHARS + 1];    /* "" in a kind without states, and for the body */
    char behavior[LIMIT_NAME_CHARS + 1]; /* the behavior's label; "" for the body */
    const char *name;                    /* in the parameter's own name */
};

/** A row of the list. */
struct param_row {
    int index;     /* of the parameter */
    bool is_first; /* of its behavior */
    bool is_now;   /* of the state that comes first, or of the body */
};

struct param_list {
    int count;
    struct param_row rows[PARAM_LIST_MOST];
};

/** Takes a parameter's name apart; a part that is too long is cut off. */
struct param_name param_name_of(const char *name);
/** Fills *list with the parameters of this kind. state: the one that comes after the body, "" for none. filter: a row
 * stays when its name holds each word of it, case aside; "" keeps all. */
void param_list_fill(const struct message_param *params, int count, const char *kind, const char *state,
                     const char *filter, struct param_list *list);
/** The index of a behavior's weight in the state it has one in ("" in a kind without states), or -1. */
int param_list_weight(const struct message_param *params, int count, const char *kind, const char *state,
                      const char *behavior);
/** Whether this is the weight 0 of a behavior that the agent would have in its state, but that has no term: it is muted. */
bool param_list_is_muted(const struct message_param *param, const struct message_agent *agent);

/** The end of a slider's track: the allowed range is often far wider than the sensible one. first: the value it had at
 * first */
double param_track_end(const struct message_param *param, double first);
/** A place of the track as a value, as fine as the track is: 237.4183 -> 237.4. reach: the track's length */
double param_rounded(double value, double reach);
enum { PARAM_RANGE_TEXT = 240 };
/** "0 to 400 px/s; it was 240 px/s" */
void param_range_text(const struct message_param *param, double first, char out[PARAM_RANGE_TEXT]);

#endif
