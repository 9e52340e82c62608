// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// The destination of the answer to a request on a desktop.
public enum AnswerPlace: Hashable, Sendable {
    /// The answer is an address to open once.
    case address
    /// The answer is text that a person carries to the client.
    case clipboard
}

/// A form that a web page can get by POST, instead of an address with the same content.
public struct AnswerForm: Hashable, Sendable {
    /// One name and value.
    public struct Field: Hashable, Sendable {
        /// The name of the field.
        public let name: String
        /// The value, not yet escaped.
        public let value: String

        /// Creates a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The address of the form, which contains no part of the answer.
    public let action: String
    /// The answer as fields, in order.
    public let fields: [Field]

    /// Creates a form.
    public init(action: String, fields: [Field]) {
        self.action = action
        self.fields = fields
    }
}

/// An adapter whose answers go to another program than the one that delivers the frames.
public protocol PlacesAnswers: ProtocolAdapter {
    /// Returns the destination of the answer to a frame, for any outcome.
    func place(ofAnswersTo frame: Span<UInt8>) -> AnswerPlace
    /// Returns the form with the content of an answer.
    ///
    /// Nil if the answer is not a result, or goes to no page.
    func form(of answer: [UInt8], to frame: Span<UInt8>) -> AnswerForm?
    /// Returns true if a result for the frame would be a decrypted text.
    func isDecrypted(answerTo frame: Span<UInt8>) -> Bool
}

extension NostrMethod {
    /// True if its result is a decrypted text.
    package var decrypts: Bool { effects == [.decrypts] }
}
