/* See send_queue.h. */
#include "server/net/send_queue.h"

#include <assert.h>
#include <stdlib.h>

void send_queue_init(struct send_queue *queue, size_t control_limit) {
    *queue = (struct send_queue){.control_limit = control_limit};
}

void send_queue_fini(struct send_queue *queue) {
    send_queue_end_write(queue);
    for (size_t i = 0; i < queue->count; i++) {
        shared_bytes_release(queue->control[(queue->head + i) & (queue->capacity - 1)]);
    }
    shared_bytes_release(queue->frame);
    shared_bytes_release(queue->key);
    free(queue->control);
    *queue = (struct send_queue){.control_limit = queue->control_limit,
                                 .frames_sent = queue->frames_sent,
                                 .frames_skipped = queue->frames_skipped};
}

static int grow(struct send_queue *queue) {
    const size_t capacity = queue->capacity == 0 ? 16 : queue->capacity * 2;
    struct shared_bytes **control = malloc(capacity * sizeof *control);
    if (control == NULL) {
        return -1;
    }
    for (size_t i = 0; i < queue->count; i++) {
        control[i] = queue->control[(queue->head + i) & (queue->capacity - 1)];
    }
    free(queue->control);
    queue->control = control;
    queue->capacity = capacity;
    queue->head = 0;
    return 0;
}

int send_queue_push(struct send_queue *queue, struct shared_bytes *line) {
    if (queue->count == queue->capacity && grow(queue) != 0) {
        return -1;
    }
    assert(queue->count < queue->capacity && (queue->capacity & (queue->capacity - 1)) == 0);
    queue->control[(queue->head + queue->count) & (queue->capacity - 1)] = shared_bytes_hold(line);
    queue->count++;
    queue->control_bytes += line->length;
    return 0;
}

bool send_queue_accepts(const struct send_queue *queue, size_t length) {
    return queue->control_bytes == 0 || queue->control_bytes + length <= queue->control_limit;
}

bool send_queue_has_room(const struct send_queue *queue) {
    return queue->control_bytes < queue->control_limit / 2;
}

void send_queue_offer_frame(struct send_queue *queue, struct shared_bytes *frame) {
    assert(frame != NULL);
    send_queue_drop_frame(queue);
    queue->frame = shared_bytes_hold(frame);
}

void send_queue_offer_keyed(struct send_queue *queue, struct shared_bytes *key, uint64_t key_number,
                            struct shared_bytes *frame) {
    assert(key_number != 0);
    send_queue_offer_frame(queue, frame);
    if (key_number != queue->last_key) {
        queue->key = shared_bytes_hold(key);
        queue->key_number = key_number;
    }
}

void send_queue_forget_key(struct send_queue *queue) {
    send_queue_drop_frame(queue); /* it may count on the key */
    queue->last_key = 0;
}

void send_queue_drop_frame(struct send_queue *queue) {
    shared_bytes_release(queue->key);
    queue->key = NULL;
    if (queue->frame != NULL) {
        shared_bytes_release(queue->frame);
        queue->frame = NULL;
        queue->frames_skipped++;
    }
}

void send_queue_skip_frame(struct send_queue *queue) {
    queue->frames_skipped += queue->frame == NULL ? 1 : 0;
    send_queue_drop_frame(queue);
}

size_t send_queue_writing_frame_bytes(const struct send_queue *queue) {
    size_t bytes = 0;
    for (int i = 0; i < queue->writing_count; i++) {
        const struct shared_bytes *line = queue->writing[i];
        bytes += line->meter == NULL ? 0 : line->length / (size_t)line->references;
    }
    return bytes;
}

int send_queue_begin_write(struct send_queue *queue, bool without_frame,
                           struct shared_bytes *batch[SEND_QUEUE_BATCH]) {
    if (send_queue_is_writing(queue)) {
        return 0;
    }
    int taken = 0;
    while (queue->count > 0 && taken < SEND_QUEUE_BATCH) {
        struct shared_bytes *line = queue->control[queue->head];
        queue->head = (queue->head + 1) & (queue->capacity - 1);
        queue->count--;
        queue->writing_control_bytes += line->length;
        queue->writing[taken++] = line;
    }
    if (queue->frame != NULL && !without_frame && taken + (queue->key != NULL) < SEND_QUEUE_BATCH) {
        assert(queue->count == 0);
        if (queue->key != NULL) {
            queue->writing[taken++] = queue->key;
            queue->last_key = queue->key_number;
            queue->key = NULL;
        }
        queue->writing[taken++] = queue->frame;
        queue->frame = NULL;
        queue->is_writing_frame = true;
    }
    assert(queue->writing_control_bytes <= queue->control_bytes);
    queue->writing_count = taken;
    for (int i = 0; i < taken; i++) {
        batch[i] = queue->writing[i];
    }
    return taken;
}

void send_queue_end_write(struct send_queue *queue) {
    for (int i = 0; i < queue->writing_count; i++) {
        shared_bytes_release(queue->writing[i]);
    }
    assert(queue->control_bytes >= queue->writing_control_bytes);
    queue->control_bytes -= queue->writing_control_bytes;
    queue->writing_control_bytes = 0;
    queue->writing_count = 0;
    queue->frames_sent += queue->is_writing_frame ? 1 : 0;
    queue->is_writing_frame = false;
}

bool send_queue_is_writing(const struct send_queue *queue) {
    return queue->writing_count > 0;
}

bool send_queue_is_empty(const struct send_queue *queue) {
    return queue->count == 0 && queue->frame == NULL && queue->writing_count == 0;
}
