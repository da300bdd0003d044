/* See event_list.h. */
#include "clients/c/event_list.h"

#include <stdlib.h>

struct event_item {
    struct event_item *next;
    struct drover_message *message; /* NULL: DROVER_LINK */
};

static int append(struct event_list *list, struct drover_message *message) {
    struct event_item *item = calloc(1, sizeof *item);
    if (item == NULL) {
        drover_message_free(message);
        return -1;
    }
    item->message = message;
    if (list->last != NULL) {
        list->last->next = item;
    } else {
        list->first = item;
    }
    list->last = item;
    list->has_link = message == NULL;
    return 0;
}

int event_list_add(struct event_list *list, struct drover_message *message) {
    const size_t length = message->length;
    const int result = append(list, message);
    list->bytes += result == 0 ? length : 0;
    return result;
}

int event_list_add_link(struct event_list *list) {
    return list->has_link && list->last != NULL ? 0 : append(list, NULL);
}

enum drover_event event_list_take(struct event_list *list, struct drover_message **message) {
    struct event_item *item = list->first;
    *message = NULL;
    if (item == NULL) {
        return DROVER_NOTHING;
    }
    list->first = item->next;
    if (list->first == NULL) {
        list->last = NULL;
    }
    *message = item->message;
    free(item);
    list->bytes -= *message != NULL ? (*message)->length : 0;
    return *message != NULL ? DROVER_MESSAGE : DROVER_LINK;
}

void event_list_fini(struct event_list *list) {
    struct drover_message *message = NULL;
    while (event_list_take(list, &message) != DROVER_NOTHING) {
        drover_message_free(message);
    }
}
