// SPDX-License-Identifier: Apache-2.0

package import NIP155
import Nostr
import NostrSamples
import SigningCodecs
package import SigningCore
import SigningTesting
import VectorFiles

/// Takes the part of the hub: decodes, decides, signs with real keys and encodes.
package struct Rig {
    package static let now = Timestamp(seconds: 1_700_000_100)

    package var configuration: NIP155Configuration
    /// The secrets of the accounts, in order.
    package var secrets: [String]
    /// Accounts of the protocol that come first and sign no events.
    package var others: [Account]

    /// The notes of earlier requests.
    package var notes: [Note]
    /// The content of the drop box.
    package var enclosure: String?

    package init(
        configuration: NIP155Configuration = NIP155Configuration(),
        secrets: [String] = [NostrKeys.aliceSecret], others: [Account] = [],
        notes: [Note] = [Note(.client("myapp", .callback), Note.seen, 1)], enclosure: String? = nil
    ) {
        self.configuration = configuration
        self.secrets = secrets
        self.others = others
        self.notes = notes
        self.enclosure = enclosure
    }

    package var adapter: NIP155Adapter {
        NIP155Adapter(configuration: configuration, verify: { holds($0) })
    }

    package var accounts: [Account] { get throws { try others + NostrKeys.accounts(secrets) } }

    /// Decodes a URL as the hub does.
    package func decode(_ url: String) throws -> NIP155Request {
        let context = DecodingContext(
            accounts: try accounts,
            peer: Peer(channel: "test", opensCallbacks: true), now: Self.now,
            freshID: [UInt8](repeating: 7, count: 16), wasSeen: { _ in false },
            noted: { name, subject in
                notes.last { $0.subject == subject && $0.name == name }
            }, enclosure: enclosure.map { Array($0.utf8) })
        let frame = Array(url.utf8)
        guard frame.count <= adapter.frameBytesMax else {
            throw adapter.refuseOversize(frameBytes: frame.count)
        }
        return try adapter.decode(frame.span, in: context)
    }

    /// The refusal of a URL that must not be decoded.
    package func refusal(_ url: String) throws -> AdapterError {
        do { _ = try decode(url) } catch let error as AdapterError { return error }
        throw VectorFile.Missing("a refusal of \(url)")
    }

    /// Decodes, approves, uses the key and returns the callback to open.
    package func answer(_ url: String) throws -> String {
        let request = try decode(url)
        return try message(adapter.finalReply(.done(try perform(request)), to: request))
    }

    package func message(_ reply: Reply) throws -> String {
        guard case .message(let bytes) = reply else {
            throw VectorFile.Missing("an answer instead of \(reply)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Performs the operations with the checks of a key store.
    package func perform(_ request: NIP155Request) throws -> [KeyResult] {
        try request.operations.map { operation in
            try use(operation, holding: secrets, in: adapter.domains)
        }
    }
}

/// An answer with its parts, as a client parses it.
package struct ParsedAnswer {
    package let place: String
    package let names: [String]
    package let values: [String: String]

    package init(_ url: String) throws {
        let parts = url.split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { throw VectorFile.Missing("a query in \(url)") }
        place = String(parts[0])
        var names: [String] = []
        var values: [String: String] = [:]
        for pair in parts[1].split(separator: "&") {
            let name = String(pair.prefix { $0 != "=" })
            names.append(name)
            values[name] = try PercentEncoding.decode(
                String(pair.dropFirst(name.count + 1)).utf8.span)
        }
        self.names = names
        self.values = values
    }

    package subscript(name: String) -> String? { values[name] }
}

/// Builds a request URL from values that this function encodes.
package func requestURL(
    _ type: String, _ parameters: KeyValuePairs<String, String>, success: String? = "myapp://ok",
    error: String? = "myapp://err", scheme: String = "nostrsigner"
) -> String {
    var pairs = ["type=\(type)"]
    if let success { pairs.append("x-success=\(PercentEncoding.encode(success))") }
    if let error { pairs.append("x-error=\(PercentEncoding.encode(error))") }
    pairs += parameters.map { "\($0.key)=\(PercentEncoding.encode($0.value))" }
    return "\(scheme)://\(type)?\(pairs.joined(separator: "&"))"
}

package func hex(_ bytes: [UInt8]) -> String { Hex.encode(bytes.span) }

package func base64(_ bytes: [UInt8]) -> String { Base64.encode(bytes.span) }

/// Text that compresses well, but not at a suspicious ratio.
package func mixedText(_ count: Int) -> String {
    var text = ""
    while text.utf8.count < count { text += String(text.utf8.count * 7_919 + 11) }
    return String(text.prefix(count))
}

/// Characters that URL libraries and hand-written parsers often handle wrongly.
package let awkwardText =
    "a+b & c=d #e %25 %zz \u{1F919} \u{2028}\u{E9}e\u{301} \"q\" \\ \n\t;'()*?/"
