// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension ActionsFinding {
    /// Returns the maximum amounts that leave the account; `bytes` is the length of the
    /// transaction.
    ///
    /// The relayer of a delegate action pays its gas and its deposits. The deposits are counted
    /// anyway, because the chain refunds them to the signer if the actions fail.
    func outflows(on network: AssetNetwork, bytes: Int, paysGas: Bool) -> [Outflow] {
        // The balance of a deleted account is unknown, so its outflow is the maximum.
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

    /// The facts that cannot be determined for these actions, so that no grant covers them.
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

/// The assets of one network; the assets of an unknown network equal those of no other network.
struct AssetNetwork {
    private let name: String?

    /// Creates the assets; `name` is nil if only the client says which network it is.
    init(_ name: String?) { self.name = name }

    private var text: String { name ?? "an unknown network" }
    private var id: String { "near/\(name ?? "unknown")" }

    var near: Asset { Asset(id: "\(id)/near", network: text, name: "yoctoNEAR", unit: .near) }

    /// Returns a token of a contract; `name` is the token id if the contract has several tokens.
    func token(of contract: String, named name: String?) -> Asset {
        let shown = name.map {
            " \($0.shown(countMax: TokenCall.idMax))"
        }
        return Asset(
            id: "\(id)/token/\(contract)" + (name.map { "/\($0)" } ?? ""), network: text,
            name: "of the token\(shown ?? "") of \(contract)", unit: nil)
    }
}

/// The maximum cost of a transaction, by the fees of protocol 85.
enum GasBound {
    /// The maximum gas price in yoctoNEAR: 20 times the minimum price.
    private static let priceMax: UInt128 = 2_000_000_000
    private static let teragas: UInt64 = 1_000_000_000_000
    private static let receiptMax = teragas
    private static let actionMax = 2 * teragas
    /// The gas of an action that creates an account, such as a transfer to an implicit account.
    private static let accountMax = 9 * teragas
    /// The gas of one byte of code, which is the most expensive content: sent, stored and compiled.
    private static let byteMax: UInt64 = 120_000_000
    /// The amount that one byte of a global contract burns, in yoctoNEAR.
    private static let globalByte: UInt128 = 100_000_000_000_000_000_000

    static func price(of gas: UInt64) -> UInt128 {
        UInt128(gas).multipliedSaturated(by: priceMax)
    }

    /// Returns the gas that is charged in addition to the attached gas, in whole Tgas.
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

    /// Returns the amount that publishing global contracts burns, in yoctoNEAR.
    static func burned(by actions: [NEARAction]) -> UInt128 {
        actions.reduce(0) { sum, action in
            guard case .deployGlobalContract(let code, _) = action else { return sum }
            return sum.addingSaturated(
                UInt128(clamping: code.count).multipliedSaturated(by: globalByte))
        }
    }

    /// True if the first payment creates the account.
    ///
    /// Such an id is made from a key, an Ethereum address or a contract state.
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
