// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension ActionsFinding {
    /// What leaves the account for sure or at most; `bytes` is the length of the transaction.
    ///
    /// What others take to the chain, they pay the gas of. They pay its deposits as well, but that
    /// is counted all the same: where the actions fail they are given back to the signer.
    func outflows(on network: AssetNetwork, bytes: Int, paysGas: Bool) -> [Outflow] {
        // Nobody said how much an account holds that gives all of it away.
        var near = actions.contains(where: \.endsAccount) ? .max : deposit
        if paysGas {
            let attached = GasBound.price(of: gas)
            let fees = GasBound.price(of: GasBound.fees(of: actions, to: receiver, bytes: bytes))
            near = near.addingSaturated(attached).addingSaturated(fees)
                .addingSaturated(GasBound.burned(by: actions))
        }
        var outflows = near > 0 ? [Outflow(network.near, Int128(clamping: near))] : []
        guard tokens.allSatisfy(\.isReadable) else { return outflows }
        for token in tokens {
            outflows += token.moves.map { move in
                Outflow(
                    network.token(of: receiver, named: move.token), Int128(clamping: move.amount))
            }
        }
        return Outflow.totals(of: outflows)
    }

    /// What nobody can say of the actions, so that no remembered answer is about them.
    var undetermined: [String] {
        var names: [String] = []
        if isOpaque || !arguments.isWhole { names.append("args.names") }
        let isBurning = dangers.contains(.burnsTokens)
        if isBurning || !tokens.allSatisfy(\.isReadable) { names.append("token.amount") }
        return names
    }
}

extension NEARAction {
    fileprivate var endsAccount: Bool { if case .deleteAccount = self { true } else { false } }
}

/// The assets of one network; those of a network that is not known are not those of any other.
struct AssetNetwork {
    private let name: String?

    /// Nil is a network that is nobody's word but the client's.
    init(_ name: String?) { self.name = name }

    private var text: String { name ?? "a network that is not known" }
    private var id: String { "near/\(name ?? "unknown")" }

    var near: Asset { Asset(id: "\(id)/near", network: text, name: "yoctoNEAR", unit: .near) }

    /// A token of a contract; `name` is its name among several.
    func token(of contract: String, named name: String?) -> Asset {
        let shown = name.map {
            " \"\(VisibleText.quotable($0, countMax: Self.shownMax))\""
        }
        return Asset(
            id: "\(id)/token/\(contract)" + (name.map { "/\($0)" } ?? ""), network: text,
            name: "of the token\(shown ?? "") of \(contract)", unit: nil)
    }

    private static let shownMax = 64
}

/// What a transaction costs at most, by the fees of protocol 85.
enum GasBound {
    /// 20 times the least price, which is the most that blocks ask: yoctoNEAR for a gas.
    private static let priceMax: UInt128 = 2_000_000_000
    private static let teragas: UInt64 = 1_000_000_000_000
    private static let receiptMax = teragas
    private static let actionMax = 2 * teragas
    /// An action that makes an account, as a transfer to an implicit one does.
    private static let accountMax = 9 * teragas
    /// Code is the dearest: sent, stored and compiled.
    private static let byteMax: UInt64 = 120_000_000
    /// What a byte of code for everyone costs, burned: yoctoNEAR.
    private static let globalByte: UInt128 = 100_000_000_000_000_000_000

    static func price(of gas: UInt64) -> UInt128 {
        UInt128(gas).multipliedSaturated(by: priceMax)
    }

    /// The gas that is charged besides what calls attach, in whole Tgas.
    static func fees(of actions: [NEARAction], to receiver: String, bytes: Int) -> UInt64 {
        let sum = fees(of: actions, to: receiver)
            .addingSaturated(UInt64(clamping: bytes).multipliedSaturated(by: byteMax))
        return (sum / teragas).addingSaturated(1).multipliedSaturated(by: teragas)
    }

    private static func fees(of actions: [NEARAction], to receiver: String) -> UInt64 {
        actions.reduce(receiptMax) { sum, action in
            switch action {
            case .createAccount, .deterministicStateInit: sum.addingSaturated(accountMax)
            case .transfer:
                sum.addingSaturated(isImplicit(receiver) ? accountMax : actionMax)
            case .delegate(let signed), .delegateV2(let signed):
                sum.addingSaturated(actionMax).addingSaturated(
                    fees(of: signed.action.actions, to: signed.action.receiver))
            default: sum.addingSaturated(actionMax)
            }
        }
    }

    /// What publishing code burns.
    static func burned(by actions: [NEARAction]) -> UInt128 {
        actions.reduce(0) { sum, action in
            guard case .deployGlobalContract(let code, _) = action else { return sum }
            return sum.addingSaturated(
                UInt128(clamping: code.count).multipliedSaturated(by: globalByte))
        }
    }

    /// Whether the account is made by whoever pays to it first: names of a key, of an Ethereum
    /// address, of a state.
    private static func isImplicit(_ account: String) -> Bool {
        let digits: Substring
        switch account.utf8.count {
        case 64: digits = account[...]
        case 42 where account.hasPrefix("0x") || account.hasPrefix("0s"):
            digits = account.dropFirst(2)
        default: return false
        }
        return digits.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
            default: false
            }
        }
    }
}
