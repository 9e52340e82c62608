// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SigningCrypto
package import SigningService
internal import SigningVault
internal import Synchronization

/// Authenticates the owner by passphrase: one attempt at a time, with a growing delay after each
/// wrong one.
///
/// All passphrases over the socket pass here, so that there is one series of attempts.
package final class OwnerCheck: Sendable {
    /// The reason that an attempt failed.
    package enum Refusal: Error, Hashable {
        /// The passphrase is not sealed to this agent's key.
        case unreadable
        /// Another passphrase is being tried at this moment.
        case busy
        /// The delay after the last wrong passphrase is not over.
        case tooSoon(seconds: Int64)
        /// The passphrase is wrong; the next may be tried after this time.
        case wrong(seconds: Int64)
        /// Another error occurred.
        case failed(ServiceError)
    }

    private struct State {
        var isTrying = false
        var wrongCount = 0
        /// The time of the next permitted attempt; nil for at once.
        var notBefore: ContinuousClock.Instant?
    }

    private let key = SealedBoxKey()
    private let home: OpenHome
    private let signer: LocalSigner
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    /// Deriving a key from a passphrase is slow by design and would block other work.
    private let thread = DispatchQueue(label: "countersign.owner")

    /// Creates a check for the owner of a home.
    package init(
        of home: OpenHome, by signer: LocalSigner,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.home = home
        self.signer = signer
        self.now = now
    }

    /// The key to seal passphrases to.
    package var publicKey: [UInt8] { key.publicKey }

    /// The delay after a wrong passphrase, in seconds; it doubles each time.
    static let delaySeconds: ClosedRange<Int64> = 1...60

    /// Returns if the passphrase is the owner's; the vault must be unlocked.
    package func verify(_ passphrase: SealedPassphrase) async throws(Refusal) {
        guard home.vault.isUnlocked else {
            throw .failed(
                ServiceError("the vault is locked", hint: "unlock it: countersign agent unlock"))
        }
        try await attempt(passphrase) { [home] passphrase in
            try home.vault.check(passphrase: passphrase)
        }
    }

    /// Unlocks the vault with the owner's passphrase.
    package func unlock(_ passphrase: SealedPassphrase) async throws(Refusal) {
        try await attempt(passphrase) { [signer] passphrase in
            try signer.unlock(passphrase: passphrase)
        }
    }

    private func attempt(
        _ passphrase: SealedPassphrase,
        _ body: @escaping @Sendable (borrowing SecretBytes) throws -> Void
    ) async throws(Refusal) {
        try begin()
        let result = await withCheckedContinuation { continuation in
            thread.async { [self] in
                continuation.resume(returning: settle(tried(passphrase, body)))
            }
        }
        try result.get()
    }

    private func begin() throws(Refusal) {
        let refusal: Refusal? = state.withLock { state in
            if state.isTrying { return .busy }
            let left = state.notBefore.map { $0 - now() } ?? .zero
            if left > .zero { return .tooSoon(seconds: left.secondsUp) }
            state.isTrying = true
            return nil
        }
        if let refusal { throw refusal }
    }

    private func tried(
        _ passphrase: SealedPassphrase,
        _ body: (borrowing SecretBytes) throws -> Void
    ) -> Result<Void, Refusal> {
        let secret: SecretBytes
        do throws(CryptoError) {
            secret = try key.open(
                passphrase.box.span, countMax: SealedPassphrase.passphraseBytesMax)
        } catch {
            return .failure(.unreadable)
        }
        do {
            return .success(try body(secret))
        } catch {
            let error = ServiceError(error)
            let isWrong = error == VaultError.wrongPassphrase.explained
            return .failure(isWrong ? .wrong(seconds: 0) : .failed(error))
        }
    }

    /// Records the result of an attempt and adds the delay until the next.
    private func settle(_ result: Result<Void, Refusal>) -> Result<Void, Refusal> {
        state.withLock { state in
            state.isTrying = false
            switch result {
            case .success:
                state.wrongCount = 0
                return result
            case .failure(.wrong):
                let seconds = Self.delay(afterWrong: state.wrongCount)
                state.wrongCount += 1
                state.notBefore = now() + .seconds(seconds)
                return .failure(.wrong(seconds: seconds))
            case .failure: return result
            }
        }
    }

    static func delay(afterWrong count: Int) -> Int64 {
        // Further doublings have no effect.
        min(delaySeconds.lowerBound << min(count, 16), delaySeconds.upperBound)
    }
}

extension Duration {
    /// The time in seconds, rounded up.
    fileprivate var secondsUp: Int64 {
        let (seconds, rest) = components
        return rest > 0 ? seconds + 1 : seconds
    }
}
