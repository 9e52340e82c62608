// SPDX-License-Identifier: Apache-2.0

// countersign-qr: prints the text of the one QR code in a PNG picture, for a program that must not
// parse pictures itself (Docs/Liquid.md).

#define _GNU_SOURCE
#include "csandbox.h"
#include "zbar.h"

#include <errno.h>
#include <png.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    // The longest file, in bytes, and the largest picture, in pixels.
    file_bytes_max = 16 << 20,
    pixels_max = 16 << 20,
    // Limits of the process: bytes of memory, and seconds of processor time. SIGXCPU ends the
    // process at the first of these, which PictureProgram.swift recognizes; SIGKILL ends it at the
    // second.
    memory_bytes_max = 256 << 20,
    seconds_max = 5,
    seconds_in_any_case = 6,
};

// The exit statuses of the process, which PictureProgram.swift reads.
enum {
    exit_done = 0,
    exit_no_code = 1,
    exit_several = 2,
    exit_too_large = 3,
    exit_usage = 64,
    exit_data = 65,
    exit_unavailable = 69,
    exit_software = 70,
};

static const char usage[] =
    "usage: countersign-qr [--check] < PICTURE\n"
    "\n"
    "Writes the text of the one QR code in a PNG picture, as it stands. \"countersign liquid\n"
    "connect PICTURE\" starts it.\n"
    "\n"
    "  --check  say whether it can work here, and end\n"
    "\n"
    "example: countersign-qr < code.png\n";

_Noreturn static void fail(int status, const char *problem) {
    fprintf(stderr, "error: %s\n", problem);
    exit(status);
}

static void limit(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit both = {soft, hard};
    if (setrlimit(resource, &both) != 0) fail(exit_unavailable, "the process cannot be limited");
}

// Gives up all access except the three standard descriptors before it reads a byte.
static void enter_sandbox(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    clearenv();
    int version = csandbox_landlock_version();
    int rules = version > 0 ? csandbox_rules_begin(version, false, false) : -1;
    csandbox_forbid_new_privileges();
    // The system calls that remain could open, move and remove files.
    if (rules < 0 || csandbox_rules_apply(rules) != 0)
        fail(exit_unavailable, "the kernel has no Landlock, which pictures are read behind");
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    limit(RLIMIT_NOFILE, STDERR_FILENO + 1, STDERR_FILENO + 1);
    limit(RLIMIT_CORE, 0, 0);
#ifndef __SANITIZE_ADDRESS__
    // Sanitizers need far more memory than this limit.
    limit(RLIMIT_AS, memory_bytes_max, memory_bytes_max);
#endif
    signal(SIGXCPU, SIG_DFL);
    limit(RLIMIT_CPU, seconds_max, seconds_in_any_case);
    if (csandbox_filter_calls(csandbox_computes, true) != 0)
        fail(exit_unavailable, "the kernel has no seccomp, which pictures are read behind");
}

static unsigned char *read_file(size_t *count) {
    unsigned char *bytes = malloc(file_bytes_max + 1);
    if (!bytes) fail(exit_software, "there is no memory");
    for (*count = 0; *count <= file_bytes_max;) {
        ssize_t part = read(STDIN_FILENO, bytes + *count, file_bytes_max + 1 - *count);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) fail(exit_data, "the picture cannot be read");
        if (part == 0) return bytes;
        *count += (size_t)part;
    }
    fail(exit_too_large, "the picture has too many bytes");
}

// The picture in grey, one byte for each pixel.
static unsigned char *read_picture(png_image *picture) {
    size_t count = 0;
    unsigned char *file = read_file(&count);
    *picture = (png_image){.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(picture, file, count))
        fail(exit_data, "it is no PNG picture that can be read");
    if (!picture->width || !picture->height || picture->width > pixels_max / picture->height)
        fail(exit_too_large, "the picture has too many pixels");
    picture->format = PNG_FORMAT_GRAY;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(*picture));
    if (!pixels) fail(exit_software, "there is no memory");
    // Transparent pixels count as white.
    const png_color white = {255, 255, 255};
    if (!png_image_finish_read(picture, &white, pixels, 0, NULL))
        fail(exit_data, "it is no PNG picture that can be read");
    free(file);
    return pixels;
}

// Returns the one symbol; several symbols with the same text count as one.
static const zbar_symbol_t *only_symbol(const zbar_image_t *image) {
    const zbar_symbol_t *first = zbar_image_first_symbol(image);
    if (!first) fail(exit_no_code, "there is no QR code in the picture");
    unsigned count = zbar_symbol_get_data_length(first);
    for (const zbar_symbol_t *other = first; (other = zbar_symbol_next(other));) {
        bool is_same = zbar_symbol_get_data_length(other) == count
            && memcmp(zbar_symbol_get_data(other), zbar_symbol_get_data(first), count) == 0;
        if (!is_same) fail(exit_several, "there are several QR codes in the picture");
    }
    return first;
}

static zbar_image_scanner_t *new_scanner(void) {
    zbar_image_scanner_t *scanner = zbar_image_scanner_create();
    if (!scanner || zbar_image_scanner_set_config(scanner, zbar_any, zbar_enable, 0)
        || zbar_image_scanner_set_config(scanner, zbar_qrcode, zbar_enable, 1)
        || zbar_image_scanner_set_config(scanner, zbar_qrcode, zbar_binary, 1)
        || zbar_image_scanner_set_config(scanner, zbar_any, zbar_inverted, 1))
        fail(exit_unavailable, "libzbar cannot be set up");
    return scanner;
}

int main(int count, char **words) {
    bool checks = count == 2 && strcmp(words[1], "--check") == 0;
    if (count == 2 && strcmp(words[1], "--help") == 0) {
        fputs(usage, stdout);
        return exit_done;
    }
    if (count > 1 && !checks) {
        fputs("error: unknown arguments\nhint: see \"countersign-qr --help\"\n", stderr);
        return exit_usage;
    }
    enter_sandbox();
    zbar_image_scanner_t *scanner = new_scanner();
    if (checks) {
        puts("ready");
        return exit_done;
    }
    png_image picture;
    unsigned char *pixels = read_picture(&picture);
    zbar_image_t *image = zbar_image_create();
    if (!image) fail(exit_software, "there is no memory");
    zbar_image_set_format(image, zbar_y800);
    zbar_image_set_size(image, picture.width, picture.height);
    zbar_image_set_data(image, pixels, PNG_IMAGE_SIZE(picture), NULL);
    if (zbar_scan_image(scanner, image) < 0) fail(exit_software, "the picture cannot be looked at");
    const zbar_symbol_t *symbol = only_symbol(image);
    size_t length = zbar_symbol_get_data_length(symbol);
    bool is_out = fwrite(zbar_symbol_get_data(symbol), 1, length, stdout) == length
        && fflush(stdout) == 0;
    return is_out ? exit_done : exit_software;
}
