// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The combined effects of the actions of one transaction or delegate action.
struct ActionsFinding {
    let receiver: String
    let actions: [NEARAction]
    private(set) var methods: [String] = []
    private(set) var deposit: UInt128 = 0
    private(set) var gas: UInt64 = 0
    private(set) var stake: UInt128?
    private(set) var keys = AddedKeys()
    private(set) var tokens: [TokenCall] = []
    private(set) var arguments = ArgumentFacts([])
    private(set) var dangers: [Danger] = []
    private(set) var effects: [Effect] = []
    /// True if arguments or code are not understood.
    private(set) var isOpaque = false
    /// True if a fact is left out that rules must not take for absent.
    var isPartial: Bool {
        let amountCount = tokens.count { $0.amount != nil }
        return isOpaque || !arguments.isWhole
            || (amountCount > 0 && amountCount < tokens.count)
    }

    init(_ actions: [NEARAction], of receiver: String) {
        self.receiver = receiver
        self.actions = actions
        var calls: [JSON] = []
        for action in actions { add(action, &calls) }
        if isOpaque { flag(.opaque, .spends) }
        if deposit > 0 { flag(nil, .spends) }
        if calls.count == methods.count { arguments = ArgumentFacts(calls) }
    }

    private mutating func flag(_ danger: Danger?, _ effect: Effect? = nil) {
        if let danger, !dangers.contains(danger) { dangers.append(danger) }
        if let effect, !effects.contains(effect) { effects.append(effect) }
    }

    private mutating func add(_ action: NEARAction, _ calls: inout [JSON]) {
        pay(action)
        switch action {
        case .createAccount, .transfer, .transferToGasKey, .withdrawFromGasKey: break
        case .deployContract, .deployGlobalContract, .useGlobalContract, .deterministicStateInit:
            flag(.deploysCode, .grantsAuthority)
        case .functionCall(let call): add(call, &calls)
        case .stake(let amount, _):
            stake = (stake ?? 0).addingSaturated(amount)
            flag(.stakes)
        case .addKey(let key, let access): add(key, access)
        case .deleteKey: flag(.deletesKey)
        case .deleteAccount:
            flag(.deletesAccount, .deletes)
            flag(nil, .spends)
        case .delegate(let signed), .delegateV2(let signed):
            flag(.delegates)
            // The relayer pays for the inner actions, but their sender acts.
            for inner in signed.action.actions { pay(inner) }
        }
    }

    private mutating func pay(_ action: NEARAction) {
        deposit = deposit.addingSaturated(action.deposit)
        if case .functionCall(let call) = action { gas = gas.addingSaturated(call.gas) }
    }

    private mutating func add(_ call: FunctionCall, _ calls: inout [JSON]) {
        methods.append(call.method)
        let json = call.json
        if let json { calls.append(json) } else if call.args.isEmpty { calls.append([:]) }
        if let token = TokenCall(call) {
            tokens.append(token)
            flag(.tokenTransfer, .spends)
        }
        if call.args.count > FunctionCall.argsUsualMax { flag(.oversize) }
        flagContent(of: call)
        if call.asksDAO { flagProposal(call) }
    }

    /// Flags what a DAO would do if it follows the call; not that it spends, because that is the
    /// DAO's balance.
    private mutating func flagProposal(_ call: FunctionCall) {
        guard let change = CallMeaning(of: call, by: receiver)?.proposed else {
            isOpaque = true
            return
        }
        if change.changesControl { flag(.changesControl, .grantsAuthority) }
        if change.hasOrder { isOpaque = true }
        for inner in change.calls {
            flagContent(of: inner)
            // Proposals inside of proposals are not read.
            if inner.asksDAO { isOpaque = true }
        }
    }

    /// Flags what a call does, be it of the account or of a DAO.
    private mutating func flagContent(of call: FunctionCall) {
        let json = call.json
        if let token = TokenCall(call) {
            if !token.isReadable || token.hasOrder { isOpaque = true }
        } else if !call.args.isEmpty, json == nil {
            isOpaque = true
        }
        if call.addsContractKey { flag(.addsKey, .grantsAuthority) }
        if call.deletesContractKey { flag(.deletesKey) }
        if call.changesControl { flag(.changesControl, .grantsAuthority) }
        if call.burnsTokens { flag(.burnsTokens, .spends) }
        let shown = [call.method, json == nil ? "" : String(decoding: call.args, as: UTF8.self)]
        if shown.contains(where: VisibleText.hasHidden) { flag(.controlCharacters) }
    }

    private mutating func add(_ key: KeyText, _ access: AccessKey) {
        flag(.addsKey, .grantsAuthority)
        keys.add(access)
        guard let bounds = access.bounds else {
            flag(.fullAccessKey)
            return
        }
        if ([bounds.receiver] + bounds.methods).contains(where: VisibleText.hasHidden) {
            flag(.controlCharacters)
        }
    }
}

extension NEARAction {
    /// The amount in yoctoNEAR that the account pays besides gas.
    ///
    /// The actions inside a delegate action are counted separately.
    var deposit: UInt128 {
        switch self {
        case .functionCall(let call): call.deposit
        case .transfer(let amount), .deterministicStateInit(_, let amount),
            .transferToGasKey(_, let amount):
            amount
        case .addKey(_, let access): access.gasKey?.balance ?? 0
        case .createAccount, .deployContract, .stake, .deleteKey, .deleteAccount, .delegate,
            .deployGlobalContract, .useGlobalContract, .withdrawFromGasKey, .delegateV2:
            0
        }
    }
}

extension FunctionCall {
    private static let limits = JSONLimits(
        bytesMax: 256 << 10, depthMax: 32, valuesMax: 16_384)
    /// The length of arguments beyond which the call has a danger, in bytes.
    static let argsUsualMax = 4_096

    /// The arguments, if they are a JSON object that can be read in only one way.
    var json: JSON? {
        guard let json = try? JSON.parse(args.span, limits: Self.limits), json.object != nil else {
            return nil
        }
        return json
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// Returns the sum, or the maximum if it overflows: sums are compared with limits.
    func addingSaturated(_ other: Self) -> Self {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? .max : sum
    }

    /// Returns the product, or the maximum if it overflows.
    func multipliedSaturated(by other: Self) -> Self {
        let (product, isOver) = multipliedReportingOverflow(by: other)
        return isOver ? .max : product
    }
}
