// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

/// A payment URI, such as `algorand://ADDRESS?amount=1500000` (ARC-26).
///
/// A parameter that is unknown could change what is paid, so the URI is refused. The label names
/// the receiver in the words of the client that made the URI, and decides nothing.
struct PaymentURI {
    let receiver: [UInt8]
    /// The amount in microAlgo, or in the smallest units of the asset.
    let amount: UInt64?
    let asset: UInt64?
    let note: String?

    private static let scheme = "algorand://"
    private static let known = ["amount", "asset", "label", "note", "xnote"]
    /// The longest URI, in bytes.
    private static let bytesMax = 8_192

    static func isLikely(_ text: String) -> Bool { text.lowercased().hasPrefix("algorand:") }

    init(_ text: String) throws {
        guard text.lowercased().hasPrefix(Self.scheme), text.utf8.count <= Self.bytesMax,
            !text.contains("#")
        else { throw Self.refusal("it does not begin with algorand:// and an address") }
        let parts = text.dropFirst(Self.scheme.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let values = try Self.parameters(parts.count == 2 ? parts[1] : "")
        let asset = try values["asset"].map { try AlgorandText.id($0, "the asset of the URI") }
        guard !parts[0].isEmpty else {
            throw Self.refusal(
                "it names no receiver",
                hint: asset.map { "to accept the asset: countersign algorand opt-in \($0)" })
        }
        receiver = try AlgorandText.address(String(parts[0]), "the receiver of the URI")
        self.asset = asset
        amount = try values["amount"].map { text in
            guard let units = DecimalAmount.units(text, decimals: 0),
                let amount = UInt64(exactly: units)
            else { throw Self.refusal("its amount is not a whole number of the smallest unit") }
            return amount
        }
        guard values["note"] == nil || values["xnote"] == nil else {
            throw Self.refusal("it has two notes")
        }
        note = values["xnote"] ?? values["note"]
    }

    private static func parameters(_ query: Substring) throws -> [String: String] {
        var values: [String: String] = [:]
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0])
            guard known.contains(name), pair.count == 2 else {
                throw refusal("its parameter \"\(VisibleText.quotable(name))\" is not supported")
            }
            guard values[name] == nil else { throw refusal("it has \(name) twice") }
            guard let value = try? PercentEncoding.decode(pair[1].utf8.span) else {
                throw refusal("its \(name) is not well encoded")
            }
            values[name] = value
        }
        return values
    }

    private static func refusal(_ reason: String, hint: String? = nil) -> CLIError {
        CLIError.usage(
            "this payment URI cannot be used: \(reason)",
            hint: hint ?? "give the address and the amount as arguments")
    }
}
