/* See seconds.h. */
#include "viewer/link/seconds.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double soon_ms = 300.0, usual_ms = 900.0; /* between two looks at the index */
static const double margin_ms = 100.0; /* a second that came late is waited for so much longer */
static const double gap_ms = 1500.0;   /* between two frames: the world stood still */
static const double drift_ms = 0.1;    /* in a second, of two clocks */
static const char back_word[] = "#back=";
static const char hello_head[] = "\"scenario\":{";

/* ---- life ---- */

void seconds_player_init(struct seconds_player *player, const char *url) {
    *player = (struct seconds_player){.read_ms = -1.0, .anchor_ms = -1.0, .shown_ms = -1.0};
    const char *back = strstr(url, back_word);
    player->back = back != NULL ? strtoull(back + strlen(back_word), NULL, 10) : 0;
    player->offset_ms = -HUGE_VAL;
    (void)snprintf(player->url, sizeof player->url, "%s", url);
    buffer_init(&player->lines, SECONDS_BYTES);
}

void seconds_player_fini(struct seconds_player *player) {
    buffer_fini(&player->lines);
}

static void forget_lines(struct seconds_player *player) {
    buffer_clear(&player->lines);
    player->at = player->edge = 0;
    player->anchor_ms = -1.0;
    player->is_dry = false;
}

/* Goes on with this second, whatever was played before. The world is described again if it may be another one. */
static void join(struct seconds_player *player, uint64_t number) {
    const struct message_seconds *index = &player->index;
    forget_lines(player);
    player->next = number;
    player->failures = 0;
    player->wants_scenario = player->shown == 0 || message_seconds_scenario(index, number) !=
                                                       message_seconds_scenario(index, player->shown);
    player->skips_scenario = false;
    player->last_key = 0;
}

static void lose(struct seconds_player *player, struct drover *world, const char *reason) {
    player->is_open = false;
    player->lost = player->has_index ? player->index.latest : 0;
    player->next = player->shown = 0;
    player->has_wish = false;
    player->shown_ms = -1.0;
    player->offset_ms = -HUGE_VAL;
    player->news = 0;
    player->fetch_ms = player->read_ms; /* with the next try */
    forget_lines(player);
    if (drover_state(world) != DROVER_WAITING) {
        drover_lost(world, reason);
    }
}

/* ---- files ---- */

static void name_file(const struct seconds_player *player, const char *name, char *url) {
    const size_t query = strcspn(player->url, "?#");
    size_t folder = query;
    while (folder > 0 && player->url[folder - 1] != '/') {
        folder--;
    }
    (void)snprintf(url, SECONDS_WISH_BYTES, "%.*s%s%s", (int)folder, player->url, name, player->url + query);
}

static bool wish(struct seconds_player *player, enum seconds_file file, uint64_t number, char *url) {
    char name[64];
    player->fetched = file;
    if (file == SECONDS_INDEX) {
        (void)snprintf(url, SECONDS_WISH_BYTES, "%s", player->url);
        return true;
    }
    (void)snprintf(name, sizeof name,
                   file == SECONDS_SCENARIO ? "scenario-%" PRIu64 ".json" : "%" PRIu64 ".ndjson", number);
    name_file(player, name, url);
    return true;
}

/* Two seconds are there, at most. */
static bool has_room(const struct seconds_player *player) {
    const size_t waiting = player->lines.length - player->at;
    return waiting == 0 || waiting < player->second_bytes + player->second_bytes / 2;
}

bool seconds_player_wish(struct seconds_player *player, struct drover *world, double now_ms, char *url) {
    const enum drover_state state = drover_state(world);
    if (player->fetched != SECONDS_NOTHING || state == DROVER_ENDED || state == DROVER_REFUSED ||
        (state == DROVER_WAITING && drover_timeout(world) != 0)) {
        return false;
    }
    if (state == DROVER_WAITING) {
        drover_opening(world);
        player->fetch_ms = now_ms;
    }
    if (player->has_wish && player->shown != 0) {
        player->has_wish = false;
        player->is_back = player->wish < player->index.latest;
        join(player, player->wish);
    }
    if (player->next != 0 && player->wants_scenario) {
        return wish(player, SECONDS_SCENARIO, message_seconds_scenario(&player->index, player->next), url);
    }
    if (player->next != 0 && player->next <= player->index.latest && has_room(player)) {
        return wish(player, SECONDS_SECOND, player->next, url);
    }
    return now_ms >= player->fetch_ms && wish(player, SECONDS_INDEX, 0, url);
}

/* The newest second is old, and nothing says why. */
static void check_age(struct seconds_player *player, struct drover *world) {
    char reason[160];
    const double age_ms = player->read_ms - player->advanced_ms;
    if (player->index.has_ended && player->is_open && player->lines.length == player->at &&
        player->next > player->index.latest) {
        lose(player, world, "the server has ended; these were its last seconds");
    } else if (!player->index.is_paused && !player->index.has_ended && player->is_open &&
               age_ms > SECONDS_PATIENCE_MS) {
        (void)snprintf(reason, sizeof reason,
                       "no new second for %.0f s: the server has stopped, or cannot write them",
                       age_ms / 1000.0);
        lose(player, world, reason);
    }
}

static void take_index(struct seconds_player *player, struct drover *world, double now_ms, const char *text) {
    struct message_seconds index;
    struct failure failure = {0};
    if (message_seconds_read(text, &index, &failure) != 0 || index.latest < index.first) {
        lose(player, world, "this is no index of static seconds; expected the address of an index.json");
        return;
    }
    const bool is_news = !player->has_index || index.latest != player->index.latest;
    player->advanced_ms = is_news ? now_ms : player->advanced_ms;
    player->fetch_ms = now_ms + (is_news && player->has_index ? usual_ms : soon_ms);
    player->fetch_ms += index.is_paused || index.has_ended ? usual_ms : 0.0;
    player->index = index;
    player->has_index = true;
    player->read_ms = now_ms;
    if (is_news) {
        player->news++; /* the first may have been old */
        player->offset_ms = fmax(player->offset_ms - drift_ms, index.clock_ms - now_ms);
    }
    if (!player->is_open && player->next == 0) {
        if (player->lost == index.latest && !index.is_paused) {
            lose(player, world,
                 index.has_ended ? "the server has ended"
                                 : "no new second: the server has stopped, or cannot write them");
            return;
        }
        const uint64_t back =
            player->back < index.latest - index.first ? player->back : index.latest - index.first;
        player->is_back = back > 0;
        player->back = 0;
        join(player, index.latest - back);
    } else if (player->next != 0 && (player->next < index.first || player->next > index.latest + 1)) {
        player->is_back = false;
        player->shown = 0;
        join(player, index.latest); /* too far behind, or the folder is another one */
    }
    check_age(player, world);
}

/* The file is a hello; a handle that has had one gets the scenario line. */
static void take_scenario(struct seconds_player *player, struct drover *world, const char *text,
                          size_t length) {
    char speed[96];
    const char *members = strstr(text, hello_head);
    if (members == NULL) {
        lose(player, world, "the file of the scenario is none");
        return;
    }
    if (!player->is_open) {
        drover_opened(world);
        (void)drover_feed(world, text, length);
        player->is_open = true;
    } else {
        members += sizeof hello_head - 1;
        const char *end = strrchr(members, '}'); /* hello's own */
        static const char head[] = "{\"op\":\"scenario\",";
        (void)drover_feed(world, head, sizeof head - 1);
        (void)drover_feed(world, members, end != NULL ? (size_t)(end - members) : 0);
        (void)drover_feed(world, "\n", 1);
    }
    if (player->index.speed != 1.0) {
        const int size =
            snprintf(speed, sizeof speed,
                     "{\"op\":\"event\",\"event\":\"speed\",\"tick\":0,\"by\":0,\"speed\":%d.%03d}\n",
                     (int)player->index.speed, (int)(player->index.speed * 1000.0) % 1000);
        (void)drover_feed(world, speed, (size_t)size);
    }
    player->wants_scenario = false;
    player->skips_scenario = true;
    player->last_key = 0;
}

static void take_second(struct seconds_player *player, const char *bytes, size_t length) {
    const size_t waiting = player->lines.length - player->at;
    if (player->at > 0) {
        memmove(player->lines.data, player->lines.data + player->at, waiting);
        player->lines.length = waiting;
        player->at = 0;
    }
    player->edge = waiting;
    buffer_append(&player->lines, bytes, length);
    if (length > 0 && bytes[length - 1] != '\n') {
        buffer_append(&player->lines, "\n", 1); /* a torn file */
    }
    player->second_bytes = length;
    player->next++;
    player->failures = 0;
}

void seconds_player_fetched(struct seconds_player *player, struct drover *world, double now_ms,
                            const char *bytes, size_t length, const char *problem) {
    enum { TRIES = 3 };
    const enum seconds_file file = player->fetched;
    char reason[256];
    player->fetched = SECONDS_NOTHING;
    if (problem == NULL && file == SECONDS_INDEX) {
        take_index(player, world, now_ms, bytes);
    } else if (problem == NULL && file == SECONDS_SCENARIO) {
        take_scenario(player, world, bytes, length);
    } else if (problem == NULL) {
        take_second(player, bytes, length);
    } else if (file == SECONDS_INDEX &&
               (!player->is_open || now_ms - player->read_ms > SECONDS_PATIENCE_MS)) {
        (void)snprintf(reason, sizeof reason, "the index of the seconds cannot be read: %s", problem);
        lose(player, world, reason);
    } else if (file == SECONDS_INDEX) {
        player->fetch_ms = now_ms + usual_ms;
    } else if (++player->failures >= TRIES && file == SECONDS_SCENARIO) {
        (void)snprintf(reason, sizeof reason, "the file of the scenario cannot be read: %s", problem);
        lose(player, world, reason);
    } else if (player->failures >= TRIES) {
        player->next++; /* others follow */
        player->failures = 0;
    }
}

/* ---- lines ---- */

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

static bool is_frame(const char *line) {
    return begins(line, "{\"op\":\"delta\"") || begins(line, "{\"op\":\"density\"") ||
           begins(line, "{\"op\":\"snapshot\"");
}

/* The clock of a frame, which is near its end: ends with a newline. */
static double clock_of(const char *line, size_t length) {
    static const char word[] = "\"clock\":";
    const size_t most = 128, from = length > most ? length - most : 0;
    for (size_t i = from; i + sizeof word < length; i++) {
        if (memcmp(line + i, word, sizeof word - 1) == 0) {
            return message_seconds_decimal(line + i + sizeof word - 1);
        }
    }
    return -1.0;
}

/* When the frame is due. A world that stood still, or another one, begins now. */
static double due_ms(struct seconds_player *player, double clock_ms, double now_ms) {
    const double since_ms = clock_ms - player->shown_ms;
    if (player->anchor_ms < 0.0 || since_ms < 0.0 || since_ms > gap_ms) {
        player->anchor_ms = now_ms;
        player->anchor_clock_ms = clock_ms;
    }
    const double due = player->anchor_ms + (clock_ms - player->anchor_clock_ms);
    if (player->is_dry && due < now_ms) { /* it came late: from now on all do */
        player->anchor_ms += now_ms - due + margin_ms;
    }
    player->is_dry = false;
    return player->anchor_ms + (clock_ms - player->anchor_clock_ms);
}

/* Whether the line has nothing that the handle does not have. */
static bool is_known(struct seconds_player *player, const char *line) {
    if (begins(line, "{\"op\":\"scenario\"")) {
        const bool is_known = player->skips_scenario;
        player->skips_scenario = false;
        player->last_key = 0;
        return is_known;
    }
    if (begins(line, "{\"op\":\"key\"")) {
        const char *at = strstr(line, "\"key\":");
        const uint64_t number = at != NULL ? strtoull(at + strlen("\"key\":"), NULL, 10) : 0;
        const bool is_known = number == player->last_key;
        player->last_key = number;
        return is_known;
    }
    player->skips_scenario = false;
    return false;
}

/* The index says whether the world is paused; lines of seconds before the newest are of a time when it was not. */
static void say_paused(struct seconds_player *player, struct drover *world, bool is_paused) {
    char line[96];
    if (player->has_said_paused != is_paused) {
        const int size =
            snprintf(line, sizeof line, "{\"op\":\"event\",\"event\":\"%s\",\"tick\":0,\"by\":0}\n",
                     is_paused ? "paused" : "resumed");
        (void)drover_feed(world, line, (size_t)size);
    }
    player->has_said_paused = is_paused;
}

static void note_end(struct seconds_player *player, struct drover *world) {
    const bool is_at_end = player->next > player->index.latest && player->shown_ms >= 0.0;
    player->is_dry = true;
    if (is_at_end && player->index.is_paused) {
        player->is_back = false;
        say_paused(player, world, true);
    } else if (!player->index.is_paused) {
        player->has_said_paused = false; /* its lines say so */
    }
}

/* Feeds the next line. 0, or how many ms too early it is. */
static double feed_line(struct seconds_player *player, struct drover *world, double now_ms) {
    const char *line = player->lines.data + player->at;
    const char *end = memchr(line, '\n', player->lines.length - player->at);
    const size_t length = end != NULL ? (size_t)(end - line) + 1 : player->lines.length - player->at;
    if (is_frame(line)) {
        const double clock_ms = clock_of(line, length), due = due_ms(player, clock_ms, now_ms);
        if (due > now_ms) {
            return due - now_ms;
        }
        if (player->is_back) {
            say_paused(player, world, false);
        }
        player->shown_ms = clock_ms;
        player->shown = player->at >= player->edge ? player->next - 1 : player->next - 2;
    }
    if (!is_known(player, line)) {
        (void)drover_feed(world, line, length);
    }
    player->at += length;
    return 0.0;
}

int seconds_player_turn(struct seconds_player *player, struct drover *world, double now_ms) {
    double wait_ms = 50.0;
    const enum drover_state state = drover_state(world);
    if (player->is_open && state != DROVER_READY && state != DROVER_CONNECTING) {
        lose(player, world, ""); /* the handle could not read it */
    }
    if (!player->is_open) {
        return (int)wait_ms;
    }
    while (player->at < player->lines.length && player->is_open) {
        const double early_ms = feed_line(player, world, now_ms);
        if (early_ms > 0.0) {
            wait_ms = fmin(wait_ms, early_ms);
            break;
        }
    }
    if (player->at == player->lines.length) {
        note_end(player, world);
    }
    check_age(player, world);
    if (player->is_open && !player->is_back && !player->index.is_paused &&
        player->next + 2 < player->index.latest &&
        seconds_player_behind_ms(player, now_ms) > SECONDS_LATE_MS) {
        join(player, player->index.latest);
    }
    return (int)ceil(wait_ms);
}

void seconds_player_seek(struct seconds_player *player, uint64_t number) {
    const struct message_seconds *index = &player->index;
    /* what is older goes soon */
    const uint64_t least =
        index->first + SECONDS_LEAVING < index->latest ? index->first + SECONDS_LEAVING : index->latest;
    player->wish = number == 0 || number > index->latest ? index->latest : number < least ? least : number;
    player->has_wish = player->shown != 0;
}

double seconds_player_behind_ms(const struct seconds_player *player, double now_ms) {
    if (!player->is_open || player->shown_ms < 0.0 || player->index.is_paused || player->index.has_ended ||
        player->news < 3) {
        return -1.0;
    }
    return fmax(now_ms + player->offset_ms - player->shown_ms, 0.0);
}
