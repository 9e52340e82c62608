// SPDX-License-Identifier: Apache-2.0

#include "cpq.h"

#include "../dlopen_note.h"

#include <dlfcn.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static struct {
    __typeof__(&PQconnectStartParams) connectStartParams;
    __typeof__(&PQconnectPoll) connectPoll;
    __typeof__(&PQstatus) status;
    __typeof__(&PQsocket) socket;
    __typeof__(&PQerrorMessage) errorMessage;
    __typeof__(&PQparameterStatus) parameterStatus;
    __typeof__(&PQtransactionStatus) transactionStatus;
    __typeof__(&PQfinish) finish;
    __typeof__(&PQsetNoticeReceiver) setNoticeReceiver;
    __typeof__(&PQsetnonblocking) setnonblocking;
    __typeof__(&PQenterPipelineMode) enterPipelineMode;
    __typeof__(&PQsendPrepare) sendPrepare;
    __typeof__(&PQsendQueryPrepared) sendQueryPrepared;
    __typeof__(&PQpipelineSync) pipelineSync;
    __typeof__(&PQflush) flush;
    __typeof__(&PQconsumeInput) consumeInput;
    __typeof__(&PQisBusy) isBusy;
    __typeof__(&PQgetResult) getResult;
    __typeof__(&PQsetSingleRowMode) setSingleRowMode;
    __typeof__(&PQclear) clear;
    __typeof__(&PQresultStatus) resultStatus;
    __typeof__(&PQresultErrorField) resultErrorField;
    __typeof__(&PQcmdStatus) cmdStatus;
    __typeof__(&PQntuples) ntuples;
    __typeof__(&PQnfields) nfields;
    __typeof__(&PQftype) ftype;
    __typeof__(&PQfformat) fformat;
    __typeof__(&PQgetisnull) getisnull;
    __typeof__(&PQgetlength) getlength;
    __typeof__(&PQgetvalue) getvalue;
} pq;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready = false;

extern char **environ;

static void forget_settings(void) {
    char **place = environ;
    while (place && *place) {
        const char *end = strchr(*place, '=');
        size_t count = end ? (size_t)(end - *place) : 0;
        char name[64];
        bool is_ours = count > 2 && count < sizeof name && strncmp(*place, "PG", 2) == 0;
        if (is_ours) {
            memcpy(name, *place, count);
            name[count] = 0;
            is_ours = strcmp(name, "PGPASSFILE") != 0;
        }
        // The following entries move up to the same place.
        if (is_ours && unsetenv(name) == 0) continue;
        place++;
    }
}

// The soname of the ABI that the included header describes.
#define SONAME "libpq.so.5"
DLOPEN_NOTE(SONAME, "teams", "Hubs of a team, which share PostgreSQL", "suggested");

static bool load(void) {
    forget_settings();
    void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
#define FIND(member) \
    if (!(pq.member = (__typeof__(pq.member))dlsym(library, "PQ" #member))) return false
    FIND(connectStartParams);
    FIND(connectPoll);
    FIND(status);
    FIND(socket);
    FIND(errorMessage);
    FIND(parameterStatus);
    FIND(transactionStatus);
    FIND(finish);
    FIND(setNoticeReceiver);
    FIND(setnonblocking);
    FIND(enterPipelineMode);
    FIND(sendPrepare);
    FIND(sendQueryPrepared);
    FIND(pipelineSync);
    FIND(flush);
    FIND(consumeInput);
    FIND(isBusy);
    FIND(getResult);
    FIND(setSingleRowMode);
    FIND(clear);
    FIND(resultStatus);
    FIND(resultErrorField);
    FIND(cmdStatus);
    FIND(ntuples);
    FIND(nfields);
    FIND(ftype);
    FIND(fformat);
    FIND(getisnull);
    FIND(getlength);
    FIND(getvalue);
#undef FIND
    return true;
}

static void load_once(void) { is_ready = load(); }

bool cpq_is_ready(void) { return pthread_once(&once, load_once) == 0 && is_ready; }

// Counts notices; libpq prints them to standard error by default. DEBUG and LOG notices do not
// count: a server can send them to a user at the start of a transaction, and they report nothing
// about the statement.
static void count_notice(void *context, const PGresult *result) {
    const char *severity = pq.resultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity && (!strcmp(severity, "DEBUG") || !strcmp(severity, "LOG"))) return;
    uint32_t *count = context;
    if (*count < UINT32_MAX) (*count)++;
}

PGconn *cpq_connect_start(const char *settings, int count, uint32_t *notice_count) {
    enum { count_max = 32 };
    if (count < 0 || count > count_max) return NULL;
    const char *keywords[count_max + 1] = {NULL};
    const char *values[count_max + 1] = {NULL};
    for (int index = 0; index < count; index++) {
        keywords[index] = settings;
        values[index] = settings + strlen(settings) + 1;
        settings = values[index] + strlen(values[index]) + 1;
    }
    // The last 0 turns off expansion: a database name is not parsed as a connection string.
    PGconn *connection = pq.connectStartParams(keywords, values, 0);
    if (connection) pq.setNoticeReceiver(connection, count_notice, notice_count);
    return connection;
}

PostgresPollingStatusType cpq_connect_poll(PGconn *connection) {
    return pq.connectPoll(connection);
}
ConnStatusType cpq_status(const PGconn *connection) { return pq.status(connection); }
int cpq_socket(const PGconn *connection) { return pq.socket(connection); }
const char *cpq_error_message(const PGconn *connection) { return pq.errorMessage(connection); }
const char *cpq_parameter_status(const PGconn *connection, const char *name) {
    return pq.parameterStatus(connection, name);
}
PGTransactionStatusType cpq_transaction_status(const PGconn *connection) {
    return pq.transactionStatus(connection);
}

void cpq_finish(PGconn *connection, bool abruptly) {
    // Without the shutdown, `finish` sends the buffered data and a Terminate message.
    int socket = pq.socket(connection);
    if (abruptly && socket >= 0) shutdown(socket, SHUT_RDWR);
    pq.finish(connection);
}

bool cpq_enter_pipeline(PGconn *connection) {
    return pq.setnonblocking(connection, 1) == 0 && pq.enterPipelineMode(connection) == 1;
}

bool cpq_prepare(
    PGconn *connection, const char *name, const char *statement, int count, const Oid *types) {
    return pq.sendPrepare(connection, name, statement, count, types) == 1;
}

bool cpq_send(
    PGconn *connection, const char *name, int count, const uint8_t *bytes, const int *lengths) {
    enum { count_max = 16 };
    if (count < 0 || count > count_max) return false;
    const char *values[count_max];
    int formats[count_max];
    for (int index = 0; index < count; index++) {
        values[index] = (const char *)bytes;
        formats[index] = 1;
        bytes += lengths[index];
    }
    return pq.sendQueryPrepared(connection, name, count, values, lengths, formats, 1) == 1;
}

bool cpq_send_end(PGconn *connection) { return pq.pipelineSync(connection) == 1; }
int cpq_flush(PGconn *connection) { return pq.flush(connection); }
bool cpq_consume_input(PGconn *connection) { return pq.consumeInput(connection) == 1; }
bool cpq_is_busy(PGconn *connection) { return pq.isBusy(connection) != 0; }
PGresult *cpq_get_result(PGconn *connection) { return pq.getResult(connection); }
bool cpq_set_single_row(PGconn *connection) { return pq.setSingleRowMode(connection) == 1; }

void cpq_clear(PGresult *result) { pq.clear(result); }
ExecStatusType cpq_result_status(const PGresult *result) { return pq.resultStatus(result); }
const char *cpq_error_state(const PGresult *result) {
    return pq.resultErrorField(result, PG_DIAG_SQLSTATE);
}
const char *cpq_error_text(const PGresult *result) {
    return pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}
const char *cpq_tag(PGresult *result) { return pq.cmdStatus(result); }
int cpq_row_count(const PGresult *result) { return pq.ntuples(result); }
int cpq_column_count(const PGresult *result) { return pq.nfields(result); }
Oid cpq_type(const PGresult *result, int column) { return pq.ftype(result, column); }
bool cpq_is_binary(const PGresult *result, int column) { return pq.fformat(result, column) == 1; }
bool cpq_is_null(const PGresult *result, int row, int column) {
    return pq.getisnull(result, row, column) != 0;
}
int cpq_length(const PGresult *result, int row, int column) {
    return pq.getlength(result, row, column);
}
const char *cpq_value(const PGresult *result, int row, int column) {
    return pq.getvalue(result, row, column);
}

bool cpq_bytes_received(int socket, uint64_t *count) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
    if (length < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof(uint64_t)) return false;
    *count = info.tcpi_bytes_received;
    return true;
}
