// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// What the actions of one transaction or delegate action come to.
struct ActionsFinding {
    private let receiver: String
    private var names: [String] = []
    private var methods: [String] = []
    private var deposit: UInt128 = 0
    private var gas: UInt64 = 0
    private var stake: UInt128?
    private var allowance: UInt128?
    private var hasUnlimitedKey = false
    private var addsFullAccessKey = false
    private var keyReceivers: [String] = []
    private var keyMethods: [String] = []
    private var beneficiary: String?
    private var tokens: [TokenCall] = []
    private(set) var dangers: [Danger] = []
    private(set) var effects: [Effect] = [.spends]
    /// Whether arguments or code have no meaning that is known here.
    private(set) var isOpaque = false
    /// Whether a fact is kept back that rules must not take for absent.
    var isPartial: Bool {
        let amountCount = tokens.count { $0.amount != nil }
        return isOpaque || (amountCount > 0 && amountCount < tokens.count)
    }

    init(_ actions: [NEARAction], of receiver: String) {
        self.receiver = receiver
        for action in actions { add(action) }
        if isOpaque { flag(.opaque) }
    }

    private mutating func flag(_ danger: Danger, _ effect: Effect? = nil) {
        if !dangers.contains(danger) { dangers.append(danger) }
        if let effect, !effects.contains(effect) { effects.append(effect) }
    }

    private mutating func add(_ action: NEARAction) {
        names.append(action.name)
        pay(action)
        switch action {
        case .createAccount, .transfer, .transferToGasKey, .withdrawFromGasKey: break
        case .deployContract, .deployGlobalContract, .useGlobalContract, .deterministicStateInit:
            flag(.deploysCode, .grantsAuthority)
        case .functionCall(let call): add(call)
        case .stake(let amount, _):
            stake = (stake ?? 0).addingSaturated(amount)
            flag(.stakes)
        case .addKey(_, let access): add(access)
        case .deleteKey: flag(.deletesKey)
        case .deleteAccount(let account):
            beneficiary = account
            flag(.deletesAccount, .deletes)
        case .delegate(let signed), .delegateV2(let signed):
            flag(.delegates)
            // Who takes it to the chain pays for what is in it, though its sender acts.
            for inner in signed.action.actions { pay(inner) }
        }
    }

    private mutating func pay(_ action: NEARAction) {
        switch action {
        case .functionCall(let call):
            deposit = deposit.addingSaturated(call.deposit)
            gas = gas.addingSaturated(call.gas)
        case .transfer(let amount), .deterministicStateInit(_, let amount),
            .transferToGasKey(_, let amount):
            deposit = deposit.addingSaturated(amount)
        default: break
        }
    }

    private mutating func add(_ call: FunctionCall) {
        methods.append(call.method)
        if let token = TokenCall(call) {
            tokens.append(token)
            flag(.tokenTransfer)
            if !token.isReadable || token.hasOrder { isOpaque = true }
        } else if !call.args.isEmpty, call.json == nil {
            isOpaque = true
        }
        if call.args.count > FunctionCall.argsShownMax { flag(.oversize) }
        if call.addsContractKey { flag(.addsKey, .grantsAuthority) }
        let shown = [
            call.method, call.json == nil ? "" : String(decoding: call.args, as: UTF8.self),
        ]
        if shown.contains(where: VisibleText.hasHidden) { flag(.controlCharacters) }
    }

    private mutating func add(_ access: AccessKey) {
        flag(.addsKey, .grantsAuthority)
        guard let bounds = access.bounds else {
            addsFullAccessKey = true
            hasUnlimitedKey = true
            flag(.fullAccessKey)
            return
        }
        if let limit = bounds.allowance { allowance = (allowance ?? 0).addingSaturated(limit) }
        if bounds.allowance == nil { hasUnlimitedKey = true }
        if ([bounds.receiver] + bounds.methods).contains(where: VisibleText.hasHidden) {
            flag(.controlCharacters)
        }
        keyReceivers.append(bounds.receiver)
        keyMethods += bounds.methods.isEmpty ? ["*"] : bounds.methods
    }

    /// The use of the key with all that rules may ask about it.
    func operation(
        _ account: Account, _ input: SigningInput, isNonceGiven: Bool, and more: [Danger] = [],
        _ facts: [Fact] = []
    ) -> RequestedOperation {
        let nonce: [Danger] = isNonceGiven ? [.offlineNonce] : []
        return RequestedOperation(
            account: account, operation: .sign(input),
            facts: self.facts(for: account.address) + facts,
            effects: effects, dangers: dangers + more.filter { !dangers.contains($0) } + nonce)
    }

    private func facts(for caller: String) -> [Fact] {
        var facts = [
            Fact("receiver", .text(receiver)), Fact("actions", .list(names.map { .text($0) })),
            Fact("actions.count", .integer(Int128(names.count))),
            Fact("deposit", .integer(Int128(clamping: deposit))),
            Fact("gas", .integer(Int128(gas))),
            Fact("adds_full_access_key", .bool(addsFullAccessKey), isCritical: addsFullAccessKey),
        ]
        if !methods.isEmpty { facts.append(Fact("method", .list(methods.map { .text($0) }))) }
        if let stake { facts.append(Fact("stake", .integer(Int128(clamping: stake)))) }
        // A key without a bound is more than any bound that a rule names.
        if hasUnlimitedKey || allowance != nil {
            let bound = hasUnlimitedKey ? Int128.max : Int128(clamping: allowance ?? 0)
            facts.append(Fact("allowance", .integer(bound)))
        }
        if !keyReceivers.isEmpty {
            facts.append(Fact("key.receiver", .list(keyReceivers.map { .text($0) })))
            facts.append(Fact("key.methods", .list(keyMethods.map { .text($0) })))
        }
        if let beneficiary {
            facts.append(Fact("beneficiary", .text(beneficiary), isCritical: true))
        }
        return facts + tokenFacts(for: caller)
    }

    /// Nothing where one call cannot be read: rules must not take the others for all.
    private func tokenFacts(for caller: String) -> [Fact] {
        guard !tokens.isEmpty, tokens.allSatisfy(\.isReadable) else { return [] }
        var facts = [
            Fact("token.receiver", .list(tokens.map { .text($0.receiver ?? caller) }))
        ]
        let amounts = tokens.compactMap(\.amount)
        if amounts.count == tokens.count {
            let sum = amounts.reduce(UInt128(0)) { $0.addingSaturated($1) }
            facts.append(Fact("token.amount", .integer(Int128(clamping: sum))))
        }
        let ids = tokens.flatMap(\.tokens)
        if !ids.isEmpty { facts.append(Fact("token.ids", .list(ids.map { .text($0) }))) }
        return facts
    }
}

extension FunctionCall {
    private static let limits = JSONLimits(
        bytesMax: 256 << 10, depthMax: 32, valuesMax: 16_384)

    /// The arguments, where they are a JSON object that is read in one way only.
    var json: JSON? {
        guard let json = try? JSON.parse(args.span, limits: Self.limits), json.object != nil else {
            return nil
        }
        return json
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The sum, or the largest number: what is summed here is held against bounds.
    func addingSaturated(_ other: Self) -> Self {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? .max : sum
    }
}
