/* See request_batch.h.
 *
 * Invariant: members are decoded by the same rows as requests that come alone; none of them is a batch.
 */
#include "common/protocol/request_batch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/protocol/request_extra.h"
#include "common/text/text_list.h"

enum { LIST_BYTES = 256 };

uint32_t request_member_count(const struct request *request) {
    return request->op == REQUEST_BATCH && request->extra != NULL ? request->extra->member_count : 0;
}

const struct request *request_member(const struct request *request, uint32_t index) {
    assert(index < request_member_count(request));
    return &request->extra->members[index];
}

int request_fail_member(uint32_t index, struct failure *failure) {
    const struct failure member = *failure;
    (void)failure_set(failure, member.code, NULL, "%s", member.message);
    (void)snprintf(failure->field, sizeof failure->field, "requests[%u]%s%.*s", (unsigned)index,
                   member.field[0] != '\0' ? "." : "", (int)sizeof failure->field - 24, member.field);
    failure->has_index = true;
    failure->index = index;
    return -1;
}

/* The op of a member, as far as it can be read, is refused before the rest of the member is looked at. */
static int check_op(const cJSON *json, struct failure *failure) {
    const cJSON *op = cJSON_GetObjectItemCaseSensitive(json, "op");
    char list[LIST_BYTES] = "";
    bool is_allowed = true;
    for (int i = 0; i < REQUEST_OP_COUNT; i++) {
        const bool is_member = request_has_trait((enum request_op)i, REQUEST_TRAIT_BATCH);
        if (is_member) {
            text_list_add(list, sizeof list, request_op_name((enum request_op)i), false);
        }
        is_allowed = is_allowed && !(cJSON_IsString(op) && !is_member &&
                                     strcmp(op->valuestring, request_op_name((enum request_op)i)) == 0);
    }
    return is_allowed ? 0
                      : failure_set(failure, FAILURE_BAD_PARAM, "op",
                                    "%s cannot stand in a batch; these can: %s", op->valuestring, list);
}

static int read_members(struct request_extra *extra, const cJSON *array, request_member_reader *read,
                        struct failure *failure) {
    const cJSON *item = NULL;
    extra->members = request_extra_tail(extra);
    cJSON_ArrayForEach(item, array) {
        struct request *member = &extra->members[extra->member_count];
        if (check_op(item, failure) != 0 || read(item, member, failure) != 0) {
            return request_fail_member(extra->member_count, failure);
        }
        if (member->has_at) {
            request_fini(member);
            (void)failure_set(
                failure, FAILURE_BAD_PARAM, "at",
                "the members of a batch take effect together; at is a member of the batch itself");
            return request_fail_member(extra->member_count, failure);
        }
        extra->member_count++;
        extra->bytes += request_extra_bytes(member);
    }
    return 0;
}

int request_batch_read(struct request *request, const cJSON *json, request_member_reader *read,
                       struct failure *failure) {
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(json, "requests");
    const int count = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;
    if (count < 1 || count > LIMIT_BATCH) {
        return failure_set(failure, FAILURE_BAD_PARAM, "requests",
                           "%s; expected an array of 1 to %d requests",
                           array == NULL           ? "missing"
                           : !cJSON_IsArray(array) ? "not an array"
                           : count == 0            ? "an empty array"
                                                   : "too many requests",
                           LIMIT_BATCH);
    }
    assert(request->extra == NULL);
    request->extra = request_extra_create(sizeof(struct request) * (size_t)count);
    if (request->extra == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    return read_members(request->extra, array, read, failure);
}

void request_batch_write(const struct request *request, request_member_writer *write,
                         struct json_writer *json) {
    json_key(json, "requests");
    json_array(json);
    for (uint32_t i = 0; i < request_member_count(request); i++) {
        json_object(json);
        write(request_member(request, i), json);
        json_end(json);
    }
    json_end(json);
}
