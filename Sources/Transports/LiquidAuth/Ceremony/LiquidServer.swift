// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs
internal import SigningNetwork
internal import Synchronization

/// One session at a Liquid Auth server.
///
/// Redirects are not followed. The cookie of the session is only sent to the server and never
/// shown.
public final class LiquidServer: Sendable {
    /// The origin of the server.
    public let origin: WebOrigin
    /// A file of trusted certificates that replaces those of the system; nil to use the system's.
    package let authorities: String?
    private let client: HTTPClient
    private let session = Mutex<String?>(nil)

    /// The maximum length of an answer, in bytes.
    public static let answerBytesMax = 64 << 10
    private static let cookieName = "connect.sid"
    private static let cookieBytesMax = 2_048
    /// The user agent; a server searches it for the name of a system, and treats Android as another
    /// origin.
    package static let userAgent = "Mozilla/5.0 (X11; Linux x86_64) countersign/0.1"
    private static let jsonLimits = JSONLimits(
        bytesMax: answerBytesMax, depthMax: 16, valuesMax: 2_000)

    /// Prepares a session; `authorities` is a file of certificates that replaces those of the
    /// system.
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

    /// The cookie of the session as a `Cookie` header; nil before the first answer.
    package var cookie: String? { session.withLock { $0 } }

    /// Requests the options for a new passkey (POST /attestation/request).
    func registrationOptions(for address: String) async throws(LiquidError) -> JSON {
        try await post(
            "/attestation/request",
            [
                "username": .string(address), "displayName": "Liquid Auth User",
                "authenticatorSelection": ["userVerification": "required"],
                "extensions": ["liquid": true],
            ])
    }

    /// Posts a new passkey (POST /attestation/response).
    func register(_ body: [UInt8]) async throws(LiquidError) -> JSON {
        try await post("/attestation/response", body)
    }

    /// Requests the options for a login with a passkey (POST /assertion/request/ID).
    func loginOptions(for credential: String) async throws(LiquidError) -> JSON {
        try await post("/assertion/request/\(credential)", [:] as JSON)
    }

    /// Posts the signed login (POST /assertion/response).
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
        let response = try await CancellableWait.value {
            () -> Result<HTTPClient.Response, LiquidError> in
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

    /// Keeps the first cookie of the session; a cookie for another host is ignored.
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
                throw .unexpected("it answers with status \(response.status) and not with JSON")
            }
            return json
        case 300..<400: throw .unexpected("it redirects to another address, which is not followed")
        default:
            let reason = json?["reason"]?.text ?? json?["message"]?.text
            if response.status == 401 || response.status == 404, reason == "not_found" {
                throw .notFound
            }
            throw .refused(words(reason, json?["error"]?.text, response.status))
        }
    }

    /// Returns the reason of the server, with an explanation of known reasons.
    private static func words(_ reason: String?, _ error: String?, _ status: Int) -> String {
        guard let reason else { return "status \(status)" }
        let known: [String: String] = [
            "invalid_credential": "it does not accept the passkey",
            "unknown": "it had an internal error",
            "missing_extension": "it has no logins by Liquid Auth",
        ]
        let said = [reason, error].compactMap { $0 }.map(\.visible).joined(separator: ": ")
        return known[reason].map { "\($0) (\(said))" } ?? said
    }
}
