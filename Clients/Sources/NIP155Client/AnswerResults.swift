// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs

extension AnswerReader {
    /// Returns the texts of the answer, from the query or from the drop box.
    func texts(
        dropBoxContent: String?
    ) throws(NIP155ClientError) -> (result: String?, event: String?) {
        guard parameters.isNamed(.resultReference) else {
            var isSigning = false
            if case .signEvent = request.call { isSigning = true }
            // Some signers do not compress a signature, because hex digits hardly compress.
            let isPlain = isSigning && Self.isHex(parameters[.result] ?? "", bytes: 64)
            return (try text(.result, isPlain: isPlain), try text(.event, isPlain: false))
        }
        guard let token = request.dropBoxToken,
            parameters[.resultReference] == DropBoxToken.reference(to: token)
        else { throw .invalidAnswer("result_ref is not the drop box of this request") }
        guard !parameters.isNamed(.result), !parameters.isNamed(.event) else {
            throw .invalidAnswer("the result is in the query and in the drop box")
        }
        guard let dropBoxContent else { throw .dropBoxUnread }
        return try DropBoxContent.read(dropBoxContent)
    }

    /// Returns a signature, an event, or both, as requested.
    func signed(
        result: String?, event: String?, returning: NIP155Call.Returning
    ) throws(NIP155ClientError) -> NIP155Answer {
        let event = try event.map { (text) throws(NIP155ClientError) in try signedEvent(text) }
        switch returning {
        case .event:
            guard let event else { throw .invalidAnswer("event is missing") }
            return .event(event.json)
        case .signature:
            guard let result, Self.isHex(result, bytes: 64) else {
                throw .invalidAnswer("result must be 128 lower-case hex digits")
            }
            if let event, event.signature != result {
                throw .invalidAnswer("result is not the signature of event")
            }
            return .signature(result, event: event?.json)
        }
    }

    /// Checks the form of a signed event and compares it with the request.
    private func signedEvent(
        _ text: String
    ) throws(NIP155ClientError) -> (json: String, signature: String) {
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(text.utf8.span)
        } catch {
            throw .invalidAnswer("event is not strict JSON: \(error.text)")
        }
        guard let author = json["pubkey"]?.text, Self.isHex(author, bytes: 32),
            let id = json["id"]?.text, Self.isHex(id, bytes: 32),
            let signature = json["sig"]?.text, Self.isHex(signature, bytes: 64)
        else { throw .invalidAnswer("event: id, pubkey and sig must be lower-case hex") }
        try checkAccount(author)
        guard let template = request.template else {
            throw .invalidAnswer("no event was requested")
        }
        guard try NIP155ClientError.answered(template.isAnswered(by: json)) else {
            throw .invalidAnswer("event differs from the requested event")
        }
        return (text, signature)
    }

    /// Returns a text of the query; the text is empty if the value is empty.
    private func text(
        _ name: AnswerParameterName, isPlain: Bool
    ) throws(NIP155ClientError) -> String? {
        guard parameters.isNamed(name) else { return nil }
        let compression = try NIP155ClientError.answered(Compression(parameters[.compressionType]))
        // Only the size bounds the memory: a long run of one character has any ratio.
        return try NIP155ClientError.answered(
            (isPlain ? Compression.none : compression).unpack(
                parameters[name] ?? "", named: name.rawValue, bytesMax: Self.textBytesMax,
                ratioMax: .max))
    }
}
