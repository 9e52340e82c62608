// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs

/// Writes one request after the checks of a signer.
struct RequestWriter {
    private let client: NIP155Client
    private let call: NIP155Call
    private let id: String
    private let currentUser: String?
    private let peer: String?
    private let template: RequestedEvent?

    init(
        _ client: NIP155Client, _ call: NIP155Call, id: String, currentUser: String?
    ) throws(NIP155ClientError) {
        guard (1...Callbacks.idBytesMax).contains(id.utf8.count) else {
            throw .invalidCall("id must have 1 to \(Callbacks.idBytesMax) bytes")
        }
        self.client = client
        self.call = call
        self.id = id
        self.currentUser = try currentUser.map { (text) throws(NIP155ClientError) in
            try Self.key(text, named: "currentUser")
        }
        peer = try call.peer.map { (text) throws(NIP155ClientError) in
            try Self.key(text, named: "the peer")
        }
        template = try call.checkedTemplate(limits: client.limits)
    }

    func request(
        compression: NIP155Compression
    ) throws(NIP155ClientError) -> NIP155PendingRequest {
        let payload = try call.payload
        guard let (name, text) = payload, name != .permissions else {
            return try pending(url(payload: payload))
        }
        if compression != .gzip {
            let plain = url(payload: (name, text))
            guard compression == .automatic, plain.utf8.count > client.plainURLBytesMax else {
                return try pending(plain)
            }
            let packed = try? Self.packed(text, named: name)
            let short = packed.map { url(payload: (name, $0), compression: .gzip) } ?? plain
            return try pending(short.utf8.count < plain.utf8.count ? short : plain)
        }
        return try pending(
            url(payload: (name, Self.packed(text, named: name)), compression: .gzip))
    }

    func request(dropBoxToken: String) throws(NIP155ClientError) -> NIP155PendingRequest {
        guard let (name, text) = try call.payload, name != .permissions else {
            throw .invalidCall("\(call.method.rawValue) has no payload for a drop box")
        }
        try DropBoxContent.check(dropBoxToken)
        return try pending(
            url(payload: (.pb, dropBoxToken)), dropBoxToken: dropBoxToken,
            content: DropBoxContent.content(name.rawValue, text))
    }

    private func pending(
        _ url: String, dropBoxToken: String? = nil, content: String? = nil
    ) throws(NIP155ClientError) -> NIP155PendingRequest {
        let bytesMax = client.limits.urlBytesMax
        guard url.utf8.count <= bytesMax else {
            throw .urlTooLong(bytes: url.utf8.count, bytesMax: bytesMax)
        }
        return NIP155PendingRequest(
            url: url, call: call, id: id, dropBoxToken: dropBoxToken, dropBoxContent: content,
            client: client, template: template, currentUser: currentUser)
    }

    private func url(
        payload: (name: RequestParameter, text: String)?, compression: Compression? = nil
    ) -> String {
        let method = call.method.rawValue
        var parameters: [(RequestParameter, String?)] = [(.type, method)]
        if let payload { parameters.append((payload.name, payload.text)) }
        parameters += [
            (.pubkey, peer), (.currentUser, currentUser), (.id, id),
            (.returnType, call.returnType), (.success, client.callbacks.success?.text),
            (.error, client.callbacks.error?.text), (.cancel, client.callbacks.cancel?.text),
            (.compressionType, compression?.rawValue), (.source, client.name),
            (.clientURL, client.homepage),
        ]
        return "\(client.scheme)://\(method)?\(NIP155Client.query(parameters))"
    }

    /// Returns Base64 of gzip, after a check that a signer would accept the compression ratio.
    private static func packed(
        _ text: String, named name: RequestParameter
    ) throws(NIP155ClientError) -> String {
        let packed = try NIP155ClientError.asked(Compression.gzip.pack(text))
        let bytesMax = max(1, text.utf8.count)
        guard (try? Compression.gzip.unpack(packed, named: name, bytesMax: bytesMax)) != nil else {
            throw .invalidCall(
                "\(name.rawValue) compresses so well that a signer refuses it; send it plain")
        }
        return packed
    }

    private static let keyBytes = 32

    private static func key(
        _ text: String, named name: String
    ) throws(NIP155ClientError) -> String {
        let key = try? Hex.decode(text, countMax: keyBytes, upperCase: .allowed)
        guard let key, key.count == keyBytes else {
            throw .invalidCall("\(name) must be a public key of 64 hex digits")
        }
        return Hex.encode(key.span)
    }
}
