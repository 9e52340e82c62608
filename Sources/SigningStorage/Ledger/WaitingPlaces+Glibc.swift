// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore

/// The places of waiting requests, as locks on bytes of one file: a lock ends with its holder, even
/// if the process is killed.
struct WaitingPlaces {
    let path: String

    func take(named name: [UInt8], for digest: [UInt8]) throws(LedgerError) -> WaitingPlace {
        let file = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unavailable("the file of waiting requests") }
        let token = HeldFile(file)
        // The request is locked first: a caller that finds the name taken by the same request must
        // see the request's lock.
        let mixed = zip(name, digest).map { $0 ^ $1 }
        guard try lock(file, at: 1 << 56 | Self.offset(mixed)) else { return .taken }
        guard try lock(file, at: Self.offset(name)) else { return .takenByAnother }
        return .held(token)
    }

    /// The first seven bytes of a hash; a collision by chance is practically impossible.
    private static func offset(_ hash: [UInt8]) -> Int {
        hash.prefix(7).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Locks a byte; false if another holder has it.
    private func lock(_ file: Int32, at offset: Int) throws(LedgerError) -> Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = offset
        range.l_len = 1
        if unsafe fcntl(file, Self.setLock, &range) == 0 { return true }
        guard errno == EAGAIN || errno == EACCES else {
            throw .unavailable("the file of waiting requests cannot be locked")
        }
        return false
    }

    /// The value of `F_OFD_SETLK`, which the Glibc module lacks: the lock belongs to the open file,
    /// not to the process.
    private static let setLock: Int32 = 37
}

/// An open file, which is closed with its locks when the last reference is gone.
private final class HeldFile: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

extension SQLiteLedger {
    /// Occupies one of the places for waiting requests.
    package func takePlace(
        named name: [UInt8], for digest: [UInt8]
    ) throws(LedgerError) -> WaitingPlace {
        guard let waiting else { return .held(()) }
        return try waiting.take(named: name, for: digest)
    }
}
