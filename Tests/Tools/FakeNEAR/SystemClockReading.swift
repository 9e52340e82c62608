// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningFiles

package enum SystemClockReading {
    package static func seconds() -> Int64 { SystemEnvironment().now().seconds }
}
