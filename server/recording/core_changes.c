/* See core_changes.h. Owns nothing. */
#include "server/recording/core_changes.h"

#include <stdio.h>
#include <string.h>

#include "common/protocol/request.h"
#include "common/text/names.h"
#include "server/sim/steering/behavior_def.h"

const struct core_change core_changes[] = {
    {2, "orca prefers what the tiers lead to, not the sum of all that they desire.", "filtered_tiers"},
    {0, NULL, NULL},
};

enum { WORD_BYTES = 64 };

/* A recording as far as changes may touch it. */
struct use {
    const struct world_def *def;
    uint64_t request_ops;
};

static bool has_op(const struct use *use, enum request_op op) {
    return (use->request_ops >> (unsigned)op & 1) != 0;
}

static bool has_behavior(const struct use *use, int type) {
    for (int k = 0; k < use->def->kind_count; k++) {
        const struct kind_def *kind = &use->def->kinds[k];
        for (int s = 0; s < kind->state_count; s++) {
            for (int b = 0; b < kind->states[s].behavior_count; b++) {
                if ((int)kind->states[s].behaviors[b].type == type) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool has_locomotion(const struct use *use, int locomotion) {
    for (int k = 0; k < use->def->kind_count; k++) {
        if (use->def->kinds[k].body.locomotion == locomotion) {
            return true;
        }
    }
    return false;
}

static bool has_dithered(const struct use *use) {
    for (int k = 0; k < use->def->kind_count; k++) {
        for (int s = 0; s < use->def->kinds[k].state_count; s++) {
            if (use->def->kinds[k].states[s].combine != COMBINE_SUM) {
                return true;
            }
        }
    }
    return false;
}

static bool has_filtered_tiers(const struct use *use) {
    for (int k = 0; k < use->def->kind_count; k++) {
        for (int s = 0; s < use->def->kinds[k].state_count; s++) {
            if (kind_def_is_led(&use->def->kinds[k], s)) {
                return true;
            }
        }
    }
    return false;
}

static bool has_conditions(const struct use *use) {
    for (int k = 0; k < use->def->kind_count; k++) {
        for (int s = 0; s < use->def->kinds[k].state_count; s++) {
            if (use->def->kinds[k].states[s].condition_count > 0) {
                return true;
            }
        }
    }
    return false;
}

static bool has_stamina(const struct use *use) {
    for (int k = 0; k < use->def->kind_count; k++) {
        for (int s = 0; s < use->def->kinds[k].state_count; s++) {
            if (use->def->kinds[k].states[s].stamina_rate != 0.0f) {
                return true;
            }
        }
    }
    return false;
}

static bool has_geometry(const struct use *use) {
    return use->def->geometry.obstacle_count > 0 || use->def->geometry.wall_count > 0 ||
           has_op(use, REQUEST_ADD_OBSTACLE);
}

static bool has_jumps(const struct use *use) {
    for (int t = 0; t < use->def->target_count; t++) {
        if (use->def->targets[t].jump_within > 0.0f) {
            return true;
        }
    }
    return false;
}

static bool has_strolls(const struct use *use) {
    for (int t = 0; t < use->def->target_count; t++) {
        if (use->def->targets[t].stroll_speed > 0.0f) {
            return true;
        }
    }
    return false;
}

/* The index of the word in a NULL-ended list, or -1. */
static int find_name(const char *const *names, const char *word) {
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], word) == 0) {
            return i;
        }
    }
    return -1;
}

static int find_op(const char *word) {
    for (int i = 0; i < REQUEST_OP_COUNT; i++) {
        if (strcmp(request_op_name((enum request_op)i), word) == 0) {
            return i;
        }
    }
    return -1;
}

/* What is behind a beginning such as "edge:"; NULL for another word. */
static const char *behind(const char *word, const char *beginning) {
    const size_t length = strlen(beginning);
    return strncmp(word, beginning, length) == 0 ? word + length : NULL;
}

/* Whether the recording uses what a word of "kind:name" says. */
static bool uses_named(const struct use *use, const char *word) {
    const char *edge = behind(word, "edge:");
    const char *locomotion = behind(word, "locomotion:");
    const char *request = behind(word, "request:");
    int found = -1;
    if (edge != NULL && (found = find_name(edge_names, edge)) >= 0) {
        return use->def->edge == found;
    }
    if (locomotion != NULL && (found = find_name(locomotion_names, locomotion)) >= 0) {
        return has_locomotion(use, found);
    }
    if (request != NULL && (found = find_op(request)) >= 0) {
        return has_op(use, (enum request_op)found);
    }
    found = behavior_type_from_name(word);
    return found < 0 || has_behavior(use, found);
}

static bool uses(const struct use *use, const char *word) {
    static const struct {
        const char *word;
        bool (*is_used)(const struct use *use);
    } rows[] = {
        {"dithered", has_dithered},
        {"conditions", has_conditions},
        {"stamina", has_stamina},
        {"geometry", has_geometry},
        {"jumps", has_jumps},
        {"strolls", has_strolls},
        {"filtered_tiers", has_filtered_tiers},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(word, rows[i].word) == 0) {
            return rows[i].is_used(use);
        }
    }
    return uses_named(use, word);
}

/* Adds the words of a change that the recording uses. */
static bool add_change(const struct use *use, const struct core_change *change, char *out, size_t size) {
    bool is_touched = false;
    for (const char *next = change->touches; *next != '\0';) {
        char word[WORD_BYTES], row[WORD_BYTES + 16];
        const size_t length = strcspn(next, " ");
        (void)snprintf(word, sizeof word, "%.*s", (int)length, next);
        next += length + strspn(next + length, " ");
        if (uses(use, word)) {
            (void)snprintf(row, sizeof row, "%s (%u)", word, change->core);
            text_list_add(out, size, row, false);
            is_touched = true;
        }
    }
    return is_touched;
}

bool core_affects(const struct core_change *changes, uint32_t recorded, uint32_t newest,
                  const struct scenario *scenario, uint64_t request_ops, char *out, size_t size) {
    const struct use use = {&scenario->def, request_ops};
    bool is_affected = false;
    out[0] = '\0';
    if (recorded > newest) {
        (void)snprintf(out, size, "a newer core");
        return true;
    }
    for (const struct core_change *change = changes; change->core != 0; change++) {
        if (change->core > recorded && change->core <= newest) {
            is_affected = add_change(&use, change, out, size) || is_affected;
        }
    }
    return is_affected;
}
