// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// On which of some networks something could be posted just now.
///
/// Rounds and genesis are what the client brings itself: nothing that is signed comes of it.
public struct AlgorandLookup: LookedUp, Hashable {
    /// The networks that are to have a node.
    public typealias Need = [AlgorandNetwork]
    /// A node that cannot be asked is one less.
    public typealias Failure = Never

    /// Those whose node answers and is on it.
    public let able: [AlgorandNetwork]
    /// Why others are not, for the owner.
    public let problems: [String]

    /// Makes it of both.
    public init(able: [AlgorandNetwork], problems: [String]) {
        self.able = able
        self.problems = problems
    }

    /// Nothing.
    public var digested: [UInt8]? { nil }
}
