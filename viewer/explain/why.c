/* See why.h. */
#include "viewer/explain/why.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
    {"contain", "stays in its region", false},
    {"containment", "stays inside the world", false},
    {"external", "does what a client tells it", false},
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
