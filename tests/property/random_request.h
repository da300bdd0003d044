/* Random requests that change a world: most of them can be done in it. */
#ifndef DROVER_TESTS_PROPERTY_RANDOM_REQUEST_H
#define DROVER_TESTS_PROPERTY_RANDOM_REQUEST_H

#include <inttypes.h>
#include <stdio.h>

#include "server/sim/world/world.h"
#include "tests/property/random_world.h"

struct place {
    double x, y;
};

static inline struct place some_place(const struct world *world) {
    const vec2 size = world_size(world);
    return (struct place){(double)any(0.0f, size.x), (double)any(0.0f, size.y)};
}

static inline const char *some_kind(const struct world *world) {
    return world_kind(world, below(world_kind_count(world)))->name;
}

static inline uint32_t some_agent(const struct world *world) {
    const int32_t count = world_agent_count(world);
    return count == 0 ? 1 : world_agent(world, below(count)).id;
}

static inline const char *some_target(const struct world *world) {
    const int count = world_target_count(world);
    return count == 0 ? "mouse" : world_target_name(world, below(count));
}

static inline void write_set_param(const struct world *world, char *text, size_t room) {
    struct param_ref ref;
    char name[64] = "mass";
    double value = 1.0;
    const int kind = below(world_kind_count(world));
    if (world_param_at(world, kind, below(24), &ref, name)) {
        value = world_get_param(world, &ref) * (double)any(0.7f, 1.3f);
    }
    (void)snprintf(text, room, "{\"op\":\"set_param\",\"kind\":\"%s\",\"param\":\"%s\",\"value\":%.17g}",
                   world_kind(world, kind)->name, name, value);
}

static inline void write_obstacle_request(const struct world *world, char *text, size_t room) {
    const struct geometry_def *def = &world_scenery(world)->def;
    const struct place at = some_place(world);
    const uint32_t id = def->obstacle_count == 0 ? 1 : def->obstacles[below(def->obstacle_count)].id;
    switch (below(4)) {
    case 0:
        (void)snprintf(text, room, "{\"op\":\"remove_obstacle\",\"obstacle\":%" PRIu32 "}", id);
        break;
    case 1:
        (void)snprintf(text, room,
                       "{\"op\":\"move_obstacle\",\"obstacle\":%" PRIu32 ",\"x\":%.3f,\"y\":%.3f}", id, at.x,
                       at.y);
        break;
    case 2:
        (void)snprintf(text, room, "{\"op\":\"add_obstacle\",\"box\":[%.3f,%.3f,12,7.25]}", at.x, at.y);
        break;
    default:
        (void)snprintf(text, room, "{\"op\":\"add_obstacle\",\"circle\":[%.3f,%.3f,9.1]}", at.x, at.y);
    }
}

static inline void write_set_target(const struct world *world, char *text, size_t room) {
    const struct place at = some_place(world);
    switch (below(4)) {
    case 0:
        (void)snprintf(text, room, "{\"op\":\"set_target\",\"agent\":%" PRIu32 ",\"x\":%.3f,\"y\":%.3f}",
                       some_agent(world), at.x, at.y);
        break;
    case 1:
        (void)snprintf(text, room, "{\"op\":\"set_target\",\"agent\":%" PRIu32 ",\"follow\":\"%s\"}",
                       some_agent(world), some_target(world));
        break;
    case 2:
        (void)snprintf(text, room, "{\"op\":\"set_target\",\"kind\":\"%s\",\"follow\":\"%s\"}",
                       some_kind(world), some_target(world));
        break;
    default:
        (void)snprintf(text, room, "{\"op\":\"set_target\",\"name\":\"%s\",\"x\":%.3f,\"y\":%.3f}",
                       some_target(world), at.x, at.y);
    }
}

static inline void write_place(const struct world *world, char *text, size_t room) {
    const struct place at = some_place(world);
    if (below(2) == 0) {
        (void)snprintf(text, room,
                       "{\"op\":\"place\",\"agent\":%" PRIu32 ",\"x\":%.3f,\"y\":%.3f,\"stamina\":%d}",
                       some_agent(world), at.x, at.y, below(20));
    } else {
        (void)snprintf(text, room,
                       "{\"op\":\"place\",\"agents\":[%" PRIu32 ",%" PRIu32
                       "],\"x\":[%.3f,1],\"y\":[%.3f,2],\"vx\":[-5,7.5],\"vy\":[0,%d],\"heading\":[%d,0]}",
                       some_agent(world), some_agent(world), at.x, at.y, below(50), below(360));
    }
}

/** Writes one of those that may stand in a batch, as a line without its newline. */
static inline void write_change(const struct world *world, char *text, size_t room) {
    const struct place at = some_place(world);
    switch (below(6)) {
    case 0:
        (void)snprintf(text, room, "{\"op\":\"spawn\",\"kind\":\"%s\",\"count\":%d,\"x\":%.3f,\"y\":%.3f}",
                       some_kind(world), 1 + below(5), at.x, at.y);
        break;
    case 1:
        (void)snprintf(text, room, "{\"op\":\"remove\",\"agents\":[%" PRIu32 ",%" PRIu32 "]}",
                       some_agent(world), some_agent(world));
        break;
    case 4:
        write_place(world, text, room);
        break;
    case 2:
        write_set_param(world, text, room);
        break;
    case 3:
        write_obstacle_request(world, text, room);
        break;
    default:
        write_set_target(world, text, room);
    }
}

#endif
