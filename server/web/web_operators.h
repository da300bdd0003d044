/* The routes for those who run the server: /metrics, /healthz, /readyz. */
#ifndef DROVER_SERVER_WEB_WEB_OPERATORS_H
#define DROVER_SERVER_WEB_WEB_OPERATORS_H

#include "server/web/web_route.h"

/** GET /metrics. Where sessions need a token, so does this: `Authorization: Bearer TOKEN`, of role viewer or higher. */
void web_answer_metrics(const struct web_site *site, const struct web_request *request,
                        struct web_answer *answer);
/** GET /healthz and GET /readyz: 200, or 503 with the reason (health.h). */
void web_answer_healthz(const struct web_site *site, const struct web_request *request,
                        struct web_answer *answer);
void web_answer_readyz(const struct web_site *site, const struct web_request *request,
                       struct web_answer *answer);

#endif
