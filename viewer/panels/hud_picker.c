/* See hud_internal.h. */
#include "viewer/panels/hud_internal.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/param_list.h"
#include "viewer/model/replay.h"

/* ---- what is typed, found in names ---- */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c) {
    const char l = lower(c);
    return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || ((unsigned char)c & 0x80u) != 0;
}

/* Taking letters as early as possible from text[from]; 0 when one is missing. */
static int score_from(const char *wanted, const char *text, size_t from) {
    int score = 1;
    size_t at = from, last = 0;
    bool has_last = false;
    for (const char *w = wanted; *w != '\0'; w++) {
        if (*w == ' ' || *w == '_' || *w == '-') {
            continue;
        }
        while (text[at] != '\0' && lower(text[at]) != lower(*w)) {
            at++;
        }
        if (text[at] == '\0') {
            return 0;
        }
        const bool starts_word = at == 0 || !is_letter(text[at - 1]);
        score += 4 + (starts_word ? 8 : 0) + (has_last && at == last + 1 ? 10 : 0) + (at == 0 ? 4 : 0);
        last = at++;
        has_last = true;
    }
    return score;
}

int fuzzy_score(const char *wanted, const char *text) {
    int best = 0;
    size_t from = 0;
    do { /* the first place a letter is found at need not be the best */
        const int score = score_from(wanted, text, from);
        best = score > best ? score : best;
    } while (text[from] != '\0' && text[++from] != '\0');
    return best;
}

/* The letters of a word at the start of text. */
static bool begins_with(const char *text, const char *word, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\0' || lower(text[i]) != lower(word[i])) {
            return false;
        }
    }
    return true;
}

static const int at_start = 14, inside = 6; /* what a letter of a found word counts */

static int word_score(const char *word, size_t length, const char *text) {
    const int letters = (int)length;
    int best = 0;
    for (size_t at = 0; text[at] != '\0'; at++) {
        if (begins_with(text + at, word, length)) {
            const bool starts_word = at == 0 || !is_letter(text[at - 1]);
            const int score = letters * (starts_word ? at_start : inside);
            best = score > best ? score : best;
        }
    }
    return best;
}

int fuzzy_words_score(const char *wanted, const char *text) {
    int score = 1;
    for (const char *word = wanted; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        const int its = length > 0 ? word_score(word, length, text) : 0;
        if (length > 0 && its == 0) {
            return 0;
        }
        score += its;
        word += length + (word[length] == ' ' ? 1 : 0);
    }
    return score;
}

/* Whether each word of `wanted` begins a word of the text, with three letters of it at least. Case does not count. */
static bool fuzzy_has_words(const char *wanted, const char *text) {
    int letters = 0;
    for (const char *word = wanted; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        if (length > 0 && (length < 3 || word_score(word, length, text) < at_start * (int)length)) {
            return false;
        }
        letters += (int)length;
        word += length + (word[length] == ' ' ? 1 : 0);
    }
    return letters > 0;
}

/* ---- the timeline of a recording ---- */

void hud_fill_replay(const struct hud_input *input, struct panels_view *view) {
    const struct message_replay *from = &input->server->playback.replay;
    struct panels_replay *replay = &view->replay;
    char at[20], all[20];
    view->is_replay = server_model_is_replay(input->server);
    if (!view->is_replay) {
        return;
    }
    const struct snapshot *shown = input->frame->names;
    replay->line = replay_line_of(from, input->server->scenario.tick_hz);
    replay->at = (struct replay_moment){from->world, shown != NULL ? shown->tick : from->tick};
    if (input->wish != NULL) {
        replay->at = *input->wish; /* the handle is where it was put, though the server is not there yet */
    }
    replay_line_time(&replay->line, replay_line_offset(&replay->line, &replay->at), at, sizeof at);
    replay_line_time(&replay->line, replay_line_ticks(&replay->line), all, sizeof all);
    (void)snprintf(replay->time, sizeof replay->time, "%s / %s", at, all);
    if (from->worlds > 1) {
        (void)snprintf(replay->worlds, sizeof replay->worlds, "world %u of %u", replay->at.world,
                       from->worlds);
    }
    replay->has_diverged = from->has_diverged;
    replay->diverged = (struct replay_moment){from->diverged_world, from->diverged_tick};
    replay->is_other = replay->has_diverged && replay->at.world == from->diverged_world &&
                       replay->at.tick >= from->diverged_tick;
    _Static_assert(sizeof replay->no_take_over >= SERVER_MODEL_DENIAL, "the reason fits");
    server_model_denial(input->server, REQUEST_SEEK, replay->no_take_over); /* the same role */
}

/* ---- questions ---- */

enum { SAVE_WORDS = 200 };

/* "flock, tick 3 600, 250 agents, 12 KB, 5 min ago" */
static void describe(const struct message_save_row *save, int64_t wall_s, char *out, size_t size) {
    char tick[32], agents[32], bytes[24], age[32];
    (void)units_format_whole(save->tick, tick, sizeof tick);
    (void)units_format_whole(save->agents, agents, sizeof agents);
    server_model_format_bytes(save->bytes, bytes, sizeof bytes);
    save_age_format(save->saved, wall_s, age, sizeof age);
    (void)snprintf(out, size, "%s, tick %s, %s agent%s, %s%s%s", save->scenario, tick, agents,
                   save->agents == 1 ? "" : "s", bytes, age[0] != '\0' ? ", " : "", age);
}

/* What is saved is the present, though the picture may be of the past. "" when it is the present as well. */
static void fill_present(const struct hud_input *input, char *out, size_t size) {
    char now[32], shown[32];
    out[0] = '\0';
    if (!input->playhead->is_live && input->frame->names != NULL) {
        (void)units_format_whole(input->now_tick, now, sizeof now);
        (void)units_format_whole(input->frame->names->tick, shown, sizeof shown);
        (void)snprintf(out, size, "This saves the world as it is now, tick %s; you are looking at tick %s.",
                       now, shown);
    }
}

static void ask_name(const struct hud_input *input, struct panels_dialog *dialog) {
    const struct message_save_row *taken = server_model_save(input->server, input->entered);
    (void)snprintf(dialog->title, sizeof dialog->title, "Save the world");
    (void)snprintf(
        dialog->words, sizeof dialog->words,
        "All of it, as it is when you agree: Ctrl+O loads it again. A name of letters, digits, _ and -.");
    (void)snprintf(dialog->agree, sizeof dialog->agree, taken != NULL ? "Replace ..." : "Save");
    dialog->has_line = true;
    (void)snprintf(dialog->proposal, sizeof dialog->proposal, "%s", input->proposal);
    fill_present(input, dialog->note, sizeof dialog->note);
    if (taken != NULL) {
        char about[SAVE_WORDS];
        describe(taken, input->wall_s, about, sizeof about);
        const size_t used = strlen(dialog->note);
        (void)snprintf(dialog->note + used, sizeof dialog->note - used, "%sTaken: %s", used > 0 ? "\n" : "",
                       about);
    }
}

/* name: of a saved world that the list may not have yet. */
static void ask_about(const struct hud_input *input, const char *name, const char *deed, const char *rest,
                      struct panels_dialog *dialog) {
    (void)snprintf(dialog->title, sizeof dialog->title, "%s %s?", deed, name);
    (void)snprintf(dialog->agree, sizeof dialog->agree, "%s", deed);
    dialog->is_grave = true;
    if (input->asked != NULL) {
        char about[SAVE_WORDS];
        describe(input->asked, input->wall_s, about, sizeof about);
        (void)snprintf(dialog->words, sizeof dialog->words, "%s. %s", about, rest);
    } else {
        (void)snprintf(dialog->words, sizeof dialog->words, "%s", rest);
    }
}

static void ask_take_over(const struct hud_input *input, struct panels_dialog *dialog) {
    char tick[32];
    (void)units_format_whole(input->frame->names != NULL ? input->frame->names->tick : 0, tick, sizeof tick);
    (void)snprintf(dialog->title, sizeof dialog->title, "Take over from here?");
    (void)snprintf(
        dialog->words, sizeof dialog->words,
        "The recording stops at tick %s, for all clients. The world goes on by itself from there and takes "
        "requests again. The file stays as it is.",
        tick);
    (void)snprintf(dialog->agree, sizeof dialog->agree, "Take over");
}

static void ask_reopen(const struct hud_input *input, struct panels_dialog *dialog) {
    (void)snprintf(dialog->title, sizeof dialog->title, "The recording's server has ended");
    (void)snprintf(dialog->words, sizeof dialog->words, "%.200s.\nOpen %.80s again, from its beginning?",
                   input->ended, input->file);
    (void)snprintf(dialog->agree, sizeof dialog->agree, "Open again");
}

static void ask_branch(const struct hud_input *input, struct panels_dialog *dialog) {
    (void)snprintf(dialog->title, sizeof dialog->title, "Go on in branch %s?", input->branch);
    (void)snprintf(
        dialog->words, sizeof dialog->words,
        "The world goes to where %s was left and waits there, for all clients. What runs now stays, "
        "as a branch that can be gone on with.",
        input->branch);
    (void)snprintf(dialog->agree, sizeof dialog->agree, "Go there");
}

void hud_fill_question(const struct hud_input *input, struct panels_view *view) {
    struct panels_dialog *dialog = &view->dialog;
    const char *name = input->asked != NULL ? input->asked->name : input->proposal;
    switch ((enum panels_question)input->open->question) {
    case PANELS_NO_QUESTION:
        break;
    case PANELS_ASKS_NAME:
        ask_name(input, dialog);
        break;
    case PANELS_ASKS_REPLACE:
        ask_about(input, name, "Replace", "The world as it is now takes its place.", dialog);
        fill_present(input, dialog->note, sizeof dialog->note);
        break;
    case PANELS_ASKS_REMOVE:
        ask_about(input, name, "Remove", "It cannot be brought back.", dialog);
        break;
    case PANELS_ASKS_TAKE_OVER:
        ask_take_over(input, dialog);
        break;
    case PANELS_ASKS_REOPEN:
        ask_reopen(input, dialog);
        break;
    case PANELS_ASKS_BRANCH:
        ask_branch(input, dialog);
        break;
    }
}

/* ---- the picker ---- */

/* The words of the saved worlds, as many as there is room for; returns how many. */
static int hud_fill_saves(const struct hud_input *input, struct panels_view *view) {
    int count = 0;
    while (count < input->server->save_count && count < PANELS_SAVES) {
        const struct message_save_row *save = &input->server->saves[count];
        struct panels_save *words = &view->saves[count++];
        char tick[32];
        (void)units_format_whole(save->tick, tick, sizeof tick);
        (void)snprintf(words->title, sizeof words->title, "%s, tick %s", save->scenario, tick);
        char agents[32], bytes[24], age[32];
        (void)units_format_whole(save->agents, agents, sizeof agents);
        server_model_format_bytes(save->bytes, bytes, sizeof bytes);
        save_age_format(save->saved, input->wall_s, age, sizeof age);
        (void)snprintf(words->description, sizeof words->description, "%s agent%s, %s%s%s", agents,
                       save->agents == 1 ? "" : "s", bytes, age[0] != '\0' ? ", saved " : "", age);
    }
    return count;
}

/* ---- worlds to choose ---- */

/* In their order. A scenario whose group is none of these is of the last one. */
static const struct {
    const char *name, *words;
} groups[] = {{"tutorials", "Tutorials"},
              {"behaviors", "One behavior each"},
              {"crowds", "Crowds"},
              {"large", "Large worlds"},
              {"", "Other scenarios"}};

enum { GROUP_COUNT = sizeof groups / sizeof groups[0], SAVES = GROUP_COUNT };

static int group_of(const char *name) {
    int group = 0;
    while (group < GROUP_COUNT - 1 && strcmp(groups[group].name, name) != 0) {
        group++;
    }
    return group;
}

static int most(int a, int b) {
    return a > b ? a : b;
}

/* A name by its letters, a text by its words. */
static int score_of(const char *wanted, const struct panels_hit *hit) {
    const int names = most(3 * fuzzy_score(wanted, hit->name), 2 * fuzzy_score(wanted, hit->title));
    return most(names,
                most(fuzzy_words_score(wanted, hit->caption), fuzzy_words_score(wanted, hit->description)));
}

struct ranked {
    struct panels_view *view;
    const char *wanted;
    int scores[PANELS_HITS];
};

static void add_hit(struct ranked *ranked, int group, const struct panels_hit *hit) {
    struct panels_view *view = ranked->view;
    const int score = ranked->wanted[0] != '\0' ? score_of(ranked->wanted, hit) : 1;
    int at = view->hit_count;
    while (at > 0 && ranked->scores[at - 1] < score) {
        at--;
    }
    if (score == 0 || at == PANELS_HITS) {
        return;
    }
    const int last = view->hit_count < PANELS_HITS ? view->hit_count++ : PANELS_HITS - 1;
    for (int k = last; k > at; k--) {
        ranked->scores[k] = ranked->scores[k - 1];
        view->hits[k] = view->hits[k - 1];
    }
    ranked->scores[at] = score;

    view->hits[at] = *hit;
    view->hits[at].group = group < SAVES ? groups[group].words : "Saved worlds";
}

static bool has_words(const char *wanted, const struct panels_hit *hit) {
    const char *const texts[] = {hit->name, hit->title, hit->caption, hit->description};
    bool has = false;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        has = has || fuzzy_has_words(wanted, texts[i]);
    }
    return has;
}

/* The weakest hits of a fuzzy search are letters that stand anywhere: where there are far better ones, they are left
 * out. Not those that have the very words. */
static void leave_out_weak(struct ranked *ranked) {
    struct panels_view *view = ranked->view;
    int kept = 0;
    for (int i = 0; ranked->wanted[0] != '\0' && i < view->hit_count; i++) {
        if (3 * ranked->scores[i] >= ranked->scores[0] || has_words(ranked->wanted, &view->hits[i])) {
            view->hits[kept++] = view->hits[i];
        }
    }
    view->hit_count = ranked->wanted[0] != '\0' ? kept : view->hit_count;
}

static void fill_headings(struct ranked *ranked) {
    struct panels_view *view = ranked->view;
    for (int i = 0; ranked->wanted[0] == '\0' && i < view->hit_count; i++) {
        view->hits[i].begins_group = i == 0 || strcmp(view->hits[i - 1].group, view->hits[i].group) != 0;
    }
    for (int i = view->hit_count - 1, rows = 0; i >= 0; i--) {
        rows++;
        view->hits[i].group_count = view->hits[i].begins_group ? rows : 0;
        rows = view->hits[i].begins_group ? 0 : rows;
    }
}

/* "39 scenarios, 2 saved worlds", "5 of 41". */
static void fill_count(const struct hud_input *input, struct panels_view *view) {
    const int scenarios = input->server->scenario_count, saves = input->server->save_count;
    if (input->wanted[0] != '\0') {
        (void)snprintf(view->hit_words, sizeof view->hit_words, "%d of %d", view->hit_count,
                       scenarios + saves);
    } else if (saves > 0) {
        (void)snprintf(view->hit_words, sizeof view->hit_words, "%d scenarios, %d saved world%s", scenarios,
                       saves, saves == 1 ? "" : "s");
    } else if (scenarios > 0) {
        (void)snprintf(view->hit_words, sizeof view->hit_words, "%d scenarios", scenarios);
    }
}

void hud_fill_hits(const struct hud_input *input, struct panels_view *view) {
    struct ranked ranked = {.view = view, .wanted = input->wanted};
    const int save_count = hud_fill_saves(input, view);
    for (int group = 0; group < GROUP_COUNT; group++) {
        for (int i = 0; i < input->server->scenario_count; i++) {
            const struct message_scenario_row *row = &input->server->scenarios[i];
            const struct panels_hit hit = {.name = row->name,
                                           .title = row->title,
                                           .description = row->description,
                                           .caption = row->caption};
            if (group_of(row->group) == group) {
                add_hit(&ranked, group, &hit);
            }
        }
    }
    for (int i = 0; i < save_count; i++) {
        const struct panels_hit hit = {.name = input->server->saves[i].name,
                                       .title = view->saves[i].title,
                                       .description = view->saves[i].description,
                                       .caption = "",
                                       .is_save = true};
        add_hit(&ranked, SAVES, &hit);
    }
    leave_out_weak(&ranked);
    fill_headings(&ranked);
    fill_count(input, view);
    assert(view->hit_count <= PANELS_HITS);
}
