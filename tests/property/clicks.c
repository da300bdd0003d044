/* A hand that clicks birds of `flock` hits the one it means, nine times of ten, though they flee the pointer.
 *
 * The hand takes 0.5 s to a bird, slow at both ends, and is 0.12 s behind what it sees; then the button goes down. What it
 * sees is 50 ms old, as in the viewer, and the world learns a tick later where the pointer is.
 */
#include <math.h>
#include <string.h>

#include "server/sim/world/world.h"
#include "tests/property/named_scenario.h"
#include "viewer/draw/scene.h"
#include "viewer/model/camera.h"

enum {
    TRIES = 100,
    APPROACH = 30,
    BEHIND = 7,
    OLD = 3,
    BETWEEN = 40,
    KEPT = BEHIND + 1,
    MOST = 256
}; /* ticks */

/* What the viewer draws: the positions of the last ticks, in rings. */
struct window {
    struct world *world;
    struct snapshot *names;
    struct frame frame;
    struct server_model server;
    struct camera camera;
    struct view_settings settings;
    struct scene scene;
    int mouse;
    uint64_t ticks;
    vec2 at[OLD + KEPT][MOST], velocity[OLD + KEPT][MOST];
};

static vec2 seen(const struct window *window, int32_t row, int behind) {
    return window->at[(window->ticks + OLD + KEPT - (uint64_t)(OLD + behind)) % (OLD + KEPT)][row];
}

static void step(struct window *window, vec2 pointer) {
    const int32_t count = world_agent_count(window->world);
    world_set_target(window->world, window->mouse, pointer);
    world_step(window->world);
    const uint64_t now = ++window->ticks % (OLD + KEPT), drawn = (window->ticks + KEPT) % (OLD + KEPT);
    for (int32_t row = 0; row < count; row++) {
        const struct agent_view agent = world_agent(window->world, row);
        window->at[now][row] = agent.position;
        window->velocity[now][row] = agent.velocity;
        window->frame.id[row] = agent.id;
        window->frame.kind[row] = 0;
        window->frame.x[row] = window->at[drawn][row].x;
        window->frame.y[row] = window->at[drawn][row].y;
        window->frame.vx[row] = window->velocity[drawn][row].x;
        window->frame.vy[row] = window->velocity[drawn][row].y;
    }
}

static void open_window(struct window *window) {
    memset(window, 0, sizeof *window);
    window->names = snapshot_create();
    window->world = world_named("flock");
    window->mouse = world_find_target(window->world, "mouse");
    const int32_t count = world_agent_count(window->world);
    assert_true(window->names != NULL && window->mouse >= 0 && count > 0 && count <= MOST);
    assert_int_equal(frame_reserve(&window->frame, count), 0);
    assert_int_equal(name_table_intern(&window->names->kind_names, "bird", 4), 0);
    window->frame.names = window->names;
    window->frame.count = window->frame.settled_count = count;
    struct message_scenario *scenario = &window->server.scenario;
    window->server.has_scenario = true;
    scenario->size = world_bounds(window->world).size;
    scenario->kind_count = 1;
    scenario->kinds[0].radius = 5;
    (void)snprintf(scenario->kinds[0].name, sizeof scenario->kinds[0].name, "bird");
    (void)snprintf(scenario->edge, sizeof scenario->edge, "wrap");
    window->camera.scale = 1.0f;
    window->settings = view_settings_default();
    window->scene = (struct scene){.camera = &window->camera,
                                   .server = &window->server,
                                   .frame = &window->frame,
                                   .settings = &window->settings,
                                   .pixel_scale = 1.0f};
}

static void close_window(struct window *window) {
    snapshot_destroy(window->names);
    frame_fini(&window->frame);
    world_destroy(window->world);
}

/* The way of a hand, 0 to 1: slow at both ends. */
static float share_of(int tick) {
    const float t = (float)tick / APPROACH;
    return t * t * t * (10.0f - 15.0f * t + 6.0f * t * t);
}

/* Goes from `from` to a bird, and clicks. */
static bool hits(struct window *window, vec2 from, int32_t row, uint32_t *id) {
    const vec2 size = window->server.scenario.size;
    vec2 pointer = from;
    for (int tick = 1; tick <= APPROACH; tick++) {
        step(window, pointer);
        const vec2 way = torus_short_way(vec2_sub(seen(window, row, BEHIND), from), size);
        pointer = vec2_add(from, vec2_scale(way, share_of(tick)));
    }
    const uint32_t meant = window->frame.id[row];
    return scene_pick_for_hand(&window->scene, torus_wrap(pointer, size), 1.0, id) && *id == meant;
}

static void a_hand_hits_nine_birds_of_ten(void **state) {
    static struct window window;
    open_window(&window);
    const vec2 size = window.server.scenario.size;
    const vec2 away = vec2_scale(size, 0.5f);
    int hit = 0, some = 0;
    for (uint32_t i = 0; i < TRIES; i++) {
        for (int tick = 0; tick < (i == 0 ? 360 : BETWEEN); tick++) { /* the warm-up; the hand rests */
            step(&window, away);
        }
        const int32_t row = (int32_t)(i * 97u % (uint32_t)window.frame.count);
        const float angle = 2.4f * (float)i;
        const vec2 from =
            vec2_add(seen(&window, row, BEHIND), vec2_scale(vec2_make(cosf(angle), sinf(angle)), 200.0f));
        uint32_t id = 0;
        hit += hits(&window, torus_wrap(from, size), row, &id) ? 1 : 0;
        some += id != 0 ? 1 : 0;
    }
    close_window(&window);
    print_message("%d of %d clicks hit the bird that was meant, %d some bird\n", hit, TRIES, some);
    assert_true(hit >= 90);
    assert_true(some >= hit);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_hand_hits_nine_birds_of_ten)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
