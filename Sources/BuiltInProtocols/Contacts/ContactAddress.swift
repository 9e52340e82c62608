// SPDX-License-Identifier: Apache-2.0

internal import Algorand
internal import NEAR
internal import Nostr
internal import SigningCodecs
package import SigningCore
package import SigningService

/// The address of a contact, checked by the codec of its chain.
package struct ContactAddress: Hashable, Sendable {
    /// The chain of the address.
    package let protocolID: ProtocolID
    /// The address as facts have it, such as lower-case hex for Nostr.
    package let text: String

    /// The address as people exchange it.
    package var shown: String {
        guard protocolID == .nostr, let key = PublicKeyText.key(text) else { return text }
        return PublicKeyText.npub(key)
    }

    /// The network that the address belongs to; nil if it is a key, the same on every network.
    package var network: String? {
        guard protocolID == .near, NEARAccountKind(text) == .named else { return nil }
        return text.hasSuffix(".testnet") ? "testnet" : "mainnet"
    }

    /// Reads an address; the name of its chain may stand before it, as in `near:alice.near`.
    ///
    /// The errors do not repeat the text, which could be a secret.
    package init(_ text: String) throws(ServiceError) {
        guard !text.contains(where: \.isWhitespace) else {
            throw ServiceError("the address has a space", hint: "leave the spaces out")
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = String(parts.last ?? "")
        switch parts.count == 2 ? String(parts[0]) : "" {
        case "nostr": try self.init(nostr: rest)
        case "near": try self.init(near: rest)
        case "algorand": try self.init(algorand: rest)
        case "" where parts.count < 2: try self.init(ofAnyChain: text)
        default:
            throw ServiceError(
                "the part before the colon is not the name of a chain",
                hint: "write nostr:, near: or algorand: before the address, or only the address")
        }
    }

    private init(ofAnyChain text: String) throws(ServiceError) {
        if text.lowercased().hasPrefix("npub1") {
            try self.init(nostr: text)
        } else if PublicKeyText.key(text) != nil {
            throw ServiceError(
                "64 hexadecimal digits can be a key of Nostr or an account of NEAR",
                hint: "write nostr: or near: before them")
        } else if Self.looksLikeAlgorand(text) {
            try self.init(algorand: text)
        } else {
            try self.init(near: text)
            // Texts of other chains, such as note1..., are also ids in the syntax of NEAR.
            guard text.utf8.count < 32 || text.contains(".") || NEARAccountKind(text) != .named
            else {
                throw ServiceError(
                    "the address is not one of Nostr or Algorand",
                    hint: "if it is an account of NEAR, write near: before it")
            }
        }
    }

    private init(nostr text: String) throws(ServiceError) {
        guard let key = PublicKeyText.key(text) else {
            throw ServiceError(
                text.lowercased().hasPrefix("npub1")
                    ? "the npub has a wrong checksum or length" : "the address is no key of Nostr",
                hint: "copy the whole key again: npub1..., or 64 hexadecimal digits")
        }
        self.init(checked: NostrChain.address(publicKey: key), of: .nostr)
    }

    private init(algorand text: String) throws(ServiceError) {
        do throws(CodecError) {
            _ = try AlgorandAddress.parse(text)
        } catch {
            throw ServiceError(
                error == .checksum
                    ? "the address of Algorand has a wrong checksum"
                    : "the address of Algorand is not 58 capital letters and digits",
                hint: "copy the whole address again")
        }
        self.init(checked: text, of: .algorand)
    }

    private init(near text: String) throws(ServiceError) {
        guard NEARAccountID.isValid(text) else {
            guard !NEARAccountID.isValid(text.lowercased()) else {
                throw ServiceError(
                    "an account of NEAR has no capital letters",
                    hint: "write the address in small letters, and compare it again")
            }
            throw ServiceError(
                "the address is not one of Nostr, NEAR or Algorand",
                hint: "write npub1..., an account such as alice.near, or an address of Algorand")
        }
        self.init(checked: text, of: .near)
    }

    private init(checked text: String, of protocolID: ProtocolID) {
        self.protocolID = protocolID
        self.text = text
    }

    private static func looksLikeAlgorand(_ text: String) -> Bool {
        text.utf8.count == AlgorandAddress.digitCount
            && text.utf8.allSatisfy { byte in
                (0x41...0x5A).contains(byte & 0xDF) || (0x32...0x37).contains(byte)
            }
    }

    /// The networks that a contact of the chain can be bound to.
    static func networks(of protocolID: ProtocolID) -> [String] {
        protocolID == .nostr ? [] : ["mainnet", "testnet"]
    }
}
