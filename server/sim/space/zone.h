/* Zones: which neighbors count for a rule, by distance and field of view. */
#ifndef DROVER_SERVER_SIM_SPACE_ZONE_H
#define DROVER_SERVER_SIM_SPACE_ZONE_H

#include <stdbool.h>

/** The three rules of flocking; behaviors about one sort of neighbor use the first. */
enum zone { ZONE_SEPARATION, ZONE_ALIGNMENT, ZONE_COHESION, ZONE_COUNT };

/** Which neighbors count for one rule. */
struct neighbor_zone {
    float radius;  /* px; nearer than this; 0: the rule is off */
    float cosine;  /* of half the field of view; -1 or less: all round */
    bool is_sharp; /* full weight up to the radius, instead of a falloff to 0 there */
};

/** A zone as the numbers sums are made with; squared distances throughout. */
struct zone_plan {
    float squared;  /* px^2: nearer than this */
    float cone;     /* c |c| of its cosine c: f |f| >= cone * d^2 says that f = d cos(bearing) is in view */
    float fade;     /* 1/px^2: a weight is 1 - fade * d^2 */
    float strength; /* separation is offset * (strength / d^2 - less) */
    float less;
};
/** Whether two zones contain the same, with the same weights. */
bool zone_is_same(const struct neighbor_zone *a, const struct neighbor_zone *b);

/** The plan of a zone. */
struct zone_plan zone_make_plan(const struct neighbor_zone *zone);

#endif
