// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libwebsockets keeps its own loop, and all but cws_wake belongs to the thread that runs it. It is
// loaded when a first loop is made, and not before: most runs of the product open no connection.
// Its structures hold bit fields and unions that Swift cannot import, so they stay behind this.

/// What happened on a socket.
typedef enum {
    /// It is open.
    CWS_OPENED,
    /// A piece of a message came in.
    CWS_PIECE,
    /// It takes a message.
    CWS_WRITABLE,
    /// It could not be opened, or has ended; the bytes say why, if anything does.
    CWS_CLOSED,
    /// cws_wake was called; there is no socket.
    CWS_WOKEN,
} cws_event;

/// Is told what happened, on the loop's thread; false closes the socket.
typedef bool (*cws_receiver)(
    void *_Nullable context, uintptr_t socket, cws_event event, const void *_Nullable bytes,
    size_t count, bool is_last);

typedef struct cws_loop cws_loop;

/// Loads the library; false where it is missing. Once, from any thread.
bool cws_is_ready(void);

/// The name of the library's file.
const char *_Nonnull cws_library(void);

/// Makes a loop; nothing where there is no memory, or the library is missing. Certificates are those of
/// the system, or those of a file of PEM alone, where one is named. A server has so many seconds for
/// each step until a socket is open.
cws_loop *_Nullable cws_make(
    void *_Nullable context, cws_receiver _Nonnull receiver, const char *_Nullable certificates,
    unsigned patience);

/// Waits until something happens and tells it; false where the loop cannot go on.
bool cws_run(cws_loop *_Nonnull loop);

/// Makes the loop tell CWS_WOKEN; from any thread.
void cws_wake(cws_loop *_Nonnull loop);

/// Ends all of it.
void cws_free(cws_loop *_Nonnull loop);

/// Begins to open a socket of this number, above 0; false where that fails at once, which may have
/// been told as CWS_CLOSED before. The headers are lines of HTTP with their ends, and are wiped.
bool cws_open(
    cws_loop *_Nonnull loop, uintptr_t socket, const char *_Nonnull host, int port,
    const char *_Nonnull path, const char *_Nonnull shown_host, const char *_Nonnull headers,
    bool is_encrypted);

/// Asks for CWS_WRITABLE; only for a socket that has not closed.
void cws_ask(cws_loop *_Nonnull loop, uintptr_t socket);

/// Sends one message of text, while CWS_WRITABLE is told; false where the socket is to be closed.
bool cws_send(cws_loop *_Nonnull loop, const void *_Nonnull bytes, size_t count);
