// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The address of a shared log, with the parts that a home or a program needs to know.
package struct SharedLogAddress: Hashable, Sendable {
    /// The servers and the database, without credentials.
    package let serverText: String
    /// The schema with the tables of the log.
    package let schema: String
    /// True if the owner accepts that the last confirmed batches may be lost with the server.
    package let mayLoseLast: Bool
    /// The files that connections read, and the folders of sockets.
    package let files: [String]
    /// True if a server is reached over a Unix socket.
    package let usesSockets: Bool

    /// Creates an address from its parts.
    package init(
        serverText: String, schema: String, mayLoseLast: Bool, files: [String], usesSockets: Bool
    ) {
        self.serverText = serverText
        self.schema = schema
        self.mayLoseLast = mayLoseLast
        self.files = files
        self.usesSockets = usesSockets
    }
}

/// An error in the address of a shared log, with a hint.
package struct SharedLogAddressError: Error, Hashable, Sendable {
    /// The error in plain words, without any part of the address that could be a credential.
    package let text: String
    /// The form of an address, or the remedy.
    package let hint: String

    /// Creates an error.
    package init(_ text: String, hint: String) {
        self.text = text
        self.hint = hint
    }
}

/// An opener that also makes new logs.
package protocol SharedLogMaker: SharedLogOpener {
    /// Parses an address; errors do not show parts of it that could be credentials.
    func address(_ text: String) throws(SharedLogAddressError) -> SharedLogAddress
    /// Makes an empty log at an address and returns it.
    func make(at address: String) throws(LedgerError) -> any SharedLog
}
