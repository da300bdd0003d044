/* See publisher.h. */
#include "clients/mqtt/publisher.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_writer.h"
#include "common/system/clock.h"
#include "common/system/log.h"

enum { LINE_ROOM = 16 * 1024 * 1024, CELLS = 576, DESCRIBE_MS = 1000 };

/* A session whose frames are published. */
struct publisher_form {
    struct drover *world;
    char name[32]; /* "all", "density/1/0" */
    bool is_density;
    uint32_t column, row;
    bool is_tile;
};

static double now_ms(void) {
    return (double)clock_now_ns() * 1e-6;
}

/* ---- to the broker ---- */

static void put_text(struct publisher *publisher, const char *topic, const char *text) {
    topics_put(&publisher->topics, topic, text, strlen(text), true);
}

static bool is_online(const struct publisher *publisher) {
    return publisher->scenario != NULL && publisher->role[0] != '\0' &&
           drover_state(publisher->topics.control) == DROVER_READY;
}

/* What a client's first line says: how the world is now. */
static void put_hello(struct publisher *publisher) {
    const struct mqtt_options *options = publisher->options;
    struct buffer line;
    buffer_init(&line, LINE_ROOM);
    struct json_writer json = json_writer_begin(&line);
    if (!is_online(publisher)) {
        return;
    }
    json_object(&json);
    json_key_string(&json, "op", "hello");
    json_key_unsigned(&json, "protocol", DROVER_PROTOCOL);
    json_key_string(&json, "server", publisher->program);
    json_key_unsigned(&json, "session", 0);
    json_key_number(&json, "tick", publisher->tick);
    json_key_number(&json, "time", publisher->tick / publisher->tick_hz);
    json_key_bool(&json, "paused", publisher->is_paused);
    if (publisher->speed != 1.0) {
        json_key_number(&json, "speed", publisher->speed);
    }
    json_key_string(&json, "role", publisher->role);
    json_key(&json, "scenario");
    json_raw(&json, publisher->scenario);
    json_key(&json, "mqtt");
    json_object(&json);
    json_key_number(&json, "hz", options->hz);
    json_key_number(&json, "density_hz", options->density_hz);
    json_key_unsigned(&json, "tiles", options->tiles);
    json_end(&json);
    json_end(&json);
    if (!line.failed) {
        topics_put(&publisher->topics, "hello", line.data, line.length, true);
    }
    buffer_fini(&line);
}

static void put_scenario(struct publisher *publisher) {
    struct buffer line;
    buffer_init(&line, LINE_ROOM);
    if (publisher->scenario != NULL) {
        buffer_printf(&line, "{\"op\":\"scenario\",%s", publisher->scenario + 1);
        topics_put(&publisher->topics, "scenario", line.data, line.length, true);
    }
    buffer_fini(&line);
}

/* ---- sessions for frames ---- */

/* The rectangle of a tile: two cells of the raster wide and high, so that every view of one cell's size lies in one tile. */
static void write_region(const struct publisher *publisher, const struct publisher_form *form,
                         struct json_writer *json) {
    const double across = publisher->width / publisher->options->tiles;
    const double down = publisher->height / publisher->options->tiles;
    const double region[] = {form->column * across, form->row * down, 2.0 * across, 2.0 * down};
    json_key(json, "region");
    json_array(json);
    for (int i = 0; i < 4; i++) {
        json_number(json, region[i]);
    }
    json_end(json);
}

static void subscribe(const struct publisher *publisher, const struct publisher_form *form) {
    const struct mqtt_options *options = publisher->options;
    const double area =
        publisher->width * publisher->height * (form->is_tile ? 4.0 / options->tiles / options->tiles : 1.0);
    struct buffer line;
    buffer_init(&line, LIMIT_LINE_BYTES);
    struct json_writer json = json_writer_begin(&line);
    json_object(&json);
    json_key_string(&json, "op", "subscribe");
    json_key_string(&json, "layout", form->is_density ? "density" : "packed");
    json_key_number(&json, "hz", form->is_density ? options->density_hz : options->hz);
    if (form->is_density) {
        json_key_number(&json, "cell", fmax(sqrt(area / CELLS), 0.01));
        json_key_bool(&json, "by_kind", true);
        json_key_bool(&json, "mean_speed", true);
    }
    if (form->is_tile) {
        write_region(publisher, form, &json);
    }
    json_end(&json);
    if (line.failed || drover_send(form->world, line.data) != 0) {
        log_write(LOG_ERROR, "server", "cannot subscribe to %s: %s", form->name, drover_reason(form->world));
    }
    buffer_fini(&line);
}

static void take_form(struct publisher *publisher, const struct publisher_form *form) {
    char topic[48];
    enum drover_event event;
    while ((event = drover_next(form->world)) != DROVER_NOTHING) {
        const struct drover_message *message = drover_this_message(form->world);
        size_t length = 0;
        if (event != DROVER_MESSAGE) {
            continue;
        }
        const char *text = drover_message_text(message, &length), *op = drover_message_op(message);
        const bool is_key = strcmp(op, "key") == 0;
        if (is_key || strcmp(op, "delta") == 0 || strcmp(op, "density") == 0) {
            (void)snprintf(topic, sizeof topic, "%s/%s", is_key ? "key" : "delta", form->name);
            topics_put(&publisher->topics, topic, text, length, true);
        } else if (drover_message_code(message) != NULL && !drover_message_is_local(message)) {
            log_write(LOG_WARN, "server", "%s: %s", form->name, text);
        }
    }
}

/* ---- the session for events and requests ---- */

/* A JSON value from its begin: where it ends. */
static const char *end_of_value(const char *at) {
    int depth = 0;
    do {
        if (*at == '"') {
            for (at++; *at != '"'; at++) {
                at += *at == '\\';
            }
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    } while (depth > 0);
    return at;
}

/* The description of the world becomes this object, from `begin` to `end`. */
static void keep_world(struct publisher *publisher, const struct drover_message *message, const char *path,
                       const char *begin, const char *end) {
    char at[48];
    struct buffer text;
    const double width = publisher->width, height = publisher->height;
    buffer_init(&text, LINE_ROOM);
    buffer_append_text(&text, "{");
    buffer_append(&text, begin, (size_t)(end - begin));
    free(publisher->scenario);
    publisher->scenario = buffer_take(&text, NULL);
    (void)snprintf(at, sizeof at, "%ssize[0]", path);
    publisher->width = drover_message_number(message, at, 1.0);
    (void)snprintf(at, sizeof at, "%ssize[1]", path);
    publisher->height = drover_message_number(message, at, 1.0);
    (void)snprintf(at, sizeof at, "%stick_hz", path);
    publisher->tick_hz = fmax(drover_message_number(message, at, 60.0), 1.0);
    publisher->speed = drover_message_number(message, "speed", 1.0);
    for (size_t i = 0;
         i < publisher->form_count && (width != publisher->width || height != publisher->height); i++) {
        subscribe(publisher, &publisher->forms[i]);
    }
}

static void put_world(struct publisher *publisher) {
    put_hello(publisher);
    put_scenario(publisher);
    if (is_online(publisher)) {
        put_text(publisher, "status", "online");
    }
}

/* Keeps what a hello or a scenario says of the world. Whether it says so. */
static bool take_world(struct publisher *publisher, const struct drover_message *message) {
    static const char head[] = "{\"op\":\"scenario\",";
    size_t length = 0;
    const char *text = drover_message_text(message, &length), *scenario = json_value_find(text, "scenario");
    const bool is_hello = strcmp(drover_message_op(message), "hello") == 0;
    if (is_hello && scenario != NULL) {
        keep_world(publisher, message, "scenario.", scenario + 1, end_of_value(scenario));
    } else if (strncmp(text, head, sizeof head - 1) == 0) {
        keep_world(publisher, message, "", text + sizeof head - 1, text + length);
    } else {
        return false;
    }
    return true;
}

static void take_hello(struct publisher *publisher, const struct drover_message *message) {
    const char *server = drover_message_string(message, "server"),
               *role = drover_message_string(message, "role");
    (void)snprintf(publisher->program, sizeof publisher->program, "%s", server != NULL ? server : "");
    (void)snprintf(publisher->role, sizeof publisher->role, "%s",
                   role != NULL && strcmp(role, "none") != 0 ? role : "");
    publisher->is_paused = drover_message_flag(message, "paused", 0);
    (void)take_world(publisher, message);
    put_world(publisher);
    if (drover_send(publisher->topics.control, "{\"op\":\"subscribe\",\"layout\":\"events\"}") != 0) {
        log_write(LOG_ERROR, "server", "cannot subscribe to events: %s",
                  drover_reason(publisher->topics.control));
    }
}

/* Events after which a newcomer needs another description. */
static bool changes_description(const char *event) {
    return strncmp(event, "obstacle_", 9) == 0 || strncmp(event, "target_", 7) == 0 ||
           strcmp(event, "flow_field") == 0 || strcmp(event, "warmed_up") == 0 || strcmp(event, "speed") == 0;
}

static void take_event(struct publisher *publisher, const struct drover_message *message) {
    size_t length = 0;
    const char *text = drover_message_text(message, &length),
               *event = drover_message_string(message, "event");
    topics_put(&publisher->topics, "event", text, length, false);
    if (event == NULL) {
        return;
    }
    publisher->is_stale = publisher->is_stale || changes_description(event);
    if (strcmp(event, "paused") == 0 || strcmp(event, "resumed") == 0 || strcmp(event, "speed") == 0) {
        publisher->is_paused =
            strcmp(event, "paused") == 0 || (strcmp(event, "speed") == 0 && publisher->is_paused);
        publisher->speed = drover_message_number(message, "speed", publisher->speed);
        put_hello(publisher);
    }
}

static void take_reply(struct publisher *publisher, const struct drover_message *message) {
    const char *to = drover_message_string(message, "to"), *role = drover_message_string(message, "role");
    if (!topics_answer(&publisher->topics, message) && to != NULL && strcmp(to, "hello") == 0 &&
        role != NULL) {
        (void)snprintf(publisher->role, sizeof publisher->role, "%s", role);
        put_world(publisher);
    }
}

static void take_control(struct publisher *publisher, const struct drover_message *message) {
    const char *op = drover_message_op(message);
    publisher->tick = drover_message_number(message, "tick", publisher->tick);
    if (strcmp(op, "hello") == 0) {
        take_hello(publisher, message);
    } else if (strcmp(op, "scenario") == 0) {
        (void)take_world(publisher, message);
        put_world(publisher);
    } else if (strcmp(op, "event") == 0) {
        take_event(publisher, message);
    } else {
        take_reply(publisher, message);
    }
}

static void note_link(struct publisher *publisher) {
    if (drover_state(publisher->topics.control) == DROVER_READY) {
        log_write(LOG_INFO, "server", "connected to %s", publisher->options->server);
    } else if (drover_state(publisher->topics.control) != DROVER_CONNECTING) {
        log_write(LOG_WARN, "server", "%s: %s", publisher->options->server,
                  drover_reason(publisher->topics.control));
        publisher->role[0] = '\0';
        put_text(publisher, "status", "offline");
    }
}

/* What the world has now stands in the first lines of a session. */
static void describe(struct publisher *publisher) {
    enum drover_event event = DROVER_NOTHING;
    bool is_done = false;
    if (publisher->describer == NULL && publisher->is_stale && is_online(publisher) &&
        now_ms() - publisher->described_ms >= DESCRIBE_MS) {
        publisher->is_stale = false;
        publisher->described_ms = now_ms();
        publisher->describer = drover_connect(publisher->options->server, &publisher->session);
    }
    if (publisher->describer == NULL) {
        return;
    }
    (void)drover_turn(publisher->describer);
    while (!is_done && (event = drover_next(publisher->describer)) != DROVER_NOTHING) {
        is_done = event == DROVER_MESSAGE && take_world(publisher, drover_this_message(publisher->describer));
    }
    if (is_done) {
        put_hello(publisher);
        drover_close(publisher->describer);
        publisher->describer = NULL;
    }
}

void publisher_turn(struct publisher *publisher) {
    enum drover_event event;
    (void)drover_turn(publisher->topics.control);
    while ((event = drover_next(publisher->topics.control)) != DROVER_NOTHING) {
        if (event == DROVER_MESSAGE) {
            take_control(publisher, drover_this_message(publisher->topics.control));
        } else {
            note_link(publisher);
        }
    }
    describe(publisher);
    for (size_t i = 0; i < publisher->form_count && !mosquitto_want_write(publisher->topics.broker); i++) {
        (void)drover_turn(publisher->forms[i].world);
        take_form(publisher, &publisher->forms[i]);
    }
}

void publisher_begin(struct publisher *publisher) {
    publisher->topics.is_connected = true;
    put_world(publisher);
    if (!is_online(publisher)) {
        put_text(publisher, "status", "offline");
    }
    for (size_t i = 0; i < publisher->form_count; i++) {
        if (drover_state(publisher->forms[i].world) == DROVER_READY) {
            (void)drover_send(publisher->forms[i].world,
                              "{\"op\":\"resync\"}"); /* for a key that is retained */
        }
    }
}

/* ---- life ---- */

static int add_form(struct publisher *publisher, const struct drover_options *options, bool is_density,
                    int tile) {
    struct publisher_form *form = &publisher->forms[publisher->form_count++];
    const uint32_t tiles = publisher->options->tiles;
    *form = (struct publisher_form){.is_density = is_density, .is_tile = tile >= 0};
    if (form->is_tile) {
        form->column = (uint32_t)tile % tiles;
        form->row = (uint32_t)tile / tiles;
        (void)snprintf(form->name, sizeof form->name, "%s/%" PRIu32 "/%" PRIu32,
                       is_density ? "density" : "all", form->column, form->row);
    } else {
        (void)snprintf(form->name, sizeof form->name, "%s", is_density ? "density" : "all");
    }
    form->world = drover_connect(publisher->options->server, options);
    return form->world != NULL ? 0 : -1;
}

int publisher_init(struct publisher *publisher, const struct mqtt_options *options, struct mosquitto *broker,
                   const char *token) {
    const int tiles = (int)(options->tiles * options->tiles);
    const struct drover_options usual = DROVER_OPTIONS;
    *publisher = (struct publisher){.options = options,
                                    .topics = {.broker = broker, .world = options->name},
                                    .tick_hz = 60.0,
                                    .speed = 1.0,
                                    .session = usual};
    struct drover_options session = usual;
    session.token = token;
    session.name = "drover-mqtt";
    session.hello = "\"speed\":true";
    session.timeout_ms = -1;
    session.fixed_hz = 1;
    session.renew = -1; /* take_hello subscribes */
    publisher->session = session;
    publisher->topics.control = drover_connect(options->server, &session);
    publisher->forms = calloc(2 + 2 * (size_t)tiles, sizeof *publisher->forms);
    if (publisher->topics.control == NULL || publisher->forms == NULL) {
        return -1;
    }
    session.renew = 0;
    session.raw_frames = 1;
    for (int tile = -1; tile < tiles; tile++) {
        if (add_form(publisher, &session, false, tile) != 0 ||
            add_form(publisher, &session, true, tile) != 0) {
            return -1;
        }
    }
    return 0;
}

void publisher_fini(struct publisher *publisher) {
    drover_close(publisher->topics.control);
    drover_close(publisher->describer);
    for (size_t i = 0; i < publisher->form_count; i++) {
        drover_close(publisher->forms[i].world);
    }
    free(publisher->forms);
    free(publisher->scenario);
}

struct drover *publisher_session(const struct publisher *publisher, size_t number) {
    const size_t forms = publisher->form_count;
    return number < forms        ? publisher->forms[number].world
           : number == forms     ? publisher->topics.control
           : number == forms + 1 ? publisher->describer
                                 : NULL;
}
