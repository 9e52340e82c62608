// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>
#include <stdbool.h>

// libcurl loads about thirty libraries. Most runs of the product open no connection, so dlopen
// loads it before the first one. These functions replace direct calls. curl_easy_setopt and
// curl_easy_getinfo are variadic: there is one function for each argument type.

/// Loads and initializes the library once, from any thread; false if it is missing.
bool ccurl_is_ready(void);

CURL *_Nullable ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *_Nonnull handle);
CURLcode ccurl_easy_perform(CURL *_Nonnull handle);
const char *_Nonnull ccurl_easy_strerror(CURLcode code);
struct curl_slist *_Nullable ccurl_slist_append(
    struct curl_slist *_Nullable list, const char *_Nonnull text);
void ccurl_slist_free_all(struct curl_slist *_Nullable list);
CURLU *_Nullable ccurl_url(void);
void ccurl_url_cleanup(CURLU *_Nonnull url);
CURLUcode ccurl_url_set(
    CURLU *_Nonnull url, CURLUPart part, const char *_Nonnull text, unsigned int flags);
CURLUcode ccurl_url_get(
    CURLU *_Nonnull url, CURLUPart part, char *_Nullable *_Nonnull text, unsigned int flags);
void ccurl_free(void *_Nonnull text);

CURLcode ccurl_set_number(CURL *_Nonnull handle, CURLoption option, long value);
CURLcode ccurl_set_text(CURL *_Nonnull handle, CURLoption option, const char *_Nonnull value);
CURLcode ccurl_set_url(CURL *_Nonnull handle, CURLU *_Nonnull url);
CURLcode ccurl_set_headers(
    CURL *_Nonnull handle, const struct curl_slist *_Nullable headers);
CURLcode ccurl_set_error_text(CURL *_Nonnull handle, char *_Nonnull buffer);
CURLcode ccurl_set_receiver(
    CURL *_Nonnull handle, curl_write_callback _Nonnull body, curl_write_callback _Nonnull header,
    void *_Nonnull context);

/// Copies the bytes. An empty body may have a null address, which libcurl takes for "read from
/// stdin".
CURLcode ccurl_set_body(CURL *_Nonnull handle, const void *_Nullable bytes, curl_off_t count);
CURLcode ccurl_get_number(CURL *_Nonnull handle, CURLINFO info, long *_Nonnull value);
CURLcode ccurl_allow_http(CURL *_Nonnull handle);
