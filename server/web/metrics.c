/* See metrics.h. */
#include "server/web/metrics.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/compiler.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/system/clock.h"
#include "common/system/process.h"
#include "server/simulation/logbook.h"

/* ---- text ---- */

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

/* ---- rank metrics ---- */

static const struct {
    enum metric_type type;
    const char *name, *help;
} rank_families[RANK_METRICS_SERIES] = {
    {METRIC_GAUGE, "drover_rank_work_seconds", "A rank's work in a tick: the mean of the last second."},
    {METRIC_GAUGE, "drover_rank_wait_seconds",
     "How long a rank waits for the others in a tick: the mean of the last second."},
    {METRIC_GAUGE, "drover_rank_agents", "Agents that a rank steers."},
    {METRIC_GAUGE, "drover_rank_ghosts", "Agents of other ranks that a rank sees."},
    {METRIC_COUNTER, "drover_rank_migrants", "Agents that came to a rank from others."},
};

/* Of one of these families. A counter never falls, whatever world is put in. */
static double rank_value(const struct rank_report *report, int family) {
    const double values[RANK_METRICS_SERIES] = {report->work.mean_ms * 1e-3, report->wait.mean_ms * 1e-3,
                                                (double)report->agents, (double)report->ghosts,
                                                (double)(report->migrants_before + report->migrants)};
    return values[family];
}

void rank_metrics_write(struct metrics_text *text, const struct rank_table *table) {
    for (int f = 0; table->ranks > 0 && f < RANK_METRICS_SERIES; f++) {
        metrics_family(text, rank_families[f].type, rank_families[f].name, rank_families[f].help);
        for (int i = 0; i < table->row_count; i++) {
            char rank[16];
            (void)snprintf(rank, sizeof rank, "%d", (int)table->rows[i].rank);
            const struct metric_label labels[] = {{"rank", rank}, {NULL, NULL}};
            metrics_sample(text, labels, rank_value(&table->rows[i], f));
        }
    }
}

/* Of the buckets of a meter those that are shown: 0.1, 0.8, 6.4 and 51.2 ms. At 60 ticks a second a tick has
 * 16.7 ms. */
static const int shown_buckets[] = {1, 4, 7, 10};

enum { SHOWN_BUCKETS = sizeof shown_buckets / sizeof *shown_buckets };

static double seconds(uint64_t ns) {
    return (double)ns / 1e9;
}

static void put_one(struct metrics_text *text, enum metric_type type, const char *name, const char *help,
                    double value) {
    metrics_family(text, type, name, help);
    metrics_sample(text, NULL, value);
}

static void put_counter(struct metrics_text *text, const char *name, const char *help, uint64_t value) {
    put_one(text, METRIC_COUNTER, name, help, (double)value);
}

static void put_gauge(struct metrics_text *text, const char *name, const char *help, double value) {
    put_one(text, METRIC_GAUGE, name, help, value);
}

/* A sample with one label. */
static void put_labeled(const struct metrics_text *text, const char *label, const char *value,
                        double sample) {
    const struct metric_label labels[] = {{label, value}, {NULL, NULL}};
    metrics_sample(text, labels, sample);
}

/* ---- the server ---- */

static void put_build(struct metrics_text *text, const struct loop_context *loop) {
    const struct metric_label labels[] = {{"version", DROVER_VERSION},
                                          {"simd", simulation_instructions(loop->simulation)},
                                          {"compiler", COMPILER},
                                          {NULL, NULL}};
    metrics_family(text, METRIC_INFO, "drover_build", "The program.");
    metrics_sample(text, labels, 1.0);
}

static void put_process(struct metrics_text *text, const struct loop_context *loop) {
    const struct process_usage usage = process_usage_read();
    put_one(text, METRIC_COUNTER, "process_cpu_seconds", "Processor time of all threads, user and system.",
            usage.cpu_s);
    put_gauge(text, "process_resident_memory_bytes", "Resident memory.", (double)usage.resident_bytes);
    put_gauge(text, "process_open_fds", "Open descriptors.", (double)usage.open_files);
    put_gauge(text, "process_start_time_seconds", "Start of the server, since 1970.",
              loop->statistics.started_s);
}

/* ---- the world ---- */

static void put_ticks(struct metrics_text *text, const struct simulation_statistics *statistics) {
    put_counter(text, "drover_ticks", "Ticks done in real time.", statistics->ticks);
    put_counter(text, "drover_ticks_dropped", "Ticks that were given up because the world was too slow.",
                statistics->dropped_ticks);
    put_gauge(text, "drover_tick_hz", "Ticks a second at the world's own rate.", statistics->tick_hz);
    put_gauge(text, "drover_paused", "1 while the world is paused.", statistics->is_paused ? 1.0 : 0.0);
    put_gauge(text, "drover_candidates", "Agents that the average agent looks at to find its neighbors.",
              statistics->candidates);
    put_gauge(text, "drover_command_queue", "Requests that wait for the world.",
              (double)statistics->commands_waiting);
    metrics_family(text, METRIC_SUMMARY, "drover_tick_lateness_seconds",
                   "From when a tick was due until it began, of the last 1024 ticks.");
    put_labeled(text, "quantile", "0.99", tick_meter_summarize(&statistics->lateness).p99_ms * 1e-3);
}

/* 0 also where it is not known how much: drover_left_out says whether anything is. */
static void put_loss(struct metrics_text *text, const struct message_playback *playback) {
    put_gauge(text, "drover_left_out", "1 when the world goes on without a part of its past.",
              playback->has_left_out ? 1.0 : 0.0);
    put_gauge(text, "drover_left_out_ticks", "The ticks of that part, as far as known.",
              (double)playback->left_out_ticks);
    put_gauge(text, "drover_left_out_requests", "Its requests, as far as known.",
              (double)playback->left_out_requests);
}

/* Only of a server with --state. */
static void put_journal(struct metrics_text *text, struct simulation *simulation, uint64_t now_ns) {
    struct logbook_statistics logbook;
    simulation_read_logbook(simulation, &logbook);
    const struct logbook_file_statistics *journal = &logbook.journal;
    if (!journal->is_on && !journal->has_failed) {
        return;
    }
    const bool is_on_disk = journal->is_on && journal->waiting == 0;
    put_gauge(text, "drover_journal_ok", "1 while what happens goes to the journal of --state.",
              journal->is_on ? 1.0 : 0.0);
    put_gauge(text, "drover_journal_unsynced_seconds",
              "Since all that had happened was last on disk; 0 while nothing waits.",
              is_on_disk || now_ns < journal->synced_ns ? 0.0 : seconds(now_ns - journal->synced_ns));
    put_gauge(text, "drover_journal_waiting_bytes", "Bytes of the journal that are not on disk.",
              (double)journal->waiting);
    put_gauge(text, "drover_checkpoint_age_seconds", "Since the last checkpoint was on disk.",
              now_ns < logbook.checkpoint_ns ? 0.0 : seconds(now_ns - logbook.checkpoint_ns));
    put_gauge(text, "drover_checkpoint_tick", "The tick of the last checkpoint that is on disk.",
              (double)logbook.checkpoint_tick);
    put_gauge(text, "drover_disk_free_bytes",
              "Bytes left on the disk of --state when the journal was last synced.",
              (double)journal->free_bytes);
}

static void put_seconds(struct metrics_text *text, const struct loop_statistics *statistics) {
    if (!statistics->seconds.is_on) {
        return;
    }
    put_gauge(text, "drover_seconds_ok", "1 while the seconds of --seconds can be written.",
              statistics->seconds.has_failed ? 0.0 : 1.0);
    put_counter(text, "drover_seconds_written", "Seconds that were written.", statistics->seconds.written);
    put_counter(text, "drover_seconds_left_out", "Seconds that could not be written.",
                statistics->seconds.left_out);
}

/* Where there are more than METRICS_KINDS kinds, the last ones are added up. */
static void put_agents(struct metrics_text *text, struct simulation *simulation) {
    struct simulation_kind kinds[LIMIT_KINDS];
    const int count = simulation_read_kinds(simulation, kinds);
    const int named = count <= METRICS_KINDS ? count : METRICS_KINDS - 1;
    double others = 0.0;
    metrics_family(text, METRIC_GAUGE, "drover_agents", "Agents, by kind.");
    for (int i = 0; i < named; i++) {
        put_labeled(text, "kind", kinds[i].name, (double)kinds[i].agents);
    }
    for (int i = named; i < count; i++) {
        others += (double)kinds[i].agents;
    }
    if (named < count) {
        put_labeled(text, "kind", "(others)", others);
    }
}

static void put_phase(const struct metrics_text *text, const char *phase, const struct tick_meter *meter) {
    const struct metric_label label = {"phase", phase};
    struct metric_bucket buckets[SHOWN_BUCKETS];
    for (int i = 0; i < SHOWN_BUCKETS; i++) {
        buckets[i] = (struct metric_bucket){.bound = seconds(tick_meter_bound_ns(shown_buckets[i])),
                                            .count = tick_meter_within(meter, shown_buckets[i])};
    }
    metrics_histogram(text, &label, buckets, SHOWN_BUCKETS, meter->count, seconds(meter->sum_ns));
}

static void put_phases(struct metrics_text *text, const struct simulation_statistics *statistics,
                       const struct tick_meter *broadcast_times) {
    metrics_family(text, METRIC_HISTOGRAM, "drover_tick_phase_seconds",
                   "How long the phases of a tick take: requests are applied, the world moves, it is copied, "
                   "frames are made of it.");
    put_phase(text, "commands", &statistics->command_times);
    put_phase(text, "step", &statistics->step_times);
    put_phase(text, "copy", &statistics->copy_times);
    put_phase(text, "broadcast", broadcast_times);
}

/* ---- the sessions ---- */

static void put_sessions(struct metrics_text *text, const struct loop_context *loop) {
    const struct session_set *sessions = &loop->sessions;
    uint64_t by_role[ROLE_COUNT];
    (void)statistics_count_sessions(sessions, by_role);
    metrics_family(text, METRIC_GAUGE, "drover_sessions", "Sessions now, by role.");
    for (int role = 0; role < ROLE_COUNT; role++) {
        put_labeled(text, "role", role_name((enum role)role), (double)by_role[role]);
    }
    put_gauge(text, "drover_sessions_limit", "Sessions that there may be at once.",
              (double)loop->statistics.sessions_limit);
    metrics_family(text, METRIC_COUNTER, "drover_sessions_refused",
                   "Sessions that the server refused or ended, by cause.");
    for (int cause = 0; cause < REFUSAL_COUNT; cause++) {
        put_labeled(text, "reason", refusal_name((enum refusal_cause)cause),
                    (double)refusal_log_count(&sessions->refusals, (enum refusal_cause)cause));
    }
}

static void put_traffic(struct metrics_text *text, const struct session_set *sessions) {
    const struct session_traffic traffic = session_set_traffic(sessions);
    put_counter(text, "drover_frames_sent", "Frames that were sent.", traffic.frames_sent);
    put_counter(text, "drover_frames_skipped", "Frames that were replaced by newer ones before their turn.",
                traffic.frames_skipped);
    put_counter(text, "drover_bytes_sent", "Bytes sent to sessions.", traffic.bytes_sent);
    put_counter(text, "drover_bytes_received", "Bytes received from sessions.", traffic.bytes_received);
    put_counter(text, "drover_requests", "Requests, refused ones included.", traffic.lines);
    put_counter(text, "drover_requests_refused", "Requests that were answered with an error.",
                traffic.errors);
}

void metrics_write(const struct loop_context *loop, enum metrics_form form, struct buffer *out) {
    struct simulation_statistics statistics;
    struct metrics_text text = metrics_text_begin(out, form);
    simulation_read_statistics(loop->simulation, &statistics);
    put_build(&text, loop);
    put_ticks(&text, &statistics);
    put_loss(&text, &statistics.playback);
    put_journal(&text, loop->simulation, clock_now_ns());
    put_seconds(&text, &loop->statistics);
    put_agents(&text, loop->simulation);
    put_phases(&text, &statistics, &loop->statistics.broadcast_times);
    rank_metrics_write(&text, &statistics.ranks);
    put_sessions(&text, loop);
    put_traffic(&text, &loop->sessions);
    put_process(&text, loop);
    metrics_text_end(&text);
}

/* ---- health ---- */

static struct health bad(const char *format, ...) PRINTF_LIKE(1, 2);

static struct health bad(const char *format, ...) {
    struct health health = {.is_good = false};
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(health.text, sizeof health.text, format, arguments);
    va_end(arguments);
    return health;
}

static struct health good(void) {
    return (struct health){.is_good = true, .text = "ok\n"};
}

static double seconds_since(uint64_t then_ns, uint64_t now_ns) {
    return now_ns > then_ns ? (double)(now_ns - then_ns) * 1e-9 : 0.0;
}

struct health health_well(const struct simulation_motion *motion, uint64_t now_ns) {
    const double between_s = motion->due_hz > 0.0 ? 1.0 / motion->due_hz : 0.0;
    const double still_s = seconds_since(motion->moved_ns, now_ns);
    if (motion->is_paused || still_s - between_s <= HEALTH_PATIENCE_MS * 1e-3) {
        return good();
    }
    if (motion->began_ns != 0) {
        return bad("a tick has taken %.1f s so far\n", seconds_since(motion->began_ns, now_ns));
    }
    return bad("no tick began for %.1f s\n", still_s);
}

struct health health_unkept(const char *reason) {
    return bad("the journal has ended: %.90s\n", reason);
}

struct health health_ready(const struct simulation_motion *motion, bool is_stopping, uint64_t now_ns) {
    if (is_stopping) {
        return bad("the server stops\n");
    }
    if (motion->is_resuming) {
        return bad("the world is brought to where it stopped\n");
    }
    if (motion->is_loading) {
        return bad("a world is being loaded\n");
    }
    return health_well(motion, now_ns);
}
