// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension ARC27Client {
    /// The encoding of a request; replies are accepted in every encoding.
    public enum Form: Hashable, Sendable, CaseIterable {
        /// JSON text, for local channels and as the detail of a CustomEvent.
        case json
        /// CBOR in base64url without padding, for Liquid Auth.
        case cbor
        /// CBOR in standard Base64 with padding, as Pera itself writes.
        case cborPadded
    }

    /// A request without a reply so far.
    public struct PendingRequest: Hashable, Sendable {
        /// The id that a reply must have as `requestId`.
        public let id: String
        /// The content of the request.
        public let call: Call
        /// The id of the provider.
        public let providerID: String?

        /// The reference of the request, which is also the name of a CustomEvent.
        public var reference: String { WireText.requestReference(of: call.method) }

        /// Writes the request as one text without line ends.
        ///
        /// CBOR is definite and shortest; its envelope has the order id, reference, params. Throws
        /// `frameTooLarge`.
        public func frame(_ form: Form) throws(ARC27ClientError) -> [UInt8] {
            var members: [JSONObject.Member] = [
                .init(name: "id", value: .string(id)),
                .init(name: "reference", value: .string(reference)),
            ]
            if let params = call.params(providerID: providerID) {
                members.append(.init(name: "params", value: params))
            }
            let bytes = Self.bytes(.object(JSONObject(members)), form)
            guard bytes.count <= frameBytesMax else {
                throw .frameTooLarge(bytes: bytes.count, bytesMax: frameBytesMax)
            }
            return bytes
        }

        /// Reads a frame that may be the reply to this request.
        ///
        /// It accepts JSON text, JSON text within a JSON string, and CBOR in Base64. After
        /// `notForUs` and `unreadable` the request is still open; other errors are `invalidReply`.
        public func read(_ frame: Span<UInt8>) throws(ARC27ClientError) -> Reply {
            try ReplyReader(self).reply(ReplyFrame.members(of: frame, requestID: id))
        }

        private static func bytes(_ envelope: JSON, _ form: Form) -> [UInt8] {
            guard form != .json else { return envelope.write() }
            let cbor = CBOR(envelope).encode()
            let isPadded = form == .cborPadded
            let alphabet: Base64.Alphabet = isPadded ? .standard : .url
            return [UInt8](Base64.encode(cbor.span, alphabet: alphabet, padding: isPadded).utf8)
        }
    }
}
