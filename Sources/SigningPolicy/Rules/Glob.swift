// SPDX-License-Identifier: Apache-2.0

/// Translates the patterns of `glob` to regular expressions.
///
/// `*` stays within one part of an address: `https://*.example.com` must not match
/// `https://evil.example/.example.com`.
enum Glob {
    private static let within = #"[^/?#@\\]"#

    static func expression(of pattern: String) -> String {
        var expression = ""
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*":
                guard rest.first == "*" else {
                    expression += within + "*"
                    continue
                }
                rest.removeFirst()
                expression += "(?s:.*)"
            case "?": expression += within
            default: expression += escaped(scalar)
            }
        }
        return expression
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        let isWord = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        return scalar.isASCII && !isWord ? "\\x{\(String(scalar.value, radix: 16))}" : "\(scalar)"
    }
}
