// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore

extension ARC27Request {
    /// Whether the answer to a request for signatures fits one frame.
    ///
    /// Found out before a key is used: a limit must not be spent for what nobody gets.
    var fitsFrame: Bool {
        guard case .sign(let items, _) = body else { return true }
        // Base64 within Base64, as CBOR frames have it, makes less than twice as many bytes.
        let bytes = items.reduce(Self.envelopeBytesMax) { $0 + $1.signedBytesMax }
        if bytes * 2 <= ARC27Wire.frameBytesMax { return true }
        let signature = [UInt8](repeating: 1, count: SignedTransaction.signatureCount)
        let results = operations.map { _ in KeyResult.signature(signature, message: []) }
        guard let result = result(of: results) else { return false }
        if case .message = answer.reply(result: result) { return true }
        return false
    }

    /// Bytes of everything in an answer but what is signed; ids have limits.
    private static let envelopeBytesMax = 1_024
}
