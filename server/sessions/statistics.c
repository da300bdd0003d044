/* See statistics.h. */
#include "server/sessions/statistics.h"

#include <math.h>

#include "common/system/clock.h"

static void write_summary(const char *name, const struct tick_meter *meter, struct json_writer *json) {
    const struct tick_meter_summary summary = tick_meter_summarise(meter);
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

static void write_sessions(const struct loop_statistics *loop, const struct session_set *sessions,
                           struct json_writer *json) {
    uint64_t by_role[ROLE_COUNT] = {0};
    uint64_t subscribed = 0;
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        if (session->id != 0) {
            by_role[session->client.role]++;
            subscribed += session->subscription.is_active ? 1 : 0;
        }
    }
    json_key(json, "sessions");
    json_object(json);
    json_key_unsigned(json, "now", (uint64_t)sessions->numbered);
    json_key_unsigned(json, "ever", loop->sessions_ever);
    json_key_unsigned(json, "refused", loop->refused);
    json_key_unsigned(json, "subscribed", subscribed);
    for (int role = 0; role < ROLE_COUNT; role++) {
        json_key_unsigned(json, role_name((enum role)role), by_role[role]);
    }
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
    json_key_unsigned(json, "commands", statistics.commands);
    json_key_unsigned(json, "commands_waiting", statistics.commands_waiting);
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
}
