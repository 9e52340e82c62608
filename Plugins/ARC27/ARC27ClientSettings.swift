// SPDX-License-Identifier: Apache-2.0

public import Algorand

/// The settings of one client that differ from the defaults.
public struct ARC27ClientSettings: Hashable, Sendable {
    /// The form of `result.stxns`; two forms are in use.
    public enum Dialect: String, Hashable, Sendable, CaseIterable {
        /// Whole signed transactions, as ARC-27 specifies.
        case arc27
        /// Bare signatures of 64 bytes, as clients of Liquid Auth expect.
        case signature
    }

    /// The form of `result.stxns`; nil chooses it by the channel.
    ///
    /// A client on a Liquid channel that sends the constant of Liquid Auth as provider gets
    /// signatures. Every other client gets whole transactions.
    public var stxns: Dialect?
    /// The bytes that `sign_message` signs for a text.
    public var messages: AlgorandMessageMode
    /// The names of the only keys whose accounts the client may see and use; nil for all keys.
    public var accounts: [String]?

    /// Creates settings; the default arguments are the default settings.
    public init(
        stxns: Dialect? = nil, messages: AlgorandMessageMode = .mx, accounts: [String]? = nil
    ) {
        self.stxns = stxns
        self.messages = messages
        self.accounts = accounts
    }
}
