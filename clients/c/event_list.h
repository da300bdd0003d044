/* What drover_next is to give out, in order: messages and changes of the connection. Pure; owns the messages. */
#ifndef DROVER_CLIENTS_C_EVENT_LIST_H
#define DROVER_CLIENTS_C_EVENT_LIST_H

#include "clients/c/line_message.h"

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
