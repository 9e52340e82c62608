// SPDX-License-Identifier: Apache-2.0
// Clients of a signing agent, each with one request at a time on a persistent connection. They run
// in one process that takes little processor time from the agent.
//
// usage: load http|ssh SOCKET CLIENTS SECONDS [FILE]
// FILE holds the request: for http a body in which @NONCE@ is replaced by 32 fresh bytes in base64,
// for ssh a complete message. Prints requests per second, and the median and 99th percentile in
// milliseconds.
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { requestMax = 4096, replyMax = 65536, clientsMax = 1024, nonceText = 44 };

struct client {
    int link;
    size_t held;
    double sent;
    char reply[replyMax];
};

static int isHTTP;
static char request[requestMax];
static size_t requestCount;
static char *nonce;
static double *times;
static size_t timesCount, timesMax;

static void fail(const char *what) {
    fprintf(stderr, "error: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void prepare(const char *path) {
    char body[requestMax / 2];
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    size_t count = fread(body, 1, sizeof body - 1, file);
    fclose(file);
    body[count] = 0;
    if (!isHTTP) {
        memcpy(request, body, requestCount = count);
        return;
    }
    char *mark = strstr(body, "@NONCE@");
    if (!mark) { errno = EINVAL; fail("no @NONCE@ in the body"); }
    *mark = 0;
    requestCount = (size_t)snprintf(
        request, sizeof request,
        "POST /v1/requests HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: %zu\r\n\r\n%s%0*d%s",
        count - 7 + nonceText, body, nonceText, 0, mark + 7);
    nonce = strstr(request, "\r\n\r\n") + 4 + (mark - body);
}

static void freshNonce(void) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[33] = {0};
    if (getrandom(bytes, 32, 0) != 32) fail("getrandom");
    for (int i = 0; i < 11; i++) {
        unsigned part = (unsigned)bytes[3 * i] << 16 | (unsigned)bytes[3 * i + 1] << 8 | bytes[3 * i + 2];
        for (int j = 0; j < 4; j++) nonce[4 * i + j] = digits[part >> (18 - 6 * j) & 63];
    }
    nonce[43] = '=';
}

static void ask(struct client *client) {
    if (isHTTP) freshNonce();
    client->held = 0;
    client->sent = now();
    if (send(client->link, request, requestCount, MSG_NOSIGNAL) != (ssize_t)requestCount)
        fail("send");
}

// True if the answer is complete; an answer without a signature ends the program.
static int isWhole(struct client *client) {
    if (!isHTTP) {
        if (client->held < 5) return 0;
        const unsigned char *head = (const unsigned char *)client->reply;
        size_t count = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        if (client->held < 4 + count) return 0;
        if (head[4] != 14) { errno = EPROTO; fail("ssh-agent did not sign"); }
        return 1;
    }
    client->reply[client->held] = 0;
    const char *end = strstr(client->reply, "\r\n\r\n");
    const char *length = strcasestr(client->reply, "content-length:");
    if (!end || !length) return 0;
    if (client->held < (size_t)(end + 4 - client->reply) + strtoul(length + 15, NULL, 10)) return 0;
    if (!strstr(end, "\"state\":\"done\"")) { errno = EPROTO; fail(end); }
    return 1;
}

static void take(struct client *client, int wanted) {
    ssize_t count = recv(
        client->link, client->reply + client->held, replyMax - 1 - client->held, 0);
    if (count <= 0) fail("the agent hung up");
    client->held += (size_t)count;
    if (!isWhole(client)) return;
    if (timesCount < timesMax) times[timesCount++] = now() - client->sent;
    if (wanted) ask(client);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words) {
    if (count != 6) { fprintf(stderr, "usage: load http|ssh SOCKET CLIENTS SECONDS FILE\n"); return 64; }
    isHTTP = !strcmp(words[1], "http");
    int clientsCount = atoi(words[3]);
    double seconds = atof(words[4]);
    if (clientsCount < 1 || clientsCount > clientsMax) { errno = EINVAL; fail("clients"); }
    prepare(words[5]);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", words[2]);
    struct client *clients = calloc((size_t)clientsCount, sizeof *clients);
    times = malloc((timesMax = 10000000) * sizeof *times);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    if (!clients || !times || poll < 0) fail("no room");
    for (int i = 0; i < clientsCount; i++) {
        clients[i].link = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(clients[i].link, (struct sockaddr *)&address, sizeof address)) fail("connect");
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, clients[i].link, &event)) fail("epoll_ctl");
    }
    double start = now(), time = start;
    for (int i = 0; i < clientsCount; i++) ask(&clients[i]);
    while (time - start < seconds) {
        struct epoll_event events[64];
        int ready = epoll_wait(poll, events, 64, 1000);
        if (ready < 0 && errno != EINTR) fail("epoll_wait");
        time = now();
        for (int i = 0; i < ready; i++) take(events[i].data.ptr, time - start < seconds);
    }
    if (!timesCount) { errno = ETIMEDOUT; fail("no answer"); }
    qsort(times, timesCount, sizeof *times, compare);
    printf("%.1f %.4f %.4f\n", (double)timesCount / (time - start), times[timesCount / 2] * 1e3,
           times[timesCount * 99 / 100] * 1e3);
    return 0;
}
