/* See message_playback.h. */
#include "common/protocol/message_playback.h"

#include <math.h>

#include "common/base/limits.h"
#include "common/json/field_json.h"
#include "common/protocol/message_parts.h"

/* clang-format off */
static const struct field replay_fields[] = {
    ROW(struct message_replay, "world", FIELD_UINT32, world, NEED, 1, (double)UINT32_MAX),
    ROW(struct message_replay, "tick", FIELD_UINT64, tick, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_replay, "first", FIELD_UINT64, first, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_replay, "last", FIELD_UINT64, last, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_replay, "worlds", FIELD_UINT32, worlds, NEED, 1, (double)UINT32_MAX),
    ROW(struct message_replay, "speed", FIELD_DOUBLE, speed, NEED, 0, 1000),
    ROW(struct message_replay, "diverged", FIELD_BOOL, has_diverged, NEED, 0, 0),
    END,
};

static const struct field divergence_fields[] = {
    ROW(struct message_replay, "diverged_world", FIELD_UINT32, diverged_world, 0, 1, (double)UINT32_MAX),
    ROW(struct message_replay, "diverged_tick", FIELD_UINT64, diverged_tick, 0, 0, LIMIT_ID_INTEGER),
    END,
};

static const struct field replay_seek_fields[] = {
    ROW(struct message_replay, "seeking", FIELD_DOUBLE, sought, 0, 0, 1),
    END,
};

static const struct field resuming_fields[] = {
    ROW(struct message_playback, "resuming", FIELD_DOUBLE, resumed, 0, 0, 1),
    END,
};

static const struct field left_out_fields[] = {
    ROW(struct message_playback, "ticks", FIELD_UINT64, left_out_ticks, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_playback, "requests", FIELD_UINT64, left_out_requests, NEED, 0, LIMIT_ID_INTEGER),
    END,
};
/* clang-format on */

/* Thousandths are enough of a share. */
static double rounded_share(double share) {
    return floor(fmin(fmax(share, 0.0), 1.0) * 1000.0) / 1000.0;
}

static void write_replay(const struct message_replay *replay, struct json_writer *json) {
    message_write_fields(replay_fields, replay, json);
    if (replay->has_diverged) {
        message_write_fields(divergence_fields, replay, json);
    }
    if (replay->is_seeking) {
        json_key_number(json, "seeking", rounded_share(replay->sought));
    }
    json_key(json, "spans");
    json_array(json);
    for (int i = 0; i < replay->span_count; i++) {
        json_array(json);
        json_unsigned(json, replay->spans[i].first);
        json_unsigned(json, replay->spans[i].last);
        json_end(json);
    }
    json_end(json);
}

void message_playback_write(const struct message_playback *playback, struct json_writer *json) {
    if (playback->is_resuming) {
        json_key_number(json, "resuming", rounded_share(playback->resumed));
    }
    if (playback->has_left_out) {
        json_key(json, "left_out");
        json_object(json);
        message_write_fields(left_out_fields, playback, json);
        json_end(json);
    }
    if (playback->has_replay) {
        json_key(json, "replay");
        json_object(json);
        write_replay(&playback->replay, json);
        json_end(json);
    }
}

static bool read_tick(const cJSON *item, uint64_t *tick) {
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0.0 && item->valuedouble <= LIMIT_ID_INTEGER)) {
        return false;
    }
    *tick = (uint64_t)item->valuedouble;
    return true;
}

/* Spans beyond the room there is are left out. */
static int read_spans(const cJSON *array, struct message_replay *replay, struct failure *failure) {
    const cJSON *item = NULL;
    if (array != NULL && !cJSON_IsArray(array)) {
        return failure_set(failure, FAILURE_INVALID, "replay.spans", "expected an array");
    }
    cJSON_ArrayForEach(item, array) {
        if (replay->span_count == MESSAGE_REPLAY_SPANS) {
            break;
        }
        struct message_replay_span *span = &replay->spans[replay->span_count++];
        if (!cJSON_IsArray(item) || !read_tick(cJSON_GetArrayItem(item, 0), &span->first) ||
            !read_tick(cJSON_GetArrayItem(item, 1), &span->last)) {
            return failure_set(failure, FAILURE_INVALID, "replay.spans", "expected [first, last], ticks");
        }
    }
    return 0;
}

static int read_replay(const cJSON *json, struct message_replay *replay, struct failure *failure) {
    if (!cJSON_IsObject(json)) {
        return failure_set(failure, FAILURE_INVALID, "replay", "expected an object");
    }
    if (fields_read(replay_fields, json, "replay", NULL, replay, NULL, failure) != 0 ||
        fields_read(divergence_fields, json, "replay", NULL, replay, NULL, failure) != 0 ||
        fields_read(replay_seek_fields, json, "replay", NULL, replay, NULL, failure) != 0) {
        return -1;
    }
    replay->is_seeking = cJSON_GetObjectItemCaseSensitive(json, "seeking") != NULL;
    return read_spans(cJSON_GetObjectItemCaseSensitive(json, "spans"), replay, failure);
}

int message_playback_read(const cJSON *json, struct message_playback *playback, struct failure *failure) {
    const cJSON *left_out = cJSON_GetObjectItemCaseSensitive(json, "left_out");
    const cJSON *replay = cJSON_GetObjectItemCaseSensitive(json, "replay");
    playback->is_resuming = cJSON_GetObjectItemCaseSensitive(json, "resuming") != NULL;
    playback->has_left_out = cJSON_IsObject(left_out);
    playback->has_replay = replay != NULL;
    if (fields_read(resuming_fields, json, "", NULL, playback, NULL, failure) != 0) {
        return -1;
    }
    if (playback->has_left_out &&
        fields_read(left_out_fields, left_out, "left_out", NULL, playback, NULL, failure) != 0) {
        return -1;
    }
    return playback->has_replay ? read_replay(replay, &playback->replay, failure) : 0;
}
