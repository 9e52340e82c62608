// SPDX-License-Identifier: Apache-2.0

// The options of AddressSanitizer in the programs, which are started without an environment: GLib
// keeps what it made once, and libraries of tests come in before the sanitizer.
const char *__asan_default_options(void);

const char *__asan_default_options(void) { return "detect_leaks=0:verify_asan_link_order=0"; }
