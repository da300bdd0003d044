/* The rows of a crowd: the formula of the shader in web/src/crowd.ts, here in C, moves them to where interpolate_at has the
 * agents; a few agents of a kept frame are moved to the same places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/draw/agents_draw.h"

enum { AGENTS = 120, ROUNDS = 60, MOMENTS = 12 };

static const float width = 800.0f, height = 600.0f;

/* ---- the shader ---- */

struct shown {
    float x, y, dir_x, dir_y, alpha;
};

static float shader_nearer(float path, float length) {
    path -= path > 0.5f * length ? length : 0.0f;
    return path + (path < -0.5f * length ? length : 0.0f);
}

static float shader_wrap(float place, float length) {
    place -= length * floorf(place / length);
    return place < length ? place : 0.0f;
}

/* main() of the vertex shader, as far as the world goes. */
static struct shown shader(const struct agent_instance *row, const struct interpolate_motion *m) {
    const float x = (float)row->from_x * 0.01f, y = (float)row->from_y * 0.01f;
    float path_x = (float)row->to_x * 0.01f - x, path_y = (float)row->to_y * 0.01f - y;
    const float ux = (float)row->from_vx * 0.01f, uy = (float)row->from_vy * 0.01f;
    const float wx = (float)row->to_vx * 0.01f, wy = (float)row->to_vy * 0.01f;
    struct shown shown = {.x = x, .y = y, .alpha = 1.0f};
    float part = m->part;
    if (row->phase == AGENT_STAYS) {
        path_x = m->width > 0.0f ? shader_nearer(path_x, m->width) : path_x;
        path_y = m->width > 0.0f ? shader_nearer(path_y, m->height) : path_y;
        const float limit = sqrtf(fmaxf(ux * ux + uy * uy, wx * wx + wy * wy)) * m->reach_s + 10.0f;
        const bool jumps = path_x * path_x + path_y * path_y > limit * limit;
        const float jumped = m->has_jumped ? 1.0f : 0.0f;
        part = jumps ? jumped : part;
        shown.x = jumps ? x + path_x * jumped : x + path_x * m->along + ux * m->leave + wx * m->reach;
        shown.y = jumps ? y + path_y * jumped : y + path_y * m->along + uy * m->leave + wy * m->reach;
    } else if (row->phase == AGENT_COMES) {
        shown.alpha = m->fade_in;
    } else {
        shown.x = x + ux * m->since_s;
        shown.y = y + uy * m->since_s;
        shown.alpha = m->fade_out;
    }
    if (m->width > 0.0f) {
        shown.x = shader_wrap(shown.x, m->width);
        shown.y = shader_wrap(shown.y, m->height);
    }
    const float angle = ((float)row->heading + (float)row->turn * part) * 0.01f * 3.14159265f / 180.0f;
    shown.dir_x = cosf(angle);
    shown.dir_y = sinf(angle);
    return shown;
}

/* ---- worlds ---- */

static float draw_number(uint32_t *random, float low, float high) {
    *random = *random * 1664525u + 1013904223u;
    return low + (high - low) * (float)(*random >> 8) / 16777216.0f;
}

/* Agents that moved on since `before`; some stay away, some are others, some jumped. */
static int32_t make_agents(uint32_t *random, float seconds, bool is_lossy, struct test_agent *agents) {
    int32_t count = 0;
    for (uint32_t id = 1; id <= AGENTS; id++) {
        uint32_t own = id * 7919u; /* the same in both snapshots */
        struct test_agent agent = {.id = id,
                                   .vx = draw_number(&own, -120.0f, 120.0f),
                                   .vy = draw_number(&own, -120.0f, 120.0f),
                                   .heading_degrees = draw_number(random, 0.0f, 359.9f)};
        const bool jumps = draw_number(random, 0.0f, 1.0f) < 0.1f;
        agent.x =
            shader_wrap(draw_number(&own, 0.0f, width) + agent.vx * seconds + (jumps ? 300.0f : 0.0f), width);
        agent.y = shader_wrap(draw_number(&own, 0.0f, height) + agent.vy * seconds, height);
        if (!is_lossy || draw_number(random, 0.0f, 1.0f) > 0.1f) {
            agents[count++] = agent;
        }
    }
    return count;
}

static struct snapshot *random_snapshot(uint32_t *random, double clock_ms, bool is_lossy) {
    struct test_agent agents[AGENTS];
    const int32_t count = make_agents(random, (float)(clock_ms * 0.001 - 1.0), is_lossy, agents);
    return make_snapshot(clock_ms, agents, count);
}

/* ---- tests ---- */

static void assert_close(float found, float wanted, float length, float tolerance) {
    if (!(fabsf(interpolate_wrap_difference(found - wanted, length)) <= tolerance)) {
        fail_msg("found %f, wanted %f", (double)found, (double)wanted);
    }
}

static void assert_as_the_frame(const struct agent_instances *rows, const struct interpolate_motion *motion,
                                const struct frame *frame) {
    for (int32_t i = 0; i < frame->count; i++) {
        const struct shown shown = shader(&rows->rows[i], motion);
        assert_close(shown.x, frame->x[i], motion->width, 2e-3f);
        assert_close(shown.y, frame->y[i], motion->height, 2e-3f);
        assert_close(shown.dir_x, frame->dir_x[i], 0.0f, 1e-3f);
        assert_close(shown.dir_y, frame->dir_y[i], 0.0f, 1e-3f);
        assert_close(shown.alpha, frame->alpha[i], 0.0f, 1e-6f);
        assert_int_equal(rows->rows[i].kind, frame->kind[i]);
        assert_int_equal(rows->rows[i].tint, mesh_tint(frame->fill[i]));
    }
}

/* Rows are filled at one moment and moved to others: the frames have the same agents as long as both fades are on the same
 * side of 0. */
static void check_round(uint32_t *random, struct snapshot_buffer *buffer,
                        const struct interpolate_rules *rules, double gap_ms) {
    struct frame frame;
    struct agent_instances rows;
    struct interpolate_motion motion;
    bool came = false, left = false;
    frame_init(&frame);
    agent_instances_init(&rows);
    for (int k = 0; k < MOMENTS; k++) {
        const double ms = 1000.0 + gap_ms * (double)draw_number(random, k == 0 ? 0.4f : -0.2f, 1.4f);
        assert_int_equal(interpolate_at(buffer, ms, rules, &frame), 0);
        assert_true(interpolate_motion(buffer, ms, rules, &motion));
        const bool is_same = rows.count > 0 && rows.motion.a == motion.a && rows.motion.b == motion.b &&
                             came == (motion.fade_in > 0.0f) && left == (motion.fade_out > 0.0f);
        if (!is_same) {
            for (int32_t i = 0; i < frame.count; i++) {
                frame.fill[i] = 0xff000000u | (uint32_t)(i * 77);
            }
            assert_int_equal(agent_instances_fill(&rows, &frame, &motion), 0);
            came = motion.fade_in > 0.0f;
            left = motion.fade_out > 0.0f;
        }
        assert_int_equal(rows.count, frame.count);
        assert_as_the_frame(&rows, &motion, &frame);
    }
    agent_instances_fini(&rows);
    frame_fini(&frame);
}

static void the_shader_moves_agents_to_the_places_of_the_frame(void **state) {
    static const double gaps_ms[] = {16.0, 33.0, 120.0, 700.0, 4000.0};
    uint32_t random = 16;
    for (int round = 0; round < ROUNDS; round++) {
        const double gap_ms = gaps_ms[round % 5];
        const struct interpolate_rules rules = {.world_size = {width, height},
                                                .wraps = round % 2 == 0,
                                                .period_ms = gap_ms,
                                                .speed = round % 3 == 0 ? 0.5 : 1.0};
        struct snapshot_buffer buffer;
        snapshot_buffer_init(&buffer);
        const bool is_lossy = round % 4 != 0;
        assert_null(snapshot_buffer_push(&buffer, random_snapshot(&random, 1000.0, is_lossy)));
        assert_null(snapshot_buffer_push(&buffer, random_snapshot(&random, 1000.0 + gap_ms, is_lossy)));
        check_round(&random, &buffer, &rules, gap_ms);
        snapshot_buffer_fini(&buffer);
    }
}

/* A frame of one moment, of which some agents are moved to another: these are where interpolate_at has them, the others stay. */
static void few_agents_are_moved_alone(void **state) {
    const struct interpolate_rules rules = {
        .world_size = {width, height}, .wraps = true, .period_ms = 120.0, .speed = 1.0};
    uint32_t random = 3;
    struct snapshot_buffer buffer;
    struct frame kept, whole;
    snapshot_buffer_init(&buffer);
    frame_init(&kept);
    frame_init(&whole);
    assert_null(snapshot_buffer_push(&buffer, random_snapshot(&random, 1000.0, true)));
    assert_null(snapshot_buffer_push(&buffer, random_snapshot(&random, 1120.0, true)));
    for (double ms = 1010.0; ms < 1119.0; ms += 9.0) {
        assert_int_equal(interpolate_at(&buffer, 1005.0, &rules, &kept), 0);
        assert_int_equal(interpolate_at(&buffer, ms, &rules, &whole), 0);
        const int32_t few[] = {0, 5, kept.settled_count, kept.count - 1};
        const float third = kept.x[3];
        interpolate_few(&buffer, ms, &rules, few, 4, &kept);
        assert_int_equal(kept.count, whole.count);
        for (int k = 0; k < 4; k++) {
            assert_true(kept.x[few[k]] == whole.x[few[k]] && kept.y[few[k]] == whole.y[few[k]]);
            assert_true(kept.vx[few[k]] == whole.vx[few[k]] && kept.dir_y[few[k]] == whole.dir_y[few[k]]);
        }
        assert_true(kept.x[3] == third);
        assert_true(kept.time_s == whole.time_s && kept.late_ms == whole.late_ms);
    }
    frame_fini(&kept);
    frame_fini(&whole);
    snapshot_buffer_fini(&buffer);
}

static void a_mesh_that_takes_rows_gets_no_triangles_of_agents(void **state) {
    static struct agents_style style;
    const struct interpolate_rules rules = {
        .world_size = {width, height}, .is_paused = true, .period_ms = 33.0};
    const struct camera camera = {.scale = 0.25f, .offset = {10.0f, 20.0f}};
    uint32_t random = 5;
    struct snapshot_buffer buffer;
    struct frame frame;
    struct agent_instances rows;
    struct interpolate_motion motion;
    struct mesh mesh;
    struct sprites *sprites = sprites_create(1.25f);
    mesh_init(&mesh);
    snapshot_buffer_init(&buffer);
    frame_init(&frame);
    agent_instances_init(&rows);
    assert_null(snapshot_buffer_push(&buffer, random_snapshot(&random, 1000.0, false)));
    assert_int_equal(interpolate_at(&buffer, 1000.0, &rules, &frame), 0);
    assert_true(interpolate_motion(&buffer, 1000.0, &rules, &motion));
    struct canvas canvas = canvas_on_mesh(&mesh, sprites, 240, 200);
    style.radius[0] = 6.0f;
    style.wrap_size = vec2_make(width, height);
    mesh.instances = &rows;
    assert_false(agent_instances_draw(&canvas, &frame, &camera, &style)); /* no rows yet */
    assert_int_equal(agent_instances_fill(&rows, &frame, &motion), 0);
    mesh_clear(&mesh);
    canvas_fill_rect(&canvas, vec2_make(0, 0), vec2_make(9, 9), 0xffffffffu);
    assert_true(agent_instances_draw(&canvas, &frame, &camera, &style));
    canvas_fill_rect(&canvas, vec2_make(0, 0), vec2_make(9, 9), 0xffffffffu);
    assert_int_equal(mesh.vertex_count, 8);
    assert_int_equal(mesh.batch_count, 2); /* not joined: the crowd lies between them */
    assert_int_equal(mesh.instances_batch, 1);
    /* the world is 200 x 150 px at 10, 20: copies are seen on all sides; it is drawn last */
    assert_int_equal(rows.frame.tile_count, TILES_COUNT);
    assert_true(rows.frame.tiles[TILES_COUNT - 1][0] == 0.0f && rows.frame.tiles[TILES_COUNT - 1][1] == 0.0f);
    assert_true(rows.frame.half[0] > 6.0f && rows.frame.sprite[0].u1 > rows.frame.sprite[0].u0);
    mesh_clear(&mesh);
    assert_int_equal(mesh.instances_batch, -1);
    agent_instances_fini(&rows);
    frame_fini(&frame);
    snapshot_buffer_fini(&buffer);
    sprites_destroy(sprites);
    mesh_fini(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shader_moves_agents_to_the_places_of_the_frame),
        cmocka_unit_test(few_agents_are_moved_alone),
        cmocka_unit_test(a_mesh_that_takes_rows_gets_no_triangles_of_agents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
