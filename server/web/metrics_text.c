/* See metrics_text.h. */
#include "server/web/metrics_text.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "common/json/json_writer.h"

static const struct {
    const char *prometheus, *openmetrics; /* TYPE */
    const char *suffix;                   /* of the only sample */
} types[] = {
    [METRIC_COUNTER] = {"counter", "counter", "_total"}, [METRIC_GAUGE] = {"gauge", "gauge", ""},
    [METRIC_HISTOGRAM] = {"histogram", "histogram", ""}, [METRIC_SUMMARY] = {"summary", "summary", ""},
    [METRIC_INFO] = {"gauge", "info", "_info"},
};

/* ---- the format ---- */

enum metrics_form metrics_form_of(const char *accept) {
    static const char wanted[] = "application/openmetrics-text";
    for (const char *at = accept; at != NULL; at = strchr(at, ',')) {
        at += strspn(at, ", \t");
        if (strncasecmp(at, wanted, sizeof wanted - 1) == 0 &&
            strchr(" \t;,", at[sizeof wanted - 1]) != NULL) {
            return METRICS_OPENMETRICS;
        }
    }
    return METRICS_PROMETHEUS;
}

const char *metrics_type_of(enum metrics_form form) {
    return form == METRICS_OPENMETRICS ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                       : "text/plain; version=0.0.4; charset=utf-8";
}

/* ---- values and labels ---- */

static void put_number(struct buffer *out, double value) {
    char text[JSON_NUMBER_TEXT];
    const size_t length = json_number_text(text, isfinite(value) ? value : 0.0);
    buffer_append(out, text, length);
}

/* The bound of a bucket has a point in OpenMetrics, also when it is whole. */
static void put_bound(struct buffer *out, double value) {
    put_number(out, value);
    if (value == floor(value)) {
        buffer_append_text(out, ".0");
    }
}

static void put_escaped(struct buffer *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            buffer_append_text(out, "\\n");
            continue;
        }
        if (*text == '"' || *text == '\\') {
            buffer_append_text(out, "\\");
        }
        buffer_append(out, text, 1);
    }
}

static void put_label(struct buffer *out, const struct metric_label *label, bool is_first) {
    buffer_append_text(out, is_first ? "{" : ",");
    buffer_append_text(out, label->name);
    buffer_append_text(out, "=\"");
    put_escaped(out, label->value);
    buffer_append_text(out, "\"");
}

static void put_name(const struct metrics_text *text, const char *suffix) {
    buffer_append_text(text->out, text->name);
    buffer_append_text(text->out, suffix);
}

static void put_value(struct buffer *out, double value) {
    buffer_append_text(out, " ");
    put_number(out, value);
    buffer_append_text(out, "\n");
}

/* ---- families ---- */

struct metrics_text metrics_text_begin(struct buffer *out, enum metrics_form form) {
    return (struct metrics_text){.out = out, .form = form};
}

/* The older format names a counter as its samples are named. */
static void put_head(const struct metrics_text *text, const char *keyword, const char *value) {
    const bool is_plain = text->form == METRICS_OPENMETRICS || text->type == METRIC_HISTOGRAM;
    buffer_append_text(text->out, keyword);
    put_name(text, is_plain ? "" : types[text->type].suffix);
    buffer_append_text(text->out, " ");
    buffer_append_text(text->out, value);
    buffer_append_text(text->out, "\n");
}

void metrics_family(struct metrics_text *text, enum metric_type type, const char *name, const char *help) {
    text->type = type;
    text->name = name;
    put_head(text, "# HELP ", help);
    put_head(text, "# TYPE ",
             text->form == METRICS_OPENMETRICS ? types[type].openmetrics : types[type].prometheus);
}

void metrics_sample(const struct metrics_text *text, const struct metric_label *labels, double value) {
    assert(text->type != METRIC_HISTOGRAM);
    put_name(text, types[text->type].suffix);
    for (const struct metric_label *label = labels; label != NULL && label->name != NULL; label++) {
        put_label(text->out, label, label == labels);
    }
    if (labels != NULL && labels->name != NULL) {
        buffer_append_text(text->out, "}");
    }
    put_value(text->out, value);
}

static void put_bucket(const struct metrics_text *text, const struct metric_label *label, double bound,
                       uint64_t count) {
    put_name(text, "_bucket");
    if (label != NULL) {
        put_label(text->out, label, true);
    }
    buffer_append_text(text->out, label == NULL ? "{le=\"" : ",le=\"");
    if (isinf(bound)) {
        buffer_append_text(text->out, "+Inf");
    } else {
        put_bound(text->out, bound);
    }
    buffer_append_text(text->out, "\"}");
    put_value(text->out, (double)count);
}

static void put_total(const struct metrics_text *text, const char *suffix, const struct metric_label *label,
                      double value) {
    put_name(text, suffix);
    if (label != NULL) {
        put_label(text->out, label, true);
        buffer_append_text(text->out, "}");
    }
    put_value(text->out, value);
}

void metrics_histogram(const struct metrics_text *text, const struct metric_label *label,
                       const struct metric_bucket *buckets, size_t bucket_count, uint64_t count, double sum) {
    assert(text->type == METRIC_HISTOGRAM);
    for (size_t i = 0; i < bucket_count; i++) {
        put_bucket(text, label, buckets[i].bound, buckets[i].count);
    }
    put_bucket(text, label, (double)INFINITY, count);
    put_total(text, "_count", label, (double)count);
    put_total(text, "_sum", label, sum);
}

void metrics_text_end(const struct metrics_text *text) {
    if (text->form == METRICS_OPENMETRICS) {
        buffer_append_text(text->out, "# EOF\n");
    }
}
