/* Leveled lines on stderr. Owns the settings of the log and the writer, the only mutable globals of the project.
 *
 * Invariant: one call makes one line, written with one write(2), so lines of different threads do not mix;
 * a client cannot forge a line or drive the terminal by the names that it chooses (log_line.h).
 */
#include "common/system/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "common/system/line_writer.h"
#include "common/system/log_line.h"

static struct {
    enum log_level threshold;
    enum log_format format;
    bool has_priority;
    const char *program; /* the module of log_plain; "" until it is set */
} settings = {.threshold = LOG_INFO, .program = ""};
static struct line_writer writer = LINE_WRITER_ON(STDERR_FILENO);

void log_set_level(enum log_level level) {
    settings.threshold = level;
}

void log_set_format(enum log_format format, const char *program) {
    settings.format = format;
    settings.program = program;
}

bool log_has_level(enum log_level level) {
    return level <= settings.threshold;
}

/* The text "DEVICE:INODE" names the file of the descriptor. */
static bool names_file(const char *text, int descriptor) {
    struct stat file;
    char name[64];
    if (fstat(descriptor, &file) != 0) {
        return false;
    }
    (void)snprintf(name, sizeof name, "%llu:%llu", (unsigned long long)file.st_dev,
                   (unsigned long long)file.st_ino);
    return strcmp(name, text) == 0;
}

void log_detect_journal(const char *stream) {
    settings.has_priority = stream != NULL && names_file(stream, STDERR_FILENO);
}

static struct log_line begin_line(enum log_level level, const char *module) {
    struct log_line line = {
        .level = level, .module = module, .format = settings.format, .has_priority = settings.has_priority};
    (void)clock_gettime(CLOCK_REALTIME, &line.time);
    return line;
}

/* Takes the beginning of a character off the end of a text that vsnprintf cut. */
static void drop_half_character(char *text, size_t length) {
    size_t begin = length;
    while (begin > 0 && length - begin < 3 && ((unsigned char)text[begin - 1] & 0xC0) == 0x80) {
        begin--;
    }
    if (begin > 0 && ((unsigned char)text[begin - 1] & 0xC0) == 0xC0 &&
        utf8_character(text + begin - 1, length - begin + 1) == 0) {
        text[begin - 1] = '\0';
    }
}

PRINTF_LIKE(2, 0)
static void write_text(char text[LOG_LINE_TEXT], const char *format, va_list arguments) {
    const int wanted = vsnprintf(text, LOG_LINE_TEXT, format, arguments);
    if (wanted < 0) {
        text[0] = '\0';
    } else if (wanted >= LOG_LINE_TEXT) {
        drop_half_character(text, LOG_LINE_TEXT - 1);
    }
}

PRINTF_LIKE(2, 0)
static void write_line(struct log_line line, const char *format, va_list arguments) {
    char text[LOG_LINE_TEXT], bytes[LOG_LINE_BYTES];
    write_text(text, format, arguments);
    line.text = text;
    line_writer_put(&writer, bytes, log_line_write(&line, bytes));
}

void log_write(enum log_level level, const char *module, const char *format, ...) {
    if (!log_has_level(level)) {
        return;
    }
    struct log_line line = begin_line(level, module);
    va_list arguments;
    va_start(arguments, format);
    write_line(line, format, arguments);
    va_end(arguments);
}

void log_write_about(enum log_level level, const char *module, const struct log_about *about,
                     const char *format, ...) {
    if (!log_has_level(level)) {
        return;
    }
    struct log_line line = begin_line(level, module);
    line.about = about;
    va_list arguments;
    va_start(arguments, format);
    write_line(line, format, arguments);
    va_end(arguments);
}

void log_plain(const char *format, ...) {
    struct log_line line = begin_line(LOG_ERROR, settings.program);
    line.is_bare = true;
    va_list arguments;
    va_start(arguments, format);
    write_line(line, format, arguments);
    va_end(arguments);
}

/* ---- the thread ---- */

static size_t write_note(char *line, size_t size, uint64_t left_out) {
    char text[LOG_LINE_TEXT], bytes[LOG_LINE_BYTES];
    struct log_line note = begin_line(LOG_WARN, "log");
    (void)snprintf(text, sizeof text, "left out %llu lines: the log is not read fast enough",
                   (unsigned long long)left_out);
    note.text = text;
    const size_t length = log_line_write(&note, bytes);
    memcpy(line, bytes, length < size ? length : size);
    return length < size ? length : size;
}

void log_start(void) {
    static char ring[LOG_RING_BYTES];
    if (!line_writer_start(&writer, ring, sizeof ring, write_note)) {
        log_write(LOG_WARN, "log",
                  "cannot start the thread of the log: a reader that is slow holds the program up");
    }
}

void log_stop(void) {
    line_writer_stop(&writer);
}
