// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore

/// Lets only one process of a home answer a named request at a time, by locks on bytes of a file.
///
/// The kernel removes the locks of a process that ends, even if it is killed.
struct WaitingPlaces {
    let path: String

    func take(named name: [UInt8], for digest: [UInt8]) throws(LedgerError) -> WaitingPlace {
        let file = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unavailable("the file of waiting requests") }
        let token = HeldFile(file)
        // First the lock for this exact request, then the lock for its name. So a process that
        // finds the name locked by the same request has found the request's lock before.
        let mixed = zip(name, digest).map { $0 ^ $1 }
        guard try lock(file, at: 1 << 56 | Self.offset(mixed)) else { return .taken }
        guard try lock(file, at: Self.offset(name)) else { return .takenByAnother }
        return .held(token)
    }

    /// The first seven bytes of a hash as the position of a byte in the file.
    ///
    /// Two hashes practically never have the same position by chance.
    private static func offset(_ hash: [UInt8]) -> Int {
        hash.prefix(7).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Locks a byte of the file; false if another open file has locked it.
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

    /// The value of `F_OFD_SETLK`, which the Glibc module lacks.
    ///
    /// Its locks belong to an open file instead of a process.
    private static let setLock: Int32 = 37
}

/// An open file; it is closed and its locks end when this object is deallocated.
private final class HeldFile: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

extension SQLiteLedger {
    /// Takes the locks of a named request; `digest` identifies the exact request.
    package func takePlace(
        named name: [UInt8], for digest: [UInt8]
    ) throws(LedgerError) -> WaitingPlace {
        guard let waiting else { return .held(()) }
        return try waiting.take(named: name, for: digest)
    }
}
