// SPDX-License-Identifier: Apache-2.0

/// What stands before everything else that Algorand keys sign or hash (go-algorand,
/// protocol/hash.go): a text that begins so could be taken for such a thing.
package enum ReservedPrefixes {
    /// Those by which a key of an account can be abused, or that are kept for ARCs.
    package static let ofAccounts = [
        "TX", "TG", "MX", "Program", "ProgData", "MsigProgram", "PQA", "PQK", "PQProgram",
        "MultisigAddr", "appID", "SpecialAddr", "arc",
    ]

    /// Those of nodes and of keys that take part in consensus: ordinary words may begin so.
    package static let ofNodes = [
        "spc", "spm", "spp", "sps", "spv", "STIB", "NIC", "NIR", "NIV", "NPR", "B256", "ORP",
        "OT1", "OT2", "aB", "aD", "aO", "aP", "aS", "AS", "BH", "BR", "CR", "GE", "KP", "MA",
        "MB", "OA", "PF", "PL", "PS", "PK", "SD", "TE", "TL", "VO",
    ]

    /// Those of programs: what follows them is free, so that hashes could be made to fit.
    private static let ofPrograms = ofAccounts.filter { $0.contains("Prog") }

    /// The first prefix of a list that bytes begin with.
    package static func first(of prefixes: [String], in bytes: some Sequence<UInt8>) -> String? {
        prefixes.first { bytes.starts(with: $0.utf8) }
    }

    /// Whether two hashes could be taken for a program that an account agrees to.
    package static func isProgram(_ message: [UInt8]) -> Bool {
        first(of: ofPrograms, in: message) != nil
    }
}
