/* libdrover without a socket: a server's bytes in pieces, requests, lost connections and the time in an order that the input
 * chooses. Nothing is sent twice, each request is answered once, and what comes out is whole. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/include/drover/drover.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REQUESTS = 256 };

struct trial {
    struct drover *world;
    uint32_t seed;
    double now_ms;
    int given;
    uint8_t answers[REQUESTS], sendings[REQUESTS];
    char line[128]; /* being sent: the begin of the last, unfinished line */
    size_t length;
};

static void require(bool is_so) {
    if (!is_so) {
        abort();
    }
}

static uint32_t below(struct trial *trial, uint32_t limit) {
    trial->seed = trial->seed * 1664525u + 1013904223u;
    return (trial->seed >> 8) % limit;
}

/* ---- what comes out ---- */

static void read_frame(const struct drover_frame *frame) {
    uint64_t sum = 0;
    for (int32_t i = 0; i < frame->count; i++) {
        require(i == 0 || frame->id[i - 1] < frame->id[i]);
        require(drover_frame_row(frame, frame->id[i]) == i);
        sum += strlen(drover_frame_kind(frame, frame->kind[i])) + (uint64_t)(uint32_t)frame->x[i] +
               (uint64_t)(uint32_t)frame->heading[i];
        sum += (uint64_t)drover_frame_shares(frame, i, NULL, 0);
        sum += frame->desired != NULL ? (uint64_t)(uint32_t)frame->desired[2 * i + 1] : 0;
    }
    for (int32_t i = 0; i < frame->grid_columns * frame->grid_rows; i++) {
        sum += frame->grid_count[i] + (uint64_t)(uint32_t)frame->grid_vx[i];
    }
    for (int32_t i = 0; i < frame->target_count; i++) {
        sum += strlen(drover_frame_target(frame, i)) + (uint64_t)(uint32_t)frame->target_x[i];
    }
    require(sum != 1 || frame->world > 0);
}

static void read_message(struct trial *trial, const struct drover_message *message) {
    size_t length = 0;
    const uint64_t ticket = drover_message_ticket(message);
    require(drover_message_text(message, &length)[length] == '\0' || length > 0);
    (void)drover_message_string(message, "scenario.kinds[0].name");
    for (int i = 0; i < drover_message_count(message, ""); i++) {
        require(drover_message_key(message, "", i) != NULL);
    }
    if (ticket != 0) {
        require(ticket <= (uint64_t)trial->given && ++trial->answers[ticket - 1] == 1);
    }
}

static void take_events(struct trial *trial) {
    enum drover_event event;
    while ((event = drover_next(trial->world)) != DROVER_NOTHING) {
        if (event == DROVER_FRAME) {
            read_frame(drover_this_frame(trial->world));
            if (below(trial, 4) == 0) {
                drover_frame_free(drover_take_frame(trial->world, NULL));
            }
        } else if (event == DROVER_MESSAGE) {
            read_message(trial, drover_this_message(trial->world));
        }
    }
}

/* ---- what goes in ---- */

static void note_byte(struct trial *trial, char byte) {
    int number = 0;
    if (trial->length + 1 < sizeof trial->line) {
        trial->line[trial->length++] = byte;
    }
    if (byte == '\n') {
        trial->line[trial->length] = '\0';
        trial->length = 0;
        if (sscanf(trial->line, "{\"id\":\"~%d\",\"op\":\"spawn\"}", &number) == 1) {
            require(number >= 1 && number <= trial->given && ++trial->sendings[number - 1] == 1);
        }
    }
}

static void send_some(struct trial *trial) {
    size_t length = 0;
    const char *bytes = drover_output(trial->world, &length);
    if (bytes != NULL) {
        const size_t count = 1 + below(trial, (uint32_t)length);
        for (size_t i = 0; i < count; i++) {
            note_byte(trial, bytes[i]);
        }
        drover_sent(trial->world, count);
    }
}

static void give_request(struct trial *trial) {
    if (trial->given < REQUESTS) {
        const uint64_t ticket = drover_request(trial->world, "{\"op\":\"spawn\"}");
        require(ticket == 0 || ticket == (uint64_t)trial->given + 1);
        trial->given += ticket != 0;
    }
}

static void disturb(struct trial *trial) {
    switch (below(trial, 8)) {
    case 0:
        drover_lost(trial->world, "gone");
        trial->length = 0;
        break;
    case 1:
        trial->now_ms += below(trial, 3000);
        (void)drover_advance(trial->world, trial->now_ms);
        break;
    case 2:
    case 3:
        give_request(trial);
        break;
    case 4:
        take_events(trial);
        break;
    default:
        send_some(trial);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct trial trial = {.world = drover_create(NULL), .seed = 1};
    require(trial.world != NULL);
    for (size_t i = 0; i < size && i < 64; i++) {
        trial.seed = trial.seed * 31u + data[i];
    }
    drover_opened(trial.world);
    for (size_t at = 0; at < size;) {
        const size_t wanted = below(&trial, 4) == 0 ? 1 + below(&trial, 8) : 1 + below(&trial, 4096);
        const size_t count = wanted < size - at ? wanted : size - at;
        if (drover_state(trial.world) != DROVER_CONNECTING && drover_state(trial.world) != DROVER_READY) {
            trial.length = 0;
            drover_opened(trial.world);
        }
        (void)drover_feed(trial.world, data + at, count);
        at += count;
        disturb(&trial);
    }
    drover_lost(trial.world, "the end");
    trial.now_ms += 20000.0;
    (void)drover_advance(trial.world, trial.now_ms);
    take_events(&trial);
    for (int i = 0; i < trial.given; i++) {
        require(trial.answers[i] == 1);
    }
    drover_close(trial.world);
    return 0;
}
