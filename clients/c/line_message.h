/* struct drover_message: a line of the server as text, and its members by path. Pure; each owns its memory. */
#ifndef DROVER_CLIENTS_C_LINE_MESSAGE_H
#define DROVER_CLIENTS_C_LINE_MESSAGE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

struct drover_message {
    char *text; /* NUL-terminated */
    size_t length;
    cJSON *json; /* an object */
    uint64_t ticket;
    uint32_t world;
    bool is_local; /* the library made it */
};

/** Copies and reads a line: strict JSON, an object. NULL with *failure; its code is FAILURE_INTERNAL when memory ran
 * out. drover_message_free after use. */
NODISCARD struct drover_message *line_message_create(const char *line, size_t length,
                                                     struct failure *failure);
/** An error of the library's own. id: JSON text, "" for none. NULL when out of memory. */
NODISCARD struct drover_message *line_message_error(const char *id, const char *code, const char *text);
/** The same, "unreadable", in place of an answer that line_message_create refused for this reason. NULL when the line does
 * not say whose answer it is, too. */
NODISCARD struct drover_message *line_message_unreadable(const char *line, size_t length, const char *reason);
/** Whether op is this one. */
bool line_message_is(const struct drover_message *message, const char *op);
/** Whether it describes a world: a scenario, or a hello that keeps nothing back. */
bool line_message_begins_world(const struct drover_message *message);

/* What drover_next is to give out, in order: messages and changes of the connection. Pure; owns the messages. */

struct event_item;

struct event_list {
    struct event_item *first, *last;
    size_t bytes;  /* of the lines */
    bool has_link; /* the last item is a DROVER_LINK */
};

void event_list_fini(struct event_list *list);
/** The message becomes the list's. -1 when out of memory: it is freed. */
NODISCARD int event_list_add(struct event_list *list, struct drover_message *message);
/** A change of the connection; two that follow each other are one. -1 when out of memory. */
NODISCARD int event_list_add_link(struct event_list *list);
/** The first one, out of the list. *message: the caller's. */
enum drover_event event_list_take(struct event_list *list, struct drover_message **message);

#endif
