/* See terminal.h. */
#include "clients/drover/live/terminal.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

struct terminal terminal_find(void) {
    struct terminal terminal = {.is_there = isatty(STDOUT_FILENO) == 1};
    const char *kind = getenv("TERM");
    const bool is_dumb = kind == NULL || kind[0] == '\0' || strcmp(kind, "dumb") == 0;
    terminal.has_color = terminal.is_there && !is_set("NO_COLOR") && !is_dumb;
    return terminal;
}

void terminal_size(int *width, int *height) {
    struct winsize size = {0};
    *width = 80;
    *height = 24;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        *width = size.ws_col;
        *height = size.ws_row;
    }
}

/* False: a program in the background, which the terminal stops when it changes the keys or reads one.
   A terminal that is not the one of the session stops no program. */
static bool has_foreground(void) {
    const pid_t group = tcgetpgrp(STDIN_FILENO);
    return group < 0 || group == getpgrp();
}

static void say(const char *text) {
    const ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    (void)written; /* a terminal that is gone needs nothing */
}

void terminal_take(struct terminal *terminal) {
    if (!terminal->is_there) {
        return;
    }
    if (isatty(STDIN_FILENO) == 1 && has_foreground() && tcgetattr(STDIN_FILENO, &terminal->before) == 0) {
        struct termios keys = terminal->before;
        keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        keys.c_cc[VMIN] = 0;
        keys.c_cc[VTIME] = 0;
        keys.c_cc[VSUSP] = _POSIX_VDISABLE; /* a stopped program would leave its screen behind */
        terminal->is_single = terminal->has_keys = tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
    }
    terminal->is_taken = true;
    say("\033[?1049h\033[?25l");
}

void terminal_give_back(struct terminal *terminal) {
    if (terminal->is_taken) {
        say("\033[?25h\033[?1049l");
        terminal->is_taken = false;
    }
    if (terminal->is_single) {
        if (has_foreground()) {
            (void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
        }
        terminal->is_single = terminal->has_keys = false;
    }
}

int terminal_key(struct terminal *terminal) {
    struct pollfd entry = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char key = 0;
    terminal->has_keys = terminal->has_keys && has_foreground();
    if (!terminal->has_keys || poll(&entry, 1, 0) <= 0) {
        return -1;
    }
    terminal->has_keys = read(STDIN_FILENO, &key, 1) == 1;
    return terminal->has_keys ? key : -1;
}
