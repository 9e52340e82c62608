// SPDX-License-Identifier: Apache-2.0

package import ARC27
internal import Algorand
package import SigningCodecs
package import SigningService
package import SigningVault

/// The settings for Algorand clients that differ from the defaults, as the vault stores them.
package struct AlgorandClients: Sendable {
    /// The name of the vault's setting.
    package static let setting = "arc27.clients"

    /// The settings by the client's name in its normal form.
    package var settings: [String: ARC27ClientSettings]

    /// Reads them from a vault.
    package init(in vault: Vault) throws {
        try self.init(
            try vault.setting(Self.setting))
    }

    /// Reads them from the text of the setting; nil for none.
    init(_ text: String?) throws(ServiceError) {
        let bytes = Array((text ?? "{}").utf8)
        guard let members = (try? JSON.parse(bytes.span))?.object?.members else {
            throw ServiceError(
                "the settings of Algorand clients cannot be read",
                hint: "countersign repair vault")
        }
        settings = Dictionary(
            members.map { (ClientIdentity(claim: $0.name).id, ARC27ClientSettings($0.value)) },
            uniquingKeysWith: { $1 })
    }

    /// Returns the form in the vault; nil if there are only defaults.
    package func text() throws(ServiceError) -> String? {
        let members = settings.sorted { $0.key < $1.key }.map { name, settings in
            JSONObject.Member(name: name, value: settings.json)
        }
        let bytes = JSON.object(JSONObject(members)).write()
        guard bytes.count <= Vault.settingBytesMax else {
            throw ServiceError(
                "too many Algorand clients have settings",
                hint: "remove some with \"countersign algorand client --forget NAME\"")
        }
        return settings.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

extension ARC27ClientSettings {
    /// Reads the stored form.
    ///
    /// Unknown values become the default, but accounts that cannot be read become an empty list.
    package init(_ json: JSON) {
        self.init(
            stxns: json["stxns"]?.text.flatMap(Dialect.init),
            messages: json["messages"]?.text.flatMap(AlgorandMessageMode.init) ?? .mx,
            accounts: json["accounts"].map { $0.list?.compactMap(\.text) ?? [] })
    }

    /// The form for the vault and for programs.
    package var json: JSON {
        var members = [JSONObject.Member(name: "messages", value: .string(messages.rawValue))]
        if let stxns { members.append(.init(name: "stxns", value: .string(stxns.rawValue))) }
        if let accounts {
            members.append(.init(name: "accounts", value: .array(accounts.map { .string($0) })))
        }
        return .object(JSONObject(members))
    }
}
