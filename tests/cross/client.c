/* libdrover by its header alone, as a program on another system uses it: says hello to a server with the scenario seek, subscribes, sets the
 * target, and waits for the frame that has it.
 *
 *     cross_client HOST:PORT      prints "hello ...", "frames ...", "target ...", and "gone ..." when the server is stopped then
 *     cross_client HOST:PORT -    nothing listens there: prints "refused ..."
 */
#include <errno.h>
#include <stdio.h>

#include <drover/drover.h>

enum { PATIENCE_MS = 60000, FRAMES = 20 };

static int fail(const struct drover *world, const char *what) {
    (void)fprintf(stderr, "%s: %s\n", what, drover_reason(world));
    return 1;
}

/* How many frames came until the one that has the target there. */
static int frames_until(struct drover *world, int x, int y) {
    int frames = 0;
    while (drover_wait(world, PATIENCE_MS) > 0) {
        const struct drover_frame *frame =
            drover_next(world) == DROVER_FRAME ? drover_this_frame(world) : NULL;
        frames += frame != NULL;
        if (frame != NULL && frames >= FRAMES && frame->count == 1 && frame->target_count == 1 &&
            frame->target_x[0] == 100 * x && frame->target_y[0] == 100 * y) {
            return frames;
        }
    }
    return 0;
}

static int use(struct drover *world) {
    while (drover_wait(world, PATIENCE_MS) > 0 && drover_next(world) != DROVER_MESSAGE) {}
    const struct drover_message *hello = drover_this_message(world);
    if (hello == NULL || drover_message_string(hello, "scenario.name") == NULL) {
        return fail(world, "hello");
    }
    printf("hello %s\n", drover_message_string(hello, "scenario.name"));
    if (drover_send(world, "{\"op\":\"subscribe\",\"layout\":\"packed\",\"hz\":30}") != 0) {
        return fail(world, "subscribe");
    }
    struct drover_message *answer =
        drover_ask(world, "{\"op\":\"set_target\",\"name\":\"mouse\",\"x\":321,\"y\":123}");
    if (answer == NULL || drover_message_code(answer) != NULL) {
        return fail(world, "set_target");
    }
    drover_message_free(answer);
    const int frames = frames_until(world, 321, 123);
    if (frames < FRAMES) {
        return fail(world, "frames");
    }
    printf("target after %d frames\n", frames);
    (void)fflush(stdout);
    while (drover_state(world) == DROVER_READY && drover_wait(world, PATIENCE_MS) > 0) {
        (void)drover_next(world);
    }
    printf("gone\n");
    return 0;
}

int main(int argc, char **argv) {
    struct drover *world = argc > 1 ? drover_connect(argv[1], NULL) : NULL;
    const int is_ready =
        world != NULL && drover_wait_ready(world, argc > 2 ? PATIENCE_MS / 20 : PATIENCE_MS) == 0;
    int code = 1;
    if (argc > 2 && world != NULL && !is_ready) {
        printf("refused %d: %s\n", drover_errno(world) == ECONNREFUSED, drover_reason(world));
        code = 0;
    } else if (is_ready) {
        code = use(world);
    } else if (world != NULL) {
        code = fail(world, "connect");
    }
    drover_close(world);
    return code;
}
