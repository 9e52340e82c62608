// SPDX-License-Identifier: Apache-2.0

/// Shareable identifiers of NIP-19 that contain more than a key.
public enum NIP19 {
    /// The longest text that is read, in characters.
    public static let charactersMax = 5_000

    /// A public key with relays that have its events: `nprofile1...`.
    public struct Profile: Hashable, Sendable {
        /// The public key, 32 bytes.
        public let publicKey: [UInt8]
        /// Relay URLs, ASCII, at most 255 bytes each.
        public let relays: [String]

        /// Makes a profile; nil if the key has another length or a relay does not fit.
        public init?(publicKey: [UInt8], relays: [String]) {
            let fit = relays.allSatisfy { relay in
                (1...255).contains(relay.utf8.count) && relay.utf8.allSatisfy { $0 < 0x80 }
            }
            guard publicKey.count == keyCount, fit else { return nil }
            self.publicKey = publicKey
            self.relays = relays
        }

        /// The text form.
        public var text: String {
            var bytes = [special, UInt8(keyCount)] + publicKey
            for relay in relays { bytes += [relayType, UInt8(relay.utf8.count)] + relay.utf8 }
            return Bech32.encode(hrp: profileHRP, bytes.span)
        }

        /// Reads a text; content other than keys and relays is ignored.
        public init(_ text: String) throws(CodecError) {
            guard text.utf8.count <= charactersMax else { throw .tooLong(limit: charactersMax) }
            let (hrp, bytes) = try Bech32.decode(text, countMax: charactersMax)
            guard hrp == profileHRP else { throw .malformed("the prefix is not nprofile", at: 0) }
            var key: [UInt8]?
            var relays: [String] = []
            var place = 0
            while place < bytes.count {
                guard place + 2 <= bytes.count else { throw .truncated }
                let end = place + 2 + Int(bytes[place + 1])
                guard end <= bytes.count else { throw .truncated }
                let value = Array(bytes[place + 2..<end])
                switch bytes[place] {
                case special where key == nil: key = value
                case relayType: relays.append(try UTF8Text.decode(value.span))
                default: break
                }
                place = end
            }
            guard let key, let profile = Profile(publicKey: key, relays: relays) else {
                throw .malformed("the public key or a relay is malformed", at: 0)
            }
            self = profile
        }
    }

    private static let profileHRP = "nprofile"
    private static let keyCount = 32
    private static let special: UInt8 = 0
    private static let relayType: UInt8 = 1
}
