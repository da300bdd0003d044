/* See page_panels_impl.h. Messages of the page, and the result that they make. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "viewer/explain/param_list.h"
#include "viewer/model/replay.h"
#include "web/page_panels_impl.h"

/* What a result holds once: of two messages of a group the second waits for the next frame. */
enum group {
    GROUP_NONE, /* state of the panels, any number a frame */
    GROUP_SHORTCUT,
    GROUP_CHOICE,
    GROUP_PARAM,
    GROUP_PLOT,
    GROUP_COPY,
    GROUP_LIGHT,
    GROUP_SCRUB,
    GROUP_SEEK,
    GROUP_SPEED,
    GROUP_HIT,
    GROUP_ANSWER
};

/* A message: the members that it has, beside "choice", "held", "save", "lit" and "name". */
static const struct {
    const char *name;
    enum group group;
    bool is_newest; /* of several in a row the newest alone counts */
    const char *index, *value, *text;
} kinds[PAGE_MESSAGE_KINDS] = {
    [PAGE_SHORTCUT] = {"shortcut", GROUP_SHORTCUT, .index = "row"},
    [PAGE_CHOOSE] = {"choose", GROUP_CHOICE, .index = "row"},
    [PAGE_TUNE] = {"tune", GROUP_PARAM, .is_newest = true, .index = "param", .value = "value"},
    [PAGE_FIRST] = {"first", GROUP_PARAM, .index = "param"},
    [PAGE_MUTE] = {"mute", GROUP_PARAM, .index = "param"},
    [PAGE_KIND] = {"kind", GROUP_PARAM, .index = "kind"},
    [PAGE_FILTER] = {"filter", GROUP_NONE, .is_newest = true, .text = "text"},
    [PAGE_OWN] = {"own", GROUP_PLOT, .text = "kind"},
    [PAGE_COPY] = {"copy", GROUP_COPY, .is_newest = false},
    [PAGE_LIT] = {"lit", GROUP_NONE, .is_newest = true},
    [PAGE_LIGHT] = {"light", GROUP_NONE, .is_newest = true, .index = "row"},
    [PAGE_KEEP_LIGHT] = {"keep_light", GROUP_LIGHT, .index = "row"},
    [PAGE_WIDTH] = {"width", GROUP_NONE, .is_newest = true, .value = "px"},
    [PAGE_SCRUB] = {"scrub", GROUP_SCRUB, .is_newest = true, .value = "share"},
    [PAGE_BRANCH] = {"branch", GROUP_ANSWER, .text = "name"},
    [PAGE_SEEK] = {"seek", GROUP_SEEK, .is_newest = true, .value = "share"},
    [PAGE_POINT] = {"point", GROUP_NONE, .is_newest = true, .value = "share"},
    [PAGE_SPEED] = {"speed", GROUP_SPEED, .is_newest = true, .value = "place"},
    [PAGE_SET_SPEED] = {"set_speed", GROUP_SPEED, .value = "speed"},
    [PAGE_WANTED] = {"wanted", GROUP_NONE, .is_newest = true, .text = "text"},
    [PAGE_PICK] = {"pick", GROUP_HIT, .is_newest = false},
    [PAGE_REMOVE] = {"remove", GROUP_HIT, .is_newest = false},
    [PAGE_ENTERED] = {"entered", GROUP_NONE, .is_newest = true, .text = "text"},
    [PAGE_AGREE] = {"agree", GROUP_ANSWER, .text = "entered"},
    [PAGE_COVER] = {"cover", GROUP_NONE, .is_newest = true},
    [PAGE_FONT] = {"font", GROUP_NONE, .is_newest = true},
};

/* ---- reading ---- */

/* A finite number, or `usual`. A key NULL is of no member: cJSON finds nothing. */
static double number_of(const cJSON *json, const char *key, double usual) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble : usual;
}

/* -1 for what is no index. */
static int index_of(const cJSON *json, const char *key) {
    const double value = number_of(json, key, -1.0);
    return value >= 0.0 && value <= 1e6 ? (int)value : -1;
}

static void text_of(const cJSON *json, const char *key, char *out, size_t size) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    (void)snprintf(out, size, "%s", cJSON_IsString(item) ? item->valuestring : "");
}

static struct lit lit_of(const cJSON *json) {
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(json, "lit");
    int numbers[4] = {LIT_NOTHING, -1, -1, -1};
    for (int i = 0; i < 4; i++) {
        const cJSON *item = cJSON_GetArrayItem(array, i);
        if (cJSON_IsNumber(item) && item->valuedouble >= -1.0 && item->valuedouble < 1e6) {
            numbers[i] = (int)item->valuedouble;
        }
    }
    if (numbers[0] < LIT_NOTHING || numbers[0] > LIT_POINT) {
        numbers[0] = LIT_NOTHING;
    }
    return (struct lit){(enum lit_what)numbers[0], numbers[1], numbers[2], numbers[3]};
}

static bool read_message(const cJSON *json, struct page_message *message) {
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(json, "do");
    int kind = 0;
    while (cJSON_IsString(name) && kind < PAGE_MESSAGE_KINDS &&
           strcmp(kinds[kind].name, name->valuestring) != 0) {
        kind++;
    }
    if (!cJSON_IsString(name) || kind == PAGE_MESSAGE_KINDS) {
        return false;
    }
    *message = (struct page_message){.kind = (enum page_message_kind)kind};
    message->index = index_of(json, kinds[kind].index);
    message->choice = index_of(json, "choice");
    message->value = number_of(json, kinds[kind].value, 0.0);
    message->is_held = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "held"));
    message->is_save = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "save"));
    message->lit = lit_of(json);
    text_of(json, kinds[kind].text, message->text, sizeof message->text);
    text_of(json, "name", message->name, sizeof message->name);
    return true;
}

/* What the panels keep at once: measures of the page. Returns whether it was that. */
static bool take_measure(struct panels *panels, const cJSON *json, enum page_message_kind kind) {
    if (kind == PAGE_COVER) {
        panels->legend_right = (float)fmin(fmax(number_of(json, "right", 0.0), 0.0), 1e5);
        panels->legend_bottom = (float)fmin(fmax(number_of(json, "bottom", 0.0), 0.0), 1e5);
        panels->is_narrow = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "narrow"));
    }
    if (kind == PAGE_FONT) {
        const cJSON *widths = cJSON_GetObjectItemCaseSensitive(json, "widths");
        panels->line_px = (float)fmin(fmax(number_of(json, "line", 16.0), 1.0), 1000.0);
        for (int i = 0; i < PAGE_GLYPHS; i++) {
            const cJSON *item = cJSON_GetArrayItem(widths, i);
            if (cJSON_IsNumber(item) && item->valuedouble > 0.0 && item->valuedouble < 1000.0) {
                panels->widths[i] = (float)item->valuedouble;
            }
        }
    }
    return kind == PAGE_COVER || kind == PAGE_FONT;
}

/* The newest of several in a row takes the place of the one before; the end of a hold stays apart. */
static bool replaces(const struct page_message *before, const struct page_message *message) {
    return kinds[message->kind].is_newest && before->kind == message->kind &&
           before->index == message->index && before->is_held == message->is_held;
}

bool page_panels_message(struct panels *panels, const char *text, size_t length) {
    cJSON *json = cJSON_ParseWithLength(text, length);
    struct page_message message;
    const bool is_one = cJSON_IsObject(json) && read_message(json, &message);
    const int count = panels->message_count;
    if (is_one && !take_measure(panels, json, message.kind)) {
        if (count > 0 && replaces(&panels->messages[count - 1], &message)) {
            panels->messages[count - 1] = message;
        } else if (count < PAGE_MESSAGES) {
            panels->messages[panels->message_count++] = message;
        }
    }
    cJSON_Delete(json);
    return is_one;
}

bool page_panels_wait(const struct panels *panels) {
    return panels->message_count > 0;
}

/* ---- the result ---- */

static void tune(struct panels_result *result, int param, double value, bool is_held) {
    result->tunes = true;
    result->param = param;
    result->value = value;
    result->is_sliding = is_held;
}

static void set_speed(struct panels_result *result, double speed, bool is_held) {
    result->sets_speed = true;
    result->speed = speed;
    result->is_speed_held = is_held;
}

/* A hit is named by its words: the list may be another one by now. */
static int find_hit(const struct panels_view *view, const struct page_message *message) {
    for (int i = 0; i < view->hit_count; i++) {
        if (strcmp(view->hits[i].name, message->name) == 0 && view->hits[i].is_save == message->is_save) {
            return i;
        }
    }
    return -1;
}

static void take_param(struct panels *panels, const struct panels_view *view,
                       const struct page_message *message) {
    const struct server_model *server = view->server;
    struct panels_result *result = &panels->result;
    if (message->kind == PAGE_KIND) {
        result->picks_kind = message->index >= 0 && message->index < server->scenario.kind_count;
        result->kind = message->index;
        return;
    }
    const int param = message->index;
    if (param < 0 || param >= server->param_count) {
        return;
    }
    if (message->kind == PAGE_TUNE) {
        panels->held_param = message->is_held ? param : -1;
        panels->held_value = message->value;
        tune(result, param, message->value, message->is_held);
    } else if (message->kind == PAGE_FIRST) {
        panels->held_param = -1;
        tune(result, param, panel_first_value(view, param), false);
    } else {
        result->mutes = true;
        result->param = param;
    }
}

/* The simulated time of a place on the timeline: of a mark that is near, of now at its end. */
static double moment_of(const struct panels_view *view, double share) {
    static const double near = 0.006;
    const struct timeline *line = &view->line;
    const double place = fmin(fmax(share, 0.0), 1.0), tick = timeline_tick(line, place);
    const struct message_mark *mark = timeline_find_mark(line, tick, near);
    if (place > timeline_share(line, line->now) - 0.001) {
        return view->now_s;
    }
    return (mark != NULL ? (double)mark->tick : tick) / line->hz;
}

static void take_time(struct panels *panels, const struct panels_view *view,
                      const struct page_message *message) {
    struct panels_result *result = &panels->result;
    switch (message->kind) {
    case PAGE_SCRUB:
        panels->is_scrubbing = message->is_held;
        panels->scrub_to_s = moment_of(view, message->value);
        result->is_scrubbing = view->recorded_s > 0.0 || view->line.past != NULL;
        result->scrub_to_s = panels->scrub_to_s;
        break;
    case PAGE_SEEK:
        panels->is_seeking = message->is_held && view->is_replay;
        panels->seek_to = view->is_replay ? replay_line_moment(&view->replay.line, message->value)
                                          : (struct replay_moment){0};
        result->is_seeking = view->is_replay;
        result->seek_to = panels->seek_to;
        break;
    case PAGE_SPEED: {
        const double share = fmin(fmax(message->value, 0.0), 1.0);
        panels->held_speed = speeds_snap(SPEEDS_LEAST * pow(SPEEDS_MOST / SPEEDS_LEAST, share));
        panels->is_speed_held = message->is_held;
        set_speed(result, panels->held_speed, message->is_held);
        break;
    }
    default:
        panels->is_speed_held = false;
        set_speed(result, message->value <= 0.0 ? 0.0 : fmin(fmax(message->value, SPEEDS_LEAST), SPEEDS_MOST),
                  false);
        break;
    }
}

static void take_list(struct panels *panels, const struct panels_view *view,
                      const struct page_message *message) {
    struct panels_result *result = &panels->result;
    size_t count = 0;
    const struct shortcut *table = shortcuts_table(&count);
    const struct shortcut *row =
        message->index >= 0 && (size_t)message->index < count ? &table[message->index] : NULL;
    switch (message->kind) {
    case PAGE_SHORTCUT:
        result->shortcut = row;
        break;
    case PAGE_CHOOSE:
        for (int i = 0; row != NULL && row->setting.choices != NULL && row->setting.choices[i] != NULL; i++) {
            if (i == message->choice) {
                result->chooses = row;
                result->choice = i;
            }
        }
        break;
    case PAGE_OWN:
        (void)snprintf(panels->own_kind, sizeof panels->own_kind, "%s", message->text);
        (void)snprintf(panels->own_name, sizeof panels->own_name, "%s", message->name);
        result->plots_own = true;
        result->own_kind = panels->own_kind;
        result->own_name = panels->own_name;
        break;
    case PAGE_COPY:
        result->copies = true;
        break;
    case PAGE_BRANCH:
        (void)snprintf(result->branch, sizeof result->branch, "%.*s", LIMIT_NAME_CHARS, message->text);
        break;
    case PAGE_AGREE:
        (void)snprintf(panels->entered, sizeof panels->entered, "%.*s", LIMIT_NAME_CHARS, message->text);
        result->agrees = view->open->question != PANELS_NO_QUESTION &&
                         (!view->dialog.has_line || panels->entered[0] != '\0');
        break;
    default:
        result->hit = find_hit(view, message);
        result->picks = message->kind == PAGE_PICK && result->hit >= 0;
        result->removes = message->kind == PAGE_REMOVE && result->hit >= 0;
        break;
    }
}

static void take_message(struct panels *panels, const struct panels_view *view,
                         const struct page_message *message) {
    switch (kinds[message->kind].group) {
    case GROUP_PARAM:
        take_param(panels, view, message);
        break;
    case GROUP_LIGHT:
        panels->result.keeps_light = true;
        panels->result.lights = message->index;
        break;
    case GROUP_SCRUB:
    case GROUP_SEEK:
    case GROUP_SPEED:
        take_time(panels, view, message);
        break;
    case GROUP_NONE:
        if (message->kind == PAGE_LIT) {
            panels->lit = message->lit;
        } else if (message->kind == PAGE_LIGHT) {
            panels->light = message->index;
        } else if (message->kind == PAGE_WIDTH) {
            panels->result.panel_width = fmin(fmax(message->value, 0.0), VIEW_PANEL_MOST);
        } else if (message->kind == PAGE_POINT) {
            panels->pointed_share = message->value;
        } else if (message->kind == PAGE_FILTER) {
            (void)snprintf(panels->filter, sizeof panels->filter, "%s", message->text);
        } else if (message->kind == PAGE_WANTED) {
            (void)snprintf(panels->wanted, sizeof panels->wanted, "%s", message->text);
        } else if (message->kind == PAGE_ENTERED) {
            (void)snprintf(panels->entered, sizeof panels->entered, "%.*s", LIMIT_NAME_CHARS, message->text);
        }
        break;
    default:
        take_list(panels, view, message);
        break;
    }
}

/* What a hand that rests goes on holding. */
static void hold(struct panels *panels) {
    struct panels_result *result = &panels->result;
    if (panels->held_param >= 0 && !result->tunes && !result->mutes) {
        tune(result, panels->held_param, panels->held_value, true);
    }
    if (panels->is_scrubbing) {
        result->is_scrubbing = true;
        result->scrub_to_s = panels->scrub_to_s;
    }
    if (panels->is_seeking) {
        result->is_seeking = true;
        result->seek_to = panels->seek_to;
    }
    if (panels->is_speed_held && !result->sets_speed) {
        set_speed(result, panels->held_speed, true);
    }
}

void page_take_messages(struct panels *panels, const struct panels_view *view) {
    unsigned taken = 0;
    int at = 0;
    panels->result = (struct panels_result){.hit = -1};
    for (; at < panels->message_count; at++) {
        const struct page_message *message = &panels->messages[at];
        const unsigned group = 1u << (unsigned)kinds[message->kind].group;
        if (kinds[message->kind].group != GROUP_NONE && (taken & group) != 0) {
            break;
        }
        taken |= group;
        take_message(panels, view, message);
    }
    panels->message_count -= at;
    memmove(panels->messages, panels->messages + at,
            (size_t)panels->message_count * sizeof *panels->messages);
    panels->is_seeking = panels->is_seeking && view->is_replay;
    if (!view->open->picker) {
        panels->wanted[0] = '\0';
    }
    if (view->open->question == PANELS_NO_QUESTION) {
        panels->entered[0] = '\0';
    }
    hold(panels);
    struct panels_result *result = &panels->result;
    result->lit = panels->lit;
    result->lights = result->keeps_light ? result->lights : panels->light;
    result->legend_right = panels->legend_right * panels->scale;
    result->legend_bottom = panels->legend_bottom * panels->scale;
    (void)snprintf(result->wanted, sizeof result->wanted, "%s", view->open->picker ? panels->wanted : "");
    (void)snprintf(result->entered, sizeof result->entered, "%s",
                   view->open->question != PANELS_NO_QUESTION ? panels->entered : "");
    result->wants_keys = view->open->picker || view->open->question != PANELS_NO_QUESTION;
}
