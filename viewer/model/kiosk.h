/* What an exhibition shows and when: a playlist of scenarios, each for its time, and when a world that a visitor has
 * played with is to be as it was. Pure: told the time, ms; sends and draws nothing.
 *
 * A plain value with one owner, the app.
 */
#ifndef DROVER_VIEWER_MODEL_KIOSK_H
#define DROVER_VIEWER_MODEL_KIOSK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"

enum { KIOSK_ROWS = 320, KIOSK_USUAL_S = 60, KIOSK_LONGEST_S = 86400 };

/** A scenario, and for how long its world is shown. */
struct kiosk_row {
    char scenario[LIMIT_NAME_CHARS + 1];
    double seconds;
};

struct kiosk_list {
    struct kiosk_row rows[KIOSK_ROWS];
    int count;
};

enum kiosk_step {
    KIOSK_GOES_ON,
    KIOSK_NEXT,   /* the time of the world is over, or the one that was asked for did not come: kiosk_next */
    KIOSK_RESETS, /* the hands of the visitors rest: the world and its view are to be as they were */
};

struct kiosk {
    struct kiosk_list list;
    int at;             /* the row that is shown or was asked for; -1: a world beside the list */
    bool has_begun;     /* a world is shown: */
    double begun_ms;    /* since then */
    bool is_asked;      /* the row was asked for and has not come: */
    double asked_ms;    /* when */
    bool is_touched;    /* since the world began, or since the last reset: */
    double touched_ms;  /* when it last was */
    double reset_after; /* s that the hands rest until then */
};

/** Reads a playlist: a line is `SCENARIO` or `SCENARIO SECONDS`, empty lines and what follows a # say nothing. -1 with
 * *failure, which names the line, and *list as it was. */
NODISCARD int kiosk_list_read(const char *text, size_t length, struct kiosk_list *list,
                              struct failure *failure);
/** The playlist without a file: the scenarios of the server's list, the tutorials first, then the behaviors, the crowds
 * and those without a group, each for KIOSK_USUAL_S; without the large worlds. */
void kiosk_list_fill(struct kiosk_list *list, const struct message_scenario_row *rows, int count);

/** The world of this scenario is shown from now on. */
void kiosk_begin(struct kiosk *kiosk, const char *scenario, double now_ms);
/** A visitor has touched the mouse or a key. */
void kiosk_touch(struct kiosk *kiosk, double now_ms);
/** What is to be done now. may_load: another world can be asked for. After KIOSK_RESETS the world counts as untouched. */
enum kiosk_step kiosk_update(struct kiosk *kiosk, bool may_load, double now_ms);
/** The scenario to ask for next, which counts as asked for from now on; NULL when the list is empty. */
const char *kiosk_next(struct kiosk *kiosk, double now_ms);

#endif
