// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs

/// The content of a drop box (NIP-155, section 8.2): JSON with one text.
enum DropBoxContent {
    /// The maximum size in bytes: every byte of a text escaped, and the other parts of the object.
    static let contentBytesMax = 6 * NIP155Limits.usualTextBytesMax + (1 << 10)

    static func check(_ token: String) throws(NIP155ClientError) {
        guard DropBoxToken.isToken(token) else {
            throw .invalidCall("a drop box token must be 16 to 128 of A-Z a-z 0-9 _ -")
        }
    }

    /// Returns the object with one member, whose value is a text.
    static func content(_ name: String, _ text: String) -> String {
        let member = JSONObject.Member(name: name, value: .string(text))
        return String(decoding: JSON.object(JSONObject([member])).write(), as: UTF8.self)
    }

    /// Reads the content that a signer stored.
    static func read(
        _ content: String
    ) throws(NIP155ClientError) -> (result: String?, event: String?) {
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(
                content.utf8.span, limits: JSONLimits(bytesMax: contentBytesMax))
        } catch {
            throw .invalidAnswer("the drop box does not have strict JSON: \(error.text)")
        }
        return (try text("result", in: json), try text("event", in: json))
    }

    private static func text(
        _ name: String, in json: JSON
    ) throws(NIP155ClientError) -> String? {
        guard let object = json.object else {
            throw .invalidAnswer("the drop box must have a JSON object")
        }
        guard let value = object[name] else { return nil }
        guard let text = value.text, text.utf8.count <= NIP155Limits.usualTextBytesMax else {
            throw .invalidAnswer("\(name) in the drop box must be a string of at most 1 MiB")
        }
        return text
    }
}
