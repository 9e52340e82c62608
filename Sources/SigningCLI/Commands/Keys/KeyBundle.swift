// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningService

/// One secret among several; a list can hold it, but not a `SecretBytes`.
final class BundledKey: Sendable {
    let secret: SecretBytes

    init(_ secret: consuming SecretBytes) { self.secret = secret }
}

/// The keys in a file that can hold several.
struct KeyBundle {
    /// The most keys of one import.
    static let countMax = 256
    /// The most accounts in a file, of which `--account` takes one.
    static let accountsMax = 4_096

    var keys: [BundledKey] = []
    /// The accounts in the file that have no usable secret, each with the reason.
    var leftOut: [String] = []
}

/// A key of a bundle with the name that it gets.
struct NamedKey {
    let key: BundledKey
    let publicKey: [UInt8]
    let address: String
    var name: String
}

extension KeyBundle {
    /// The keys to import, each once: all of them, or the one of the account that is asked for.
    ///
    /// One key has the given name; of several, each has the name and its number in the file.
    func chosen(
        by account: String?, named name: String, _ chain: any Chain, _ shown: String,
        among algorithms: [SigningAlgorithm]
    ) throws -> [NamedKey] {
        var found: [NamedKey] = []
        for key in keys {
            let publicKey = try chain.publicKey(of: key.secret, among: algorithms)
            guard !found.contains(where: { $0.publicKey == publicKey }) else { continue }
            found.append(
                NamedKey(
                    key: key, publicKey: publicKey,
                    address: try chain.account(of: publicKey, given: nil),
                    name: "\(name)-\(found.count + 1)"))
        }
        guard !found.isEmpty else {
            throw CLIError(
                "there is no secret key in \(shown)",
                hint: leftOut.first ?? "check that it is the right file")
        }
        if let account {
            let all = found
            found = found.filter {
                $0.address == account || chain.publicText($0.publicKey) == account
            }
            guard !found.isEmpty else {
                throw Self.missing(account, all, leftOut, chain, shown)
            }
        }
        if found.count == 1 { found[0].name = name }
        guard found.count <= Self.countMax else {
            throw CLIError(
                "\(shown) has \(found.count) keys, and one import takes at most \(Self.countMax)",
                hint: "import those that you need, each with --account ADDRESS")
        }
        return found
    }

    /// Refuses a file with too many accounts to read them.
    static func check(count: Int, _ shown: String) throws {
        guard count <= accountsMax else {
            throw CLIError(
                "\(shown) has more than \(accountsMax) accounts",
                hint: "split it where it was made")
        }
    }

    private static func missing(
        _ account: String, _ found: [NamedKey], _ leftOut: [String], _ chain: any Chain,
        _ shown: String
    ) -> CLIError {
        let names = found.map { chain.publicText($0.publicKey) ?? $0.address }
        let more = names.count > shownMax ? ", and \(names.count - shownMax) more" : ""
        return CLIError(
            "there is no secret key of \(VisibleText.quotable(account)) in \(shown)",
            hint: leftOut.first { $0.hasPrefix(account) }
                ?? "it has \(names.prefix(shownMax).joined(separator: ", "))" + more)
    }

    /// The most addresses that an error lists.
    private static let shownMax = 3
}
