// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libwebsockets has its own loop. Only the thread that runs it may call these functions, except
// cws_wake. Most runs of the product open no connection, so the first loop loads the library. Swift
// cannot import its bit fields and unions, so they stay behind this header.

/// The events on a socket.
typedef enum {
    /// The socket is open.
    CWS_OPENED,
    /// A part of a message arrived.
    CWS_PIECE,
    /// The socket can take a message.
    CWS_WRITABLE,
    /// The socket could not be opened, or has closed; the bytes give the reason if it is known.
    CWS_CLOSED,
    /// cws_wake was called; there is no socket.
    CWS_WOKEN,
} cws_event;

/// Receives an event, on the loop's thread; returning false closes the socket.
typedef bool (*cws_receiver)(
    void *_Nullable context, uintptr_t socket, cws_event event, const void *_Nullable bytes,
    size_t count, bool is_last);

typedef struct cws_loop cws_loop;

/// Loads the library once, from any thread; false if it is missing.
bool cws_is_ready(void);

/// True if the library is part of this program.
bool cws_is_linked(void);

/// The name of the library: of its file, if that is loaded.
const char *_Nonnull cws_library(void);

/// Makes a loop; NULL if memory runs out or the library is missing. Trusts the certificates of the
/// system, or only those of a PEM file if one is named. A server has this many seconds for each
/// step until a socket is open.
cws_loop *_Nullable cws_make(
    void *_Nullable context, cws_receiver _Nonnull receiver, const char *_Nullable certificates,
    unsigned patience);

/// Waits for an event and reports it; false if the loop cannot continue.
bool cws_run(cws_loop *_Nonnull loop);

/// Makes the loop report CWS_WOKEN; can be called from any thread.
void cws_wake(cws_loop *_Nonnull loop);

/// Closes all sockets and frees the loop.
void cws_free(cws_loop *_Nonnull loop);

/// Starts to open a socket with this number, above 0; false if that fails at once, which may
/// already have been reported as CWS_CLOSED. The headers are HTTP lines with line ends, and are
/// wiped.
bool cws_open(
    cws_loop *_Nonnull loop, uintptr_t socket, const char *_Nonnull host, int port,
    const char *_Nonnull path, const char *_Nonnull shown_host, const char *_Nonnull headers,
    bool is_encrypted);

/// Requests CWS_WRITABLE; call it only for a socket that has not closed.
void cws_ask(cws_loop *_Nonnull loop, uintptr_t socket);

/// Sends one text message, while CWS_WRITABLE is being reported; false if the socket is to be
/// closed.
bool cws_send(cws_loop *_Nonnull loop, const void *_Nonnull bytes, size_t count);
