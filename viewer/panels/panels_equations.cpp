/* See panels.h. The equations of the selected agent: what each behavior wants and gets, its formula with the numbers of
 * this tick, and the sum. What is pointed at lights up in the picture, and the other way round. */
#include "viewer/panels/panels_impl.hpp"

/* ---- equations ---- */

namespace {

float length(vec2 v) {
    return std::sqrt(v.x * v.x + v.y * v.y);
}

} // namespace

/* The item before belongs to this arrow: pointed at, it lights the arrow. */
void panels::point_at(const formula_link &link) {
    if (link.kind != FORMULA_NO_LINK && ImGui::IsItemHovered()) {
        result.lit = formula_lit(link);
    }
}

/* A word or a number, on a lighter ground while its arrow is pointed at. */
void panels::token(const panels_view &view, const formula_token &token, const char *begin, const char *end) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float wide = regular->CalcTextSizeA(font_px(regular), FLT_MAX, 0, begin, end).x;
    list = ImGui::GetWindowDrawList();
    if (formula_is_lit(formula_lit(token.link), view.lit)) {
        list->AddRectFilled(low, ImVec2(low.x + wide, low.y + font_px(regular)), to_imgui(theme(THEME_LIT)),
                            px(2));
    }
    ImGui::Dummy(ImVec2(wide, font_px(regular)));
    list->AddText(low, to_imgui(formula_token_color(theme.palette, &token)), begin, end);
    point_at(token.link);
    const formula_word *word = token.word != nullptr ? formula_word_of(token.word) : nullptr;
    if (word != nullptr) {
        tip(word->help, word->unit);
    }
}

/* The most that a size was in the last half second: what is reserved for it does not move what follows from tick to tick, and
 * no room is left of what once was there. key: within ImGui's ids. */
float panels::reserved(const char *key, int index, float wide) {
    constexpr int frames = 30;
    ImGuiStorage *const kept = ImGui::GetStateStorage();
    ImGui::PushID(index);
    ImGui::PushID(static_cast<int>(px(100)));
    const ImGuiID id = ImGui::GetID(key);
    ImGui::PushID(key);
    const ImGuiID unused_id = ImGui::GetID("unused");
    ImGui::PopID();
    ImGui::PopID();
    ImGui::PopID();
    const float most = kept->GetFloat(id);
    const int unused = wide < most ? kept->GetInt(unused_id) + 1 : 0;
    const bool is_new = wide > most || unused > frames;
    kept->SetFloat(id, is_new ? wide : most);
    kept->SetInt(unused_id, is_new ? 0 : unused);
    return is_new ? wide : most;
}

/* Pieces of a line between which it may be broken: tokens, those without numbers at their spaces. What begins with
 * a closing sign stays with the piece before it. A number has the width reserved for it. */
int panels::formula_pieces(const formula_line &line, formula_piece *pieces) {
    int count = 0;
    for (int i = 0; i < line.token_count; i++) {
        const formula_token &token = line.tokens[i];
        const char *at = token.text;
        while (*at != '\0' && count < FORMULA_PIECES) {
            const bool is_whole = token.number_count > 0 || token.word != nullptr;
            const char *end = at + std::strspn(at, " ");
            end = is_whole ? at + std::strlen(at) : end + std::strcspn(end, " ");
            const float wide = regular->CalcTextSizeA(font_px(regular), FLT_MAX, 0, at, end).x;
            const float least = token.number_count == 2 ? width(regular, "(-88.88, -88.88)") : 0;
            pieces[count++] = {&token,
                               at,
                               end,
                               wide,
                               token.number_count > 0
                                   ? reserved("wide", 4 * i + token.number_count, std::max(wide, least))
                                   : wide,
                               std::strchr(",;):", *at) != nullptr};
            at = end;
        }
    }
    return count;
}

/* A line that is broken has no columns: nothing is reserved in it. */
static void close_up(formula_piece *pieces, int count, float room) {
    float all = 0;
    for (int i = 0; i < count; i++) {
        all += pieces[i].room;
    }
    for (int i = 0; i < count && all > room; i++) {
        pieces[i].room = pieces[i].wide;
    }
}

/* Its pieces side by side; what does not fit goes on below. */
void panels::formula_line_row(const panels_view &view, const formula_line &line, float indent) {
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    const float right = begin.x + ImGui::GetContentRegionAvail().x, next = begin.x + indent + px(14);
    formula_piece pieces[FORMULA_PIECES];
    const int count = formula_pieces(line, pieces);
    close_up(pieces, count, right - begin.x - indent);
    float x = begin.x + indent, y = begin.y, spare = 0;
    for (int i = 0; i < count; i++) {
        float needed = pieces[i].room;
        for (int j = i + 1; j < count && pieces[j].is_closing; j++) {
            needed += pieces[j].room;
        }
        if (*pieces[i].begin == ' ') {
            x += spare; /* of the number before: what follows keeps its place */
            spare = 0;
        }
        if (!pieces[i].is_closing && x + spare + needed > right && x > next) {
            x = next;
            y += font_px(regular) + px(2);
            spare = 0;
            pieces[i].begin += std::strspn(pieces[i].begin, " ");
        }
        ImGui::SetCursorScreenPos(ImVec2(std::floor(x), std::floor(y)));
        token(view, *pieces[i].token, pieces[i].begin, pieces[i].end);
        x += regular->CalcTextSizeA(font_px(regular), FLT_MAX, 0, pieces[i].begin, pieces[i].end).x;
        spare += pieces[i].room - pieces[i].wide;
    }
    ImGui::SetCursorScreenPos(ImVec2(begin.x, std::floor(y + font_px(regular) + px(3))));
}

/* Another number of lines moves nothing below from tick to tick. */
void panels::formula_lines(const panels_view &view, const char *kind, float indent) {
    const float top = ImGui::GetCursorPosY();
    ImGui::PushID(kind);
    for (int i = 0; i < formula.line_count; i++) {
        ImGui::PushID(i);
        formula_line_row(view, formula.lines[i], indent);
        ImGui::PopID();
        if (formula.lines[i].kind != FORMULA_SYMBOLS) {
            ImGui::SetCursorPosY(ImGui::GetCursorPosY() + px(3));
        }
    }
    ImGui::SetCursorPosY(top + reserved("high", 0, ImGui::GetCursorPosY() - top));
    ImGui::PopID();
}

/* How much a behavior wants of the most that one of them wants, pale, and in it how much it gets. */
void panels::force_bar(const char *behavior, float wants, float gets, float most) {
    const color fill = explain_behavior_color(theme.palette, behavior);
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x, share = room / std::max(most, 1e-6f);
    list = ImGui::GetWindowDrawList();
    list->AddRectFilled(low, ImVec2(low.x + room, low.y + px(5)), to_imgui(theme(THEME_WELL)), px(2));
    list->AddRectFilled(low, ImVec2(low.x + wants * share, low.y + px(5)),
                        to_imgui((fill & 0xffffffu) | 0x60000000u), px(2));
    list->AddRectFilled(low, ImVec2(low.x + std::min(gets, wants) * share, low.y + px(5)), to_imgui(fill),
                        px(2));
    ImGui::Dummy(ImVec2(room, px(5)));
}

/* An eye: open while the behavior counts. A click gives it the weight 0, or the one it had. */
bool panels::eye(const panels_view &view, int weight) {
    const bool is_muted = weight >= 0 && view.server->params[weight].value == 0.0;
    const ImVec2 low = ImGui::GetCursorScreenPos(), size(px(20), font_px(regular) + px(2));
    const bool may = weight >= 0 && view.no_tuning[0] == '\0';
    ImGui::BeginDisabled(!may);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
    ImGui::PushStyleColor(ImGuiCol_Button, 0);
    if (ImGui::Button("##eye", size)) {
        result.mutes = true;
        result.param = weight;
    }
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    ImGui::EndDisabled();
    tip(is_muted ? "Gives this behavior the weight that it had, for all agents of the kind."
                 : "Mutes this behavior for all agents of the kind: its weight becomes 0. Again: as before.",
        view.no_tuning);
    const color fill = !may ? theme(THEME_FAINT) : is_muted ? theme(THEME_WARN) : theme(THEME_TEXT_DIM);
    const ImVec2 at(std::floor(low.x + size.x / 2) + 0.5f, std::floor(low.y + size.y / 2) + 0.5f);
    const float w = px(7), h = px(5);
    list = ImGui::GetWindowDrawList();
    list->PathLineTo(ImVec2(at.x - w, at.y));
    list->PathBezierQuadraticCurveTo(ImVec2(at.x, at.y - 2 * h), ImVec2(at.x + w, at.y), 8);
    list->PathBezierQuadraticCurveTo(ImVec2(at.x, at.y + 2 * h), ImVec2(at.x - w, at.y), 8);
    list->PathStroke(to_imgui(fill), ImDrawFlags_Closed, px(1.25f));
    list->AddCircleFilled(at, px(2), to_imgui(fill), 10);
    if (is_muted) {
        list->AddLine(ImVec2(at.x - w, at.y + h), ImVec2(at.x + w, at.y - h), to_imgui(fill), px(1.5f));
    }
    return is_muted;
}

/* One that asks for no force is a line, folded at first. */
void panels::term(const panels_view &view, int index, float most) {
    const message_agent &agent = *view.inspected;
    const message_agent_term &term = agent.terms[index];
    const bool is_quiet = formula_is_quiet(&term);
    const float wants = length(term.wants), gets = length(term.gets);
    const int weight = param_list_weight(view.server->params, view.server->param_count, agent.kind,
                                         agent.state, term.behavior);
    const formula_link link = {FORMULA_LINK_TERM, index, -1, -1};
    char number[FORMULA_NUMBER_TEXT], words[FORMULA_TERM_WORDS];
    ImGui::PushID(term.behavior);
    const bool is_muted = eye(view, weight);
    ImGui::SameLine(0, px(2));
    formula_term_words(&term, is_muted, words);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float right = at.x + ImGui::GetContentRegionAvail().x;
    ImGui::PushStyleColor(
        ImGuiCol_Text,
        to_imgui(theme_readable(theme.palette, explain_behavior_color(theme.palette, term.type))));
    ImGui::PushStyleColor(
        ImGuiCol_Header,
        to_imgui(formula_is_lit(formula_lit(link), view.lit) ? theme(THEME_LIT) : 0x00000000u));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(3), px(1)));
    ImGui::SetNextItemOpen(!is_quiet && agent.term_count <= 2, ImGuiCond_Once);
    const bool is_open = ImGui::TreeNodeEx(is_quiet ? "##quiet" : "##term",
                                           ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_Framed |
                                               ImGuiTreeNodeFlags_SpanAvailWidth,
                                           "%s", term.behavior);
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
    point_at(link);
    tip("What the behavior wants of the steering force, and what is left of it (mass × px/s²).");
    list = ImGui::GetWindowDrawList();
    const float room = right - at.x - px(24) - width(regular, term.behavior), wide = width(regular, words);
    text(regular, right - wide, at.y + px(wide < room ? 1.0f : 18.0f), theme(THEME_TEXT_DIM), words);
    const float below = reserved(agent.kind, 0, wide >= room ? font_px(regular) - px(2) : 0);
    if (below > 0) {
        ImGui::Dummy(ImVec2(1, below));
    }
    if (!is_quiet) {
        force_bar(term.type, wants, gets, most);
    }
    for (int part = 0; part < term.part_count && !is_quiet; part++) {
        const float force = length(term.parts[part].force);
        formula_number_text(number, static_cast<double>(std::round(force)));
        value_row(term.parts[part].behavior, number);
        point_at({FORMULA_LINK_PART, index, part, -1});
        force_bar(term.parts[part].behavior, force, force, most);
    }
    if (is_open) {
        formula_of_term(&agent, index, &formula);
        formula_lines(view, agent.kind, px(6));
    }
    ImGui::PopID();
}

/* Those of the agent's state that have the weight 0 and no term: they can be given their weight back. */
void panels::muted_terms(const panels_view &view) {
    const message_agent &agent = *view.inspected;
    for (int i = 0; i < view.server->param_count; i++) {
        const message_param &param = view.server->params[i];
        if (param_list_is_muted(&param, &agent)) {
            ImGui::PushID(i);
            (void)eye(view, i);
            ImGui::SameLine();
            value_row(param_name_of(param.param).behavior, "muted");
            ImGui::PopID();
        }
    }
}

/* The head takes half of a short arrow at most. */
void panels::figure_arrow(const panels_view &view, const formula_arrow &arrow, ImVec2 from, ImVec2 to) {
    const ImVec2 along(to.x - from.x, to.y - from.y);
    const float size = std::sqrt(along.x * along.x + along.y * along.y), head = std::min(px(8), size / 2);
    if (size < 1.0f) {
        return;
    }
    const ImU32 fill = to_imgui(formula_arrow_color(theme.palette, &arrow));
    const ImVec2 unit(along.x / size, along.y / size), neck(to.x - unit.x * head, to.y - unit.y * head);
    /* the desired velocity is wider, below the others: where the two agree both are seen */
    const float wide =
        formula_is_lit(formula_lit(arrow.link), view.lit) || arrow.role == FORMULA_DESIRED ? 4.0f : 2.0f;
    list->AddLine(from, neck, fill, px(wide));
    list->AddTriangleFilled(ImVec2(neck.x - unit.y * head / 2, neck.y + unit.x * head / 2), to,
                            ImVec2(neck.x + unit.y * head / 2, neck.y - unit.x * head / 2), fill);
}

/* What the figure is of, the names of its arrows beside them, the scale below. */
void panels::figure_words(const panels_view &view, const formula_figure &shown, ImVec2 low, ImVec2 high,
                          float keys, float px_per) {
    const float line = font_px(regular) + px(1);
    if (shown.kind == FORMULA_TRIANGLE) {
        const message_agent_term &of = view.inspected->terms[shown.term];
        text(regular, low.x + px(6), low.y + px(4),
             theme_readable(theme.palette, explain_behavior_color(theme.palette, of.type)), of.behavior);
    } else {
        text(regular, low.x + px(6), low.y + px(4), theme(THEME_TEXT_DIM),
             shown.kind == FORMULA_SUM ? "the forces added" : "no force now");
    }
    float y = low.y + px(24);
    for (int i = 0; i < shown.arrow_count; i++) {
        if (y + line < high.y || i + 1 == shown.arrow_count) {
            text(regular, keys, std::min(y, high.y - line),
                 formula_arrow_color(theme.palette, &shown.arrows[i]), shown.arrows[i].label);
            y += line;
        }
    }
    if (shown.kind != FORMULA_NO_FIGURE) {
        char number[FORMULA_NUMBER_TEXT], words[64];
        const float at = std::floor(high.y - px(9)), end = low.x + px(8) + shown.bar * px_per;
        formula_number_text(number, static_cast<double>(shown.bar));
        std::snprintf(words, sizeof words, "%s %s", number, shown.unit);
        list->AddRectFilled(ImVec2(low.x + px(8), at), ImVec2(end, at + px(1)),
                            to_imgui(theme(THEME_TEXT_DIM)));
        text(regular, end + px(5), at - font_px(regular) / 2, theme(THEME_TEXT_DIM), words);
    }
}

/* One behavior's velocity triangle, or the sum of the forces; always as high. */
void panels::figure(const panels_view &view) {
    const formula_figure shown =
        formula_figure_of(view.inspected, formula_pointed_term(view.inspected, view.lit));
    const ImVec2 low = ImGui::GetCursorScreenPos(),
                 high(low.x + ImGui::GetContentRegionAvail().x, low.y + px(124));
    float names = 0;
    list = ImGui::GetWindowDrawList();
    box(low, high, theme(THEME_WELL), 0, 3);
    for (int i = 0; i < shown.arrow_count; i++) {
        names = std::max(names, width(regular, shown.arrows[i].label));
    }
    const float keys = std::floor(high.x - px(6) - names), left = low.x + px(10), right = keys - px(12),
                top = low.y + px(26), bottom = high.y - px(24);
    const vec2 size = {shown.high.x - shown.low.x, shown.high.y - shown.low.y};
    const float px_per =
        std::min((right - left) / std::max(size.x, 1e-3f), (bottom - top) / std::max(size.y, 1e-3f));
    const ImVec2 zero((left + right) / 2 - (shown.low.x + shown.high.x) / 2 * px_per,
                      (top + bottom) / 2 - (shown.low.y + shown.high.y) / 2 * px_per);
    for (int i = 0; i < shown.arrow_count; i++) {
        const formula_arrow &arrow = shown.arrows[i];
        figure_arrow(view, arrow, ImVec2(zero.x + arrow.from.x * px_per, zero.y + arrow.from.y * px_per),
                     ImVec2(zero.x + arrow.to.x * px_per, zero.y + arrow.to.y * px_per));
    }
    figure_words(view, shown, low, high, keys, px_per);
    ImGui::Dummy(ImVec2(high.x - low.x, high.y - low.y));
    tip(formula_figure_tip(shown.kind));
}

void panels::equations(const panels_view &view) {
    const message_agent &agent = *view.inspected;
    const float most = formula_most_wanted(&agent);
    int order[MESSAGE_AGENT_TERMS];
    formula_term_order(&agent, order);
    for (int i = 0; i < agent.term_count; i++) {
        term(view, order[i], most);
    }
    muted_terms(view);
    if (agent.term_count == 0) {
        return;
    }
    figure(view);
    formula_of_sum(&agent, &formula);
    formula_lines(view, agent.kind, 0);
    if (ImGui::Button("Copy")) {
        result.copies = true;
    }
    tip("Puts the equations and their numbers on the clipboard, as text.");
}

/* ---- card ---- */

/* What the world says of itself: the caption over the picture for a while, the card until it is closed. */

/* ---- the card about the world ---- */

/* In the middle of what the legend and the side panel leave, above the timeline and the notice; where that is over the
 * selected agent, below the bar and the tool's or the hint's words. Its lines begin at one edge. */
void panels::caption(const panels_view &view, ImVec2 size, float legend_right) {
    const panels_caption &caption = view.caption;
    if (caption.alpha <= 0.0f) {
        return;
    }
    const bool has_line = view.tool[0] != '\0' || view.hint[0] != '\0';
    const float left = legend_right + px(12),
                right = size.x - px(12) - (view_settings_have_panel(view.settings) ? side_px : 0);
    const float pad = px(16), wrap = std::min(px(560), right - left - 2 * pad);
    ImFont *const fonts[] = {bold, regular, regular};
    const color fills[] = {theme(THEME_TEXT), theme(THEME_TEXT), theme(THEME_TEXT_DIM)};
    ImVec2 sizes[3];
    float w = 0, h = 2 * px(10);
    for (int i = 0; i < 3; i++) {
        sizes[i] = fonts[i]->CalcTextSizeA(font_px(fonts[i]), FLT_MAX, wrap, caption.lines[i]);
        w = std::max(w, sizes[i].x);
        h += caption.lines[i][0] != '\0' ? sizes[i].y + (i > 0 ? px(4) : 0) : 0;
    }
    if (wrap < px(120)) {
        return;
    }
    const float below = view_settings_have_panel(view.settings) || view.is_replay
                            ? px(panels_timeline_px(&view) + 34)
                            : px(34);
    const float notice = view.toast[0] != '\0' && view.toast_alpha > 0.0f ? px(48) : 0;
    const float high = px(PANELS_BAR_PX + 10) + (has_line ? px(38) : 0), low = size.y - below - notice - h;
    const float x = std::floor((left + right - w) / 2 - pad),
                top = std::floor(caption.is_high ? high : std::max(high, low));
    box(ImVec2(x, top), ImVec2(x + w + 2 * pad, top + h), color_fade(theme(THEME_CAPTION), caption.alpha),
        color_fade(theme(THEME_PANEL_EDGE), caption.alpha), 6);
    float y = top + px(10);
    for (int i = 0; i < 3; i++) {
        if (caption.lines[i][0] != '\0') {
            list->AddText(fonts[i], font_px(fonts[i]), ImVec2(std::floor(x + pad), std::floor(y)),
                          to_imgui(color_fade(fills[i], caption.alpha)), caption.lines[i], nullptr, wrap);
            y += sizes[i].y + px(4);
        }
    }
}

static void words(const panels_pen &pen, const char *heading, const char *body) {
    if (body[0] == '\0') {
        return;
    }
    ImGui::Spacing();
    if (heading[0] != '\0') {
        ImGui::PushFont(pen.bold);
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(to_imgui(pen.theme(THEME_ACCENT))), "%s", heading);
        ImGui::PopFont();
    }
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(body);
    ImGui::PopTextWrapPos();
}

void panels::card_texts(const explain_card &card) {
    ImGui::PushFont(bold);
    words(*this, "", card.caption);
    ImGui::PopFont();
    words(*this, "", card.description);
    words(*this, "Look for", card.look_for);
    words(*this, "Try", card.to_try);
}

void panels::card_keys(const explain_card &card) {
    ImGui::Spacing();
    ImGui::PushFont(bold);
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(to_imgui(theme(THEME_ACCENT))),
                       "Keys that matter here");
    ImGui::PopFont();
    if (!ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
        return;
    }
    ImGui::TableSetupColumn("key");
    ImGui::TableSetupColumn("words", ImGuiTableColumnFlags_WidthStretch);
    for (int i = 0; i < card.key_count; i++) {
        ImGui::TableNextColumn();
        ImGui::PushFont(bold);
        ImGui::TextUnformatted(card.keys[i].key);
        ImGui::PopFont();
        ImGui::TableNextColumn();
        ImGui::TextWrapped("%s", card.keys[i].words);
    }
    ImGui::EndTable();
}

/* Over the side panel: the world is what it is about. As high as its texts, and no higher than the picture: then it
 * scrolls, by the wheel and the keys. */
void panels::card(const panels_view &view, ImVec2 size) {
    const float margin = px(10), w = std::min(px(PANELS_CARD_PX), size.x - 2 * margin),
                top = px(PANELS_BAR_PX + 10);
    const float x = std::floor(std::max(size.x - margin - w, margin));
    const explain_card &card = view.card;
    ImGui::SetNextWindowPos(ImVec2(x, top));
    ImGui::SetNextWindowSizeConstraints(ImVec2(w, 0),
                                        ImVec2(w, size.y - top - px(panels_timeline_px(&view) + 10)));
    if (!had_card) {
        ImGui::SetNextWindowFocus();
    }
    ImGui::PushStyleColor(ImGuiCol_WindowBg, to_imgui(theme(THEME_POP)));
    ImGui::Begin("card", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoNav);
    ImGui::PopStyleColor();
    const int lines =
        (input->was_key_pressed[PANELS_KEY_DOWN] ? 1 : 0) - (input->was_key_pressed[PANELS_KEY_UP] ? 1 : 0);
    const int pages = (input->was_key_pressed[PANELS_KEY_PAGE_DOWN] ? 1 : 0) -
                      (input->was_key_pressed[PANELS_KEY_PAGE_UP] ? 1 : 0);
    if (!had_card) {
        ImGui::SetScrollY(0);
    } else if (lines + pages != 0) {
        ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(lines) * px(40) +
                          static_cast<float>(pages) * ImGui::GetWindowHeight() * 0.8f);
    }
    ImGui::PushFont(large);
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(card.title);
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    card_texts(card);
    card_keys(card);
    words(*this, "From", card.source);
    ImGui::Spacing();
    ImGui::TextDisabled("I or Esc closes this%s",
                        ImGui::GetScrollMaxY() > 0 ? ";  Up, Down, wheel: the rest" : "");
    ImGui::End();
}
