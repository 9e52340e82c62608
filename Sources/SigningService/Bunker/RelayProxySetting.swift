// SPDX-License-Identifier: Apache-2.0

package import NIP46
internal import SigningCodecs
internal import SigningCore
package import SigningCrypto
package import SigningVault

extension RelayProxy {
    private static let setting = "relays.proxy"

    /// Reads the proxy for relays from a vault; nil if there is none.
    package init?(in vault: Vault) throws {
        guard let text = try vault.setting(Self.setting) else { return nil }
        guard let json = try? JSON.parse(Array(text.utf8).span), let url = json["url"]?.text,
            case .bool(let isForAll)? = json["all"],
            let proxy = try? RelayProxy(url, isForAll: isForAll)
        else {
            throw ServiceError(
                "the setting of the proxy for relays cannot be read",
                hint: "countersign bunker proxy none")
        }
        self = proxy
    }

    fileprivate static func put(_ proxy: RelayProxy?, in vault: Vault) throws {
        let text = proxy.map { proxy in
            let json: JSON = ["url": .string(proxy.text), "all": .bool(proxy.isForAll)]
            return String(decoding: json.write(), as: UTF8.self)
        }
        try vault.setSetting(setting, to: text)
    }
}

extension OpenHome {
    /// Sets the proxy for relays; nil removes it.
    package func setRelayProxy(
        _ proxy: RelayProxy?, passphrase: borrowing SecretBytes
    ) throws {
        try change(with: passphrase) { vault in try RelayProxy.put(proxy, in: vault) }
    }

    /// Returns the relays that the agent can reach: without a proxy, none of Tor.
    ///
    /// Throws if none is left.
    package func reachable(_ relays: [RelayAddress]) throws -> [RelayAddress] {
        let hasProxy = try RelayProxy(in: vault) != nil
        let left = relays.filter { hasProxy || !$0.isOnion }
        guard left.isEmpty, let first = relays.first else { return left }
        throw Self.unreachable(first)
    }

    /// The error for a relay that only Tor reaches, while there is no proxy.
    static func unreachable(_ relay: RelayAddress) -> ServiceError {
        ServiceError(
            "\(relay.text) is reached only over Tor, and no proxy is set",
            hint: "countersign bunker proxy \(RelayProxy.example)")
    }
}
