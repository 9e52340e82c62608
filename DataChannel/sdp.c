// SPDX-License-Identifier: Apache-2.0

// What is looked at in descriptions and candidates before GStreamer is.

#include "datachannel.h"

#include <arpa/inet.h>
#include <string.h>

bool candidate_is_plain(const char *candidate) {
    if (g_str_has_prefix(candidate, "a=")) candidate += 2;
    if (!g_str_has_prefix(candidate, "candidate:")) return false;
    if (strlen(candidate) > candidate_bytes_max) return false;
    // foundation, component, transport, priority, address (RFC 8839, 5.1)
    char **words = g_strsplit(candidate, " ", 7);
    bool is_plain = false;
    if (g_strv_length(words) >= 6) {
        unsigned char address[sizeof(struct in6_addr)];
        is_plain = inet_pton(AF_INET, words[4], address) == 1 ||
                   inet_pton(AF_INET6, words[4], address) == 1;
    }
    g_strfreev(words);
    return is_plain;
}

char *sdp_with_plain_candidates(const char *sdp) {
    char **lines = g_strsplit(sdp, "\n", -1);
    GString *kept = g_string_new(NULL);
    unsigned count = 0;
    for (char **line = lines; *line; line++) {
        g_strchomp(*line);
        if (**line == 0) continue;
        if (g_str_has_prefix(*line, "a=candidate:") &&
            (!candidate_is_plain(*line) || count++ >= candidates_max))
            continue;
        g_string_append(kept, *line);
        g_string_append(kept, "\r\n");
    }
    g_strfreev(lines);
    return g_string_free(kept, FALSE);
}

char *sdp_of_offer(const char *sdp, const char *fingerprint) {
    char **lines = g_strsplit(sdp, "\r\n", -1);
    GString *offer = g_string_new(NULL);
    bool has_channel = false, has_fingerprint = false;
    for (char **line = lines; *line; line++) {
        if (**line == 0 || g_str_has_prefix(*line, "a=max-message-size:")) continue;
        if (g_str_has_prefix(*line, "a=fingerprint:")) {
            has_fingerprint = true;
            g_string_append_printf(offer, "a=fingerprint:sha-256 %s\r\n", fingerprint);
            continue;
        }
        g_string_append_printf(offer, "%s\r\n", *line);
        if (!g_str_has_prefix(*line, "a=sctp-port:")) continue;
        has_channel = true;
        g_string_append_printf(offer, "a=max-message-size:%d\r\n", message_bytes_max);
    }
    g_strfreev(lines);
    return g_string_free(offer, !has_channel || !has_fingerprint);
}

guint64 sdp_message_bytes_max(const char *sdp) {
    static const char name[] = "a=max-message-size:";
    const char *line = strstr(sdp, name);
    if (!line || (line > sdp && line[-1] != '\n')) return message_bytes_default;
    guint64 value = g_ascii_strtoull(line + sizeof name - 1, NULL, 10);
    // None is promised to fit what this program reads and writes.
    return value == 0 || value > message_bytes_max ? message_bytes_max : value;
}
