// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension NostrChain {
    /// The forms that values in rules and, if possible, facts are normalized to.
    static let forms: [String: FactForm] = [
        "kind": .integer(in: 0...65_535),
        "peer": .publicKey,
        "relay": .relay,
        "scheme": .oneOf(["nip04", "nip44", "private_zap"]),
        "url": .address,
        "method": .httpMethod,
        "tag.p": .publicKey, "tag.P": .publicKey,
        "tag.e": .eventID, "tag.E": .eventID,
        "tag.a": .eventPlace, "tag.A": .eventPlace,
        "tag.q": .eventReference,
        "tag.t": .hashtag,
    ]

    /// The tags whose values have a form; all other tags accept any text.
    static let tagFields = [
        ("tag.p", "The public keys in lower-case hex."),
        ("tag.P", "The public keys in lower-case hex that a thread is about."),
        ("tag.e", "The events by their ids, in lower-case hex."),
        ("tag.E", "The events that a thread is about, by their ids."),
        ("tag.a", "The replaceable events: KIND:KEY:NAME."),
        ("tag.A", "The replaceable events that a thread is about."),
        ("tag.q", "The quoted events, by their ids or as KIND:KEY:NAME."),
        ("tag.t", "The hashtags in lower case."),
    ].map { name, note in
        FactField(name, .text, isList: true, varies: .free, isPayload: true, note: note)
            .of([NostrMethod.signEvent.rawValue])
    }

    /// Returns a text in the form of its fact; unchanged if it does not fit the form.
    static func normalized(_ text: String, toFormOf name: String) -> FactValue {
        (try? forms[name]?.normalised(.text(text))) ?? .text(text)
    }
}

extension FactForm {
    /// A public key in lower-case hex; `npub1...` is accepted too.
    fileprivate static let publicKey = FactForm.text(
        "nostr key", isPart: Bytes32.canHold
    ) { text throws(FactFormError) in
        guard let key = Bytes32.hex(text, orBech32: "npub") else {
            throw FactFormError("takes a public key: 64 hexadecimal digits, or npub1...")
        }
        return key
    }

    /// An event id in lower-case hex; `note1...` is accepted too.
    fileprivate static let eventID = FactForm.text(
        "nostr event", isPart: Bytes32.canHold
    ) { text throws(FactFormError) in
        guard let id = Bytes32.hex(text, orBech32: "note") else {
            throw FactFormError("takes the id of an event: 64 hexadecimal digits, or note1...")
        }
        return id
    }

    /// The address of an event: a kind, an author and a name (NIP-01).
    fileprivate static let eventPlace = FactForm.text("nostr place") { text throws(FactFormError) in
        guard let place = Bytes32.place(text) else {
            throw FactFormError("takes KIND:KEY:NAME, the key in 64 hexadecimal digits")
        }
        return place
    }

    fileprivate static let eventReference = FactForm.text(
        "nostr reference"
    ) { text throws(FactFormError) in
        guard let reference = Bytes32.hex(text, orBech32: "note") ?? Bytes32.place(text) else {
            throw FactFormError(
                "takes the id of an event, 64 hexadecimal digits or note1..., or KIND:KEY:NAME")
        }
        return reference
    }

    /// A hashtag in lower case, as NIP-24 requires.
    fileprivate static let hashtag = FactForm.text(
        "hashtag", isPart: { $0 == $0.lowercased() }
    ) { text in text.lowercased() }

    /// A web address with a normalized origin and a path.
    fileprivate static let address = FactForm.text("web address") { text throws(FactFormError) in
        guard let address = NostrEvent.address(text) else {
            throw FactFormError("takes an address such as https://media.example/upload")
        }
        return address
    }

    fileprivate static let httpMethod = FactForm.text(
        "http method", isPart: { $0 == $0.uppercased() }
    ) { text throws(FactFormError) in
        guard !text.isEmpty, text.utf8.allSatisfy({ $0.isASCIILetter || $0 == UInt8(ascii: "-") })
        else { throw FactFormError("takes an HTTP method such as GET") }
        return text.uppercased()
    }

    /// The host of a relay, and its port if it is not the default.
    fileprivate static let relay = FactForm.text("relay") { text throws(FactFormError) in
        let isURL = text.contains("://")
        guard let origin = try? WebOrigin(isURL ? text : "wss://" + text) else {
            throw FactFormError("takes a host such as relay.example or relay.example:8443")
        }
        let bare = isURL && text.hasSuffix("/") ? String(text.dropLast()) : text
        let slashes = bare.utf8.count { $0 == UInt8(ascii: "/") }
        guard slashes == (isURL ? 2 : 0), ["wss", "ws"].contains(origin.scheme) else {
            throw FactFormError("takes a relay by its host", meant: origin.place)
        }
        return origin.place
    }
}

/// Text forms of 32 bytes in Nostr.
private enum Bytes32 {
    static func canHold(_ part: String) -> Bool {
        part.utf8.count <= 64 && part.utf8.allSatisfy(Self.digits.contains)
    }

    /// Returns lower-case hex of hex in any case, or of a bech32 text with this prefix.
    static func hex(_ text: String, orBech32 prefix: String) -> String? {
        if text.utf8.count == 64, canHold(text) { return text }
        if text.hasPrefix(prefix + "1"), let (hrp, bytes) = try? Bech32.decode(text),
            hrp == prefix, bytes.count == 32
        {
            return Hex.encode(bytes.span)
        }
        guard let bytes = try? Hex.decode(text, upperCase: .allowed), bytes.count == 32 else {
            return nil
        }
        return Hex.encode(bytes.span)
    }

    static func place(_ text: String) -> String? {
        let parts = text.split(
            separator: ":", maxSplits: 2, omittingEmptySubsequences: false
        ).map(String.init)
        guard parts.count == 3, let kind = UInt16(parts[0]), String(kind) == parts[0],
            let key = hex(parts[1], orBech32: "npub")
        else { return nil }
        return "\(kind):\(key):\(parts[2])"
    }

    private static let digits = Set("0123456789abcdef".utf8)
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
