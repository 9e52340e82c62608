// SPDX-License-Identifier: Apache-2.0

package import Algorand
package import SigningVault

/// The files about Algorand applications that the owner added, each as one setting of the vault.
package enum AlgorandABIs {
    private static let prefix = "abi."
    /// The longest name of a file, in characters; the vault limits the names of settings.
    package static let nameCountMax = 48

    /// The name of the vault's setting for a file.
    package static func setting(_ name: String) -> String { prefix + name }

    /// True if a file can have this name.
    package static func isName(_ text: String) -> Bool {
        (1...nameCountMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// Reads the files of a vault.
    package static func files(in vault: Vault) throws -> ABIFiles {
        files(in: try vault.terms().settings)
    }

    /// Returns the names of all files of a vault, also of those that this version cannot read.
    package static func names(in vault: Vault) throws -> [String] {
        try vault.terms().settings.keys.filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }.sorted()
    }

    /// Reads the files among settings; one that this version cannot read explains nothing.
    static func files(in settings: [String: String]) -> ABIFiles {
        var files = ABIFiles()
        for (name, text) in settings where name.hasPrefix(prefix) {
            guard let contract = try? ABIContract(Array(text.utf8)) else { continue }
            files.contracts[String(name.dropFirst(prefix.count))] = contract
        }
        return files
    }
}
