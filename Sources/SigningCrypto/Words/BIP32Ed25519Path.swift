// SPDX-License-Identifier: Apache-2.0

extension BIP32Ed25519 {
    /// The path from a seed to a key: `m`, then the number of each child.
    public struct Path: Hashable, Sendable {
        /// The most children on one path: with more, secrets could exceed 255 bits.
        public static let depthMax = 8

        /// The numbers, with `BIP32.hardened` added for hardened children.
        public let numbers: [UInt32]

        /// Makes a path of numbers; nil if it is too deep.
        public init?(numbers: [UInt32]) {
            guard numbers.count <= Self.depthMax else { return nil }
            self.numbers = numbers
        }

        /// Reads a path such as `m/44'/283'/0'/0/0`; the mark makes a child hardened.
        public init?(_ text: String) {
            guard let numbers = BIP32.numbers(ofPath: text, depthMax: Self.depthMax) else {
                return nil
            }
            self.init(numbers: numbers)
        }

        /// The path in text form.
        public var text: String {
            numbers.reduce("m") { text, number in
                number < BIP32.hardened
                    ? "\(text)/\(number)" : "\(text)/\(number - BIP32.hardened)'"
            }
        }

        /// The path of the first key in Algorand's wallets.
        public static let algorand = Path(
            known: [44, 283, 0].map { $0 + BIP32.hardened } + [0, 0])

        private init(known: [UInt32]) { numbers = known }
    }
}
