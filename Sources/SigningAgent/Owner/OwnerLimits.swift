// SPDX-License-Identifier: Apache-2.0

/// What bounds owner sessions.
package struct OwnerLimits: Sendable {
    /// How long a session lasts that is not used.
    package var idle = Duration.seconds(15 * 60)
    /// How long it lasts at most.
    package var whole = Duration.seconds(8 * 3_600)
    /// How many there are at one time; the one that rested longest makes room.
    package var sessionsMax = 4

    /// The usual ones.
    package init() {}
}
