// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <postgresql/libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

// libpq brings Kerberos and LDAP with it, and only teams need it: it is loaded when the first
// connection is opened, and not before. These stand for its own functions. Nothing here waits:
// what would is left out.

/// Loads the library; false where it is missing. Once, from any thread.
///
/// It takes what is not said from variables of the environment, PGHOSTADDR and PGSERVICE among
/// them, and there is no word for "nothing": all that begin with PG are taken away before, but
/// PGPASSFILE.
bool cpq_is_ready(void);

/// At most 32 settings, each a keyword and a value that end with a zero byte, behind each other.
/// What the server tells besides answers is counted.
PGconn *_Nullable cpq_connect_start(
    const char *_Nonnull settings, int count, uint32_t *_Nonnull notice_count);
PostgresPollingStatusType cpq_connect_poll(PGconn *_Nonnull connection);
ConnStatusType cpq_status(const PGconn *_Nonnull connection);
int cpq_socket(const PGconn *_Nonnull connection);
const char *_Nonnull cpq_error_message(const PGconn *_Nonnull connection);
const char *_Nullable cpq_parameter_status(
    const PGconn *_Nonnull connection, const char *_Nonnull name);
PGTransactionStatusType cpq_transaction_status(const PGconn *_Nonnull connection);

/// Closes it; with `abruptly` nothing is sent that was not sent yet.
void cpq_finish(PGconn *_Nonnull connection, bool abruptly);

/// Neither sending nor receiving waits from now on, and statements are sent without waiting for
/// the answers of others.
bool cpq_enter_pipeline(PGconn *_Nonnull connection);

/// Prepares a statement under a name; its arguments have these types.
bool cpq_prepare(
    PGconn *_Nonnull connection, const char *_Nonnull name, const char *_Nonnull statement,
    int count, const Oid *_Nonnull types);
/// Runs one that was prepared with at most 16 arguments, which stand behind each other in `bytes`;
/// arguments and answers are binary.
bool cpq_send(
    PGconn *_Nonnull connection, const char *_Nonnull name, int count,
    const uint8_t *_Nonnull bytes, const int *_Nonnull lengths);
bool cpq_send_end(PGconn *_Nonnull connection);
int cpq_flush(PGconn *_Nonnull connection);
bool cpq_consume_input(PGconn *_Nonnull connection);
bool cpq_is_busy(PGconn *_Nonnull connection);
/// Only where it is not busy: else it waits.
PGresult *_Nullable cpq_get_result(PGconn *_Nonnull connection);
bool cpq_set_single_row(PGconn *_Nonnull connection);

void cpq_clear(PGresult *_Nonnull result);
ExecStatusType cpq_result_status(const PGresult *_Nonnull result);
/// The SQLSTATE, and the first of the server's words; none where they are not the server's.
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

/// The number of bytes received on a TCP socket; false for other sockets, where the kernel does not count.
bool cpq_bytes_received(int socket, uint64_t *_Nonnull count);
