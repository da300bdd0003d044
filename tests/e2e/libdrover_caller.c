/* Asks a server that comes and goes, as a user of libdrover would; test_libdrover.py counts what was sent.
 *
 * usage: libdrover_caller ADDRESS REQUESTS    prints "NUMBER OUTCOME" for each request, and "frames COUNT worlds COUNT" */
#include <stdio.h>
#include <stdlib.h>

#include <drover/drover.h>

enum { WINDOW = 8, TEXT_BYTES = 128 };

struct count {
    int answered, frames;
    unsigned worlds;
};

static const char *outcome(const struct drover_message *answer) {
    const char *code = drover_message_code(answer);
    return code != NULL ? code : "reply";
}

static void take(struct drover *world, struct count *count) {
    enum drover_event event;
    while ((event = drover_next(world)) != DROVER_NOTHING) {
        const struct drover_message *message = drover_this_message(world);
        if (event == DROVER_FRAME) {
            count->frames++;
            count->worlds = drover_this_frame(world)->world;
        } else if (message != NULL && drover_message_ticket(message) != 0) {
            printf("%.0f %s\n", drover_message_number(message, "id", -1.0), outcome(message));
            count->answered++;
        }
    }
}

static int ask(struct drover *world, int number) {
    char text[TEXT_BYTES];
    (void)snprintf(text, sizeof text, "{\"op\":\"set_target\",\"id\":%d,\"name\":\"mouse\",\"x\":%d,\"y\":5}",
                   number, number % 700);
    struct drover_message *answer = drover_ask(world, text);
    if (answer == NULL) {
        return -1;
    }
    printf("%d %s\n", number, outcome(answer));
    drover_message_free(answer);
    return 0;
}

static int run(struct drover *world, int requests) {
    struct count count = {0, 0, 0};
    char text[TEXT_BYTES];
    int asked = 0, given = 0;
    if (drover_send(world, "{\"op\":\"subscribe\",\"layout\":\"packed\",\"hz\":30}") != 0) {
        return 1;
    }
    for (int number = 0; number < requests; number++) {
        if (number % 4 == 0) {
            asked += ask(world, number) == 0;
        } else {
            (void)snprintf(text, sizeof text,
                           "{\"op\":\"set_target\",\"id\":%d,\"name\":\"mouse\",\"x\":%d,\"y\":6}", number,
                           number % 700);
            given += drover_request(world, text) != 0;
        }
        take(world, &count);
        while (given - count.answered > WINDOW && drover_wait(world, 30000) > 0) {
            take(world, &count);
        }
    }
    while (count.answered < given && drover_wait(world, 30000) > 0) {
        take(world, &count);
    }
    printf("frames %d worlds %u answers %d of %d\n", count.frames, count.worlds, count.answered + asked,
           requests);
    return 0;
}

int main(int argc, char **argv) {
    struct drover *world = argc == 3 ? drover_connect(argv[1], NULL) : NULL;
    const int code = world != NULL ? run(world, (int)strtol(argv[2], NULL, 10)) : 2;
    drover_close(world);
    return code;
}
