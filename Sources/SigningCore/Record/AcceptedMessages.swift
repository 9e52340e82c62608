// SPDX-License-Identifier: Apache-2.0

/// Keeps which signed messages of others were accepted, so that each counts once.
public protocol AcceptedMessages: Sendable {
    /// Accepts a mark; false where it was accepted before.
    func accept(_ mark: [UInt8], at time: Timestamp) throws(LedgerError) -> Bool
}
