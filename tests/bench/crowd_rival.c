/* See crowd_rival.h. */
#include "tests/bench/crowd_rival.h"

#include <math.h>
#include <stdlib.h>

#define PARALLEL 1e-5f /* sine of an angle: less is parallel */

enum { LEAF = 10 };

/* The permitted velocities: those whose component along `normal` is at least `least`. */
struct half_plane {
    vec2 normal;
    float least;
};

struct walker;

struct near {
    float squared; /* px^2 */
    const struct walker *walker;
};

struct walker {
    vec2 position, velocity, goal, next_velocity;
    int near_count, plane_count;
    struct near near[CROWD_NEIGHBORS_MAX]; /* the nearest first */
    struct half_plane planes[CROWD_NEIGHBORS_MAX];
};

/* A part of the tree: walkers begin .. end - 1 and the box around them. */
struct node {
    int32_t begin, end, left, right;
    float low_x, high_x, low_y, high_y;
};

struct crowd_rival {
    struct crowd_rules rules;
    int32_t count;
    struct walker **walkers; /* by index */
    struct walker **order;   /* the same ones, as the tree has them */
    struct node *nodes;      /* twice as many as walkers, less one */
    int64_t neighbors, infeasible;
};

struct crowd_rival *crowd_rival_create(const struct crowd_rules *rules, int32_t count) {
    struct crowd_rival *rival = calloc(1, sizeof *rival);
    if (rival == NULL || count < 1 || rules->most > CROWD_NEIGHBORS_MAX) {
        abort();
    }
    rival->rules = *rules;
    rival->count = count;
    rival->walkers = calloc((size_t)count, sizeof *rival->walkers);
    rival->order = calloc((size_t)count, sizeof *rival->order);
    rival->nodes = calloc(2 * (size_t)count, sizeof *rival->nodes);
    if (rival->walkers == NULL || rival->order == NULL || rival->nodes == NULL) {
        abort();
    }
    for (int32_t i = 0; i < count; i++) {
        rival->walkers[i] = rival->order[i] = calloc(1, sizeof(struct walker));
        if (rival->walkers[i] == NULL) {
            abort();
        }
    }
    return rival;
}

void crowd_rival_destroy(struct crowd_rival *rival) {
    if (rival == NULL) {
        return;
    }
    for (int32_t i = 0; i < rival->count; i++) {
        free(rival->walkers[i]);
    }
    free(rival->walkers);
    free(rival->order);
    free(rival->nodes);
    free(rival);
}

void crowd_rival_set(struct crowd_rival *rival, int32_t index, const struct crowd_agent *agent) {
    struct walker *walker = rival->walkers[index];
    walker->position = agent->position;
    walker->velocity = agent->velocity;
    walker->goal = agent->goal;
}

struct crowd_agent crowd_rival_get(const struct crowd_rival *rival, int32_t index) {
    const struct walker *walker = rival->walkers[index];
    return (struct crowd_agent){walker->position, walker->velocity, walker->goal};
}

struct crowd_work crowd_rival_work(const struct crowd_rival *rival) {
    return (struct crowd_work){(double)rival->neighbors / rival->count,
                               (double)rival->infeasible / rival->count};
}

/* ---- the tree ---- */

static void find_box(const struct crowd_rival *rival, struct node *node) {
    const vec2 first = rival->order[node->begin]->position;
    node->low_x = node->high_x = first.x;
    node->low_y = node->high_y = first.y;
    for (int32_t i = node->begin + 1; i < node->end; i++) {
        const vec2 at = rival->order[i]->position;
        node->low_x = at.x < node->low_x ? at.x : node->low_x;
        node->high_x = at.x > node->high_x ? at.x : node->high_x;
        node->low_y = at.y < node->low_y ? at.y : node->low_y;
        node->high_y = at.y > node->high_y ? at.y : node->high_y;
    }
}

/* Walkers before the middle of the box's longer side come first. Returns where the others begin; neither part is empty. */
static int32_t part(const struct crowd_rival *rival, const struct node *node) {
    const bool is_wide = node->high_x - node->low_x > node->high_y - node->low_y;
    const float middle = is_wide ? 0.5f * (node->low_x + node->high_x) : 0.5f * (node->low_y + node->high_y);
    int32_t low = node->begin, high = node->end;
    while (low < high) {
        struct walker *walker = rival->order[low];
        if ((is_wide ? walker->position.x : walker->position.y) < middle) {
            low++;
        } else {
            high--;
            rival->order[low] = rival->order[high];
            rival->order[high] = walker;
        }
    }
    return low > node->begin ? low : node->begin + 1;
}

static void build(struct crowd_rival *rival, int32_t begin, int32_t end, int32_t at) {
    struct node *node = &rival->nodes[at];
    node->begin = begin;
    node->end = end;
    find_box(rival, node);
    if (end - begin > LEAF) {
        const int32_t middle = part(rival, node);
        node->left = at + 1;
        node->right = at + 2 * (middle - begin); /* a tree of n walkers has 2 n - 1 nodes at most */
        build(rival, begin, middle, node->left);
        build(rival, middle, end, node->right);
    }
}

/* ---- neighbors ---- */

/* Keeps one of the nearest in its place. `reach` shrinks once the list is full. */
static void keep_near(const struct crowd_rules *rules, struct walker *self, const struct walker *other,
                      float *reach) {
    const float squared = vec2_length_squared(vec2_sub(other->position, self->position));
    if (other == self || !(squared < *reach)) {
        return;
    }
    int place = self->near_count < rules->most ? self->near_count++ : rules->most - 1;
    while (place > 0 && self->near[place - 1].squared > squared) {
        self->near[place] = self->near[place - 1];
        place--;
    }
    self->near[place] = (struct near){squared, other};
    if (self->near_count == rules->most) {
        *reach = self->near[rules->most - 1].squared;
    }
}

static float squared_to_box(const struct node *node, vec2 at) {
    const float left = node->low_x - at.x, right = at.x - node->high_x;
    const float above = node->low_y - at.y, below = at.y - node->high_y;
    const float x = left > 0.0f ? left : right > 0.0f ? right : 0.0f;
    const float y = above > 0.0f ? above : below > 0.0f ? below : 0.0f;
    return x * x + y * y;
}

static void search(const struct crowd_rival *rival, struct walker *self, int32_t at, float *reach) {
    const struct node *node = &rival->nodes[at];
    if (node->end - node->begin <= LEAF) {
        for (int32_t i = node->begin; i < node->end; i++) {
            keep_near(&rival->rules, self, rival->order[i], reach);
        }
        return;
    }
    const float left = squared_to_box(&rival->nodes[node->left], self->position);
    const float right = squared_to_box(&rival->nodes[node->right], self->position);
    const bool is_left_first = left < right;
    if ((is_left_first ? left : right) < *reach) {
        search(rival, self, is_left_first ? node->left : node->right, reach);
    }
    if ((is_left_first ? right : left) < *reach) {
        search(rival, self, is_left_first ? node->right : node->left, reach);
    }
}

/* ---- half-planes ---- */

/* Half of the smallest change of the relative velocity that leaves the velocities of collision. */
static struct half_plane plane_of(const struct crowd_rules *rules, const struct walker *self,
                                  const struct walker *other) {
    const vec2 offset = vec2_sub(other->position, self->position);
    const vec2 relative = vec2_sub(self->velocity, other->velocity);
    const float room = 2.0f * rules->radius, squared = vec2_length_squared(offset);
    const bool overlaps = squared <= room * room;
    const float rate = overlaps ? 1.0f / rules->dt : 1.0f / rules->horizon;
    const vec2 from_tip = vec2_sub(relative, vec2_scale(offset, rate));
    const float along = vec2_dot(from_tip, offset), tip_squared = vec2_length_squared(from_tip);
    vec2 normal;
    float change;
    if (overlaps || (along < 0.0f && along * along > room * room * tip_squared)) {
        const float length = sqrtf(tip_squared);
        normal = vec2_scale(from_tip, 1.0f / length);
        change = room * rate - length;
    } else {
        const float leg = sqrtf(squared - room * room), inverse = 1.0f / squared;
        const float turn = vec2_cross(offset, from_tip) > 0.0f ? leg : -leg;
        /* Across the leg on that side, outwards: of length 1 after the division. */
        normal = vec2_scale(
            vec2_make(-(room * offset.x + turn * offset.y), turn * offset.x - room * offset.y), inverse);
        change = -vec2_dot(relative, normal);
    }
    return (struct half_plane){normal, vec2_dot(self->velocity, normal) + 0.5f * change};
}

/* ---- linear programs ---- */

/* The wanted velocity: nearest to `aim`, or (is_direction) furthest along the unit vector `aim`. */
struct goal {
    vec2 aim;
    bool is_direction;
    float max_speed;
};

/* One dimension: the best velocity on the border of half-plane `line` that those before it permit; false: none. */
static bool solve_border(const struct half_plane *planes, int line, const struct goal *goal, vec2 *velocity) {
    const vec2 normal = planes[line].normal, along = {normal.y, -normal.x};
    const float least = planes[line].least;
    const float room = goal->max_speed * goal->max_speed - least * least;
    if (room < 0.0f) {
        return false;
    }
    float high = sqrtf(room), low = -high;
    for (int i = 0; i < line; i++) {
        const float slope = vec2_dot(planes[i].normal, along);
        const float missing = planes[i].least - least * vec2_dot(planes[i].normal, normal);
        if (fabsf(slope) <= PARALLEL) {
            if (missing > 0.0f) {
                return false;
            }
            continue;
        }
        const float at = missing / slope;
        if (slope > 0.0f) {
            low = at > low ? at : low;
        } else {
            high = at < high ? at : high;
        }
        if (low > high) {
            return false;
        }
    }
    const float wanted = vec2_dot(goal->aim, along);
    const float nearest = wanted < low ? low : wanted > high ? high : wanted;
    const float place = !goal->is_direction ? nearest : wanted > 0.0f ? high : low;
    *velocity = vec2_add(vec2_scale(normal, least), vec2_scale(along, place));
    return true;
}

/* Two dimensions: half-planes are added one by one. Returns the first that leaves nothing, or count. */
static int solve(const struct half_plane *planes, int count, const struct goal *goal, vec2 *velocity) {
    *velocity = goal->is_direction ? vec2_scale(goal->aim, goal->max_speed)
                                   : vec2_truncate(goal->aim, goal->max_speed);
    for (int i = 0; i < count; i++) {
        if (vec2_dot(planes[i].normal, *velocity) < planes[i].least &&
            !solve_border(planes, i, goal, velocity)) {
            return i;
        }
    }
    return count;
}

/* Where half-plane `other` is violated as much as `one`; false where both have the same normal. */
static bool equal_violation(const struct half_plane *one, const struct half_plane *other,
                            struct half_plane *equal) {
    const vec2 difference = vec2_sub(other->normal, one->normal);
    const float squared = vec2_length_squared(difference);
    if (squared <= PARALLEL * PARALLEL) {
        return false;
    }
    const float inverse = 1.0f / sqrtf(squared);
    *equal = (struct half_plane){vec2_scale(difference, inverse), (other->least - one->least) * inverse};
    return true;
}

/* Three dimensions: the velocity whose largest violation is smallest. */
static void violate_least(const struct half_plane *planes, int count, int begin, float max_speed,
                          vec2 *velocity) {
    struct half_plane equal[CROWD_NEIGHBORS_MAX];
    float violation = 0.0f;
    for (int i = begin; i < count; i++) {
        if (planes[i].least - vec2_dot(planes[i].normal, *velocity) <= violation) {
            continue;
        }
        int equals = 0;
        for (int j = 0; j < i; j++) {
            equals += equal_violation(&planes[i], &planes[j], &equal[equals]) ? 1 : 0;
        }
        const struct goal goal = {planes[i].normal, true, max_speed};
        vec2 better;
        if (solve(equal, equals, &goal, &better) == equals) {
            *velocity = better;
        }
        violation = planes[i].least - vec2_dot(planes[i].normal, *velocity);
    }
}

/* ---- a tick ---- */

static vec2 preferred(const struct crowd_rules *rules, const struct walker *self) {
    const vec2 way = vec2_sub(self->goal, self->position);
    const float slowing = rules->slowing_distance;
    if (vec2_length_squared(way) < slowing * slowing) {
        return vec2_scale(way, rules->max_speed / slowing);
    }
    return vec2_with_length(way, rules->max_speed);
}

static void steer(struct crowd_rival *rival, struct walker *self) {
    const struct crowd_rules *rules = &rival->rules;
    float reach = rules->sight * rules->sight;
    self->near_count = 0;
    search(rival, self, 0, &reach);
    for (int i = 0; i < self->near_count; i++) {
        self->planes[i] = plane_of(rules, self, self->near[i].walker);
    }
    self->plane_count = self->near_count;
    const struct goal goal = {preferred(rules, self), false, rules->max_speed};
    vec2 velocity;
    const int failed = solve(self->planes, self->plane_count, &goal, &velocity);
    if (failed < self->plane_count) {
        violate_least(self->planes, self->plane_count, failed, rules->max_speed, &velocity);
        rival->infeasible++;
    }
    rival->neighbors += self->near_count;
    self->next_velocity = velocity;
}

void crowd_rival_step(struct crowd_rival *rival) {
    rival->neighbors = rival->infeasible = 0;
    build(rival, 0, rival->count, 0);
    for (int32_t i = 0; i < rival->count; i++) {
        steer(rival, rival->walkers[i]);
    }
    for (int32_t i = 0; i < rival->count; i++) {
        struct walker *walker = rival->walkers[i];
        walker->velocity = walker->next_velocity;
        walker->position = vec2_add(walker->position, vec2_scale(walker->velocity, rival->rules.dt));
    }
}
