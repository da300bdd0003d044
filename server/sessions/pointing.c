/* See pointing.h. */
#include "server/sessions/pointing.h"

#include <stdlib.h>

#include "common/system/log.h"

bool pointing_reaches_world(const struct simulation *simulation, const struct session *session) {
    return session->client.role >= ROLE_OPERATOR && simulation_wants_cursors(simulation);
}

/* False: the queue is full. */
static bool withdraw(struct simulation *simulation, uint32_t session) {
    struct request request = request_default(REQUEST_CURSOR);
    request.body.cursor.is_gone = true;
    return simulation_submit(simulation, session, 0, &request) != COMMAND_REFUSED;
}

void pointing_depart(struct pointing *pointing, struct simulation *simulation,
                     const struct session *session) {
    if (!session->cursor.is_in_world || withdraw(simulation, session->id)) {
        return;
    }
    uint32_t *grown = realloc(pointing->departed, sizeof *grown * (size_t)(pointing->count + 1));
    if (grown == NULL) {
        log_write(LOG_ERROR, "pointing", "short of memory: the cursor of session %u stays", session->id);
        return;
    }
    pointing->departed = grown;
    pointing->departed[pointing->count++] = session->id;
}

void pointing_retry(struct pointing *pointing, struct simulation *simulation) {
    while (pointing->count > 0 && withdraw(simulation, pointing->departed[pointing->count - 1])) {
        pointing->count--;
    }
}

void pointing_fini(struct pointing *pointing) {
    free(pointing->departed);
    *pointing = (struct pointing){0};
}
