// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningService

/// The text of a request that was answered without a question, for a window.
enum UnaskedSummary {
    /// Returns the text for an explanation; nil if a person was asked.
    ///
    /// The request was decoded again for it, so the event time may differ from the signed one if
    /// the client set none.
    static func text(_ explanation: Explanation) -> String? {
        basis(explanation).map { text($0, explanation.summary.text) }
    }

    /// Returns the text for an explanation of the agent; nil as above.
    static func text(_ explanation: JSON) -> String? {
        guard let summary = explanation["summary"]?.text else { return nil }
        let basis: Basis? =
            switch (explanation["remembered"]?.text, explanation["verdict"]?.text) {
            case ("yes", _): explanation["connected"]?.flag == true ? .connection : .answer
            case (_, "allow"): .rule
            default: nil
            }
        return basis.map { text($0, summary) }
    }

    /// The reason that no person was asked.
    private enum Basis: String {
        case answer = "an earlier answer allowed this"
        case connection = "this connection was allowed before"
        case rule = "a rule allowed this"
    }

    private static func text(_ basis: Basis, _ summary: String) -> String {
        "\(basis.rawValue), without a question:\n\(summary)"
    }

    private static func basis(_ explanation: Explanation) -> Basis? {
        switch explanation.rememberedAnswer {
        case .yes: return .answer
        case .connection: return .connection
        case .no, .nothing: break
        }
        guard case .allow? = explanation.judgement?.verdict else { return nil }
        return .rule
    }
}
