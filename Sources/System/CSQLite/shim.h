// SPDX-License-Identifier: Apache-2.0
#pragma once

// Debian builds the library with both features; the header hides their functions by default.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

// Swift cannot import the cast SQLITE_TRANSIENT. An empty text may have a null address.
static inline int sqlite3_shim_bind_text(
    sqlite3_stmt *statement, int position, const void *_Nullable bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(
        statement, position, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT,
        SQLITE_UTF8);
}

// Binds bytes; with a null address sqlite3_bind_blob would bind NULL instead of zero bytes.
static inline int sqlite3_shim_bind_blob(
    sqlite3_stmt *statement, int position, const void *_Nullable bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, position, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic.
static inline int sqlite3_shim_set_option(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

static inline void sqlite3_shim_get_option(
    sqlite3 *database, int option, int *_Nonnull value) {
    sqlite3_db_config(database, option, -1, value);
}

// sqlite3_config is variadic as well. Call it before the first use of the library.
static inline int sqlite3_shim_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// Swift does not import this expression. It means that the file was deleted or replaced.
static const int sqlite3_shim_file_moved = SQLITE_READONLY_DBMOVED;

// Reads the 48-byte header of the mapped WAL index, which changes with every commit of any process
// (walformat, "WAL-Index Header"); 0 if there is no index or a writer is changing it. Takes no
// lock: a later read may be newer, never older.
static inline int sqlite3_shim_wal_header(sqlite3 *database, sqlite3_uint64 header[_Nonnull 6]) {
    sqlite3_file *file = 0;
    void volatile *index = 0;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        !file || !file->pMethods || file->pMethods->iVersion < 2 ||
        file->pMethods->xShmMap(file, 0, 32768, 0, &index) != SQLITE_OK || !index)
        return 0;
    // The header has two copies; a writer writes the second copy first.
    const sqlite3_uint64 volatile *copies = (const sqlite3_uint64 volatile *)index;
    for (int place = 0; place < 6; place++) header[place] = copies[place];
    __sync_synchronize();
    for (int place = 0; place < 6; place++)
        if (header[place] != copies[6 + place]) return 0;
    return 1;
}

// Opens a copy of a database file's bytes, which SQLite frees, as the main database.
static inline int sqlite3_shim_read_image(
    sqlite3 *database, const void *_Nullable bytes, sqlite3_int64 count) {
    unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)count + 1);
    if (!copy) return SQLITE_NOMEM;
    if (count > 0) __builtin_memcpy(copy, bytes, (unsigned long)count);
    return sqlite3_deserialize(
        database, "main", copy, count, count,
        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
}
