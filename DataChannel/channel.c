// SPDX-License-Identifier: Apache-2.0

// One connection with one data channel, which this side opens and offers through GStreamer's
// webrtcbin. Its signals arrive on GStreamer's threads; an end of the process is handed to the main
// loop.

#define GST_USE_UNSTABLE_API
#include "datachannel.h"

#include <gst/gst.h>
#include <gst/webrtc/webrtc.h>
#include <string.h>
#include <unistd.h>

static GstElement *pipeline;
static GstElement *peer;
static GstWebRTCDataChannel *channel;
static guint64 sendable_max = message_bytes_default;
static guint candidate_count;
static char *own_fingerprint;
static GstSDPMessage *answer;
static GstElement *decoder;
static bool has_answer, is_waiting_for_room, is_ending;
static gint has_offered, is_open, has_closed;
static bool wants_relay;
static gint has_relay;
static const char *ending_reason = "the connection ended";

// MARK: Requirements

char *channel_load(void) {
    static const char *const plugins[] = {
        "coreelements", "app", "rtp", "rtpmanager", "srtp", "dtls", "sctp", "nice", "webrtc"};
    gst_registry_fork_set_enabled(FALSE);
    g_autoptr(GError) error = NULL;
    if (!gst_init_check(NULL, NULL, &error))
        return g_strdup_printf("GStreamer does not start: %s", error ? error->message : "");
    for (size_t index = 0; index < G_N_ELEMENTS(plugins); index++) {
        g_autofree char *path = g_strdup_printf("%s/libgst%s.so", PLUGINS_DIR, plugins[index]);
        g_autoptr(GError) problem = NULL;
        GstPlugin *plugin = gst_plugin_load_file(path, &problem);
        if (!plugin)
            return g_strdup_printf("GStreamer's plugin %s cannot be loaded", plugins[index]);
        // The plugin registry keeps the plugin loaded.
        gst_object_unref(plugin);
    }
    return NULL;
}

// MARK: The end

static gpointer end_in_any_case(gpointer nothing) {
    (void)nothing;
    g_usleep(farewell_max * G_TIME_SPAN_MILLISECOND);
    output_finish(exit_done);
}

static gboolean leave(gpointer nothing) {
    (void)nothing;
    if (g_atomic_int_exchange(&has_closed, 2) == 2) return G_SOURCE_REMOVE;
    output_put(json_pack("{s:s, s:s}", "type", "closed", "reason", ending_reason));
    g_thread_unref(g_thread_new("end", end_in_any_case, NULL));
    // Tells the peer that this side has left.
    if (pipeline) gst_element_set_state(pipeline, GST_STATE_NULL);
    output_finish(exit_done);
}

static gboolean leave_when_sent(gpointer nothing) {
    (void)nothing;
    guint64 waiting = 0;
    g_object_get(channel, "buffered-amount", &waiting, NULL);
    if (waiting > 0) return G_SOURCE_CONTINUE;
    gst_webrtc_data_channel_close(channel);
    return G_SOURCE_REMOVE;
}

static void leave_in(guint milliseconds) {
    g_timeout_add_full(G_PRIORITY_HIGH, milliseconds, leave, NULL, NULL);
}

void channel_end(const char *reason) {
    if (is_ending) return;
    is_ending = true;
    ending_reason = reason;
    input_pause(true);
    if (!g_atomic_int_get(&is_open) || g_atomic_int_get(&has_closed)) {
        leave(NULL);
        return;
    }
    // Sent data leaves first; the channel's `closed` signal or the time limit ends the process.
    g_timeout_add_full(G_PRIORITY_HIGH, 10, leave_when_sent, NULL, NULL);
    leave_in(farewell_max);
}

static gboolean end_in_main(gpointer reason) {
    channel_end(reason);
    return G_SOURCE_REMOVE;
}

// Runs before lines that wait on standard input, as those may never run out.
static void end_from_any_thread(const char *reason) {
    g_idle_add_full(G_PRIORITY_HIGH, end_in_main, (gpointer)reason, NULL);
}

// MARK: The channel

static void put_message(json_t *line) {
    if (!output_put(line)) end_from_any_thread("the peer sends faster than it is listened to");
}

static void on_open(GstWebRTCDataChannel *from, gpointer nothing) {
    (void)from;
    (void)nothing;
    // GStreamer accepts any certificate.
    g_autofree char *pem = NULL;
    if (decoder) g_object_get(decoder, "peer-pem", &pem, NULL);
    if (!certificate_is_named(pem, answer))
        return end_from_any_thread("the peer has another certificate than its answer names");
    if (g_atomic_int_exchange(&is_open, 1)) return;
    output_put(
        json_pack("{s:s, s:I}", "type", "open", "maxMessageSize", (json_int_t)sendable_max));
}

static const char too_large[] = "the peer sent a message that is too large, or no whole one";

// Puts the pieces of a message together; returns NULL until the last piece has arrived.
static GByteArray *whole(const void *bytes, gsize count) {
    static GByteArray *pieces;
    static gsize sum;
    // Ignores all data until the peer's certificate is verified.
    if (!g_atomic_int_get(&is_open)) return NULL;
    switch (pieces_add(&sum, count)) {
    case piece_broken: end_from_any_thread(too_large); return NULL;
    case piece_more:
    case piece_last: break;
    }
    if (!pieces) pieces = g_byte_array_new();
    if (count > 0) g_byte_array_append(pieces, bytes, (guint)count);
    // A sum of 0 means that the last piece has arrived.
    if (sum > 0) return NULL;
    GByteArray *message = pieces;
    pieces = NULL;
    return message;
}

static void on_text(GstWebRTCDataChannel *from, const char *text, gpointer nothing) {
    (void)from;
    (void)nothing;
    g_autoptr(GByteArray) message = whole(text, text ? strlen(text) : 0);
    if (!message) return;
    json_t *value =
        message->len > 0 ? json_stringn((const char *)message->data, message->len)
                         : json_string("");
    if (value) return put_message(json_pack("{s:s, s:o}", "type", "message", "text",
                          value));
    output_put(json_pack(
        "{s:s, s:s}", "type", "ignored", "reason", "a text message that is not UTF-8"));
}

static void on_data(GstWebRTCDataChannel *from, GBytes *data, gpointer nothing) {
    (void)from;
    (void)nothing;
    gsize count = 0;
    const guchar *bytes = data ? g_bytes_get_data(data, &count) : NULL;
    g_autoptr(GByteArray) message = whole(bytes, count);
    if (!message) return;
    // GStreamer hands on every empty message as binary data, even a text.
    if (message->len == 0)
        return put_message(json_pack("{s:s, s:s}", "type", "message", "text", ""));
    g_autofree char *text = g_base64_encode(message->data, message->len);
    put_message(json_pack("{s:s, s:b, s:s}", "type", "message", "binary", 1, "data", text));
}

static void on_close(GstWebRTCDataChannel *from, gpointer nothing) {
    (void)from;
    (void)nothing;
    if (g_atomic_int_exchange(&has_closed, 1)) return;
    end_from_any_thread("the peer closed the channel");
    // The packet that ends the stream may not have left yet.
    leave_in(parting);
}

static void on_error(GstWebRTCDataChannel *from, GError *error, gpointer nothing) {
    (void)from;
    (void)error;
    (void)nothing;
    end_from_any_thread("the channel broke");
}

static gboolean go_on_reading(gpointer nothing) {
    (void)nothing;
    guint64 waiting = 0;
    g_object_get(channel, "buffered-amount", &waiting, NULL);
    if (waiting > buffered_low && !is_ending) return G_SOURCE_CONTINUE;
    is_waiting_for_room = false;
    if (is_ending) return G_SOURCE_REMOVE;
    output_put(json_pack("{s:s}", "type", "low-water"));
    input_pause(false);
    return G_SOURCE_REMOVE;
}

static void check_room(void) {
    guint64 waiting = 0;
    g_object_get(channel, "buffered-amount", &waiting, NULL);
    if (waiting > buffered_max) return channel_end("the peer does not take what is sent");
    if (waiting <= buffered_high || is_waiting_for_room) return;
    is_waiting_for_room = true;
    input_pause(true);
    output_put(json_pack("{s:s, s:I}", "type", "buffered", "bytes", (json_int_t)waiting));
    g_timeout_add(20, go_on_reading, NULL);
}

static const char *send_message(const json_t *line) {
    if (!channel || !g_atomic_int_get(&is_open)) return "nothing can be sent before it is open";
    if (is_ending || g_atomic_int_get(&has_closed)) return NULL;
    bool is_sent;
    if (json_is_true(json_object_get(line, "binary"))) {
        const char *text = json_string_value(json_object_get(line, "data"));
        if (!text) return "data is missing";
        gsize count = 0;
        guchar *bytes = *text ? g_base64_decode(text, &count) : NULL;
        g_autoptr(GBytes) data = g_bytes_new_take(bytes, count);
        if (count > sendable_max) return "data is too large for the peer";
        // SCTP has no empty messages, and GStreamer fails on them.
        if (count == 0) return NULL;
        is_sent = gst_webrtc_data_channel_send_data_full(channel, data, NULL);
    } else {
        json_t *value = json_object_get(line, "text");
        const char *text = json_string_value(value);
        if (!text) return "text is missing";
        if (json_string_length(value) > sendable_max) return "text is too large for the peer";
        if (!*text) return NULL;
        is_sent = gst_webrtc_data_channel_send_string_full(channel, text, NULL);
    }
    if (!is_sent) channel_end("the channel broke");
    else check_room();
    return NULL;
}

// MARK: The connection

static const char relay_mark[] = " typ relay";

static void put_offer(void) {
    if (g_atomic_int_exchange(&has_offered, 1)) return;
    GstWebRTCSessionDescription *own = NULL;
    g_object_get(peer, "local-description", &own, NULL);
    g_autofree char *sdp = own ? gst_sdp_message_as_text(own->sdp) : NULL;
    if (own) gst_webrtc_session_description_free(own);
    if (!sdp) return end_from_any_thread("no offer can be made");
    if (strstr(sdp, relay_mark)) g_atomic_int_set(&has_relay, 1);
    output_put(json_pack("{s:s, s:s}", "type", "offer", "sdp", sdp));
}

static gboolean offer_now(gpointer nothing) {
    (void)nothing;
    put_offer();
    return G_SOURCE_REMOVE;
}

// GStreamer silently skips servers that refuse a password or do not answer.
static gboolean offer_all(gpointer nothing) {
    (void)nothing;
    put_offer();
    if (wants_relay && !g_atomic_int_get(&has_relay))
        output_put(json_pack("{s:s}", "type", "no-relay"));
    return G_SOURCE_REMOVE;
}

static void on_gathered(GstElement *from, GParamSpec *property, gpointer nothing) {
    (void)property;
    (void)nothing;
    GstWebRTCICEGatheringState state;
    g_object_get(from, "ice-gathering-state", &state, NULL);
    if (state == GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE) g_idle_add(offer_all, NULL);
}

static void on_own_candidate(GstElement *from, guint line, char *candidate, gpointer nothing) {
    (void)from;
    (void)nothing;
    if (candidate && strstr(candidate, relay_mark)) g_atomic_int_set(&has_relay, 1);
    // The offer contains the candidates that were found before it.
    if (!g_atomic_int_get(&has_offered) || !candidate || !*candidate) return;
    output_put(json_pack(
        "{s:s, s:s, s:i}", "type", "candidate", "candidate", candidate, "sdpMLineIndex",
        (int)line));
}

static void on_state(GstElement *from, GParamSpec *property, gpointer nothing) {
    (void)property;
    (void)nothing;
    static const char *const names[] = {
        "new", "connecting", "connected", "disconnected", "failed", "closed"};
    GstWebRTCPeerConnectionState state;
    g_object_get(from, "connection-state", &state, NULL);
    if ((size_t)state >= G_N_ELEMENTS(names)) return;
    output_put(json_pack("{s:s, s:s}", "type", "state", "connection", names[state]));
    if (state == GST_WEBRTC_PEER_CONNECTION_STATE_FAILED)
        end_from_any_thread(
            g_atomic_int_get(&is_open) ? "the peer does not answer any more"
            : wants_relay && !g_atomic_int_get(&has_relay)
                ? "no way to the peer was found, and no relay took part: "
                  "are its address and its password right?"
                : "no way to the peer was found");
    if (state == GST_WEBRTC_PEER_CONNECTION_STATE_CLOSED)
        end_from_any_thread("the peer closed the connection");
}

// Returns the offer as text; NULL if it does not offer exactly one channel.
static GstWebRTCSessionDescription *offered(const char *sdp) {
    GstSDPMessage *message = NULL;
    gst_sdp_message_new(&message);
    bool is_read = sdp && *sdp && gst_sdp_message_parse_buffer(
                              (const guint8 *)sdp, (guint)strlen(sdp), message) == GST_SDP_OK;
    if (is_read && gst_sdp_message_medias_len(message) == 1)
        return gst_webrtc_session_description_new(GST_WEBRTC_SDP_TYPE_OFFER, message);
    gst_sdp_message_free(message);
    return NULL;
}

static void on_offer(GstPromise *promise, gpointer nothing) {
    (void)nothing;
    const GstStructure *reply = gst_promise_get_reply(promise);
    GstWebRTCSessionDescription *offer = NULL;
    if (reply) {
        gst_structure_get(
            reply, "offer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &offer, NULL);
    }
    gst_promise_unref(promise);
    g_autofree char *text = offer ? gst_sdp_message_as_text(offer->sdp) : NULL;
    g_autofree char *sdp = text ? sdp_of_offer(text, own_fingerprint) : NULL;
    if (offer) gst_webrtc_session_description_free(offer);
    offer = offered(sdp);
    if (!offer) return end_from_any_thread("no offer can be made");
    g_signal_emit_by_name(peer, "set-local-description", offer, NULL);
    gst_webrtc_session_description_free(offer);
    g_timeout_add(gathering_max, offer_now, NULL);
}

static GstPadProbeReturn on_packet(GstPad *pad, GstPadProbeInfo *info, gpointer nothing) {
    (void)pad;
    (void)nothing;
    GstMapInfo map;
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    const char *problem = "a packet of the peer cannot be looked at";
    bool is_one = GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER;
    if (is_one && buffer && gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        gint stream = -1;
        g_object_get(channel, "id", &stream, NULL);
        problem = pieces_look(map.data, map.size, stream);
        gst_buffer_unmap(buffer, &map);
    }
    if (!problem) return GST_PAD_PROBE_OK;
    end_from_any_thread(problem);
    // The packet is dropped: GStreamer would start a thread for each channel that a peer opens.
    return GST_PAD_PROBE_DROP;
}

static void on_element(GstBin *bin, GstBin *inner, GstElement *element, gpointer certificate) {
    (void)bin;
    (void)inner;
    GstElementFactory *factory = gst_element_get_factory(element);
    if (!factory) return;
    if (strcmp(GST_OBJECT_NAME(factory), "dtlssrtpdec") == 0)
        g_object_set(element, "pem", certificate, NULL);
    if (strcmp(GST_OBJECT_NAME(factory), "dtlsdec") == 0) decoder = element;
    if (strcmp(GST_OBJECT_NAME(factory), "sctpdec") != 0) return;
    GstPad *pad = gst_element_get_static_pad(element, "sink");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_packet, NULL, NULL);
    gst_object_unref(pad);
}

static gboolean on_bus(GstBus *bus, GstMessage *message, gpointer nothing) {
    (void)bus;
    (void)nothing;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) channel_end("the connection broke, or the peer ended it");
    return G_SOURCE_CONTINUE;
}

// MARK: Lines

// Writes a stun: or turn: URI as webrtcbin expects it; NULL for other URIs. `turns:` is refused,
// because libnice accepts it and connects without TLS.
static char *server_url(const char *url, const char *user, const char *password) {
    static const char *const schemes[] = {"stun:", "turn:"};
    static const char *const ports[] = {":3478", ":3478"};
    size_t which = 0;
    while (which < G_N_ELEMENTS(schemes) && !g_str_has_prefix(url, schemes[which])) which++;
    if (which == G_N_ELEMENTS(schemes) || (which > 0 && (!user || !password))) return NULL;
    const char *place = url + strlen(schemes[which]);
    const char *query = strchr(place, '?');
    g_autofree char *host = query ? g_strndup(place, (gsize)(query - place)) : g_strdup(place);
    if (!*host || strpbrk(host, "@/ ")) return NULL;
    const char *end = strrchr(host, ']');
    const char *port = strchr(end ? end : host, ':') ? "" : ports[which];
    if (which == 0) return query ? NULL : g_strdup_printf("stun://%s%s", host, port);
    g_autofree char *name = g_uri_escape_string(user, NULL, FALSE);
    g_autofree char *secret = g_uri_escape_string(password, NULL, FALSE);
    return g_strdup_printf(
        "%.*s//%s:%s@%s%s%s", (int)strlen(schemes[which]), schemes[which], name, secret, host,
        port, query ? query : "");
}

static const char *add_servers(const json_t *servers) {
    if (servers && !json_is_array(servers)) return "ice is no list";
    if (json_array_size(servers) > servers_max) return "there are too many ICE servers";
    for (size_t index = 0; index < json_array_size(servers); index++) {
        const json_t *server = json_array_get(servers, index);
        const char *url = json_string_value(json_object_get(server, "url"));
        g_autofree char *given = NULL;
        if (url) {
            given = server_url(
                url, json_string_value(json_object_get(server, "user")),
                json_string_value(json_object_get(server, "password")));
        }
        if (!given) return "an ICE server is none";
        gboolean is_taken = TRUE;
        if (g_str_has_prefix(given, "stun:")) {
            g_object_set(peer, "stun-server", given, NULL);
        } else {
            wants_relay = true;
            g_signal_emit_by_name(peer, "add-turn-server", given, &is_taken);
        }
        if (!is_taken) return "an ICE server is none";
    }
    return NULL;
}

static const char *set_up_ice(const json_t *addresses) {
    GObject *ice = NULL, *agent = NULL;
    g_object_get(peer, "ice-agent", &ice, NULL);
    if (!ice) return "there is no ICE agent";
    g_object_get(ice, "agent", &agent, NULL);
    if (agent) {
        // Routers are not asked to open ports (UPnP); connection checks notice a silent peer.
        g_object_set(agent, "upnp", FALSE, "ice-tcp", FALSE, "keepalive-conncheck", TRUE, NULL);
        g_object_unref(agent);
    }
    const char *problem = NULL;
    if (addresses && !json_is_array(addresses)) problem = "addresses is no list";
    if (json_array_size(addresses) > addresses_max) problem = "there are too many addresses";
    for (size_t index = 0; !problem && index < json_array_size(addresses); index++) {
        const char *address = json_string_value(json_array_get(addresses, index));
        gboolean is_taken = FALSE;
        if (address) g_signal_emit_by_name(ice, "add-local-ip-address", address, &is_taken);
        if (!is_taken) problem = "an address is none";
    }
    g_object_unref(ice);
    return problem;
}

static const char *start(const json_t *line) {
    if (pipeline) return "it was started before";
    pipeline = gst_pipeline_new(NULL);
    peer = gst_element_factory_make("webrtcbin", NULL);
    if (!peer) return "GStreamer has no webrtcbin";
    char *certificate = certificate_make(&own_fingerprint);
    if (!certificate) return "no certificate can be made";
    g_signal_connect(pipeline, "deep-element-added", G_CALLBACK(on_element), certificate);
    g_object_set(peer, "bundle-policy", GST_WEBRTC_BUNDLE_POLICY_MAX_BUNDLE, NULL);
    gst_bin_add(GST_BIN(pipeline), peer);
    gst_bus_add_watch(gst_element_get_bus(pipeline), on_bus, NULL);
    const char *problem = set_up_ice(json_object_get(line, "addresses"));
    if (!problem) problem = add_servers(json_object_get(line, "ice"));
    if (problem) return problem;
    g_signal_connect(peer, "on-ice-candidate", G_CALLBACK(on_own_candidate), NULL);
    g_signal_connect(peer, "notify::ice-gathering-state", G_CALLBACK(on_gathered), NULL);
    g_signal_connect(peer, "notify::connection-state", G_CALLBACK(on_state), NULL);
    if (gst_element_set_state(pipeline, GST_STATE_READY) == GST_STATE_CHANGE_FAILURE)
        return "GStreamer does not start";
    g_signal_emit_by_name(peer, "create-data-channel", "liquid", NULL, &channel);
    if (!channel) return "there is no data channel";
    pieces_begin();
    g_signal_connect(channel, "on-open", G_CALLBACK(on_open), NULL);
    g_signal_connect(channel, "on-message-string", G_CALLBACK(on_text), NULL);
    g_signal_connect(channel, "on-message-data", G_CALLBACK(on_data), NULL);
    g_signal_connect(channel, "on-close", G_CALLBACK(on_close), NULL);
    g_signal_connect(channel, "on-error", G_CALLBACK(on_error), NULL);
    if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        return "GStreamer does not start";
    // The `on-negotiation-needed` signal can come before the channel exists, so the offer is
    // requested here.
    GstPromise *promise = gst_promise_new_with_change_func(on_offer, NULL, NULL);
    g_signal_emit_by_name(peer, "create-offer", NULL, promise);
    return NULL;
}

static void on_answered(GstPromise *promise, gpointer nothing) {
    (void)nothing;
    const GstStructure *reply = gst_promise_get_reply(promise);
    bool is_refused = gst_promise_wait(promise) != GST_PROMISE_RESULT_REPLIED ||
                      (reply && gst_structure_has_field(reply, "error"));
    gst_promise_unref(promise);
    if (is_refused) end_from_any_thread("the answer of the peer is none to the offer");
}

static const char *take_answer(const json_t *line) {
    const char *text = json_string_value(json_object_get(line, "sdp"));
    if (!text) return "sdp is missing";
    if (!g_atomic_int_get(&has_offered)) return "there is no offer to answer";
    // Only the first answer counts.
    if (has_answer || is_ending) return NULL;
    has_answer = true;
    answer = sdp_read_answer(text);
    GstSDPMessage *copy = NULL;
    if (!answer || gst_sdp_message_copy(answer, &copy) != GST_SDP_OK) {
        channel_end("the answer of the peer is none to the offer");
        return NULL;
    }
    sendable_max = sdp_message_bytes_max(answer);
    GstWebRTCSessionDescription *description =
        gst_webrtc_session_description_new(GST_WEBRTC_SDP_TYPE_ANSWER, copy);
    GstPromise *promise = gst_promise_new_with_change_func(on_answered, NULL, NULL);
    g_signal_emit_by_name(peer, "set-remote-description", description, promise);
    gst_webrtc_session_description_free(description);
    return NULL;
}

static const char *take_candidate(const json_t *line) {
    const char *candidate = json_string_value(json_object_get(line, "candidate"));
    if (!candidate) return "candidate is missing";
    if (!pipeline) return "it is not started";
    if (is_ending || candidate_count++ >= candidates_max) return NULL;
    g_autofree char *plain = candidate_plain(candidate);
    if (plain) g_signal_emit_by_name(peer, "add-ice-candidate", (guint)0, plain);
    return NULL;
}

const char *channel_take(const json_t *line) {
    const char *type = json_string_value(json_object_get(line, "type"));
    if (!type) return "type is missing";
    if (strcmp(type, "start") == 0) return start(line);
    if (strcmp(type, "answer") == 0) return take_answer(line);
    if (strcmp(type, "candidate") == 0) return take_candidate(line);
    if (strcmp(type, "send") == 0) return send_message(line);
    if (strcmp(type, "close") != 0) return "type is none";
    channel_end("it was closed here");
    return NULL;
}
