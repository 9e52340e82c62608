// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SigningItem {
    package var effects: [Effect] {
        var effects: [Effect] = [.spends]
        if grantsAuthority { effects.append(.grantsAuthority) }
        switch wire.transaction.body {
        case .assetConfiguration(let configuration) where configuration.action == .destroy:
            effects.append(.deletes)
        case .applicationCall(let call) where call.onCompletion == .delete:
            effects.append(.deletes)
        default: break
        }
        return effects
    }

    /// True if a key that is not held here gains power over the account or its asset.
    ///
    /// Vote keys do not count, as they cannot spend.
    private var grantsAuthority: Bool {
        if let key = wire.transaction.rekeyedAwayTo, !keys.holds(key) { return true }
        switch wire.transaction.body {
        case .assetConfiguration(let configuration) where configuration.action == .reconfigure:
            return configuration.parameters?.authorities.contains { !keys.holds($0) } ?? false
        default: return false
        }
    }

    /// The dangers that a rule must acknowledge, also if an account held here gains by them.
    ///
    /// A rule that limits an amount must not allow all other effects as well.
    package var dangers: [Danger] {
        var dangers: [Danger] = []
        if wire.transaction.rekeyedAwayTo != nil { dangers.append(.rekey) }
        dangers += wire.transaction.body.dangers
        if isPart { dangers.append(.partialMultisig) }
        if isForeign { dangers.append(.foreignSender) }
        if isRekeyed, !isForeign, !isPart, !decision.signers.isEmpty {
            dangers.append(.rekeyedAccount)
        }
        if authority.isUnconfirmed, !decision.signers.isEmpty {
            dangers.append(.authorityUnknown)
        }
        if group.hasHighFee || group.isHigh(feeOf: wire.transaction) { dangers.append(.highFee) }
        if !network.isKnown { dangers.append(.unknownNetwork) }
        return dangers
    }

    /// True if the transaction cannot be valid for a long time; nil for an unknown network.
    package var isFarAhead: Bool? {
        network.unreachedRound(at: time).map { wire.transaction.firstValid >= $0 }
    }

    /// True if the sender is neither held nor kept here, and the signatures may suffice to move its
    /// funds.
    ///
    /// If only the client says that these keys sign for the account, they may be members of it.
    /// Then the signature is a part of the multisignature. An incomplete share has another danger:
    /// `partial_multisig`.
    private var isForeign: Bool {
        let sender = wire.transaction.sender
        guard !decision.signers.isEmpty, !keys.holds(sender),
            keys.kept(sender, on: network) == nil
        else { return false }
        guard isRekeyed else { return isWholeShare }
        // Another key is searched only for an account that the owner keeps.
        return !authority.isFound && keys.watchedSigner(of: sender, on: network) != authority.key
    }

    private var isWholeShare: Bool {
        if case .share(let share) = decision { share.isComplete } else { false }
    }

    /// True if other members can complete the signatures, according to the owner or the client.
    ///
    /// The signature of a member is the same under every authority. For an account that the owner
    /// keeps, the members are known, and the claim of the client does not count.
    private var isPart: Bool {
        if case .share(let share) = decision, !share.isComplete { return true }
        guard isRekeyed,
            let kept = keys.kept(wire.transaction.sender, on: network)
        else { return false }
        return decision.signers.contains { kept.keys.contains($0.publicKey) }
    }

    /// The warnings about the dangers, with fewer words if an account held here gains.
    package var warnings: [String] {
        var warnings: [String] = dangers.compactMap { danger in
            if danger == .foreignSender, !isRekeyed {
                return
                    "the multisignature account is not kept here, and the keys here can sign "
                    + "for it alone"
            }
            if danger == .rekeyedAccount { return authority.rekeyedWarning }
            if danger == .keyRegistration { return keyRegistrationWarning }
            return loss(danger) ?? danger.warning
        }
        let ofRounds =
            isFarAhead == true
            ? ["it becomes valid in a year or more: anyone who keeps it can use it then"] : []
        warnings += decision.signers.isEmpty ? [] : wire.transaction.costWarnings
        guard case .share = decision, isRekeyed, authority.source == .client else {
            return warnings + ofRounds
        }
        return warnings + ofRounds + [
            "only the client says that the account is rekeyed to these members; if it is not, "
                + "one signature may be enough"
        ]
    }
}

extension SigningItem {
    /// Returns what the account loses by a danger, and to which key; nil without that danger.
    func loss(_ danger: Danger) -> String? {
        let transaction = wire.transaction
        let target = danger == .rekey ? transaction.rekeyTo : transaction.closeTo
        guard [.rekey, .closeOut, .assetClose].contains(danger), dangers.contains(danger),
            let target
        else { return nil }
        let key = AlgorandAddress.text(publicKey: target.span)
        // If another party signs the transaction, that party bears the loss.
        let who = decision.signers.isEmpty ? "The sender loses" : "You lose"
        switch (danger, keys.holds(target)) {
        case (.rekey, false):
            return "\(who) this account: anyone with the key of \(key) controls it from then on"
        case (.rekey, true): return "another key held here controls the account then: \(key)"
        case (.closeOut, false):
            return "\(who) all that is left in this account: it is closed, and \(key) gets the rest"
        case (.closeOut, true):
            return "the account is closed, and all that is left moves to \(key), held here"
        case (.assetClose, false): return "\(who) all units of the asset: \(key) gets them"
        case (.assetClose, true): return "all units of the asset move to \(key), held here"
        default: return nil
        }
    }
}

extension Transaction {
    /// The new signing key, if it is not the key of the account itself.
    fileprivate var rekeyedAwayTo: [UInt8]? { rekeyTo == sender ? nil : rekeyTo }
}

extension Transaction.Body {
    fileprivate var dangers: [Danger] {
        switch self {
        case .payment(let payment): payment.closeTo == nil ? [] : [.closeOut]
        case .assetTransfer(let transfer):
            (transfer.closeTo == nil ? [] : [.assetClose])
                + (transfer.source == nil ? [] : [.clawback])
        case .assetConfiguration(let configuration):
            switch configuration.action {
            case .create: []
            case .reconfigure: [.assetReconfigure]
            case .destroy: [.assetDestroy]
            }
        case .assetFreeze: []
        case .applicationCall(let call):
            switch call.onCompletion {
            case .update: [.appUpdate]
            case .delete: [.appDelete]
            case .noOp, .optIn, .closeOut, .clearState: []
            }
        case .keyRegistration(let registration):
            [.keyRegistration]
                + (registration.participation == .nonparticipating ? [.nonParticipation] : [])
        }
    }
}

extension AssetConfiguration.Parameters {
    /// The keys that control the asset afterwards.
    fileprivate var authorities: [[UInt8]] { [manager, freeze, clawback].compactMap(\.self) }
}

extension Danger {
    /// The warning about a danger.
    package var warning: String? {
        switch self {
        case .rekey: "the account is lost: another key controls it from then on"
        case .closeOut: "all that is left in the account is lost: it is closed"
        case .assetClose: "all units of the asset are lost: they leave the account"
        case .clawback: "the asset is taken from another person's account"
        case .appUpdate: "the code of the application is replaced"
        case .appDelete: "the application is deleted"
        case .assetDestroy: "the asset is destroyed"
        case .assetReconfigure:
            "you can lose control of the asset: others manage it, and an address that is left "
                + "out is lost for ever"
        case .keyRegistration: "the account's part in consensus changes"
        case .nonParticipation: "the account can never take part in consensus again"
        case .partialMultisig: "others must sign as well, and may do so at any time"
        case .foreignSender:
            "this home does not have the account; only the client says that this key signs for it"
        case .rekeyedAccount: "the key of another account signs for this one"
        case .authorityUnknown:
            "no node says which key signs for the account: the signature may be useless"
        case .rawMessage:
            "the text is signed without a prefix: another protocol may read it as its own"
        case .clientMismatch: "the client may not belong to the domain: nothing proves it"
        case .oversize: "the message is unusually long; you may see only its beginning"
        case .highFee: "the fee is unusually high"
        case .unsettled:
            "the same was signed before, and its outcome is not known: both may be carried out"
        case .unknownNetwork: "the network is neither mainnet nor testnet"
        case .controlCharacters: "a text has characters that cannot be seen"
        default: nil
        }
    }
}
