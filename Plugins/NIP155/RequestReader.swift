// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// Reads a request whose callbacks are known, in the order of checks the README gives.
struct RequestReader {
    let url: RequestURL
    let parameters: Parameters
    let callbacks: Callbacks
    let success: Callback
    let configuration: NIP155Configuration
    let context: DecodingContext
    let verify: (@Sendable (SignatureClaim) -> Bool)?

    func request() throws(WireFault) -> NIP155Request {
        let method = try method()
        let compression = try Compression(parameters[.compressionType])
        let returnType = try returnType(for: method)
        let dropBox = try DropBox(parameters, for: method, configuration, context)

        let payload = try payload(of: method, compression, dropBox)
        let asked = try asked(method, payload, returning: returnType, compression, dropBox)
        let client = Client(
            id: success.client.id, name: ClientHints.name(parameters), proof: .callback,
            party: success.client.party)
        let account = try AccountChoice.account(
            currentUser: parameters[.currentUser], author: asked.author, client: client,
            in: context)
        let change = asked.listChange(of: account, in: context)
        return NIP155Request(
            method: method.rawValue, client: client,
            operations: [asked.operation(by: account, change, in: context)], asked: asked,
            change: change, account: account, callbacks: callbacks, compression: compression,
            dropBox: dropBox,
            hints: ClientHints(parameters, answeredAt: success))
    }

    private func method() throws(WireFault) -> NIP155Method {
        guard let type = parameters[.type] else { throw .invalid("type is missing") }
        if let action = url.action, action != type {
            throw .invalid("the URL names another method than type")
        }
        guard let method = NIP155Method(rawValue: type), method != .decryptZapEvent || verify != nil
        else { throw WireFault(.unsupportedMethod, "this signer does not offer this method") }
        guard parameters[.v] ?? "1" == "1" else {
            throw WireFault(.unsupportedMethod, "unsupported version; v must be 1")
        }
        return method
    }

    /// The shape of the result, the method's own where the client names none.
    private func returnType(for method: NIP155Method) throws(WireFault) -> String {
        let offered = method.returnTypes
        guard let first = offered.first else { return "" }
        guard let wanted = parameters[.returnType] else { return first }
        guard offered.contains(wanted) else {
            throw .invalid("returnType of this method must be \(offered.joined(separator: " or "))")
        }
        return wanted
    }

    /// The payload as text, unpacked, from the URL or from the drop box.
    private func payload(
        of method: NIP155Method, _ compression: Compression, _ dropBox: DropBox?
    ) throws(WireFault) -> String {
        guard let name = method.payload else { return "" }
        // Only here a text without anything in it means something of its own.
        let isOptional = method == .nip04Encrypt || name == .encryptedText
        guard let sent = dropBox?.payload ?? parameters[name] ?? (isOptional ? "" : nil),
            dropBox != nil || parameters.isNamed(name)
        else { throw .invalid("\(name.rawValue) is missing") }
        let value = name == .event ? try TwiceEncodedJSON.unwrap(sent) : sent
        // Base64 of gzip never begins with a brace, so this client forgot to compress.
        let isPlain =
            value.isEmpty || (name == .event && value.utf8.first == UInt8(ascii: "{"))
        return try (isPlain ? Compression.none : compression).unpack(
            value, named: name, bytesMax: bytesMax(of: method))
    }

    private func bytesMax(of method: NIP155Method) -> Int {
        let limits = configuration.limits
        return switch method {
        case .getPublicKey: 0
        case .signEvent, .decryptZapEvent: limits.eventBytesMax
        case .nip04Encrypt, .nip44Encrypt: limits.textBytesMax
        case .nip04Decrypt: NIP04Text.charactersMax(plaintextBytes: limits.textBytesMax)
        case .nip44Decrypt: NIP44Text.charactersMax(plaintextBytes: limits.textBytesMax)
        }
    }

    private func asked(
        _ method: NIP155Method, _ payload: String, returning returnType: String,
        _ compression: Compression, _ dropBox: DropBox?
    ) throws(WireFault) -> Asked {
        let limits = configuration.limits
        switch method {
        case .getPublicKey:
            let wishes = try parameters[.permissions].map { (text) throws(WireFault) in
                try PermissionWish.list(TwiceEncodedJSON.unwrap(text))
            }
            return .publicKey(wishes: wishes ?? [])
        case .signEvent:
            let template = try EventTemplate(payload, now: context.now, limits: limits)
            // One by another author goes back whole as well, and no account is chosen yet.
            let isWhole = !template.isComplete || template.claimedKey != nil
            if dropBox == nil, returnType == "event" || isWhole {
                try room(compression).check(template.event)
            }
            return .sign(template, returnsEvent: returnType == "event")
        case .decryptZapEvent:
            guard let verify else { throw .failed }
            return .openZap(try Zap(payload, limits: limits, verify: verify))
        case .nip04Encrypt, .nip44Encrypt:
            guard !payload.isEmpty || method == .nip04Encrypt else {
                throw .invalid("plaintext is empty")
            }
            let scheme = method == .nip04Encrypt ? CipherScheme.nip04 : .nip44
            if dropBox == nil {
                try room(compression).check(plaintextBytes: payload.utf8.count, scheme)
            }
            return .encrypt(scheme, plaintext: payload, peer: try peer())
        case .nip04Decrypt:
            let raw = NIP04Text.payload(of: payload, bytesMax: bytesMax(of: method))
            guard let raw else { throw .undecryptable }
            return .decrypt(.nip04, payload: raw, peer: try peer())
        case .nip44Decrypt:
            let raw = try NIP44Text.payload(of: payload, plaintextBytesMax: limits.textBytesMax)
            return .decrypt(.nip44, payload: raw, peer: try peer())
        }
    }

    private func room(_ compression: Compression) -> AnswerRoom {
        AnswerRoom(at: success, id: callbacks.id, compression, configuration.limits)
    }

    private func peer() throws(WireFault) -> [UInt8] {
        guard let text = parameters[.pubkey] else { throw .invalid("pubkey is missing") }
        guard let key = PublicKeyText.key(text) else {
            throw .invalid("pubkey must be a public key in hex, or npub")
        }
        return key
    }
}
