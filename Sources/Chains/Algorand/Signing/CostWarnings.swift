// SPDX-License-Identifier: Apache-2.0

extension Transaction {
    /// The warnings of ARC-1 about locked balances and about the code of apps.
    var costWarnings: [String] {
        switch body {
        case .assetTransfer where isOptIn:
            ["0.1 ALGO of your account stay locked while it accepts the asset"]
        case .assetConfiguration(let configuration) where configuration.action == .create:
            ["0.1 ALGO of your account stay locked while the new asset exists"]
        case .applicationCall(let call) where call.app == 0:
            [
                "0.1 ALGO or more of your account stay locked while the new application exists; "
                    + "anyone can call its code"
            ]
        case .applicationCall(let call) where call.onCompletion == .optIn:
            [
                "0.1 ALGO or more of your account stay locked while it takes part in the"
                    + " application, which keeps data in it"
            ]
        default: []
        }
    }
}

extension SigningItem {
    /// The warning about a change of participation in consensus, and about a missing key.
    var keyRegistrationWarning: String? {
        guard case .keyRegistration(let registration) = wire.transaction.body else { return nil }
        switch registration.participation {
        case .nonparticipating, .offline:
            return "your account no longer votes in consensus"
        case .online:
            let text =
                "the client's vote keys vote in consensus for your account until round "
                + "\(registration.lastVote); they cannot spend"
            guard registration.stateProofKey == nil else { return text }
            return text + "; nodes refuse it, because the state proof key (sprfkey) is missing"
        }
    }
}
