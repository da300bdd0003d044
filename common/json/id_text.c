/* The id of a request, as JSON text. Encoded again rather than copied, so that what is echoed is always sound.
 */
#include "common/json/id_text.h"

#include <math.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/utf8.h"
#include "common/json/json_writer.h"

bool id_text_read(const cJSON *value, char out[ID_TEXT_BYTES]) {
    struct buffer text;
    buffer_init(&text, ID_TEXT_BYTES - 1);
    struct json_writer json = json_writer_begin(&text);
    bool is_id = false;
    if (cJSON_IsNumber(value)) {
        const double number = value->valuedouble;
        is_id = number >= 0.0 && number <= LIMIT_ID_INTEGER && number == floor(number);
        json_unsigned(&json, is_id ? (uint64_t)number : 0);
    } else if (cJSON_IsString(value)) {
        is_id = utf8_count(value->valuestring, strlen(value->valuestring)) <= LIMIT_ID_CHARS;
        json_string(&json, is_id ? value->valuestring : "");
    }
    is_id = is_id && !text.failed;
    memset(out, 0, ID_TEXT_BYTES);
    if (is_id) {
        memcpy(out, text.data, text.length);
    }
    buffer_fini(&text);
    return is_id;
}
