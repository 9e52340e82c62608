// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Two hexadecimal digits for each byte.
    package var hexText: String {
        map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }.joined()
    }
}
