// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// The error for an ARC-27 request that the hub does not see, or whose answer is too large.
///
/// The error has the form of the request.
enum ChannelRefusal {
    /// The channel has too many open requests.
    case tooMany
    /// The answer is larger than the other side accepts.
    case answerTooLarge(bytesMax: Int)

    /// The code of UnknownError in ARC-27.
    private static let code: Int64 = 4000
    private static let wordBytesMax = 128
    private static let limits = JSONLimits(bytesMax: 256 << 10)

    private var message: String {
        switch self {
        case .tooMany: "too many requests wait for an answer; ask again later"
        case .answerTooLarge(let bytesMax):
            "the answer is larger than the \(bytesMax) bytes that this page takes; ask for less at"
                + " once"
        }
    }

    /// Returns the answer; nil if the frame is not a request with an id.
    func answer(to frame: [UInt8], freshID: [UInt8]) -> [UInt8]? {
        let isJSON = Self.isJSON(frame)
        guard let request = try? isJSON ? Self.json(frame) : Self.cbor(frame),
            let id = Self.word(request["id"]), let reference = Self.word(request["reference"]),
            reference.hasPrefix("arc0027:"), reference.hasSuffix(":request")
        else { return nil }
        var error: [JSONObject.Member] = [
            .init(name: "code", value: .integer(Self.code)),
            .init(name: "message", value: .string(message)),
        ]
        if let providerID = Self.word(request["params"]?["providerId"]) {
            error.append(.init(name: "providerId", value: .string(providerID)))
        }
        let answer: JSON = [
            "id": .string(UUIDText.version4(freshID)),
            "reference": .string(reference.dropLast("request".count) + "response"),
            "requestId": .string(id), "error": .object(JSONObject(error)),
        ]
        guard !isJSON else { return answer.write() }
        let bytes = CBOR(answer).encode()
        return Array(Base64.encode(bytes.span, alphabet: .url, padding: false).utf8)
    }

    private static func word(_ value: JSON?) -> String? {
        guard let text = value?.text, (1...wordBytesMax).contains(text.utf8.count) else {
            return nil
        }
        return text
    }

    /// Returns true if the first byte after white space opens an object.
    static func isJSON(_ frame: [UInt8]) -> Bool {
        frame.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    }

    private static func json(_ frame: [UInt8]) throws(CodecError) -> JSON {
        try JSON.parse(frame.span, limits: limits)
    }

    /// Returns only the text members: others may not have a form in JSON.
    private static func cbor(_ frame: [UInt8]) throws(CodecError) -> JSON {
        let text = try UTF8Text.decode(frame.span)
        let bytes = try Base64.decode(
            text, alphabet: .either, padding: .optional, countMax: limits.bytesMax)
        return texts(try CBOR.decode(bytes.span))
    }

    private static func texts(_ value: CBOR) -> JSON {
        guard case .map(let list) = value else { return .null }
        let members = list.compactMap { member -> JSONObject.Member? in
            switch (member.name, member.value) {
            case (let name, .text(let text)): .init(name: name, value: .string(text))
            case ("params", .map): .init(name: "params", value: texts(member.value))
            default: nil
            }
        }
        return .object(JSONObject(members))
    }
}
