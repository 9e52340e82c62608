// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore
import SigningDigests

/// The data that ARC-60 signs for a login: canonical JSON, bound to a domain by authenticator data.
package struct ARC60Login {
    package let domain: String
    /// The data as parsed JSON and as the original text.
    package let json: JSON
    package let text: String
    package let authenticatorData: AuthenticatorData
    package let requestID: String?
    /// The derivation path that the client claims; only the signer decides which key signs.
    package let hdPath: String?
    /// True if the client has the origin whose host is the domain.
    package let isFromDomain: Bool
    /// The time of the request.
    package let time: Timestamp

    private static let domainBytesMax = 253
    private static let hintBytesMax = 512
    /// The number of signed bytes: two hashes.
    package static let signedCount = 64

    /// The names of the parameters, without the signer and the provider.
    package static let names = [
        "data", "domain", "authenticatorData", "requestId", "hdPath", "metadata",
    ]

    /// Reads the parameters and checks that data, domain and client belong together.
    package init(
        _ params: JSONObject, from client: Client?, at time: Timestamp
    ) throws(AlgorandRefusal) {
        self.time = time
        try Self.checkMetadata(params["metadata"])
        let data = try Self.base64(params["data"], "data", .failedDecoding)
        guard data.count <= MessageToSign.bytesMax else {
            throw .invalid("params.data has more than \(MessageToSign.bytesMax) bytes")
        }
        json = try Self.canonicalJSON(data)
        text = String(decoding: data, as: UTF8.self)
        guard let domain = try Self.text(params, "domain"), !domain.isEmpty else {
            throw AlgorandRefusal(.missingDomain, "params.domain is missing")
        }
        guard domain.utf8.count <= Self.domainBytesMax,
            domain.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw AlgorandRefusal(.failedDomainAuth, "params.domain is not a domain") }
        self.domain = domain
        authenticatorData = try AuthenticatorData(
            try Self.base64(
                params["authenticatorData"], "authenticatorData",
                .missingAuthenticatorData))
        requestID = try Self.hint(params, "requestId")
        hdPath = try Self.hint(params, "hdPath")
        isFromDomain = try Self.isOrigin(domain, of: client)
        try checkDomain()
        guard Self.isSignable(preimage) else {
            throw .invalid("the hashes of this data could be taken for a program; change the data")
        }
    }

    /// The two parts whose hashes are signed.
    package var preimage: [UInt8] {
        SigningDomain.joined(Array(text.utf8), authenticatorData.bytes)
    }

    /// True if a preimage holds canonical JSON and authenticator data, and its hashes are harmless.
    package static func isSignable(_ preimage: [UInt8]) -> Bool {
        guard let (data, authenticatorData) = SigningDomain.parts(of: preimage),
            data.count <= MessageToSign.bytesMax,
            (try? AuthenticatorData(Array(authenticatorData))) != nil,
            (try? canonicalJSON(Array(data))) != nil,
            let message = SigningDomain.Prehash.sha256OfBoth.message(of: preimage)
        else { return false }
        return !ReservedPrefixes.isProgram(message)
    }

    private func checkDomain() throws(AlgorandRefusal) {
        let bytes = Array(domain.utf8)
        guard authenticatorData.domainHash == Digest.sha256(bytes.span) else {
            throw AlgorandRefusal(
                .failedDomainAuth, "params.authenticatorData does not begin with the domain's hash")
        }
        if let stated = json["domain"], !Self.isText(stated, domain) {
            throw AlgorandRefusal(
                .failedDomainAuth, "the data names another domain than params.domain")
        }
    }

    private static func canonicalJSON(_ data: [UInt8]) throws(AlgorandRefusal) -> JSON {
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(data.span)
        } catch {
            throw AlgorandRefusal(.badJSON, "params.data is not JSON: \(error.text)")
        }
        guard json.object != nil else {
            throw AlgorandRefusal(.badJSON, "params.data is not a JSON object")
        }
        guard let canonical = json.canonical(), canonical == data else {
            throw AlgorandRefusal(
                .badJSON, "params.data is not canonical (RFC 8785), or has a fraction")
        }
        return json
    }

    private static func checkMetadata(_ metadata: JSON?) throws(AlgorandRefusal) {
        guard let object = metadata?.object,
            object.names.allSatisfy(["scope", "encoding"].contains)
        else { throw .invalid("params.metadata does not have the members scope and encoding") }
        guard object["scope"]?.integerValue == 1 else {
            throw AlgorandRefusal(.invalidScope, "params.metadata.scope is not 1, AUTH")
        }
        guard object["encoding"]?.text == "base64" else {
            throw AlgorandRefusal(.failedDecoding, "params.metadata.encoding is not base64")
        }
    }

    private static func base64(
        _ json: JSON?, _ name: String, _ code: AlgorandRefusal.Kind
    ) throws(AlgorandRefusal) -> [UInt8] {
        guard let text = json?.text else {
            throw AlgorandRefusal(code, "params.\(name) is missing, or not text")
        }
        do throws(CodecError) {
            return try Base64.decode(text, alphabet: .either, padding: .optional)
        } catch {
            throw AlgorandRefusal(code, "params.\(name) is not base64: \(error.text)")
        }
    }

    private static func hint(
        _ params: JSONObject, _ name: String
    ) throws(AlgorandRefusal) -> String? {
        guard let text = try text(params, name) else { return nil }
        guard text.utf8.count <= hintBytesMax else {
            throw .invalid("params.\(name) has more than \(hintBytesMax) bytes")
        }
        return text
    }

    private static func text(
        _ params: JSONObject, _ name: String
    ) throws(AlgorandRefusal) -> String? {
        guard let value = params[name] else { return nil }
        guard let text = value.text else { throw .invalid("params.\(name) is not text") }
        return text
    }

    /// True if the client has an origin on the domain; throws if its origin is on another domain.
    private static func isOrigin(
        _ domain: String, of client: Client?
    ) throws(AlgorandRefusal) -> Bool {
        guard let client, let mark = client.id.firstRange(of: "://") else { return false }
        let host = client.id.utf8[mark.upperBound...].prefix { !"/?#".utf8.contains($0) }
        let port = host.dropFirst(domain.utf8.count)
        guard host.starts(with: domain.utf8), port.isEmpty || isPort(port) else {
            throw AlgorandRefusal(
                .failedDomainAuth, "params.domain is not the domain of the client")
        }
        return true
    }

    private static func isPort(_ text: Substring.UTF8View) -> Bool {
        text.first == UInt8(ascii: ":")
            && text.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    /// True if a value is this text, byte for byte: `==` would accept the Kelvin sign for a K.
    private static func isText(_ json: JSON, _ text: String) -> Bool {
        json.text.map { UTF8Text.isSame($0, text) } ?? false
    }
}

extension ARC60Login {
    /// The members of a sign-in (CAIP-122); only these names are shown as labels.
    private static let knownNames = [
        "domain", "account_address", "uri", "version", "statement", "nonce", "issued-at",
        "expiration-time", "not-before", "request-id", "chain_id", "resources", "type",
    ]

    /// The members of a sign-in one by one, as the client wrote them, and the others on one line.
    ///
    /// A label is not quoted, so a name that the client chose could look like a line of
    /// Countersign. Many lines could push the name of the client off the screen.
    package var lines: [Summary.Line] {
        var lines = [Summary.Line("domain", domain, by: .client)]
        var others: [JSONObject.Member] = []
        // The domain is already shown above.
        for member in json.object?.members ?? [] where member.name != "domain" {
            guard Self.knownNames.contains(where: { UTF8Text.isSame($0, member.name) }) else {
                others.append(member)
                continue
            }
            lines.append(.init(member.name, Self.text(member.value), by: .client))
        }
        if !others.isEmpty {
            let text = Self.text(.object(JSONObject(others)))
            lines.append(.init("other data", text, by: .client))
        }
        lines += authenticatorData.lines
        if let requestID { lines.append(.init("request", requestID, by: .client)) }
        if let hdPath { lines.append(.init("path of the key", hdPath, by: .client)) }
        lines.append(
            .init(
                "signed",
                "the hashes of this data and of the authenticator data, which has the domain"))
        return lines
    }

    private static func text(_ value: JSON) -> String {
        value.text ?? String(decoding: value.write(), as: UTF8.self)
    }

    package func warnings(_ account: Account) -> [String] {
        guard let named = json["account_address"], !Self.isText(named, account.address) else {
            return []
        }
        return ["the data names another account than the one that signs"]
    }
}
