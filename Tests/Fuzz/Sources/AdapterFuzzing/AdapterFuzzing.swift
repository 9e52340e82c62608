// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
public import SigningCore

/// Takes one input through an adapter: whatever is accepted asks only for what its own domains
/// admit, and can be shown.
public enum AdapterFuzzing {
    /// Decodes as the named adapter, for an account of its protocol.
    public static func run(_ input: [UInt8], adapter name: String, account: Account) {
        let set = AdapterSet(providerID: "02657eaf-be17-4efc-b0a4-19d654b2448e")
        guard let adapter = set.adapter(named: name) else { return }
        let origin = Origin(channel: "fuzz", provedUserID: nil, claimedClient: nil)
        let context = DecodingContext(
            accounts: [account], origin: origin, now: Timestamp(seconds: 1_790_000_000),
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

    private static func check(
        _ adapter: some ProtocolAdapter, _ input: [UInt8], _ context: DecodingContext
    ) {
        guard let request = try? adapter.decode(input.span, in: context) else { return }
        precondition(!request.summary.text.isEmpty)
        for requested in request.operations {
            guard case .sign(let signing) = requested.operation else { continue }
            let isOwn = adapter.domains.contains { domain in
                domain.id == signing.domain && signing.preimage.starts(with: domain.prefix)
                    && domain.isValid(signing.preimage, requested.account.publicKey)
            }
            precondition(isOwn, "asks for bytes outside its domain")
        }
    }
}
