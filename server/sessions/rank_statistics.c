/* See rank_statistics.h. */
#include "server/sessions/rank_statistics.h"

#include <math.h>

/* As finely as other times of `stats`: to the microsecond. */
static double rounded(double value) {
    return rint(1000.0 * value) / 1000.0;
}

static void write_times(const char *name, const struct rank_times *times, struct json_writer *json) {
    json_key(json, name);
    json_object(json);
    json_key_number(json, "mean", rounded(times->mean_ms));
    json_key_number(json, "p99", rounded(times->p99_ms));
    json_end(json);
}

static void write_rank(const struct rank_report *report, enum exchange_mode mode, struct json_writer *json) {
    json_object(json);
    json_key_unsigned(json, "rank", (uint64_t)report->rank);
    json_key_string(json, "host", report->host);
    write_times("work_ms", &report->work, json);
    write_times("wait_ms", &report->wait, json);
    json_key_unsigned(json, "agents", report->agents);
    json_key_unsigned(json, "ghosts", report->ghosts);
    json_key_unsigned(json, "migrants", report->migrants);
    if (mode == EXCHANGE_STRIPES) {
        json_key(json, "rows");
        json_array(json);
        json_unsigned(json, (uint64_t)report->row);
        json_unsigned(json, (uint64_t)report->row_end);
        json_end(json);
    }
    json_end(json);
}

void rank_statistics_write(const struct rank_table *table, uint64_t now_ns, struct json_writer *json) {
    if (table->ranks == 0) {
        return;
    }
    json_key(json, "cluster");
    json_object(json);
    json_key_string(json, "mode", table->mode == EXCHANGE_STRIPES ? "stripes" : "copy");
    json_key_unsigned(json, "count", (uint64_t)table->ranks);
    json_key_number(json, "age", rounded((double)(now_ns - table->reported_ns) * 1e-9));
    json_key_unsigned(json, "longest", (uint64_t)table->longest);
    json_key_number(json, "balance", rounded(table->balance));
    json_key_unsigned(json, "agents", table->agents);
    json_key_unsigned(json, "ghosts", table->ghosts);
    json_key_unsigned(json, "migrants", table->migrants);
    json_key_number(json, "migrants_per_second", rounded(table->migrants_hz));
    json_key_unsigned(json, "sorts", table->sorts);
    json_key(json, "ranks");
    json_array(json);
    for (int i = 0; i < table->row_count; i++) {
        write_rank(&table->rows[i], table->mode, json);
    }
    json_end(json);
    json_end(json);
}
