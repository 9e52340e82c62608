// SPDX-License-Identifier: Apache-2.0

import Glibc
import LiquidAuth
import SigningCodecs
import SigningCore
import SigningService

extension LiquidInput {
    /// The helper program that reads QR codes in pictures.
    static func pictureProgram(
        _ invocation: Invocation
    ) throws(PictureProgram.ReadError) -> PictureProgram {
        try PictureProgram(named: invocation.environment[PictureProgram.variable])
    }

    /// The URI on the command line, or that of the QR code in a picture.
    static func address(_ invocation: Invocation) throws -> String {
        let word = try invocation.operand(0)
        guard !hasScheme(word) else { return word }
        let picture = "the picture \"\(VisibleText.quotable(word))\""
        let file = try opened(word, "\"\(VisibleText.quotable(word))\"", hint: addressHint)
        guard regular(file) != nil else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(word))\" is not a file", hint: addressHint)
        }
        let text: String
        do throws(PictureProgram.ReadError) {
            text = try pictureProgram(invocation).text(in: file.number)
        } catch {
            let hint =
                if case .missingProgram(_, let hint) = error { hint } else {
                    "give a PNG of only the QR code, or the address itself: liquid://..."
                }
            throw CLIError("\(picture) \(error.text)", hint: hint)
        }
        do throws(LiquidURI.ParseError) {
            let place = try LiquidURI(text).origin.text
            invocation.console.note(
                "the QR code contains an address of \(VisibleText.escaped(place))")
            return text
        } catch {
            throw CLIError(
                "the QR code in \(picture) cannot be used: \(error.text)",
                hint: "check that it is the QR code that the page shows")
        }
    }

    private static let addressHint =
        "give the address that the page shows, liquid://app.example/?requestId=..., or a PNG of "
        + "its QR code"

    /// True if a word starts with a scheme and a colon, so that it is a URI and not a path.
    private static func hasScheme(_ word: String) -> Bool {
        guard let colon = word.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let name = word.utf8[..<colon]
        return !name.isEmpty
            && name.allSatisfy {
                (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0)
                    || "+-.".utf8.contains($0)
            }
    }
}
