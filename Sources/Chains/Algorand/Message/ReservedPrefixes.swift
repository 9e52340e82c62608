// SPDX-License-Identifier: Apache-2.0

/// The prefixes of all other data that Algorand keys sign or hash (go-algorand, protocol/hash.go).
///
/// A text that begins with one could be taken for such data.
package enum ReservedPrefixes {
    /// The prefixes that allow abuse of an account key, and those reserved for ARCs.
    package static let ofAccounts = [
        "TX", "TG", "MX", "Program", "ProgData", "MsigProgram", "PQA", "PQK", "PQProgram",
        "MultisigAddr", "appID", "SpecialAddr", "arc",
    ]

    /// The prefixes of nodes and of participation keys; ordinary words may begin with them.
    package static let ofNodes = [
        "spc", "spm", "spp", "sps", "spv", "STIB", "NIC", "NIR", "NIV", "NPR", "B256", "ORP",
        "OT1", "OT2", "aB", "aD", "aO", "aP", "aS", "AS", "BH", "BR", "CR", "GE", "KP", "MA",
        "MB", "OA", "PF", "PL", "PS", "PK", "SD", "TE", "TL", "VO",
    ]

    /// The prefixes of programs: an attacker chooses the bytes after them to make a hash fit.
    private static let ofPrograms = ofAccounts.filter { $0.contains("Prog") }

    /// Returns the first prefix in the list that the bytes begin with.
    package static func first(of prefixes: [String], in bytes: some Sequence<UInt8>) -> String? {
        prefixes.first { bytes.starts(with: $0.utf8) }
    }

    /// True if two hashes could be taken for a program that an account delegates to.
    package static func isProgram(_ message: [UInt8]) -> Bool {
        first(of: ofPrograms, in: message) != nil
    }
}
