// SPDX-License-Identifier: Apache-2.0

/// The marks by which the wire of a frame is recognised if the client does not name the wire.
public struct FrameMarks: Hashable, Sendable {
    /// The URL schemes of the wire, in lower case.
    public let schemes: [String]
    /// Sets of member names; a JSON object that has all members of one set belongs to the wire.
    public let members: [[String]]

    /// Creates marks; without any, clients must name the wire.
    public init(schemes: [String] = [], members: [[String]] = []) {
        self.schemes = schemes
        self.members = members
    }
}
