/* What the commands for a live server share: the connection, where they write, and how they end. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_LIVE_H
#define DROVER_CLIENTS_DROVER_LIVE_LIVE_H

#include <stdbool.h>
#include <termios.h>

#include "clients/c/include/drover/drover.h"
#include "clients/drover/command.h"
#include "clients/drover/live/live_views.h"
#include "common/system/options.h"

enum { LIVE_SERVER = 300, LIVE_PATH = 1024 };

struct live_options {
    char server[LIVE_SERVER];   /* HOST:PORT; "": $DROVER_SERVER, or the usual one */
    char token_file[LIVE_PATH]; /* "": $DROVER_TOKEN, or none */
    double timeout;             /* s, for the connection; initially LIVE_TIMEOUT_S */
    bool is_json;
};

#define LIVE_TIMEOUT_S 5.0

/* The rows of an option table; `member` is the struct live_options in `structure`. */
#define LIVE_OPTION_ROWS(structure, member)                                                                  \
    OPTION_TEXT(structure, member.server, "server", "HOST:PORT",                                             \
                "The server; by default $DROVER_SERVER, otherwise 127.0.0.1:7717."),                         \
        OPTION_TEXT(structure, member.token_file, "token-file", "FILE",                                      \
                    "The file that has the token for the server in its first line; - is standard input. By " \
                    "default the token is $DROVER_TOKEN."),                                                  \
        OPTION_NUMBER(structure, member.timeout, "timeout", 0.1, 3600, LIVE_TIMEOUT_S, "S",                  \
                      "How long to wait for the server's first line, seconds."),                             \
        OPTION_FLAG(structure, member.is_json, "json",                                                       \
                    "JSON objects, one a line, as where standard output is no terminal.")

/* The terminal that a command writes to: its size, whether colors are wanted, and single keys without Enter. */

struct terminal {
    bool is_there;  /* standard output is one */
    bool has_color; /* no NO_COLOR, and TERM is not dumb */
    bool has_keys;  /* standard input is one, too, and gives single keys since terminal_take; until it ends */
    bool is_single; /* its modes were changed for that */
    bool is_taken;  /* the other screen is shown */
    struct termios before;
};

/** Its size; 80 and 24 where it does not say. */
void terminal_size(int *width, int *height);
/** Shows the other screen, without the cursor, and reads single keys. What was on the screen comes back with
 * terminal_give_back, which is also called when the program is stopped by a signal that command.h takes. */
void terminal_take(struct terminal *terminal);
/** The key that was pressed, or -1 when none was, or standard input has ended. Does not wait. */
int terminal_key(struct terminal *terminal);

/* The options that all commands for a live server have. */

struct live {
    const struct command_context *context;
    const struct live_options *options;
    const char *address; /* as it was given */
    struct drover *server;
    struct output output;
    struct terminal terminal;
    bool is_json; /* lines of JSON, not tables */
};

/** Why a wait came back. */
enum live_wait {
    LIVE_READY, /* drover_next has something */
    LIVE_TIME,  /* the time is over */
    LIVE_KEY,   /* standard input can be read */
    LIVE_GONE,  /* there is no connection, and none will come */
    LIVE_OVER,  /* an interrupt, or the reader of standard output has gone */
};

/** Finds standard output. 0, or -1 with *code. live_end after it in both cases. */
NODISCARD int live_begin(struct live *live, const struct command_context *context,
                         const struct live_options *options, enum exit_code *code);
/** Connects, shows the token and waits until requests can be sent. reconnect: enum drover_reconnect. 0, or -1 with *code
 * after it was said why on standard error. */
NODISCARD int live_connect(struct live *live, int reconnect, enum exit_code *code);
/** Closes and frees everything. Returns the code: that of output when writing failed and `code` is EXIT_WELL. */
enum exit_code live_end(struct live *live, enum exit_code code);

/** Waits, at most timeout_ms (negative: without end). wants_input: for standard input, too. */
enum live_wait live_wait(struct live *live, int timeout_ms, bool wants_input);
/** Sends a request and waits for its answer, which may take any time. NULL with *code after it was said why: refused, no
 * server, or an interrupt. Otherwise the caller's: drover_message_free. */
NODISCARD struct drover_message *live_ask(struct live *live, const char *request, enum exit_code *code);
/** Says on standard error that the server is gone, and why. EXIT_NO_SERVER; EXIT_DIFFERS when it refuses the token. */
enum exit_code live_complain_gone(struct live *live);
/** Says on standard error what an error of the server says: the member, the message, the hint and the code. EXIT_DIFFERS. */
enum exit_code live_complain_refused(struct live *live, const struct drover_message *error);
/** Prints "drover: WORDS", as a terminal may show them, on standard error. */
void live_say(const char *words);
/** Writes what is in live->output.buffer. False when nothing more is to be written: an interrupt came, or the reader has
 * gone. */
bool live_write(struct live *live);
/** What tables look like on this standard output. */
struct text_style live_style(const struct live *live);

/** The token of --token-file (its first line; "-" is standard input) or of $DROVER_TOKEN, "" for none. size: with the NUL.
 * 0, or -1 with *failure, which never has the token. */
NODISCARD int live_find_token(const struct live_options *options, char *token, size_t size,
                              struct failure *failure);

#endif
