// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCrypto
package import SigningService

/// The exclusive right of one process to ask at a shared terminal.
///
/// It is a lock on the device file of the terminal, so it ends with its process.
package final class TerminalTurn {
    private let device: Descriptor

    /// Waits for the lock; nil if the deadline passes first.
    init?(at path: String, until deadline: ContinuousClock.Instant) {
        guard let device = Descriptor(opening: path, O_RDONLY | O_NOCTTY | O_NONBLOCK) else {
            return nil
        }
        while flock(device.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < deadline,
                !Task.isCancelled
            else {
                return nil
            }
            usleep(Self.pauseMicroseconds)
        }
        self.device = device
    }

    private static let pauseMicroseconds: UInt32 = 50_000
}

extension Terminal {
    /// The time after a question appears during which input is ignored, in microseconds; no person
    /// reads faster.
    private static let settlingMicroseconds: UInt32 = 500_000

    /// Waits until no other process asks at this terminal; nil if the deadline passes first.
    package func takeTurn(until deadline: ContinuousClock.Instant) -> TerminalTurn? {
        devicePath.flatMap { TerminalTurn(at: $0, until: deadline) }
    }

    /// Reads a secret once no other process asks at this terminal.
    package func readInTurn(prompt: String) throws(ServiceError) -> SecretBytes {
        let turn = takeTurn(until: .now + .seconds(Self.secretSecondsMax))
        defer { withExtendedLifetime(turn) {} }
        guard turn != nil else {
            throw ServiceError(
                "another process is asking a question on this terminal",
                hint: "answer it, then try again")
        }
        return try readSecret(prompt: prompt)
    }

    /// Waits a moment after a question appears.
    ///
    /// Input typed until then was meant for the previous screen, and is discarded when the answer
    /// is read.
    func settle() { usleep(Self.settlingMicroseconds) }

    /// The path of the device behind `/dev/tty`, independent of standard error.
    package var devicePath: String? {
        var number: UInt32 = 0
        guard unsafe ioctl(fileNumber, Self.getDevice, &number) == 0 else { return nil }
        let major = (number >> 8) & 0xFFF
        let minor = (number & 0xFF) | ((number >> 12) & 0xFFF00)
        switch major {
        // Unix 98 pseudo-terminals have eight major numbers with 256 minor numbers each.
        case 136...143: return "/dev/pts/\((major - 136) * 256 + minor)"
        case 4 where minor < 64: return "/dev/tty\(minor)"
        case 4: return "/dev/ttyS\(minor - 64)"
        default: return unsafe ttyname(STDERR_FILENO).map { unsafe String(cString: $0) }
        }
    }

    /// `TIOCGDEV`, which Glibc does not import: returns the number of the real device.
    private static let getDevice: UInt = 0x8004_5432
}
