/* See change_log.h. */
#include "server/simulation/change_log.h"

#include <assert.h>
#include <inttypes.h>

#include "common/base/utf8.h"

enum { LINE_BYTES = 64 * 1024 };

/* Whether clients send it again and again as a thing moves. */
static bool is_motion(const struct request *request) {
    return request->op == REQUEST_MOUSE || request->op == REQUEST_MOVE_OBSTACLE ||
           request->op == REQUEST_STEP || request->op == REQUEST_DRIVE ||
           (request->op == REQUEST_CURSOR && !request->body.cursor.gone) ||
           (request->op == REQUEST_SET_TARGET && request->body.set_target.has_name);
}

bool change_log_take(struct change_log *log, uint32_t session, const struct request *request, uint64_t now_ns,
                     uint32_t *left_out) {
    const uint32_t row = (session * REQUEST_OP_COUNT + (uint32_t)request->op) % CHANGE_LOG_ROWS;
    const uint32_t most = is_motion(request) ? 1 : CHANGE_LOG_RATE;
    if (log->rows[row].session != session || log->rows[row].op != request->op) {
        log->rows[row].written = 0;
        log->rows[row].left_out = 0;
    }
    if (log->rows[row].written == 0 || now_ns - log->rows[row].since_ns >= UINT64_C(1000000000)) {
        log->rows[row].session = session;
        log->rows[row].op = request->op;
        log->rows[row].since_ns = now_ns;
        log->rows[row].written = 0;
    }
    if (log->rows[row].written >= most) {
        log->rows[row].left_out++;
        return false;
    }
    log->rows[row].written++;
    *left_out = log->rows[row].left_out;
    log->rows[row].left_out = 0;
    return true;
}

/* The request as its client could send it, cut when it is long. */
static void write_request(const struct request *request, struct buffer *out) {
    struct buffer text;
    buffer_init(&text, LINE_BYTES);
    request_encode(request, &text);
    const size_t length = text.length > 0 ? text.length - 1 : 0; /* without the newline */
    const size_t shown = utf8_cut(text.data != NULL ? text.data : "", length, CHANGE_LOG_REQUEST_BYTES);
    buffer_append(out, text.data != NULL ? text.data : "", shown);
    buffer_append_text(out, shown < length || text.failed ? "..." : "");
    buffer_fini(&text);
}

void change_log_write(const struct command *command, uint64_t seq, uint64_t tick, uint32_t left_out,
                      struct buffer *out) {
    const char *name = command->origin.name;
    buffer_printf(out, "change %" PRIu64 " at tick %" PRIu64 " by session %u%s%s%s: ", seq, tick,
                  (unsigned)command->origin.session, name[0] != '\0' ? " (" : "", name,
                  name[0] != '\0' ? ")" : "");
    write_request(&command->request, out);
    if (left_out > 0) {
        buffer_printf(out, "; before it %u more of this op without a line", (unsigned)left_out);
    }
}

/* ---- target watch ---- */

void target_watch_reset(struct target_watch *watch) {
    *watch = (struct target_watch){0};
}

bool target_watch_tell(struct target_watch *watch, int target, uint32_t by, uint64_t now_ns) {
    assert(target >= 0 && target < LIMIT_TARGETS);
    const bool is_same = watch->targets[target].by == by;
    const uint64_t wait_ms = is_same ? TARGET_WATCH_SAME_MS : TARGET_WATCH_OTHER_MS;
    if (watch->targets[target].was_told && now_ns - watch->targets[target].told_ns < wait_ms * 1000000u) {
        return false;
    }
    watch->targets[target].was_told = true;
    watch->targets[target].by = by;
    watch->targets[target].told_ns = now_ns;
    return true;
}
