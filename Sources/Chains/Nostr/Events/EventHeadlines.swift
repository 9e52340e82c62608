// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension NostrEvent {
    /// Returns the effects of the event that are shown before its tags.
    package func headlines(facts: [Fact]) -> [Summary.Headline] {
        switch kind {
        case .relayAuthentication:
            [.init(.flagged, "logs in at \(Self.text("relay", facts) ?? "more than one place")")]
        case .httpAuthentication:
            [
                .init(
                    .flagged,
                    "logs in: \(Self.text("method", facts) ?? "?") "
                        + (Self.text("url", facts)
                            ?? "an address that programs may read differently"))
            ]
        case .vanish: [.init(.loss, "asks relays to delete everything of yours, for ever")]
        case .deletion: [.init(.flagged, "asks relays to delete: \(targets)")]
        case _ where kind.number == Zap.requestKind: [.init(.value, zapText)]
        case _ where kind.number == Ecash.nutzapKind: [nutzapHeadline]
        case _ where kind.number == Ecash.settingKind: [.init(.value, nutzapSetting)]
        default: []
        }
    }

    /// The ecash that a nutzap gives away, and to whom.
    private var nutzapHeadline: Summary.Headline {
        let ecash = Ecash(of: self)
        return .init(ecash.isOpen ? .loss : .value, "gives \(receiver) \(ecash.text)")
    }

    /// The key to which others lock the ecash of nutzaps, and the number of mints.
    private var nutzapSetting: String {
        let key = onlyValue(of: "pubkey").flatMap { try? Hex.decode($0) }
            .flatMap { [32, 33].contains($0.count) ? "the key \(Hex.encode($0.span))" : nil }
        let count = tags.count { $0[0] == "mint" }
        return "has nutzaps for you locked to \(key ?? "no readable key"), "
            + "\(count) \(count == 1 ? "mint" : "mints"): the holder of that key takes the money"
    }

    private static func text(_ name: String, _ facts: [Fact]) -> String? {
        guard case .text(let text)? = facts.first(where: { $0.name == name })?.value else {
            return nil
        }
        return text
    }

    private var targets: String {
        let kinds = [("e", "event", "events"), ("a", "address", "addresses")]
        let counts = kinds.compactMap { name, one, several in
            let count = tags.count { $0[0] == name }
            return count > 0 ? "\(count) \(count == 1 ? one : several)" : nil
        }
        return counts.isEmpty ? "nothing" : counts.joined(separator: ", ")
    }

    /// The receiver of a zap.
    private var receiver: String {
        let receivers = tags.filter { $0[0] == "p" }
        let key = onlyValue(of: "p").flatMap { try? Hex.decode($0, countMax: 32) }
        return receivers.count > 1
            ? "\(receivers.count) receivers"
            : key.flatMap { $0.count == 32 ? PublicKeyText.npub($0) : nil }
                ?? "a receiver that cannot be read"
    }

    /// The receiver and the amount of a zap request.
    private var zapText: String {
        let amounts = tags.filter { $0[0] == "amount" }
        let much =
            amounts.count > 1
            ? "\(amounts.count) amounts" : zapAmount.map { "\($0) millisatoshi" } ?? "any amount"
        return "asks for an invoice that pays \(much) to \(receiver)"
    }
}
