// SPDX-License-Identifier: Apache-2.0

// Fuzzes the reader of SCTP packets together with a plain model of an SCTP receiver. The model
// assembles messages from the packets that pass, and every message must end in both at the same
// byte.
//
// An input is a list of packets. Two bytes before each give its length and state whether its tag
// and checksum are corrected.

#include "datachannel.h"

#include <stdlib.h>
#include <string.h>

enum { stream = 1, kept_max = 512, begin = 1000, packet_max = 2048 };

struct kept {
    bool is_there;
    guint8 flags;
    guint32 protocol;
    gsize count;
};

static struct kept kept[kept_max];
static guint32 next;
static gsize sum, whole;

static guint32 sum_of(const guint8 *packet, gsize count) {
    guint32 value = G_MAXUINT32;
    for (gsize place = 0; place < count; place++) {
        value ^= place >= 8 && place < 12 ? 0 : packet[place];
        for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? 0x82F63B78 : 0);
    }
    return ~value;
}

static void put(guint8 *bytes, guint32 value) {
    for (int place = 0; place < 4; place++) bytes[place] = (guint8)(value >> (24 - 8 * place));
}

static guint32 get(const guint8 *bytes) {
    return (guint32)bytes[0] << 24 | (guint32)bytes[1] << 16 | (guint32)bytes[2] << 8 | bytes[3];
}

static void make_right(guint8 *packet, gsize count) {
    put(packet + 4, packet[12] == 1 ? 0 : 7);
    guint32 value = sum_of(packet, count);
    for (int place = 0; place < 4; place++) packet[8 + place] = (guint8)(value >> (8 * place));
}

static void deliver(const struct kept *chunk) {
    if (chunk->protocol == 50) return;
    gsize count = chunk->protocol >= 56 ? 0 : chunk->count;
    whole += count;
    bool is_last = chunk->flags & 1;
    enum piece_state state = pieces_add(&sum, count);
    // The reader may report an incomplete message later.
    if (state == piece_broken || (is_last && state != piece_last)) abort();
    if (!is_last && state == piece_last) abort();
    if (is_last) sum = whole = 0;
}

static void receive(const guint8 *packet, gsize count) {
    for (gsize place = 12; place + 4 <= count;) {
        gsize size = (gsize)packet[place + 2] << 8 | packet[place + 3];
        const guint8 *bytes = packet + place;
        place += (size + 3) & ~(gsize)3;
        if (bytes[0] != 0) continue;
        guint32 ahead = get(bytes + 4) - next;
        if (ahead >= kept_max) continue;
        struct kept *chunk = &kept[get(bytes + 4) % kept_max];
        if (!chunk->is_there) *chunk = (struct kept){true, bytes[1], get(bytes + 12), size - 16};
        while (kept[next % kept_max].is_there) {
            kept[next % kept_max].is_there = false;
            deliver(&kept[next % kept_max]);
            next += 1;
        }
    }
}

// The start of an association, and the acknowledgement of the channel.
static void connect_first(void) {
    guint8 init[12 + 20] = {[12] = 2, [15] = 20};
    put(init + 12 + 16, begin);
    make_right(init, sizeof init);
    guint8 control[12 + 20] = {[13] = 3, [15] = 17, [12 + 9] = stream, [12 + 15] = 50, [28] = 2};
    put(control + 12 + 4, begin);
    make_right(control, sizeof control);
    if (pieces_look(init, sizeof init, stream)) abort();
    if (pieces_look(control, sizeof control, stream)) abort();
    receive(control, sizeof control);
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, size_t count);

int LLVMFuzzerTestOneInput(const guint8 *bytes, size_t count) {
    memset(kept, 0, sizeof kept);
    next = begin;
    sum = whole = 0;
    pieces_begin();
    connect_first();
    while (count > 2) {
        gsize size = ((gsize)bytes[0] << 8 | bytes[1]) & 0x7FFF;
        bool is_right = bytes[0] < 0x80;
        bytes += 2, count -= 2;
        size = MIN(MIN(size, count), packet_max);
        // A separate allocation, so that the sanitizer notices reads past its end.
        guint8 *packet = g_memdup2(bytes, size);
        if (is_right && size > 12) make_right(packet, size);
        const char *problem = pieces_look(packet, size, stream);
        if (!problem) receive(packet, size);
        g_free(packet);
        if (problem) break;
        bytes += size, count -= size;
    }
    return 0;
}
