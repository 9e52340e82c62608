// SPDX-License-Identifier: Apache-2.0

import CIDN2

extension HostName {
    /// Maps a name by UTS #46 without transitional processing, as browsers do before a lookup.
    ///
    /// The STD3 rules are not used: with them libidn2 drops characters that it should refuse.
    static func mapped(_ name: String) throws(CodecError) -> String {
        // For C, a zero byte would end the name and hide the rest.
        guard !name.utf8.contains(0) else { throw .malformed("not a host name", at: 0) }
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        var made: UnsafeMutablePointer<UInt8>?
        let code = unsafe idn2_lookup_u8(Array(name.utf8) + [0], &made, flags)
        guard code == IDN2_OK.rawValue, let bytes = unsafe made else {
            throw .malformed("not an international host name", at: 0)
        }
        defer { unsafe idn2_free(bytes) }
        return unsafe String(cString: bytes)
    }
}
