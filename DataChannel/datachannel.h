// SPDX-License-Identifier: Apache-2.0
#pragma once

// A WebRTC data channel for another process: lines of JSON on standard input and output, as
// Docs/datachannel-stdio.md describes.

#include <glib.h>
#include <gst/sdp/sdp.h>
#include <jansson.h>
#include <stdbool.h>

enum {
    // The longest line, in bytes: a message of control characters only, escaped in JSON.
    line_bytes_max = 2 << 20,
    // The longest message in either direction, in bytes.
    message_bytes_max = 256 << 10,
    // The limit for messages to a peer that states none, in bytes (RFC 8841, 6.1).
    message_bytes_default = 64 << 10,
    // The longest session description, in bytes.
    sdp_bytes_max = 64 << 10,
    // The longest candidate, in bytes, and the largest number of candidates that are read.
    candidate_bytes_max = 512,
    candidates_max = 256,
    // The largest numbers of servers and addresses in a start line.
    servers_max = 8,
    addresses_max = 16,
    // Bytes that wait to be sent to the peer. Above the first limit no lines are read, below the
    // second they are read again, and above the third the channel sends nothing.
    buffered_high = 1 << 20,
    buffered_low = 256 << 10,
    buffered_max = 16 << 20,
    // Bytes of output lines that the reader of standard output has not read yet.
    unread_bytes_max = 16 << 20,
    // The longest wait for candidates before the offer is written, in milliseconds.
    gathering_max = 3000,
    // The longest time to close the channel, in milliseconds.
    farewell_max = 1000,
    // The time for the last packet to leave, in milliseconds.
    parting = 100,
    // Limits of the process: threads, bytes of the stack of each, bytes of writable memory, and
    // descriptors. A channel uses about 20 threads and 40 MiB.
    threads_max = 64,
    stack_bytes = 1 << 20,
    memory_bytes_max = 256 << 20,
    descriptors_max = 256,
};

// The exit statuses of the process.
enum { exit_done = 0, exit_usage = 64, exit_data = 65, exit_unavailable = 69, exit_software = 70 };

// The restrictions of the process, reported in its first line.
struct guard_state {
    // The Landlock version; 0 if access to files is not restricted.
    int files;
    // True if system calls are restricted; true if threads, memory and descriptors are limited.
    bool calls, uses;
};

// Gives up permissions that are not needed, permanently. Call it before anything else.
struct guard_state guard_enter(void);
// Restricts system calls. Call it once all code is loaded, as no code can be loaded afterwards.
void guard_finish(struct guard_state *state);
// The reason that the process must not continue; NULL if it may.
const char *guard_problem(struct guard_state state);

// Starts the thread that writes lines.
void output_start(void);
// Queues a line, from any thread, and takes ownership of it; false if too many lines are unread.
bool output_put(json_t *line);
// Writes the queued lines, as long as they are read, and ends the process.
G_NORETURN void output_finish(int status);

// Handles one line; returning false stops reading.
typedef bool (*input_handler)(json_t *line);
// Handles the end of standard input (NULL), or an error in it.
typedef void (*input_end)(const char *problem);
// Starts to read lines in the main loop.
void input_start(input_handler handler, input_end end);
// Pauses or resumes reading.
void input_pause(bool is_paused);

// Checks that the needed parts of GStreamer exist; returns NULL, or an error that the caller frees.
char *channel_load(void);
// Handles one line of the main program; returns NULL, or an error.
const char *channel_take(const json_t *line);
// Starts the shutdown: sent data leaves first, then the process ends.
void channel_end(const char *reason);

// Makes a new key and its certificate as PEM, and writes the SHA-256 in the form of descriptions.
// The caller frees both; NULL on failure.
char *certificate_make(char **fingerprint);
// True if the certificate is the one that the answer names by SHA-256.
bool certificate_is_named(const char *pem, const GstSDPMessage *answer);

enum piece_state { piece_more, piece_last, piece_broken };
// Forgets all packets: the next packet is the first of a connection.
void pieces_begin(void);
// Checks an SCTP packet of the peer before GStreamer reads it. `stream` is the stream of the
// channel, below zero if there is none yet. Returns NULL, or the reason to drop the packet and end
// the connection.
const char *pieces_look(const guint8 *packet, gsize count, int stream);
// Classifies the next piece of `count` bytes; `sum` holds the bytes of its message so far.
enum piece_state pieces_add(gsize *sum, gsize count);

// Writes a candidate anew from its parts; free it with g_free. NULL unless it is a UDP candidate
// with an IP address: libnice would look up a host name.
char *candidate_plain(const char *candidate);
// Reads the answer to an offer of one data channel; free it with gst_sdp_message_free. NULL for any
// other text. Keeps only needed attributes, and candidates as `candidate_plain` writes them.
GstSDPMessage *sdp_read_answer(const char *text);
// The values of all `a=fingerprint` of an answer; free them with g_strfreev.
char **sdp_fingerprints(const GstSDPMessage *answer);
// The `a=max-message-size` of an answer, limited to `message_bytes_max`.
guint64 sdp_message_bytes_max(const GstSDPMessage *answer);
// Adds the largest message size to an offer, which GStreamer omits, and names our certificate.
// GStreamer includes the hash of its own key. NULL if the text offers no channel.
char *sdp_of_offer(const char *sdp, const char *fingerprint);
