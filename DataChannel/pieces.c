// SPDX-License-Identifier: Apache-2.0

// GStreamer's SCTP hands a message of more than 64 KiB on in pieces, as they come, and does not
// say which is the last. What tells it stands in the DATA chunks (RFC 9260, 3.3.1): they are
// looked at on their way to it, and the length of each message is kept until it has come.

#include "datachannel.h"

#include <string.h>

enum {
    type_data = 0,
    type_init = 1,
    type_init_ack = 2,
    type_forward_tsn = 192,
    flag_ends = 1,
    flag_begins = 2,
    flag_unordered = 4,
    protocol_control = 50,  // RFC 8831, 8
    protocol_empty_binary = 57,
    protocol_empty_text = 56,
    // Chunks that came before others, and messages that nobody took yet.
    early_max = 8192,
    lengths_max = 65536,
};

struct chunk {
    guint8 flags;
    guint32 protocol;
    guint32 count;
};

static GMutex mutex;
static bool has_begun, is_broken, is_within;
static guint32 next;
static guint64 length;
static GHashTable *early;
static GQueue lengths = G_QUEUE_INIT;

static guint32 number(const guint8 *bytes) {
    return (guint32)bytes[0] << 24 | (guint32)bytes[1] << 16 | (guint32)bytes[2] << 8 | bytes[3];
}

// The chunks of one channel alone come here, each in its turn.
static void take(const struct chunk *chunk) {
    if (chunk->protocol == protocol_control) return;
    bool begins = chunk->flags & flag_begins;
    if (begins == is_within || chunk->flags & flag_unordered) is_broken = true;
    is_within = !(chunk->flags & flag_ends);
    if (begins) length = 0;
    bool is_empty =
        chunk->protocol == protocol_empty_text || chunk->protocol == protocol_empty_binary;
    if (!is_empty) length += chunk->count;
    if (length > message_bytes_max || lengths.length >= lengths_max) is_broken = true;
    if (!is_within) g_queue_push_tail(&lengths, GUINT_TO_POINTER((guint)length));
}

static void take_data(const guint8 *bytes, gsize count) {
    if (count < 17) return;
    struct chunk *chunk = g_new(struct chunk, 1);
    *chunk = (struct chunk){bytes[1], number(bytes + 12), (guint32)count - 16};
    gint32 ahead = (gint32)(number(bytes + 4) - next);
    if (!has_begun || ahead < 0 || g_hash_table_size(early) >= early_max) {
        // One that came before, or more than its window lets it send.
        if (ahead >= 0) is_broken = true;
        g_free(chunk);
        return;
    }
    if (!g_hash_table_contains(early, GUINT_TO_POINTER(next + (guint32)ahead)))
        g_hash_table_insert(early, GUINT_TO_POINTER(next + (guint32)ahead), chunk);
    else
        g_free(chunk);
    while ((chunk = g_hash_table_lookup(early, GUINT_TO_POINTER(next)))) {
        take(chunk);
        g_hash_table_remove(early, GUINT_TO_POINTER(next));
        next += 1;
    }
}

void pieces_look(const guint8 *packet, gsize count) {
    g_mutex_lock(&mutex);
    if (!early) early = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    gsize place = 12;
    while (place + 4 <= count) {
        const guint8 *bytes = packet + place;
        gsize size = (gsize)bytes[2] << 8 | bytes[3];
        if (size < 4 || size > count - place) break;
        if (bytes[0] == type_data) take_data(bytes, size);
        if (bytes[0] == type_forward_tsn) is_broken = true;
        bool is_first = bytes[0] == type_init || bytes[0] == type_init_ack;
        if (is_first && size >= 20 && !has_begun) {
            has_begun = true;
            next = number(bytes + 16);
        }
        place += (size + 3) & ~(gsize)3;
    }
    g_mutex_unlock(&mutex);
}

enum piece_state pieces_add(gsize *sum, gsize count) {
    g_mutex_lock(&mutex);
    enum piece_state state = piece_more;
    *sum += count;
    if (is_broken || *sum > message_bytes_max) {
        state = piece_broken;
    } else if (lengths.length > 0) {
        gsize whole = GPOINTER_TO_UINT(g_queue_peek_head(&lengths));
        if (*sum > whole) state = piece_broken;
        if (*sum == whole) {
            state = piece_last;
            *sum = 0;
            g_queue_pop_head(&lengths);
        }
    }
    g_mutex_unlock(&mutex);
    return state;
}
