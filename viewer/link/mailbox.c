/* See mailbox.h. */
#include "viewer/link/mailbox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what to subscribe to ---- */

static const float margin = 0.25f, density_margin = 0.1f; /* of what is visible, on each side */
static const float most_area = 6.0f;  /* a region this much larger than what is visible is too large */
static const float cell_ratio = 1.4f; /* cells may be so much finer or coarser than the picture's */
static const double agents_hz = 30.0, density_hz = 10.0;
static const double first_cells = 12000.0;
static const double most_sampled = 0.25; /* of the world; what shows more of it is heat */

static bool takes_grid(const struct stream_choice *stream) {
    return frame_layout_row((int)stream->layout)->takes_grid;
}

static float area(const struct stream_box *box) {
    return fmaxf(box->high.x - box->low.x, 0.0f) * fmaxf(box->high.y - box->low.y, 0.0f);
}

double stream_part(const struct stream_box *a, const struct stream_box *b) {
    const double whole = (double)area(b);
    return whole > 0.0 ? (double)area(a) / whole : 1.0;
}

static bool is_inside(const struct stream_box *inner, const struct stream_box *outer) {
    return inner->low.x >= outer->low.x && inner->low.y >= outer->low.y && inner->high.x <= outer->high.x &&
           inner->high.y <= outer->high.y;
}

static struct stream_box world_box(const struct stream_wish *wish) {
    return (struct stream_box){{0.0f, 0.0f}, wish->world};
}

/* One axis of a wrapping world: what is seen over the border is asked for, and no place twice. */
static void clip_wrapped(float *low, float *high, float size) {
    const float limit = (float)LIMIT_COORDINATE;
    const bool is_whole = *high - *low >= size || *low < -limit || *high > limit;
    *low = is_whole ? 0.0f : *low;
    *high = is_whole ? size : fmaxf(*high, *low + 1.0f);
}

/* Never empty: a picture that shows nothing of the world asks for a corner of it. */
static struct stream_box clip(struct stream_box box, const struct stream_wish *wish) {
    const float limit = (float)LIMIT_COORDINATE;
    const vec2 low = wish->is_open ? vec2_make(-limit, -limit) : vec2_make(0.0f, 0.0f);
    const vec2 high = wish->is_open ? vec2_make(limit, limit) : wish->world;
    if (wish->wraps) {
        clip_wrapped(&box.low.x, &box.high.x, wish->world.x);
        clip_wrapped(&box.low.y, &box.high.y, wish->world.y);
        return box;
    }
    box.low = vec2_make(fminf(fmaxf(box.low.x, low.x), high.x - 1.0f),
                        fminf(fmaxf(box.low.y, low.y), high.y - 1.0f));
    box.high = vec2_make(fmaxf(fminf(box.high.x, high.x), box.low.x + 1.0f),
                         fmaxf(fminf(box.high.y, high.y), box.low.y + 1.0f));
    return box;
}

static struct stream_box grow(const struct stream_box *box, float share) {
    const vec2 more = vec2_scale(vec2_sub(box->high, box->low), share);
    return (struct stream_box){vec2_sub(box->low, more), vec2_add(box->high, more)};
}

struct stream_box stream_surroundings(const struct stream_wish *wish) {
    return clip(grow(&wish->visible, margin), wish);
}

struct stream_choice stream_first(const struct message_scenario *scenario, enum layout agents) {
    double total = 0.0;
    struct stream_choice stream = {.layout = agents};
    for (int i = 0; i < scenario->kind_count; i++) {
        total += scenario->kinds[i].count;
    }
    if (total > STREAM_MOST_AGENTS) {
        stream.layout = LAYOUT_DENSITY;
        stream.cell = sqrtf(scenario->size.x * scenario->size.y / (float)first_cells);
    }
    return stream;
}

/* Edges on whole cells: then cells stay where they are while the picture moves. */
static struct stream_box snap(struct stream_box box, float cell) {
    box.low = vec2_make(floorf(box.low.x / cell) * cell, floorf(box.low.y / cell) * cell);
    box.high = vec2_make(ceilf(box.high.x / cell) * cell, ceilf(box.high.y / cell) * cell);
    return box;
}

static void plan_region(const struct stream_choice *now, const struct stream_wish *wish,
                        struct stream_choice *next) {
    const struct stream_box world = world_box(wish), seen = clip(wish->visible, wish);
    if (wish->total <= STREAM_REGION_FROM || is_inside(&world, &wish->visible)) {
        return;
    }
    next->has_region = true;
    if (now->has_region && now->layout == next->layout && is_inside(&seen, &now->region) &&
        area(&now->region) <= most_area * area(&seen) && (!takes_grid(next) || now->cell == next->cell)) {
        next->region = now->region;
    } else if (takes_grid(next)) {
        next->region = clip(snap(grow(&wish->visible, density_margin), next->cell), wish);
    } else {
        next->region = stream_surroundings(wish);
    }
    if (!wish->is_open && is_inside(&world, &next->region)) {
        next->has_region = false;
    }
}

static enum layout layout_of_agents(const struct stream_wish *wish) {
    const bool has_shares = (frame_layout_row((int)wish->agents)->fields & SNAPSHOT_SHARES) != 0;
    return wish->shares && !has_shares ? LAYOUT_OBJECTS : wish->agents;
}

struct stream_choice stream_plan(const struct stream_choice *now, const struct stream_wish *wish,
                                 double around) {
    const bool was_density = takes_grid(now);
    const double most = wish->never_heat ? STREAM_MOST_SINGLE : STREAM_MOST_AGENTS;
    struct stream_choice next = {.layout = layout_of_agents(wish)};
    const struct stream_box world = world_box(wish), near = stream_surroundings(wish);
    const double times = stream_part(&near, &world) > most_sampled ? 1.0 : STREAM_SAMPLE_TIMES;
    const double densest = most * times * (was_density ? 0.8 : 1.0);
    if (!wish->never_heat && wish->total > most && around > densest) {
        const float ratio = was_density && now->cell > 0.0f ? now->cell / wish->cell : 0.0f;
        next.layout = LAYOUT_DENSITY;
        next.by_kind = wish->by_kind;
        next.mean_speed = wish->mean_speed;
        next.cell = ratio > 1.0f / cell_ratio && ratio < cell_ratio ? now->cell : wish->cell;
    } else {
        next.forces = wish->forces || wish->shares;
        next.parts = wish->shares;
        next.most = wish->total > most ? (uint32_t)most : 0;
    }
    plan_region(now, wish, &next);
    return next;
}

static bool has_same_cells(const struct stream_choice *a, const struct stream_choice *b) {
    return a->cell == b->cell && a->by_kind == b->by_kind && a->mean_speed == b->mean_speed;
}

bool stream_equals(const struct stream_choice *a, const struct stream_choice *b) {
    return a->layout == b->layout && a->forces == b->forces && a->parts == b->parts && a->most == b->most &&
           a->has_region == b->has_region && has_same_cells(a, b) &&
           (!a->has_region || (is_inside(&a->region, &b->region) && is_inside(&b->region, &a->region)));
}

static struct stream_box overlap(const struct stream_box *a, const struct stream_box *b) {
    return (struct stream_box){vec2_make(fmaxf(a->low.x, b->low.x), fmaxf(a->low.y, b->low.y)),
                               vec2_make(fminf(a->high.x, b->high.x), fminf(a->high.y, b->high.y))};
}

double stream_covered(const struct stream_box *box, const struct stream_wish *wish) {
    const struct stream_box world = world_box(wish), seen = overlap(&wish->visible, &world);
    const struct stream_box known = overlap(&seen, box);
    return stream_part(&known, &seen);
}

struct stream_box stream_density_box(const struct density *density) {
    const vec2 low = {(float)density->region.x * 0.01f, (float)density->region.y * 0.01f};
    const vec2 size = {(float)density->region.width * 0.01f, (float)density->region.height * 0.01f};
    return (struct stream_box){low, vec2_add(low, size)};
}

/* Whether one coordinate lies in a range, or a copy of it in a world that wraps after `size` (0: it does not). */
static bool is_in_range(double at, double low, double high, double size) {
    return (at >= low && at <= high) || (at - size >= low && at - size <= high) ||
           (at + size >= low && at + size <= high);
}

double stream_count(const struct density *density, const struct stream_box *box,
                    const struct stream_wish *wish) {
    const double wide = (double)density->region.width * 0.01 / density->columns;
    const double high = (double)density->region.height * 0.01 / density->rows;
    const vec2 corner = {(float)density->region.x * 0.01f, (float)density->region.y * 0.01f};
    const struct stream_box reach = {
        corner, vec2_add(corner, vec2_make((float)(wide * density->columns), (float)(high * density->rows)))};
    const vec2 wrap = wish->wraps ? wish->world : vec2_make(0.0f, 0.0f);
    double count = 0.0;
    for (int32_t row = 0; row < density->rows; row++) {
        const double y = (double)corner.y + (row + 0.5) * high;
        for (int32_t column = 0; column < density->columns; column++) {
            const double x = (double)corner.x + (column + 0.5) * wide;
            const bool counts = is_in_range(x, (double)box->low.x, (double)box->high.x, (double)wrap.x) &&
                                is_in_range(y, (double)box->low.y, (double)box->high.y, (double)wrap.y);
            count += counts ? density->count[row * density->columns + column] : 0u;
        }
    }
    const struct stream_box world = world_box(wish);
    const bool is_known = is_inside(box, &reach) || is_inside(&world, &reach);
    return is_known ? count : fmax(count, wish->total * fmin(stream_part(box, &world), 1.0));
}

static void put_region(const struct stream_choice *stream, float out[4]) {
    out[0] = stream->region.low.x;
    out[1] = stream->region.low.y;
    out[2] = stream->region.high.x - stream->region.low.x;
    out[3] = stream->region.high.y - stream->region.low.y;
}

struct request stream_request(const struct stream_choice *stream, const struct stream_choice *before) {
    if (before != NULL && before->layout == stream->layout && before->forces == stream->forces &&
        before->parts == stream->parts && before->most == stream->most && has_same_cells(before, stream)) {
        struct request move = request_default(REQUEST_SET_REGION);
        move.body.set_region.has_region = stream->has_region;
        move.body.set_region.clear = !stream->has_region;
        put_region(stream, move.body.set_region.region);
        return move;
    }
    struct request request = request_default(REQUEST_SUBSCRIBE);
    struct request_subscribe *subscribe = &request.body.subscribe;
    subscribe->layout = (int)stream->layout;
    subscribe->hz = takes_grid(stream) ? density_hz : agents_hz;
    subscribe->forces = stream->forces;
    subscribe->parts = stream->parts;
    subscribe->twins = frame_layout_row(subscribe->layout)->fields != 0;
    subscribe->most = stream->most;
    subscribe->cursors = true;
    subscribe->has_region = stream->has_region;
    put_region(stream, subscribe->region);
    subscribe->cell = takes_grid(stream) ? stream->cell : 0.0f;
    subscribe->by_kind = stream->by_kind;
    subscribe->mean_speed = stream->mean_speed;
    subscribe->key_changes = frame_layout_row(subscribe->layout)->key != NULL;
    return request;
}

/* ---- the mailbox ---- */

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
