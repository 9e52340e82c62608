// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <postgresql/libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

// libpq loads Kerberos and LDAP, and only teams need it. It is therefore loaded before the first
// connection. These functions replace direct calls. They never block; libpq functions that block
// are left out.

/// Loads the library once, from any thread; false if it is missing.
///
/// libpq fills missing settings from environment variables such as PGHOSTADDR and PGSERVICE, and
/// it has no value for "unset". All variables that begin with PG are therefore removed first,
/// except PGPASSFILE.
bool cpq_is_ready(void);

/// Starts a connection with at most 32 settings: a keyword and a value each, all zero-terminated
/// and one after the other. Notices of the server are counted in `notice_count`.
PGconn *_Nullable cpq_connect_start(
    const char *_Nonnull settings, int count, uint32_t *_Nonnull notice_count);
PostgresPollingStatusType cpq_connect_poll(PGconn *_Nonnull connection);
ConnStatusType cpq_status(const PGconn *_Nonnull connection);
int cpq_socket(const PGconn *_Nonnull connection);
const char *_Nonnull cpq_error_message(const PGconn *_Nonnull connection);
const char *_Nullable cpq_parameter_status(
    const PGconn *_Nonnull connection, const char *_Nonnull name);
PGTransactionStatusType cpq_transaction_status(const PGconn *_Nonnull connection);

/// Closes the connection; `abruptly` discards data that was not sent yet.
void cpq_finish(PGconn *_Nonnull connection, bool abruptly);

/// Makes sending and receiving non-blocking, and sends statements before earlier answers arrive.
bool cpq_enter_pipeline(PGconn *_Nonnull connection);

/// Prepares a statement under a name, with the types of its arguments.
bool cpq_prepare(
    PGconn *_Nonnull connection, const char *_Nonnull name, const char *_Nonnull statement,
    int count, const Oid *_Nonnull types);
/// Runs a prepared statement with at most 16 arguments, which follow each other in `bytes`.
/// Arguments and answers are binary.
bool cpq_send(
    PGconn *_Nonnull connection, const char *_Nonnull name, int count,
    const uint8_t *_Nonnull bytes, const int *_Nonnull lengths);
bool cpq_send_end(PGconn *_Nonnull connection);
int cpq_flush(PGconn *_Nonnull connection);
bool cpq_consume_input(PGconn *_Nonnull connection);
bool cpq_is_busy(PGconn *_Nonnull connection);
/// Call it only if `cpq_is_busy` is false: otherwise it blocks.
PGresult *_Nullable cpq_get_result(PGconn *_Nonnull connection);
bool cpq_set_single_row(PGconn *_Nonnull connection);

void cpq_clear(PGresult *_Nonnull result);
ExecStatusType cpq_result_status(const PGresult *_Nonnull result);
/// The SQLSTATE and the primary message of the server; NULL if the error is not the server's.
const char *_Nullable cpq_error_state(const PGresult *_Nonnull result);
const char *_Nullable cpq_error_text(const PGresult *_Nonnull result);
const char *_Nonnull cpq_tag(PGresult *_Nonnull result);
int cpq_row_count(const PGresult *_Nonnull result);
int cpq_column_count(const PGresult *_Nonnull result);
Oid cpq_type(const PGresult *_Nonnull result, int column);
bool cpq_is_binary(const PGresult *_Nonnull result, int column);
bool cpq_is_null(const PGresult *_Nonnull result, int row, int column);
int cpq_length(const PGresult *_Nonnull result, int row, int column);
const char *_Nonnull cpq_value(const PGresult *_Nonnull result, int row, int column);

/// The number of bytes received on a TCP socket; false for other sockets, which the kernel does not
/// count.
bool cpq_bytes_received(int socket, uint64_t *_Nonnull count);
