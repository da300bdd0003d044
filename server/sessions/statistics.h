/* What `stats` answers: how the world keeps time, what the sessions cost. */
#ifndef DROVER_SERVER_SESSIONS_STATISTICS_H
#define DROVER_SERVER_SESSIONS_STATISTICS_H

#include "common/json/json_writer.h"
#include "server/frames/frame_memory.h"
#include "server/sessions/session_set.h"
#include "server/simulation/simulation.h"
#include "server/simulation/tick_meter.h"

/** What the loop itself measures. */
struct loop_statistics {
    uint64_t started_ns;
    uint64_t sessions_ever, refused;   /* refused: told that the server is full, or just closed */
    struct tick_meter broadcast_times; /* encoding a frame and handing it to all who are due */
};

/** Adds the members to an open reply. */
void statistics_write(const struct loop_statistics *loop, struct simulation *simulation,
                      const struct session_set *sessions, const struct frame_memory *memory,
                      struct json_writer *json);

#endif
