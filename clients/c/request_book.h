/* The requests of a connection from the moment they are given to their answers, over all reconnects. Pure.
 *
 * 1. A request is held until a connection takes it, then its bytes lie in `output` until they are sent.
 * 2. A request of which no byte was sent is held again when the connection goes. Any other may have taken effect: it
 * is never sent a second time.
 * 3. A request with an id is answered once: by the server, or by who empties the book.
 */
#ifndef DROVER_CLIENTS_C_REQUEST_BOOK_H
#define DROVER_CLIENTS_C_REQUEST_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/json/json_text.h"

enum {
    REQUEST_BOOK_BYTES = 16 * 1024 * 1024, /* of all requests that wait, for the server or for their answer */
    REQUEST_BOOK_AHEAD = 256 * 1024 /* no further request goes into `output` while it has more than this */
};

/** What a request is to the session itself: what stays in force with the next connection. */
enum request_concern { CONCERN_NONE, CONCERN_HELLO, CONCERN_SUBSCRIBE, CONCERN_REGION, CONCERN_UNSUBSCRIBE };

struct request_entry {
    struct request_entry *next;
    uint64_t ticket; /* its number */
    bool has_ticket; /* the caller knows it */
    char *text;      /* the line with its newline; owned */
    size_t length;
    char id[ID_TEXT_BYTES]; /* "" for none */
    enum request_concern concern;
    bool is_asked;      /* drover_ask waits for the answer */
    bool is_out;        /* its bytes were put into output: */
    uint64_t begin;     /* the first of them, counted over the connection */
    double deadline_ms; /* HUGE_VAL: none */
};

struct request_book {
    struct request_entry *first, *last; /* in the order in which they were given */
    uint64_t tickets;                   /* given so far */
    size_t bytes;                       /* of all entries */
    struct buffer output;               /* bytes of this connection that are not sent yet */
    uint64_t sent;                      /* bytes of this connection that are */
};

void request_book_init(struct request_book *book);
void request_book_fini(struct request_book *book);
/** Adds a request. with_id: it gets an id when it has none. NULL with *failure: FAILURE_INVALID, FAILURE_PARSE or FAILURE_FULL. The
 * book's. */
NODISCARD struct request_entry *request_book_add(struct request_book *book, const char *text, bool with_id,
                                                 struct failure *failure);
/** Puts held requests into output, in order. */
void request_book_pump(struct request_book *book);
/** So many bytes of output were sent. Requests without an id that have gone out leave the book. */
void request_book_sent(struct request_book *book, size_t length);
/** Removes the request with this id and returns it: request_entry_free. NULL when there is none. */
NODISCARD struct request_entry *request_book_answer(struct request_book *book, const char *id);
/** Removes the first request whose time has come, likewise. */
NODISCARD struct request_entry *request_book_expire(struct request_book *book, double now_ms);
/** The time of the next one to expire; HUGE_VAL when there is none. */
double request_book_deadline(const struct request_book *book);
/** The connection is gone. Removes the first request that may have taken effect, likewise; when there is none left,
 * holds the others and empties output. */
NODISCARD struct request_entry *request_book_lose(struct request_book *book);
/** Removes the first request, whatever it is. */
NODISCARD struct request_entry *request_book_take(struct request_book *book);
/** Whether one waits, for the server or for its answer, that changes the subscription. */
bool request_book_changes_stream(const struct request_book *book);
/** Whether every request has gone out. */
bool request_book_is_sent(const struct request_book *book);
void request_entry_free(struct request_entry *entry);

/* What a session has asked for that stays in force, and is asked for again with the next connection: who it is, and what
 * it subscribes to. Pure; owns the texts. */

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
