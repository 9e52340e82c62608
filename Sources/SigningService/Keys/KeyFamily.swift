// SPDX-License-Identifier: Apache-2.0

internal import Algorand
internal import NEAR
internal import Nostr
internal import SigningCodecs
public import SigningCore
public import SigningCrypto

/// What differs between the protocols' keys: secret text, address, network.
public enum KeyFamily: String, CaseIterable, Sendable {
    /// BIP-340 keys.
    case nostr
    /// Ed25519 keys of NEAR accounts.
    case near
    /// Ed25519 keys that are their own addresses.
    case algorand

    /// The networks that keys may be for.
    public static let networks = ["mainnet", "testnet"]

    /// The protocol that rules name.
    public var protocolID: ProtocolID { ProtocolID(rawValue) }

    /// What its keys sign with.
    public var algorithm: KeyAlgorithm { self == .nostr ? .bip340 : .ed25519 }

    /// The public half of a secret.
    public func publicKey(of secret: borrowing SecretBytes) throws(ServiceError) -> [UInt8] {
        do throws(CryptoError) {
            return switch algorithm {
            case .bip340: try Secp256k1Key(secret: secret).publicKey
            case .ed25519: try Ed25519Key(secret: secret).publicKey
            case .multisig: throw CryptoError.invalidSecretKey
            }
        } catch {
            throw ServiceError(
                "this is not a secret key of its curve", hint: "check what was pasted")
        }
    }

    /// The account as the protocol writes it.
    public func address(publicKey: [UInt8], given: String?) throws(ServiceError) -> String {
        if self != .near, given != nil {
            throw .misuse("--account is for near keys", hint: "leave it out")
        }
        switch self {
        case .nostr: return NostrChain.address(publicKey: publicKey)
        case .algorand:
            return AlgorandAddress.text(publicKey: publicKey.span)
        case .near:
            do throws(NEARKeyForm.Failure) {
                return try NEARKeyForm.account(of: publicKey, given: given)
            } catch {
                throw ServiceError(error, about: given ?? "")
            }
        }
    }

    /// What deserves a look before a key is kept for an account; the chain is never asked.
    public func doubt(about address: String, publicKey: [UInt8]) -> (message: String, hint: String)?
    {
        guard self == .near else { return nil }
        let hint = "it has this key only if somebody added it"
        return switch NEARKeyForm.doubt(about: address, of: publicKey) {
        case nil: nil
        case .implicitOfAnotherKey: ("\(address) is the implicit account of another key", hint)
        case .contract: ("\(address) is the account of a contract", hint)
        }
    }

    /// A network that keys may be for, or nil for all.
    public func network(_ given: String?) throws(ServiceError) -> String? {
        guard let given else { return nil }
        guard self != .nostr else {
            throw .misuse("nostr keys have no network", hint: "leave out --network")
        }
        guard Self.networks.contains(given) else {
            throw .misuse(
                "there is no network \"\(VisibleText.escaped(given))\"",
                hint: "one of: \(Self.networks.joined(separator: ", "))")
        }
        return given
    }
}

extension ServiceError {
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
