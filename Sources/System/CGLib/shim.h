// SPDX-License-Identifier: Apache-2.0
#pragma once
// Debian: libglib2.0-dev, 2.68 or later (g_time_zone_new_identifier)
#include <glib.h>
