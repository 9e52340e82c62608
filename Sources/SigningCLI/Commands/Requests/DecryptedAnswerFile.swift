// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto
import SigningService

/// A private file for a decrypted answer, because every local user can read the arguments of a
/// program.
enum DecryptedAnswerFile {
    /// Writes an answer to a new file of mode 0600 and returns its path.
    static func write(_ answer: [UInt8], _ environment: Environment) throws -> String {
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else {
            throw CLIError(
                "no folder for the decrypted answer: XDG_RUNTIME_DIR is not set",
                hint: "set it, or use \"countersign handle\", which prints the answer")
        }
        let name = Hex.encode(Randomness.bytes(nameBytes).span)
        let path = "\(folder)/countersign-answer-\(name)"
        try NewFile.write(answer, to: path)
        return path
    }

    private static let nameBytes = 16
}
