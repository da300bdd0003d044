/* See server_page.h. */
#include "web/server/server_page.h"

#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "server/server_main.h"
#include "web/server/one_thread.h"

enum { ARGUMENTS = 32 };

static struct {
    char *text;
    size_t room;
    char program[14];
    char *arguments[ARGUMENTS + 1];
    int count;
    struct server_options options;
} page = {.program = "drover-server"};

char *server_text(size_t size) {
    if (size > page.room) {
        char *text = realloc(page.text, size);
        if (text == NULL) {
            return NULL;
        }
        page.text = text;
        page.room = size;
    }
    return page.text;
}

int server_argument(size_t length) {
    char *word = length <= page.room && page.count + 1 < ARGUMENTS ? malloc(length + 1) : NULL;
    if (word == NULL) {
        return 0;
    }
    memcpy(word, page.text, length);
    word[length] = '\0';
    page.arguments[++page.count] = word;
    return 1;
}

int server_start(void) {
    const char *argument = NULL;
    int code = EXIT_FAILURE;
    page.arguments[0] = page.program;
    page.options = server_options_default();
    page.options.rewind[0] = '0'; /* one thread would make its checkpoints between two frames */
    page.options.rewind[1] = '\0';
    return server_main_read(page.count + 1, page.arguments, &page.options, &argument, &code)
               ? server_main_run(&page.options, argument, NULL)
               : code;
}

double server_turn(void) {
    (void)one_loop_turn(); /* what has come is queued, */
    const uint64_t threads_ns = one_thread_turn();
    const uint64_t loop_ns = one_loop_turn(); /* and answered */
    const uint64_t next_ns = threads_ns < loop_ns ? threads_ns : loop_ns, now_ns = clock_now_ns();
    return next_ns == UINT64_MAX ? -1.0 : next_ns <= now_ns ? 0.0 : (double)(next_ns - now_ns) * 1e-6;
}
