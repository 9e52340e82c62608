// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningStorage

extension LocalSigner {
    /// Returns the reason that a yes to a question would have no effect now; nil if none is known.
    ///
    /// The hub checks again at the moment of recording.
    package func obstacle(to question: ApprovalQuestion) -> String? {
        if ((try? ledger.freezeReason()) ?? nil) != nil { return "all signing was stopped" }
        let isInForce = try? home.vault.isInForce(policyHash: question.binding.policyHash)
        if isInForce == false { return "another policy is in force now" }
        if let peer = question.peer, !Self.stillProves(peer, in: home, ledger) {
            return "the client that asked is no longer known"
        }
        return nil
    }
}
