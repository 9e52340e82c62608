// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
package import SigningVault

/// A passphrase or another secret from plain text.
package func secret(_ text: String) -> SecretBytes { SecretBytes(copying: text.utf8.span) }

/// A secret of 32 equal bytes.
package func secret(of byte: UInt8) -> SecretBytes {
    SecretBytes(copying: [UInt8](repeating: byte, count: 32).span)
}

/// Two domains with separate prefixes.
package enum TestDomains {
    package static let note = SigningDomain(
        id: .init("nostr/note"), protocolID: ProtocolID("nostr"), algorithm: .bip340,
        prehash: .sha256, prefix: Array("note".utf8)
    ) { bytes, _ in bytes.count <= 64 }
    package static let message = SigningDomain(
        id: .init("near/message"), protocolID: ProtocolID("near"), algorithm: .ed25519,
        prehash: .none, prefix: Array("near".utf8)
    ) { bytes, _ in bytes.count <= 64 }
    package static let registry = DomainRegistry([note, message])
}

extension Vault {
    /// Adds a key whose secret is 32 equal bytes.
    @discardableResult
    package func addNostr(_ name: String, _ byte: UInt8, network: String? = nil) throws -> Account {
        try add(
            name: name, protocolID: ProtocolID("nostr"), algorithm: .bip340,
            address: "npub-\(name)", network: network, secret: secret(of: byte))
    }

    /// Adds a key whose seed is 32 equal bytes.
    @discardableResult
    package func addNEAR(_ name: String, _ byte: UInt8) throws -> Account {
        try add(
            name: name, protocolID: ProtocolID("near"), algorithm: .ed25519,
            address: "\(name).near", network: "mainnet", secret: secret(of: byte))
    }
}

extension KeyOperation {
    package static func sign(_ domain: SigningDomain, _ text: String) -> KeyOperation {
        .sign(SigningInput(domain: domain.id, preimage: Array(text.utf8)))
    }
}
