// SPDX-License-Identifier: Apache-2.0

// The macros check arguments at compile time; calls through function pointers do not need that.
#define CURL_DISABLE_TYPECHECK

#include "ccurl.h"

#include "../dlopen_note.h"

#include <dlfcn.h>
#include <pthread.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo

static struct {
    __typeof__(&curl_global_init) global_init;
    __typeof__(&curl_easy_init) easy_init;
    __typeof__(&curl_easy_cleanup) easy_cleanup;
    __typeof__(&curl_easy_perform) easy_perform;
    __typeof__(&curl_easy_strerror) easy_strerror;
    __typeof__(&curl_easy_setopt) easy_setopt;
    __typeof__(&curl_easy_getinfo) easy_getinfo;
    __typeof__(&curl_slist_append) slist_append;
    __typeof__(&curl_slist_free_all) slist_free_all;
    __typeof__(&curl_url) url;
    __typeof__(&curl_url_cleanup) url_cleanup;
    __typeof__(&curl_url_set) url_set;
    __typeof__(&curl_url_get) url_get;
    __typeof__(&curl_free) free;
} curl;

// The soname of the ABI that the included header describes.
#define SONAME "libcurl.so.4"
DLOPEN_NOTE(SONAME, "https", "Requests over HTTPS to nodes and servers", "recommended");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready = false;

static bool load(void) {
    void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
#define FIND(member, name) \
    if (!(curl.member = (__typeof__(curl.member))dlsym(library, #name))) return false
    FIND(global_init, curl_global_init);
    FIND(easy_init, curl_easy_init);
    FIND(easy_cleanup, curl_easy_cleanup);
    FIND(easy_perform, curl_easy_perform);
    FIND(easy_strerror, curl_easy_strerror);
    FIND(easy_setopt, curl_easy_setopt);
    FIND(easy_getinfo, curl_easy_getinfo);
    FIND(slist_append, curl_slist_append);
    FIND(slist_free_all, curl_slist_free_all);
    FIND(url, curl_url);
    FIND(url_cleanup, curl_url_cleanup);
    FIND(url_set, curl_url_set);
    FIND(url_get, curl_url_get);
    FIND(free, curl_free);
#undef FIND
    return curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static void load_once(void) { is_ready = load(); }

bool ccurl_is_ready(void) { return pthread_once(&once, load_once) == 0 && is_ready; }

CURL *ccurl_easy_init(void) { return curl.easy_init(); }
void ccurl_easy_cleanup(CURL *handle) { curl.easy_cleanup(handle); }
CURLcode ccurl_easy_perform(CURL *handle) { return curl.easy_perform(handle); }
const char *ccurl_easy_strerror(CURLcode code) { return curl.easy_strerror(code); }
struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text) {
    return curl.slist_append(list, text);
}
void ccurl_slist_free_all(struct curl_slist *list) { curl.slist_free_all(list); }
CURLU *ccurl_url(void) { return curl.url(); }
void ccurl_url_cleanup(CURLU *url) { curl.url_cleanup(url); }
CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags) {
    return curl.url_set(url, part, text, flags);
}
CURLUcode ccurl_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags) {
    return curl.url_get(url, part, text, flags);
}
void ccurl_free(void *text) { curl.free(text); }

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode ccurl_set_url(CURL *handle, CURLU *url) {
    return curl.easy_setopt(handle, CURLOPT_CURLU, url);
}

CURLcode ccurl_set_headers(CURL *handle, const struct curl_slist *headers) {
    return curl.easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

CURLcode ccurl_set_error_text(CURL *handle, char *buffer) {
    return curl.easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

CURLcode ccurl_set_receiver(
    CURL *handle, curl_write_callback body, curl_write_callback header, void *context) {
    CURLcode code = curl.easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl.easy_setopt(handle, CURLOPT_WRITEDATA, context);
    if (code == CURLE_OK) code = curl.easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    if (code == CURLE_OK) code = curl.easy_setopt(handle, CURLOPT_HEADERDATA, context);
    return code;
}

CURLcode ccurl_set_body(CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode code = curl.easy_setopt(handle, CURLOPT_POST, 1L);
    if (code == CURLE_OK) code = curl.easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    if (code == CURLE_OK) {
        code = curl.easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes ? bytes : "");
    }
    return code;
}

CURLcode ccurl_get_number(CURL *handle, CURLINFO info, long *value) {
    return curl.easy_getinfo(handle, info, value);
}

// libcurl 7.85 added the list as text and deprecated the bits.
CURLcode ccurl_allow_http(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl.easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}
