// SPDX-License-Identifier: Apache-2.0

/// The names that owners give the networks they add, on every chain.
package enum NetworkName {
    private static let countMax = 32
    private static let builtIn = ["mainnet", "testnet"]

    /// The valid names in words.
    package static let rule =
        "2 to \(countMax) of a-z, 0-9 and -, a letter first; no \"-v\", which is for genesis ids, "
        + "and not main... or test..., which could be taken for mainnet or testnet"

    /// True if a network may be added under a name.
    package static func isValid(_ name: String) -> Bool {
        (2...countMax).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed)
            && (0x61...0x7A).contains(name.utf8.first ?? 0) && name.utf8.last != 0x2D
            && !name.contains("-v") && builtIn(meantBy: name) == nil
    }

    /// Returns the built-in network whose name begins like a text; nil if there is none.
    package static func builtIn(meantBy text: String) -> String? {
        builtIn.first { $0.prefix(4) == text.lowercased().prefix(4) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
    }
}
