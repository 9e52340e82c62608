// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningService
package import SigningVault

/// The Nostr keys that certain clients may use, as the vault stores them.
package struct NostrClients: Sendable {
    /// The name of the vault's setting.
    package static let setting = "nostr.clients"

    /// The names of keys by the client's name in its normal form.
    package var names: [String: [String]]

    /// Reads them from a vault.
    package init(in vault: Vault) throws {
        try self.init(
            try vault.setting(Self.setting))
    }

    /// Reads them from the text of the setting, nil for none; keys that cannot be read become an
    /// empty list.
    init(_ text: String?) throws(ServiceError) {
        let bytes = Array((text ?? "{}").utf8)
        guard let members = (try? JSON.parse(bytes.span))?.object?.members else {
            throw ServiceError(
                "the settings of Nostr clients cannot be read",
                hint: "countersign repair vault")
        }
        names = Dictionary(
            members.map { member in
                let accounts = member.value["accounts"]?.list ?? []
                return (ClientIdentity(claim: member.name).id, accounts.compactMap(\.text))
            }, uniquingKeysWith: { $1 })
    }

    /// Returns the form for programs, for one client or for all.
    package func json(of client: String? = nil) -> JSON {
        let rows = names.filter { client == nil || $0.key == client }.sorted { $0.key < $1.key }
        return .object(
            JSONObject(
                rows.map { client, names in
                    JSONObject.Member(
                        name: client, value: ["accounts": .array(names.map { .string($0) })])
                }))
    }

    /// Returns the form in the vault; nil if no client has a setting.
    package func text() throws(ServiceError) -> String? {
        let bytes = json().write()
        guard bytes.count <= Vault.settingBytesMax else {
            throw ServiceError(
                "too many Nostr clients have settings",
                hint: "remove some with \"countersign nostr client --forget NAME\"")
        }
        return names.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
