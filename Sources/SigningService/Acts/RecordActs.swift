// SPDX-License-Identifier: Apache-2.0

extension OwnerActs {
    /// Lists entries of the record: the command whole requests, the operation pages of entries.
    package static let auditList = RoutedAct(
        ActDescription(
            name: "audit list", summary: "list the newest entries",
            arguments: [
                "limit", "before", "since", "until", "client", "key", "amount", "outcome", "text",
            ].map { .init($0, .query) },
            operation: .init(id: "audit", method: "GET", path: "/v1/audit", permission: .owner)))
}
