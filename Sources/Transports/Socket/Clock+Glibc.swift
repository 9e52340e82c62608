// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

extension Timestamp {
    /// The time of day.
    static var now: Timestamp { Timestamp(seconds: Int64(time(nil))) }
}
