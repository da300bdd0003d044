/* See health.h. */
#include "server/web/health.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/base/nodiscard.h"

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
