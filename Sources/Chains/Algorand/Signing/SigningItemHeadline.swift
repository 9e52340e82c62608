// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension SigningItem {
    /// Returns the effect in one phrase, with all accounts that receive something.
    ///
    /// `takesEffect` is true if the transaction is posted, so that it has its effect whichever key
    /// signs.
    package func headline(
        takesEffect: Bool
    ) -> Summary.Headline {
        func address(_ key: [UInt8]) -> String {
            AlgorandAddress.text(publicKey: key.span)
        }
        let transaction = wire.transaction
        let losses = [Danger.rekey, .closeOut, .assetClose].compactMap(loss)
        var text = (losses + [transaction.titleText + transaction.partiesText(address)])
            .joined(separator: "; ")
        if let phrase = abi?.phrase { text += ", \(phrase)" }
        if dangers.contains(.highFee) {
            text += "; fee \(AmountUnit.algo.text(of: Int128(transaction.fee)))"
        }
        guard let signedBy else {
            text += "; from \(address(transaction.sender)), "
            text += decision == .leave ? "not signed here" : "signed elsewhere"
            return Summary.Headline(takesEffect ? gravity : .plain, text)
        }
        return Summary.Headline(gravity, text + signedBy)
    }

    /// The keys that sign; nil if no key here signs.
    private var signedBy: String? {
        guard !decision.signers.isEmpty else { return nil }
        return "; with \(decision.signers.map(\.name).joined(separator: ", "))"
    }

    /// The gravity of the effect; an app call may transfer assets of the app, which is not visible
    /// here.
    private var gravity: Summary.Headline.Gravity {
        let dangers = dangers
        if dangers.contains(.rekey) || dangers.contains(.closeOut) { return .loss }
        if dangers.contains(where: [Danger].endings.contains) { return .authority }
        switch wire.transaction.body {
        case .payment, .keyRegistration: return .value
        case .assetTransfer where !wire.transaction.isOptIn: return .value
        case .applicationCall, .assetConfiguration, .assetFreeze: return .flagged
        case .assetTransfer: return .plain
        }
    }
}

extension Transaction {
    /// Returns the receivers, and other parties that distinguish it from similar transactions.
    fileprivate func partiesText(
        _ address: ([UInt8]) -> String
    ) -> String {
        switch body {
        case .payment: return " to \(address(receiver ?? Self.zeroAddress))"
        case .assetTransfer(let transfer):
            if isOptIn { return "" }
            let source = transfer.source.map { " from \(address($0))" } ?? ""
            return source + " to \(address(receiver ?? Self.zeroAddress))"
        case .assetConfiguration(let configuration):
            guard configuration.action == .reconfigure else { return "" }
            return configuration.rolesText(address)
        case .assetFreeze(let freeze):
            return " of \(address(freeze.account ?? Self.zeroAddress))"
        case .applicationCall(let call): return call.codeText()
        case .keyRegistration(let registration):
            return registration.voteKey.map { ", vote key hex \(Hex.encode($0.span))" } ?? ""
        }
    }
}

extension AssetConfiguration {
    /// Returns the accounts that control the asset afterwards.
    fileprivate func rolesText(_ address: ([UInt8]) -> String) -> String {
        let roles = [
            ("manager", parameters?.manager), ("reserve", parameters?.reserve),
            ("freeze", parameters?.freeze), ("clawback", parameters?.clawback),
        ]
        return roles.map { ", \($0) \($1.map(address) ?? "nobody")" }.joined()
    }
}

extension ApplicationCall {
    /// Returns the method that is called and the hash of the code that is installed.
    fileprivate func codeText() -> String {
        var text = ""
        if let first = arguments.first {
            text += first.count == 4 ? ", method \(Hex.encode(first.span))" : ""
            text += ", \(arguments.count) argument\(arguments.count == 1 ? "" : "s")"
        }
        for (label, program) in [("approval", approvalProgram), ("clear", clearProgram)]
        where !program.isEmpty {
            text += ", \(label) code \(Hex.encode(Self.hash(of: program).span))"
        }
        return text
    }
}
