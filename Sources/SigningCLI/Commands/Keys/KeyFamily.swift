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

    /// The networks that keys may be for.
    static let networks = ["mainnet", "testnet"]

    var protocolID: ProtocolID { ProtocolID(rawValue) }

    var algorithm: KeyAlgorithm { self == .nostr ? .bip340 : .ed25519 }

    func publicKey(of secret: borrowing SecretBytes) throws(CLIError) -> [UInt8] {
        do throws(CryptoError) {
            return switch algorithm {
            case .bip340: try Secp256k1Key(secret: secret).publicKey
            case .ed25519: try Ed25519Key(secret: secret).publicKey
            case .multisig: throw CryptoError.invalidSecretKey
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
            // A wallet contract answers for it: no signature of a key ever holds.
            guard NEARAccountKind(given) != .ethImplicit else {
                throw CLIError(
                    "\(given) has a wallet contract and no keys of its own",
                    hint: "name the account that this key was added to")
            }
            return given
        }
    }

    /// What deserves a look before a key is kept for an account; the chain is never asked.
    func doubt(about address: String, publicKey: [UInt8]) -> (message: String, hint: String)? {
        guard self == .near else { return nil }
        let hint = "it has this key only if somebody added it"
        switch NEARAccountKind(address) {
        case .named, .ethImplicit: return nil
        case .implicit:
            guard address != Hex.encode(publicKey.span) else { return nil }
            return ("\(address) is the implicit account of another key", hint)
        case .deterministic, .universal:
            return ("\(address) is the account of a contract", hint)
        }
    }

    func network(_ given: String?) throws(CLIError) -> String? {
        guard let given else { return nil }
        guard self != .nostr else {
            throw .usage("nostr keys have no network", hint: "leave out --network")
        }
        guard Self.networks.contains(given) else {
            throw .usage(
                "there is no network \"\(VisibleText.escaped(given))\"",
                hint: "one of: \(Self.networks.joined(separator: ", "))")
        }
        return given
    }
}
