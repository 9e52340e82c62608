// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension Transaction {
    /// What rules may ask about its own fields; what a type does not have is absent, never 0.
    func bodyFacts(_ address: ([UInt8]) -> FactValue) -> [Fact] {
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

    /// Whether the account only accepts an asset or takes part in an application.
    var isOptIn: Bool {
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
        }
        guard let parameters else { return facts }
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

extension ApplicationCall {
    /// Bytes of the first argument where it names a method by ARC-4.
    private static let selectorCount = 4

    fileprivate func facts(_ address: ([UInt8]) -> FactValue) -> [Fact] {
        var facts = [
            Fact("app_id", .unsigned(app)), Fact("on_complete", .text(onCompletion.name)),
            Fact("app_args.count", .integer(Int128(arguments.count))),
            Fact("app_args.bytes", .integer(Int128(arguments.reduce(0) { $0 + $1.count }))),
            Fact("boxes.count", .integer(Int128(usedBoxes.count))),
            Fact("programs.bytes", .integer(Int128(approvalProgram.count + clearProgram.count))),
        ]
        if let first = arguments.first, first.count == Self.selectorCount {
            facts.append(Fact("app_args.selector", .bytes(first)))
        }
        let lists = [
            ("app.accounts", usedAccounts.map(address)),
            ("app.assets", usedAssets.map { .unsigned($0) }),
            ("app.apps", usedApps.map { .unsigned($0) }),
        ]
        for (name, values) in lists where !values.isEmpty {
            facts.append(Fact(name, .list(values)))
        }
        return facts
    }
}

extension KeyRegistration {
    fileprivate var facts: [Fact] {
        let state = Fact("participation", .text(participation.rawValue))
        guard participation == .online else { return [state] }
        return [state, Fact("vote.rounds", .unsigned(lastVote - firstVote))]
    }
}
