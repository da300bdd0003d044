/* See message_cluster.h. */
#include "common/protocol/message_cluster.h"

#include <float.h>
#include <stdlib.h>

#include "common/base/limits.h"
#include "common/json/field_json.h"
#include "common/protocol/message_parts.h"

/* clang-format off */
static const struct field cluster_fields[] = {
    ROW(struct message_cluster, "mode", FIELD_TEXT, mode, NEED, 0, 0),
    ROW(struct message_cluster, "count", FIELD_UINT32, count, NEED, 1, (double)INT32_MAX),
    ROW(struct message_cluster, "longest", FIELD_UINT32, longest, NEED, 0, (double)INT32_MAX),
    ROW(struct message_cluster, "balance", FIELD_DOUBLE, balance, NEED, 0, 1),
    ROW(struct message_cluster, "agents", FIELD_UINT64, agents, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_cluster, "ghosts", FIELD_UINT64, ghosts, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_cluster, "migrants", FIELD_UINT64, migrants, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_cluster, "migrants_per_second", FIELD_DOUBLE, migrants_hz, NEED, 0, DBL_MAX),
    END,
};

static const struct field rank_fields[] = {
    ROW(struct message_rank, "rank", FIELD_UINT32, rank, NEED, 0, (double)INT32_MAX),
    ROW(struct message_rank, "host", FIELD_TEXT, host, NEED, 0, 0),
    ROW(struct message_rank, "agents", FIELD_UINT64, agents, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_rank, "ghosts", FIELD_UINT64, ghosts, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_rank, "migrants", FIELD_UINT64, migrants, NEED, 0, LIMIT_ID_INTEGER),
    END,
};

static const struct field work_fields[] = {
    ROW(struct message_rank, "mean", FIELD_DOUBLE, work_ms, NEED, 0, DBL_MAX),
    ROW(struct message_rank, "p99", FIELD_DOUBLE, work_p99_ms, NEED, 0, DBL_MAX),
    END,
};

static const struct field wait_fields[] = {
    ROW(struct message_rank, "mean", FIELD_DOUBLE, wait_ms, NEED, 0, DBL_MAX),
    ROW(struct message_rank, "p99", FIELD_DOUBLE, wait_p99_ms, NEED, 0, DBL_MAX),
    END,
};
/* clang-format on */

static bool read_row(const cJSON *item, uint32_t *row) {
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0.0 && item->valuedouble <= (double)UINT32_MAX)) {
        return false;
    }
    *row = (uint32_t)item->valuedouble;
    return true;
}

static int read_rank(const cJSON *json, struct message_rank *rank, struct failure *failure) {
    const char path[] = "cluster.ranks";
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(json, "rows");
    if (fields_read(rank_fields, json, path, NULL, rank, NULL, failure) != 0 ||
        fields_read(work_fields, cJSON_GetObjectItemCaseSensitive(json, "work_ms"), path, NULL, rank, NULL,
                    failure) != 0 ||
        fields_read(wait_fields, cJSON_GetObjectItemCaseSensitive(json, "wait_ms"), path, NULL, rank, NULL,
                    failure) != 0) {
        return -1;
    }
    rank->has_rows = rows != NULL;
    if (rank->has_rows && (!cJSON_IsArray(rows) || !read_row(cJSON_GetArrayItem(rows, 0), &rank->row) ||
                           !read_row(cJSON_GetArrayItem(rows, 1), &rank->row_end))) {
        return failure_set(failure, FAILURE_INVALID, path, "expected [first, end], rows of cells");
    }
    return 0;
}

static int read_cluster(const cJSON *json, struct message_cluster *cluster, struct failure *failure) {
    const cJSON *ranks = cJSON_GetObjectItemCaseSensitive(json, "ranks"), *item = NULL;
    if (fields_read(cluster_fields, json, "cluster", NULL, cluster, NULL, failure) != 0) {
        return -1;
    }
    if (message_array_size(ranks, MESSAGE_RANKS) < 0) {
        return message_fail_array(failure, "cluster.ranks", MESSAGE_RANKS);
    }
    cJSON_ArrayForEach(item, ranks) {
        if (read_rank(item, &cluster->ranks[cluster->rank_count], failure) != 0) {
            return -1;
        }
        cluster->rank_count++;
    }
    return 0;
}

int message_cluster_read(const cJSON *json, struct message_cluster **cluster, struct failure *failure) {
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(json, "cluster");
    *cluster = NULL;
    if (member == NULL) {
        return 0;
    }
    struct message_cluster *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL) {
        return failure_set(failure, FAILURE_BUSY, "cluster", "out of memory");
    }
    if (read_cluster(member, fresh, failure) != 0) {
        free(fresh);
        return -1;
    }
    *cluster = fresh;
    return 0;
}
