// SPDX-License-Identifier: Apache-2.0

public import Algorand

/// How one client is served, where that differs from the usual.
public struct ARC27ClientSettings: Hashable, Sendable {
    /// What stands in `result.stxns`; two forms are in use.
    public enum Dialect: String, Hashable, Sendable, CaseIterable {
        /// Whole signed transactions, as ARC-27 says.
        case arc27
        /// Bare signatures of 64 bytes, as clients of Liquid Auth attach them.
        case signature
    }

    /// Nil: signatures over a Liquid channel to a client that sends the constant of Liquid Auth
    /// as provider, whole transactions everywhere else.
    public var stxns: Dialect?
    /// The text of `sign_message`.
    public var messages: AlgorandMessageMode
    /// The names of the only accounts that the client may see and use; nil for all.
    public var accounts: [String]?

    /// Makes settings; without arguments the usual ones.
    public init(
        stxns: Dialect? = nil, messages: AlgorandMessageMode = .mx, accounts: [String]? = nil
    ) {
        self.stxns = stxns
        self.messages = messages
        self.accounts = accounts
    }
}
