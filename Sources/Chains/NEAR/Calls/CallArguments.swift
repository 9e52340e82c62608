// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension FunctionCall {
    /// The arguments as an object, if writing the object gives the same bytes apart from white
    /// space; empty arguments are an empty object.
    ///
    /// Both usual ways to write text are accepted: all characters as they are, and all but ASCII
    /// escaped. Other escapes are refused, because they can hide a name from a person.
    var exactArguments: JSONObject? {
        guard !args.isEmpty else { return JSONObject() }
        guard let json else { return nil }
        let bare = Self.withoutSpace(args)
        return json.write() == bare || json.writeASCII() == bare ? json.object : nil
    }

    /// Returns JSON without the white space between its parts.
    private static func withoutSpace(_ json: [UInt8]) -> [UInt8] {
        var bare: [UInt8] = []
        bare.reserveCapacity(json.count)
        var isInText = false
        var isEscaped = false
        for byte in json {
            if isInText {
                isInText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else {
                if [0x20, 0x0a, 0x0d, 0x09].contains(byte) { continue }
                isInText = byte == UInt8(ascii: "\"")
            }
            bare.append(byte)
        }
        return bare
    }
}
