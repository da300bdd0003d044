/* A client's description of the world follows the events about targets and obstacles. Owns nothing.
 *
 * Invariant: names stand once, and counts stay within the arrays, whatever a server says.
 */
#include <string.h>

#include "common/protocol/message.h"

static int find_target(const struct message_scenario *scenario, const char *name) {
    int index = 0;
    while (index < scenario->target_count && strcmp(scenario->targets[index], name) != 0) {
        index++;
    }
    return index;
}

static void add_target(struct message_scenario *scenario, const char *name) {
    const int index = find_target(scenario, name);
    if (index == scenario->target_count && index < LIMIT_TARGETS) {
        memcpy(scenario->targets[index], name, strlen(name) + 1);
        scenario->target_count++;
    }
}

static void remove_target(struct message_scenario *scenario, const char *name) {
    const int index = find_target(scenario, name);
    if (index < scenario->target_count) {
        scenario->target_count--;
        memmove(scenario->targets[index], scenario->targets[index + 1],
                sizeof scenario->targets[0] * (size_t)(scenario->target_count - index));
    }
}

void message_scenario_follow(struct message_scenario *scenario, const struct message_event *event) {
    if (strcmp(event->event, "target_added") == 0 && (event->has & EVENT_HAS_TARGET) != 0) {
        add_target(scenario, event->target);
    } else if (strcmp(event->event, "target_removed") == 0 && (event->has & EVENT_HAS_TARGET) != 0) {
        remove_target(scenario, event->target);
    } else if (strcmp(event->event, "obstacle_removed") == 0 && (event->has & EVENT_HAS_OBSTACLE) != 0) {
        message_geometry_remove(&scenario->geometry, event->obstacle.id);
    } else if ((event->has & EVENT_HAS_SHAPE) != 0) {
        message_geometry_put(&scenario->geometry, &event->obstacle);
    }
}
