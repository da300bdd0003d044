/* What the commands for a live server share: the connection, where they write, and how they end. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_LIVE_H
#define DROVER_CLIENTS_DROVER_LIVE_LIVE_H

#include "clients/c/include/drover/drover.h"
#include "clients/drover/command.h"
#include "clients/drover/live/live_options.h"
#include "clients/drover/live/terminal.h"
#include "clients/drover/live/text_table.h"
#include "clients/drover/output.h"

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
