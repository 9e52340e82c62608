// SPDX-License-Identifier: Apache-2.0

// Fuzzes the reader of answers and candidates: in any text, all candidates that stay are UDP with
// an address, and their number is within the limit.

#include "datachannel.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

// Splits a candidate into words, as libnice and webrtcbin do.
static void check_candidate(const char *value) {
    g_auto(GStrv) words = g_strsplit(value, " ", -1);
    unsigned char address[16];
    if (g_strv_length(words) != 8 || strcmp(words[2], "udp") != 0 || strcmp(words[6], "typ") != 0)
        abort();
    if (inet_pton(AF_INET, words[4], address) != 1 && inet_pton(AF_INET6, words[4], address) != 1)
        abort();
}

static void check_answer(const GstSDPMessage *answer) {
    if (gst_sdp_message_medias_len(answer) != 1) abort();
    const GstSDPMedia *media = gst_sdp_message_get_media(answer, 0);
    unsigned count = 0;
    for (guint index = 0; index < gst_sdp_media_attributes_len(media); index++) {
        const GstSDPAttribute *attribute = gst_sdp_media_get_attribute(media, index);
        if (!g_str_has_prefix(attribute->key, "candidate")) continue;
        check_candidate(attribute->value);
        count += 1;
    }
    if (count > candidates_max) abort();
    guint64 size = sdp_message_bytes_max(answer);
    if (size == 0 || size > message_bytes_max) abort();
    if (certificate_is_named("-----BEGIN CERTIFICATE-----\n", answer)) abort();
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, size_t count);

int LLVMFuzzerTestOneInput(const guint8 *bytes, size_t count) {
    if (count == 0) return 0;
    g_autofree char *text = g_strndup((const char *)bytes + 1, count - 1);
    if (bytes[0] == '1') {
        g_autofree char *plain = candidate_plain(text);
        if (plain) check_candidate(plain + strlen("candidate:"));
        return 0;
    }
    GstSDPMessage *answer = sdp_read_answer(text);
    if (!answer) return 0;
    check_answer(answer);
    gst_sdp_message_free(answer);
    return 0;
}
