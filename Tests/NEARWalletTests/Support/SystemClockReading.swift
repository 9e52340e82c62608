// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningStorage

enum SystemClockReading {
    static func seconds() -> Int64 { SystemEnvironment().now().seconds }
}
