/* See radius_overlay.h. */
#include "viewer/model/radius_overlay.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const float radians = 3.14159265f / 180.0f;

/* Where "behavior.name" begins, when the parameter is of this kind and state; NULL when it is not. */
static const char *relevant(const struct message_param *param, const char *kind, const char *state) {
    const char *slash = strchr(param->param, '/');
    if (strcmp(param->kind, kind) != 0) {
        return NULL;
    }
    if (slash == NULL) {
        return param->param;
    }
    const size_t length = (size_t)(slash - param->param);
    return strlen(state) == length && strncmp(param->param, state, length) == 0 ? slash + 1 : NULL;
}

/* The value of "behavior.name" of this kind and state, or `otherwise`. */
static float value_of(const struct message_param *params, int count, const char *kind, const char *state,
                      const char *wanted, float otherwise) {
    for (int i = 0; i < count; i++) {
        const char *name = relevant(&params[i], kind, state);
        if (name != NULL && strcmp(name, wanted) == 0) {
            return (float)params[i].value;
        }
    }
    return otherwise;
}

/* "flock.alignment_radius" -> form, stem "flock.alignment_"; false when it is no radius. */
static bool form_of(const char *name, enum radius_form *form, int *stem) {
    static const struct {
        const char *ending;
        enum radius_form form;
    } endings[] = {{"slowing_distance", RADIUS_SLOWING},
                   {"panic_distance", RADIUS_NOTICE},
                   {"within", RADIUS_NOTICE},
                   {"turn_radius", RADIUS_TURN},
                   {"radius", RADIUS_VIEW}};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t part = strlen(endings[i].ending);
        if (length >= part && strcmp(name + length - part, endings[i].ending) == 0) {
            *form = endings[i].form;
            *stem = (int)(length - part);
            return true;
        }
    }
    return false;
}

static void set_name(struct radius_overlay *circle, const char *name, int stem) {
    const char *dot = strchr(name, '.');
    const int zone = dot != NULL ? (int)(dot - name) + 1 : 0;
    if (stem == 0) { /* of the kind itself */
        (void)snprintf(circle->behavior, sizeof circle->behavior, "wheels");
        return;
    }
    if (dot == NULL || stem <= zone) {
        (void)snprintf(circle->behavior, sizeof circle->behavior, "%.*s", stem - 1, name);
    } else {
        (void)snprintf(circle->behavior, sizeof circle->behavior, "%.*s", stem - zone - 1, name + zone);
    }
}

int radius_overlay_find(const struct message_param *params, int param_count, const char *kind,
                        const char *state, struct radius_overlay *out) {
    assert(param_count >= 0 && kind != NULL && state != NULL);
    int count = 0;
    for (int i = 0; i < param_count && count < RADIUS_OVERLAY_MOST; i++) {
        const char *name = relevant(&params[i], kind, state);
        enum radius_form form = RADIUS_VIEW;
        int stem = 0;
        if (name == NULL || !(params[i].value > 0.0) || params[i].value > (double)LIMIT_COORDINATE ||
            strcmp(name, "radius") == 0 || !form_of(name, &form, &stem)) {
            continue;
        }
        struct radius_overlay *circle = &out[count++];
        char other[64];
        *circle =
            (struct radius_overlay){.form = form, .radius = (float)params[i].value, .view = 360.0f * radians};
        set_name(circle, name, stem);
        if (form == RADIUS_VIEW && strncmp(name, "wander", 6) == 0) {
            (void)snprintf(other, sizeof other, "%.*sdistance", stem, name);
            circle->form = RADIUS_WANDER;
            circle->distance = value_of(params, param_count, kind, state, other, 0.0f);
        } else if (form == RADIUS_VIEW) {
            (void)snprintf(other, sizeof other, "%.*sfield_of_view", stem, name);
            const float view = value_of(params, param_count, kind, state, other, 360.0f);
            (void)snprintf(other, sizeof other, "%.*sview", stem, name);
            circle->view = value_of(params, param_count, kind, state, other, view) * radians;
        }
    }
    return count;
}

static bool is_one_ring(const struct radius_overlay *a, const struct radius_overlay *b) {
    return a->form == b->form && fabsf(a->radius - b->radius) < 0.5f;
}

bool radius_overlay_name(const struct radius_overlay *rings, int count, int index, char *out, size_t size) {
    static const char *const words[] = {[RADIUS_VIEW] = "",
                                        [RADIUS_NOTICE] = " within",
                                        [RADIUS_SLOWING] = " slows down",
                                        [RADIUS_WANDER] = " circle",
                                        [RADIUS_TURN] = " turn"};
    assert(index >= 0 && index < count && size > 0);
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < count; i++) {
        if (is_one_ring(&rings[i], &rings[index])) {
            if (i < index) {
                return false;
            }
            const int added =
                snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", rings[i].behavior);
            used = used + (size_t)added < size ? used + (size_t)added : size - 1;
        }
    }
    (void)snprintf(out + used, size - used, "%s %ld px", words[rings[index].form],
                   lroundf(rings[index].radius));
    return true;
}

float radius_overlay_value(const struct message_param *params, int param_count, const char *kind,
                           const char *param) {
    assert(param_count >= 0 && kind != NULL && param != NULL);
    for (int i = 0; i < param_count; i++) {
        if (strcmp(params[i].kind, kind) == 0 && strcmp(params[i].param, param) == 0) {
            return (float)params[i].value;
        }
    }
    return 0.0f;
}
