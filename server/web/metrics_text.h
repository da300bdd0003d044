/* Writes metrics as text: the format of Prometheus (0.0.4) or OpenMetrics 1.0. Pure.
 *
 *     struct metrics_text text = metrics_text_begin(&out, METRICS_OPENMETRICS);
 *     metrics_family(&text, METRIC_COUNTER, "drover_ticks", "Ticks done in real time.");
 *     metrics_sample(&text, NULL, NULL, 7.0);                        ->    drover_ticks_total 7
 *     metrics_text_end(&text);                                       ->    # EOF
 *
 * The samples of a family follow its metrics_family. A value that is not finite becomes 0.
 */
#ifndef DROVER_SERVER_WEB_METRICS_TEXT_H
#define DROVER_SERVER_WEB_METRICS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

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

#endif
