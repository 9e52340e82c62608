// SPDX-License-Identifier: Apache-2.0

public import SigningCore
internal import SigningFiles

extension OwnerActs {
    /// Lists the limits of the policy in force, with the used amounts.
    public static let limitList = OwnerAct<Void, [LimitRow]>(
        ActDescription(
            name: "policy limits", summary: "show the used and the free part of each limit",
            operation: .init(
                id: "limits", method: "GET", path: "/v1/limits",
                permission: .programs(scope: "limits")),
            inboxKey: "m")
    ) { _, place in
        let policy = try place.home.inForce().policy
        let ledger = try place.ledger()
        return try LimitRow.all(
            of: policy, in: ledger, accounts: try place.home.accounts(),
            at: SystemEnvironment().now())
    }

    /// Lists the public halves of the keys, sorted by name.
    public static let keyList = OwnerAct<Void, [Account]>(
        ActDescription(
            name: "key list", summary: "list the keys",
            operation: .init(
                id: "keys", method: "GET", path: "/v1/keys", permission: .programs(scope: "keys")))
    ) { _, place in try place.home.accounts() }
}
