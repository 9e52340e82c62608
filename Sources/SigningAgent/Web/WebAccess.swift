// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCrypto
internal import SigningDigests
package import Socket
internal import Synchronization
package import Web

/// Admits tabs of a browser to the web page: those that were opened with a code, which is valid
/// once.
///
/// A code or a tab's token does not allow any decision, which needs the owner's passphrase. It
/// keeps out clients that only find the port.
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

    /// Admits tabs to the inbox at the origin `inbox`; the pages that other sites open have the
    /// origin `windows`.
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

    /// The time that a code is valid, in seconds.
    package static let codeSeconds: Int64 = 300
    private static let codesMax = 8
    private static let codeCount = 16
    /// The time that a tab stays admitted, in seconds.
    private static let tabSeconds: Int64 = 24 * 3_600
    private static let tabsMax = 16

    /// Creates a code; the oldest unused code is dropped if there are too many.
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
            // Every code is compared, so that the time does not reveal which one matched.
            for (place, code) in codes.enumerated()
            where ConstantTime.isEqual(code.digest.span, digest.span) {
                found = place
            }
            if let found { codes.remove(at: found) }
            return found != nil
        }
    }

    /// The check in the form that the web server uses.
    package var pairing: WebPairing {
        WebPairing(
            pair: { [self] code in take(code) ? tabs.open(since: 0) : nil },
            isKnown: { [self] token in tabs.isOpen(token) })
    }

    /// `POST /v1/web/codes`, for every program of the user: the address that opens the inbox once.
    ///
    /// `GET /v1/web/origin`: the origin of the pages that other sites open.
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
