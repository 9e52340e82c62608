// SPDX-License-Identifier: Apache-2.0

// GStreamer's SCTP hands on a message of more than 64 KiB in pieces as they arrive, without marking
// the last. The DATA chunks mark it (RFC 9260, 3.3.1). This file reads them before GStreamer and
// keeps the length of each message until it has arrived.
//
// A packet that GStreamer and this file could understand differently is dropped and ends the
// connection. So does any feature that a page with one ordered channel does not need.

#include "datachannel.h"

#include <string.h>

enum {
    type_data = 0,
    type_init = 1,
    type_init_ack = 2,
    type_shutdown_complete = 14,
    type_re_config = 130,
    type_pad = 132,
    flag_ends = 1,
    flag_begins = 2,
    flag_unordered = 4,
    flags_known = 7,
    // RFC 8831, 8
    protocol_control = 50,
    protocol_text = 51,
    protocol_binary = 53,
    protocol_empty_text = 56,
    protocol_empty_binary = 57,
    // RFC 8832, 5.2
    control_acknowledge = 2,
    header_bytes = 12,
    data_header_bytes = 16,
    init_bytes_min = 20,
    // The number of chunks that are remembered before and after the next one, and of messages that
    // wait.
    chunks_max = 8192,
    lengths_max = 65536,
};

struct chunk {
    guint32 number;
    guint32 protocol;
    guint32 count;
    guint16 sequence;
    guint8 flags;
    bool is_there;
};

static const char is_malformed[] = "the peer sent what is no plain SCTP";
static const char has_other_channel[] = "the peer opened or used a second channel";
static const char has_nul[] = "the peer sent a text message with a NUL character";
static const char is_too_large[] = "the peer sent a message that is too large, or no whole one";

static GMutex mutex;
static const char *problem;
static bool has_begun, is_acknowledged, is_within;
static guint32 first, next, tag, protocol;
static guint16 next_sequence;
static guint64 length;
// Indexed by chunk number.
static struct chunk chunks[chunks_max];
static GQueue lengths = G_QUEUE_INIT;

void pieces_begin(void) {
    g_mutex_lock(&mutex);
    memset(chunks, 0, sizeof chunks);
    g_queue_clear(&lengths);
    problem = NULL;
    has_begun = is_acknowledged = is_within = false;
    first = next = tag = protocol = 0;
    next_sequence = 0;
    length = 0;
    g_mutex_unlock(&mutex);
}

static guint16 short_number(const guint8 *bytes) {
    return (guint16)((guint16)bytes[0] << 8 | bytes[1]);
}

static guint32 number(const guint8 *bytes) {
    return (guint32)short_number(bytes) << 16 | short_number(bytes + 2);
}

// Verifies the CRC-32C of a packet, computed with its own field set to zero (RFC 9260, 6.8).
// GStreamer skips a packet with a wrong sum, so only this file would count its chunks.
static bool has_checksum(const guint8 *packet, gsize count) {
    static guint32 table[256];
    if (table[1] == 0) {
        for (guint32 byte = 0; byte < 256; byte++) {
            guint32 value = byte;
            for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? 0x82F63B78 : 0);
            table[byte] = value;
        }
    }
    guint32 sum = G_MAXUINT32;
    for (gsize place = 0; place < count; place++) {
        guint8 byte = place >= 8 && place < header_bytes ? 0 : packet[place];
        sum = sum >> 8 ^ table[(sum ^ byte) & 0xFF];
    }
    guint32 found = 0;
    for (int place = 3; place >= 0; place--) found = found << 8 | packet[8 + place];
    return found == ~sum;
}

// Takes the chunks of the channel, each in order.
static const char *take(const struct chunk *chunk) {
    bool begins = chunk->flags & flag_begins;
    if (begins == is_within) return is_malformed;
    if (begins) {
        // GStreamer hands on messages in the order of their sequence numbers, not in the order of
        // sending.
        if (chunk->sequence != next_sequence++) return is_malformed;
        length = 0;
        protocol = chunk->protocol;
    }
    bool is_same = chunk->protocol == protocol && chunk->sequence == (guint16)(next_sequence - 1);
    if (!is_same) return is_malformed;
    is_within = !(chunk->flags & flag_ends);
    if (protocol == protocol_control) {
        if (is_within || is_acknowledged) return is_malformed;
        is_acknowledged = true;
        return NULL;
    }
    // GStreamer hands on no data before the acknowledgement, so only this file would count it.
    if (!is_acknowledged) return is_malformed;
    bool is_empty = protocol == protocol_empty_text || protocol == protocol_empty_binary;
    if (is_empty && is_within) return is_malformed;
    if (!is_empty) length += chunk->count;
    if (length > message_bytes_max || lengths.length >= lengths_max) return is_too_large;
    if (!is_within) g_queue_push_tail(&lengths, GUINT_TO_POINTER((guint)length));
    return NULL;
}

// Keeps a chunk until those before it have arrived, and longer to recognize repeats.
static const char *take_in_turn(struct chunk chunk) {
    gint32 ahead = (gint32)(chunk.number - next);
    // The chunk is beyond the window that the peer was given.
    if (ahead >= chunks_max) return is_malformed;
    struct chunk *place = &chunks[chunk.number % chunks_max];
    if (place->is_there && place->number == chunk.number) {
        // A repeat is legal: GStreamer may have had no room for the first one.
        bool is_same = place->protocol == chunk.protocol && place->count == chunk.count &&
                       place->sequence == chunk.sequence && place->flags == chunk.flags;
        return is_same ? NULL : is_malformed;
    }
    if (ahead < 0) return NULL;
    *place = chunk;
    const char *found = NULL;
    while (!found) {
        place = &chunks[next % chunks_max];
        if (!place->is_there || place->number != next) break;
        found = take(place);
        next += 1;
    }
    return found;
}

static const char *look_at_payload(guint32 kind, const guint8 *bytes, gsize count) {
    switch (kind) {
    case protocol_control:
        return count == 1 && bytes[0] == control_acknowledge ? NULL : is_malformed;
    // GStreamer cuts a text at a NUL.
    case protocol_text: return memchr(bytes, 0, count) ? has_nul : NULL;
    case protocol_binary:
    case protocol_empty_text:
    case protocol_empty_binary: return NULL;
    default: return is_malformed;
    }
}

static const char *take_data(const guint8 *bytes, gsize count, int stream) {
    if (count <= data_header_bytes || !has_begun) return is_malformed;
    if (short_number(bytes + 8) != stream) return has_other_channel;
    if (bytes[1] & flag_unordered) return is_malformed;
    const char *found = look_at_payload(
        number(bytes + 12), bytes + data_header_bytes, count - data_header_bytes);
    if (found) return found;
    return take_in_turn((struct chunk){
        .number = number(bytes + 4), .protocol = number(bytes + 12), .is_there = true,
        .count = (guint32)(count - data_header_bytes), .sequence = short_number(bytes + 10),
        .flags = bytes[1] & flags_known});
}

// An association begins only once: a second INIT would restart the numbers of its chunks.
static const char *take_init(const guint8 *bytes, gsize count) {
    if (count < init_bytes_min) return is_malformed;
    guint32 begin = number(bytes + 16);
    if (!has_begun) first = next = begin;
    has_begun = true;
    bool is_again = begin != first || (bytes[0] == type_init && next != first);
    return is_again ? is_malformed : NULL;
}

static const char *look(const guint8 *packet, gsize count, int stream) {
    if (count < header_bytes || !has_checksum(packet, count)) return is_malformed;
    guint32 tagged = number(packet + 4);
    if (tag == 0) tag = tagged;
    for (gsize place = header_bytes; place < count;) {
        const guint8 *bytes = packet + place;
        if (count - place < 4) return is_malformed;
        gsize size = short_number(bytes + 2);
        if (size < 4 || size > count - place) return is_malformed;
        const char *found = NULL;
        if (bytes[0] == type_data) {
            // GStreamer skips a packet that names another association.
            found = tagged == tag ? take_data(bytes, size, stream) : is_malformed;
        } else if (bytes[0] == type_init || bytes[0] == type_init_ack) {
            found = take_init(bytes, size);
        } else if (bytes[0] > type_shutdown_complete) {
            // Refuses partial reliability and interleaving (RFC 8260), which were not negotiated.
            if (bytes[0] != type_re_config && bytes[0] != type_pad) found = is_malformed;
        }
        if (found) return found;
        place += (size + 3) & ~(gsize)3;
    }
    return NULL;
}

const char *pieces_look(const guint8 *packet, gsize count, int stream) {
    g_mutex_lock(&mutex);
    if (!problem) problem = look(packet, count, stream);
    const char *found = problem;
    g_mutex_unlock(&mutex);
    return found;
}

enum piece_state pieces_add(gsize *sum, gsize count) {
    g_mutex_lock(&mutex);
    enum piece_state state = piece_more;
    *sum += count;
    if (*sum > message_bytes_max) {
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
