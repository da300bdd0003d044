/* See service_notify.h. */
#include "server/service_notify.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/nodiscard.h"
#include "common/system/log.h"

/* ---- the environment ---- */

/* Digits alone, at most 18 of them. */
static bool read_whole(const char *text, uint64_t *out) {
    const size_t length = strlen(text);
    *out = 0;
    if (length == 0 || length > 18 || strspn(text, "0123456789") != length) {
        return false;
    }
    *out = strtoull(text, NULL, 10);
    return true;
}

/* Half of WATCHDOG_USEC; 0 when there is none, or it is meant for another process. */
static uint64_t read_watchdog(const char *usec, const char *pid) {
    uint64_t number = 0, process = 0;
    if (usec == NULL || (pid != NULL && (!read_whole(pid, &process) || process != (uint64_t)getpid()))) {
        return 0;
    }
    if (!read_whole(usec, &number) || number == 0) {
        log_write(LOG_WARN, "server", "WATCHDOG_USEC: expected microseconds, found \"%.40s\"", usec);
        return 0;
    }
    return number * 500;
}

/* A name that begins with @ is abstract: its first byte is zero. */
static bool read_address(const char *name, struct service_notify *notify) {
    const size_t length = strlen(name);
    if ((name[0] != '/' && name[0] != '@') || length < 2 || length >= sizeof notify->address.sun_path) {
        log_write(LOG_WARN, "server", "NOTIFY_SOCKET: expected a path or @NAME, found \"%.120s\"", name);
        return false;
    }
    notify->address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(notify->address.sun_path, name, length);
    notify->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (name[0] == '@') {
        notify->address.sun_path[0] = '\0';
    } else {
        notify->length++;
    }
    return true;
}

void service_notify_open(struct service_notify *notify) {
    const char *name = getenv("NOTIFY_SOCKET");
    *notify = (struct service_notify){.socket = -1};
    if (name != NULL && read_address(name, notify)) {
        notify->watchdog_ns = read_watchdog(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"));
        notify->socket = socket(AF_UNIX, SOCK_DGRAM, 0);
        if (notify->socket < 0 || fcntl(notify->socket, F_SETFD, FD_CLOEXEC) != 0) {
            log_write(LOG_WARN, "server", "NOTIFY_SOCKET: %s", strerror(errno));
        }
    }
    (void)unsetenv("NOTIFY_SOCKET");
    (void)unsetenv("WATCHDOG_USEC");
    (void)unsetenv("WATCHDOG_PID");
}

void service_notify_close(struct service_notify *notify) {
    if (notify->socket >= 0) {
        close(notify->socket);
        notify->socket = -1;
    }
}

/* ---- the text ---- */

static void copy_visible(char *to, size_t size, const char *from) {
    size_t i = 0;
    for (; from[i] != '\0' && i + 1 < size; i++) {
        to[i] = (unsigned char)from[i] < 0x20 || from[i] == 0x7f ? '?' : from[i];
    }
    to[i] = '\0';
}

void service_status_write(const struct service_status *status, char text[SERVICE_STATUS_BYTES]) {
    char name[LIMIT_NAME_CHARS + 1], state[40] = "";
    copy_visible(name, sizeof name, status->scenario);
    if (status->is_resuming) {
        (void)snprintf(state, sizeof state, ", resuming %.0f %%", 100.0 * status->resumed);
    } else if (status->is_paused) {
        (void)snprintf(state, sizeof state, ", paused");
    }
    (void)snprintf(text, SERVICE_STATUS_BYTES, "%s%s, %llu agent%s, %llu session%s, p99 %.1f ms", name, state,
                   (unsigned long long)status->agents, status->agents == 1 ? "" : "s",
                   (unsigned long long)status->sessions, status->sessions == 1 ? "" : "s",
                   status->tick_p99_ms);
}

/* ---- datagrams ---- */

/* Whether it was sent. */
static bool send_text(const struct service_notify *notify, const char *text) {
    const struct sockaddr *address = (const struct sockaddr *)&notify->address;
    return sendto(notify->socket, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL, address, notify->length) >=
           0;
}

bool service_notify_wants_status(const struct service_notify *notify, uint64_t now_ns) {
    return notify->socket >= 0 && !notify->is_stopping &&
           (!notify->is_ready || now_ns - notify->described_ns >= SERVICE_STATUS_NS);
}

static void send_status(struct service_notify *notify, const char *status, uint64_t now_ns) {
    char text[SERVICE_STATUS_BYTES + 32];
    if (notify->is_ready && strcmp(status, notify->status) == 0) {
        return;
    }
    (void)snprintf(text, sizeof text, "%sSTATUS=%s", notify->is_ready ? "" : "READY=1\n", status);
    if (send_text(notify, text)) {
        notify->is_ready = true;
        notify->described_ns = now_ns;
        (void)snprintf(notify->status, sizeof notify->status, "%s", status);
    }
}

bool service_notify_beat(struct service_notify *notify, const struct simulation_motion *motion,
                         const char *status, uint64_t now_ns) {
    if (notify->socket < 0 || notify->is_stopping || !motion->has_begun) {
        return false;
    }
    if (status != NULL) {
        send_status(notify, status, now_ns);
    }
    if (notify->watchdog_ns == 0 || now_ns - notify->watched_ns < notify->watchdog_ns) {
        return false;
    }
    if (motion->turns != notify->turns && send_text(notify, "WATCHDOG=1")) {
        notify->turns = motion->turns;
        notify->watched_ns = now_ns;
    }
    return true;
}

void service_notify_stop(struct service_notify *notify) {
    if (notify->socket >= 0 && !notify->is_stopping) {
        notify->is_stopping = true;
        (void)send_text(notify, "STOPPING=1");
    }
}
