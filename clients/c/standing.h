/* What a session has asked for that stays in force, and is asked for again with the next connection: who it is, and what
 * it subscribes to. Pure; owns the texts. */
#ifndef DROVER_CLIENTS_C_STANDING_H
#define DROVER_CLIENTS_C_STANDING_H

#include "clients/c/include/drover/drover.h"
#include "clients/c/request_book.h"

/* The ids of the lines that the library sends of its own accord. The reply to hello is shown, since it says what the session may do; that
 * to the other is not. */
#define STANDING_HELLO_ID "\"~hello\""
#define STANDING_RENEW_ID "\"~renew\""

struct standing {
    char *hello, *subscribe, *region; /* lines with the ids above; NULL: none */
    double hz;                        /* that the subscription asks for; 0: there is none */
};

/** Begins with the hello of the options: a name, a token, further members; each may be NULL. -1 with *failure when out of memory, or when the
 * members are no JSON. */
NODISCARD int standing_init(struct standing *standing, const char *name, const char *token,
                            const char *members, struct failure *failure);
void standing_fini(struct standing *standing);
/** This request is in force now. -1 when out of memory: the former stays. */
NODISCARD int standing_take(struct standing *standing, const struct request_entry *entry);
/** Appends the lines of a new connection: hello, and with_subscription the rest. */
void standing_write(const struct standing *standing, bool with_subscription, struct buffer *out);
/** Appends the lines that subscribe to the same with this hz. */
void standing_write_paced(const struct standing *standing, double hz, struct buffer *out);
/** Whether a token is shown. */
bool standing_has_token(const struct standing *standing);

#endif
