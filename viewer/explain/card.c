/* See card.h. */
#include "viewer/explain/card.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/nodiscard.h"
#include "viewer/model/shortcuts.h"

static const uint32_t crowd = 30000; /* agents: more are counted, not drawn one by one */

PRINTF_LIKE(3, 4)
static void add_key(struct explain_card *card, const char *key, const char *format, ...) {
    if (card->key_count < EXPLAIN_CARD_KEYS) {
        struct explain_card_key *row = &card->keys[card->key_count++];
        va_list arguments;
        va_start(arguments, format);
        (void)snprintf(row->key, sizeof row->key, "%s", key);
        (void)vsnprintf(row->words, sizeof row->words, format, arguments);
        va_end(arguments);
    }
}

/* ---- what can be done to the world ---- */

static bool has_target(const struct message_scenario *scenario, const char *name) {
    for (int i = 0; i < scenario->target_count; i++) {
        if (strcmp(scenario->targets[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Targets besides the mouse's: "goal, door, exit"; ", ..." after the third. */
static int list_targets(const struct message_scenario *scenario, char *out, size_t size) {
    int count = 0;
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < scenario->target_count; i++) {
        if (strcmp(scenario->targets[i], "mouse") != 0 && ++count <= 4) {
            const int more = snprintf(out + used, size - used, "%s%s", count > 1 ? ", " : "",
                                      count == 4 ? "..." : scenario->targets[i]);
            used += more > 0 ? (size_t)more : 0;
        }
    }
    return count;
}

static void add_mouse(const struct message_scenario *scenario, struct explain_card *card) {
    char names[4 * (LIMIT_NAME_CHARS + 4)];
    const int targets = list_targets(scenario, names, sizeof names);
    if (has_target(scenario, "mouse")) {
        add_key(card, "Mouse", "move the target");
        add_key(card, "M", "hold it in its place, or let it follow again");
    }
    if (targets > 0) {
        add_key(card, "Drag", "move the target%s %s", targets > 1 ? "s" : "", names);
    }
    if (scenario->geometry.obstacle_count > 0) {
        add_key(card, targets > 0 ? "" : "Drag", "move an obstacle");
    }
}

/* ---- what can be shown ---- */

static bool is_named(const struct message_view *view, const char *overlay) {
    for (int i = 0; i < view->overlay_count; i++) {
        if (strcmp(view->overlays[i], overlay) == 0) {
            return true;
        }
    }
    return view->trails && strcmp(overlay, "trails") == 0;
}

/* The overlays that the scenario asks for: their keys hide them and show them again. */
static void add_overlays(const struct message_view *view, struct explain_card *card) {
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].is_overlay && is_named(view, rows[i].setting.name)) {
            add_key(card, rows[i].name, "hide or show: %s", rows[i].help);
        }
    }
}

static void add_looking(const struct message_scenario *scenario, struct explain_card *card) {
    uint64_t agents = 0;
    for (int i = 0; i < scenario->kind_count; i++) {
        agents += scenario->kinds[i].count;
    }
    if (agents > crowd) {
        add_key(card, "Wheel", "zoom in, down to single agents");
    }
    add_key(card, "Click", "an agent: what it wants, and why");
    add_overlays(&scenario->view, card);
    add_key(card, shortcuts_row(SHORTCUT_FORCES)->name, "forces of all agents, or of the selected one");
    add_key(card, shortcuts_row(SHORTCUT_PARAMS)->name, "sliders: what if a number were another one?");
}

/* ---- all of it ---- */

void explain_fill_card(const struct message_scenario *scenario, bool is_replay, struct explain_card *card) {
    *card = (struct explain_card){.title = scenario->title[0] != '\0' ? scenario->title : scenario->name,
                                  .caption = scenario->about.caption,
                                  .description = scenario->description,
                                  .to_try = scenario->about.to_try,
                                  .look_for = scenario->about.look_for,
                                  .source = scenario->about.source};
    if (!is_replay) {
        add_mouse(scenario, card);
    }
    add_looking(scenario, card);
}

void explain_fill_caption(const struct message_scenario *scenario, char *out, size_t size) {
    const char *caption = scenario->about.caption, *description = scenario->description;
    if (caption[0] != '\0') {
        (void)snprintf(out, size, "%s", caption);
        return;
    }
    size_t length = 0; /* a sentence ends with a full stop before a blank */
    while (description[length] != '\0' &&
           !(description[length] == '.' &&
             (description[length + 1] == ' ' || description[length + 1] == '\0'))) {
        length++;
    }
    length += description[length] == '.' ? 1 : 0;
    (void)snprintf(out, size, "%.*s", (int)length, description);
}

/* Whether the clause needs the keyboard, or another person's window. */
static bool needs_more(const char *clause, size_t length) {
    static const char *const words[] = {"Press ", "press ", "second viewer", "Ctrl", "Tab "};
    for (size_t at = 0; at < length; at++) {
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            const size_t its = strlen(words[i]);
            if (at + its <= length && strncmp(clause + at, words[i], its) == 0) {
                return true;
            }
        }
    }
    return false;
}

void explain_fill_mouse_try(const struct message_scenario *scenario, char *out, size_t size) {
    const char *text = scenario->about.to_try;
    size_t kept = 0;
    for (size_t begin = 0; text[begin] != '\0';) {
        size_t end = begin + strcspn(text + begin, ";.");
        if (needs_more(text + begin, end - begin)) {
            break;
        }
        kept = end;
        begin = end + (text[end] != '\0' ? 1 : 0);
    }
    (void)snprintf(out, size, "%.*s%s", (int)kept, text, kept > 0 ? "." : "");
}
