// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCrypto
internal import SigningDigests
package import Socket
internal import Synchronization
package import Web

/// Which tabs of a browser may use the page: those that were opened with a code, which counts once.
///
/// A code or a tab's token gives nobody the right to decide: that takes the owner's passphrase. It
/// keeps away whoever only finds the port.
package final class WebAccess: SocketResource {
    private struct Code {
        let digest: [UInt8]
        let made: ContinuousClock.Instant
    }

    private let inbox: String
    private let windows: String
    private let tabs: OwnerSessions
    private let now: @Sendable () -> ContinuousClock.Instant
    private let codes = Mutex<[Code]>([])

    /// Lets tabs in to the inbox at the origin `inbox`; pages of others open the origin `windows`.
    package init(
        to inbox: String, besides windows: String,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.inbox = inbox
        self.windows = windows
        self.now = now
        var limits = OwnerLimits()
        limits.idle = .seconds(Self.tabSeconds)
        limits.whole = .seconds(Self.tabSeconds)
        limits.sessionsMax = Self.tabsMax
        tabs = OwnerSessions(limits, vault: { 0 }, now: now)
    }

    /// How long a code waits for its browser, in seconds.
    package static let codeSeconds: Int64 = 300
    private static let codesMax = 8
    private static let codeCount = 16
    /// How long a tab is known, in seconds.
    private static let tabSeconds: Int64 = 24 * 3_600
    private static let tabsMax = 16

    /// A new code; the oldest that waits makes room.
    func makeCode() -> String {
        let code = Hex.encode(Randomness.bytes(Self.codeCount).span)
        codes.withLock { codes in
            forgetOld(&codes)
            if codes.count >= Self.codesMax { codes.removeFirst() }
            codes.append(Code(digest: Digest.sha256(code.utf8.span), made: now()))
        }
        return code
    }

    private func forgetOld(_ codes: inout [Code]) {
        codes.removeAll { now() - $0.made >= .seconds(Self.codeSeconds) }
    }

    private func take(_ code: String) -> Bool {
        let digest = Digest.sha256(code.utf8.span)
        return codes.withLock { codes in
            forgetOld(&codes)
            var found: Int?
            // All are looked at: how long it takes says nothing of which.
            for (place, code) in codes.enumerated()
            where ConstantTime.isEqual(code.digest.span, digest.span) {
                found = place
            }
            if let found { codes.remove(at: found) }
            return found != nil
        }
    }

    /// As the page asks it.
    package var pairing: WebPairing {
        WebPairing(
            pair: { [self] code in take(code) ? tabs.open(since: 0) : nil },
            isKnown: { [self] token in tabs.isOpen(token) })
    }

    /// `POST /v1/web/codes`, which every program of the user may ask for: the address that opens
    /// the page once; `GET /v1/web/origin`: the origin of the pages by which others ask.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        if request.head.path == "/v1/web/origin" {
            return request.head.misdirected(methods: ["GET"])
                ?? HTTPResponse(200, ["origin": .string(windows)])
        }
        guard request.head.path == "/v1/web/codes" else { return nil }
        if let refusal = request.head.misdirected(methods: ["POST"]) { return refusal }
        return HTTPResponse(
            201,
            [
                "url": .string("\(inbox)/#\(makeCode())"),
                "seconds": .integer(Self.codeSeconds),
            ])
    }
}
