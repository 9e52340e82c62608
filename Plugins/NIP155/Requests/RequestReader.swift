// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import Nostr
import SigningCodecs
import SigningCore

/// Reads a request with known callbacks, in the order of checks in the README.
struct RequestReader {
    let url: RequestURL
    let parameters: Parameters
    let callbacks: Callbacks
    let success: Callback
    let configuration: NIP155Configuration
    let context: DecodingContext
    let verify: (@Sendable (SignatureClaim) -> Bool)?

    func request() throws(NIP155Refusal) -> NIP155Request {
        let method = try method()
        let compression = try Compression(parameters[.compressionType])
        let returnType = try returnType(for: method)
        let dropBox = try DropBox(parameters, for: method, configuration, context)

        let payload = try payload(of: method, compression, dropBox)
        let task = try NIP155Refusal.converting(
            NostrTask(
                method.task, payload: payload, peer: parameters[.pubkey], now: context.now,
                limits: configuration.limits.ofTasks, verify: verify))
        if dropBox == nil { try checkRoom(for: task, returning: returnType, compression) }
        let permissions = method == .getPublicKey ? try permissions() : []
        let client = context.client(claimedAs: Self.client(parameters, answeredAt: success))
        return try NIP155Request(
            method: method.rawValue, client: client,
            use: use(for: task, of: client), permissions: permissions,
            returnsEvent: returnType == "event", callbacks: callbacks, compression: compression,
            dropBox: dropBox, hints: ClientHints(parameters, answeredAt: success),
            pace: configuration.pace, clients: configuration.clients)
    }

    /// Returns the client that a request names with its callbacks.
    static func client(_ parameters: Parameters, answeredAt success: Callback) -> Client {
        Client(
            id: success.client.id, name: ClientHints.name(parameters), proof: success.proof,
            party: success.client.party, callback: success.client.id)
    }

    private func use(
        for task: NostrTask, of client: Client
    ) throws(NIP155Refusal) -> NostrUse {
        let wanted = try parameters[.currentUser].map { (text) throws(NIP155Refusal) in
            guard let key = PublicKeyText.key(text) else {
                throw .invalid("current_user must be a public key in hex, or npub")
            }
            return key
        }
        return try NIP155Refusal.converting(
            NostrUse(
                task, named: wanted, for: client, in: context, by: configuration.clients))
    }

    private func method() throws(NIP155Refusal) -> NIP155Method {
        guard let type = parameters[.type] else { throw .invalid("type is missing") }
        if let action = url.action, action != type {
            throw .invalid("the URL names another method than type")
        }
        guard let method = NIP155Method(rawValue: type), method != .decryptZapEvent || verify != nil
        else { throw NIP155Refusal(.unsupportedMethod, "this signer does not support this method") }
        guard parameters[.v] ?? "1" == "1" else {
            throw NIP155Refusal(.unsupportedMethod, "unsupported version; v must be 1")
        }
        return method
    }

    /// Returns the form of the result; the default of the method if the client names none.
    private func returnType(for method: NIP155Method) throws(NIP155Refusal) -> String {
        let offered = method.returnTypes
        guard let first = offered.first else { return "" }
        guard let wanted = parameters[.returnType] else { return first }
        guard offered.contains(wanted) else {
            throw .invalid("returnType of this method must be \(offered.joined(separator: " or "))")
        }
        return wanted
    }

    /// Returns the decompressed payload from the URL or from the drop box.
    private func payload(
        of method: NIP155Method, _ compression: Compression, _ dropBox: DropBox?
    ) throws(NIP155Refusal) -> String {
        guard let name = method.payload else { return "" }
        // Only for these parameters an empty text is valid.
        let isOptional = method == .nip04Encrypt || name == .encryptedText
        guard let sent = dropBox?.payload ?? parameters[name] ?? (isOptional ? "" : nil),
            dropBox != nil || parameters.isNamed(name)
        else { throw .invalid("\(name.rawValue) is missing") }
        let value = name == .event ? try TwiceEncodedJSON.unwrap(sent) : sent
        // Base64 of gzip never begins with a brace, so this client did not compress.
        let isPlain =
            value.isEmpty || (name == .event && value.utf8.first == UInt8(ascii: "{"))
        return try (isPlain ? Compression.none : compression).unpack(
            value, named: name,
            bytesMax: NostrTask.payloadBytesMax(of: method.task, configuration.limits.ofTasks))
    }

    private func permissions() throws(NIP155Refusal) -> [NostrPermission] {
        guard let text = parameters[.permissions] else { return [] }
        return try NostrPermission.list(TwiceEncodedJSON.unwrap(text))
    }

    /// Throws before a key is used, if the result would not fit the callback.
    private func checkRoom(
        for task: NostrTask, returning returnType: String, _ compression: Compression
    ) throws(NIP155Refusal) {
        let room = AnswerRoom(at: success, id: callbacks.id, compression, configuration.limits)
        switch task {
        case .sign(let template):
            // An event by another author is returned whole too, and no account is chosen yet.
            let isWhole = !template.isComplete || template.claimedKey != nil
            if returnType == "event" || isWhole { try room.check(template.event) }
        case .encrypt(let scheme, let plaintext, _):
            try room.check(plaintextBytes: plaintext.utf8.count, scheme)
        case .publicKey, .decrypt, .openZap: break
        }
    }
}
