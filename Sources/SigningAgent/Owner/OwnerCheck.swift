// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SigningCrypto
package import SigningService
internal import SigningStorage
internal import Synchronization

/// Tells the owner from everybody else, by the passphrase: one attempt at a time, and after each
/// wrong one the next has to wait longer.
///
/// Whatever asks for the passphrase over the socket asks here, so that nobody has two rows of
/// attempts.
package final class OwnerCheck: Sendable {
    /// Why it was not the owner.
    package enum Refusal: Error, Hashable {
        /// It is not sealed to this agent's key.
        case unreadable
        /// Another passphrase is being tried at this moment.
        case busy
        /// The last wrong one is not long enough ago.
        case tooSoon(seconds: Int64)
        /// The passphrase is wrong; the next may be tried after this time.
        case wrong(seconds: Int64)
        /// Something else is the matter.
        case failed(ServiceError)
    }

    private struct State {
        var isTrying = false
        var wrongCount = 0
        /// When the next may be tried; nil for at once.
        var notBefore: ContinuousClock.Instant?
    }

    private let key = SealedBoxKey()
    private let home: OpenHome
    private let signer: LocalSigner
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    /// What comes of a passphrase is slow by intention, and would keep others waiting.
    private let thread = DispatchQueue(label: "countersign.owner")

    /// Checks for the owner of a home.
    package init(
        of home: OpenHome, by signer: LocalSigner,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.home = home
        self.signer = signer
        self.now = now
    }

    /// What passphrases are sealed to.
    package var publicKey: [UInt8] { key.publicKey }

    /// How long after wrong ones the next has to wait, in seconds: twice as long each time.
    static let delaySeconds: ClosedRange<Int64> = 1...60

    /// Returns for the owner of the home; the vault has to be unlocked.
    package func verify(_ passphrase: SealedPassphrase) async throws(Refusal) {
        guard home.vault.isUnlocked else {
            throw .failed(
                ServiceError("the vault is locked", hint: "unlock it: countersign agent unlock"))
        }
        try await attempt(passphrase) { [home] passphrase throws(ServiceError) in
            do throws(VaultError) {
                try home.vault.check(passphrase: passphrase)
            } catch {
                throw error.explained
            }
        }
    }

    /// Unlocks the vault for its owner.
    package func unlock(_ passphrase: SealedPassphrase) async throws(Refusal) {
        try await attempt(passphrase) { [signer] passphrase throws(ServiceError) in
            try signer.unlock(passphrase: passphrase)
        }
    }

    private func attempt(
        _ passphrase: SealedPassphrase,
        _ body: @escaping @Sendable (borrowing SecretBytes) throws(ServiceError) -> Void
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
        _ body: (borrowing SecretBytes) throws(ServiceError) -> Void
    ) -> Result<Void, Refusal> {
        let secret: SecretBytes
        do throws(CryptoError) {
            secret = try key.open(
                passphrase.box.span, countMax: SealedPassphrase.passphraseBytesMax)
        } catch {
            return .failure(.unreadable)
        }
        do throws(ServiceError) {
            return .success(try body(secret))
        } catch {
            let isWrong = error == VaultError.wrongPassphrase.explained
            return .failure(isWrong ? .wrong(seconds: 0) : .failed(error))
        }
    }

    /// Notes how an attempt ended, and tells when the next may follow.
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
        // More doublings than these change nothing any more.
        min(delaySeconds.lowerBound << min(count, 16), delaySeconds.upperBound)
    }
}

extension Duration {
    /// In seconds, where a part of one counts as one.
    fileprivate var secondsUp: Int64 {
        let (seconds, rest) = components
        return rest > 0 ? seconds + 1 : seconds
    }
}
