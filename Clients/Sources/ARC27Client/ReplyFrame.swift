// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A decoded frame with unread members.
enum ReplyFrame {
    case json(JSONObject)
    case cbor([CBORMember])

    private static let limits = JSONLimits(bytesMax: ARC27Client.frameBytesMax)
    private static let ping = [UInt8]("ping".utf8)

    /// Returns the members of the reply to the request with this id.
    static func members(
        of frame: Span<UInt8>, requestID: String
    ) throws(ARC27ClientError) -> JSONObject {
        guard frame.count <= limits.bytesMax else {
            throw .unreadable("the frame has \(frame.count) bytes; the limit is \(limits.bytesMax)")
        }
        // Peers keep a channel open with empty frames and with the text "ping".
        guard frame.count > 0, !isPing(frame) else { throw .notForUs }
        let opened: ReplyFrame
        do throws(CodecError) {
            opened = try ReplyFrame(frame)
        } catch {
            throw .unreadable("not an ARC-27 frame: \(WireText.visible(error.text))")
        }
        guard let named = opened.requestID, UTF8Text.isSame(named, requestID) else {
            throw .notForUs
        }
        return try opened.members()
    }

    private init(_ frame: Span<UInt8>) throws(CodecError) {
        switch frame[0] {
        case UInt8(ascii: "{"): self = try Self.json(frame)
        case UInt8(ascii: "\""):
            // The detail of a CustomEvent in serialized form: JSON text in a JSON string.
            guard let text = try JSON.parse(frame, limits: Self.limits).text else {
                throw .malformed("not a text", at: 0)
            }
            self = try Self.json(text.utf8.span)
        default: self = try Self.cbor(frame)
        }
    }

    private static func json(_ text: Span<UInt8>) throws(CodecError) -> Self {
        guard let object = try JSON.parse(text, limits: limits).object else {
            throw .malformed("not an object", at: 0)
        }
        return .json(object)
    }

    private static func cbor(_ text: Span<UInt8>) throws(CodecError) -> Self {
        let bytes = try Base64.decode(
            UTF8Text.decode(text), alphabet: .either, padding: .optional,
            countMax: limits.bytesMax)
        guard case .map(let members) = try CBOR.decode(bytes.span) else {
            throw .malformed("not a map", at: 0)
        }
        return .cbor(members)
    }

    private var requestID: String? {
        switch self {
        case .json(let object): return object["requestId"]?.text
        case .cbor(let members):
            for member in members where UTF8Text.isSame(member.name, "requestId") {
                if case .text(let text) = member.value { return text }
            }
            return nil
        }
    }

    private func members() throws(ARC27ClientError) -> JSONObject {
        switch self {
        case .json(let object): return object
        case .cbor(let members):
            guard let object = (try? CBOR.map(members).json())?.object else {
                throw .invalidReply(
                    "the reply has CBOR that JSON cannot have, such as a byte string")
            }
            return object
        }
    }

    private static func isPing(_ frame: Span<UInt8>) -> Bool {
        guard frame.count == ping.count else { return false }
        for index in frame.indices where frame[index] != ping[index] { return false }
        return true
    }
}
