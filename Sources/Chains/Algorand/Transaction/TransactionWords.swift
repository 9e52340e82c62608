// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension Transaction {
    /// The note, if it is text.
    ///
    /// A note is a byte string. Numbers and hashes are often valid UTF-8 by chance, so text must
    /// have no control characters except tabs and line ends.
    package var noteText: String? {
        guard !note.isEmpty, let text = try? UTF8Text.decode(note.span) else { return nil }
        let isText = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control
                || scalar == "\t" || scalar == "\n" || scalar == "\r"
        }
        return isText ? text : nil
    }

    /// The texts in the fields of an asset.
    package var assetTexts: [String?] {
        guard case .assetConfiguration(let configuration) = body else { return [] }
        let parameters = configuration.parameters
        return [parameters?.name, parameters?.unit, parameters?.url].map { $0?.string }
    }

    /// The amount or the object of the transaction, in words.
    package var subjectText: String {
        switch body {
        case .payment(let payment): AmountUnit.algo.text(of: Int128(payment.amount))
        case .assetTransfer(let transfer):
            isOptIn
                ? "asset \(transfer.asset)"
                : "\(transfer.amount) smallest units of asset \(transfer.asset)"
        case .assetConfiguration(let configuration): configuration.subjectText
        case .assetFreeze(let freeze): "asset \(freeze.asset)"
        case .applicationCall(let call): call.app == 0 ? "a new app" : "app \(call.app)"
        case .keyRegistration(let registration): registration.subjectText
        }
    }

    /// The kind of transaction, in words.
    package var kindText: String {
        switch body {
        case .payment: return "payment"
        case .assetTransfer(let transfer):
            if transfer.source != nil { return "asset clawback" }
            return isOptIn ? "asset opt-in" : "asset transfer"
        case .assetConfiguration(let configuration):
            switch configuration.action {
            case .create: return "asset creation"
            case .reconfigure: return "asset reconfiguration"
            case .destroy: return "asset destruction"
            }
        case .assetFreeze(let freeze): return freeze.isFrozen ? "asset freeze" : "asset unfreeze"
        case .applicationCall(let call): return call.kindText
        case .keyRegistration: return "key registration"
        }
    }

    /// The kind and the subject as one phrase.
    package var titleText: String {
        let article = kindText.hasPrefix("a") ? "an" : "a"
        switch body {
        case .payment: return "\(article) \(kindText) of \(subjectText)"
        case .assetTransfer where !isOptIn: return "\(article) \(kindText) of \(subjectText)"
        default: return "\(article) \(kindText): \(subjectText)"
        }
    }

    /// The other losses of the account as the beginning of a title, the gravest first; nil if none.
    ///
    /// The rank is that of the gravest loss; 0 is the gravest of all.
    package var consequence: (rank: Int, text: String)? {
        var parts: [(rank: Int, text: String)] = []
        if let rekeyTo, rekeyTo != sender { parts.append((0, "give the account to another key")) }
        if closeTo != nil {
            if case .payment = body {
                parts.append((1, "close the account"))
            } else {
                parts.append((2, "send away all units of the asset"))
            }
        }
        guard let gravest = parts.first, let first = gravest.text.first else { return nil }
        let text = parts.map(\.text).joined(separator: " and ")
        return (gravest.rank, first.uppercased() + text.dropFirst() + ": ")
    }
}

extension AssetConfiguration {
    fileprivate var subjectText: String {
        guard action == .create else { return "asset \(asset)" }
        return "\(parameters?.total ?? 0) smallest units, \(parameters?.decimals ?? 0) decimals"
    }
}

extension ApplicationCall {
    fileprivate var kindText: String {
        switch onCompletion {
        case .noOp: app == 0 ? "app creation" : "app call"
        case .optIn: app == 0 ? "app creation and opt-in" : "app opt-in"
        case .closeOut: "app close-out"
        case .clearState: "app clear-state"
        case .update: "app update"
        case .delete: "app deletion"
        }
    }
}

extension KeyRegistration {
    fileprivate var subjectText: String {
        switch participation {
        case .online: "online from round \(firstVote) to \(lastVote)"
        case .offline: "offline"
        case .nonparticipating: "never online again"
        }
    }
}
