// SPDX-License-Identifier: Apache-2.0

/// By what a frame is known to be of a wire before it is decoded.
public struct FrameMarks: Hashable, Sendable {
    /// Schemes of URLs that are its own, in lower case.
    public let schemes: [String]
    /// Sets of members; a JSON object that has all of one set is its own.
    public let members: [[String]]

    /// Names them; a wire without any has to be named by whoever hands over its frames.
    public init(schemes: [String] = [], members: [[String]] = []) {
        self.schemes = schemes
        self.members = members
    }
}
