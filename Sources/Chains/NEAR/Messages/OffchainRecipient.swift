// SPDX-License-Identifier: Apache-2.0

/// A recipient in the form of NEP-641: `net: id -> id @ time`.
///
/// The contracts on the path read such a message with the authority of the first account.
struct OffchainRecipient: Hashable {
    let network: String
    let account: String
    let path: [String]
    let time: String

    private static let timeShape = "dddd-dd-ddTdd:dd:ddZ"

    /// Parses the pattern; nil for any other recipient.
    init?(_ recipient: String) {
        guard let colon = recipient.firstRange(of: ": "),
            let at = recipient[colon.upperBound...].firstRange(of: " @ ")
        else { return nil }
        network = String(recipient[..<colon.lowerBound])
        let accounts = Self.split(recipient[colon.upperBound..<at.lowerBound])
        time = String(recipient[at.upperBound...])
        guard Self.isName(network), accounts.allSatisfy(NEARAccountID.isValid),
            Self.isTime(time)
        else { return nil }
        account = accounts[0]
        path = Array(accounts.dropFirst())
    }

    /// Returns the parts between arrows, at least one.
    private static func split(_ text: Substring) -> [String] {
        var parts: [String] = []
        var rest = text
        while let arrow = rest.firstRange(of: " -> ") {
            parts.append(String(rest[..<arrow.lowerBound]))
            rest = rest[arrow.upperBound...]
        }
        return parts + [String(rest)]
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func isTime(_ text: String) -> Bool {
        text.utf8.count == timeShape.utf8.count
            && zip(text.utf8, timeShape.utf8).allSatisfy { byte, shape in
                shape == UInt8(ascii: "d")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == shape
            }
    }
}
