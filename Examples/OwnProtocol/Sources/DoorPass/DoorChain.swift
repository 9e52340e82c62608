// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService

extension ProtocolSupport {
    /// What keys of doors are, and the one wire that asks for them.
    public static let doors = ProtocolSupport(chains: [DoorChain()], wires: [DoorAdapter()])
}

/// What keys of doors belong to: whoever made a key may open with it, and nobody else.
public struct DoorChain: WritesSecrets {
    /// `door`.
    public let protocolID = ProtocolID("door")
    /// Ed25519.
    public let algorithm = KeyAlgorithm.ed25519
    /// `doorsec1...`, and no other text.
    public let secretForm = "doorsec"

    /// Makes it; there is one.
    public init() {}

    /// `door1...`.
    public func address(publicKey: [UInt8], given _: String?) -> String {
        Bech32.encode(hrp: "door", publicKey.span)
    }

    /// Reads `doorsec1...`.
    public func readSecret(_ text: borrowing SecretBytes) -> SecretBytes? {
        try? text.withSpan { text throws(CodecError) in
            try SecretBytes(countMax: 32) { secret throws(CodecError) in
                try Bech32.decode(text, hrp: secretForm, into: &secret)
            }
        }
    }

    /// Writes `doorsec1...`.
    public func secretText(of secret: borrowing SecretBytes) -> SecretBytes {
        let count = Bech32.textCount(hrp: secretForm, count: secret.count)
        return SecretBytes(count: count) { text in
            secret.withSpan { Bech32.encode(hrp: secretForm, $0, into: &text) }
        }
    }
}
