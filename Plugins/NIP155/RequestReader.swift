// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// Reads a request whose callbacks are known, in the order of checks the README gives.
struct RequestReader {
    let url: RequestURL
    let parameters: Parameters
    let callbacks: Callbacks
    let success: Callback
    let configuration: NIP155Configuration
    let context: DecodingContext

    func request() throws(WireFault) -> NIP155Request {
        let method = try method()
        let compression = try Compression(parameters[.compressionType])
        let returnType = try returnType(for: method)
        guard !parameters.isSent(.pb) else { throw .invalid("pb not supported") }

        let asked = try asked(method, returning: returnType, compression)
        let account = try AccountChoice.account(
            currentUser: parameters[.currentUser], author: asked.author,
            among: context.accounts)
        let hints = ClientHints(parameters, answeredAt: success)
        return NIP155Request(
            method: method.rawValue,
            client: Client(id: success.identity, name: hints.name, proof: .callback),
            operations: [asked.operation(by: account, at: context.now)], asked: asked,
            account: account, callbacks: callbacks, compression: compression, hints: hints)
    }

    /// The methods offered; `nip04_*` and `decrypt_zap_event` are not.
    private enum Method: String {
        case getPublicKey = "get_public_key"
        case signEvent = "sign_event"
        case encrypt = "nip44_encrypt"
        case decrypt = "nip44_decrypt"
    }

    private func method() throws(WireFault) -> Method {
        guard let type = parameters[.type] else { throw .invalid("type is missing") }
        if let action = url.action, action != type {
            throw .invalid("the URL names another method than type")
        }
        guard let method = Method(rawValue: type) else {
            throw WireFault(.unsupportedMethod, "this signer does not offer this method")
        }
        guard parameters[.v] ?? "1" == "1" else {
            throw WireFault(.unsupportedMethod, "unsupported version; v must be 1")
        }
        return method
    }

    /// The shape of the result, the method's own where the client names none.
    private func returnType(for method: Method) throws(WireFault) -> String {
        let offered: [String]
        switch method {
        case .getPublicKey: return ""
        case .signEvent: offered = ["signature", "event"]
        case .encrypt: offered = ["ciphertext"]
        case .decrypt: offered = ["plaintext"]
        }
        guard let wanted = parameters[.returnType] else { return offered[0] }
        guard offered.contains(wanted) else {
            throw .invalid("returnType of this method must be \(offered.joined(separator: " or "))")
        }
        return wanted
    }

    private func asked(
        _ method: Method, returning returnType: String, _ compression: Compression
    ) throws(WireFault) -> Asked {
        switch method {
        case .getPublicKey:
            let wishes = try parameters[.permissions].map { (text) throws(WireFault) in
                try PermissionWish.list(TwiceEncodedJSON.unwrap(text))
            }
            return .publicKey(wishes: wishes ?? [])
        case .signEvent:
            return .sign(try template(compression), returnsEvent: returnType == "event")
        case .encrypt:
            let plaintext = try compression.unpack(
                required(.plaintext), named: .plaintext, bytesMax: NIP44Text.plaintextBytesMax)
            guard !plaintext.isEmpty else { throw .invalid("plaintext is empty") }
            return .encrypt(plaintext: plaintext, peer: try peer())
        case .decrypt:
            guard parameters.isNamed(.encryptedText) else {
                throw .invalid("encryptedText is missing")
            }
            let text = try compression.unpack(
                parameters[.encryptedText] ?? "", named: .encryptedText,
                bytesMax: NIP44Text.charactersMax)
            return .decrypt(payload: try NIP44Text.payload(of: text), peer: try peer())
        }
    }

    private func template(_ compression: Compression) throws(WireFault) -> EventTemplate {
        let value = try TwiceEncodedJSON.unwrap(required(.event))
        // Base64 of gzip never begins with a brace, so this client forgot to compress.
        let isPlain = value.utf8.first == UInt8(ascii: "{")
        let text = try (isPlain ? Compression.none : compression).unpack(
            value, named: .event, bytesMax: configuration.limits.eventBytesMax)
        return try EventTemplate(text, now: context.now, limits: configuration.limits)
    }

    private func peer() throws(WireFault) -> [UInt8] {
        guard let key = PublicKeyText.key(try required(.pubkey)) else {
            throw .invalid("pubkey must be a public key in hex, or npub")
        }
        return key
    }

    private func required(_ name: Parameters.Name) throws(WireFault) -> String {
        guard let value = parameters[name] else {
            throw .invalid("\(name.rawValue) is missing")
        }
        return value
    }
}
