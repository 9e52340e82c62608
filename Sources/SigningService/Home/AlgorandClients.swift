// SPDX-License-Identifier: Apache-2.0

package import ARC27
internal import Algorand
package import SigningCodecs
internal import SigningCore
package import SigningStorage

/// How Algorand clients are served where that differs from the usual, as the vault keeps it.
package struct AlgorandClients: Sendable {
    /// The setting that keeps them.
    package static let setting = "arc27.clients"

    /// By the names of the clients in their normal form.
    package var settings: [String: ARC27ClientSettings]

    /// As the vault says.
    package init(in vault: Vault) throws(ServiceError) {
        let settings = try ServiceError.wrapping { () throws(VaultError) in
            [Self.setting: try vault.setting(Self.setting)].compactMapValues { $0 }
        }
        try self.init(in: settings)
    }

    /// As these settings of a vault say.
    init(in vaultSettings: [String: String]) throws(ServiceError) {
        let bytes = Array((vaultSettings[Self.setting] ?? "{}").utf8)
        guard let members = (try? JSON.parse(bytes.span))?.object?.members else {
            throw ServiceError(
                "the settings of Algorand clients cannot be read",
                hint: "countersign repair vault")
        }
        settings = Dictionary(
            members.map { (ClientIdentity(claim: $0.name).id, ARC27ClientSettings($0.value)) },
            uniquingKeysWith: { $1 })
    }

    /// As the vault keeps it; nil where all is as usual.
    package func text() throws(ServiceError) -> String? {
        let members = settings.sorted { $0.key < $1.key }.map { name, settings in
            JSONObject.Member(name: name, value: settings.json)
        }
        let bytes = JSON.object(JSONObject(members)).write()
        guard bytes.count <= Vault.settingBytesMax else {
            throw ServiceError(
                "there are settings of too many Algorand clients",
                hint: "remove some with \"countersign algorand client --forget NAME\"")
        }
        return settings.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

extension ARC27ClientSettings {
    /// Reads what was written; a value that is not known is the usual one, but accounts that
    /// cannot be read are none.
    package init(_ json: JSON) {
        self.init(
            stxns: json["stxns"]?.text.flatMap(Dialect.init),
            messages: json["messages"]?.text.flatMap(AlgorandMessageMode.init) ?? .mx,
            accounts: json["accounts"].map { $0.list?.compactMap(\.text) ?? [] })
    }

    /// As it is kept and told to programs.
    package var json: JSON {
        var members = [JSONObject.Member(name: "messages", value: .string(messages.rawValue))]
        if let stxns { members.append(.init(name: "stxns", value: .string(stxns.rawValue))) }
        if let accounts {
            members.append(.init(name: "accounts", value: .array(accounts.map { .string($0) })))
        }
        return .object(JSONObject(members))
    }
}
