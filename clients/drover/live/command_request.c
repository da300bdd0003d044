/* The commands that send one request and show its reply: a row each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/live/live.h"
#include "clients/drover/live/live_commands.h"
#include "clients/drover/live/message_view.h"
#include "clients/drover/live/shown_text.h"

#define NO_SWITCHES                                                                                          \
    {                                                                                                        \
        { NULL, NULL, NULL, NULL }                                                                           \
    }

static const struct request_command request_commands[] = {
    {"set",
     REQUEST_SET_PARAM,
     "[KIND.PARAMETER VALUE]",
     "What to set and to which value: prey.max_speed 120; 3.max_speed 120 for agent 3.",
     "Sets a parameter of a kind, or of one agent.",
     {"kind|agent.param value", NULL},
     NO_SWITCHES,
     NULL,
     NULL,
     NULL},
    {"target",
     REQUEST_SET_TARGET,
     "[NAME] [X Y]",
     "The target and its new place, px; a number in place of the name is an agent.",
     "Moves a target, or says where an agent or a kind is to go.",
     {"name|agent x y", "x y", "name|agent", NULL},
     NO_SWITCHES,
     NULL,
     NULL,
     NULL},
    {"spawn",
     REQUEST_SPAWN,
     "KIND [COUNT [X Y]]",
     "The kind, how many, and the place, px.",
     "Adds agents.",
     {"kind", "kind count", "kind count x y", NULL},
     NO_SWITCHES,
     NULL,
     NULL,
     NULL},
    {"remove",
     REQUEST_REMOVE,
     "[AGENT...]",
     "The ids of agents.",
     "Removes agents, or with --kind all of a kind.",
     {"agents...", NULL},
     NO_SWITCHES,
     " agent agents ",
     NULL,
     NULL},
    {"place",
     REQUEST_PLACE,
     "AGENT [X Y]",
     "The id of an agent, and its new place, px.",
     "Puts an agent elsewhere, or gives it another velocity, heading or stamina.",
     {"agent", "agent x y", NULL},
     NO_SWITCHES,
     " agent ",
     NULL,
     NULL},
    {"inspect",
     REQUEST_INSPECT,
     "AGENT...",
     "The ids of agents, 16 at most.",
     "Says what agents are about to do, and why.",
     {"agents...", NULL},
     NO_SWITCHES,
     " agent agents ",
     NULL,
     NULL},
    {"params",
     REQUEST_GET_PARAMS,
     "[KIND]",
     "One kind; all when left out.",
     "Lists what set can set.",
     {"kind", "", NULL},
     NO_SWITCHES,
     " kind ",
     NULL,
     NULL},
    {"pause",
     REQUEST_PAUSE,
     NULL,
     NULL,
     "Stops the time of the world.",
     {"", NULL},
     NO_SWITCHES,
     NULL,
     NULL,
     NULL},
    {"resume",
     REQUEST_RESUME,
     NULL,
     NULL,
     "Lets the time of the world go on.",
     {"", NULL},
     NO_SWITCHES,
     NULL,
     NULL,
     NULL},
    {"step",
     REQUEST_STEP,
     "[COUNT]",
     "How many ticks; 1 when left out.",
     "Does ticks of a paused world, and says the hash then.",
     {"count", "", NULL},
     NO_SWITCHES,
     " count ",
     NULL,
     NULL},
    {"speed",
     REQUEST_SPEED,
     "[FACTOR]",
     "Times as fast as the clock.",
     "Sets how fast the time of the world goes.",
     {"factor", NULL},
     NO_SWITCHES,
     " factor ",
     NULL,
     NULL},
    {"seek",
     REQUEST_SEEK,
     "TICK",
     "The tick.",
     "Goes to a tick of the recording that the server plays.",
     {"tick", NULL},
     NO_SWITCHES,
     " tick ",
     NULL,
     NULL},
    {"load",
     REQUEST_LOAD,
     "[SCENARIO]",
     "Its name, as list has it.",
     "Puts a scenario, or with --save a saved world, in place of the world.",
     {"scenario", "", NULL},
     {{"no-warmup", "warmup", "false", "Without the warm-up of the scenario."}, {NULL, NULL, NULL, NULL}},
     " scenario warmup ",
     NULL,
     NULL},
    {"save",
     REQUEST_SAVE,
     "NAME",
     "What to call it.",
     "Keeps the world as it is, in the server.",
     {"name", NULL},
     NO_SWITCHES,
     " name ",
     NULL,
     NULL},
    {"record",
     REQUEST_RECORD,
     "[NAME]",
     "Of the file, without .drover; one that says when, if left out.",
     "Writes a recording, in the server's folder, from now on until --stop, or of what --last says.",
     {"name", "", NULL},
     {{"stop", "on", "false", "End the recording that is being written."}, {NULL, NULL, NULL, NULL}},
     " on name ",
     "on",
     "last"},
    {.name = NULL},
};

const struct request_command *request_command_find(const char *name) {
    for (const struct request_command *command = request_commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

void live_show(struct live *live, const struct drover_message *reply) {
    if (live->is_json) {
        size_t length = 0;
        const char *text = drover_message_text(reply, &length);
        shown_json_append(&live->output.buffer, text, length);
        buffer_append_text(&live->output.buffer, "\n");
        return;
    }
    const struct text_style style = live_style(live);
    message_view(reply, &style, &live->output.buffer);
}

enum exit_code live_ask_once(const struct command_context *context, const struct live_options *options,
                             const char *request) {
    struct live live;
    enum exit_code code = EXIT_WELL;
    if (live_begin(&live, context, options, &code) == 0 &&
        live_connect(&live, DROVER_RECONNECT_NEVER, &code) == 0) {
        struct drover_message *reply = live_ask(&live, request, &code);
        if (reply != NULL) {
            live_show(&live, reply);
            (void)live_write(&live);
        }
        drover_message_free(reply);
    }
    return live_end(&live, code);
}

static enum exit_code send(const struct command_context *context, const struct request_command *command,
                           const struct request_words *words, int count, char *const *arguments) {
    struct buffer request;
    struct failure failure = {0};
    buffer_init(&request, 1 << 20);
    enum exit_code code = EXIT_USAGE;
    if (request_words_write(command, words, count, arguments, &request, &failure) != 0) {
        code = command_complain(context, &failure, EXIT_USAGE);
    } else {
        code = live_ask_once(context, &words->live, request.data);
    }
    buffer_fini(&request);
    return code;
}

enum exit_code command_request(const struct command_context *context, int argc, char **argv) {
    const struct request_command *command = request_command_find(argv[0]);
    struct request_words *words = calloc(1, sizeof *words);
    struct request_options *options = calloc(1, sizeof *options);
    enum exit_code code = EXIT_DIFFERS;
    int count = 0;
    if (command == NULL || words == NULL || options == NULL) {
        live_say("out of memory");
    } else {
        words->live.timeout = LIVE_TIMEOUT_S;
        request_options_make(command, options);
        if (command_options(&options->def, argc, argv, words, 0, argc, &count, &code)) {
            code = send(context, command, words, count, argv + 1);
        }
    }
    free(options);
    free(words);
    return code;
}

/* ---- ask: any request ---- */

struct ask_options {
    struct live_options live;
};

static const struct field ask_table[] = {
    LIVE_OPTION_ROWS(struct ask_options, live),
    OPTIONS_END,
};
const struct options_def command_ask_options = {
    .program = "drover ask",
    .summary = "Sends any request and shows its reply.",
    .positional = "OP [MEMBER=VALUE...]",
    .positional_help =
        "The request (drover help lists those of the server) and its members: JSON, or a text.",
    .takes_several = true,
    .table = ask_table,
};

enum exit_code command_ask(const struct command_context *context, int argc, char **argv) {
    struct ask_options options = {.live.timeout = LIVE_TIMEOUT_S};
    struct failure failure = {0};
    struct buffer request;
    enum exit_code code = EXIT_USAGE;
    int count = 0;
    if (!command_options(&command_ask_options, argc, argv, &options, 1, argc, &count, &code)) {
        return code;
    }
    buffer_init(&request, 1 << 20);
    if (request_words_ask(argv[1], count - 1, argv + 2, &request, &failure) != 0) {
        code = command_complain(context, &failure, EXIT_USAGE);
    } else {
        code = live_ask_once(context, &options.live, request.data);
    }
    buffer_fini(&request);
    return code;
}
