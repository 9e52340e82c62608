// SPDX-License-Identifier: Apache-2.0

/// The marks by which a frame is assigned to a wire before it is decoded.
public struct FrameMarks: Hashable, Sendable {
    /// The URL schemes of the wire, in lower case.
    public let schemes: [String]
    /// Sets of member names; a JSON object that has all members of one set belongs to the wire.
    public let members: [[String]]

    /// Makes marks; frames of a wire without marks need the wire's name.
    public init(schemes: [String] = [], members: [[String]] = []) {
        self.schemes = schemes
        self.members = members
    }
}
