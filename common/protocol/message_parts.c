/* See message_parts.h: how every message begins, and ends. Owns nothing. */
#include "common/protocol/message_parts.h"

#include <math.h>

struct json_writer message_open(const char *op, struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, "op", op);
    return json;
}

void message_close(struct json_writer *json) {
    json_end(json);
    buffer_append(json->buffer, "\n", 1);
}

double message_share(double share) {
    return floor(fmin(fmax(share, 0.0), 1.0) * 1000.0) / 1000.0;
}
