// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles
internal import SigningStorage

extension OwnerActs {
    /// Lists the connections that have not expired, oldest first.
    package static let connectionList = OwnerAct<Void, [ClientConnection]>(
        ActDescription(
            name: "agent connection list", summary: "list the connected clients",
            operation: .init(
                id: "connections", method: "GET", path: "/v1/connections",
                permission: .ownerAndClient),
            inboxKey: "c")
    ) { _, place in
        let ledger = try place.ledger()
        let now = SystemEnvironment().now()
        return try ledger.allConnections().filter { $0.expires.map { now < $0 } ?? true }
    }

    /// Ends connections by their ids, and revokes what their clients may do with those keys.
    ///
    /// Returns the number of connections that it ended.
    package static let connectionEnd = OwnerAct<[[UInt8]], Int>(
        ActDescription(
            name: "agent connection end", summary: "end connections and revoke their permissions",
            subject: .connection,
            operation: .init(
                id: "endConnection", method: "DELETE", path: "/v1/connections/{id}",
                permission: .ownerAndClient),
            event: .disconnected, inboxKey: "e")
    ) { ids, place in
        let ledger = try place.ledger()
        return try ledger.end(connections: ids, at: SystemEnvironment().now())
    }
}
