// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
package import SigningCore

/// The client of a test, as rules would see it at the agent's socket.
package struct TestClient: Sendable {
    /// The name that the client claims; nil if it claims none or its identity is proved.
    package let claim: String?
    /// The credential that proves the client's identity.
    package let credential: Credential?
    /// The page, as reported by a browser that is not paired.
    package let visit: PageVisit?
    /// The server that a transport verified.
    package let provedServer: ProvedServer?
    /// The key that the client proved.
    package let provedKey: ProvedKey?
    /// True if the answer goes only to the callback.
    package let opensCallbacks: Bool

    /// Explains which members of a test go together.
    package static let hint =
        "a token: client = \"token:NAME\", proof = \"token\"; a page: client = ORIGIN, "
        + "proof = \"browser\", profile = NAME; a key: client = 64 hex digits, proof = \"key\""

    /// Reads a client from the members of a test, or from `--client`, `--proof` and the like; nil
    /// if they do not go together.
    package init?(client: String?, proof: String?, profile: String?, topOrigin: String?) {
        opensCallbacks = proof == Client.Proof.callback.word
        if proof == Client.Proof.key.word {
            guard let client, profile == nil, topOrigin == nil, let key = Self.key(client) else {
                return nil
            }
            (claim, credential, visit, provedServer, provedKey) = (nil, nil, nil, nil, key)
            return
        }
        provedKey = nil
        provedServer = proof == Client.Proof.server.word ? client.flatMap(Self.server) : nil
        visit = proof == Client.Proof.page.word ? client.flatMap(Self.visit) : nil
        switch (proof, client, profile) {
        case ("callback", nil, nil):
            guard topOrigin == nil else { return nil }
            (claim, credential) = (nil, nil)
        case (nil, _, nil), ("claimed", _?, nil):
            guard topOrigin == nil, client.map(Client.isReserved) != true else { return nil }
            (claim, credential) = (client, nil)
        case ("page", _?, nil):
            guard visit != nil, topOrigin == nil else { return nil }
            (claim, credential) = (nil, nil)
        case ("server", _?, nil):
            guard provedServer != nil, topOrigin == nil else { return nil }
            (claim, credential) = (nil, nil)
        case ("token", let client?, nil):
            let name = String(client.dropFirst(Client.tokenPrefix.utf8.count))
            guard client.hasPrefix(Client.tokenPrefix), Client.isTokenName(name), topOrigin == nil
            else { return nil }
            (claim, credential) = (nil, .program(name))
        case ("browser", let client?, let profile?):
            guard Client.isTokenName(profile), let origin = Self.origin(client),
                let top = Self.origin(topOrigin ?? client)
            else { return nil }
            claim = nil
            credential = .page(
                BrowserPage(
                    profile: profile, origin: origin.text, party: origin.host.registrableDomain,
                    topOrigin: top.text, document: nil))
        default: return nil
        }
    }

    private static func visit(_ client: String) -> PageVisit? {
        origin(client).map {
            .message(origin: $0.text, party: $0.host.registrableDomain, isFramed: false)
        }
    }

    private static func server(_ client: String) -> ProvedServer? {
        origin(client).map {
            ProvedServer(origin: $0.text, party: $0.host.registrableDomain)
        }
    }

    /// The key of a client that the owner connected; rules use nothing else of the connection.
    private static func key(_ text: String) -> ProvedKey? {
        guard let bytes = try? Hex.decode(text), bytes.count == 32,
            Hex.encode(bytes.span) == text
        else { return nil }
        return ProvedKey(
            publicKey: text, account: KeyID("test"), connection: "test", name: "test")
    }

    private static func origin(_ text: String) -> WebOrigin? {
        (try? WebOrigin(text)).flatMap { $0.isPage && $0.text == text ? $0 : nil }
    }
}
