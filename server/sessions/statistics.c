/* See statistics.h. */
#include "server/sessions/statistics.h"

#include <math.h>
#include <string.h>

#include "common/system/clock.h"
#include "server/simulation/logbook.h"

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

/* ---- statistics ---- */

static void write_summary(const char *name, const struct tick_meter *meter, struct json_writer *json) {
    const struct tick_meter_summary summary = tick_meter_summarize(meter);
    json_key(json, name);
    json_object(json);
    json_key_number(json, "p50", summary.p50_ms);
    json_key_number(json, "p99", summary.p99_ms);
    json_key_number(json, "max", summary.max_ms);
    json_end(json);
}

static void write_ticks(const struct simulation_statistics *statistics, struct json_writer *json) {
    json_key_number(json, "tick_hz", statistics->tick_hz);
    json_key_bool(json, "paused", statistics->is_paused);
    if (!statistics->pace.has_speed) {
        json_key_number(json, "speed", 1.0); /* elsewhere it is left out */
    }
    message_pace_write(&statistics->pace, json);
    message_playback_write(&statistics->playback, json);
    json_key_unsigned(json, "agents", statistics->agents);
    json_key_number(json, "candidates", floor(10.0 * statistics->candidates + 0.5) / 10.0);
    json_key_unsigned(json, "ticks", statistics->ticks);
    json_key_unsigned(json, "overruns", statistics->overruns);
    json_key_unsigned(json, "dropped_ticks", statistics->dropped_ticks);
    write_summary("lateness_ms", &statistics->lateness, json);
    json_key(json, "phases_ms");
    json_object(json);
    write_summary("commands", &statistics->command_times, json);
    write_summary("step", &statistics->step_times, json);
    write_summary("copy", &statistics->copy_times, json);
}

/* In whole percent, rounded down: 1 is all of them. */
static void write_ways(const struct simulation_statistics *statistics, struct json_writer *json) {
    json_key(json, "ways");
    json_array(json);
    for (int i = 0; i < statistics->way_count; i++) {
        const struct simulation_way *way = &statistics->ways[i];
        json_object(json);
        json_key_string(json, "kind", way->kind);
        json_key_string(json, "behavior", way->behavior);
        json_key_number(json, "lanes", floor(100.0 * way->lanes + 1e-6) / 100.0);
        json_end(json);
    }
    json_end(json);
}

uint64_t statistics_count_sessions(const struct session_set *sessions, uint64_t by_role[ROLE_COUNT]) {
    uint64_t subscribed = 0;
    memset(by_role, 0, ROLE_COUNT * sizeof *by_role);
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        if (session->id != 0) {
            by_role[session->client.role]++;
            subscribed += session->subscription.is_active ? 1 : 0;
        }
    }
    return subscribed;
}

static void write_sessions(const struct loop_statistics *loop, const struct session_set *sessions,
                           struct json_writer *json) {
    uint64_t by_role[ROLE_COUNT];
    const uint64_t subscribed = statistics_count_sessions(sessions, by_role);
    json_key(json, "sessions");
    json_object(json);
    json_key_unsigned(json, "now", (uint64_t)sessions->numbered);
    json_key_unsigned(json, "ever", loop->sessions_ever);
    json_key_unsigned(json, "refused", loop->refused);
    json_key_unsigned(json, "limit", loop->sessions_limit);
    json_key_unsigned(json, "subscribed", subscribed);
    for (int role = 0; role < ROLE_COUNT; role++) {
        json_key_unsigned(json, role_name((enum role)role), by_role[role]);
    }
    json_end(json);
}

/* Members only while there is such a file, or it has failed. */
static void write_logbook(struct simulation *simulation, struct json_writer *json) {
    struct logbook_statistics logbook;
    simulation_read_logbook(simulation, &logbook);
    const struct logbook_file_statistics *files[] = {&logbook.journal, &logbook.recording};
    for (int i = 0; i < 2; i++) {
        if (!files[i]->is_on && !files[i]->has_failed) {
            continue;
        }
        json_key(json, i == 0 ? "journal" : "recording");
        json_object(json);
        if (i == 1) {
            json_key_string(json, "file", files[i]->name);
        }
        json_key_unsigned(json, "bytes", files[i]->bytes);
        if (i == 0) {
            json_key_unsigned(json, "synced_tick", files[i]->synced_tick);
        }
        if (files[i]->has_failed) {
            json_key_string(json, "ended", files[i]->reason);
        }
        json_end(json);
    }
}

/* What the selfcheck found. */
static void write_difference(const struct selfcheck_difference *difference, struct json_writer *json) {
    json_key(json, "diverged");
    json_object(json);
    json_key_unsigned(json, "from", difference->from);
    json_key_unsigned(json, "tick", difference->tick);
    json_key_unsigned(json, "count", (uint64_t)difference->agents.count);
    json_key(json, "agents");
    json_array(json);
    for (int i = 0; i < difference->agents.id_count; i++) {
        json_unsigned(json, difference->agents.ids[i]);
    }
    json_end(json);
    json_end(json);
}

/* [of the world, of the twin] */
static void write_pair(const char *name, double world, double twin, struct json_writer *json) {
    json_key(json, name);
    json_array(json);
    json_number(json, world);
    json_number(json, twin);
    json_end(json);
}

static double thousandths(double value) {
    return floor(1000.0 * value + 0.5) / 1000.0;
}

static void write_twin(const struct twin_statistics *twin, struct json_writer *json) {
    json_key(json, "compare");
    json_object(json);
    json_key_unsigned(json, "from", twin->from);
    json_key_bool(json, "follow", twin->follows);
    if (twin->differs) {
        json_key_unsigned(json, "since", twin->since);
    }
    if (twin->agent != 0) {
        json_key_unsigned(json, "agent", twin->agent);
        json_key_unsigned(json, "agent_since", twin->agent_since);
    }
    json_key_unsigned(json, "differ", twin->differing);
    json_key_number(json, "mean_px", thousandths(twin->mean_px));
    json_key_number(json, "largest_px", thousandths(twin->largest_px));
    write_pair("agents", (double)twin->agents[0], (double)twin->agents[1], json);
    write_pair("polarisation", thousandths(twin->polarisation[0]), thousandths(twin->polarisation[1]), json);
    json_key(json, "states");
    json_array(json);
    for (int i = 0; i < twin->state_count; i++) {
        json_object(json);
        json_key_string(json, "kind", twin->states[i].kind);
        json_key_string(json, "state", twin->states[i].state);
        write_pair("agents", twin->states[i].agents[0], twin->states[i].agents[1], json);
        json_end(json);
    }
    json_end(json);
    json_key_unsigned(json, "refused", twin->refused);
    write_summary("step_ms", &twin->times, json);
    json_end(json);
}

/* Only while some are taken. */
static void write_seats(const struct simulation_seats *seats, struct json_writer *json) {
    if (seats->count == 0) {
        return;
    }
    json_key(json, "seats");
    json_object(json);
    json_key_unsigned(json, "taken", seats->count);
    json_key_unsigned(json, "of", seats->of);
    json_key(json, "waits_for");
    json_array(json);
    for (uint32_t i = 0; i < seats->count; i++) {
        if (seats->rows[i].is_awaited) {
            json_string(json, seats->rows[i].name);
        }
    }
    json_end(json);
    json_end(json);
}

void statistics_write(const struct loop_statistics *loop, struct simulation *simulation,
                      const struct session_set *sessions, const struct frame_memory *memory,
                      struct json_writer *json) {
    struct simulation_statistics statistics;
    simulation_read_statistics(simulation, &statistics);
    const struct session_traffic traffic = session_set_traffic(sessions);
    json_key_unsigned(json, "tick", statistics.tick);
    json_key_number(json, "uptime", rint((double)(clock_now_ns() - loop->started_ns) * 1e-6) / 1000.0);
    write_ticks(&statistics, json);
    write_summary("broadcast", &loop->broadcast_times, json);
    json_end(json); /* phases_ms */
    write_ways(&statistics, json);
    rank_statistics_write(&statistics.ranks, clock_now_ns(), json);
    json_key_unsigned(json, "commands", statistics.commands);
    json_key_unsigned(json, "commands_waiting", statistics.commands_waiting);
    if (statistics.checked > 0) {
        json_key(json, "selfcheck");
        json_object(json);
        json_key_unsigned(json, "checked", statistics.checked);
        json_key_unsigned(json, "tick", statistics.checked_tick);
        json_end(json);
    }
    if (statistics.has_diverged) {
        write_difference(&statistics.diverged, json);
    }
    write_seats(&statistics.seats, json);
    if (statistics.twin.is_on) {
        write_twin(&statistics.twin, json);
    }
    write_sessions(loop, sessions, json);
    json_key_unsigned(json, "bytes_received", traffic.bytes_received);
    json_key_unsigned(json, "bytes_sent", traffic.bytes_sent);
    json_key_unsigned(json, "frames_sent", traffic.frames_sent);
    json_key_unsigned(json, "frames_skipped", traffic.frames_skipped);
    json_key(json, "frame_memory");
    json_object(json);
    json_key_unsigned(json, "now", memory->held.now);
    json_key_unsigned(json, "most", memory->held.most);
    json_key_unsigned(json, "limit", memory->limit);
    json_end(json);
    write_logbook(simulation, json);
}
