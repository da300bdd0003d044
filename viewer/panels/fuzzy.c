/* See fuzzy.h. */
#include "viewer/panels/fuzzy.h"

#include <stddef.h>
#include <string.h>

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

/* The letters of a word at the start of text. */
static bool begins_with(const char *text, const char *word, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\0' || lower(text[i]) != lower(word[i])) {
            return false;
        }
    }
    return true;
}

static const int at_start = 14, inside = 6; /* what a letter of a found word counts */

static int word_score(const char *word, size_t length, const char *text) {
    const int letters = (int)length;
    int best = 0;
    for (size_t at = 0; text[at] != '\0'; at++) {
        if (begins_with(text + at, word, length)) {
            const bool starts_word = at == 0 || !is_letter(text[at - 1]);
            const int score = letters * (starts_word ? at_start : inside);
            best = score > best ? score : best;
        }
    }
    return best;
}

int fuzzy_words_score(const char *wanted, const char *text) {
    int score = 1;
    for (const char *word = wanted; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        const int its = length > 0 ? word_score(word, length, text) : 0;
        if (length > 0 && its == 0) {
            return 0;
        }
        score += its;
        word += length + (word[length] == ' ' ? 1 : 0);
    }
    return score;
}

bool fuzzy_has_words(const char *wanted, const char *text) {
    int letters = 0;
    for (const char *word = wanted; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        if (length > 0 && (length < 3 || word_score(word, length, text) < at_start * (int)length)) {
            return false;
        }
        letters += (int)length;
        word += length + (word[length] == ' ' ? 1 : 0);
    }
    return letters > 0;
}
