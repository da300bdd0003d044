/* What is measured while frames arrive: rates, real time, the echo of the mouse, the plots. Pure. */
#ifndef DROVER_VIEWER_MODEL_METERS_H
#define DROVER_VIEWER_MODEL_METERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/vec2.h"
#include "common/protocol/message.h"
#include "common/snapshot/snapshot.h"

/* A rate per second over the last two seconds, from a running count. Pure. */

enum { RATE_METER_SAMPLES = 9 };

struct rate_meter {
    double times_ms[RATE_METER_SAMPLES]; /* a ring, oldest at begin */
    uint64_t counts[RATE_METER_SAMPLES];
    int begin, count;
};

/** Without measurements: the rate is not known. */
void rate_meter_init(struct rate_meter *meter);
/** Takes the present count. It may be called at any rate: a sample is kept every quarter of a second. */
void rate_meter_add(struct rate_meter *meter, double now_ms, uint64_t count);
/** The rate; < 0 in the first half second. */
double rate_meter_per_s(const struct rate_meter *meter);

/* Ticks that are done, of those that are due at the speed of the world: 1 when a second of its time takes a second at
 * speed 1, 0.09 when the server needs eleven. Pure.
 *
 * Measured by what snapshots say themselves, simulated time against the server's clock: neither the network
 * nor snapshots that are skipped change it. Over the last 3 s, or, when snapshots are further apart, over the
 * last three. Known after 1 s and two of them. Pauses and the steps in them do not count; what was known
 * before a pause holds until more is.
 */

enum { REAL_TIME_SAMPLES = 64 };

struct real_time {
    double clocks_ms[REAL_TIME_SAMPLES], times_s[REAL_TIME_SAMPLES]; /* a ring, oldest at begin */
    int begin, count;
    double speed;    /* of the newest snapshot */
    double newest_s; /* the newest time that was seen, paused or not; < 0 before the first */
    double factor;   /* < 0: not known yet */
    double pace;     /* seconds of the world's time in a second; < 0: not known yet */
    bool is_behind;
};

/** Without measurements. */
void real_time_init(struct real_time *meter);
/** A snapshot of this world: its time and when the server was there. Time that falls: another world, nothing
 * is known. speed: of the world's time then; 0: nothing is due, so nothing is behind. At another speed than before
 * nothing is known. */
void real_time_add(struct real_time *meter, double time_s, double clock_ms, double speed, bool is_paused);
/** How fast the world goes, times its own rate, at any speed; < 0: not known yet. */
double real_time_pace(const struct real_time *meter);
/** The factor while the world is behind: below 0.95, and until it is above 0.97 again. Else -1. */
double real_time_behind(const struct real_time *meter);

/* Measures the time from a motion of the mouse to a frame that shows the target there. Pure.
 *
 * Owns the newest places that were sent and the newest times that were measured.
 */

enum { ECHO_SENT = 64, ECHO_TIMES = 256 };

struct echo_sent {
    vec2 point; /* px */
    double at_ms;
};

/* Zeroed memory is an empty one. */
struct echo {
    struct echo_sent sent[ECHO_SENT]; /* oldest first; not answered yet */
    int sent_count;
    double times_ms[ECHO_TIMES]; /* a ring */
    int count;                   /* ever measured */
};

/** The mouse's target was sent to this point, px of the world. */
void echo_note_sent(struct echo *echo, vec2 point, double now_ms);
/** The target is at this place in a frame that came now: what was sent there, or before, is answered. */
void echo_note_seen(struct echo *echo, vec2 point, double now_ms);
/** The median of the measured times; < 0 without one. */
double echo_median_ms(const struct echo *echo);

/* The last minute in numbers: how many agents are in each state, how fast they go, how well they agree. Pure.
 *
 * Owns rings of a fixed size: nothing grows with time. The mean is over all agents of a snapshot; where it has a part of the world's, samples say so. Times are
 * simulated and rise: a paused world adds nothing.
 */

#ifdef __cplusplus
extern "C" {
#endif

enum { PLOTS_SAMPLES = 600, PLOTS_STATES = 6, PLOTS_SERIES_NAME = LIMIT_NAME_CHARS + 8 };

struct plots_sample {
    double time_s;    /* simulated */
    float mean_speed; /* px/s */
    float order;      /* 0: headings cancel out, 1: all the same way */
    float twin_order; /* of the twin; NAN while it is not known */
    float apart;      /* px: the mean distance of agents to their twins; NAN without twins */
    float own;        /* of the series that was chosen; NAN while it was not known */
    float twin_own;   /* the same of the twins; NAN where it is not measured */
    float states[PLOTS_STATES], twin_states[PLOTS_STATES]; /* as twin_order */
    int32_t agents;                                        /* that it is about: */
    double in_world; /* of so many; more than `agents` where only those around what is visible are sent */
};

/* As own_kind and own_name: pairs of bodies that overlap. Not measured of more agents than PLOTS_OVERLAPS_MOST. */
#define PLOTS_ALL      "*"
#define PLOTS_OVERLAPS "overlaps"
enum { PLOTS_OVERLAPS_MOST = 20000 };

/** What a sample holds; PLOTS_STATE + i is the count of state number i, PLOTS_TWIN_STATE + i that of the twin. */
enum plots_series {
    PLOTS_SPEED,
    PLOTS_ORDER,
    PLOTS_TWIN_ORDER,
    PLOTS_APART,
    PLOTS_OWN,
    PLOTS_TWIN_OWN,
    PLOTS_STATE,
    PLOTS_TWIN_STATE = PLOTS_STATE + PLOTS_STATES,
    PLOTS_SERIES = PLOTS_TWIN_STATE + PLOTS_STATES
};

struct plots {
    struct plots_sample samples[PLOTS_SAMPLES];
    int begin, count;
    char state_names[PLOTS_STATES][LIMIT_NAME_CHARS + 1]; /* in the order they were seen in */
    int state_count;
    char own_kind[LIMIT_NAME_CHARS +
                  1];  /* the chosen series: a parameter of this kind; "": the count of a state;
                                            PLOTS_ALL: a measure of all agents */
    char own_name[64]; /* the parameter, the state or PLOTS_OVERLAPS; "" for no series */
    float radii[NAME_TABLE_CAPACITY]; /* px: of kinds, by their index in the snapshot; for PLOTS_OVERLAPS */
    double in_world;                  /* agents in the world now, which the next sample takes; 0: not known */
    const struct message_comparison
        *twin;      /* what is known of the twin now, which the next sample takes; not owned; NULL: nothing */
    vec2 wrap_size; /* px: of a wrapping world; {0,0} otherwise */
    float own_value; /* of the parameter now, which the next sample takes; NAN: not known */
};

/** Without samples. */
void plots_init(struct plots *plots);
/** Without samples; the chosen series stays. */
void plots_clear(struct plots *plots);
/** Chooses a series of one's own, from now on: a parameter of a kind, with the kind "" the count of a state, or PLOTS_ALL and PLOTS_OVERLAPS; the
 * name "" for none. Names that are too long are cut off. */
void plots_choose(struct plots *plots, const char *kind, const char *name);
/** A value of a series at a sample; 0 is the oldest. */
float plots_value(const struct plots *plots, int series, int index);
/** What a series is called among those of a plot: "" for one that needs no name. */
void plots_series_name(const struct plots *plots, int series, char out[PLOTS_SERIES_NAME]);
/** Takes a sample from the snapshot, at most one in 0.1 s of simulated time. */
void plots_add(struct plots *plots, const struct snapshot *snapshot);
/** 0 is the oldest. */
const struct plots_sample *plots_at(const struct plots *plots, int index);
/** The newest sample at or before a moment; -1 when there is none. */
int plots_find(const struct plots *plots, double time_s);
/** Whether the sample is about a part of the world's agents. */
bool plots_is_part(const struct plots_sample *sample);
/** Whether some sample is about agents that have twins. */
bool plots_have_twins(const struct plots *plots);
/** As text with a head line: time_s,mean_speed,order and one column a state; where a sample is about a part of the agents
 * agents_in_view,agents_in_world as well, and with twins mean_distance_to_twin, px,
 * order_of_twin and STATE_of_twin; overlaps and overlaps_of_twin where they were chosen. -1 when it cannot be written. */
NODISCARD int plots_write_csv(const struct plots *plots, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
