// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
package import SigningStorage
internal import SigningVault

extension OwnerActs {
    /// Stops all signing in the home, for the reason given.
    ///
    /// Returns the error of the record if only the file beside it notes the freeze, which is in
    /// effect as well. The command does it without opening the home, so that damage does not
    /// prevent it.
    package static let freeze = OwnerAct<String, ServiceError?>(
        ActDescription(
            name: "freeze", summary: "stop all signing at once", arguments: [.reason],
            operation: .init(
                id: "freeze", method: "POST", path: "/v1/freeze", permission: .owner))
    ) { reason, place in
        try OpenHome.freeze(place.home.home.path, because: reason)
    }

    /// Allows signing again; returns false if signing was not frozen.
    package static let thaw = JointAct<Void, Bool>(
        ActDescription(name: "thaw", summary: "allow signing again")
    ) { _, place, asking in
        let ledger = try place.ledger()
        try ledger.recordFreezeMark()
        try ledger.catchUp()
        let freezes = try ledger.freezes()
        guard try ledger.freezeReason() != nil else { return false }
        let (questions, consent) = try await place.home.consent(
            to: .thaw(freeze: freezes.first?.entryHash ?? []), in: ledger, asking
        ) { _ in
            guard !freezes.isEmpty else {
                throw ServiceError(
                    "the record no longer contains the entry of this freeze",
                    hint: "run countersign freeze REASON, then countersign thaw")
            }
            return Freeze.text(ofEnding: freezes)
        }
        do {
            let isThawed = try ledger.thaw(
                at: SystemEnvironment().now(), consent,
                signedBy: place.home.vault.openLogKey())
            if !isThawed { await questions.withdraw(consent) }
            return isThawed
        } catch {
            await questions.withdraw(consent)
            throw error
        }
    }
}

extension Freeze {
    /// The maximum number of freezes shown, the newest first; a reason has at most 512 bytes.
    private static let shownMax = 20

    /// The text that describes the end of these freezes to approvers.
    package static func text(ofEnding freezes: [Freeze]) -> String {
        var rows = ["allow signing again"]
        for freeze in freezes.prefix(shownMax) {
            let hub = freeze.hub.map { ", by hub \($0)" } ?? ""
            let why = VisibleText.escaped(freeze.reason)
            rows.append("  frozen    \(freeze.time.utcText)\(hub): \(why)")
        }
        if freezes.count > shownMax {
            let rest = freezes.count - shownMax
            let more = freezes.count == Freeze.countMax ? " or more" : ""
            rows.append("  frozen    and \(rest)\(more) times before: countersign audit list")
        }
        return rows.joined(separator: "\n")
    }
}
