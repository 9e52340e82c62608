// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore

extension ARC27Request {
    /// True if the answer to a request for signatures fits one frame.
    ///
    /// This is checked before a key is used, so that an answer that is too large does not use up a
    /// limit.
    var fitsFrame: Bool {
        guard case .sign(let items, _) = body else { return true }
        // Base64 within Base64, as in CBOR frames, less than doubles the number of bytes.
        let bytes = items.reduce(Self.envelopeBytesMax) { $0 + $1.signedBytesMax }
        if bytes * 2 <= ARC27Wire.frameBytesMax { return true }
        let signature = [UInt8](repeating: 1, count: SignedTransaction.signatureCount)
        let results = operations.map { _ in KeyResult.signature(signature, message: []) }
        guard let result = result(of: results) else { return false }
        if case .message = answer.reply(result: result) { return true }
        return false
    }

    /// The maximum size of an answer without its signed content, in bytes; ids have limits.
    private static let envelopeBytesMax = 1_024
}
