/* See swarm_client.h. */
#include "swarm_client.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/system/clock.h"

enum {
    LINE_BYTES = 64 << 20,
    READ_BYTES = 1 << 18,
    DISCARD_BYTES = 1 << 20,
    RUBBISH_BYTES = 70000,
    ANSWER_BYTES = 1024
};

const char *const swarm_role_names[SWARM_ROLE_COUNT] = {"reader", "witness", "slow", "stuck", "hostile"};

/* The handshake of WebSocket; what follows it stays in the kernel. False when the server answers something else. */
static bool shake_hands(int connection) {
    static const char request[] =
        "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Protocol: drover.v1\r\n\r\n";
    char answer[ANSWER_BYTES] = "";
    size_t length = 0;
    if (send(connection, request, sizeof request - 1, MSG_NOSIGNAL) != (ssize_t)sizeof request - 1) {
        return false;
    }
    while (length < sizeof answer - 1 && recv(connection, answer + length, 1, 0) == 1) {
        answer[++length] = '\0';
        if (length >= 4 && strcmp(answer + length - 4, "\r\n\r\n") == 0) {
            return strncmp(answer, "HTTP/1.1 101 ", 13) == 0;
        }
    }
    return false;
}

/* A line, or a text message with a mask of zeros. */
static bool send_line(const struct swarm_client *client, int connection, const char *line, size_t length) {
    char frame[128] = {(char)0x81, (char)(0x80u | (length - 1))};
    if (client->is_web) {
        memcpy(frame + 6, line, length - 1);
        line = frame;
        length += 5;
    }
    return send(connection, line, length, MSG_NOSIGNAL) == (ssize_t)length;
}

int swarm_client_open(struct swarm_client *client, const struct sockaddr_in *address, double hz,
                      bool packed) {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection < 0) {
        return -1;
    }
    const int on = 1;
    const int small = 4096;
    const int large = 1 << 20; /* room for whole frames, as a viewer ought to have */
    (void)setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (client->role == SWARM_STUCK || client->role == SWARM_SLOW) {
        (void)setsockopt(connection, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    }
    if (client->role == SWARM_READER || client->role == SWARM_WITNESS) {
        (void)setsockopt(connection, SOL_SOCKET, SO_RCVBUF, &large, sizeof large);
    }
    char line[96];
    const int length = snprintf(line, sizeof line, "{\"op\":\"subscribe\",\"hz\":%d,\"layout\":\"%s\"}\n",
                                (int)hz, packed ? "packed" : "objects");
    if (connect(connection, (const struct sockaddr *)address, sizeof *address) != 0 ||
        (client->is_web && !shake_hands(connection)) ||
        (client->role != SWARM_HOSTILE && !send_line(client, connection, line, (size_t)length)) ||
        fcntl(connection, F_SETFL, O_NONBLOCK) != 0) {
        const int error = errno;
        close(connection);
        errno = error;
        return -1;
    }
    client->socket = connection;
    line_reader_init(&client->reader, LINE_BYTES);
    return 0;
}

void swarm_client_close(struct swarm_client *client) {
    if (client->socket >= 0) {
        close(client->socket);
        client->socket = -1;
        client->closes++;
        line_reader_fini(&client->reader);
    }
}

/* The age of a snapshot: its clock, the last member of the line, is the same machine's. */
static void note_age(const char *line, size_t length, struct swarm_ages *ages) {
    static const char key[] = "\"clock\":";
    for (size_t back = sizeof key; back < 64 && back < length; back++) {
        const char *at = line + length - back;
        if (strncmp(at, key, sizeof key - 1) == 0) {
            const double clock_ms = strtod(at + sizeof key - 1, NULL);
            ages->ms[ages->count++ % SWARM_AGES] = (float)((double)clock_now_ns() * 1e-6 - clock_ms);
            return;
        }
    }
}

static void note_line(struct swarm_client *client, const char *line, size_t length, struct swarm_ages *ages) {
    static const char snapshot[] = "{\"op\":\"snapshot\"", delta[] = "{\"op\":\"delta\"";
    static const char key[] = "{\"op\":\"key\""; /* part of what its deltas cost */
    static const char rival[] = "xxxx";
    static const char lag[] = "{\"op\":\"event\",\"event\":\"lag\"";
    if (strncmp(line, key, sizeof key - 1) == 0) {
        client->line_bytes += length + 1;
    } else if (strncmp(line, snapshot, sizeof snapshot - 1) == 0 ||
               strncmp(line, delta, sizeof delta - 1) == 0 || strncmp(line, rival, sizeof rival - 1) == 0) {
        client->frames++;
        client->line_bytes += length + 1;
        if (ages != NULL) {
            note_age(line, length, ages);
        }
    } else if (strncmp(line, lag, sizeof lag - 1) == 0) {
        const char *skipped = strstr(line, "\"skipped\":");
        client->lags++;
        client->skipped += skipped == NULL ? 0 : strtoull(skipped + 10, NULL, 10);
    } else if (strncmp(line, "{\"op\":\"error\"", 13) == 0) {
        client->errors++;
    }
}

/* Takes the next whole frame of a server out of the reader's bytes; false when there is none. */
static bool take_frame(struct line_reader *reader, const char **payload, size_t *length) {
    const unsigned char *head = (const unsigned char *)reader->data + reader->begin;
    const size_t left = reader->end - reader->begin;
    const size_t more = left < 2 || head[1] < 126 ? 0 : head[1] == 126 ? 2 : 8;
    if (left < 2 + more) {
        return false;
    }
    size_t size = more == 0 ? head[1] : 0;
    for (size_t i = 0; i < more; i++) {
        size = size << 8 | head[2 + i];
    }
    if (left < 2 + more + size) {
        return false;
    }
    *payload = reader->data + reader->begin + 2 + more;
    *length = size;
    reader->begin += 2 + more + size;
    reader->scanned = reader->begin;
    return true;
}

static void note_frames(struct swarm_client *client, struct swarm_ages *ages) {
    const char *message = NULL;
    size_t length = 0;
    while (take_frame(&client->reader, &message, &length)) {
        note_line(client, message, length, ages);
    }
}

static bool read_lines(struct swarm_client *client, size_t wish, struct swarm_ages *ages) {
    size_t size = 0;
    char *space = line_reader_reserve(&client->reader, wish, &size);
    if (space == NULL) {
        return false;
    }
    const ssize_t count = recv(client->socket, space, size < wish ? size : wish, 0);
    if (count <= 0) {
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    }
    client->bytes += (uint64_t)count;
    line_reader_commit(&client->reader, (size_t)count);
    if (client->is_web) {
        note_frames(client, client->role == SWARM_WITNESS ? ages : NULL);
        return true;
    }
    char *line = NULL;
    size_t length = 0;
    enum line_event event;
    while ((event = line_reader_next(&client->reader, &line, &length)) != LINE_NEED_MORE) {
        if (event == LINE_READY) {
            note_line(client, line, length, client->role == SWARM_WITNESS ? ages : NULL);
        }
    }
    return true;
}

/* The kernel discards the received bytes: no copy. */
static bool discard(struct swarm_client *client) {
    const ssize_t count = recv(client->socket, NULL, DISCARD_BYTES, MSG_TRUNC);
    if (count > 0) {
        client->bytes += (uint64_t)count;
        return true;
    }
    return count < 0 && (errno == EAGAIN || errno == EINTR);
}

bool swarm_client_read(struct swarm_client *client, struct swarm_ages *ages) {
    switch (client->role) {
    case SWARM_WITNESS:
        return read_lines(client, READ_BYTES, ages);
    case SWARM_SLOW:
        return read_lines(client, SWARM_SLOW_BYTES, ages);
    case SWARM_READER:
    case SWARM_HOSTILE:
        return discard(client);
    case SWARM_STUCK:
    case SWARM_ROLE_COUNT:
        break;
    }
    return true;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static bool send_some(const struct swarm_client *client, const char *bytes, size_t length) {
    return send(client->socket, bytes, length, MSG_NOSIGNAL) >= 0 || errno == EAGAIN;
}

static bool send_rubbish(struct swarm_client *client) {
    static char rubbish[RUBBISH_BYTES];
    const size_t length = next_random(&client->random) % sizeof rubbish;
    for (size_t i = 0; i < length; i++) {
        rubbish[i] = (char)next_random(&client->random);
    }
    return send_some(client, rubbish, length);
}

static bool send_flood(struct swarm_client *client) {
    static const char line[] = "{\"op\":\"set_target\",\"name\":\"mouse\",\"x\":1,\"y\":2}\n";
    for (int i = 0; i < 1000; i++) {
        if (send(client->socket, line, sizeof line - 1, MSG_NOSIGNAL) < 0) {
            return errno == EAGAIN;
        }
    }
    return true;
}

bool swarm_client_misbehave(struct swarm_client *client) {
    static const char half[] = "{\"op\":\"spawn\",\"kind\":";
    static const char deep[] = "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n";
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    switch (next_random(&client->random) % 6) {
    case 0:
        return send_rubbish(client);
    case 1:
        return send_flood(client);
    case 2:
        return send_some(client, half, sizeof half - 1);
    case 3:
        return send_some(client, deep, sizeof deep - 1);
    case 4:
        return send_some(client, "GET / HTTP/1.1\r\n\r\n", 18);
    default:
        (void)setsockopt(client->socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        return false;
    }
}
