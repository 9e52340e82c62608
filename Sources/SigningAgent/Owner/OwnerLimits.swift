// SPDX-License-Identifier: Apache-2.0

/// The limits of owner sessions.
package struct OwnerLimits: Sendable {
    /// The time after which an unused session ends.
    package var idle = Duration.seconds(15 * 60)
    /// The longest time that a session lasts.
    package var whole = Duration.seconds(8 * 3_600)
    /// The most sessions at one time; a new one replaces the one unused for longest.
    package var sessionsMax = 4

    /// The default limits.
    package init() {}
}
