/* See mailbox.h. */
#include "viewer/link/mailbox.h"

#include <stdlib.h>
#include <string.h>

int mailbox_init(struct mailbox *mailbox) {
    memset(mailbox, 0, sizeof *mailbox);
    buffer_init(&mailbox->output, MAILBOX_OUTPUT_BYTES);
    mailbox->status.ping_ms = -1.0;
    return lock_init(&mailbox->lock);
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
    lock_fini(&mailbox->lock);
}

struct snapshot *mailbox_put_snapshot(struct mailbox *mailbox, struct snapshot *snapshot, double arrival_ms) {
    lock_take(&mailbox->lock);
    struct snapshot *next = mailbox->newest; /* it was not taken: it is skipped */
    mailbox->newest = snapshot;
    mailbox->newest_arrival_ms = arrival_ms;
    mailbox->status.snapshot_count++;
    mailbox->status.skipped_count += next != NULL ? 1 : 0;
    if (next == NULL) {
        next = mailbox->spare;
        mailbox->spare = NULL;
    }
    lock_release(&mailbox->lock);
    return next != NULL ? next : snapshot_create();
}

struct density *mailbox_put_density(struct mailbox *mailbox, struct density *density, uint32_t epoch) {
    lock_take(&mailbox->lock);
    struct density *next = mailbox->density;
    mailbox->density = density;
    mailbox->density_epoch = epoch;
    mailbox->has_density = true;
    lock_release(&mailbox->lock);
    return next;
}

struct density *mailbox_take_density(struct mailbox *mailbox, struct density *old, uint32_t *epoch) {
    lock_take(&mailbox->lock);
    struct density *taken = old;
    if (mailbox->has_density) {
        taken = mailbox->density;
        mailbox->density = old;
        mailbox->has_density = false;
        *epoch = mailbox->density_epoch;
    }
    lock_release(&mailbox->lock);
    return taken;
}

struct stream_choice mailbox_stream(struct mailbox *mailbox) {
    lock_take(&mailbox->lock);
    const struct stream_choice stream = mailbox->stream;
    lock_release(&mailbox->lock);
    return stream;
}

void mailbox_set_stream(struct mailbox *mailbox, const struct stream_choice *stream) {
    lock_take(&mailbox->lock);
    mailbox->stream = *stream;
    lock_release(&mailbox->lock);
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
    lock_take(&mailbox->lock);
    if (mailbox->last != NULL) {
        mailbox->last->next = mail;
    } else {
        mailbox->first = mail;
    }
    mailbox->last = mail;
    lock_release(&mailbox->lock);
    return 0;
}

void mailbox_take_output(struct mailbox *mailbox, struct buffer *out) {
    lock_take(&mailbox->lock);
    const struct buffer empty = *out;
    *out = mailbox->output;
    mailbox->output = empty;
    lock_release(&mailbox->lock);
}

void mailbox_set_status(struct mailbox *mailbox, const struct link_status *status) {
    lock_take(&mailbox->lock);
    const uint64_t snapshot_count = mailbox->status.snapshot_count; /* counted here alone */
    const uint64_t skipped_count = mailbox->status.skipped_count;
    mailbox->status = *status;
    mailbox->status.snapshot_count = snapshot_count;
    mailbox->status.skipped_count = skipped_count;
    if (status->state != LINK_READY) {
        buffer_clear(&mailbox->output); /* meant for a connection that is gone */
    }
    lock_release(&mailbox->lock);
}

struct snapshot *mailbox_take_snapshot(struct mailbox *mailbox, double *arrival_ms) {
    lock_take(&mailbox->lock);
    struct snapshot *snapshot = mailbox->newest;
    mailbox->newest = NULL;
    *arrival_ms = mailbox->newest_arrival_ms;
    lock_release(&mailbox->lock);
    return snapshot;
}

void mailbox_return_snapshot(struct mailbox *mailbox, struct snapshot *snapshot) {
    lock_take(&mailbox->lock);
    if (mailbox->spare == NULL) {
        mailbox->spare = snapshot;
        snapshot = NULL;
    }
    lock_release(&mailbox->lock);
    snapshot_destroy(snapshot);
}

struct mail *mailbox_take_message(struct mailbox *mailbox) {
    lock_take(&mailbox->lock);
    struct mail *mail = mailbox->first;
    if (mail != NULL) {
        mailbox->first = mail->next;
        mailbox->last = mailbox->first != NULL ? mailbox->last : NULL;
        mail->next = NULL;
    }
    lock_release(&mailbox->lock);
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
    lock_take(&mailbox->lock);
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
    lock_release(&mailbox->lock);
    return result;
}

void mailbox_count_bytes(struct mailbox *mailbox, uint64_t byte_count) {
    lock_take(&mailbox->lock);
    mailbox->status.byte_count = byte_count;
    lock_release(&mailbox->lock);
}

struct link_status mailbox_status(struct mailbox *mailbox) {
    lock_take(&mailbox->lock);
    const struct link_status status = mailbox->status;
    lock_release(&mailbox->lock);
    return status;
}

void mailbox_stop(struct mailbox *mailbox) {
    lock_take(&mailbox->lock);
    mailbox->is_stopping = true;
    lock_release(&mailbox->lock);
}

bool mailbox_is_stopping(struct mailbox *mailbox) {
    lock_take(&mailbox->lock);
    const bool is_stopping = mailbox->is_stopping;
    lock_release(&mailbox->lock);
    return is_stopping;
}
