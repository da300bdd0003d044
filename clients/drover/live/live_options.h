/* The options that all commands for a live server have. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_LIVE_OPTIONS_H
#define DROVER_CLIENTS_DROVER_LIVE_LIVE_OPTIONS_H

#include <stdbool.h>

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

#endif
