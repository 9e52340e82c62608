// SPDX-License-Identifier: Apache-2.0

// The options of AddressSanitizer, built in because the programs start without an environment.
// Leaks are not detected, as GLib keeps allocations for ever; libraries of tests load before the
// sanitizer.
const char *__asan_default_options(void);

const char *__asan_default_options(void) { return "detect_leaks=0:verify_asan_link_order=0"; }
