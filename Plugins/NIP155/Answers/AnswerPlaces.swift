// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
public import Nostr
import SigningCodecs
import SigningCore

extension NIP155Adapter: PlacesAnswers {
    /// Returns `.address`: every answer goes to the callback.
    public func place(ofAnswersTo _: Span<UInt8>) -> AnswerPlace { .address }

    /// Returns true if the URL asks for a decryption, by its `type`.
    public func isDecrypted(answerTo frame: Span<UInt8>) -> Bool {
        guard let url = try? RequestURL(frame, for: configuration) else { return false }
        let type = Parameters(query: url.query)[.type]
        return type.flatMap(NIP155Method.init)?.task.decrypts ?? false
    }

    /// Returns the result as a form for `x-success`, if that is a web page (NIP-155, section 8.3).
    ///
    /// The client's query stays in the address. Pairs with the names of an answer were removed from
    /// it when the answer was written.
    public func form(of answer: [UInt8], to _: Span<UInt8>) -> AnswerForm? {
        guard let text = String(validating: answer, as: UTF8.self),
            (try? WebOrigin(text))?.scheme == "https",
            let mark = text.utf8.firstIndex(of: UInt8(ascii: "?"))
        else { return nil }
        let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        guard mark < fragment else { return nil }
        var own: [Substring] = []
        var fields: [AnswerForm.Field] = []
        for pair in text[mark..<fragment].dropFirst().split(separator: "&") {
            let ends = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard ends.count == 2, configuration.reservedNames.contains(String(ends[0])),
                let value = try? PercentEncoding.decode(ends[1].utf8.span)
            else {
                own.append(pair)
                continue
            }
            fields.append(AnswerForm.Field(String(ends[0]), value))
        }
        // An error is short and may belong to another page.
        guard !fields.isEmpty, !fields.contains(where: { $0.name == "code" }) else { return nil }
        let query = own.isEmpty ? "" : "?" + own.joined(separator: "&")
        return AnswerForm(action: "\(text[..<mark])\(query)\(text[fragment...])", fields: fields)
    }
}
