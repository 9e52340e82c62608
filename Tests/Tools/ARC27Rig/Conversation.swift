// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
import VectorFiles

/// One request with its answer.
package struct Conversation: Sendable, CustomStringConvertible {
    package let json: JSON
    package var name: String { json["name"]?.text ?? "" }
    package var description: String { name }
    package var response: JSON? { json["response"]?["json"] }

    package static let all =
        (VectorFile.read("Vectors/algorand/arc27_messages.json")["conversations"]?.list ?? [])
        .map { Conversation(json: $0) }

    /// The request's frame in one of its forms.
    package func frame(_ form: FrameForm) throws -> String {
        guard form != .json else {
            guard let json = json["request"]?["json"] else { throw VectorFile.Missing("json") }
            return String(decoding: json.write(), as: UTF8.self)
        }
        guard let text = json["request"]?[form.rawValue]?.text else {
            throw VectorFile.Missing(form.rawValue)
        }
        return text
    }
}

/// The forms the vectors write every request in.
package enum FrameForm: String, CaseIterable {
    case json
    case definite = "frame_b64url"
    case cborX = "cborx_frame_b64url"
    case indefinite = "indefinite_frame_b64url"
}
