// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The ecash of a Cashu mint that a nutzap gives away (NIP-61), as its proofs state it.
///
/// Only the mint knows whether the proofs are worth anything.
struct Ecash {
    /// The sum in `unit`; nil if a proof does not state its amount.
    let amount: Int64?
    let unit: String
    /// The conditions under which each proof can be spent, without repetition.
    let locks: [Lock]

    static let nutzapKind: UInt16 = 9_321
    /// The event that says to which key others lock nutzaps.
    static let settingKind: UInt16 = 10_019
    /// The most locks that are shown one by one.
    private static let locksShownMax = 4

    /// The condition in the secret of a proof (NUT-10).
    enum Lock: Hashable {
        /// Spendable by the holder of a public key (NUT-11); `isMore` if more conditions apply.
        case key(String, isMore: Bool)
        /// Another condition, by its name.
        case other(String)
        /// No condition: every reader of the proof can spend it.
        case none
        /// A secret that cannot be read.
        case unreadable
    }

    init(of event: NostrEvent) {
        let proofs = event.tags.filter { $0[0] == "proof" }
            .map { $0.count > 1 ? try? JSON.parse(Array($0[1].utf8).span) : nil }
        var sum: Int64? = proofs.isEmpty ? nil : 0
        for proof in proofs {
            let value = proof?["amount"]?.integerValue.flatMap { $0 > 0 ? $0 : nil }
            guard let known = sum, let value else {
                sum = nil
                break
            }
            let (total, hasOverflown) = known.addingReportingOverflow(value)
            sum = hasOverflown ? nil : total
        }
        amount = sum
        let written = event.tags.contains { $0[0] == "unit" } ? event.onlyValue(of: "unit") : "sat"
        unit = written.flatMap { Self.isWord($0) ? $0 : nil } ?? "(unclear unit)"
        var locks: [Lock] = []
        for proof in proofs {
            let lock = proof?["secret"]?.text.map(Lock.init(secret:)) ?? .unreadable
            if !locks.contains(lock) { locks.append(lock) }
        }
        self.locks = locks
    }

    /// True if anyone who reads the event can spend a part.
    var isOpen: Bool { locks.contains(.none) }

    /// Whether a text of the client is a short word, which cannot imitate the words of the hub.
    fileprivate static func isWord(_ text: String) -> Bool {
        (1...8).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF)
            }
    }

    /// The amount and the locks in words.
    var text: String {
        let much = amount.map { "\($0) \(unit)" } ?? "an unclear amount"
        let shown = locks.prefix(Self.locksShownMax).map(\.text)
        let rest = locks.count - shown.count
        let more = rest > 0 ? [rest == 1 ? "and by 1 more lock" : "and by \(rest) more locks"] : []
        return (["\(much) of ecash"] + shown + more).joined(separator: ", ")
    }
}

extension Ecash.Lock {
    /// Reads a secret: of the form of NUT-10, or a random text.
    fileprivate init(secret: String) {
        guard secret.utf8.first == UInt8(ascii: "[") else {
            self = .none
            return
        }
        guard let parts = (try? JSON.parse(Array(secret.utf8).span))?.list, parts.count == 2,
            let kind = parts[0].text, let data = parts[1]["data"]?.text
        else {
            self = .unreadable
            return
        }
        guard kind == "P2PK" else {
            self = Ecash.isWord(kind) ? .other(kind) : .unreadable
            return
        }
        let isKey = (try? Hex.decode(data))?.count == 33
        self = isKey ? .key(data, isMore: parts[1]["tags"]?.list?.isEmpty == false) : .unreadable
    }

    fileprivate var text: String {
        switch self {
        case .key(let key, let isMore):
            "locked to the key \(key)" + (isMore ? " under more conditions" : "")
        case .other(let kind): "locked by \(kind)"
        case .none: "not locked: every reader of the event can take it"
        case .unreadable: "with a lock that cannot be read"
        }
    }
}
