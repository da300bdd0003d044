/* See past.h. */
#include "server/library/past.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/limits.h"
#include "common/system/clock.h"
#include "common/system/timed_wait.h"
#include "server/recording/recording_line.h"
#include "server/recording/replay.h"

/* So long a checkpoint that is being made is waited for by who needs it. */
#define MAKING_MOST_NS UINT64_C(2000000000)
/* A moment that takes longer to compute is refused. */
#define GO_MOST_NS UINT64_C(60000000000)

enum { LINES_BYTES = 4096 /* the least by which memory for requests grows */ };

/* A checkpoint. */
struct node {
    struct node *next;
    uint32_t number;
    int users; /* ways that begin with it */
    uint64_t tick, seq;
    bool is_first_of_tick; /* no request took effect at its tick before it */
    uint64_t lived;        /* ticks of all branches when it was made */
    char *save;            /* owned; NULL: it is being made */
    size_t length;
    struct buffer lines; /* requests until the next one */
};

struct past_branch {
    struct past_branch *next;
    uint64_t serial;       /* never given again, unlike the number */
    uint32_t number, from; /* from: 0 for the first */
    uint64_t fork_tick, fork_seq;
    uint64_t tick, seq;    /* its end */
    uint64_t request_tick; /* of the last request in it; UINT64_MAX: none */
    uint64_t left;         /* when: grows */
    struct node *first, *last;
};

struct mark {
    char name[LIMIT_NAME_CHARS + 1];
    uint32_t branch;
    uint64_t tick, seq;
};

struct past {
    pthread_mutex_t mutex;        /* of all below */
    pthread_cond_t changed;       /* a checkpoint has been made, or given up */
    uint64_t bytes, others, used; /* allowed; taken beside the checkpoints; taken by them */
    uint64_t newest;              /* bytes of the newest checkpoint */
    double tick_hz;
    uint64_t lived, left, serials;
    uint32_t world; /* counts past_begin */
    uint32_t branch_numbers, node_numbers;
    struct past_branch *branches, *current; /* current: NULL without memory for it */
    struct node *spare;                     /* for past_add, which allocates nothing */
    struct mark marks[PAST_MARKS];
    int mark_count;
};

/* ---- checkpoints, under the lock ---- */

static uint64_t bytes_of(const struct node *node) {
    return sizeof *node + node->length + node->lines.capacity;
}

static struct node *new_node(void) {
    struct node *node = calloc(1, sizeof *node);
    if (node != NULL) {
        buffer_init(&node->lines, SIZE_MAX / 2);
    }
    return node;
}

static void free_node(struct node *node) {
    if (node != NULL) {
        buffer_fini(&node->lines);
        free(node->save);
        free(node);
    }
}

static void free_nodes(struct node *node) {
    while (node != NULL) {
        struct node *next = node->next;
        free_node(node);
        node = next;
    }
}

/* A node that is in no branch any more; a way that begins with it frees it. */
static void drop_node(struct past *past, struct node *node) {
    node->next = NULL;
    node->number = 0;
    if (node->users == 0) {
        past->used -= bytes_of(node);
        free_node(node);
    }
}

static void drop_nodes(struct past *past, struct past_branch *branch) {
    while (branch->first != NULL) {
        struct node *node = branch->first;
        branch->first = node->next;
        drop_node(past, node);
    }
    branch->last = NULL;
}

/* The requests behind the node go to the one before it; the first one takes them with it. False without memory. */
static bool remove_node(struct past *past, struct past_branch *branch, struct node *before,
                        struct node *node) {
    if (before != NULL) {
        const size_t capacity = before->lines.capacity;
        buffer_append(&before->lines, node->lines.data == NULL ? "" : node->lines.data, node->lines.length);
        if (before->lines.failed) {
            before->lines.failed = false;
            return false;
        }
        past->used += before->lines.capacity - capacity;
        before->next = node->next;
    } else {
        branch->first = node->next;
    }
    branch->last = branch->last == node ? before : branch->last;
    drop_node(past, node);
    return true;
}

static void append_node(struct past *past, struct past_branch *branch, struct node *node, uint64_t seq) {
    node->number = ++past->node_numbers;
    node->tick = branch->tick;
    node->seq = seq;
    node->is_first_of_tick = branch->request_tick != branch->tick;
    node->lived = past->lived;
    if (branch->last != NULL) {
        branch->last->next = node;
    } else {
        branch->first = node;
    }
    branch->last = node;
    past->used += bytes_of(node);
}

/* ---- branches, under the lock ---- */

static struct past_branch *find_branch(const struct past *past, uint32_t number) {
    struct past_branch *branch = past->branches;
    while (branch != NULL && branch->number != number) {
        branch = branch->next;
    }
    return number == 0 ? NULL : branch;
}

static void drop_branch(struct past *past, struct past_branch *branch) {
    struct past_branch **at = &past->branches;
    int kept = 0;
    while (*at != NULL && *at != branch) {
        at = &(*at)->next;
    }
    assert(*at == branch);
    *at = branch->next;
    for (int i = 0; i < past->mark_count; i++) {
        if (past->marks[i].branch != branch->number) {
            past->marks[kept++] = past->marks[i];
        }
    }
    past->mark_count = kept;
    past->current = past->current == branch ? NULL : past->current;
    drop_nodes(past, branch);
    free(branch);
}

/* 0: nothing else hangs on it; 1: other branches do; 2: the current one does, whose past it has. */
static int worth(const struct past *past, const struct past_branch *branch) {
    int found = 0;
    for (const struct past_branch *other = past->branches; other != NULL; other = other->next) {
        found = other->from == branch->number ? 1 : found;
    }
    for (const struct past_branch *at = past->current; at != NULL; at = find_branch(past, at->from)) {
        found = at == branch ? 2 : found;
    }
    return found;
}

/* Of those that are worth least the one that was left first; NULL: there is none but the current one. */
static struct past_branch *next_to_go(const struct past *past) {
    struct past_branch *found = NULL;
    int least = 0;
    for (struct past_branch *branch = past->branches; branch != NULL; branch = branch->next) {
        const int value = branch != past->current ? worth(past, branch) : 0;
        if (branch != past->current &&
            (found == NULL || value < least || (value == least && branch->left < found->left))) {
            found = branch;
            least = value;
        }
    }
    return found;
}

static int count_branches(const struct past *past) {
    int count = 0;
    for (const struct past_branch *branch = past->branches; branch != NULL; branch = branch->next) {
        count++;
    }
    return count;
}

/* Goes on in a branch that was made outside. */
static void begin_branch(struct past *past, struct past_branch *branch) {
    branch->number = ++past->branch_numbers;
    branch->serial = ++past->serials;
    branch->request_tick = UINT64_MAX;
    branch->next = past->branches;
    past->branches = past->current = branch;
    while (count_branches(past) > PAST_BRANCHES) {
        drop_branch(past, next_to_go(past));
    }
}

/* ---- thinning, under the lock ---- */

static uint64_t age_of(const struct past *past, const struct node *node) {
    return past->lived - node->lived;
}

/* How far apart checkpoints of this age are, in ticks. */
static double spacing(const struct past *past, const struct node *node) {
    const double age_s = (double)age_of(past, node) / past->tick_hz;
    const double apart_s = age_s <= 60.0 ? 1.0 : age_s <= 600.0 ? 10.0 : age_s <= 3600.0 ? 60.0 : 600.0;
    return apart_s * past->tick_hz;
}

/* Whether it stands between two others, is made and not in use. */
static bool is_inner(const struct node *before, const struct node *node) {
    return before != NULL && node->next != NULL && node->save != NULL && node->users == 0;
}

static void thin(struct past *past) {
    for (struct past_branch *branch = past->branches; branch != NULL; branch = branch->next) {
        struct node *before = NULL;
        for (struct node *node = branch->first, *next = NULL; node != NULL; node = next) {
            next = node->next;
            if (!is_inner(before, node) || (double)(next->tick - before->tick) > spacing(past, node) ||
                !remove_node(past, branch, before, node)) {
                before = node;
            }
        }
    }
}

/* Removes the checkpoint whose lack costs least: the gap that it leaves, in proportion to its age. */
static bool thin_one(struct past *past) {
    struct past_branch *of = NULL;
    struct node *best = NULL, *best_before = NULL;
    double least = HUGE_VAL;
    for (struct past_branch *branch = past->branches; branch != NULL; branch = branch->next) {
        struct node *before = NULL;
        for (struct node *node = branch->first; node != NULL; before = node, node = node->next) {
            if (!is_inner(before, node)) {
                continue;
            }
            const double cost =
                (double)(node->next->tick - before->tick) / ((double)age_of(past, node) + past->tick_hz);
            if (cost < least) {
                least = cost;
                of = branch;
                best = node;
                best_before = before;
            }
        }
    }
    return best != NULL && remove_node(past, of, best_before, best);
}

static bool evict(struct past *past) {
    if (thin_one(past)) {
        return true;
    }
    struct past_branch *left = next_to_go(past), *current = past->current;
    if (left != NULL) {
        drop_branch(past, left);
        return true;
    }
    return current != NULL && current->first != NULL && current->first->next != NULL &&
           remove_node(past, current, NULL, current->first);
}

static bool make_room(struct past *past, uint64_t bytes) {
    while (past->used + past->others + bytes > past->bytes) {
        if (!evict(past)) {
            return false;
        }
    }
    return true;
}

/* ---- life ---- */

struct past *past_create(uint64_t bytes) {
    struct past *past = calloc(1, sizeof *past);
    if (past == NULL || pthread_mutex_init(&past->mutex, NULL) != 0) {
        free(past);
        return NULL;
    }
    if (timed_wait_init(&past->changed) != 0) {
        pthread_mutex_destroy(&past->mutex);
        free(past);
        return NULL;
    }
    past->bytes = bytes;
    past->tick_hz = 1.0;
    past->spare = new_node();
    return past;
}

static void clear(struct past *past) {
    while (past->branches != NULL) {
        drop_branch(past, past->branches);
    }
    past->mark_count = 0;
    past->newest = 0;
    past->branch_numbers = 0;
}

void past_destroy(struct past *past) {
    if (past != NULL) {
        clear(past);
        free_node(past->spare);
        pthread_cond_destroy(&past->changed);
        pthread_mutex_destroy(&past->mutex);
        free(past);
    }
}

void past_begin(struct past *past, uint64_t tick, uint64_t seq, double tick_hz) {
    pthread_mutex_lock(&past->mutex);
    clear(past);
    past->world++;
    past->tick_hz = tick_hz;
    struct past_branch *branch = calloc(1, sizeof *branch);
    if (branch != NULL) {
        branch->tick = branch->fork_tick = tick;
        branch->seq = branch->fork_seq = seq;
        begin_branch(past, branch);
    }
    pthread_mutex_unlock(&past->mutex);
}

/* ---- what happens ---- */

uint32_t past_add(struct past *past, uint64_t seq, uint64_t others) {
    uint32_t number = 0;
    pthread_mutex_lock(&past->mutex);
    past->others = others;
    if (past->current != NULL && past->spare != NULL && make_room(past, past->newest + sizeof *past->spare)) {
        struct node *node = past->spare;
        past->spare = NULL;
        append_node(past, past->current, node, seq);
        number = node->number;
    }
    pthread_mutex_unlock(&past->mutex);
    return number;
}

/* False: it is not there any more. */
static bool find_node(struct past *past, uint32_t number, struct past_branch **branch, struct node **before,
                      struct node **node) {
    for (*branch = past->branches; *branch != NULL; *branch = (*branch)->next) {
        *before = NULL;
        for (*node = (*branch)->first; *node != NULL; *before = *node, *node = (*node)->next) {
            if ((*node)->number == number) {
                return true;
            }
        }
    }
    return false;
}

void past_put(struct past *past, uint32_t number, char *save, size_t length) {
    struct past_branch *branch = NULL;
    struct node *before = NULL, *node = NULL;
    pthread_mutex_lock(&past->mutex);
    const bool has_room = save != NULL && make_room(past, length);
    if (find_node(past, number, &branch, &before, &node)) {
        if (has_room) {
            node->save = save;
            node->length = past->newest = length;
            past->used += length;
            save = NULL;
        } else {
            (void)remove_node(past, branch, before, node);
        }
    }
    thin(past);
    (void)make_room(past,
                    past->newest); /* here, not in past_add: the simulation's thread is to free nothing */
    past->spare = past->spare == NULL ? new_node() : past->spare;
    pthread_cond_broadcast(&past->changed);
    pthread_mutex_unlock(&past->mutex);
    free(save);
}

static bool append_line(struct past *past, const char *line, size_t length) {
    struct past_branch *current = past->current;
    struct buffer *lines = current->last == NULL ? NULL : &current->last->lines;
    const size_t capacity = lines == NULL ? 0 : lines->capacity;
    const bool grows = lines != NULL && lines->length + length >= capacity;
    if (lines == NULL || (grows && !make_room(past, capacity + length + LINES_BYTES))) {
        return false;
    }
    buffer_append(lines, line, length);
    past->used += lines->capacity - capacity;
    return !lines->failed;
}

void past_note_request(struct past *past, const char *line, size_t length, uint64_t seq) {
    pthread_mutex_lock(&past->mutex);
    if (past->current != NULL) {
        if (!append_line(past, line, length)) {
            drop_nodes(past, past->current); /* what follows cannot be computed from them */
        }
        past->current->request_tick = past->current->tick;
        past->current->seq = seq;
    }
    pthread_mutex_unlock(&past->mutex);
}

void past_note_tick(struct past *past, uint64_t tick) {
    pthread_mutex_lock(&past->mutex);
    if (past->current != NULL) {
        past->current->tick = tick;
        past->lived++;
    }
    pthread_mutex_unlock(&past->mutex);
}

int past_mark(struct past *past, const char *name, uint64_t seq, struct failure *failure) {
    int i = 0, result = 0;
    pthread_mutex_lock(&past->mutex);
    while (i < past->mark_count && strcmp(past->marks[i].name, name) != 0) {
        i++;
    }
    if (i == PAST_MARKS || past->current == NULL) {
        result = failure_set(failure, FAILURE_FULL, "name",
                             "there are %d marks already, the most there may be", PAST_MARKS);
    } else {
        struct mark *mark = &past->marks[i];
        *mark = (struct mark){.branch = past->current->number, .tick = past->current->tick, .seq = seq};
        (void)snprintf(mark->name, sizeof mark->name, "%s", name);
        past->mark_count += i == past->mark_count;
    }
    pthread_mutex_unlock(&past->mutex);
    return result;
}

/* ---- arriving ---- */

static void write_name(uint32_t number, char name[PAST_NAME]) {
    (void)snprintf(name, PAST_NAME, "b%" PRIu32, number);
}

/* Whether nothing has happened in the branch, and nothing names it. */
static bool is_untouched(const struct past *past, const struct past_branch *branch) {
    bool is_named = branch->from == 0 || find_branch(past, branch->from) == NULL;
    for (int i = 0; i < past->mark_count; i++) {
        is_named = is_named || past->marks[i].branch == branch->number;
    }
    for (const struct past_branch *other = past->branches; other != NULL; other = other->next) {
        is_named = is_named || other->from == branch->number;
    }
    return !is_named && branch->request_tick == UINT64_MAX && branch->tick == branch->fork_tick;
}

/* The branch of the way, in its place among the others. */
static void open_branch(struct past *past, struct past_way *way) {
    struct past_branch *branch = way->branch, *left = past->current;
    const bool is_moved = left != NULL && is_untouched(past, left);
    way->branch = NULL;
    for (const struct past_branch *of = find_branch(past, way->from);
         of != NULL && find_branch(past, of->from) != NULL && way->tick == of->fork_tick &&
         way->seq == of->fork_seq;
         of = find_branch(past, way->from)) {
        way->from = of->from; /* where a branch begins is a moment of the one that it comes from */
    }
    branch->from = way->from;
    branch->fork_tick = branch->tick = way->tick;
    branch->fork_seq = way->seq;
    if (is_moved) {
        past->branch_numbers = left->number == past->branch_numbers ? left->number - 1 : past->branch_numbers;
        drop_branch(past, left);
    }
    begin_branch(past, branch);
}

/* The checkpoints of the way, in order: of the moment, and with `without` that of the present. */
static struct node *append_way(struct past *past, const struct past_way *way, struct node *node,
                               uint64_t seq) {
    uint64_t bytes = 0;
    for (const struct node *each = node; each != NULL; each = each->next) {
        bytes += bytes_of(each);
    }
    if (node == NULL || !make_room(past, bytes)) {
        return node;
    }
    struct node *present = node->next;
    past->newest = node->length;
    append_node(past, past->current, node, present == NULL ? seq : way->seq);
    node->next = NULL;
    past->current->tick = way->last;
    if (present != NULL) {
        past->current->request_tick = way->request_tick;
        past->newest = present->length;
        append_node(past, past->current, present, seq);
    }
    return NULL;
}

void past_arrive(struct past *past, struct past_way *way, uint64_t seq, char name[PAST_NAME],
                 char from[PAST_NAME]) {
    pthread_mutex_lock(&past->mutex);
    struct past_branch *to = find_branch(past, way->number);
    struct node *node = way->branch->first;
    way->branch->first = NULL;
    if (past->current != NULL) {
        past->current->left = ++past->left;
    }
    if (to != NULL) {
        past->current = to;
    } else {
        open_branch(past, way);
    }
    past->current->seq = seq;
    node = append_way(past, way, node, seq);
    past->current->tick = way->last;
    write_name(past->current->number, name);
    write_name(way->from, from);
    pthread_mutex_unlock(&past->mutex);
    free_nodes(node);
}

void past_way_fini(struct past_way *way) {
    if (way->branch != NULL) {
        free_nodes(way->branch->first);
        free(way->branch);
        way->branch = NULL;
    }
}

/* ---- the list ---- */

/* The oldest tick from which there is no gap up to the branch's end; its end when there is none. */
static uint64_t oldest_tick(const struct past *past, const struct past_branch *branch) {
    uint64_t oldest = branch->tick;
    for (const struct past_branch *at = branch; at != NULL; at = find_branch(past, at->from)) {
        const struct node *first = at->first;
        while (first != NULL && first->save == NULL) {
            first = first->next;
        }
        if (first == NULL || first->tick > oldest) {
            break;
        }
        oldest = first->tick;
        if (oldest > at->fork_tick) {
            break;
        }
    }
    return oldest;
}

static void write_branch(const struct past *past, const struct past_branch *branch,
                         struct json_writer *json) {
    char name[PAST_NAME];
    json_object(json);
    write_name(branch->number, name);
    json_key_string(json, "name", name);
    if (branch->from != 0) {
        write_name(branch->from, name);
        json_key_string(json, "from", name);
        json_key_unsigned(json, "at", branch->fork_tick);
    }
    json_key_unsigned(json, "first", oldest_tick(past, branch));
    json_key_unsigned(json, "last", branch->tick);
    json_key_bool(json, "current", branch == past->current);
    json_end(json);
}

void past_write(struct past *past, struct json_writer *json) {
    pthread_mutex_lock(&past->mutex);
    json_key(json, "branches");
    json_array(json);
    for (uint32_t number = 1; number <= past->branch_numbers; number++) {
        const struct past_branch *branch = find_branch(past, number);
        if (branch != NULL) {
            write_branch(past, branch, json);
        }
    }
    json_end(json);
    json_key(json, "marks");
    json_array(json);
    for (int i = 0; i < past->mark_count; i++) {
        char name[PAST_NAME];
        json_object(json);
        json_key_string(json, "name", past->marks[i].name);
        write_name(past->marks[i].branch, name);
        json_key_string(json, "branch", name);
        json_key_unsigned(json, "tick", past->marks[i].tick);
        json_end(json);
    }
    json_end(json);
    json_key_unsigned(json, "bytes", past->used);
    pthread_mutex_unlock(&past->mutex);
}

/* ---- the list of changes, under the lock ---- */

enum {
    CHANGES_MOST = 256,
    CHANGES_READ = 4096 /* lines at most: those of a pointer that moves are one change */
};

/* A request, or several of a kind in a row. */
struct change {
    uint64_t tick, number, first_tick, first_number;
    uint32_t by, count;
    char name[LIMIT_PERSON_BYTES + 1], op[LIMIT_NAME_CHARS + 1], text[PAST_CHANGE_TEXT];
};

/* {"op":"spawn","kind":"fish","count":3} as "op spawn, kind fish, count 3" */
static void write_words(const char *json, size_t length, char out[PAST_CHANGE_TEXT]) {
    size_t count = 0;
    bool is_string = false;
    for (size_t i = 1; i + 1 < length && count + 3 < PAST_CHANGE_TEXT; i++) {
        if (json[i] == '"') {
            is_string = !is_string;
        } else if (is_string && json[i] == '\\') {
            out[count++] = json[++i];
        } else if (!is_string && json[i] == ',') {
            out[count++] = ',';
            out[count++] = ' ';
        } else {
            out[count++] = !is_string && json[i] == ':' ? ' ' : json[i];
        }
    }
    while (count > 0 && count + 3 >= PAST_CHANGE_TEXT && ((unsigned char)out[count - 1] & 0x80u) != 0) {
        count--; /* no part of a letter */
    }
    out[count] = '\0';
}

/* False: not readable, or it changes only the time. */
static bool read_change(const char *text, size_t length, struct change *out) {
    static const char *const of_time[] = {"pause", "resume", "step", "speed"};
    static const size_t op_at = sizeof "op " - 1;
    struct recording_line line;
    struct failure failure;
    char words[PAST_CHANGE_TEXT];
    if (recording_line_read(text, length, &line, &failure) != 0 || line.request_length < 2) {
        return false;
    }
    write_words(line.request, line.request_length, words);
    const size_t op_end = strcspn(words, ",");
    const char *rest = words + op_end + strspn(words + op_end, ", ");
    *out = (struct change){line.tick, line.seq, line.tick, line.seq, line.by, 1, "", "", ""};
    memcpy(out->name, line.name, sizeof out->name);
    (void)snprintf(out->op, sizeof out->op, "%.*s", (int)(op_end > op_at ? op_end - op_at : 0),
                   words + op_at);
    memcpy(out->text, rest, strlen(rest) + 1);
    for (size_t i = 0; i < sizeof of_time / sizeof of_time[0]; i++) {
        if (strcmp(out->op, of_time[i]) == 0) {
            return false;
        }
    }
    return true;
}

/* Whether an earlier change is of the row: the same, up to the first number, by the same, no more than a second before. */
static bool joins(const struct past *past, const struct change *row, const struct change *earlier) {
    static const char numbers[] = "-0123456789";
    const size_t same = strcspn(row->text, numbers);
    return row->by == earlier->by && strcmp(row->op, earlier->op) == 0 &&
           same == strcspn(earlier->text, numbers) && memcmp(row->text, earlier->text, same) == 0 &&
           row->text[same] != '\0' && (double)(row->first_tick - earlier->tick) <= past->tick_hz;
}

static void write_change(const struct change *change, uint32_t branch, struct json_writer *json) {
    char name[PAST_NAME];
    write_name(branch, name);
    json_object(json);
    json_key_unsigned(json, "tick", change->tick);
    json_key_string(json, "branch", name);
    json_key_unsigned(json, "number", change->number);
    json_key_unsigned(json, "by", change->by);
    if (change->name[0] != '\0') {
        json_key_string(json, "name", change->name);
    }
    json_key_string(json, "op", change->op);
    json_key_string(json, "text", change->text);
    if (change->count > 1) {
        json_key_unsigned(json, "count", change->count);
    }
    json_end(json);
}

/* The newest checkpoint with a lesser number, and its branch; NULL: there is none. */
static const struct node *node_before(const struct past *past, uint32_t number, uint32_t *branch_number) {
    const struct node *found = NULL;
    for (const struct past_branch *branch = past->branches; branch != NULL; branch = branch->next) {
        for (const struct node *node = branch->first; node != NULL; node = node->next) {
            if (node->number < number && (found == NULL || node->number > found->number)) {
                found = node;
                *branch_number = branch->number;
            }
        }
    }
    return found;
}

/* The list while it is made. row: the newest change that is not in it yet; count 0: none. */
struct change_list {
    struct json_writer *json; /* NULL: it is not written; then */
    uint64_t wanted;          /* the row with this request is looked for, and nothing behind it read; */
    struct change found;      /* it; count 0: not found */
    uint32_t found_branch;
    int rows, lines; /* how many more there may be */
    struct change row;
    uint32_t branch; /* of the row */
    bool has_wanted; /* the row */
};

static void flush_change(struct change_list *list) {
    if (list->row.count > 0 && list->rows > 0) {
        if (list->json != NULL) {
            write_change(&list->row, list->branch, list->json);
        } else if (list->has_wanted) {
            list->found = list->row;
            list->found_branch = list->branch;
        }
        list->rows = list->has_wanted ? 0 : list->rows - 1;
    }
    list->row.count = 0;
    list->has_wanted = false;
}

/* The changes behind a checkpoint, the newest first. */
static void list_changes_of(const struct past *past, const struct node *node, uint32_t branch,
                            struct change_list *list) {
    size_t end = node->lines.length;
    while (end > 0 && list->rows > 0 && list->lines-- > 0) {
        struct change change;
        size_t begin = end - 1; /* its newline */
        while (begin > 0 && node->lines.data[begin - 1] != '\n') {
            begin--;
        }
        const bool is_change = read_change(node->lines.data + begin, end - 1 - begin, &change);
        const bool is_same = list->row.count > 0 && list->branch == branch;
        end = begin;
        if (is_change && is_same && joins(past, &list->row, &change)) {
            list->row.count++;
            list->row.first_tick = change.tick;
            list->row.first_number = change.number;
        } else if (is_change) {
            flush_change(list);
            list->row = change;
            list->branch = branch;
        }
        list->has_wanted |= is_change && change.number == list->wanted;
    }
}

static void list_changes(const struct past *past, struct change_list *list) {
    uint32_t number = UINT32_MAX, branch = 0;
    for (const struct node *node = node_before(past, number, &branch);
         node != NULL && list->rows > 0 && list->lines > 0; node = node_before(past, number, &branch)) {
        list_changes_of(past, node, branch, list);
        number = node->number;
    }
    flush_change(list);
}

void past_write_changes(struct past *past, struct json_writer *json) {
    struct change_list list = {.json = json, .rows = CHANGES_MOST, .lines = CHANGES_READ};
    pthread_mutex_lock(&past->mutex);
    json_key(json, "changes");
    json_array(json);
    list_changes(past, &list);
    json_end(json);
    pthread_mutex_unlock(&past->mutex);
}

/* Sets which requests a route leaves out: one, or all of the row in which the list of changes has it. */
static void choose_left_out(const struct past *past, const struct request_rewind *to,
                            struct past_route *route) {
    struct change_list list = {.wanted = to->without, .rows = CHANGES_MOST, .lines = CHANGES_READ};
    if (to->row) {
        list_changes(past, &list);
    }
    const bool is_found = list.found.count > 0;
    route->first_out = is_found ? list.found.first_number : to->without;
    route->last_out = is_found ? list.found.number : to->without;
    route->out_branch = list.found_branch;
}

/* ---- going back: which moment ---- */

/* The member of the request that says which moment. */
static const char *field_of(const struct request_rewind *to) {
    return to->is_step           ? "count"
           : to->mark[0] != '\0' ? "mark"
           : to->has_without     ? "without"
           : to->has_seconds     ? "seconds"
           : to->has_ticks       ? "ticks"
           : to->has_tick        ? "tick"
                                 : "branch";
}

static int fail_range(const struct past *past, const struct request_rewind *to, struct failure *failure) {
    const char *field = field_of(to);
    const struct past_branch *current = past->current;
    if (current == NULL || current->first == NULL) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, field,
                           "no checkpoint is in memory; try again, or allow more with --rewind");
    }
    return failure_set(failure, FAILURE_OUT_OF_RANGE, field,
                       "not in memory; allowed: ticks %" PRIu64 " to %" PRIu64 ", back to %.3f s ago",
                       oldest_tick(past, current), current->tick,
                       (double)(current->tick - oldest_tick(past, current)) / past->tick_hz);
}

static const struct past_branch *branch_of_name(const struct past *past, const char *name,
                                                struct failure *failure) {
    uint32_t number = 0;
    char exact[PAST_NAME] = "";
    if (name[0] == 'b' && strlen(name) < sizeof exact) {
        number = (uint32_t)strtoul(name + 1, NULL, 10);
        write_name(number, exact);
    }
    const struct past_branch *branch = strcmp(exact, name) == 0 ? find_branch(past, number) : NULL;
    if (branch == NULL) {
        (void)failure_set(failure, FAILURE_BAD_PARAM, "branch",
                          "no branch \"%s\"; list with \"what\":\"branches\" names those there are", name);
    }
    return branch;
}

static const struct mark *find_mark(const struct past *past, const char *name, struct failure *failure) {
    for (int i = 0; i < past->mark_count; i++) {
        if (strcmp(past->marks[i].name, name) == 0) {
            return &past->marks[i];
        }
    }
    (void)failure_set(failure, FAILURE_BAD_PARAM, "mark",
                      "no mark \"%s\"; list with \"what\":\"branches\" names those there are", name);
    return NULL;
}

/* So many ticks before the end of the branch; UINT64_MAX: there never were so many. */
static uint64_t tick_before(const struct past *past, const struct past_branch *branch,
                            const struct request_rewind *to) {
    const double back = to->has_seconds ? rint(to->seconds * past->tick_hz) : (double)to->ticks;
    return back <= (double)branch->tick ? branch->tick - (uint64_t)back : UINT64_MAX;
}

/* The branch and the moment that are asked for. NULL with *failure. */
static const struct past_branch *choose(const struct past *past, const struct request_rewind *to,
                                        struct past_route *route, struct failure *failure) {
    const struct mark *mark = to->mark[0] == '\0' ? NULL : find_mark(past, to->mark, failure);
    const struct past_branch *branch = to->mark[0] != '\0'
                                           ? find_branch(past, mark == NULL ? 0 : mark->branch)
                                       : to->branch[0] != '\0' ? branch_of_name(past, to->branch, failure)
                                                               : past->current;
    if (branch == NULL) {
        return NULL;
    }
    if (mark != NULL) {
        route->to.tick = mark->tick;
        route->to.seq = mark->seq;
    } else if (to->has_without) {
        route->to.tick = branch->tick;
        route->to.seq = branch->seq;
    } else if (to->has_tick) {
        route->to.tick = to->tick;
    } else if (to->branch[0] == '\0') {
        route->to.tick = tick_before(past, branch, to);
    } else if (branch == past->current) {
        (void)failure_set(failure, FAILURE_BAD_PARAM, "branch",
                          "the world is in branch \"%s\"; give a tick of it, or another branch", to->branch);
        return NULL;
    } else {
        route->to.tick = branch->tick;
        route->to.seq = branch->seq;
        route->number = branch->number;
    }
    return branch;
}

/* ---- routes ---- */

/* A part of a route: a branch up to a moment. */
struct part {
    const struct past_branch *branch;
    uint64_t tick, seq;
};

static bool is_not_after(const struct node *node, uint64_t tick, uint64_t seq) {
    return node->tick < tick || (node->tick == tick && (node->is_first_of_tick || node->seq <= seq));
}

/* The branches that lead to a moment of a branch, from the last to the first. */
static int list_parts(const struct past *past, const struct past_branch *branch, uint64_t tick, uint64_t seq,
                      struct part parts[PAST_BRANCHES]) {
    int count = 0;
    for (; branch != NULL && count < PAST_BRANCHES; branch = find_branch(past, branch->from)) {
        const bool is_before =
            tick < branch->fork_tick || (tick == branch->fork_tick && branch->first == NULL);
        if (branch->from != 0 && is_before) {
            continue;
        }
        parts[count++] = (struct part){branch, tick, seq};
        if (tick > branch->fork_tick || (tick == branch->fork_tick && seq > branch->fork_seq)) {
            tick = branch->fork_tick;
            seq = branch->fork_seq;
        }
    }
    return count;
}

/* The last checkpoint of a part that is there; without: 0, or it is to be before this request. */
static struct node *last_node(const struct part *part, uint64_t without) {
    struct node *last = NULL;
    for (struct node *node = part->branch->first; node != NULL && is_not_after(node, part->tick, part->seq);
         node = node->next) {
        last = node->save != NULL && (without == 0 || node->seq < without) ? node : last;
    }
    return last;
}

/* Whether all that happened in the branch since its fork is in memory. */
static bool is_whole(const struct past_branch *branch) {
    return branch->first != NULL && branch->first->tick <= branch->fork_tick;
}

/* The part in which a route from the world that is there begins; -1: it does not lead there. */
static int find_here(const struct part *parts, int count, const struct past_place *here) {
    for (int i = 0; here != NULL && i < count; i++) {
        const struct past_branch *branch = parts[i].branch;
        if (branch->serial == here->serial) {
            const bool is_ahead =
                here->tick < parts[i].tick || (here->tick == parts[i].tick && here->seq <= parts[i].seq);
            return is_ahead && branch->first != NULL && is_not_after(branch->first, here->tick, here->seq)
                       ? i
                       : -1;
        }
        if (!is_whole(branch)) {
            return -1;
        }
    }
    return -1;
}

/* The part in which a route from a checkpoint begins; -1: there is none. */
static int find_base(const struct part *parts, int count, uint64_t without, struct node **base) {
    for (int i = 0; i < count; i++) {
        *base = last_node(&parts[i], without);
        if (*base != NULL) {
            return i;
        }
        if (!is_whole(parts[i].branch)) {
            return -1;
        }
    }
    return -1;
}

/* Ticks that are simulated rather than a checkpoint read. */
enum { READ_TICKS = 16 };

/* Copies the requests of the parts, from this one on. */
static void copy_lines(const struct part *parts, int from, const struct past_place *here,
                       struct past_route *route) {
    for (int i = from; i >= 0; i--) {
        const struct node *node = i == from && route->base != NULL ? route->base : parts[i].branch->first;
        for (; node != NULL && is_not_after(node, parts[i].tick, parts[i].seq); node = node->next) {
            const struct node *next = node->next;
            const bool is_behind =
                route->base == NULL && i == from && next != NULL && is_not_after(next, here->tick, here->seq);
            if (!is_behind && node->lines.length > 0) {
                buffer_append(&route->lines, node->lines.data, node->lines.length);
            }
        }
        route->cuts[route->cut_count++] =
            (struct past_cut){route->lines.length,
                              {parts[i].branch->serial, parts[i].tick, parts[i].seq},
                              parts[i].branch->number};
    }
}

/* With the lock. */
static bool plan(struct past *past, const struct past_branch *branch, uint64_t without,
                 const struct past_place *here, struct past_route *route) {
    struct part parts[PAST_BRANCHES];
    const int count =
        route->to.tick > branch->tick ? 0 : list_parts(past, branch, route->to.tick, route->to.seq, parts);
    const int of_here = find_here(parts, count, here);
    int from = of_here >= 0 && without != 0 ? -1 : find_base(parts, count, without, &route->base);
    if (of_here >= 0 && (from < 0 || route->base->tick <= here->tick + READ_TICKS)) {
        from = of_here;
        route->base = NULL;
    }
    if (from < 0) {
        return false;
    }
    copy_lines(parts, from, here, route);
    if (route->base != NULL) {
        route->base->users++;
        route->save = route->base->save;
        route->length = route->base->length;
    }
    route->from = parts[0].branch->number;
    route->to.serial = parts[0].branch->serial;
    write_name(branch->number, route->line);
    write_name(route->from, route->branch);
    route->first = oldest_tick(past, branch);
    route->last = branch->tick;
    route->world = past->world;
    route->bytes = past->others;
    return true;
}

/* Whether a checkpoint of the branch, or of one that it comes from, is being made. */
static bool is_being_made(const struct past *past, const struct past_branch *branch) {
    for (; branch != NULL; branch = find_branch(past, branch->from)) {
        for (const struct node *node = branch->first; node != NULL; node = node->next) {
            if (node->save == NULL) {
                return true;
            }
        }
    }
    return false;
}

/* With the lock. 0, or -1: nothing in memory leads there, or, with *failure, there is no such moment. Sets *branch. */
static int try_route(struct past *past, const struct request_rewind *to, const struct past_place *here,
                     struct past_route *route, const struct past_branch **branch, struct failure *failure) {
    *branch = choose(past, to, route, failure);
    if (*branch == NULL) {
        return -1;
    }
    choose_left_out(past, to, route);
    return plan(past, *branch, route->first_out, here, route) ? 0 : -1;
}

int past_route_find(struct past *past, const struct request_rewind *to, const struct past_place *here,
                    struct past_route *route, struct failure *failure) {
    const uint64_t until_ns = clock_now_ns() + MAKING_MOST_NS;
    const struct past_branch *branch = NULL;
    *route = (struct past_route){.past = past};
    *failure = (struct failure){0};
    buffer_init(&route->lines, SIZE_MAX / 2);
    pthread_mutex_lock(&past->mutex);
    int result = try_route(past, to, here, route, &branch, failure);
    while (result != 0 && branch != NULL && route->to.tick <= branch->tick && is_being_made(past, branch) &&
           thread_sleep(&past->changed, &past->mutex, until_ns)) {
        result = try_route(past, to, here, route, &branch, failure);
    }
    if (result != 0 && failure->code == FAILURE_NONE) {
        (void)fail_range(past, to, failure);
    } else if (route->lines.failed) {
        result = failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    pthread_mutex_unlock(&past->mutex);
    if (result != 0) {
        past_route_fini(route);
    }
    return result;
}

void past_route_fini(struct past_route *route) {
    pthread_mutex_lock(&route->past->mutex);
    if (route->base != NULL && --route->base->users == 0 && route->base->number == 0) {
        drop_node(route->past, route->base);
    }
    route->base = NULL;
    pthread_mutex_unlock(&route->past->mutex);
    buffer_fini(&route->lines);
}

static bool is_out(const struct past_route *route, const struct past_cut *cut, uint64_t seq) {
    return seq >= route->first_out && seq <= route->last_out &&
           (route->out_branch == 0 || route->out_branch == cut->number);
}

int past_route_next(struct past_route *route, const char **line, size_t *length, struct failure *failure) {
    struct recording_line read;
    while (route->place < route->lines.length) {
        const struct past_cut *cut = &route->cuts[route->cut];
        if (route->place >= cut->end) {
            route->cut++;
            continue;
        }
        const char *begin = route->lines.data + route->place;
        const char *end = memchr(begin, '\n', route->lines.length - route->place);
        *length = end == NULL ? route->lines.length - route->place : (size_t)(end - begin);
        if (recording_line_read(begin, *length, &read, failure) != 0) {
            return -1;
        }
        if (route->stop != 0 && read.seq >= route->stop) {
            return 0;
        }
        if (read.tick > cut->at.tick || (read.tick == cut->at.tick && read.seq > cut->at.seq)) {
            route->place = cut->end;
            continue;
        }
        route->place += *length + 1;
        if (!route->leaves_out || !is_out(route, cut, read.seq)) {
            *line = begin;
            route->line_tick = read.tick;
            route->line_seq = read.seq;
            return 1;
        }
    }
    return 0;
}

struct past_state past_read(struct past *past, const char *branch) {
    struct failure unused;
    pthread_mutex_lock(&past->mutex);
    const struct past_branch *found =
        branch == NULL || branch[0] == '\0' ? past->current : branch_of_name(past, branch, &unused);
    const struct past_state state = {.world = past->world,
                                     .lived = past->lived,
                                     .tick_hz = past->tick_hz,
                                     .is_there = found != NULL,
                                     .is_current = found == past->current,
                                     .last = found == NULL ? 0 : found->tick};
    pthread_mutex_unlock(&past->mutex);
    return state;
}

/* ---- ways ---- */

bool past_way_init(struct past_way *way) {
    *way = (struct past_way){.branch = calloc(1, sizeof *way->branch)};
    if (way->branch != NULL) {
        way->branch->first = new_node();
    }
    if (way->branch == NULL || way->branch->first == NULL) {
        past_way_fini(way);
        return false;
    }
    return true;
}

bool past_way_keep(struct past_way *way, char *save, size_t length) {
    struct node *node = way->branch->first;
    if (node->save != NULL) {
        node = node->next = new_node();
    }
    if (node == NULL) {
        free(save);
        return false;
    }
    node->save = save;
    node->length = length;
    return true;
}

bool past_way_add_line(struct past_way *way, const char *line, size_t length) {
    struct buffer *lines = &way->branch->first->lines;
    buffer_append(lines, line, length);
    buffer_append(lines, "\n", 1);
    return !lines->failed;
}
