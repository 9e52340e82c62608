// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <microhttpd.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Variadic functions, and results in unions, which Swift cannot use.

// Without a thread of the library: its own epoll loop hangs for ever when exactly as many
// descriptors are ready as it requests at a time (0.9.75).
static inline struct MHD_Daemon *microhttpd_shim_start(
    int listener, unsigned int connections_max, MHD_AccessHandlerCallback answer,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notified, void *context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, context,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections_max,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_NOTIFY_CONNECTION, notified,
        context, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

static inline int microhttpd_shim_epoll(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

static inline int microhttpd_shim_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline intptr_t microhttpd_shim_number(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? (intptr_t)info->socket_context : 0;
}

static inline struct MHD_Response *microhttpd_shim_copy(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

// A response of unknown length.
static inline struct MHD_Response *microhttpd_shim_stream(
    MHD_ContentReaderCallback reader, MHD_ContentReaderFreeCallback release, void *context) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, reader, context, release);
}

static inline ssize_t microhttpd_shim_end(void) { return MHD_CONTENT_READER_END_OF_STREAM; }

static inline enum MHD_Result microhttpd_shim_result(int is_good) {
    return is_good ? MHD_YES : MHD_NO;
}

static inline int microhttpd_shim_is_good(enum MHD_Result result) { return result == MHD_YES; }

static inline int microhttpd_shim_is_start(enum MHD_ConnectionNotificationCode code) {
    return code == MHD_CONNECTION_NOTIFY_STARTED;
}

static inline void microhttpd_shim_headers(
    struct MHD_Connection *connection, MHD_KeyValueIterator each, void *context) {
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, each, context);
}

static inline void microhttpd_shim_query(
    struct MHD_Connection *connection, MHD_KeyValueIterator each, void *context) {
    (void)MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, each, context);
}

// Swift cannot import the pointer in the union `epoll_event`; numbers are enough here.

static inline int microhttpd_shim_poller(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int microhttpd_shim_alarm(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Watches a descriptor for data to read.
static inline int microhttpd_shim_watch(int poller, int file, uint64_t number) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = number}};
    return epoll_ctl(poller, EPOLL_CTL_ADD, file, &event);
}

// Reports once that the other end is closed. Over TCP this includes a half-closed peer, because a
// closed page gives no other sign.
static inline int microhttpd_shim_watch_end(int poller, int file, uint64_t number) {
    int domain = AF_UNIX;
    socklen_t size = sizeof domain;
    (void)getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size);
    struct epoll_event event = {.events = EPOLLONESHOT | (domain == AF_UNIX ? 0 : EPOLLRDHUP),
                                .data = {.u64 = number}};
    return epoll_ctl(poller, EPOLL_CTL_ADD, file, &event);
}

static inline void microhttpd_shim_unwatch(int poller, int file) {
    struct epoll_event event = {0};
    (void)epoll_ctl(poller, EPOLL_CTL_DEL, file, &event);
}

#define MICROHTTPD_SHIM_EVENTS_MAX 64

// Writes the numbers of ready descriptors, at most `numbers_max` of them.
static inline int microhttpd_shim_wait(
    int poller, uint64_t *numbers, int numbers_max, int milliseconds) {
    struct epoll_event events[MICROHTTPD_SHIM_EVENTS_MAX];
    int most = numbers_max < MICROHTTPD_SHIM_EVENTS_MAX ? numbers_max : MICROHTTPD_SHIM_EVENTS_MAX;
    int count = epoll_wait(poller, events, most, milliseconds);
    for (int place = 0; place < count; place++) numbers[place] = events[place].data.u64;
    return count;
}

// A descriptor that becomes readable when the process ends; -1 if there is no such process.
static inline int microhttpd_shim_process(int number) {
    return number > 0 ? (int)syscall(SYS_pidfd_open, number, 0) : -1;
}

// Returns such a descriptor for the process that connected. Kernels from 6.5 on return it for the
// socket, so a process that reused the number cannot be meant.
static inline int microhttpd_shim_peer_process(int socket, int number) {
    // The value of SO_PEERPIDFD, which older headers lack.
    const int peer_descriptor = 77;
    int process = -1;
    socklen_t size = sizeof process;
    if (getsockopt(socket, SOL_SOCKET, peer_descriptor, &process, &size) == 0) return process;
    return microhttpd_shim_process(number);
}
