// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs

/// The values of a request; every check is one that a signer makes too.
extension NIP155Call {
    var peer: String? {
        switch self {
        case .publicKey, .signEvent, .decryptZapEvent: nil
        case .nip04Encrypt(_, let peer), .nip04Decrypt(_, let peer), .nip44Encrypt(_, let peer),
            .nip44Decrypt(_, let peer):
            peer
        }
    }

    var returnType: String? {
        switch self {
        case .publicKey: nil
        case .signEvent(_, let returning): returning.rawValue
        case .nip04Encrypt, .nip44Encrypt: "ciphertext"
        case .nip04Decrypt, .nip44Decrypt: "plaintext"
        case .decryptZapEvent: "event"
        }
    }

    /// Returns the event to be signed or read, as the signer will understand it.
    func checkedTemplate(limits: NIP155Limits) throws(NIP155ClientError) -> RequestedEvent? {
        let json: String
        switch self {
        case .signEvent(let text, _), .decryptZapEvent(let text): json = text
        default: return nil
        }
        let template = try NIP155ClientError.asked(RequestedEvent(json, limits: limits))
        if case .decryptZapEvent = self {
            guard [9_734, 9_735].contains(template.kind) else {
                throw .invalidCall("a zap event must be of kind 9734 or 9735")
            }
        }
        return template
    }

    /// The name and text of the payload parameter; nil without a payload.
    var payload: (name: RequestParameter, text: String)? {
        get throws(NIP155ClientError) {
            switch self {
            case .publicKey(let permissions):
                guard !permissions.isEmpty else { return nil }
                return (.permissions, try Self.json(of: permissions))
            case .signEvent(let json, _), .decryptZapEvent(let json):
                return (.event, json)
            case .nip04Encrypt(let plaintext, _):
                return (.plaintext, try Self.bounded(plaintext, named: .plaintext))
            case .nip04Decrypt(let ciphertext, _):
                _ = try Self.bounded(ciphertext, named: .encryptedText)
                guard CiphertextForm.isNIP04(ciphertext) else {
                    throw .invalidCall("encryptedText does not have the form of NIP-04")
                }
                return (.encryptedText, ciphertext)
            case .nip44Encrypt(let plaintext, _):
                guard !plaintext.isEmpty else { throw .invalidCall("plaintext is empty") }
                return (.plaintext, try Self.bounded(plaintext, named: .plaintext))
            case .nip44Decrypt(let ciphertext, _):
                try NIP155ClientError.asked(CiphertextForm.checkNIP44(ciphertext))
                return (.encryptedText, ciphertext)
            }
        }
    }

    private static func bounded(
        _ text: String, named name: RequestParameter
    ) throws(NIP155ClientError) -> String {
        guard text.utf8.count <= NIP155Limits.usualTextBytesMax else {
            throw .invalidCall(
                "\(name.rawValue) is larger than \(NIP155Limits.usualTextBytesMax) bytes")
        }
        return text
    }

    private static func json(
        of permissions: [NIP155Permission]
    ) throws(NIP155ClientError) -> String {
        let entries = permissions.map { permission in
            var members = [
                JSONObject.Member(name: "type", value: .string(permission.type.rawValue))
            ]
            if let kind = permission.kind {
                members.append(JSONObject.Member(name: "kind", value: .integer(Int64(kind))))
            }
            return JSON.object(JSONObject(members))
        }
        let text = String(decoding: JSON.array(entries).write(), as: UTF8.self)
        // A permission that the signer ignores is an error of the client.
        guard try NIP155ClientError.asked(NIP155Permission.list(text)).count == entries.count else {
            throw .invalidCall(
                "a permission is given twice, or get_public_key is among the permissions")
        }
        return text
    }
}
