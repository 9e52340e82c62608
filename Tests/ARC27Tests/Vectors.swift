// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import Testing
import VectorFiles

/// One request with its answer.
struct Conversation: Sendable, CustomTestStringConvertible {
    let json: JSON
    var name: String { json["name"]?.text ?? "" }
    var testDescription: String { name }
    var response: JSON? { json["response"]?["json"] }

    static let all =
        (VectorFile.read("Vectors/algorand/arc27_messages.json")["conversations"]?.list ?? [])
        .map { Conversation(json: $0) }

    /// The request's frame in one of its forms.
    func frame(_ form: FrameForm) throws -> String {
        guard form != .json else {
            let json = try #require(json["request"]?["json"])
            return String(decoding: json.write(), as: UTF8.self)
        }
        return try #require(json["request"]?[form.rawValue]?.text)
    }
}

/// The forms the vectors write every request in.
enum FrameForm: String, CaseIterable {
    case json
    case definite = "frame_b64url"
    case cborX = "cborx_frame_b64url"
    case indefinite = "indefinite_frame_b64url"
}
