/* Static seconds: plays what a server's --seconds wrote, from any web server, into libdrover's handle as if a server sent it.
 *
 * The files are described in docs/deploy.md. The player says which one is wanted next, whoever has it fetches it, and its lines
 * are handed to the handle when they are due: as far apart as they were sent, about 2 s behind the world. Pure: bytes
 * and times come in as arguments.
 *
 * 1. At most one file is wanted at a time. The index is asked for about once a second.
 * 2. It begins with the newest second, or with one further back when the address ends in #back=N, and goes to any second that the index names
 *    (seconds_player_seek). A player that falls more than SECONDS_LATE_MS behind begins with the newest second again, unless it was sent back.
 * 3. An index that is gone, or names nothing new for SECONDS_PATIENCE_MS though the world is not paused, ends the handle's connection
 *    with a sentence; the handle tries again as it does with a server.
 */
#ifndef DROVER_VIEWER_LINK_SECONDS_H
#define DROVER_VIEWER_LINK_SECONDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/buffer.h"
#include "common/protocol/message_seconds.h"

/** What hello calls the server of static seconds. */
#define SECONDS_SERVER "static seconds"

enum {
    SECONDS_URL_BYTES = 1024,
    SECONDS_WISH_BYTES = SECONDS_URL_BYTES + 64,
    SECONDS_LATE_MS = 6000,
    SECONDS_PATIENCE_MS = 5000,
    SECONDS_LEAVING = 2,
    SECONDS_BYTES = 256 * 1024 * 1024
};

enum seconds_file { SECONDS_NOTHING, SECONDS_INDEX, SECONDS_SCENARIO, SECONDS_SECOND };

struct seconds_player {
    char url[SECONDS_URL_BYTES]; /* of index.json */
    uint64_t back;  /* seconds before the newest at which to begin, once: #back=N of the address */
    bool is_back;   /* it began there, or was sent there, and stays so far behind */
    bool has_wish;  /* it is to go to */
    uint64_t wish;  /* this second, as soon as no file is under way */
    uint64_t shown; /* the second of the frame that was fed last; 0: none */
    struct message_seconds index;
    bool has_index, is_open;      /* the handle has a connection: hello was fed */
    enum seconds_file fetched;    /* under way */
    double fetch_ms, advanced_ms; /* when the index is due; when it last named something new */
    double read_ms;               /* when it was last read; < 0: never */
    uint64_t lost;                /* the newest second when the connection was given up */
    bool wants_scenario;          /* of `next`, before its second */
    uint64_t next;                /* the second to be fetched; 0: join at the newest */
    int failures;                 /* to fetch it */
    struct buffer lines;          /* that are not due yet, */
    size_t at;                    /* from here on; */
    size_t edge;                  /* those from here on are of the second before `next` */
    size_t second_bytes;          /* of the last one */
    bool skips_scenario, is_dry;  /* hello said it already; all lines were played */
    bool has_said_paused;
    uint64_t last_key;
    double anchor_ms, anchor_clock_ms; /* a frame of this clock is due then; anchor_ms < 0: the next one is */
    int news;                          /* indices with something new, since it joined */
    double offset_ms; /* the server's clock is at least now + this; -HUGE_VAL: nothing is known */
    double shown_ms;  /* the clock of the frame that was fed last; < 0: none */
};

void seconds_player_init(struct seconds_player *player, const char *url);
void seconds_player_fini(struct seconds_player *player);
/** The file to be fetched now, in url (SECONDS_WISH_BYTES): true; then seconds_player_fetched follows. */
bool seconds_player_wish(struct seconds_player *player, struct drover *world, double now_ms, char *url);
/** It came. problem: NULL, or why it did not, in words. bytes: end with a NUL. */
void seconds_player_fetched(struct seconds_player *player, struct drover *world, double now_ms,
                            const char *bytes, size_t length, const char *problem);
/** Feeds what is due. Returns after how many ms at most it is to be called again. */
int seconds_player_turn(struct seconds_player *player, struct drover *world, double now_ms);
/** Goes on with this second, or the nearest that the index names; 0: with the newest. */
void seconds_player_seek(struct seconds_player *player, uint64_t number);
/** How far the last frame is behind the world, ms; < 0 when that is not known, or nothing moves. */
double seconds_player_behind_ms(const struct seconds_player *player, double now_ms);

#endif
