// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The choice of another account for a question.
extension TerminalApproval {
    /// The numbered accounts with instructions; nil if there are none.
    static func otherAccounts(of question: ApprovalQuestion) -> String? {
        guard !question.otherAccounts.isEmpty else { return nil }
        let rows = question.otherAccounts.enumerated().map { place, account in
            "  \(place + 1)  \(VisibleText.escaped(account.name)) "
                + VisibleText.escaped(account.address)
        }
        return
            (["you may choose another account for this client:"] + rows
            + ["answer \"use 1\" and so on: then you are asked about that account"])
            .joined(separator: "\n")
    }

    /// The account that a line chooses by number or name, such as `use 2` or `use work`; nil if it
    /// chooses none or the name is ambiguous.
    static func otherAccount(_ line: String, in question: ApprovalQuestion) -> Account? {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, ["u", "use"].contains(words[0]) else { return nil }
        let accounts = question.otherAccounts
        if let number = Int(words[1]), accounts.indices.contains(number - 1) {
            return accounts[number - 1]
        }
        let named = accounts.filter { $0.name.lowercased() == words[1].lowercased() }
        return named.count == 1 ? named[0] : named.first { $0.name == words[1] }
    }
}
