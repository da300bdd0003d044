/* The rows of the door: which path is answered by which function. */
#ifndef DROVER_SERVER_WEB_WEB_TABLE_H
#define DROVER_SERVER_WEB_WEB_TABLE_H

#include "server/web/web_route.h"

/** The table of routes. /ws is none of them: the door hands it over to the sessions (web_door.c). */
const struct web_route *web_table(size_t *count);

#endif
