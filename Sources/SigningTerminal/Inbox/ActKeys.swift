// SPDX-License-Identifier: Apache-2.0

internal import SigningService

/// The keys of the inbox for acts of the owner; the descriptions of the acts name them.
enum ActKeys {
    /// The key that shows the limits.
    static let limits = OwnerActs.limitList.description.inboxKey
    /// The key that shows the connections.
    static let connections = OwnerActs.connectionList.description.inboxKey
    /// The key that ends the selected connection.
    static let end = OwnerActs.connectionEnd.description.inboxKey

    /// The name of a key in the help of the inbox.
    static func name(_ key: Character?) -> String { key.map { String($0) } ?? "" }
}
