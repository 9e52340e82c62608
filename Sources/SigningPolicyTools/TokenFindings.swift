// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

extension PolicyRule {
    /// A warning about calls and payments that an allow rule about tokens of a contract lets pass
    /// in the same transaction; nil if the rule bounds both.
    ///
    /// An amount of tokens says nothing about the other actions of a transaction.
    func actionsBesides(in vocabulary: PolicyVocabulary) -> String? {
        let calls = vocabulary.schemas.flatMap(\.fields).compactMap { field in
            demands(field.name) ? field.asset?.fungible : nil
        }.first { !$0.isEmpty }
        guard effect == .allow, let calls else { return nil }
        let open = calls.sorted { $0.key < $1.key }.filter { !isBounded($0.key) }
        let remedies =
            open.map { "\($0.key) = { in = [\"\($0.value.first ?? "")\"] }" }
            + (Self.payments.contains(where: isBounded)
                ? [] : ["deposit = { max = \"1 yoctoNEAR\" }"])
        guard !remedies.isEmpty else { return nil }
        let others = [open.isEmpty ? nil : "calls", remedies.count > open.count ? "payments" : nil]
        let words = others.compactMap(\.self).joined(separator: " and ")
        return "the rule \"\(id)\" allows other \(words) beside the tokens: add "
            + remedies.joined(separator: " and ")
    }

    /// Warnings about an allow rule that bounds the total of a token on one network, and holds on
    /// others, where none of the token leaves.
    var totalsElsewhere: [String] {
        guard effect == .allow, !conditionsOfEach.contains(where: \.isOnNetwork) else { return [] }
        return conditionsOfEach.compactMap { condition in
            guard let token = RequestTotal(condition)?.token,
                condition.mayHold(for: .integer(0), .every, own: [])
            else { return nil }
            return "the rule \"\(id)\" also allows requests on other networks, where no "
                + "\(token.name) leaves: add \(AssetFields.network) = \"\(token.network)\""
        }
    }

    /// The fields of which one bounds the coin that leaves by other actions.
    private static let payments = ["actions", "deposit", PolicyField.outflowName]

    /// True if the rule lists the values of the field, or limits its amount.
    private func isBounded(_ name: String) -> Bool {
        limits.contains { $0.adds(name) }
            || conditions.contains { condition in
                condition.field.name == name
                    && condition.matchers.contains { matcher in
                        switch matcher {
                        case .isIn, .atMost: true
                        default: false
                        }
                    }
            }
    }
}

extension Condition {
    fileprivate var isOnNetwork: Bool { field.name == AssetFields.network }
}
