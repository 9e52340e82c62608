// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningStorage

extension LocalSigner {
    /// Why a yes to a question would come to nothing by now, for whoever gives it; nil where
    /// nothing is known to be in its way.
    ///
    /// The hub looks for itself, at the moment of recording.
    package func obstacle(to question: ApprovalQuestion) -> String? {
        if ((try? ledger.freezeReason()) ?? nil) != nil { return "all signing was stopped" }
        let isInForce = try? home.vault.isInForce(policyHash: question.binding.policyHash)
        if isInForce == false { return "another policy is in force by now" }
        if let peer = question.peer, !Self.stillProves(peer, in: home, ledger) {
            return "whoever asked is not known any more"
        }
        return nil
    }
}
