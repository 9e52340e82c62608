// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs
internal import SigningNetwork
internal import Synchronization

/// One session at a server of Liquid Auth: what it answers to calls that belong together.
///
/// Redirects are not followed, and the server's cookie is sent to nobody else and shown to nobody.
public final class LiquidServer: Sendable {
    /// Where it is.
    public let origin: WebOrigin
    /// A file of certificates that are trusted in place of the system's; nil for those.
    package let authorities: String?
    private let client: HTTPClient
    private let session = Mutex<String?>(nil)

    /// The longest answer, in bytes.
    public static let answerBytesMax = 64 << 10
    private static let cookieName = "connect.sid"
    private static let cookieBytesMax = 2_048
    /// A server looks for the name of a system in it, and takes Android for another origin.
    package static let userAgent = "Mozilla/5.0 (X11; Linux x86_64) countersign/0.1"
    private static let jsonLimits = JSONLimits(
        bytesMax: answerBytesMax, depthMax: 16, valuesMax: 2_000)

    /// Prepares a session; `authorities` is a file of certificates that are trusted in place of the
    /// system's.
    public init(
        at uri: LiquidURI, allowsInsecure: Bool, authorities: String? = nil
    ) throws(LiquidError) {
        guard uri.origin.scheme == "https" || (uri.isLoopback && allowsInsecure) else {
            throw .insecure
        }
        origin = uri.origin
        self.authorities = authorities
        var settings = HTTPClient.Settings()
        settings.bodyCountMax = Self.answerBytesMax
        settings.userAgent = Self.userAgent
        settings.authoritiesFile = authorities
        client = HTTPClient(settings: settings)
    }

    /// What the session is known by, as a `Cookie` header has it; nil before the first answer.
    package var cookie: String? { session.withLock { $0 } }

    /// Asks for what a new passkey needs (POST /attestation/request).
    func registrationOptions(for address: String) async throws(LiquidError) -> JSON {
        try await post(
            "/attestation/request",
            [
                "username": .string(address), "displayName": "Liquid Auth User",
                "authenticatorSelection": ["userVerification": "required"],
                "extensions": ["liquid": true],
            ])
    }

    /// Hands over a new passkey (POST /attestation/response).
    func register(_ body: [UInt8]) async throws(LiquidError) -> JSON {
        try await post("/attestation/response", body)
    }

    /// Asks for what a passkey signs (POST /assertion/request/ID).
    func loginOptions(for credential: String) async throws(LiquidError) -> JSON {
        try await post("/assertion/request/\(credential)", [:] as JSON)
    }

    /// Hands over what it signed (POST /assertion/response).
    func logIn(_ body: [UInt8]) async throws(LiquidError) -> JSON {
        try await post("/assertion/response", body)
    }

    private func post(_ path: String, _ json: JSON) async throws(LiquidError) -> JSON {
        try await post(path, json.write())
    }

    private func post(_ path: String, _ body: [UInt8]) async throws(LiquidError) -> JSON {
        var settings = client.settings
        settings.headers = [("Origin", origin.text)] + (cookie.map { [("Cookie", $0)] } ?? [])
        let client = HTTPClient(settings: settings)
        let url = origin.text + path
        let response = try await Leaving.value { () -> Result<HTTPClient.Response, LiquidError> in
            do throws(HTTPError) {
                return .success(
                    try await client.post(body, to: url, contentType: "application/json"))
            } catch {
                guard case .tooLarge = error else { return .failure(.unreachable(error.text)) }
                return .failure(.unexpected(error.text))
            }
        }
        keepCookie(of: response)
        return try Self.answer(response)
    }

    /// The first cookie of the session, which it keeps; one for another host is none of ours.
    private func keepCookie(of response: HTTPClient.Response) {
        for header in response.headers where header.name == "set-cookie" {
            let parts = header.value.split(separator: ";").map { part in
                String(part.drop { $0 == " " })
            }
            guard let pair = parts.first, pair.hasPrefix(Self.cookieName + "="),
                pair.utf8.count <= Self.cookieBytesMax,
                pair.utf8.allSatisfy({ (0x21..<0x7f).contains($0) })
            else { continue }
            let domain = parts.dropFirst().first { $0.lowercased().hasPrefix("domain=") }
                .map { $0.dropFirst("domain=".count).drop { $0 == "." }.lowercased() }
            if let domain, domain != origin.host.text { continue }
            session.withLock { $0 = pair }
            return
        }
    }

    private static func answer(_ response: HTTPClient.Response) throws(LiquidError) -> JSON {
        let type = response.headers.last { $0.name == "content-type" }?.value.lowercased() ?? ""
        let json = try? JSON.parse(response.body.span, limits: jsonLimits)
        switch response.status {
        case 200, 201:
            guard type.hasPrefix("application/json"), let json, json.object != nil else {
                throw .unexpected("it answers \(response.status) with something else than JSON")
            }
            return json
        case 300..<400: throw .unexpected("it leads to another address, which is not followed")
        default:
            let reason = json?["reason"]?.text ?? json?["message"]?.text
            if response.status == 401 || response.status == 404, reason == "not_found" {
                throw .notFound
            }
            throw .refused(words(reason, json?["error"]?.text, response.status))
        }
    }

    /// A reason of the server, explained where it is a known one.
    private static func words(_ reason: String?, _ error: String?, _ status: Int) -> String {
        guard let reason else { return "status \(status)" }
        let known: [String: String] = [
            "invalid_credential": "it does not accept the passkey",
            "unknown": "it met an error of its own",
            "missing_extension": "it serves no logins by Liquid Auth",
        ]
        let said = [reason, error].compactMap { $0 }.map(\.visible).joined(separator: ": ")
        return known[reason].map { "\($0) (\(said))" } ?? said
    }
}
