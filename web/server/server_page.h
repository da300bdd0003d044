/* The server in a page: drover-server itself, in WebAssembly, as functions that a Worker's script calls. Its parts that need an
 * operating system find another one: one_thread.c has its threads, one_loop.c its loop, and files lie in memory
 * (web/src/files.ts). In place of sockets it has ports.
 *
 * One server a module. Numbers and texts as in web/page.h.
 *
 *     server_argument ...; server_start, which serves from then on
 *     a peer:  server_connect; bytes at server_reserve, then server_commit; server_output; server_disconnect
 *     server_turn, again and again: when it says so, and after server_commit
 */
#ifndef DROVER_WEB_SERVER_SERVER_PAGE_H
#define DROVER_WEB_SERVER_SERVER_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "web/page_host.h"

/** Room for a text of this size; NULL when out of memory. Valid until the next call. */
PAGE_EXPORT(server_text) char *server_text(size_t size);
/** The text's first `length` bytes are the next word of the command line (drover-server --help); the program's name is given
 * already. Returns whether there was room. */
PAGE_EXPORT(server_argument) int server_argument(size_t length);
/** Starts the server. It does not return when it serves: it calls server_host_serves, which leaves it by an exception of the
 * script's. Otherwise it returns the exit code, and the log says why. */
PAGE_EXPORT(server_start) int server_start(void);
/** Does what is due. Returns after how many ms it wants to be called again: 0 at once; < 0: not before something comes. */
PAGE_EXPORT(server_turn) double server_turn(void);

/** A peer has come. Returns its port; 0 when there is no room, or no server. */
PAGE_EXPORT(server_connect) int server_connect(void);
/** Room for what the peer says, lines with their ends; NULL when there is none, or the server has closed the port. Then
 * server_commit. */
PAGE_EXPORT(server_reserve) char *server_reserve(int port, size_t length);
PAGE_EXPORT(server_commit) void server_commit(int port, size_t length);
/** What the server says to the peer, and forgets. Valid until the next call for this port. A script that leaves it where it is
 * makes the peer a slow one, which gets fewer frames. */
PAGE_EXPORT(server_output) const char *server_output(int port, size_t *length);
/** Whether the server has not closed the port. What it said before is still to be taken. */
PAGE_EXPORT(server_is_connected) int server_is_connected(int port);
/** The peer has gone. */
PAGE_EXPORT(server_disconnect) void server_disconnect(int port);

/** The server serves: throws an exception, which leaves server_start. Nothing in the module's memory is lost by that. */
PAGE_IMPORT(server_host_serves) _Noreturn void server_host_serves(void);

#endif
