// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic: one function for each type of argument.

static inline CURLcode curl_shim_set_number(CURL *_Nonnull handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_text(
    CURL *_Nonnull handle, CURLoption option, const char *_Nonnull value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_url(CURL *_Nonnull handle, CURLU *_Nonnull url) {
    return curl_easy_setopt(handle, CURLOPT_CURLU, url);
}

static inline CURLcode curl_shim_set_headers(
    CURL *_Nonnull handle, const struct curl_slist *_Nullable headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode curl_shim_set_error_text(CURL *_Nonnull handle, char *_Nonnull buffer) {
    return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

static inline CURLcode curl_shim_set_receiver(
    CURL *_Nonnull handle, curl_write_callback _Nonnull body, curl_write_callback _Nonnull header,
    void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    return code;
}

// The bytes are copied; no bytes may have no address, which would mean "read from stdin".
static inline CURLcode curl_shim_set_body(
    CURL *_Nonnull handle, const void *_Nullable bytes, curl_off_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POST, 1L);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    if (code == CURLE_OK) {
        code = curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes ? bytes : "");
    }
    return code;
}

static inline CURLcode curl_shim_get_number(
    CURL *_Nonnull handle, CURLINFO info, long *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

// The text form of the list came with 7.85 and made the bits deprecated.
static inline CURLcode curl_shim_allow_http(CURL *_Nonnull handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}
