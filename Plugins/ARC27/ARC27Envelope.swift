// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The envelope of a request: the members needed for a reply, and the unread parameters.
struct ARC27Envelope: Hashable {
    let form: ARC27Wire.Form
    let id: String
    let method: String
    let params: JSON?
    /// The problem of an invalid frame that has an id to answer.
    let problem: String?

    /// Reads a frame; throws `IgnoredFrame` if it is not a request to answer.
    init(_ frame: Span<UInt8>) throws(IgnoredFrame) {
        guard frame.count > 0 else { throw IgnoredFrame("the frame is empty") }
        // Base64 has a limit too, but that limit counts decoded bytes.
        guard frame.count <= ARC27Wire.frameBytesMax else {
            throw IgnoredFrame("the frame is longer than \(ARC27Wire.frameBytesMax) bytes")
        }
        let members: Members
        do throws(CodecError) {
            let start = Self.hasMark(frame) ? Self.mark.count : 0
            let text = frame.extracting(start..<frame.count)
            form = Self.isJSON(text) ? .json : .cbor
            members = try form == .json ? Self.json(text) : Self.cbor(frame)
        } catch {
            throw IgnoredFrame("not an ARC-27 frame: \(error.text)")
        }
        guard let id = members.id, (1...ARC27Wire.idBytesMax).contains(id.utf8.count) else {
            throw IgnoredFrame("the frame has no id")
        }
        guard let method = members.reference.flatMap(ARC27Wire.method) else {
            throw IgnoredFrame("not an ARC-27 request")
        }
        self.id = id
        self.method = method
        params = members.params
        problem = Self.hasMark(frame) ? "the frame begins with a byte order mark" : members.problem
    }

    private typealias Members = (
        id: String?, reference: String?, params: JSON?, problem: String?
    )

    /// The byte order mark in UTF-8, with which JSON text must not begin (RFC 8259, 8.1).
    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

    private static func hasMark(_ frame: Span<UInt8>) -> Bool {
        frame.count > mark.count && mark.indices.allSatisfy { frame[$0] == mark[$0] }
    }

    /// True if the first byte after white space (RFC 8259, 2) opens an object.
    private static func isJSON(_ text: Span<UInt8>) -> Bool {
        let start = text.indices.first { ![0x20, 0x09, 0x0a, 0x0d].contains(text[$0]) }
        return start.map { text[$0] == UInt8(ascii: "{") } ?? false
    }

    private static func json(_ frame: Span<UInt8>) throws(CodecError) -> Members {
        let value = try JSON.parse(frame, limits: JSONLimits(bytesMax: ARC27Wire.frameBytesMax))
        return (value["id"]?.text, value["reference"]?.text, value["params"], nil)
    }

    private static func cbor(_ frame: Span<UInt8>) throws(CodecError) -> Members {
        let text = try UTF8Text.decode(frame)
        let bytes = try Base64.decode(
            text, alphabet: .either, padding: .optional, countMax: ARC27Wire.frameBytesMax)
        guard case .map(let list) = try CBOR.decode(bytes.span) else {
            throw .malformed("not a map", at: 0)
        }
        var members: Members = (nil, nil, nil, nil)
        for member in list where member.value != .undefined {
            switch (member.name, member.value) {
            case ("id", .text(let text)): members.id = text
            case ("reference", .text(let text)): members.reference = text
            case ("params", let value):
                do throws(CodecError) {
                    members.params = try value.json()
                } catch {
                    members.problem =
                        "params has CBOR that JSON cannot have, such as a byte string; write "
                        + "bytes as Base64 text"
                }
            default: break
            }
        }
        return members
    }
}

/// The reason that a frame gets no reply.
struct IgnoredFrame: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
