// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCore
import SigningTerminal
import Web

extension Answering {
    /// The form that a browser sends by POST in place of an address that is too long.
    ///
    /// Nil if the wire has no form for this answer.
    func form(of message: [UInt8]) -> LandingForm? {
        let form = (adapter as? any PlacesAnswers)?.form(of: message, to: bytes.span)
        guard let form else { return nil }
        return LandingForm(
            action: form.action, fields: form.fields.map { ($0.name, $0.value) })
    }

    /// True if the callback of a client may be opened; reports a refusal.
    ///
    /// A link from an unknown client must not start programs. In a separate window, the command
    /// shows the address and asks the person.
    func mayOpen(_ place: String) async -> Bool {
        if await isDecided() { return true }
        console.note(
            "the answer is printed and not opened: nothing was signed for this client before")
        guard isWindow, let terminal = Terminal() else { return false }
        let answer = terminal.ask(
            "press o and Enter to open it at \(VisibleText.escaped(place)): ",
            until: .now + .seconds(Self.offerSecondsMax))
        if case .line("o") = answer { return true }
        return false
    }

    /// The time that the offer to open an address is valid, in seconds.
    private static let offerSecondsMax = 300

    /// Opens the callback with the answer once, if the client may receive it.
    func open(_ callback: String) async throws {
        let place = callback.prefix { $0 != "?" && $0 != "#" }
        if await mayOpen(String(place)) { try URLOpener.open(callback) }
    }
}
