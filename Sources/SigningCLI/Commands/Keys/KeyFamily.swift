// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningPolicy
import SigningService

extension KeyFamily {
    init(_ arguments: Arguments) throws(CLIError) {
        let name = try arguments.required("--protocol")
        guard let family = KeyFamily(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue)
            let near = Suggestion.closest(to: name, among: names)
            throw .usage(
                "there is no protocol \"\(VisibleText.escaped(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" }
                    ?? "one of: \(names.joined(separator: ", "))")
        }
        self = family
    }
}
