// SPDX-License-Identifier: Apache-2.0

// Session descriptions and candidates. GStreamer's parser reads an answer, and reads it once: only
// attributes that this file knows stay in the parsed message, and candidates are written anew from
// their parts. A text of the peer is never checked here and then parsed again elsewhere.

#include "datachannel.h"

#include <arpa/inet.h>
#include <string.h>

enum { foundation_max = 32 };

static bool is_one_of(const char *word, const char *const *list, size_t count) {
    for (size_t index = 0; index < count; index++)
        if (word && strcmp(word, list[index]) == 0) return true;
    return false;
}

// Reads a whole number of decimal digits only, from 1 to `most`; 0 for other texts.
static guint64 number_of(const char *word, guint64 most) {
    guint64 value = 0;
    return g_ascii_string_to_unsigned(word, 10, 1, most, &value, NULL) ? value : 0;
}

static bool is_foundation(const char *word) {
    size_t count = strspn(
        word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    return count > 0 && count <= foundation_max && word[count] == 0;
}

static bool is_address(const char *word) {
    unsigned char address[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, word, address) == 1 || inet_pton(AF_INET6, word, address) == 1;
}

char *candidate_plain(const char *candidate) {
    static const char name[] = "candidate:";
    static const char *const types[] = {"host", "srflx", "prflx", "relay"};
    if (!candidate || strlen(candidate) > candidate_bytes_max) return NULL;
    if (g_str_has_prefix(candidate, "a=")) candidate += 2;
    if (!g_str_has_prefix(candidate, name)) return NULL;
    // foundation, component, transport, priority, address, port, "typ", type (RFC 8839, 5.1)
    g_auto(GStrv) words = g_strsplit(candidate + sizeof name - 1, " ", 9);
    if (g_strv_length(words) < 8) return NULL;
    guint64 priority = number_of(words[3], G_MAXUINT32), port = number_of(words[5], G_MAXUINT16);
    bool is_plain = is_foundation(words[0]) && strcmp(words[1], "1") == 0 &&
                    g_ascii_strcasecmp(words[2], "udp") == 0 && priority > 0 &&
                    is_address(words[4]) && port > 0 && strcmp(words[6], "typ") == 0 &&
                    is_one_of(words[7], types, G_N_ELEMENTS(types));
    if (!is_plain) return NULL;
    return g_strdup_printf(
        "%s%s 1 udp %" G_GUINT64_FORMAT " %s %" G_GUINT64_FORMAT " typ %s", name, words[0],
        priority, words[4], port, words[7]);
}

// MARK: Answers

static void keep_session_attributes(GstSDPMessage *message) {
    static const char *const kept[] = {
        "fingerprint", "group", "ice-lite", "ice-options", "ice-pwd", "ice-ufrag", "setup"};
    for (guint index = gst_sdp_message_attributes_len(message); index-- > 0;) {
        const GstSDPAttribute *attribute = gst_sdp_message_get_attribute(message, index);
        if (!is_one_of(attribute->key, kept, G_N_ELEMENTS(kept)))
            gst_sdp_message_remove_attribute(message, index);
    }
}

// Replaces a candidate with its plain form; false if it has no such form.
static bool make_plain(GstSDPMedia *media, guint index, const GstSDPAttribute *attribute) {
    static const char name[] = "candidate:";
    g_autofree char *text = g_strdup_printf("%s%s", name, attribute->value ? attribute->value : "");
    g_autofree char *plain = candidate_plain(text);
    GstSDPAttribute replacement = {0};
    return plain &&
           gst_sdp_attribute_set(
               &replacement, attribute->key, plain + sizeof name - 1) == GST_SDP_OK &&
           gst_sdp_media_replace_attribute(media, index, &replacement) == GST_SDP_OK;
}

static void keep_media_attributes(GstSDPMedia *media) {
    static const char *const kept[] = {
        "bundle-only", "end-of-candidates", "fingerprint", "ice-lite", "ice-options", "ice-pwd",
        "ice-ufrag", "inactive", "max-message-size", "mid", "recvonly", "sctp-port", "sctpmap",
        "sendonly", "sendrecv", "setup"};
    guint candidate_count = 0;
    for (guint index = 0; index < gst_sdp_media_attributes_len(media);) {
        const GstSDPAttribute *attribute = gst_sdp_media_get_attribute(media, index);
        bool stays = is_one_of(attribute->key, kept, G_N_ELEMENTS(kept));
        if (g_strcmp0(attribute->key, "candidate") == 0)
            stays = candidate_count++ < candidates_max && make_plain(media, index, attribute);
        if (stays) index += 1;
        else gst_sdp_media_remove_attribute(media, index);
    }
}

GstSDPMessage *sdp_read_answer(const char *text) {
    GstSDPMessage *message = NULL;
    size_t count = text ? strlen(text) : 0;
    if (count == 0 || count > sdp_bytes_max || gst_sdp_message_new(&message) != GST_SDP_OK)
        return NULL;
    bool is_read =
        gst_sdp_message_parse_buffer((const guint8 *)text, (guint)count, message) == GST_SDP_OK &&
        gst_sdp_message_medias_len(message) == 1;
    GstSDPMedia *media = is_read ? (GstSDPMedia *)gst_sdp_message_get_media(message, 0) : NULL;
    if (!media || g_strcmp0(gst_sdp_media_get_media(media), "application") != 0) {
        gst_sdp_message_free(message);
        return NULL;
    }
    keep_session_attributes(message);
    keep_media_attributes(media);
    return message;
}

char **sdp_fingerprints(const GstSDPMessage *answer) {
    static const char name[] = "fingerprint";
    const GstSDPMedia *media = gst_sdp_message_get_media(answer, 0);
    GPtrArray *found = g_ptr_array_new();
    const char *value = NULL;
    for (guint turn = 0; (value = gst_sdp_message_get_attribute_val_n(answer, name, turn)); turn++)
        g_ptr_array_add(found, g_strdup(value));
    for (guint turn = 0; (value = gst_sdp_media_get_attribute_val_n(media, name, turn)); turn++)
        g_ptr_array_add(found, g_strdup(value));
    g_ptr_array_add(found, NULL);
    return (char **)g_ptr_array_free(found, FALSE);
}

guint64 sdp_message_bytes_max(const GstSDPMessage *answer) {
    const GstSDPMedia *media = gst_sdp_message_get_media(answer, 0);
    const char *text = gst_sdp_media_get_attribute_val(media, "max-message-size");
    if (!text) return message_bytes_default;
    guint64 value = g_ascii_strtoull(text, NULL, 10);
    // 0 means that the peer sets no limit; then our own limit holds.
    return value == 0 || value > message_bytes_max ? message_bytes_max : value;
}

// MARK: The offer

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
