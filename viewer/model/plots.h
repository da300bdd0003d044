/* The last minute in numbers: how many agents are in each state, how fast they go, how well they agree. Pure.
 *
 * Owns rings of a fixed size: nothing grows with time. The mean is over all agents of a snapshot; where it has a part of the world's, samples say so. Times are
 * simulated and rise: a paused world adds nothing.
 */
#ifndef DROVER_VIEWER_MODEL_PLOTS_H
#define DROVER_VIEWER_MODEL_PLOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/snapshot/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLOTS_SAMPLES = 600, PLOTS_STATES = 6 };

struct plots_sample {
    double time_s;    /* simulated */
    float mean_speed; /* px/s */
    float order;      /* 0: headings cancel out, 1: all the same way */
    float own;        /* of the series that was chosen; NAN while it was not known */
    float states[PLOTS_STATES];
    int32_t agents;  /* that it is about: */
    double in_world; /* of so many; more than `agents` where only those around what is visible are sent */
};

/** What a sample holds; PLOTS_STATE + i is the count of state number i. */
enum plots_series { PLOTS_SPEED, PLOTS_ORDER, PLOTS_OWN, PLOTS_STATE };

struct plots {
    struct plots_sample samples[PLOTS_SAMPLES];
    int begin, count;
    char state_names[PLOTS_STATES][LIMIT_NAME_CHARS + 1]; /* in the order they were seen in */
    int state_count;
    char own_kind[LIMIT_NAME_CHARS +
                  1];  /* the chosen series: a parameter of this kind; "": the count of a state */
    char own_name[64]; /* the parameter or the state; "" for no series */
    double in_world;   /* agents in the world now, which the next sample takes; 0: not known */
    float own_value;   /* of the parameter now, which the next sample takes; NAN: not known */
};

/** Without samples. */
void plots_init(struct plots *plots);
/** Without samples; the chosen series stays. */
void plots_clear(struct plots *plots);
/** Chooses a series of one's own, from now on: a parameter of a kind, or with the kind "" the count of a state; the
 * name "" for none. Names that are too long are cut off. */
void plots_choose(struct plots *plots, const char *kind, const char *name);
/** A value of a series at a sample; 0 is the oldest. */
float plots_value(const struct plots *plots, int series, int index);
/** Takes a sample from the snapshot, at most one in 0.1 s of simulated time. */
void plots_add(struct plots *plots, const struct snapshot *snapshot);
/** 0 is the oldest. */
const struct plots_sample *plots_at(const struct plots *plots, int index);
/** The newest sample at or before a moment; -1 when there is none. */
int plots_find(const struct plots *plots, double time_s);
/** Whether the sample is about a part of the world's agents. */
bool plots_is_part(const struct plots_sample *sample);
/** As text with a head line: time_s,mean_speed,order and one column a state; where a sample is about a part of the agents
 * agents_in_view,agents_in_world as well. -1 when it cannot be written. */
NODISCARD int plots_write_csv(const struct plots *plots, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
