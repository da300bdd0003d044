/* See texts.h. */
#include "viewer/explain/texts.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/nodiscard.h"
#include "viewer/explain/formula.h"
#include "viewer/model/shortcuts.h"

/* ---- tooltips ---- */

static const struct {
    const char *name, *words;
} tips[] = {
    /* the selected agent */
    {"state", "What the agent is doing now. Its kind's rules decide when it changes."},
    {"position", "Where its center is, in px of the world: x to the right, y down."},
    {"speed", "How fast it goes, in px/s, and the most that its kind allows."},
    {"in meters", "The same speed by the scale of this world, which says how many px a meter has."},
    {"heading", "Where it looks, in degrees: 0 is to the right, 90 is down."},
    {"steering force",
     "The force that is left of what all behaviors want (mass × px/s²), and the most that its kind allows."},
    {"stamina", "How long it can still hurry. At 0 it is exhausted until stamina is full again."},
    {"mass", "What a force must push: acceleration is force / mass."},
    /* the overlays, by the names of the settings */
    {"velocity", "Where the agent goes, and how fast (px/s)."},
    {"desired", "The velocity that its behaviors would like to have (px/s)."},
    {"steering", "The force that turns the velocity into the desired one (mass × px/s²)."},
    {"behaviors", "One arrow for the force of each behavior (mass × px/s²), in the behavior's color."},
    {"radii", "How far the selected agent sees, and the circles its behaviors use (px)."},
    {"neighbors", "Lines from the selected agent to the agents that count for its behaviors."},
    {"places",
     "The points that its behaviors aim at: predicted places, the wander goal, the next path point."},
    {"trails", "Where agents came from, fading with time."},
    {"grid", "A line every 100 px."},
    {"instruments", "Gates with what went through them along their arrow and back; areas with their agents, "
                    "their mean speed, and how many agents there are in 100 x 100 px."},
    {"palette", "safe: colors that color-blind people can tell apart. classic: the colors of the tutorials."},
    {"heat", "Draws crowds as heat. auto: where agents would cover each other."},
    {"color", "What the color of an agent says: its state, kind, heading, speed ..."},
    {"theme", "A dark ground, or a light one for projectors."},
    {"panels_in", "Which saved files show bar and panels: pictures (F12), all (clips too), or none."},
    {"agent_size", "How many times larger agents are drawn than they are."},
    {"onion", "The selected agent as it was each 0.25 s of the last 2 s."},
    {"predicted", "Where the selected agent will be in the next 2 s if it goes on turning as now."},
    {"strongest force", "The behavior with the largest force on the agent in this tick."},
    /* the plots */
    {"mean speed", "The speed of all agents, on average, in px/s."},
    {"order", "How well headings agree: 0 when they cancel out, 1 when all agents go the same way."},
    {"states", "How many agents are in each state."},
    {"mean distance to twin", "How far agents are from their twins, on average. Paler curves: the twins."},
    /* the ranks of a cluster */
    {"ranks",
     "How many programs share the world, and how: stripes have a part of the agents each, copies all of "
     "them."},
    {"longest rank", "The rank with the most work in a tick: the others wait for it."},
    {"balance", "The mean work of all ranks, divided by that of the longest: 100 % when all have the same."},
    {"ghosts", "Agents of other ranks that a rank sees, added up over all ranks."},
    {"migrants", "Agents that go over to another rank, each second."},
    {"work and wait", "Of each rank: what a tick takes, and how long it waits for the others."},
    /* the network */
    {"ping", "The time of a question to the server and its answer, in ms."},
    {"snapshots", "How many pictures of the world come from the server each second."},
    {"received", "How much the server sends, in kilobytes per second."},
    {"pictures", "How many pictures this viewer draws each second; fewer while nothing moves."},
    {"a picture takes", "The time that the drawing thread works on a picture, in ms."},
    {"- its moment", "Where the agents are at the picture's moment, and their colors."},
    {"- world", "Drawing the world."},
    {"- panels", "The words and the panels."},
    {"- show", "Handing the picture to the screen."},
    {"a tick takes", "The median time of a tick of the server, in ms."},
    {"- commands", "The requests served at the boundary of a tick."},
    {"- step", "The tick itself: the agents sense, steer and move."},
    {"- copy", "Copying the world for the frames."},
    {"- broadcast", "Encoding the frames and handing them to the clients."},
    {"interpolation delay", "How far the picture is behind the newest snapshot, in ms, so that motion "
                            "between two of them is smooth."},
    {"mouse to echo", "The time from a motion of the mouse to the first snapshot that knows of it, in ms."},
    {"skipped snapshots", "Snapshots of the last seconds that came too late to be drawn. A few do no harm."},
};

const char *tips_find(const char *name) {
    for (size_t i = 0; i < sizeof tips / sizeof tips[0]; i++) {
        if (strcmp(tips[i].name, name) == 0) {
            return tips[i].words;
        }
    }
    return "";
}

/* ---- the reason for a behavior ---- */

static const struct {
    const char *type, *words;
    bool is_about_neighbors; /* their number goes on with the words */
} sentences[] = {
    /* clang-format off */
    {"seek", "goes straight for its target", false},
    {"flee", "runs from its target", false},
    {"arrive", "goes to its target and brakes before it", false},
    {"pursue", "cuts off the way of its quarry", false},
    {"evade", "runs from its pursuer", false},
    {"offset_pursuit", "keeps its place beside another", false},
    {"interpose", "gets between two others", false},
    {"wander", "wanders about", false},
    {"formation", "keeps its place in the formation", false},
    {"separation", "keeps its distance from", true},
    {"alignment", "goes the way of", true},
    {"cohesion", "stays together with", true},
    {"flock", "flies with", true}, /* of an old server, without its parts */
    {"avoid_agents", "avoids one that it would meet", false},
    {"follow_leader", "follows its leader", false},
    {"queue", "goes for its target and waits its turn", false},
    {"avoid_obstacles", "goes around something solid", false},
    {"follow_wall", "goes along the wall", false},
    {"follow_path", "follows its path", false},
    {"stay_on_path", "stays on its path", false},
    {"follow_flow", "goes with the flow", false},
    {"hide", "hides behind an obstacle", false},
    {"orca", "makes room for", true},
    {"walk", "keeps a person's distance from", true},
    {"contain", "stays in its region", false},
    {"containment", "stays inside the world", false},
    {"external", "does what a client tells it", false},
    {"herd", "gathers the herd or drives it", false},
    /* clang-format on */
};

const struct message_agent_term *explain_strongest(const struct message_agent *agent) {
    const struct message_agent_term *strongest = NULL;
    float most = 0.0f;
    for (int i = 0; i < agent->term_count; i++) {
        const float length = vec2_length(agent->terms[i].gets);
        strongest = strongest == NULL && agent->terms[i].has_desired ? &agent->terms[i] : strongest;
        strongest = length > most ? &agent->terms[i] : strongest;
        most = length > most ? length : most;
    }
    return strongest;
}

/* Of flock the strongest of its three rules. */
static const char *rule_of(const struct message_agent_term *term) {
    const char *rule = term->type;
    float most = 0.0f;
    for (int i = 0; i < term->part_count; i++) {
        const float length = vec2_length(term->parts[i].force);
        rule = length > most ? term->parts[i].behavior : rule;
        most = length > most ? length : most;
    }
    return rule;
}

void explain_why(const struct message_agent *agent, const struct message_agent_term *term, char *out,
                 size_t size) {
    const char *rule = rule_of(term);
    out[0] = '\0';
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        if (strcmp(sentences[i].type, rule) != 0) {
            continue;
        }
        if (sentences[i].is_about_neighbors && agent->neighbor_count > 0) {
            (void)snprintf(out, size, "%s %d neighbor%s", sentences[i].words, agent->neighbor_count,
                           agent->neighbor_count == 1 ? "" : "s");
        } else {
            (void)snprintf(out, size, "%s%s", sentences[i].words,
                           sentences[i].is_about_neighbors ? " its neighbors" : "");
        }
    }
}

/* ---- the card about a world ---- */

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

/* ---- an agent for the clipboard ---- */

enum { LINE_TEXT = FORMULA_TEXT * FORMULA_TOKENS };

struct text {
    char *words;
    size_t used, size;
};

static void add(struct text *text, const char *words) {
    const int written = snprintf(text->words + text->used, text->size - text->used, "%s\n", words);
    const size_t most = text->size - text->used - 1;
    text->used += written < 0 ? 0 : (size_t)written < most ? (size_t)written : most;
}

static void add_formula(struct text *text, const struct formula *formula) {
    char line[LINE_TEXT];
    for (int i = 0; i < formula->line_count; i++) {
        (void)snprintf(line, sizeof line, "  ");
        formula_line_text(&formula->lines[i], line + 2, sizeof line - 2);
        add(text, line);
    }
}

char *agent_text(const struct message_agent *agent) {
    char title[160];
    struct formula *formula = malloc(sizeof *formula);
    struct text text = {.size = 64 * 1024};
    text.words = formula != NULL ? malloc(text.size) : NULL;
    if (text.words == NULL) {
        free(formula);
        return NULL;
    }
    (void)snprintf(title, sizeof title, "Agent %u (%s), %s", agent->id, agent->kind, agent->state);
    add(&text, title);
    for (int i = 0; i < agent->term_count; i++) {
        add(&text, agent->terms[i].behavior);
        formula_of_term(agent, i, formula);
        add_formula(&text, formula);
    }
    add(&text, "sum");
    formula_of_sum(agent, formula);
    add_formula(&text, formula);
    free(formula);
    return text.words;
}
