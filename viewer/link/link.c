/* See link.h. */
#include "viewer/link/link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_check.h"
#include "common/system/clock.h"
#include "common/system/log.h"

/* ---- a frame as a snapshot ---- */

enum { SHARES_OF_AGENT = 256 };

/* Names have numbers of their own in a snapshot: map[number in the frame] is the number there. */
struct name_map {
    int count;
    uint16_t map[NAME_TABLE_CAPACITY];
};

static int read_names(const struct drover_frame *frame,
                      const char *(*name_of)(const struct drover_frame *, unsigned), struct name_table *table,
                      struct name_map *map) {
    const char *name;
    map->count = 0;
    while (map->count < NAME_TABLE_CAPACITY && (name = name_of(frame, (unsigned)map->count))[0] != '\0') {
        const int number = name_table_intern(table, name, strlen(name));
        if (number < 0) {
            return -1;
        }
        map->map[map->count++] = (uint16_t)number;
    }
    return 0;
}

static void map_column(const struct name_map *map, const uint16_t *from, int32_t count, uint16_t *to) {
    for (int32_t i = 0; i < count; i++) {
        to[i] = from[i] < map->count ? map->map[from[i]] : 0;
    }
}

static int copy_names(const struct drover_frame *frame, struct snapshot *to) {
    struct name_map map;
    if (read_names(frame, drover_frame_kind, &to->kind_names, &map) != 0) {
        return -1;
    }
    map_column(&map, frame->kind, frame->count, to->kind);
    if (read_names(frame, drover_frame_state, &to->state_names, &map) != 0) {
        return -1;
    }
    map_column(&map, frame->state, frame->count, to->state);
    return 0;
}

static int copy_targets(const struct drover_frame *frame, struct snapshot *to) {
    to->target_count = frame->target_count;
    for (int32_t i = 0; i < frame->target_count; i++) {
        const char *name = drover_frame_target(frame, i);
        const int number = name_table_intern(&to->target_names, name, strlen(name));
        if (number < 0) {
            return -1;
        }
        to->target_name[i] = (uint16_t)number;
        to->target_x[i] = frame->target_x[i];
        to->target_y[i] = frame->target_y[i];
    }
    return 0;
}

static void copy_columns(const struct drover_frame *frame, struct snapshot *to) {
    const size_t bytes = (size_t)frame->count * sizeof *to->x;
    if (frame->count == 0) {
        return;
    }
    memcpy(to->id, frame->id, (size_t)frame->count * sizeof *to->id);
    memcpy(to->x, frame->x, bytes);
    memcpy(to->y, frame->y, bytes);
    memcpy(to->vx, frame->vx, bytes);
    memcpy(to->vy, frame->vy, bytes);
    memcpy(to->heading, frame->heading, bytes);
    memcpy(to->stamina, frame->stamina, bytes);
    if (frame->twin != NULL) {
        memcpy(to->twins, frame->twin, 2 * bytes);
    }
    if (frame->desired != NULL && frame->steering != NULL) {
        memcpy(to->desired, frame->desired, 2 * bytes);
        memcpy(to->steering, frame->steering, 2 * bytes);
    }
}

/* ---- shares ---- */

static int32_t hundredths(double value) {
    return (int32_t)lround(value * 100.0);
}

static int add_share(const struct drover_share *share, struct snapshot *to) {
    const int behavior = name_table_intern(&to->behavior_names, share->behavior, strlen(share->behavior));
    const struct snapshot_vector force = {hundredths(share->x), hundredths(share->y)};
    if (behavior < 0) {
        return -1;
    }
    if (share->part[0] == '\0') {
        to->shares[to->share_count++] = (struct snapshot_share){(uint16_t)behavior, force};
        return 0;
    }
    const int part = name_table_intern(&to->part_names, share->part, strlen(share->part));
    if (part < 0) {
        return -1;
    }
    to->parts[to->part_count++] = (struct snapshot_part){(uint16_t)behavior, (uint16_t)part, force};
    return 0;
}

static int copy_shares(const struct drover_frame *frame, struct snapshot *to) {
    struct drover_share shares[SHARES_OF_AGENT];
    const bool has_parts = snapshot_has_parts(to);
    to->share_count = to->part_count = 0;
    for (int32_t row = 0; row < frame->count; row++) {
        const int32_t all = drover_frame_shares(frame, row, shares, SHARES_OF_AGENT);
        const int32_t count = all < SHARES_OF_AGENT ? all : SHARES_OF_AGENT;
        to->share_begin[row] = to->share_count;
        if (has_parts) {
            to->part_begin[row] = to->part_count;
        }
        for (int32_t i = 0; i < count; i++) {
            if (add_share(&shares[i], to) != 0) {
                return -1;
            }
        }
    }
    to->share_begin[frame->count] = to->share_count;
    if (has_parts) {
        to->part_begin[frame->count] = to->part_count;
    }
    return 0;
}

/* Room for everything. shares: of all agents, their parts among them. */
static int reserve(const struct drover_frame *frame, struct snapshot *to) {
    int32_t shares = 0;
    for (int32_t row = 0; row < frame->count && to->has_forces; row++) {
        shares += drover_frame_shares(frame, row, NULL, 0);
    }
    if (snapshot_reserve(to, frame->count, shares, to->has_forces) != 0) {
        return -1;
    }
    if (snapshot_has_twins(to) && snapshot_reserve_twins(to) != 0) {
        return -1;
    }
    return snapshot_has_parts(to) ? snapshot_reserve_parts(to, shares) : 0;
}

/* -1 when out of memory, or when the frame has more names than a snapshot takes. */
static int frame_to_snapshot(const struct drover_frame *frame, struct snapshot *to) {
    to->tick = frame->tick;
    to->time_s = frame->time;
    to->clock_ms = frame->clock;
    to->has_speed = frame->speed >= 0.0;
    to->speed = frame->speed;
    to->one_in = frame->one_in;
    to->of = frame->of;
    to->epoch = frame->world;
    to->fields = frame->columns;
    to->has_forces = frame->desired != NULL && frame->steering != NULL;
    if (reserve(frame, to) != 0) {
        return -1;
    }
    to->count = frame->count;
    copy_columns(frame, to);
    if (copy_names(frame, to) != 0 || copy_targets(frame, to) != 0) {
        return -1;
    }
    return to->has_forces ? copy_shares(frame, to) : 0;
}

/* The same for the grid of a frame that has one. */
static int frame_to_density(const struct drover_frame *frame, struct density *to) {
    const int32_t cells = frame->grid_columns * frame->grid_rows;
    if (density_reserve(to, cells, frame->grid_kinds) != 0) {
        return -1;
    }
    to->tick = frame->tick;
    to->time_s = frame->time;
    to->clock_ms = frame->clock;
    to->has_speed = frame->speed >= 0.0;
    to->speed = frame->speed;
    to->columns = frame->grid_columns;
    to->rows = frame->grid_rows;
    to->region = (struct snapshot_box){frame->grid_x, frame->grid_y, frame->grid_width, frame->grid_height};
    to->inside = frame->grid_inside;
    to->outside = frame->grid_outside;
    memcpy(to->count, frame->grid_count, (size_t)cells * sizeof *to->count);
    memcpy(to->vx, frame->grid_vx, (size_t)cells * sizeof *to->vx);
    memcpy(to->vy, frame->grid_vy, (size_t)cells * sizeof *to->vy);
    to->has_mean_speed = frame->grid_mean_speed != NULL;
    if (to->has_mean_speed) {
        memcpy(to->mean_speed, frame->grid_mean_speed, (size_t)cells * sizeof *to->mean_speed);
    }
    to->kind_count = frame->grid_kinds;
    for (int32_t k = 0; k < to->kind_count; k++) {
        (void)snprintf(to->kinds[k], sizeof to->kinds[k], "%s", drover_frame_kind(frame, (unsigned)k));
    }
    if (to->kind_count > 0) {
        memcpy(to->by_kind, frame->grid_by_kind,
               (size_t)cells * (size_t)to->kind_count * sizeof *to->by_kind);
    }
    return 0;
}

/* ---- the link ---- */

double connection_now_ms(void) {
    return (double)clock_now_ns() * 1e-6;
}

/* ---- life ---- */

struct drover_options viewer_link_options(const struct connection_def *def) {
    struct drover_options options = DROVER_OPTIONS;
    const bool is_static = def->seconds[0] != '\0';
    const bool says_hello = !is_static && (def->name[0] != '\0' || def->token[0] != '\0');
    options.name = says_hello && def->name[0] != '\0' ? def->name : NULL;
    options.token = says_hello && def->token[0] != '\0' ? def->token : NULL;
    options.hello = says_hello ? "\"speed\":true" : NULL;
    options.timeout_ms = -1; /* the model knows which answers it waits for */
    options.silence_ms = is_static ? -1 : 0;
    options.fixed_hz = is_static ? 1 : 0;
    options.renew = -1; /* a new world begins with stream_first */
    options.reconnect = def->is_single_try ? DROVER_RECONNECT_NEVER : DROVER_RECONNECT_ALWAYS;
    return options;
}

int viewer_link_init(struct viewer_link *link, const struct connection_def *def) {
    memset(link, 0, sizeof *link);
    link->def = *def;
    link->status.ping_ms = link->status.behind_ms = -1.0;
    if (def->seconds[0] != '\0') {
        link->seconds = calloc(1, sizeof *link->seconds);
        if (link->seconds == NULL) {
            return -1;
        }
        seconds_player_init(link->seconds, def->seconds);
    }
    buffer_init(&link->requests, MAILBOX_OUTPUT_BYTES);
    return mailbox_init(&link->mailbox);
}

void viewer_link_fini(struct viewer_link *link) {
    drover_close(link->world);
    if (link->seconds != NULL) {
        seconds_player_fini(link->seconds);
        free(link->seconds);
    }
    snapshot_destroy(link->snapshot);
    density_destroy(link->density);
    buffer_fini(&link->requests);
    mailbox_fini(&link->mailbox);
}

static void publish(struct viewer_link *link, enum link_state state) {
    link->status.state = state;
    mailbox_set_status(&link->mailbox, &link->status);
}

void viewer_link_use(struct viewer_link *link, struct drover *world) {
    link->world = world;
    if (world == NULL) {
        (void)snprintf(link->status.reason, sizeof link->status.reason, "out of memory");
        publish(link, LINK_ENDED);
    }
}

/* ---- how the connection stands ---- */

/* A server that wants a token, or another one. One that speaks another protocol is refused as well, for another reason. */
static bool is_about_token(const char *reason) {
    return strstr(reason, "speaks protocol") == NULL;
}

static enum link_state state_of(const struct viewer_link *link) {
    switch (drover_state(link->world)) {
    case DROVER_READY:
        return LINK_READY;
    case DROVER_WAITING:
        return LINK_WAITING;
    case DROVER_ENDED:
        return LINK_ENDED;
    case DROVER_REFUSED:
        return is_about_token(drover_reason(link->world)) ? LINK_REFUSED
               : link->def.is_single_try                  ? LINK_ENDED
                                                          : LINK_WAITING;
    default:
        return LINK_CONNECTING;
    }
}

/* Where it leads. */
static void name_end(const struct viewer_link *link, char *out, size_t size) {
    if (link->seconds != NULL) {
        (void)snprintf(out, size, "%s", link->def.seconds);
    } else {
        address_show(&link->def.address, out, size);
    }
}

static void note_end(struct viewer_link *link, bool has_no_server) {
    char name[SECONDS_URL_BYTES];
    name_end(link, name, sizeof name);
    const int wait_ms = drover_timeout(link->world);
    (void)snprintf(link->status.reason, sizeof link->status.reason, "%s", drover_reason(link->world));
    link->status.has_no_server = has_no_server;
    link->status.has_token = link->def.token[0] != '\0';
    link->status.ping_ms = -1.0;
    link->status.retry_at_ns = wait_ms >= 0 ? clock_now_ns() + (uint64_t)wait_ms * 1000000u : 0;
    log_write(LOG_INFO, "connection", "%s: %s", name, link->status.reason);
}

/* Before the hello is handed over: the status must say LINK_READY when it is read. */
static void note_begin(struct viewer_link *link) {
    char name[SECONDS_URL_BYTES];
    name_end(link, name, sizeof name);
    link->status.was_ready = true;
    link->status.is_bye = false;
    link->status.reason[0] = '\0';
    log_write(LOG_INFO, "connection", "connected to %s", name);
}

static void note_state(struct viewer_link *link, bool has_no_server) {
    const enum link_state state = state_of(link);
    if (state == LINK_READY && link->status.state != LINK_READY) {
        note_begin(link);
    } else if (state != LINK_READY && state != LINK_CONNECTING) {
        note_end(link, has_no_server);
    }
    publish(link, state);
}

/* Whoever was not sent back is at the end, though a later second may be there already. */
static void note_second(struct viewer_link *link) {
    const struct seconds_player *player = link->seconds;
    if (player != NULL) {
        link->status.second = player->shown;
        link->status.first_second = player->index.first;
        link->status.last_second =
            player->is_back && player->shown < player->index.latest ? player->index.latest : player->shown;
    }
}

static void note_measures(struct viewer_link *link) {
    const double ping_ms = link->status.state == LINK_READY ? drover_ping_ms(link->world) : -1.0;
    const double paced_hz = fmax(drover_paced_hz(link->world), 0.0);
    const uint64_t bytes = drover_bytes(link->world);
    link->status.behind_ms =
        link->seconds != NULL ? seconds_player_behind_ms(link->seconds, connection_now_ms()) : -1.0;
    note_second(link);
    if (bytes != link->status.byte_count || ping_ms != link->status.ping_ms ||
        paced_hz != link->status.paced_hz) {
        link->status.paced_hz = paced_hz;
        link->status.byte_count = bytes;
        link->status.ping_ms = ping_ms;
        mailbox_set_status(&link->mailbox, &link->status);
    }
}

/* ---- what comes ---- */

static void send_now(struct viewer_link *link, const struct request *request) {
    struct buffer line;
    if (link->seconds != NULL) {
        return; /* nobody would answer */
    }
    buffer_init(&line, MAILBOX_OUTPUT_BYTES);
    request_encode(request, &line);
    if (line.failed || drover_send(link->world, line.data) != 0) {
        log_write(LOG_WARN, "connection", "a request is lost: %s",
                  line.failed ? "out of memory" : drover_reason(link->world));
    }
    buffer_fini(&line);
}

static void begin_world(struct viewer_link *link, const struct message_scenario *scenario) {
    const struct stream_choice stream = stream_first(scenario, link->def.agents);
    const struct request request = stream_request(&stream, NULL);
    send_now(link, &request);
    mailbox_set_stream(&link->mailbox, &stream);
    if (link->is_paused) {
        const struct request none = request_default(REQUEST_UNSUBSCRIBE);
        send_now(link, &none);
    }
}

/* Whether the server shows another moment from this message on. */
static bool looks_after(const struct message *message, bool is_looking) {
    return message->op == MESSAGE_REPLY && strcmp(message->body.reply.to, "look") == 0
               ? is_looking || message->body.reply.branch[0] != '\0'
               : is_looking && message->op != MESSAGE_HELLO &&
                     !(message->op == MESSAGE_EVENT && strcmp(message->body.event.event, "look_ended") == 0);
}

/* The subscription stays while another moment is shown: a new one would bring its scenario line again. */
static void take_message(struct viewer_link *link, struct message *message, uint32_t epoch) {
    link->is_looking = looks_after(message, link->is_looking);
    if (message->op == MESSAGE_BYE) {
        link->status.is_bye = true;
    } else if (message->op == MESSAGE_SCENARIO && !link->is_looking) {
        begin_world(link, &message->body.scenario);
    } else if (message->op == MESSAGE_HELLO && message->body.hello.has_world) {
        begin_world(link, &message->body.hello.scenario);
    }
    if (mailbox_put_message(&link->mailbox, message, epoch) != 0) {
        log_write(LOG_WARN, "connection", "out of memory: a message is lost");
    }
}

/* Whether the library says it in place of an answer that is lost with the connection, whose state says it as well. */
static bool is_about_connection(const struct drover_message *message) {
    return drover_message_is_local(message) && strcmp(drover_message_code(message), "unreadable") != 0;
}

/* An answer that cannot be decoded is an error for what waits for it. False for any other message. */
static bool make_error(struct message *message, const struct failure *failure) {
    struct message_error error = {0};
    if (message->op != MESSAGE_REPLY && message->op != MESSAGE_ERROR) {
        return false;
    }
    (void)snprintf(error.id, sizeof error.id, "%s",
                   message->op == MESSAGE_REPLY ? message->body.reply.id : message->body.error.id);
    (void)failure_set(&error.failure, FAILURE_INTERNAL, NULL, "the answer cannot be read: %s%s%s",
                      failure->field, failure->field[0] != '\0' ? ": " : "", failure->message);
    message_fini(message);
    *message = (struct message){.op = MESSAGE_ERROR, .body.error = error};
    return true;
}

static void read_message(struct viewer_link *link, const struct drover_message *from) {
    struct message *message = calloc(1, sizeof *message);
    struct failure failure;
    size_t length = 0;
    const char *text = drover_message_text(from, &length);
    if (message == NULL) {
        log_write(LOG_WARN, "connection", "out of memory: a message is lost");
    } else if (is_about_connection(from) || drover_state(link->world) == DROVER_REFUSED) {
        free(message);
    } else if (message_decode(text, length, message, &failure) != 0 && !make_error(message, &failure)) {
        log_write(LOG_WARN, "connection", "cannot decode message: %s", failure.message);
        message_fini(message);
        free(message);
    } else {
        take_message(link, message, drover_message_world(from));
    }
}

static void take_density(struct viewer_link *link, const struct drover_frame *frame) {
    link->density = link->density != NULL ? link->density : density_create();
    if (link->density == NULL || frame_to_density(frame, link->density) != 0) {
        log_write(LOG_WARN, "connection", "out of memory: skipped a frame");
    } else {
        link->density = mailbox_put_density(&link->mailbox, link->density, frame->world);
    }
}

/* Frames of the other sort, agents one by one or counts, that are still on their way after a change of subscription, are left out. */
static void take_frame(struct viewer_link *link, const struct drover_frame *frame) {
    const bool is_grid = frame->grid_columns > 0;
    if (link->seconds != NULL) { /* what there is */
        const struct stream_choice there = {.layout = is_grid ? LAYOUT_DENSITY : link->def.agents};
        mailbox_set_stream(&link->mailbox, &there);
    }
    if (is_grid != frame_layout_row((int)mailbox_stream(&link->mailbox).layout)->takes_grid) {
        return;
    }
    if (is_grid) {
        take_density(link, frame);
    }
    link->snapshot = link->snapshot != NULL ? link->snapshot : snapshot_create();
    if (link->snapshot == NULL || frame_to_snapshot(frame, link->snapshot) != 0) {
        log_write(LOG_WARN, "connection", "out of memory: skipped a frame");
    } else {
        link->snapshot = mailbox_put_snapshot(&link->mailbox, link->snapshot, connection_now_ms());
    }
}

int viewer_link_turn(struct viewer_link *link) {
    return link->seconds != NULL ? seconds_player_turn(link->seconds, link->world, connection_now_ms()) : -1;
}

void viewer_link_take(struct viewer_link *link, bool has_no_server) {
    enum drover_event event;
    while ((event = drover_next(link->world)) != DROVER_NOTHING) {
        if (event == DROVER_FRAME) {
            take_frame(link, drover_this_frame(link->world));
        } else if (event == DROVER_MESSAGE) {
            read_message(link, drover_this_message(link->world));
        } else {
            note_state(link, has_no_server);
        }
    }
    note_measures(link);
}

/* ---- what goes ---- */

/* The one request that static seconds take: seek, whose tick is the number of a second. */
static void take_seek(struct seconds_player *seconds, const char *line) {
    const struct json_limits limits = json_limits_line();
    struct request request;
    struct failure failure;
    if (request_decode_within(line, strlen(line), &limits, &request, &failure) == 0) {
        if (request.op == REQUEST_SEEK) {
            seconds_player_seek(seconds, request.body.seek.tick);
        }
        request_fini(&request);
    }
}

void viewer_link_give(struct viewer_link *link) {
    if (link->world == NULL || drover_state(link->world) != DROVER_READY) {
        return;
    }
    buffer_clear(&link->requests);
    mailbox_take_output(&link->mailbox, &link->requests);
    if (link->requests.length == 0) {
        return;
    }
    char *line = link->requests.data;
    for (const char *end = line + link->requests.length; line < end; line += strlen(line) + 1) {
        *strchr(line, '\n') = '\0'; /* the mailbox has whole lines */
        if (link->seconds != NULL) {
            take_seek(link->seconds, line);
        } else if (drover_send(link->world, line) != 0) {
            log_write(LOG_WARN, "connection", "a request is lost: %s", drover_reason(link->world));
        }
    }
}

void viewer_link_pause(struct viewer_link *link, bool is_paused) {
    const struct stream_choice stream = mailbox_stream(&link->mailbox);
    const struct request request =
        is_paused ? request_default(REQUEST_UNSUBSCRIBE) : stream_request(&stream, NULL);
    link->is_paused = is_paused;
    if (viewer_link_send(link, &request) != 0) {
        return; /* without a connection the next one begins so */
    }
}

/* ---- the drawing thread ---- */

int viewer_link_send(struct viewer_link *link, const struct request *request) {
    return mailbox_put_request(&link->mailbox, request);
}

bool viewer_link_set_stream(struct viewer_link *link, const struct stream_choice *stream) {
    const struct stream_choice before = mailbox_stream(&link->mailbox);
    const struct request request = stream_request(stream, &before);
    if (stream_equals(stream, &before) || link->seconds != NULL) {
        return false;
    }
    mailbox_set_stream(&link->mailbox, stream);
    if (viewer_link_send(link, &request) != 0) {
        mailbox_set_stream(&link->mailbox, &before);
        return false;
    }
    return true;
}
