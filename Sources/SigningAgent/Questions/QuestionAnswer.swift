// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningTerminal

/// An answer as parsed from a body, not yet compared with its question.
struct QuestionAnswer {
    /// An error in a body.
    struct ParseError: Error {
        let code: String
        let detail: String
    }

    /// The digest of the words that were shown.
    let seen: String
    /// The answer as a person would type it at the terminal.
    let line: String
    /// The wishes that are granted, as typed at the terminal.
    let granting: String?
    let isYes: Bool

    /// The answers, each with the form typed at the terminal.
    static let words = [
        ("once", "y"), ("5m", "y 5m"), ("1h", "y 1h"), ("1d", "y 1d"), ("session", "y session"),
        ("always", "y always"), ("no", "n"), ("never", "n always"), ("use", "use"),
    ]
    /// The longest text in a body, in bytes.
    static let textBytesMax = 64
    /// The longest body, in bytes.
    static let bodyBytesMax = 4_096
    private static let members = ["answer", "seen", "uses", "total", "grant", "account"]

    init(_ body: [UInt8]) throws(ParseError) {
        let json = try Self.object(body, members: Self.members)
        guard let word = json["answer"]?.text,
            let typed = Self.words.first(where: { $0.0 == word })?.1
        else {
            let words = Self.words.map(\.0).joined(separator: ", ")
            throw ParseError(code: "bad_member", detail: "answer must be one of \(words)")
        }
        guard let seen = json["seen"]?.text, seen.utf8.count == 64 else {
            throw ParseError(
                code: "bad_member", detail: "seen must be the digest of the words that were shown")
        }
        self.seen = seen
        isYes = typed.hasPrefix("y")
        let account = try Self.text("account", in: json)
        guard (typed == "use") == (account != nil) else {
            throw ParseError(
                code: "bad_member",
                detail: "account must be the number or name of one of other_accounts, for \"use\"")
        }
        line =
            try typed + (account.map { " \($0)" } ?? "")
            + Self.bounds(in: json, isRemembered: isYes && typed != "y")
        granting = try Self.text("grant", in: json)
        guard isYes || granting == nil else {
            throw ParseError(code: "bad_member", detail: "a no cannot grant anything")
        }
    }

    /// Parses an object that has only these members.
    static func object(_ body: [UInt8], members: [String]) throws(ParseError) -> JSON {
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(
                body.span, limits: JSONLimits(bytesMax: bodyBytesMax, depthMax: 2))
        } catch {
            throw ParseError(code: "bad_json", detail: "the body is not JSON: \(error.text)")
        }
        guard let object = json.object else {
            throw ParseError(code: "bad_json", detail: "the body is not a JSON object")
        }
        for name in object.names where !members.contains(name) {
            throw ParseError(
                code: "unknown_member",
                detail: "unknown member \"\(VisibleText.quotable(String(name.prefix(64))))\"")
        }
        return json
    }

    /// The bounds of a remembered yes, in the form typed after the span.
    private static func bounds(in json: JSON, isRemembered: Bool) throws(ParseError) -> String {
        var typed = ""
        if let uses = json["uses"] {
            guard let count = uses.integerValue, count > 0, isRemembered else {
                throw ParseError(
                    code: "bad_member", detail: "uses must be a number, and needs a remembered yes")
            }
            typed += " \(count)"
        }
        if let total = try text("total", in: json) {
            // A single word would be read as a number of uses, and two numbers as both bounds.
            let words = total.split(separator: " ")
            guard words.count > 1, Int128(words[1]) == nil, isRemembered else {
                throw ParseError(
                    code: "bad_member",
                    detail:
                        "total must be an amount such as \"20 ALGO\", and needs a remembered yes")
            }
            typed += " " + total
        }
        return typed
    }

    private static func text(_ name: String, in json: JSON) throws(ParseError) -> String? {
        guard let member = json[name] else { return nil }
        guard let text = member.text, !text.isEmpty, text.utf8.count <= textBytesMax else {
            throw ParseError(
                code: "bad_member",
                detail: "\(name) must be a string of at most \(textBytesMax) bytes")
        }
        return text
    }

    /// The answer for a question; nil if the terminal would not accept it either.
    func answer(to words: QuestionText) -> ApprovalAnswer? {
        guard let answer = words.answer(line) else { return nil }
        guard let granting else { return answer }
        guard case .approved(let binding, let remembering, _, _) = answer, words.wishes != nil,
            let choice = words.wishes(granting)
        else { return nil }
        return .approved(binding, remembering: remembering, granting: choice)
    }
}
