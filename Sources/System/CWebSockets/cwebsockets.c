// SPDX-License-Identifier: Apache-2.0

#include "cwebsockets.h"

#include "../dlopen_note.h"

#include <dlfcn.h>
#include <libwebsockets.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    __typeof__(&lws_set_log_level) set_log_level;
    __typeof__(&lws_create_context) create_context;
    __typeof__(&lws_context_destroy) context_destroy;
    __typeof__(&lws_context_user) context_user;
    __typeof__(&lws_get_context) get_context;
    __typeof__(&lws_service) service;
    __typeof__(&lws_cancel_service) cancel_service;
    __typeof__(&lws_client_connect_via_info) client_connect_via_info;
    __typeof__(&lws_callback_on_writable) callback_on_writable;
    __typeof__(&lws_write) write;
    __typeof__(&lws_is_final_fragment) is_final_fragment;
    __typeof__(&lws_remaining_packet_payload) remaining_packet_payload;
} lws;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready = false;

// The soname of the ABI that the included header describes; structures differ between versions.
#if LWS_LIBRARY_VERSION_MAJOR == 4 && LWS_LIBRARY_VERSION_MINOR == 1
#define SONAME "libwebsockets.so.17"
#elif LWS_LIBRARY_VERSION_MAJOR == 4 && LWS_LIBRARY_VERSION_MINOR == 3
#define SONAME "libwebsockets.so.19"
#else
#error "the name of this version of libwebsockets is not known"
#endif

// CWS_LINKED: the release contains the library, so that relays need no package.
#ifdef CWS_LINKED
bool cws_is_linked(void) { return true; }
const char *cws_library(void) { return "libwebsockets"; }
#else
DLOPEN_NOTE(SONAME, "relays", "Clients over relays and servers of Liquid Auth", "recommended");
bool cws_is_linked(void) { return false; }
const char *cws_library(void) { return SONAME; }
#endif

static bool load(void) {
#ifdef CWS_LINKED
#define FIND(member) lws.member = lws_##member
#else
    void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
#define FIND(member) \
    if (!(lws.member = (__typeof__(lws.member))dlsym(library, "lws_" #member))) return false
#endif
    FIND(set_log_level);
    FIND(create_context);
    FIND(context_destroy);
    FIND(context_user);
    FIND(get_context);
    FIND(service);
    FIND(cancel_service);
    FIND(client_connect_via_info);
    FIND(callback_on_writable);
    FIND(write);
    FIND(is_final_fragment);
    FIND(remaining_packet_payload);
#undef FIND
    // The library would write its messages to standard error.
    lws.set_log_level(0, NULL);
    return true;
}

static void load_once(void) { is_ready = load(); }

bool cws_is_ready(void) { return pthread_once(&once, load_once) == 0 && is_ready; }

/// A socket that is open or opening; a loop has few of them.
struct cws_socket {
    uintptr_t number;
    struct lws *wsi;
    char *headers;
    struct cws_socket *next;
};

struct cws_loop {
    struct lws_context *context;
    cws_receiver receiver;
    void *receiver_context;
    struct cws_socket *sockets;
    /// The socket for which CWS_WRITABLE is being reported.
    struct lws *writable;
};

/// After 60 seconds of silence, a ping checks that the other side is there; 80 seconds end the
/// socket.
static const lws_retry_bo_t idle = {.secs_since_valid_ping = 60, .secs_since_valid_hangup = 80};

static const char silent[] = "the server does not answer";

static void forget(cws_loop *loop, uintptr_t number) {
    for (struct cws_socket **place = &loop->sockets; *place; place = &(*place)->next) {
        if ((*place)->number != number) continue;
        struct cws_socket *gone = *place;
        *place = gone->next;
        explicit_bzero(gone->headers, strlen(gone->headers));
        free(gone->headers);
        free(gone);
        return;
    }
}

/// True if the library's socket has this number; another socket may have taken the number
/// meanwhile.
static bool belongs(const cws_loop *loop, uintptr_t number, const struct lws *wsi) {
    for (struct cws_socket *open = loop->sockets; open; open = open->next) {
        if (open->number == number) return open->wsi == wsi;
    }
    return false;
}

/// Adds the headers of a socket to its request; false if there is no room.
static bool write_headers(cws_loop *loop, uintptr_t number, unsigned char **place, size_t room) {
    for (struct cws_socket *open = loop->sockets; open; open = open->next) {
        if (open->number != number) continue;
        size_t count = strlen(open->headers);
        if (count >= room) return false;
        memcpy(*place, open->headers, count);
        *place += count;
        return true;
    }
    return false;
}

static int told(
    struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t count) {
    cws_loop *loop = lws.context_user(lws.get_context(wsi));
    uintptr_t number = (uintptr_t)user;
    bool goes_on = true;
#define TELL(event, is_last) \
    loop->receiver(loop->receiver_context, number, event, in, in ? count : 0, is_last)
    switch (reason) {
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        number = 0;
        in = NULL;
        TELL(CWS_WOKEN, true);
        break;
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        goes_on = write_headers(loop, number, in, count);
        break;
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        in = NULL;
        goes_on = TELL(CWS_OPENED, true);
        break;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        goes_on = TELL(
            CWS_PIECE, lws.is_final_fragment(wsi) && lws.remaining_packet_payload(wsi) == 0);
        break;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        in = NULL;
        loop->writable = wsi;
        goes_on = TELL(CWS_WRITABLE, true);
        loop->writable = NULL;
        break;
    case LWS_CALLBACK_CLIENT_CLOSED:
        in = NULL;
        // fall through
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        forget(loop, number);
        TELL(CWS_CLOSED, true);
        break;
    case LWS_CALLBACK_WSI_DESTROY:
        // The library gives no reason when a handshake times out.
        if (!belongs(loop, number, wsi)) break;
        forget(loop, number);
        in = (void *)silent;
        count = sizeof silent - 1;
        TELL(CWS_CLOSED, true);
        break;
    default:
        break;
    }
#undef TELL
    return goes_on ? 0 : -1;
}

static const struct lws_protocols protocols[] = {
    {.name = "countersign", .callback = told, .rx_buffer_size = 64 << 10},
    {.name = NULL},
};

cws_loop *cws_make(
    void *context, cws_receiver receiver, const char *certificates, unsigned patience) {
    if (!cws_is_ready()) return NULL;
    cws_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->receiver = receiver;
    loop->receiver_context = context;
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.protocols = protocols;
    info.gid = -1;
    info.uid = -1;
    info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    if (certificates) {
        info.options |= LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
        info.client_ssl_ca_filepath = certificates;
    }
    info.user = loop;
    info.fd_limit_per_thread = 256;
    info.timeout_secs = patience;
    info.connect_timeout_secs = 10;
    info.retry_and_idle_policy = &idle;
    loop->context = lws.create_context(&info);
    if (loop->context) return loop;
    free(loop);
    return NULL;
}

bool cws_run(cws_loop *loop) { return lws.service(loop->context, 0) >= 0; }
void cws_wake(cws_loop *loop) { lws.cancel_service(loop->context); }

void cws_free(cws_loop *loop) {
    lws.context_destroy(loop->context);
    while (loop->sockets) forget(loop, loop->sockets->number);
    free(loop);
}

bool cws_open(
    cws_loop *loop, uintptr_t number, const char *host, int port, const char *path,
    const char *shown_host, const char *headers, bool is_encrypted) {
    struct cws_socket *socket = calloc(1, sizeof *socket);
    if (!socket) return false;
    socket->headers = strdup(headers);
    if (!socket->headers) {
        free(socket);
        return false;
    }
    socket->number = number;
    socket->next = loop->sockets;
    loop->sockets = socket;
    struct lws_client_connect_info info;
    memset(&info, 0, sizeof info);
    info.context = loop->context;
    info.address = host;
    info.port = port;
    info.path = path;
    info.host = shown_host;
    // Certificates are verified with those of the system, and host names with the certificates.
    // Redirects are not followed: the owner did not name that server.
    info.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT | (is_encrypted ? LCCSCF_USE_SSL : 0);
    info.local_protocol_name = protocols[0].name;
    info.retry_and_idle_policy = &idle;
    info.userdata = (void *)number;
    // The call can report a failure and free the socket before it returns.
    struct lws *wsi = lws.client_connect_via_info(&info);
    for (struct cws_socket *open = loop->sockets; open; open = open->next) {
        if (open->number != number) continue;
        open->wsi = wsi;
        if (!wsi) forget(loop, number);
        return wsi != NULL;
    }
    return false;
}

void cws_ask(cws_loop *loop, uintptr_t number) {
    for (struct cws_socket *open = loop->sockets; open; open = open->next) {
        if (open->number == number && open->wsi) lws.callback_on_writable(open->wsi);
    }
}

bool cws_send(cws_loop *loop, const void *bytes, size_t count) {
    if (!loop->writable) return false;
    unsigned char *room = malloc(LWS_PRE + count);
    if (!room) return false;
    memcpy(room + LWS_PRE, bytes, count);
    int sent = lws.write(loop->writable, room + LWS_PRE, count, LWS_WRITE_TEXT);
    free(room);
    return sent >= (int)count;
}
