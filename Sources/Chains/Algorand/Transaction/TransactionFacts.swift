// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension Transaction {
    /// Returns the facts about the fields of the type; a field that the type lacks is absent, never
    /// 0.
    package func bodyFacts(
        _ address: ([UInt8]) -> FactValue
    ) -> [Fact] {
        switch body {
        case .payment(let payment): return [Fact("amount", .unsigned(payment.amount))]
        case .assetTransfer(let transfer):
            let facts = [
                Fact("asset", .unsigned(transfer.asset)),
                Fact("asset.amount", .unsigned(transfer.amount)), Fact("opt_in", .bool(isOptIn)),
            ]
            guard let source = transfer.source else { return facts }
            return facts + [Fact("asset.source", address(source), isCritical: true)]
        case .assetConfiguration(let configuration): return configuration.facts(address)
        case .assetFreeze(let freeze):
            return [
                Fact("asset", .unsigned(freeze.asset)), Fact("frozen", .bool(freeze.isFrozen)),
                Fact("freeze.account", address(freeze.account ?? Self.zeroAddress)),
            ]
        case .applicationCall(let call):
            return [Fact("opt_in", .bool(isOptIn))] + call.facts(address)
        case .keyRegistration(let registration): return registration.facts
        }
    }

    /// True if the account only accepts an asset or opts in to an application.
    package var isOptIn: Bool {
        switch body {
        case .assetTransfer(let transfer):
            transfer.amount == 0 && transfer.receiver == sender && transfer.closeTo == nil
                && transfer.source == nil
        case .applicationCall(let call): call.onCompletion == .optIn
        default: false
        }
    }
}

extension AssetConfiguration {
    fileprivate func facts(_ address: ([UInt8]) -> FactValue) -> [Fact] {
        var facts = [
            Fact("asset", .unsigned(asset)), Fact("asset.action", .text(action.rawValue)),
        ]
        if action == .create {
            facts.append(Fact("asset.total", .unsigned(parameters?.total ?? 0)))
            facts.append(Fact("asset.decimals", .unsigned(parameters?.decimals ?? 0)))
            let isFrozen = parameters?.isFrozenByDefault ?? false
            facts.append(Fact("asset.frozen_at_first", .bool(isFrozen)))
        }
        guard let parameters else { return facts }
        let texts = [
            ("asset.name", parameters.name), ("asset.unit", parameters.unit),
            ("asset.url", parameters.url),
        ]
        for (name, text) in texts {
            // Bytes that are not text have no such fact; content.hash covers them.
            if case .text(let text)? = text { facts.append(Fact(name, .text(text))) }
        }
        if let digest = parameters.metadataHash {
            facts.append(Fact("asset.metadata", .bytes(digest)))
        }
        let roles = [
            ("asset.manager", parameters.manager), ("asset.reserve", parameters.reserve),
            ("asset.freeze", parameters.freeze), ("asset.clawback", parameters.clawback),
        ]
        for (name, key) in roles {
            if let key { facts.append(Fact(name, address(key))) }
        }
        return facts
    }
}

extension KeyRegistration {
    fileprivate var facts: [Fact] {
        let state = Fact("participation", .text(participation.rawValue))
        guard participation == .online else { return [state] }
        var facts = [
            state, Fact("vote.rounds", .unsigned(lastVote - firstVote)),
            Fact("vote.first", .unsigned(firstVote)), Fact("vote.last", .unsigned(lastVote)),
            Fact("vote.dilution", .unsigned(keyDilution)),
        ]
        let keys = [
            ("vote.key", voteKey), ("vote.selection_key", selectionKey),
            ("vote.proof_key", stateProofKey),
        ]
        for (name, key) in keys {
            if let key { facts.append(Fact(name, .bytes(key))) }
        }
        return facts
    }
}
