/* See fuzzy.h. */
#include "viewer/panels/fuzzy.h"

#include <stdbool.h>
#include <stddef.h>

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c) {
    const char l = lower(c);
    return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || ((unsigned char)c & 0x80u) != 0;
}

/* Taking letters as early as possible from text[from]; 0 when one is missing. */
static int score_from(const char *wanted, const char *text, size_t from) {
    int score = 1;
    size_t at = from, last = 0;
    bool has_last = false;
    for (const char *w = wanted; *w != '\0'; w++) {
        if (*w == ' ' || *w == '_' || *w == '-') {
            continue;
        }
        while (text[at] != '\0' && lower(text[at]) != lower(*w)) {
            at++;
        }
        if (text[at] == '\0') {
            return 0;
        }
        const bool starts_word = at == 0 || !is_letter(text[at - 1]);
        score += 4 + (starts_word ? 8 : 0) + (has_last && at == last + 1 ? 10 : 0) + (at == 0 ? 4 : 0);
        last = at++;
        has_last = true;
    }
    return score;
}

int fuzzy_score(const char *wanted, const char *text) {
    int best = 0;
    size_t from = 0;
    do { /* the first place a letter is found at need not be the best */
        const int score = score_from(wanted, text, from);
        best = score > best ? score : best;
    } while (text[from] != '\0' && text[++from] != '\0');
    return best;
}
