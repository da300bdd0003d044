/* See checkpoint_reading.h. */
#include "server/recording/checkpoint_reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int checkpoint_refuse(const struct checkpoint_reading *reading, const char *place, const char *what) {
    return failure_set(reading->failure, FAILURE_BAD_SAVE, place, "%s%s%s", place,
                       place[0] != '\0' ? ": " : "", what);
}

int checkpoint_refuse_entry(const struct checkpoint_reading *reading, const char *part, const char *name,
                            const struct image_fault *fault) {
    char place[96];
    if (fault->index < 0) {
        (void)snprintf(place, sizeof place, "%s%s", part, name);
    } else {
        (void)snprintf(place, sizeof place, "%s%s[%ld]", part, name, (long)fault->index);
    }
    return failure_set(reading->failure, FAILURE_BAD_SAVE, place,
                       "%s: a value that is not allowed; allowed: %s", place, fault->what);
}

int checkpoint_run_out(const struct checkpoint_reading *reading) {
    return failure_set(reading->failure, FAILURE_BUSY, "", "out of memory for the saved world");
}

int checkpoint_check_given_up(const struct checkpoint_reading *reading) {
    const bool is_given_up =
        reading->given_up != NULL && atomic_load_explicit(reading->given_up, memory_order_relaxed);
    return is_given_up ? failure_set(reading->failure, FAILURE_BUSY, "", "the server stops") : 0;
}

const cJSON *checkpoint_member(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

int checkpoint_read_whole(const struct checkpoint_reading *reading, const cJSON *object, const char *key,
                          double most, uint64_t *out) {
    const cJSON *item = checkpoint_member(object, key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0.0) || !(item->valuedouble <= most) ||
        item->valuedouble != floor(item->valuedouble)) {
        return failure_set(reading->failure, FAILURE_BAD_SAVE, key,
                           "%s: missing or out of range; allowed: an integer from 0 to %.0f", key, most);
    }
    *out = (uint64_t)item->valuedouble;
    return 0;
}

bool checkpoint_read_hex64(const cJSON *item, uint64_t *out) {
    static const char digits[] = "0123456789abcdef";
    if (!cJSON_IsString(item) || strlen(item->valuestring) != 16 || strspn(item->valuestring, digits) != 16) {
        return false;
    }
    *out = 0;
    for (const char *c = item->valuestring; *c != '\0'; c++) {
        *out = *out << 4 | (uint64_t)(strchr(digits, *c) - digits);
    }
    return true;
}
