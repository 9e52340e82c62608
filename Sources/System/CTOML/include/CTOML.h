// SPDX-License-Identifier: Apache-2.0

// A TOML 1.0 document as a flat list, for languages that cannot call toml++ directly.
// No C++ exception leaves these functions.

#ifndef CTOML_H
#define CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ctoml_document ctoml_document;

enum ctoml_kind {
    CTOML_TABLE = 0,
    CTOML_ARRAY = 1,
    CTOML_STRING = 2,
    CTOML_INTEGER = 3,
    CTOML_BOOLEAN = 4,
    CTOML_TIME = 5,            // with offset, whole seconds
    CTOML_FRACTIONAL_TIME = 6, // with offset and a fraction of a second
    CTOML_LOCAL_TIME = 7,      // any date or time without offset
    CTOML_FLOAT = 8
};

// Bytes without a terminating zero; they live as long as their document.
typedef struct {
    const uint8_t *_Nullable bytes;
    size_t count;
} ctoml_text;

typedef struct {
    int64_t parent;  // index in the list, always smaller than the node's own index; -1 for the root
    int32_t kind;    // enum ctoml_kind
    ctoml_text key;  // empty for the root and inside arrays
    ctoml_text text; // the value of a string
    int64_t integer; // integers, booleans as 0 and 1, seconds since 1970 for CTOML_TIME
    uint32_t key_line, key_column; // from 1; those of the value if there is no key
    uint32_t line, column;         // from 1; the column in code points
} ctoml_node;

typedef struct {
    ctoml_text message;
    uint32_t line, column;
} ctoml_failure;

// Returns NULL only if memory runs out. The bytes are not needed after the call.
ctoml_document *_Nullable ctoml_parse(const uint8_t *_Nullable bytes, size_t count);

// True if the bytes are invalid TOML; `failure` then says where and why.
bool ctoml_failed(const ctoml_document *_Nonnull document, ctoml_failure *_Nonnull failure);

// The number of nodes; 0 if parsing failed.
size_t ctoml_count(const ctoml_document *_Nonnull document);

// The node at an index, which must be below the count.
ctoml_node ctoml_at(const ctoml_document *_Nonnull document, size_t index);

void ctoml_free(ctoml_document *_Nullable document);

#ifdef __cplusplus
}
#endif

#endif
