// SPDX-License-Identifier: Apache-2.0

// Lines of JSON: read in the main loop, written by a separate thread, so that a slow reader delays
// only the output.

#define _GNU_SOURCE
#include "datachannel.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <string.h>
#include <unistd.h>

// MARK: Output

static GMutex output_mutex;
static GCond output_changed;
static GQueue output_queue = G_QUEUE_INIT;
static size_t output_bytes;
static bool output_is_idle = true;
static bool output_is_lost;

static bool write_all(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

static gpointer write_lines(gpointer nothing) {
    (void)nothing;
    g_mutex_lock(&output_mutex);
    for (;;) {
        char *line = g_queue_pop_head(&output_queue);
        if (!line) {
            output_is_idle = true;
            g_cond_broadcast(&output_changed);
            g_cond_wait(&output_changed, &output_mutex);
            continue;
        }
        output_is_idle = false;
        size_t count = strlen(line);
        g_mutex_unlock(&output_mutex);
        bool is_written = write_all(line, count);
        free(line);
        g_mutex_lock(&output_mutex);
        output_bytes -= count;
        if (!is_written) output_is_lost = true;
    }
    return NULL;
}

void output_start(void) { g_thread_unref(g_thread_new("lines", write_lines, NULL)); }

bool output_put(json_t *line) {
    if (!line) return false;
    // jansson escapes line breaks in a value, so each value is one line.
    char *text = json_dumps(line, JSON_COMPACT);
    json_decref(line);
    if (!text) return false;
    size_t count = strlen(text);
    char *whole = realloc(text, count + 2);
    if (!whole) {
        free(text);
        return false;
    }
    whole[count] = '\n';
    whole[count + 1] = 0;
    g_mutex_lock(&output_mutex);
    bool fits = output_bytes + count + 1 <= unread_bytes_max && !output_is_lost;
    if (fits) {
        output_bytes += count + 1;
        g_queue_push_tail(&output_queue, whole);
        output_is_idle = false;
        g_cond_broadcast(&output_changed);
    }
    g_mutex_unlock(&output_mutex);
    if (!fits) free(whole);
    return fits;
}

void output_finish(int status) {
    gint64 end = g_get_monotonic_time() + farewell_max * G_TIME_SPAN_MILLISECOND;
    g_mutex_lock(&output_mutex);
    while (!output_is_idle && !output_is_lost) {
        if (!g_cond_wait_until(&output_changed, &output_mutex, end)) break;
    }
    // GStreamer threads may still run; their work is not needed any more.
    _exit(status);
}

// MARK: Input

static input_handler handle;
static input_end finish;
static GByteArray *pending;
static guint input_source;
static bool input_has_ended;

static gboolean read_some(gint file, GIOCondition condition, gpointer nothing);

// Takes the complete lines out of the input; false once reading has ended.
static bool take_lines(void) {
    size_t start = 0;
    while (input_source != 0) {
        const char *from = (const char *)pending->data + start;
        const char *newline = memchr(from, '\n', pending->len - start);
        if (!newline) break;
        size_t count = (size_t)(newline - from);
        start += count + 1;
        json_t *line = json_loadb(from, count, JSON_REJECT_DUPLICATES, NULL);
        if (!json_is_object(line)) {
            json_decref(line);
            finish("a line is no JSON object");
            return false;
        }
        bool goes_on = handle(line);
        json_decref(line);
        if (!goes_on) return false;
    }
    if (start > 0) g_byte_array_remove_range(pending, 0, (guint)start);
    if (pending->len > line_bytes_max) {
        finish("a line is too long");
        return false;
    }
    return true;
}

static void watch(void) {
    if (input_source == 0 && !input_has_ended)
        input_source = g_unix_fd_add(STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, read_some, NULL);
}

static gboolean read_some(gint file, GIOCondition condition, gpointer nothing) {
    (void)condition;
    (void)nothing;
    guint8 bytes[64 << 10];
    ssize_t count = read(file, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return G_SOURCE_CONTINUE;
    if (count <= 0) {
        input_has_ended = true;
        input_source = 0;
        finish(NULL);
        return G_SOURCE_REMOVE;
    }
    g_byte_array_append(pending, bytes, (guint)count);
    guint before = input_source;
    if (!take_lines()) {
        input_has_ended = true;
        input_source = 0;
        return G_SOURCE_REMOVE;
    }
    // A line's handler may have paused reading, which removes this source.
    return input_source == before ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean has_hung_up(gint file, GIOCondition condition, gpointer nothing) {
    (void)file;
    (void)condition;
    (void)nothing;
    // The program that started this one has ended, and its pipe had no room.
    finish(NULL);
    return G_SOURCE_REMOVE;
}

static gboolean go_on(gpointer nothing) {
    (void)nothing;
    watch();
    if (input_source != 0 && !take_lines()) {
        input_has_ended = true;
        g_source_remove(input_source);
        input_source = 0;
    }
    return G_SOURCE_REMOVE;
}

void input_start(input_handler handler, input_end end) {
    handle = handler;
    finish = end;
    pending = g_byte_array_new();
    int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (flags >= 0) fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK);
    watch();
}

void input_pause(bool is_paused) {
    static guint hung_up;
    if (input_has_ended) return;
    if (is_paused) {
        if (input_source == 0) return;
        g_source_remove(input_source);
        input_source = 0;
        if (hung_up == 0)
            hung_up = g_unix_fd_add(STDIN_FILENO, G_IO_HUP | G_IO_ERR, has_hung_up, NULL);
    } else {
        if (input_source != 0) return;
        if (hung_up != 0) g_source_remove(hung_up);
        hung_up = 0;
        g_idle_add(go_on, NULL);
    }
}
