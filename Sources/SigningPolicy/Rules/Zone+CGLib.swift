// SPDX-License-Identifier: Apache-2.0
import CGLib
package import SigningCore

/// A time zone of the IANA database, such as `Europe/Berlin`, as the system has it.
///
/// SAFETY: a GTimeZone never changes once it is made, and its reference count is atomic.
@safe package final class Zone: Hashable, @unchecked Sendable {
    /// The longest name, in bytes.
    static let nameMax = 64

    package let name: String
    private let zone: OpaquePointer

    /// Finds a zone by name; nil if the system does not know it.
    init?(named name: String) {
        // A name becomes a path below the system's database.
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isNameByte) }
        guard isName, name.utf8.count <= Self.nameMax, name.utf8.contains(where: Self.isLetter),
            let found = unsafe g_time_zone_new_identifier(name)
        else { return nil }
        self.name = name
        unsafe zone = found
    }

    deinit { unsafe g_time_zone_unref(zone) }

    /// The seconds by which the zone is ahead of UTC.
    package func offset(at time: Timestamp) -> Int64 {
        let interval = unsafe g_time_zone_find_interval(
            zone, G_TIME_TYPE_UNIVERSAL, gint64(time.seconds))
        return Int64(unsafe g_time_zone_get_offset(zone, interval))
    }

    package static func == (left: Zone, right: Zone) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { name.hash(into: &hasher) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || "_+-".utf8.contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
