// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The choice of another account for a question.
extension ApprovalQuestion {
    /// The numbered accounts with instructions; nil if there are none.
    package var otherAccountList: String? {
        guard !otherAccounts.isEmpty else { return nil }
        let rows = otherAccounts.enumerated().map { place, account in
            "  \(place + 1)  \(VisibleText.escaped(account.name)) "
                + VisibleText.escaped(account.address)
        }
        return
            (["you may choose another account for this client:"] + rows
            + ["answer \"use 1\" and so on: then you are asked about that account"])
            .joined(separator: "\n")
    }

    /// Returns the account with a number or name, such as `2` or `work`; nil if there is none or
    /// the name is ambiguous.
    func otherAccount(called name: String) -> Account? {
        if let number = Int(name), otherAccounts.indices.contains(number - 1) {
            return otherAccounts[number - 1]
        }
        let named = otherAccounts.filter { $0.name.lowercased() == name.lowercased() }
        return named.count == 1 ? named[0] : named.first { $0.name == name }
    }
}
