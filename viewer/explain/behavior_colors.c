/* See behavior_colors.h. */
#include "viewer/explain/behavior_colors.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* In the order of PALETTE_*. The classic palettes have the tutorials' four colors (gray, green, orange, red). Those that
 * a scenario has together are chosen to be far apart in CIELAB, for normal and for color-blind eyes. The last rows are
 * states that are no behavior and have no other color by convention. */
static const struct {
    const char *name;
    color fill[PALETTE_COUNT];
} known[] = {
    /* clang-format off */
    {"seek", {0xff56b4e9u, 0xff00b386u, 0xff028fd6u, 0xff00805cu}},
    {"flee", {0xfffa9f3cu, 0xffff8a3du, 0xffbd4600u, 0xffbd4600u}},
    {"arrive", {0xff6df8c0u, 0xff6df8c0u, 0xff009b5du, 0xff0b8f96u}},
    {"pursue", {0xfff0e442u, 0xffe69f00u, 0xff9e8800u, 0xffa86a00u}},
    {"evade", {0xfff0622du, 0xffe8542cu, 0xff8c2a00u, 0xffc02a10u}},
    {"offset_pursuit", {0xffd0d15fu, 0xffd0d15fu, 0xff795e30u, 0xff795e30u}},
    {"interpose", {0xffd75cdbu, 0xffd75cdbu, 0xff6140bbu, 0xff6140bbu}},
    {"wander", {0xff9aa0a6u, 0xff9aa0a6u, 0xff6b7078u, 0xff6b7078u}},
    {"formation", {0xff3a94ddu, 0xff3a94ddu, 0xff9671bfu, 0xff9671bfu}},
    {"separation", {0xff9060fcu, 0xff9060fcu, 0xff7000e0u, 0xff7000e0u}},
    {"alignment", {0xff3aac76u, 0xff56b4e9u, 0xff818f4du, 0xff818f4du}},
    {"cohesion", {0xff989cffu, 0xff989cffu, 0xff0060b6u, 0xff0060b6u}},
    {"flock", {0xff4cd9eau, 0xff4cd9eau, 0xff1d91aeu, 0xff1d91aeu}},
    {"avoid_agents", {0xffde64b0u, 0xffde64b0u, 0xffde4d99u, 0xffde4d99u}},
    {"follow_leader", {0xffec8fedu, 0xffec8fedu, 0xff583c8bu, 0xff583c8bu}},
    {"queue", {0xff9c8accu, 0xff9c8accu, 0xffa92fa1u, 0xffa92fa1u}},
    {"avoid_obstacles", {0xfff7b7c6u, 0xfff7b7c6u, 0xff1e1e5au, 0xff1e1e5au}},
    {"follow_wall", {0xff79ec6cu, 0xff79ec6cu, 0xff796d16u, 0xff796d16u}},
    {"follow_path", {0xff3f92f7u, 0xff3f92f7u, 0xff205ad8u, 0xff205ad8u}},
    {"stay_on_path", {0xffafdc47u, 0xffafdc47u, 0xff405317u, 0xff405317u}},
    {"follow_flow", {0xff90f1d0u, 0xff90f1d0u, 0xff61906eu, 0xff61906eu}},
    {"hide", {0xffb08628u, 0xffb08628u, 0xffaa7920u, 0xffaa7920u}},
    {"orca", {0xffc699c6u, 0xffc699c6u, 0xff7b475fu, 0xff7b475fu}},
    {"contain", {0xfff0bc28u, 0xfff0bc28u, 0xffdf5348u, 0xffdf5348u}},
    {"external", {0xffff5fa2u, 0xffff5fa2u, 0xffc2185bu, 0xffc2185bu}},
    {"rest", {0xff6c81ffu, 0xff6c81ffu, 0xff0a40a2u, 0xff0a40a2u}},
    {"idle", {0xff9aa0a6u, 0xff9aa0a6u, 0xff6b7078u, 0xff6b7078u}},
    /* clang-format on */
};

enum { KNOWN_COUNT = sizeof known / sizeof known[0], STATE_COUNT = 2, WANDER = 7 };

/* The first ones are the farthest from each other. */
static const color dark_spares[EXPLAIN_SPARES] = {
    0xffffac9fu, 0xffb077ddu, 0xffb98d02u, 0xfff2ccfdu, 0xffb97895u, 0xfffee07eu, 0xff86924fu, 0xfff5abc2u,
    0xffcb8180u, 0xffc28fceu, 0xffedb179u, 0xffd6c140u, 0xffd0e8c9u, 0xffadbbfcu, 0xffce9879u, 0xff99aa4bu,
};
static const color light_spares[EXPLAIN_SPARES] = {
    0xff538b09u, 0xff064c76u, 0xff179978u, 0xff5180efu, 0xff015319u, 0xff04514au, 0xff5a8dbbu, 0xff4d8c49u,
    0xff4f53abu, 0xff377082u, 0xff0c6d05u, 0xff037048u, 0xff6884d4u, 0xff2d9490u, 0xff005163u, 0xff40689eu,
};

void explain_behavior_type(const char *label, char *out, size_t size) {
    assert(size > 0);
    const char *begin = label;
    for (const char *c = label; *c != '\0'; c++) {
        if ((*c == '/' || *c == '.') && c[1] != '\0') {
            begin = c + 1;
        }
    }
    size_t length = strlen(begin);
    while (length > 1 && begin[length - 1] >= '0' && begin[length - 1] <= '9') {
        length--;
    }
    (void)snprintf(out, size, "%.*s", (int)length, begin);
}

static int find(const char *name) {
    char type[64];
    explain_behavior_type(name, type, sizeof type);
    const char *wanted = strcmp(type, "containment") == 0 ? "contain" : type; /* of the edge: does the same */
    for (int i = 0; i < KNOWN_COUNT; i++) {
        if (strcmp(known[i].name, wanted) == 0) {
            return i;
        }
    }
    return -1;
}

color explain_behavior_color(enum palette palette, const char *name) {
    assert((int)palette >= 0 && palette < PALETTE_COUNT);
    const int row = find(name);
    return known[row >= 0 ? row : WANDER].fill[palette];
}

bool explain_is_behavior(const char *name) {
    return find(name) >= 0;
}

const char *explain_behavior_name(int index) {
    return index >= 0 && index < KNOWN_COUNT - STATE_COUNT ? known[index].name : NULL;
}

color explain_spare_color(enum palette palette, int index) {
    assert(index >= 0 && index < EXPLAIN_SPARES);
    const bool is_light = palette == PALETTE_SAFE_LIGHT || palette == PALETTE_CLASSIC_LIGHT;
    return is_light ? light_spares[index] : dark_spares[index];
}
