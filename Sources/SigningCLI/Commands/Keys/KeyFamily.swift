// SPDX-License-Identifier: Apache-2.0

import Algorand
import NEAR
import Nostr
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
        case .nostr: return NostrChain.address(publicKey: publicKey)
        case .algorand:
            return AlgorandAddress.text(publicKey: publicKey.span)
        case .near:
            do throws(NEARKeyForm.Failure) {
                return try NEARKeyForm.account(of: publicKey, given: given)
            } catch {
                throw CLIError(error, about: given ?? "")
            }
        }
    }

    /// What deserves a look before a key is kept for an account; the chain is never asked.
    func doubt(about address: String, publicKey: [UInt8]) -> (message: String, hint: String)? {
        guard self == .near else { return nil }
        let hint = "it has this key only if somebody added it"
        return switch NEARKeyForm.doubt(about: address, of: publicKey) {
        case nil: nil
        case .implicitOfAnotherKey: ("\(address) is the implicit account of another key", hint)
        case .contract: ("\(address) is the account of a contract", hint)
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

extension CLIError {
    fileprivate init(_ failure: NEARKeyForm.Failure, about account: String) {
        switch failure {
        case .invalidAccountID:
            self.init(
                "\"\(VisibleText.escaped(account))\" is not a NEAR account id",
                hint: "2 to 64 characters: a-z, 0-9 and single - _ . between them")
        case .hasNoKeys:
            self.init(
                "\(account) has a wallet contract and no keys of its own",
                hint: "name the account that this key was added to")
        }
    }
}
