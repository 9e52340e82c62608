// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// Compares the amount that a person names with what leaves with a request.
extension GrantRequest.Total {
    /// Returns the amount in the asset of a question; throws if it is not exactly one amount.
    func outflow(of question: ApprovalQuestion) throws(AnswerError) -> Outflow {
        let asset = try asset(of: question)
        guard let amount = asset.amount(ofNumber: number), amount < .max else {
            throw AnswerError(obstacle(to: asset))
        }
        guard amount > 0 else { throw AnswerError("the amount must be more than 0") }
        return Outflow(asset, amount)
    }

    /// Returns the only asset with the name; a token or a second network may use the same name.
    private func asset(of question: ApprovalQuestion) throws(AnswerError) -> Asset {
        let assets = question.totals.map(\.asset)
        let named = assets.filter { $0.isCalled(unit) }
        guard let asset = named.first else {
            throw AnswerError(
                assets.isEmpty
                    ? "nothing leaves the account, so no amount can limit a yes"
                    : "write the amount in \(assets.map(\.word).joined(separator: " or ")), not in "
                        + "\"\(VisibleText.quotable(unit))\"")
        }
        guard named.count == 1 else {
            throw AnswerError("several assets are called \(asset.word): answer without an amount")
        }
        return asset
    }

    /// The reason that the number is not an amount of an asset.
    private func obstacle(to asset: Asset) -> String {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber =
            parts.count <= 2
            && parts.allSatisfy {
                !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
        let shown = VisibleText.quotable(number)
        guard isNumber else { return "\"\(shown)\" is not a number such as 20 or 0.5" }
        let decimals = asset.unit?.decimals ?? 0
        guard parts.count == 1 || parts[1].utf8.count <= decimals else {
            return "\(shown) \(asset.word) has too many decimals: at most \(decimals) count"
        }
        return "\(shown) \(asset.word) is too large an amount"
    }
}

extension Asset {
    /// The word for amounts of the asset.
    fileprivate var word: String { VisibleText.quotable(unit?.symbol ?? name) }
}

extension ApprovalQuestion {
    /// The first amount that leaves, in a form that an answer can name; nil if there is none.
    package var sampleAmount: String? {
        totals.map { $0.asset.text(of: $0.amount) }.first { text in
            let words = text.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { return false }
            return (try? GrantRequest.Total(words[0], words[1]).outflow(of: self)) != nil
        }
    }
}
