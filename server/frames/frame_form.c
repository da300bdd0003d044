/* See frame_form.h. */
#include "server/frames/frame_form.h"

#include <assert.h>
#include <stdlib.h>

#include "common/protocol/request.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot.h"

/* ---- snapshot extract ---- */

struct snapshot_extract *snapshot_extract_create(void) {
    return calloc(1, sizeof(struct snapshot_extract));
}

void snapshot_extract_destroy(struct snapshot_extract *extract) {
    if (extract != NULL) {
        snapshot_extract_clear(extract);
        free(extract);
    }
}

void snapshot_extract_clear(struct snapshot_extract *extract) {
    for (int i = 0; i < extract->count; i++) {
        density_sums_end(&extract->views[i].sums);
    }
    extract->count = 0;
}

int snapshot_extract_add(struct snapshot_extract *extract, const struct snapshot_view *view,
                         const struct snapshot *snapshot) {
    assert(extract->count < LIMIT_FORMS);
    struct extract_view *added = &extract->views[extract->count];
    added->view = *view;
    added->shown = 0;
    added->sums.values = NULL;
    if (frame_layout_row(view->layout)->takes_grid && density_sums_begin(view, snapshot, &added->sums) != 0) {
        return -1;
    }
    extract->count++;
    return 0;
}

const struct extract_view *snapshot_extract_find(const struct snapshot_extract *extract,
                                                 const struct snapshot_view *view) {
    struct snapshot_view wanted = *view;
    for (int i = 0; extract != NULL && i < extract->count; i++) {
        wanted.has_speed = extract->views[i].view.has_speed;
        wanted.key_changes = extract->views[i].view.key_changes;
        if (snapshot_view_equals(&extract->views[i].view, &wanted)) {
            return &extract->views[i];
        }
    }
    return NULL;
}

/* The sums of a view with a grid, or NULL. */
static const struct density_sums *snapshot_extract_sums(const struct snapshot_extract *extract,
                                                        const struct snapshot_view *view) {
    const struct extract_view *found = snapshot_extract_find(extract, view);
    return found != NULL && found->sums.values != NULL ? &found->sums : NULL;
}

bool snapshot_extract_shows(const struct snapshot_extract *extract, const struct snapshot_view *view) {
    if (extract == NULL) {
        return true;
    }
    const struct extract_view *found = snapshot_extract_find(extract, view);
    return found != NULL && (found->sums.values != NULL || !found->is_left_out);
}

/* ---- snapshot schedule ---- */

unsigned snapshot_schedule_fields(const struct snapshot_schedule *schedule) {
    return (schedule->headings ? (unsigned)SNAPSHOT_HEADING : 0u) |
           (schedule->forces ? (unsigned)SNAPSHOT_FORCES : 0u) |
           (schedule->parts ? (unsigned)SNAPSHOT_PARTS : 0u) |
           (schedule->twins ? (unsigned)SNAPSHOT_TWIN : 0u);
}

void snapshot_schedule_add(struct snapshot_schedule *schedule, uint64_t every, bool forces) {
    assert(every >= 1);
    schedule->forces = schedule->forces || forces;
    for (int i = 0; i < schedule->count; i++) {
        if (every % schedule->every[i] == 0) {
            return; /* its ticks are wanted already */
        }
    }
    if (schedule->count == SNAPSHOT_SCHEDULE_RATES) {
        schedule->every[0] = 1;
        schedule->count = 1;
        return;
    }
    schedule->every[schedule->count++] = every;
}

bool snapshot_schedule_wants(const struct snapshot_schedule *schedule, uint64_t tick) {
    for (int i = 0; i < schedule->count; i++) {
        if (tick % schedule->every[i] == 0) {
            return true;
        }
    }
    return false;
}

bool snapshot_schedule_wants_since(const struct snapshot_schedule *schedule, uint64_t from, uint64_t to) {
    for (int i = 0; i < schedule->count; i++) {
        if (to / schedule->every[i] > from / schedule->every[i]) {
            return true;
        }
    }
    return false;
}

/* A million agents with a handful of behaviors each. */
static const size_t frame_limit_bytes = (size_t)1 << 30;
enum { FRAME_HEAD_BYTES = 16384 };    /* targets, names */
static const double key_margin = 0.1; /* of the region's size, on each side */

void frame_scratch_init(struct frame_scratch *scratch, size_t memory_limit) {
    *scratch = (struct frame_scratch){.memory = {.limit = memory_limit}};
    density_init(&scratch->density);
}

void frame_scratch_fini(struct frame_scratch *scratch) {
    snapshot_destroy(scratch->selected);
    free(scratch->rows);
    density_fini(&scratch->density);
    frame_scratch_init(scratch, scratch->memory.limit);
}

struct frame_form *frame_form_create(const struct snapshot_view *view,
                                     const struct frame_estimate *estimate) {
    struct frame_form *form = calloc(1, sizeof *form);
    if (form == NULL) {
        return NULL;
    }
    form->view = *view;
    form->next = *estimate;
    if (frame_layout_row(view->layout)->key != NULL &&
        packed_encoder_init(&form->packed, view->fields) != 0) {
        free(form);
        return NULL;
    }
    return form;
}

/* Counts what the encoder holds now. */
static void count_base(struct frame_form *form, struct frame_scratch *scratch) {
    const size_t bytes = packed_encoder_bytes(&form->packed);
    byte_meter_remove(&scratch->memory.held, form->base_bytes);
    byte_meter_add(&scratch->memory.held, bytes);
    form->base_bytes = bytes;
}

void frame_form_drop_key(struct frame_form *form, struct frame_scratch *scratch) {
    shared_bytes_release(form->key);
    form->key = NULL;
    packed_encoder_reset(&form->packed);
    count_base(form, scratch);
}

void frame_form_destroy(struct frame_form *form, struct frame_scratch *scratch) {
    if (form != NULL) {
        frame_form_drop_key(form, scratch);
        packed_encoder_fini(&form->packed);
        frame_form_clear(form);
        free(form);
    }
}

void frame_form_clear(struct frame_form *form) {
    shared_bytes_release(form->frame);
    shared_bytes_release(form->change);
    form->frame = form->change = NULL;
    form->wants_key = false;
}

/* ---- which agents it shows ---- */

static bool reserve_rows(struct frame_scratch *scratch, int32_t count) {
    if (scratch->selected == NULL) {
        scratch->selected = snapshot_create();
    }
    if (count > scratch->row_capacity) {
        int32_t *larger = realloc(scratch->rows, (size_t)count * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        scratch->rows = larger;
        scratch->row_capacity = count;
    }
    return scratch->selected != NULL;
}

/* The agents that a view shows, and which sample of them: as they were counted where they are, or counted here. */
static void find_sample(struct frame_form *form, const struct snapshot *snapshot,
                        const struct snapshot_extract *extract) {
    const struct extract_view *found = snapshot_extract_find(extract, &form->view);
    struct snapshot_filter around, inside;
    uint64_t shown = 0;
    if (found != NULL || form->view.most == 0) {
        const bool says = found != NULL && (form->view.most > 0 || found->one_in > 1);
        form->one_in = says ? found->one_in : 0;
        form->of = says ? found->inside : 0;
        return;
    }
    const bool has_key = frame_layout_row(form->view.layout)->key != NULL;
    snapshot_view_filter(&form->view, snapshot, has_key ? FRAME_KEY_REACH : 0.0, &around);
    snapshot_view_filter(&form->view, snapshot, 0.0, &inside);
    form->of = 0;
    for (int32_t row = 0; row < snapshot->count; row++) {
        shown += snapshot_filter_passes(&around, snapshot, row);
        form->of += snapshot_filter_passes(&inside, snapshot, row);
    }
    form->one_in = snapshot_choose_sample(shown, form->view.most, form->one_in);
}

/* The filter of what frame and key show. */
static void filter_of(const struct frame_form *form, const struct snapshot *snapshot, double margin,
                      struct snapshot_filter *out) {
    snapshot_view_filter(&form->view, snapshot, margin, out);
    out->one_in = form->one_in;
    out->is_all = out->is_all && form->one_in <= 1;
}

/* The snapshot itself, or the copy of what passes; NULL when memory is short. */
static const struct snapshot *select_agents(const struct snapshot_filter *filter,
                                            const struct snapshot *snapshot, struct frame_scratch *scratch) {
    if (filter->is_all) {
        return snapshot;
    }
    if (!reserve_rows(scratch, snapshot->count)) {
        return NULL;
    }
    const int32_t count = snapshot_filter_rows(filter, snapshot, scratch->rows);
    return snapshot_select(snapshot, scratch->rows, count, scratch->selected) == 0 ? scratch->selected : NULL;
}

/* The rows of the key's agents. False when one of them is gone or beyond reach, or an agent passes that is not among
 * them. */
static bool follow_key(const struct frame_form *form, const struct snapshot_filter *filter,
                       const struct snapshot *snapshot, int32_t *rows) {
    const struct snapshot *base = form->packed.base;
    struct snapshot_filter reach;
    filter_of(form, snapshot, FRAME_KEY_REACH, &reach);
    int32_t found = 0;
    for (int32_t row = 0; row < snapshot->count; row++) {
        if (found < base->count && base->id[found] == snapshot->id[row]) {
            if (!snapshot_filter_passes(&reach, snapshot, row)) {
                return false;
            }
            rows[found++] = row;
        } else if ((found < base->count && base->id[found] < snapshot->id[row]) ||
                   snapshot_filter_passes(filter, snapshot, row)) {
            return false;
        }
    }
    return found == base->count;
}

/* The key's agents as they are now; NULL when a new key is due (or memory short). */
static const struct snapshot *select_key_agents(const struct frame_form *form,
                                                const struct snapshot *snapshot,
                                                struct frame_scratch *scratch) {
    struct snapshot_filter filter;
    filter_of(form, snapshot, 0.0, &filter);
    if (form->packed.number == 0 || form->packed.base->epoch != snapshot->epoch) {
        return NULL;
    }
    const struct snapshot *selected = snapshot;
    if (!filter.is_all) {
        if (!reserve_rows(scratch, snapshot->count) || !follow_key(form, &filter, snapshot, scratch->rows) ||
            snapshot_select(snapshot, scratch->rows, form->packed.base->count, scratch->selected) != 0) {
            return NULL;
        }
        selected = scratch->selected;
    }
    return packed_key_serves(&form->packed, selected) ? selected : NULL;
}

/* ---- bytes ---- */

static struct shared_bytes *take(struct buffer *out, struct frame_scratch *scratch) {
    const bool failed = out->failed;
    size_t length = 0;
    char *data = buffer_take(out, &length);
    if (failed || data == NULL) {
        free(data);
        return NULL;
    }
    return shared_bytes_create_counted(data, length, &scratch->memory.held);
}

/* No more bytes than there is room for now, when `taken` of it are for something else. */
static void limit_to_room(struct buffer *out, const struct frame_scratch *scratch, size_t taken) {
    const size_t room = frame_memory_room(&scratch->memory);
    const size_t left = room > taken ? room - taken : 1;
    out->limit = left < frame_limit_bytes ? left : frame_limit_bytes;
}

/* A guess at the next, from what was made, or from how far it came; expected: the guess so far. */
static size_t grown_bytes(size_t expected, const struct buffer *out) {
    const size_t more = out->length + out->length / (out->failed ? 4 : 16) + 1024;
    return out->failed && more < expected ? expected : more;
}

/* Whether so many agents may fit into the buffer: known before they are written. Otherwise it has failed. */
static bool may_fit(struct buffer *out, int32_t agents, size_t agent_bytes, size_t *bytes) {
    const size_t expected = FRAME_HEAD_BYTES + (size_t)agents * agent_bytes;
    if (expected > out->limit) {
        *bytes = expected;
        out->failed = true;
    }
    return !out->failed;
}

/* The old key's memory is used again, so that a new one every few seconds costs none. */
static bool make_key(struct frame_form *form, const struct snapshot *selected,
                     struct frame_scratch *scratch) {
    const struct frame_layout *layout = frame_layout_row(form->view.layout);
    const size_t base = snapshot_bytes(selected->count, selected->share_count, selected->has_forces);
    const size_t more = base > form->base_bytes ? base - form->base_bytes : 0;
    struct buffer out;
    buffer_init(&out, frame_limit_bytes);
    shared_bytes_release(form->key);
    shared_bytes_release(form->change);
    form->key = form->change = NULL;
    limit_to_room(&out, scratch, more);
    if (may_fit(&out, selected->count, form->next.agent_key, &form->next.key)) {
        layout->key->encode_key(&form->packed, selected, ++scratch->last_key, &out);
        count_base(form, scratch);
        form->next.key = grown_bytes(form->next.key, &out);
    }
    form->key = take(&out, scratch);
    if (form->key == NULL) {
        frame_form_drop_key(form, scratch);
    }
    return form->key != NULL;
}

/* The key as a change of the one before. False: a whole one is due. */
static bool change_key(struct frame_form *form, const struct snapshot *selected,
                       struct frame_scratch *scratch) {
    const struct frame_layout *layout = frame_layout_row(form->view.layout);
    const uint64_t before = form->packed.number;
    struct buffer out;
    buffer_init(&out, frame_limit_bytes);
    limit_to_room(&out, scratch, form->base_bytes);
    if (!layout->key->encode_change(&form->packed, selected, scratch->last_key + 1, &out)) {
        buffer_fini(&out);
        return false;
    }
    scratch->last_key++;
    count_base(form, scratch);
    shared_bytes_release(form->key);
    form->key = NULL;
    form->change = take(&out, scratch);
    form->change_from = before;
    return form->change != NULL;
}

/* The whole line of the key, for those who cannot do with less. */
static bool repeat_key(struct frame_form *form, struct frame_scratch *scratch) {
    struct buffer out;
    buffer_init(&out, frame_limit_bytes);
    limit_to_room(&out, scratch, 0);
    if (may_fit(&out, form->packed.base->count, form->next.agent_key, &form->next.key)) {
        frame_layout_row(form->view.layout)->key->encode_key_again(&form->packed, &out);
    }
    form->key = take(&out, scratch);
    return form->key != NULL;
}

static void make_with_key(struct frame_form *form, const struct snapshot *snapshot,
                          struct frame_scratch *scratch, struct buffer *out) {
    const struct frame_layout *layout = frame_layout_row(form->view.layout);
    const struct snapshot *selected = select_key_agents(form, snapshot, scratch);
    const bool has_agents = selected != NULL; /* then too many are too far from what they were */
    if (has_agents && layout->key->encode_delta(&form->packed, selected, out)) {
        return;
    }
    struct snapshot_filter filter;
    filter_of(form, snapshot, key_margin, &filter);
    selected = select_agents(&filter, snapshot, scratch);
    if (selected != NULL && !has_agents && form->view.key_changes && change_key(form, selected, scratch) &&
        layout->key->encode_delta(&form->packed, selected, out)) {
        return;
    }
    if (selected == NULL || !make_key(form, selected, scratch)) {
        out->failed = true;
        return;
    }
    limit_to_room(out, scratch, 0);
    if (!may_fit(out, selected->count, form->next.agent_frame, &form->next.frame) ||
        !layout->key->encode_delta(&form->packed, selected, out)) {
        out->failed = true;
    }
}

static void make_whole(struct frame_form *form, const struct snapshot *snapshot,
                       struct frame_scratch *scratch, struct buffer *out) {
    const struct frame_layout *layout = frame_layout_row(form->view.layout);
    const struct snapshot *selected = snapshot;
    if (layout->fields != 0) {
        struct snapshot_filter filter;
        filter_of(form, snapshot, 0.0, &filter);
        selected = select_agents(&filter, snapshot, scratch);
        if (selected == NULL) {
            out->failed = true;
            return;
        }
        if (!may_fit(out, selected->count, form->next.agent_frame, &form->next.frame)) {
            return;
        }
    }
    const struct density_sums *sums = snapshot_extract_sums(scratch->extract, &form->view);
    if (sums != NULL) {
        layout->encode_sums(sums, snapshot, &scratch->density, out);
    } else {
        layout->encode(&form->view, selected, &scratch->density, out);
    }
}

bool frame_form_make(struct frame_form *form, const struct snapshot *snapshot,
                     struct frame_scratch *scratch) {
    assert(snapshot->count >= 0 && snapshot->count <= snapshot->capacity);
    if (form->frame != NULL) {
        return true;
    }
    struct buffer out;
    buffer_init(&out, frame_limit_bytes);
    limit_to_room(&out, scratch, 0);
    (void)buffer_reserve(&out, form->next.frame < out.limit ? form->next.frame : 0);
    find_sample(form, snapshot, scratch->extract);
    if (frame_layout_row(form->view.layout)->key != NULL) {
        make_with_key(form, snapshot, scratch, &out);
        out.failed = out.failed || (form->wants_key && form->key == NULL && !repeat_key(form, scratch));
    } else {
        make_whole(form, snapshot, scratch, &out);
    }
    if (form->one_in > 0) {
        snapshot_view_add_sample(form->one_in, form->of, &out);
    }
    if (form->view.has_speed) {
        snapshot_view_add_speed(snapshot->speed, &out);
    }
    form->next.frame = grown_bytes(form->next.frame, &out);
    form->frame = take(&out, scratch);
    return form->frame != NULL;
}

/* ---- estimates ---- */

/* Columns that a view has of each cell. */
static size_t columns_of(const struct snapshot_view *view, const struct message_scenario *scenario) {
    size_t count = view->mean_speed ? 4 : 3;
    for (int k = 0; k < scenario->kind_count && view->by_kind; k++) {
        count += snapshot_view_has_kind(view, scenario->kinds[k].name);
    }
    return count;
}

static double agents_of(const struct snapshot_view *view, const struct message_scenario *scenario) {
    double count = 0.0;
    for (int k = 0; k < scenario->kind_count; k++) {
        count += snapshot_view_has_kind(view, scenario->kinds[k].name) ? scenario->kinds[k].count : 0u;
    }
    const double world = (double)scenario->size.x * (double)scenario->size.y;
    const double region = view->has_region ? (double)view->region[2] * (double)view->region[3] : world;
    const double shown = region < world ? count * region / world : count;
    return view->most > 0 && shown > view->most ? view->most : shown;
}

struct frame_estimate frame_form_estimate(const struct snapshot_view *view,
                                          const struct message_scenario *scenario) {
    const struct frame_layout *layout = frame_layout_row(view->layout);
    struct frame_estimate estimate = {.frame = FRAME_HEAD_BYTES};
    const size_t agents = (size_t)agents_of(view, scenario);
    if (layout->takes_grid) {
        const double width = (double)(view->has_region ? view->region[2] : scenario->size.x);
        const double height = (double)(view->has_region ? view->region[3] : scenario->size.y);
        int32_t columns = 0, rows = 0;
        density_grid(view, width, height, &columns, &rows);
        estimate.frame += (size_t)columns * (size_t)rows * columns_of(view, scenario) * layout->entry_bytes;
    }
    if (layout->fields != 0) {
        estimate.agent_frame = layout->agent_bytes(view->fields);
        estimate.frame += agents * estimate.agent_frame;
    }
    if (layout->key != NULL) {
        estimate.agent_key = layout->key->agent_bytes(view->fields);
        estimate.key =
            FRAME_HEAD_BYTES + agents * estimate.agent_key + snapshot_bytes((int32_t)agents, 0, false);
    }
    return estimate;
}

size_t frame_form_needs(const struct frame_form *form) {
    return form->next.frame + (form->key == NULL ? form->next.key : 0);
}
