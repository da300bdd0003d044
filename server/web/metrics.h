/* The answer to /metrics: what `stats` says, as counters, gauges and histograms that many servers' can be added up of.
 *
 * At most METRICS_SERIES lines of samples, METRICS_KINDS of them for the kinds of the scenario; in a cluster a few more
 * for each of at most RANK_TABLE_ROWS ranks. No label comes from a client: labels are kinds, phases,
 * roles, causes, ranks.
 */
#ifndef DROVER_SERVER_WEB_METRICS_H
#define DROVER_SERVER_WEB_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "server/loop/loop_context.h"
#include "server/simulation/rank_report.h"
#include "server/simulation/simulation.h"

/* Writes metrics as text: the format of Prometheus (0.0.4) or OpenMetrics 1.0. Pure.
 *
 *     struct metrics_text text = metrics_text_begin(&out, METRICS_OPENMETRICS);
 *     metrics_family(&text, METRIC_COUNTER, "drover_ticks", "Ticks done in real time.");
 *     metrics_sample(&text, NULL, NULL, 7.0);                        ->    drover_ticks_total 7
 *     metrics_text_end(&text);                                       ->    # EOF
 *
 * The samples of a family follow its metrics_family. A value that is not finite becomes 0.
 */

enum metrics_form { METRICS_PROMETHEUS, METRICS_OPENMETRICS };

/* INFO: a gauge of 1 whose labels are what it says. */
enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM, METRIC_SUMMARY, METRIC_INFO };

struct metrics_text {
    struct buffer *out; /* the caller's */
    enum metrics_form form;
    enum metric_type type; /* of the family */
    const char *name;      /* the same */
};

struct metric_label {
    const char *name, *value;
};

/** The count of values up to a bound. */
struct metric_bucket {
    double bound;
    uint64_t count;
};

/** The format that the value of an Accept header asks for; NULL: none was sent. */
enum metrics_form metrics_form_of(const char *accept);
/** Its Content-Type. */
const char *metrics_type_of(enum metrics_form form);

struct metrics_text metrics_text_begin(struct buffer *out, enum metrics_form form);
/** Begins a family. name: without _total, _info and so on, a literal; its unit is at its end. */
void metrics_family(struct metrics_text *text, enum metric_type type, const char *name, const char *help);
/** A sample; labels ends with a row without a name; NULL: none. */
void metrics_sample(const struct metrics_text *text, const struct metric_label *labels, double value);
/** The samples of a histogram with these buckets, whose bounds grow; count and sum are of all values. label: NULL, or
 * one. */
void metrics_histogram(const struct metrics_text *text, const struct metric_label *label,
                       const struct metric_bucket *buckets, size_t bucket_count, uint64_t count, double sum);
void metrics_text_end(const struct metrics_text *text);

enum { METRICS_SERIES = 73, METRICS_KINDS = 5, METRICS_BYTES = 64 * 1024 };

/** Appends the text. On the loop. Failure is out->failed. */
void metrics_write(const struct loop_context *loop, enum metrics_form form, struct buffer *out);

/* The part of /metrics about the ranks of a cluster. Pure. */

enum { RANK_METRICS_SERIES = 5 }; /* for each row of the table */

/** Appends the families; nothing without a cluster. */
void rank_metrics_write(struct metrics_text *text, const struct rank_table *table);

/* Whether the server is well, and whether it is ready: /healthz and /readyz. Pure.
 *
 * 1. Well: ticks begin, at most HEALTH_PATIENCE_MS later than they are due, or the world is paused. Ticks of a step, of
 * a seek and of a world that is brought to where a server before stopped are ticks as well. A server that is unwell is
 * to be started again.
 * 2. Ready: it is well, and the world that it serves is not about to be another one; visitors may come. A server that
 * says goodbye is well, but not ready. With --ready-journal, one whose journal has ended is not ready either.
 */

enum { HEALTH_PATIENCE_MS = 2000, HEALTH_REASON_BYTES = 128 };

struct health {
    bool is_good;
    char text[HEALTH_REASON_BYTES]; /* "ok\n", or the reason, with a newline */
};

/** The answer to /healthz. now_ns: clock_now_ns. */
struct health health_well(const struct simulation_motion *motion, uint64_t now_ns);
/** The answer to /readyz. is_stopping: the server says goodbye. */
struct health health_ready(const struct simulation_motion *motion, bool is_stopping, uint64_t now_ns);
/** The same of a journal that has ended, for this reason. */
struct health health_unkept(const char *reason);

#endif
