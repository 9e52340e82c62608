// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs
public import SigningCore

/// A file that holds data too large for the URL (NIP-155, section 8.2; `pb`).
///
/// The draft calls it a pasteboard. The client stores JSON with the payload parameter. The
/// transport reads it once and replaces it with JSON that holds the result.
struct DropBox: Hashable, Sendable {
    let token: String
    /// The payload of the client, compressed as `compressionType` says; nil for methods without a
    /// payload.
    let payload: String?

    /// Reads the drop box; nil if the request names none.
    init?(
        _ parameters: Parameters, for method: NIP155Method, _ configuration: NIP155Configuration,
        _ context: DecodingContext
    ) throws(NIP155Refusal) {
        guard parameters.isSent(.pb) else { return nil }
        guard configuration.takesDropBoxes else { throw .invalid("pb not supported") }
        guard let token = parameters[.pb], DropBoxToken.isToken(token) else {
            throw .invalid("pb must be 16 to 128 characters of A-Z a-z 0-9 _ -")
        }
        self.token = token
        guard let name = method.payload else {
            payload = nil
            return
        }
        guard !parameters.isNamed(name) else {
            throw .invalid("\(name.rawValue) cannot be sent both in the URL and by pb")
        }
        guard let content = context.enclosure else {
            throw .invalid("the drop box is empty; reading it empties it")
        }
        guard content.count <= configuration.limits.dropBoxBytesMax else {
            throw .tooLarge("the drop box", bytesMax: configuration.limits.dropBoxBytesMax)
        }
        let limits = JSONLimits(bytesMax: configuration.limits.dropBoxBytesMax)
        guard let members = (try? JSON.parse(content.span, limits: limits))?.object,
            members.members.count == 1, let text = members[name.rawValue]?.text
        else {
            throw .invalid("the drop box must have JSON with one string, \"\(name.rawValue)\"")
        }
        payload = text
    }

    /// The parameter that replaces the result in the answer.
    var reference: AnswerParameter {
        AnswerParameter("result_ref", DropBoxToken.reference(to: token))
    }
}

extension NIP155Adapter: AnswersFailures, NamesClient, TakesEnclosures {
    /// Returns the client that gets the answer to a frame, for a transport that opens URLs; or nil.
    public func client(of frame: Span<UInt8>) -> Client? {
        guard frame.count <= frameBytesMax, let url = try? RequestURL(frame, for: configuration)
        else { return nil }
        let callbacks = Callbacks.read(
            Parameters(query: url.query), for: configuration.callbackRules
        ).callbacks
        guard let callback = callbacks.success ?? callbacks.error else { return nil }
        return Client(
            id: callback.client.id, name: nil, proof: callback.proof, party: callback.client.party)
    }

    /// Returns an error for a request that could not be judged; nil if the client is unknown.
    ///
    /// For a transport that cannot open a file it needs.
    public func failure(of frame: Span<UInt8>) -> [UInt8]? {
        guard frame.count <= frameBytesMax, let url = try? RequestURL(frame, for: configuration)
        else { return nil }
        let callbacks = Callbacks.read(
            Parameters(query: url.query), for: configuration.callbackRules
        ).callbacks
        guard case .message(let bytes) = callbacks.reply(to: .failed, for: configuration) else {
            return nil
        }
        return bytes
    }

    /// Returns the token of the drop box in a request.
    ///
    /// Nil if drop boxes are off, the request names none, or the URL cannot be parsed.
    public func enclosureName(in frame: Span<UInt8>) -> String? {
        guard configuration.takesDropBoxes, frame.count <= frameBytesMax,
            let url = try? RequestURL(frame, for: configuration)
        else { return nil }
        return Parameters(query: url.query)[.pb].flatMap { DropBoxToken.isToken($0) ? $0 : nil }
    }
}
