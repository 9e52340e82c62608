// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// Where the answer to a request goes on a desktop.
public enum AnswerPlace: Hashable, Sendable {
    /// The answer is an address, which is to be opened once.
    case address
    /// The answer is text for a person to take to whoever asked.
    case clipboard
}

/// What a page of the web may be sent by POST in place of an address that tells the same.
public struct AnswerForm: Hashable, Sendable {
    /// One name and value.
    public struct Field: Hashable, Sendable {
        /// What the page calls it.
        public let name: String
        /// The value, not yet escaped.
        public let value: String

        /// Makes a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Where it goes; nothing of the answer stands in it.
    public let action: String
    /// The answer, in order.
    public let fields: [Field]

    /// Makes a form.
    public init(action: String, fields: [Field]) {
        self.action = action
        self.fields = fields
    }
}

/// An adapter whose answers are for somebody else than whoever brings the frames.
public protocol PlacesAnswers: ProtocolAdapter {
    /// Where the answer to a frame goes, whatever it is.
    func place(ofAnswersTo frame: Span<UInt8>) -> AnswerPlace
    /// The form that tells a page the same as an answer; nil where it is no result, or goes to no
    /// page.
    func form(of answer: [UInt8], to frame: Span<UInt8>) -> AnswerForm?
    /// Whether a result for a frame is a text that was decrypted.
    func isDecrypted(answerTo frame: Span<UInt8>) -> Bool
}

extension NostrMethod {
    /// Whether its result is a text that was decrypted.
    package var decrypts: Bool { effects == [.decrypts] }
}

/// An adapter that reads some of the addresses of a scheme which another one reads too.
public protocol SharesScheme: ProtocolAdapter {
    /// Whether an address of the scheme is one of its own.
    func isOwn(_ address: Span<UInt8>) -> Bool
}
