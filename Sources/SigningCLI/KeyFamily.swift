// SPDX-License-Identifier: Apache-2.0

import ARC27
import NEP413
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningPolicy

/// What differs between the protocols' keys: secret text, address, network.
enum KeyFamily: String, CaseIterable {
    case nostr, near, algorand

    init(_ arguments: Arguments) throws(CLIError) {
        let name = try arguments.required("--protocol")
        guard let family = KeyFamily(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue)
            let near = Suggestion.closest(to: name, among: names)
            throw .usage(
                "there is no protocol \"\(VisibleText.escaped(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" }
                    ?? "one of: \(names.joined(separator: ", "))")
        }
        self = family
    }

    var protocolID: ProtocolID { ProtocolID(rawValue) }

    var algorithm: KeyAlgorithm { self == .nostr ? .bip340 : .ed25519 }

    func readSecret(
        _ text: borrowing SecretBytes
    ) throws(SecretText.Failure) -> SecretBytes {
        switch self {
        case .nostr: try SecretText.nostr(text)
        case .near: try SecretText.near(text)
        case .algorand: try SecretText.algorand(text)
        }
    }

    func publicKey(of secret: borrowing SecretBytes) throws(CLIError) -> [UInt8] {
        do throws(CryptoError) {
            return switch algorithm {
            case .bip340: try Secp256k1Key(secret: secret).publicKey
            case .ed25519: try Ed25519Key(seed: secret).publicKey
            }
        } catch {
            throw CLIError("this is not a secret key of its curve", hint: "check what was pasted")
        }
    }

    /// The account as the protocol writes it.
    func address(publicKey: [UInt8], given: String?) throws(CLIError) -> String {
        if self != .near, given != nil {
            throw .usage("--account is for near keys", hint: "leave it out")
        }
        switch self {
        case .nostr: return Hex.encode(publicKey.span)
        case .algorand:
            return AlgorandAddress.text(
                publicKey: publicKey.span, sha512_256: { Digest.sha512_256($0) })
        case .near:
            guard let given else { return Hex.encode(publicKey.span) }
            guard NEARAccountID.isValid(given) else {
                throw CLIError(
                    "\"\(VisibleText.escaped(given))\" is not a NEAR account id",
                    hint: "2 to 64 characters: a-z, 0-9 and single - _ . between them")
            }
            return given
        }
    }

    func network(_ given: String?) throws(CLIError) -> String? {
        guard let given else { return nil }
        guard self != .nostr else {
            throw .usage("nostr keys have no network", hint: "leave out --network")
        }
        guard ["mainnet", "testnet"].contains(given) else {
            throw .usage(
                "there is no network \"\(VisibleText.escaped(given))\"",
                hint: "one of: mainnet, testnet")
        }
        return given
    }
}
