/* The commands for a live server. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_LIVE_COMMANDS_H
#define DROVER_CLIENTS_DROVER_LIVE_LIVE_COMMANDS_H

#include "clients/drover/live/live.h"
#include "clients/drover/live/request_words.h"

/** command_request: argv[0] names its row, which request_command_find finds. */
command_run command_request, command_ask, command_get, command_help, command_list, command_ping, command_raw,
    command_top, command_watch;
extern const struct options_def command_ask_options, command_get_options, command_help_options,
    command_list_options, command_ping_options, command_raw_options, command_top_options,
    command_watch_options;

/** NULL when there is none of this name. */
const struct request_command *request_command_find(const char *name);
/** Appends a reply to the output: its JSON, or what message_view makes of it. */
void live_show(struct live *live, const struct drover_message *reply);
/** Connects, sends one request, shows its reply. */
enum exit_code live_ask_once(const struct command_context *context, const struct live_options *options,
                             const char *request);

#endif
