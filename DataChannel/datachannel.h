// SPDX-License-Identifier: Apache-2.0
#pragma once

// A WebRTC data channel for another process: lines of JSON on standard input and output, as
// Docs/datachannel-stdio.md has them.

#include <glib.h>
#include <gst/sdp/sdp.h>
#include <jansson.h>
#include <stdbool.h>

enum {
    // The longest line, in bytes: a message of control characters alone, in JSON.
    line_bytes_max = 2 << 20,
    // The longest message in either direction, in bytes.
    message_bytes_max = 256 << 10,
    // What a peer may send that says nothing (RFC 8841, 6.1).
    message_bytes_default = 64 << 10,
    // The longest session description, in bytes.
    sdp_bytes_max = 64 << 10,
    // The longest candidate, in bytes, and how many of them are looked at.
    candidate_bytes_max = 512,
    candidates_max = 256,
    // Servers and addresses in a start.
    servers_max = 8,
    addresses_max = 16,
    // Bytes that wait for the peer: above the first no more lines are read, below the second
    // they are again; nothing is sent above the third.
    buffered_high = 1 << 20,
    buffered_low = 256 << 10,
    buffered_max = 16 << 20,
    // Bytes of lines that wait to be read from standard output.
    unread_bytes_max = 16 << 20,
    // How long the gathering of candidates holds an offer back, in milliseconds.
    gathering_max = 3000,
    // How long the end may take, in milliseconds.
    farewell_max = 1000,
    // How long the last packet has to leave, in milliseconds.
    parting = 100,
    // Limits of the process: threads, bytes of the stack of each, bytes of writable memory, and
    // descriptors. A channel uses about 20 threads and 40 MiB.
    threads_max = 64,
    stack_bytes = 1 << 20,
    memory_bytes_max = 256 << 20,
    descriptors_max = 256,
};

// How the process ends.
enum { exit_done = 0, exit_usage = 64, exit_data = 65, exit_unavailable = 69, exit_software = 70 };

// What binds the process; written to the first line.
struct guard_state {
    // The version of Landlock; 0 where files are not bound.
    int files;
    // Whether system calls are bound, and threads, memory and descriptors.
    bool calls, uses;
};

// Gives up what is not needed, for good. Call it first of all.
struct guard_state guard_enter(void);
// The rest, once all code is loaded: from here on there is no other.
void guard_finish(struct guard_state *state);
// Why the process may not go on; NULL where it may.
const char *guard_problem(struct guard_state state);

// Starts the thread that writes lines.
void output_start(void);
// Queues a line, from any thread, and takes the value; false where too much is unread.
bool output_put(json_t *line);
// Writes the queued lines, as far as they are read, and ends the process.
G_NORETURN void output_finish(int status);

// Called with each line; false ends the process.
typedef bool (*input_handler)(json_t *line);
// Called at the end of standard input (NULL), or with what is wrong with it.
typedef void (*input_end)(const char *problem);
// Reads lines in the main loop.
void input_start(input_handler handler, input_end end);
// Reads no more lines, or does again.
void input_pause(bool is_paused);

// Checks what of GStreamer is needed; a sentence where something is missing, which is freed.
char *channel_load(void);
// Takes one line of the main program; NULL, or what is wrong with it.
const char *channel_take(const json_t *line);
// Begins to end: what is left to do is done, and the process ends.
void channel_end(const char *reason);

// A new key and its certificate as PEM, with the SHA-256 of that as descriptions write it; both
// are freed; NULL where none can be made.
char *certificate_make(char **fingerprint);
// Whether a certificate is the one that an answer names by SHA-256, and no other.
bool certificate_is_named(const char *pem, const GstSDPMessage *answer);

enum piece_state { piece_more, piece_last, piece_broken };
// Forgets all packets: the next one is the first of a connection.
void pieces_begin(void);
// Looks at an SCTP packet of the peer before GStreamer does. `stream` is the channel's, below zero
// where it has none yet. NULL, or why the packet may not go on and the connection ends.
const char *pieces_look(const guint8 *packet, gsize count, int stream);
// What the next piece of so many bytes is; `sum` is what has come of its message before.
enum piece_state pieces_add(gsize *sum, gsize count);

// A candidate written anew from its parts, freed with g_free; NULL unless it is a UDP candidate
// with an address. The process would look up a host name.
char *candidate_plain(const char *candidate);
// Reads the answer to an offer of one data channel, freed with gst_sdp_message_free; NULL for any
// other text. Only needed attributes stay in it, and candidates as `candidate_plain` writes them.
GstSDPMessage *sdp_read_answer(const char *text);
// The values of all `a=fingerprint` of an answer, freed with g_strfreev.
char **sdp_fingerprints(const GstSDPMessage *answer);
// `a=max-message-size` of an answer, within what is read here.
guint64 sdp_message_bytes_max(const GstSDPMessage *answer);
// An offer that says what is read here, which GStreamer leaves out, and names the certificate:
// GStreamer takes the hash of the key along. NULL where it offers no channel.
char *sdp_of_offer(const char *sdp, const char *fingerprint);
