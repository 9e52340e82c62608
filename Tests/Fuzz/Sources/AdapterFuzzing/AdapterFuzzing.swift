// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
public import SigningCore
import SigningCrypto

/// Passes one input through an adapter.
///
/// An accepted request must ask only for operations that its own domains admit, and it must have a
/// summary.
public enum AdapterFuzzing {
    /// Decodes the input with the named adapter, for an account of its protocol.
    public static func run(_ input: [UInt8], adapter name: String, account: Account) {
        guard let adapter = set.adapter(named: name) else { return }
        let peer = Peer(channel: "fuzz")
        let context = DecodingContext(
            accounts: [account], peer: peer, now: Timestamp(seconds: 1_790_000_000),
            freshID: [UInt8](repeating: 1, count: 16), wasSeen: { _ in nil })
        check(adapter, input, context)
        if let reader = adapter as? any SignedStatementReader {
            _ = try? reader.readSigned(input.span)
        }
    }

    /// An account with a public key from published vectors.
    public static func account(
        _ protocolName: String, _ algorithm: KeyAlgorithm, key: String, address: String
    ) -> Account {
        Account(
            id: KeyID("fuzz"), name: "fuzz", protocolID: ProtocolID(protocolName),
            algorithm: algorithm, publicKey: (try? Hex.decode(key)) ?? [], address: address,
            network: nil)
    }

    /// Checks a request that an adapter accepts: only its own domain admits the operations, and it
    /// has a summary.
    @discardableResult
    public static func check<Adapter: ProtocolAdapter>(
        _ adapter: Adapter, _ input: [UInt8], _ context: DecodingContext
    ) -> Adapter.Request? {
        guard let request = try? adapter.decode(input.span, in: context) else { return nil }
        precondition(!request.summary.text.isEmpty)
        for requested in request.operations {
            guard case .sign(let signing) = requested.operation else { continue }
            precondition(adapter.domains.contains { $0.id == signing.domain })
            let message = try? registry.message(for: signing, by: requested.account)
            precondition(message != nil, "asks for bytes outside its domain")
        }
        return request
    }

    private static let set = AdapterSet(providerID: "02657eaf-be17-4efc-b0a4-19d654b2448e")
    /// The domains of all adapters, as a key store holds them.
    private static let registry = DomainRegistry(set.domains)
}
