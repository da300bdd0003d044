/* See hud_picker.h. */
#include "viewer/panels/hud_picker.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "viewer/panels/fuzzy.h"
#include "viewer/panels/hud_replay.h"

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
