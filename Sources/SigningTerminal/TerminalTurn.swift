// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCrypto
package import SigningService

/// Whose turn it is to ask at a terminal that several processes share.
///
/// The turn is a lock on the terminal's own device file, so it ends with the process that has it.
package final class TerminalTurn {
    private let device: Descriptor

    /// Waits for the turn; nil where it does not come in time.
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
    /// Nobody reads a question in less; a person may still be typing at what was there before.
    private static let settlingMicroseconds: UInt32 = 500_000

    /// Waits until no other process asks at this terminal; nil where that takes too long.
    package func takeTurn(until deadline: ContinuousClock.Instant) -> TerminalTurn? {
        devicePath.flatMap { TerminalTurn(at: $0, until: deadline) }
    }

    /// Reads a secret once no other process asks at this terminal.
    package func readInTurn(prompt: String) throws(ServiceError) -> SecretBytes {
        let turn = takeTurn(until: .now + .seconds(Self.secretSecondsMax))
        defer { withExtendedLifetime(turn) {} }
        guard turn != nil else {
            throw ServiceError(
                "another process asks at this terminal", hint: "answer it, then try again")
        }
        return try readSecret(prompt: prompt)
    }

    /// Lets fingers come to rest once a question is shown: what is typed until then was meant for
    /// something else, and is thrown away when the answer is asked for.
    func settle() { usleep(Self.settlingMicroseconds) }

    /// The device behind `/dev/tty`, whatever standard error is.
    package var devicePath: String? {
        var number: UInt32 = 0
        guard unsafe ioctl(fileNumber, Self.getDevice, &number) == 0 else { return nil }
        let major = (number >> 8) & 0xFFF
        let minor = (number & 0xFF) | ((number >> 12) & 0xFFF00)
        switch major {
        // Unix 98 pseudo-terminals: eight majors of 256 each where minors are short.
        case 136...143: return "/dev/pts/\((major - 136) * 256 + minor)"
        case 4 where minor < 64: return "/dev/tty\(minor)"
        case 4: return "/dev/ttyS\(minor - 64)"
        default: return unsafe ttyname(STDERR_FILENO).map { unsafe String(cString: $0) }
        }
    }

    /// `TIOCGDEV`, which Glibc does not import: the number of the real device.
    private static let getDevice: UInt = 0x8004_5432
}
