/* See stats_view.h. */
#include "clients/drover/live/stats_view.h"

#include <stdio.h>
#include <string.h>

#include "clients/drover/live/shown_text.h"

enum { PATH = 96, TEXT = 160 };

static double number(const struct drover_message *reply, const char *path) {
    return drover_message_number(reply, path, 0.0);
}

struct stats_counts stats_counts_of(const struct drover_message *reply) {
    return (struct stats_counts){.is_there = true,
                                 .uptime = number(reply, "uptime"),
                                 .ticks = number(reply, "ticks"),
                                 .commands = number(reply, "commands"),
                                 .bytes_received = number(reply, "bytes_received"),
                                 .bytes_sent = number(reply, "bytes_sent"),
                                 .frames_sent = number(reply, "frames_sent"),
                                 .frames_skipped = number(reply, "frames_skipped")};
}

/* "1:02:03" */
static void write_time(double seconds, struct buffer *out) {
    const unsigned long long whole = seconds > 0.0 && seconds < 1e12 ? (unsigned long long)seconds : 0u;
    buffer_printf(out, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
}

/* "12.3 MB" */
static void write_bytes(char text[TEXT], double bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (bytes >= 1000.0 && unit < 4) {
        bytes /= 1000.0;
        unit++;
    }
    (void)snprintf(text, TEXT, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

static const char *pace(const struct drover_message *reply, char text[TEXT]) {
    const double speed = number(reply, "speed");
    if (drover_message_flag(reply, "paused", 0)) {
        return "paused";
    }
    if (speed == 1.0) {
        return "running";
    }
    (void)snprintf(text, TEXT, speed == 0.0 ? "as fast as it can" : "%.4g times as fast", speed);
    return text;
}

static void write_head(const struct drover_message *reply, const char *address, struct buffer *out) {
    char text[TEXT];
    shown_text_append(out, address, strlen(address));
    buffer_append_text(out, "  up ");
    write_time(number(reply, "uptime"), out);
    buffer_printf(out, "  tick %.0f at %.0f Hz, %s, %.0f agents, %.1f candidates\n", number(reply, "tick"),
                  number(reply, "tick_hz"), pace(reply, text), number(reply, "agents"),
                  number(reply, "candidates"));
    buffer_printf(out, "ticks %.0f  overruns %.0f  dropped %.0f  requests %.0f, waiting %.0f\n\n",
                  number(reply, "ticks"), number(reply, "overruns"), number(reply, "dropped_ticks"),
                  number(reply, "commands"), number(reply, "commands_waiting"));
}

static void put_phase(const struct drover_message *reply, const char *name, const char *path,
                      struct text_table *table) {
    static const char *const measures[] = {"p50", "p99", "max"};
    char inner[PATH], text[TEXT];
    text_table_put(table, text_table_column(table, "phase, ms"), name);
    for (int i = 0; i < 3; i++) {
        (void)snprintf(inner, sizeof inner, "%.60s.%s", path, measures[i]);
        const int column = text_table_column(table, measures[i]);
        if (drover_message_type(reply, inner) == DROVER_NUMBER) {
            (void)snprintf(text, sizeof text, "%.3f", number(reply, inner));
            text_table_put(table, column, text);
        }
    }
    text_table_end_row(table);
}

static void write_phases(const struct drover_message *reply, const struct text_style *style,
                         struct buffer *out) {
    struct text_table table;
    char path[PATH];
    text_table_init(&table);
    for (int i = 0; i < drover_message_count(reply, "phases_ms"); i++) {
        const char *name = drover_message_key(reply, "phases_ms", i);
        if (name != NULL) {
            (void)snprintf(path, sizeof path, "phases_ms.%.40s", name);
            put_phase(reply, name, path, &table);
        }
    }
    put_phase(reply, "lateness", "lateness_ms", &table);
    text_table_write(&table, style, out);
    buffer_append_text(out, "\n");
    text_table_fini(&table);
}

/* A number of a rank, in its column. */
static void put_of_rank(const struct drover_message *reply, int rank, const char *member, const char *name,
                        int decimals, struct text_table *table) {
    char path[PATH], text[TEXT];
    (void)snprintf(path, sizeof path, "cluster.ranks[%d].%.40s", rank, member);
    const int column = text_table_column(table, name);
    if (drover_message_type(reply, path) == DROVER_NUMBER) {
        (void)snprintf(text, sizeof text, "%.*f", decimals, number(reply, path));
        text_table_put(table, column, text);
    }
}

/* Of stripes: "0..300". */
static void put_rows(const struct drover_message *reply, int rank, struct text_table *table) {
    char path[PATH], text[TEXT];
    (void)snprintf(path, sizeof path, "cluster.ranks[%d].rows", rank);
    if (drover_message_count(reply, path) == 2) {
        (void)snprintf(path, sizeof path, "cluster.ranks[%d].rows[0]", rank);
        const double first = number(reply, path);
        (void)snprintf(path, sizeof path, "cluster.ranks[%d].rows[1]", rank);
        (void)snprintf(text, sizeof text, "%.0f..%.0f", first, number(reply, path));
        text_table_put(table, text_table_column(table, "rows"), text);
    }
}

static void put_rank(const struct drover_message *reply, int i, struct text_table *table) {
    char path[PATH], text[TEXT];
    put_of_rank(reply, i, "rank", "rank", 0, table);
    put_of_rank(reply, i, "work_ms.mean", "work, ms", 3, table);
    put_of_rank(reply, i, "work_ms.p99", "p99", 3, table);
    put_of_rank(reply, i, "wait_ms.mean", "wait, ms", 3, table);
    put_of_rank(reply, i, "agents", "agents", 0, table);
    put_of_rank(reply, i, "ghosts", "ghosts", 0, table);
    put_of_rank(reply, i, "migrants", "migrants", 0, table);
    put_rows(reply, i, table);
    (void)snprintf(path, sizeof path, "cluster.ranks[%d].host", i);
    const char *host = drover_message_string(reply, path);
    (void)snprintf(path, sizeof path, "cluster.ranks[%d].rank", i);
    const bool is_longest = number(reply, path) == number(reply, "cluster.longest");
    (void)snprintf(text, sizeof text, "%.80s%s", host != NULL ? host : "", is_longest ? " (longest)" : "");
    text_table_put(table, text_table_column(table, "host"), text);
    text_table_end_row(table);
}

/* Of a cluster alone. */
static void write_ranks(const struct drover_message *reply, const struct text_style *style,
                        struct buffer *out) {
    if (drover_message_type(reply, "cluster") != DROVER_OBJECT) {
        return;
    }
    const char *mode = drover_message_string(reply, "cluster.mode");
    mode = mode == NULL ? "" : mode;
    buffer_printf(out, "cluster of %.0f ranks, ", number(reply, "cluster.count"));
    shown_text_append(out, mode, strlen(mode));
    buffer_printf(out, ", balance %.2f, %.1f migrants a second\n", number(reply, "cluster.balance"),
                  number(reply, "cluster.migrants_per_second"));
    struct text_table table;
    text_table_init(&table);
    for (int i = 0; i < drover_message_count(reply, "cluster.ranks"); i++) {
        put_rank(reply, i, &table);
    }
    text_table_write(&table, style, out);
    buffer_append_text(out, "\n");
    text_table_fini(&table);
}

static void put_sum(const char *name, double sum, double before, double seconds, bool is_bytes,
                    struct text_table *table) {
    char text[TEXT];
    text_table_put(table, text_table_column(table, "traffic"), name);
    (void)snprintf(text, sizeof text, "%.0f", sum);
    if (is_bytes) {
        write_bytes(text, sum);
    }
    text_table_put(table, text_table_column(table, "since the start"), text);
    const int column = text_table_column(table, "a second");
    if (seconds > 0.0) {
        (void)snprintf(text, sizeof text, "%.1f", (sum - before) / seconds);
        if (is_bytes) {
            write_bytes(text, (sum - before) / seconds);
        }
        text_table_put(table, column, text);
    }
    text_table_end_row(table);
}

static void write_traffic(const struct drover_message *reply, const struct stats_counts *before,
                          const struct text_style *style, struct buffer *out) {
    const struct stats_counts now = stats_counts_of(reply);
    const bool is_same = before->is_there && now.uptime > before->uptime && now.ticks >= before->ticks &&
                         now.bytes_sent >= before->bytes_sent;
    const double seconds = is_same ? now.uptime - before->uptime : 0.0;
    struct text_table table;
    text_table_init(&table);
    put_sum("ticks", now.ticks, before->ticks, seconds, false, &table);
    put_sum("requests", now.commands, before->commands, seconds, false, &table);
    put_sum("received", now.bytes_received, before->bytes_received, seconds, true, &table);
    put_sum("sent", now.bytes_sent, before->bytes_sent, seconds, true, &table);
    put_sum("frames sent", now.frames_sent, before->frames_sent, seconds, false, &table);
    put_sum("frames skipped", now.frames_skipped, before->frames_skipped, seconds, false, &table);
    text_table_write(&table, style, out);
    buffer_append_text(out, "\n");
    text_table_fini(&table);
}

static void write_sessions(const struct drover_message *reply, const struct text_style *style,
                           struct buffer *out) {
    struct text_table table;
    char path[PATH], text[TEXT];
    text_table_init(&table);
    text_table_put(&table, text_table_column(&table, "sessions"), "");
    for (int i = 0; i < drover_message_count(reply, "sessions"); i++) {
        const char *name = drover_message_key(reply, "sessions", i);
        if (name != NULL) {
            (void)snprintf(path, sizeof path, "sessions.%.40s", name);
            (void)snprintf(text, sizeof text, "%.0f", number(reply, path));
            text_table_put(&table, text_table_column(&table, name), text);
        }
    }
    text_table_end_row(&table);
    text_table_write(&table, style, out);
    text_table_fini(&table);
}

static void write_files(const struct drover_message *reply, struct buffer *out) {
    char now[TEXT], most[TEXT], limit[TEXT];
    write_bytes(now, number(reply, "frame_memory.now"));
    write_bytes(most, number(reply, "frame_memory.most"));
    write_bytes(limit, number(reply, "frame_memory.limit"));
    buffer_printf(out, "\nmemory of frames %s, %s at most so far, %s allowed\n", now, most, limit);
    if (drover_message_type(reply, "journal") == DROVER_OBJECT) {
        write_bytes(now, number(reply, "journal.bytes"));
        buffer_printf(out, "journal %s, on disk up to tick %.0f\n", now, number(reply, "journal.tick"));
    }
    const char *name = drover_message_string(reply, "recording.name");
    name = name == NULL ? drover_message_string(reply, "recording.file") : name;
    if (name != NULL) {
        buffer_append_text(out, "recording ");
        shown_text_append(out, name, strlen(name));
        buffer_append_text(out, "\n");
    }
}

void stats_view(const struct drover_message *reply, const struct stats_counts *before, const char *address,
                const struct text_style *style, struct buffer *out) {
    write_head(reply, address, out);
    write_phases(reply, style, out);
    write_ranks(reply, style, out);
    write_traffic(reply, before, style, out);
    write_sessions(reply, style, out);
    write_files(reply, out);
}
