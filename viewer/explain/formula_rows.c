/* See formula.h. */
#include "viewer/explain/formula.h"

#include <string.h>

/* clang-format off */

/* What matching a velocity adds to a formula. */
#define MATCH                                                                                                 \
    {NULL, "{steering} = {desired} - {velocity}"},                                                            \
    {NULL, "{wants} = {weight} · {rate} · {steering}"}

/* How fast it may be, so that it can stop after `distance`. */
#define STOP(way)                                                                                             \
    {"!arrived", "{distance} = |{" way "}|"},                                                                 \
    {NULL, "{stopping_speed} = stopping({distance}, 0.9 · {max_force} / {mass})"},                                  \
    {"stopping_speed", "{speed} = min({max_speed} · {distance} / {slowing_distance}, {max_speed}, {stopping_speed})"}, \
    {"!slowing_distance", "{speed} = min({max_speed}, {stopping_speed})"},                                    \
    {NULL, "{distance} px from its place, nearer than {arrived}: it stays"}

/* Where another will be. */
#define PREDICT                                                                                               \
    {NULL, "{time} = min(|{way_ahead}| / {max_speed}, {max_prediction})"},                                    \
    {NULL, "{predicted_offset} = {offset} + {other_velocity} · {time}"}

#define CALM {NULL, "{distance} px away, further than {calm_beyond}: it does nothing"}

/* A wheeled agent that is past turning. */
#define STRAIGHT_ON {"ahead", "inside its turning circle: straight on until it can turn there"}

/* A place beside another, and the velocity that keeps it. */
#define KEEP_PLACE                                                                                            \
    {NULL, "{way} = {offset} + {beside}"},                                                                    \
    STOP("way"),                                                                                              \
    STRAIGHT_ON,                                                                                              \
    {"ahead", "{desired} = truncate({other_velocity} + {ahead} · {speed}, {max_speed})"},                     \
    {"!ahead", "{desired} = truncate({other_velocity} + norm({way}) · {speed}, {max_speed})"},                \
    {"arrived", "{desired} = truncate({other_velocity}, {max_speed})"},                                       \
    MATCH

const struct formula_row formula_rows[] = {
    {"seek", {
        {"!course", "{offset} = {target} - {position}"},
        {"!course", "{desired} = norm({offset}) · {max_speed}"},
        STRAIGHT_ON,
        {"ahead", "{desired} = {ahead} · {max_speed}"},
        {"course", "the velocity leads there already: its direction stays"},
        {"course", "{desired} = norm({velocity}) · {max_speed}"},
        MATCH,
    }},
    {"flee", {
        CALM,
        {NULL, "{offset} = {target} - {position}"},
        {"!heading", "{desired} = -norm({offset}) · {max_speed}"},
        {NULL, "{desired} = {heading} · {max_speed}"},
        MATCH,
    }},
    {"arrive", {
        {NULL, "{offset} = {target} - {position}"},
        STOP("offset"),
        {"!stopping_speed", "{speed} = min({max_speed} · {distance} / {slowing_distance}, {max_speed})"},
        STRAIGHT_ON,
        {"ahead", "{desired} = {ahead} · {speed}"},
        {"!ahead", "{desired} = norm({offset}) · {speed}"},
        MATCH,
    }},
    {"pursue", {
        {NULL, "{time} = min(|{way_ahead}| / {max_speed}, {max_prediction})"},
        {NULL, "{predicted_offset} = {way_ahead} + {other_velocity} · {time}"},
        STRAIGHT_ON,
        {"ahead", "{desired} = {ahead} · {max_speed}"},
        {"!ahead", "{desired} = norm({predicted_offset}) · {max_speed}"},
        MATCH,
    }},
    {"evade", {
        CALM,
        PREDICT,
        {"!heading", "{desired} = -norm({predicted_offset}) · {max_speed}"},
        {NULL, "{desired} = {heading} · {max_speed}"},
        MATCH,
    }},
    {"offset_pursuit", {KEEP_PLACE}},
    {"herd", {
        {NULL, "the furthest is {furthest} px from their middle; within {gathered} they are together"},
        {"!arrived", "{distance} = |{way}|"},
        {NULL, "{stopping_speed} = stopping({distance}, 0.9 · {max_force} / {mass})"},
        {NULL, "{speed} = min({max_speed}, {stopping_speed})"},
        {NULL, "{distance} px from its place, nearer than {arrived}: it stays"},
        {"!calm_speed", "{desired} = norm({way}) · {speed}"},
        {NULL, "{desired} = truncate(norm({way}) · {speed}, {calm_speed})"},
        MATCH,
    }},
    {"formation", {
        {NULL, "place {rank} of {group}"},
        KEEP_PLACE,
    }},
    {"interpose", {
        PREDICT,
        {NULL, "{second_predicted} = {second_offset} + {second_velocity} · {time}"},
        {NULL, "{way} = ({predicted_offset} + {second_predicted}) / 2"},
        STOP("way"),
        STRAIGHT_ON,
        {"ahead", "{desired} = {ahead} · {speed}"},
        {"!ahead", "{desired} = norm({way}) · {speed}"},
        MATCH,
    }},
    {"wander", {
        {NULL, "{desired} = norm({to_goal}) · {max_speed}"},
        {NULL, "{sideways} = {max_force} · {sine}"},
        {NULL, "{forward} = {rate} · ({max_speed} - {speed_ahead})"},
        {NULL, "{left} = root({max_force}, {sideways})"},
        {NULL, "{forward_left} = clamp({forward}, {left})"},
        {NULL, "{wants} = {weight} · ({sideways} · {right} + {forward_left} · {ahead})"},
    }},
    {"separation", {
        {NULL, "{strength} = truncate({separation_sum}, 1)"},
        {NULL, "{desired} = {max_speed} · {strength}"},
        {NULL, "{wants} = {weight} · {max_force} · {strength}"},
    }},
    {"alignment", {
        {NULL, "{difference} = {mean_velocity} - {velocity}"},
        {NULL, "{enough} = {rate} · |{difference}| / {max_force}"},
        {"!enough", "{strength} = truncate({difference} / ({max_speed} / 4), 1) · min({alignment_count}, 1)"},
        {NULL, "{strength} = truncate(truncate({difference} / ({max_speed} / 4), 1) · min({alignment_count}, 1), {enough})"},
        {NULL, "{desired} = {velocity} + {max_speed} / 4 · {strength}"},
        {NULL, "{wants} = {weight} · {max_force} · {strength}"},
    }},
    {"cohesion", {
        {NULL, "{strength} = truncate({mean_offset} / ({cohesion_radius} / 4), 1) · min({cohesion_count}, 1)"},
        {NULL, "{desired} = {max_speed} · {strength}"},
        {NULL, "{wants} = {weight} · {max_force} · {strength}"},
    }},
    {"flock", {
        {NULL, "{separation_strength} = truncate({separation_sum}, 1)"},
        {NULL, "{separation} = {weight} · {separation_weight} · {max_force} · {separation_strength}"},
        {NULL, "{difference} = {mean_velocity} - {velocity}"},
        {NULL, "{enough} = {rate} · |{difference}| / {max_force}"},
        {"!enough", "{alignment_strength} = truncate({difference} / ({max_speed} / 4), 1) · min({alignment_count}, 1)"},
        {NULL, "{alignment_strength} = truncate(truncate({difference} / ({max_speed} / 4), 1) · min({alignment_count}, 1), {enough})"},
        {NULL, "{alignment} = {weight} · {alignment_weight} · {max_force} · {alignment_strength}"},
        {NULL, "{cohesion_strength} = truncate({mean_offset} / ({cohesion_radius} / 4), 1) · min({cohesion_count}, 1)"},
        {NULL, "{cohesion} = {weight} · {cohesion_weight} · {max_force} · {cohesion_strength}"},
        {NULL, "{wants} = {separation} + {alignment} + {cohesion}"},
    }},
    {"avoid_agents", {
        {NULL, "{threats} in the way; the soonest in {time} s, past it by {miss} px"},
        {NULL, "{strength} = truncate({away}, 1)"},
        {NULL, "{desired} = {max_speed} · {strength}"},
        {NULL, "{wants} = {weight} · {max_force} · {strength}"},
    }},
    {"follow_leader", {
        {NULL, "{way} = {offset} + {beside}"},
        STOP("way"),
        STRAIGHT_ON,
        {"ahead", "{arriving} = {other_velocity} + {ahead} · {speed}"},
        {"!ahead", "{arriving} = {other_velocity} + norm({way}) · {speed}"},
        {"arrived", "{arriving} = {other_velocity}"},
        {NULL, "{arriving} = {aside}"},
        {NULL, "{strength} = truncate({separation_sum}, 1)"},
        {NULL, "{desired} = truncate({arriving} + {max_speed} · {strength}, {max_speed})"},
        MATCH,
    }},
    {"queue", {
        {"!arrived", "{distance} = |{offset}|"},
        {NULL, "{stopping_speed} = stopping({distance}, 0.9 · {max_force} / {mass})"},
        {NULL, "{speed} = min({max_speed}, {stopping_speed})"},
        {NULL, "{distance} px from its place, nearer than {arrived}: it stays"},
        {NULL, "{strength} = truncate({separation_sum}, 1)"},
        STRAIGHT_ON,
        {"ahead", "{arriving} = {ahead} · {speed}"},
        {"!ahead", "{arriving} = norm({offset}) · {speed}"},
        {NULL, "{gap_speed} = stopping({gap}, 0.9 · {max_force} / {mass})"},
        {"!time_gap_speed", "{held} = truncate({arriving}, {gap_speed} + {their_speed})"},
        {"time_gap_speed", "{held} = truncate({arriving}, min({gap_speed} + {their_speed}, {time_gap_speed}))"},
        {"rest", "slower than {rest} px/s: it stands"},
        {"!rest", "{desired} = truncate({held} + {max_speed} / 2 · {strength}, {max_speed})"},
        {"!held", "{desired} = truncate({arriving} + {max_speed} / 2 · {strength}, {max_speed})"},
        MATCH,
    }},
    {"avoid_obstacles", {
        {NULL, "{desired} = {out} · {max_speed}"},
        {NULL, "{desired} = truncate({along} · {pace} + {normal} · {outward_speed}, {max_speed})"},
        {NULL, "{time} = max({contact_distance} / {speed}, {least_time})"},
        {NULL, "{needed} = |{passing} - {velocity}| · {mass} / {time}"},
        {NULL, "{share} = min({max_force} / {needed}, 1)"},
        {NULL, "{desired} = truncate({passing} · {share}, {max_speed})"},
        MATCH,
    }},
    {"follow_wall", {
        {NULL, "{error} = clamp(({wanted_distance} - {wall_distance}) / max({wanted_distance}, 1), 2)"},
        {NULL, "{desired} = norm({along} + {normal} · {error}) · {max_speed}"},
        MATCH,
    }},
    {"follow_path", {
        {"course", "in {prediction} s it is {path_distance} px from the path, within {path_radius}: it keeps its course"},
        {"course", "{desired} = norm({velocity}) · {max_speed}"},
        {NULL, "{end} px to the path's end: it arrives there"},
        {"end", "{distance} = |{way}|"},
        {"end", "{stopping_speed} = stopping({distance}, 0.9 · {max_force} / {mass})"},
        {"end", "{speed} = min({max_speed}, {stopping_speed})"},
        {"remaining", "{speed} = min({max_speed}, stopping({remaining}, 0.9 · {max_force} / {mass}))"},
        STRAIGHT_ON,
        {"ahead", "{desired} = {ahead} · {speed}"},
        {"!ahead", "{desired} = norm({way}) · {speed}"},
        MATCH,
    }},
    {"stay_on_path", {
        {"!way", "in {prediction} s it is {path_distance} px from the path, within {path_radius}: it does nothing"},
        {"way", "in {prediction} s it is {path_distance} px from the path, further than {path_radius}"},
        {NULL, "{desired} = norm({way}) · {max_speed}"},
        MATCH,
    }},
    {"follow_flow", {
        {NULL, "{desired} = truncate({flow}, {max_speed})"},
        MATCH,
    }},
    {"hide", {
        STOP("way"),
        {NULL, "{desired} = truncate(norm({way}) · {speed}, {max_speed})"},
        CALM,
        PREDICT,
        {"!heading", "{desired} = -norm({predicted_offset}) · {max_speed}"},
        {NULL, "{desired} = {heading} · {max_speed}"},
        MATCH,
    }},
    {"orca", {
        {"!lean", "the preferred velocity {preferred} is permitted by all of {half_planes} half-planes"},
        {"lean", "desired: of the velocities that {half_planes} half-planes permit the one nearest to {preferred} + {lean}"},
        MATCH,
    }},
    {"walk", {
        {NULL, "{direction} = truncate(norm({preferred}) + {away} + {wall_push} + {side_step}, 1)"},
        {"gap", "{desired} = truncate({direction} · min(|{preferred}|, {gap} / {time_gap}) + {contact}, {max_speed})"},
        {"!gap", "{desired} = truncate({direction} · |{preferred}| + {contact}, {max_speed})"},
        MATCH,
    }},
    {"contain", {
        {"desired", "outside in {look_ahead} s: what leads outwards is turned inwards, at {max_speed} px/s"},
        {"!desired", "inside for the next {look_ahead} s: it does nothing"},
        MATCH,
    }},
    {"external", {
        {"!ticks_ago", "no vector came within the last {hold} ticks: it does nothing"},
        {NULL, "driven {ticks_ago} ticks ago, which counts for {hold}"},
        {NULL, "{desired} = truncate({driven}, {speed_limit})"},
        MATCH,
        {NULL, "{wants} = {weight} · truncate({driven_force}, {force_limit})"},
    }},
    {"containment", {
        {NULL, "the border is too near to brake: what leads outwards is turned inwards, at {max_speed} px/s"},
        {NULL, "{steering} = {desired} - {velocity}"},
        {NULL, "{wants} = truncate({rate} · {steering}, {max_force})"},
    }},
    {NULL, {{NULL, NULL}}},
};

#define PLAIN(name_, unit_, help_) {{(name_), (unit_), (help_)}, FORMULA_PLAIN, FORMULA_NO_LINK, NULL}
#define PLACE(name_, unit_, point_, help_) {{(name_), (unit_), (help_)}, FORMULA_TARGET, FORMULA_LINK_POINT, (point_)}
#define PART(name_, unit_, help_) {{(name_), (unit_), (help_)}, FORMULA_BEHAVIOR, FORMULA_LINK_PART, NULL}
#define FORCE "mass*px/s²"

static const struct formula_word_row words[] = {
    {{"velocity", "px/s", "How the agent moves now."}, FORMULA_VELOCITY, FORMULA_LINK_VELOCITY, NULL},
    {{"desired", "px/s", "The velocity that this behavior wants."}, FORMULA_DESIRED, FORMULA_LINK_DESIRED, NULL},
    {{"steering", "px/s", "What the velocity lacks of the desired one."}, FORMULA_STEERING, FORMULA_LINK_TERM, NULL},
    {{"wants", FORCE, "The behavior's weighted force, before truncation."}, FORMULA_BEHAVIOR, FORMULA_LINK_TERM, NULL},
    {{"gets", FORCE, "What is left of it in the net force."}, FORMULA_BEHAVIOR, FORMULA_LINK_TERM, NULL},
    {{"net_force", FORCE, "The force that acts on the agent, at most max_force."}, FORMULA_STEERING, FORMULA_LINK_STEERING, NULL},
    PLAIN("weight", "", "Factor on the behavior's force; a slider changes it."),
    PLAIN("position", "px", "Where the agent is."),
    PLAIN("max_speed", "px/s", "The agent is never faster."),
    PLAIN("max_force", FORCE, "The net force is never larger."),
    PLAIN("mass", "mass", "A heavier agent changes its velocity more slowly."),
    PLAIN("rate", "mass/s", "Force for each px/s that the velocity differs from the desired one."),
    PLAIN("hold", "ticks", "How long a vector counts unless another one comes."),
    PLAIN("ticks_ago", "ticks", "How old the vector is."),
    PLAIN("driven", "px/s", "The velocity that a client drives the agent with."),
    PLAIN("driven_force", FORCE, "The force that a client drives the agent with."),
    PLAIN("speed_limit", "px/s", "Driven velocities are cut to this: max_speed, or the behavior's limit."),
    PLAIN("force_limit", FORCE, "Driven forces are cut to this: max_force, or the behavior's limit."),
    PLAIN("probability", "", "How often a dithered behavior is asked; its force is divided by that."),
    PLACE("target", "px", "target", "Where the target is."),
    PLACE("offset", "px", "target", "The way to the target, the short one in a world that wraps."),
    PLAIN("calm_beyond", "px", "The panic_distance: what is further away does not matter."),
    PLAIN("heading", "", "Where the agent faces, as a unit vector."),
    PLAIN("distance", "px", "The way that is left."),
    PLAIN("slowing_distance", "px", "Inside this distance the speed falls linearly."),
    PLAIN("stopping_speed", "px/s", "The highest speed from which max_force can still stop the agent there."),
    PLAIN("speed", "px/s", "The speed that it takes."),
    PLAIN("arrived", "px", "Nearer than this it is there."),
    PLAIN("way_ahead", "px", "The way to the other, which takes a time."),
    PLAIN("max_prediction", "s", "The furthest ahead that it predicts."),
    PLAIN("time", "s", "How far ahead it looks."),
    PLAIN("other_velocity", "px/s", "How the other agent moves."),
    PLACE("predicted_offset", "px", "predicted", "The way to where the other will be."),
    PLAIN("second_offset", "px", "The way to the second other."),
    PLAIN("second_velocity", "px/s", "How the second other moves."),
    PLAIN("second_predicted", "px", "The way to where the second other will be."),
    PLAIN("beside", "px", "The place to keep, from the other agent."),
    PLAIN("way", "px", "The way to the place that it goes for."),
    PLAIN("furthest", "px", "How far the one furthest from the middle of the herd is from there."),
    PLAIN("gathered", "px", "gather times the number of the herd to the 2/3."),
    PLAIN("calm_speed", "px/s", "No faster beside the herd: it would scatter."),
    PLAIN("rank", "", "Its number among the agents of its kind, by id."),
    PLAIN("group", "", "How many agents of its kind there are."),
    PLACE("to_goal", "px", "goal", "The way to the goal on the circle ahead."),
    PLAIN("ahead", "", "The heading, a unit vector."),
    PLAIN("right", "", "The unit vector to its right."),
    PLAIN("sine", "", "Of the angle between the heading and the goal."),
    PLAIN("sideways", FORCE, "The force to the side."),
    PLAIN("speed_ahead", "px/s", "How fast it is along its heading."),
    PLAIN("forward", FORCE, "The force that would hold max_speed."),
    PLAIN("left", FORCE, "What the force to the side leaves of max_force: root(max_force² - sideways²)."),
    PLAIN("forward_left", FORCE, "The force ahead, no more than what is left."),
    PART("separation", FORCE, "The force away from neighbors, weighted."),
    PART("separation_sum", "", "The neighbors' pushes added, the nearer the stronger."),
    PART("separation_strength", "", "Direction and strength, at most 1."),
    PART("separation_weight", "", "Factor on separation; a slider changes it."),
    PART("alignment", FORCE, "The force towards the neighbors' velocity, weighted."),
    PART("alignment_strength", "", "Direction and strength, at most 1."),
    PART("alignment_weight", "", "Factor on alignment; a slider changes it."),
    PART("alignment_count", "", "The neighbors that count for alignment, the far ones for less than 1."),
    PART("cohesion", FORCE, "The force towards the neighbors' middle, weighted."),
    PART("cohesion_strength", "", "Direction and strength, at most 1."),
    PART("cohesion_weight", "", "Factor on cohesion; a slider changes it."),
    PART("cohesion_count", "", "The neighbors that count for cohesion, the far ones for less than 1."),
    PART("cohesion_radius", "px", "Neighbors nearer than this count for cohesion."),
    PLAIN("mean_velocity", "px/s", "The neighbors' mean velocity."),
    PLAIN("difference", "px/s", "What the velocity lacks of the neighbors' mean one."),
    PLAIN("enough", "", "The strength that takes the difference away within a tick; more would tremble."),
    PLACE("mean_offset", "px", "center", "The way to the neighbors' mean position."),
    PLAIN("strength", "", "Direction and strength, at most 1."),
    PLAIN("threats", "", "The agents that it would meet within the horizon."),
    PLAIN("miss", "px", "How near the soonest of them comes."),
    PLAIN("away", "", "The pushes away from where they will be, added."),
    PLAIN("arriving", "px/s", "The velocity that takes it to its place."),
    PLAIN("aside", "px/s", "Out of the leader's way."),
    PLAIN("gap", "px", "The room to the agent in the way."),
    PLAIN("gap_speed", "px/s", "The highest speed from which it can stop behind that agent."),
    PLAIN("their_speed", "px/s", "How fast that agent makes way."),
    PLAIN("held", "px/s", "The velocity, no faster than the agent in the way allows."),
    PLAIN("rest", "px/s", "Slower than this a queueing agent stands."),
    PLAIN("out", "", "The shortest way out of the obstacle, a unit vector."),
    PLAIN("along", "", "Along the surface, a unit vector."),
    PLAIN("normal", "", "Away from the surface, a unit vector."),
    PLAIN("pace", "px/s", "No slower along the surface than it came."),
    PLAIN("outward_speed", "px/s", "How fast it leaves the surface already."),
    PLAIN("passing", "px/s", "Along the surface that it would meet."),
    PLACE("contact_distance", "px", "contact", "The way to where it would touch."),
    PLAIN("least_time", "s", "It never plans for less than four ticks."),
    PLAIN("needed", FORCE, "The force that turns it by then."),
    PLAIN("share", "", "How much of that max_force can do."),
    PLAIN("wall_distance", "px", "How far the wall is."),
    PLAIN("wanted_distance", "px", "How far it should be, from the agent's center."),
    PLAIN("error", "", "The difference, as a share; at most 2."),
    PLACE("prediction", "s", "future", "It looks at where it will be after this time."),
    PLAIN("path_distance", "px", "How far it will be from the middle of the path."),
    PLAIN("path_radius", "px", "How wide the path is, from its middle."),
    PLAIN("remaining", "px", "The way to the end of the path."),
    PLACE("end", "px", "path_point", "The way to the end of the path."),
    PLACE("flow", "px/s", "future", "The flow where the agent will be."),
    PLACE("look_ahead", "s", "future", "As far ahead as it takes to brake, or further."),
    PLAIN("preferred", "px/s", "What the other behaviors want."),
    PLAIN("half_planes", "", "Each neighbor and each solid in reach forbids a half-plane of velocities."),
    PLAIN("wall_push", "", "The pushes of solid things, added."),
    PLAIN("side_step", "", "To the side of those that come towards it."),
    PLAIN("direction", "", "Where it walks; shorter than 1 where the pushes are against its wish."),
    PLAIN("contact", "px/s", "Out of the bodies that it overlaps."),
    PLAIN("time_gap", "s", "It takes at least so long to the body ahead."),
    PLAIN("time_gap_speed", "px/s", "The room to the agent in the way divided by the time gap."),
    PLAIN("lean", "px/s", "A little to the right, so that mirror images do not wait for each other."),
};
/* clang-format on */

const struct formula_row *formula_row_of(const char *type) {
    const struct formula_row *row = formula_rows;
    while (row->type != NULL && strcmp(row->type, type) != 0) {
        row++;
    }
    return row;
}

const struct formula_word_row *formula_word_row_of(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word.name) == length && memcmp(words[i].word.name, name, length) == 0) {
            return &words[i];
        }
    }
    return NULL;
}
