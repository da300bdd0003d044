/* See mailbox.h. */
#include "clients/c/mailbox.h"

#include <stdlib.h>
#include <string.h>

int mailbox_init(struct mailbox *mailbox) {
    memset(mailbox, 0, sizeof *mailbox);
    buffer_init(&mailbox->output, MAILBOX_OUTPUT_BYTES);
    mailbox->status.ping_ms = -1.0;
    return pthread_mutex_init(&mailbox->lock, NULL) == 0 ? 0 : -1;
}

void mailbox_fini(struct mailbox *mailbox) {
    for (struct mail *mail = mailbox->first; mail != NULL;) {
        struct mail *next = mail->next;
        mail_destroy(mail);
        mail = next;
    }
    snapshot_destroy(mailbox->newest);
    snapshot_destroy(mailbox->spare);
    density_destroy(mailbox->density);
    buffer_fini(&mailbox->output);
    pthread_mutex_destroy(&mailbox->lock);
}

struct snapshot *mailbox_put_snapshot(struct mailbox *mailbox, struct snapshot *snapshot, double arrival_ms) {
    pthread_mutex_lock(&mailbox->lock);
    struct snapshot *next = mailbox->newest; /* it was not taken: it is skipped */
    mailbox->newest = snapshot;
    mailbox->newest_arrival_ms = arrival_ms;
    mailbox->status.snapshot_count++;
    mailbox->status.skipped_count += next != NULL ? 1 : 0;
    if (next == NULL) {
        next = mailbox->spare;
        mailbox->spare = NULL;
    }
    pthread_mutex_unlock(&mailbox->lock);
    return next != NULL ? next : snapshot_create();
}

struct density *mailbox_put_density(struct mailbox *mailbox, struct density *density, uint32_t epoch) {
    pthread_mutex_lock(&mailbox->lock);
    struct density *next = mailbox->density;
    mailbox->density = density;
    mailbox->density_epoch = epoch;
    mailbox->has_density = true;
    pthread_mutex_unlock(&mailbox->lock);
    return next;
}

struct density *mailbox_take_density(struct mailbox *mailbox, struct density *old, uint32_t *epoch) {
    pthread_mutex_lock(&mailbox->lock);
    struct density *taken = old;
    if (mailbox->has_density) {
        taken = mailbox->density;
        mailbox->density = old;
        mailbox->has_density = false;
        *epoch = mailbox->density_epoch;
    }
    pthread_mutex_unlock(&mailbox->lock);
    return taken;
}

struct stream_choice mailbox_stream(struct mailbox *mailbox) {
    pthread_mutex_lock(&mailbox->lock);
    const struct stream_choice stream = mailbox->stream;
    pthread_mutex_unlock(&mailbox->lock);
    return stream;
}

void mailbox_set_stream(struct mailbox *mailbox, const struct stream_choice *stream) {
    pthread_mutex_lock(&mailbox->lock);
    mailbox->stream = *stream;
    pthread_mutex_unlock(&mailbox->lock);
}

int mailbox_put_message(struct mailbox *mailbox, struct message *message, uint32_t epoch) {
    struct mail *mail = calloc(1, sizeof *mail);
    if (mail == NULL) {
        message_fini(message);
        free(message);
        return -1;
    }
    mail->message = message;
    mail->epoch = epoch;
    pthread_mutex_lock(&mailbox->lock);
    if (mailbox->last != NULL) {
        mailbox->last->next = mail;
    } else {
        mailbox->first = mail;
    }
    mailbox->last = mail;
    pthread_mutex_unlock(&mailbox->lock);
    return 0;
}

void mailbox_take_output(struct mailbox *mailbox, struct buffer *out) {
    pthread_mutex_lock(&mailbox->lock);
    const struct buffer empty = *out;
    *out = mailbox->output;
    mailbox->output = empty;
    pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_set_status(struct mailbox *mailbox, const struct link_status *status) {
    pthread_mutex_lock(&mailbox->lock);
    const uint64_t snapshot_count = mailbox->status.snapshot_count; /* counted here alone */
    const uint64_t skipped_count = mailbox->status.skipped_count;
    mailbox->status = *status;
    mailbox->status.snapshot_count = snapshot_count;
    mailbox->status.skipped_count = skipped_count;
    if (status->state != LINK_READY) {
        buffer_clear(&mailbox->output); /* meant for a connection that is gone */
    }
    pthread_mutex_unlock(&mailbox->lock);
}

struct snapshot *mailbox_take_snapshot(struct mailbox *mailbox, double *arrival_ms) {
    pthread_mutex_lock(&mailbox->lock);
    struct snapshot *snapshot = mailbox->newest;
    mailbox->newest = NULL;
    *arrival_ms = mailbox->newest_arrival_ms;
    pthread_mutex_unlock(&mailbox->lock);
    return snapshot;
}

void mailbox_return_snapshot(struct mailbox *mailbox, struct snapshot *snapshot) {
    pthread_mutex_lock(&mailbox->lock);
    if (mailbox->spare == NULL) {
        mailbox->spare = snapshot;
        snapshot = NULL;
    }
    pthread_mutex_unlock(&mailbox->lock);
    snapshot_destroy(snapshot);
}

struct mail *mailbox_take_message(struct mailbox *mailbox) {
    pthread_mutex_lock(&mailbox->lock);
    struct mail *mail = mailbox->first;
    if (mail != NULL) {
        mailbox->first = mail->next;
        mailbox->last = mailbox->first != NULL ? mailbox->last : NULL;
        mail->next = NULL;
    }
    pthread_mutex_unlock(&mailbox->lock);
    return mail;
}

void mail_destroy(struct mail *mail) {
    if (mail != NULL) {
        message_fini(mail->message);
        free(mail->message);
        free(mail);
    }
}

int mailbox_put_request(struct mailbox *mailbox, const struct request *request) {
    int result = -1;
    pthread_mutex_lock(&mailbox->lock);
    if (mailbox->status.state == LINK_READY) {
        const size_t before = mailbox->output.length;
        request_encode(request, &mailbox->output);
        if (mailbox->output.failed) { /* half a line must not stay */
            mailbox->output.length = before;
            mailbox->output.failed = false;
        } else {
            result = 0;
        }
    }
    pthread_mutex_unlock(&mailbox->lock);
    return result;
}

void mailbox_count_bytes(struct mailbox *mailbox, uint64_t byte_count) {
    pthread_mutex_lock(&mailbox->lock);
    mailbox->status.byte_count = byte_count;
    pthread_mutex_unlock(&mailbox->lock);
}

struct link_status mailbox_status(struct mailbox *mailbox) {
    pthread_mutex_lock(&mailbox->lock);
    const struct link_status status = mailbox->status;
    pthread_mutex_unlock(&mailbox->lock);
    return status;
}

void mailbox_stop(struct mailbox *mailbox) {
    pthread_mutex_lock(&mailbox->lock);
    mailbox->is_stopping = true;
    pthread_mutex_unlock(&mailbox->lock);
}

bool mailbox_is_stopping(struct mailbox *mailbox) {
    pthread_mutex_lock(&mailbox->lock);
    const bool is_stopping = mailbox->is_stopping;
    pthread_mutex_unlock(&mailbox->lock);
    return is_stopping;
}
