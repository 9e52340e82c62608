// SPDX-License-Identifier: Apache-2.0
#pragma once

// The used part of libzbar.so.0 (zbar.h of 0.23). Debian's package of its headers would install
// ImageMagick with 50 packages.

typedef struct zbar_image_s zbar_image_t;
typedef struct zbar_image_scanner_s zbar_image_scanner_t;
typedef struct zbar_symbol_s zbar_symbol_t;

enum { zbar_any = 0, zbar_qrcode = 64 };
enum {
    zbar_enable = 0,
    // Returns raw bytes, which loads no character tables.
    zbar_binary = 4,
    // Also reads light codes on a dark ground.
    zbar_inverted = 0x81,
};
// Eight bits of grey.
enum { zbar_y800 = 0x30303859 };

zbar_image_scanner_t *zbar_image_scanner_create(void);
int zbar_image_scanner_set_config(zbar_image_scanner_t *scanner, int symbology, int key, int value);
zbar_image_t *zbar_image_create(void);
void zbar_image_set_format(zbar_image_t *image, unsigned long format);
void zbar_image_set_size(zbar_image_t *image, unsigned width, unsigned height);
void zbar_image_set_data(
    zbar_image_t *image, const void *data, unsigned long count, void (*cleanup)(zbar_image_t *));
int zbar_scan_image(zbar_image_scanner_t *scanner, zbar_image_t *image);
const zbar_symbol_t *zbar_image_first_symbol(const zbar_image_t *image);
const zbar_symbol_t *zbar_symbol_next(const zbar_symbol_t *symbol);
const char *zbar_symbol_get_data(const zbar_symbol_t *symbol);
unsigned zbar_symbol_get_data_length(const zbar_symbol_t *symbol);
