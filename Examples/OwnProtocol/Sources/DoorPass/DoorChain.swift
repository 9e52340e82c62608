// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService

extension ProtocolSupport {
    /// The chain of door keys, its only wire, and the algorithm of the keys.
    public static let doors = ProtocolSupport(
        chains: [DoorChain()], wires: [DoorAdapter()],
        algorithms: [SigningAlgorithm(DoorKey.self)])
}

extension KeyAlgorithm {
    /// ECDSA over P-384, under the name that `DoorKey` declares.
    public static let door = SigningAlgorithm(DoorKey.self).id
}

/// The chain of door keys: the owner of a key opens the door.
public struct DoorChain: WritesSecrets {
    /// The protocol id, `door`.
    public let protocolID = ProtocolID("door")
    /// The signature algorithm, of this package.
    public let algorithm = KeyAlgorithm.door
    /// The text form of secrets, `doorsec1...`.
    public let secretForm = "doorsec"

    /// Creates the chain; it has no settings.
    public init() {}

    /// Returns the address `door1...`, which contains the SHA-256 of the public key.
    public func address(publicKey: [UInt8], given _: String?) -> String {
        Bech32.encode(hrp: "door", Digest.sha256(publicKey.span).span)
    }

    /// Parses `doorsec1...`.
    public func readSecret(_ text: borrowing SecretBytes) -> SecretBytes? {
        try? text.withSpan { text throws(CodecError) in
            try SecretBytes(countMax: DoorKey.secretCount) { secret throws(CodecError) in
                try Bech32.decode(text, hrp: secretForm, into: &secret)
            }
        }
    }

    /// Returns the secret as `doorsec1...`.
    public func secretText(of secret: borrowing SecretBytes) -> SecretBytes {
        let count = Bech32.textCount(hrp: secretForm, count: secret.count)
        return SecretBytes(count: count) { text in
            secret.withSpan { Bech32.encode(hrp: secretForm, $0, into: &text) }
        }
    }
}
