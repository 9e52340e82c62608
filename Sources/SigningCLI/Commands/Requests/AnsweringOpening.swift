// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCore
import SigningTerminal
import Web

extension Answering {
    /// What a page is sent by POST in place of the address with the answer; nil where that address
    /// is short, leads to no page, or says what no form does.
    func form(of message: [UInt8]) -> LandingForm? {
        let form = (adapter as? any PlacesAnswers)?.form(of: message, to: bytes.span)
        guard let form else { return nil }
        return LandingForm(
            action: form.action, fields: form.fields.map { ($0.name, $0.value) })
    }

    /// Whether an address may be opened for whoever asks; says so where it may not.
    ///
    /// Whoever puts a link somewhere must not be able to start programs by it.
    ///
    /// In a window of its own a person is offered it, and sees where it leads.
    func mayOpen(_ place: String) -> Bool {
        guard !isDealtWith else { return true }
        console.note(
            "the answer is printed and not opened: nothing was ever done here for whoever asks")
        guard isWindow, let terminal = Terminal() else { return false }
        let answer = terminal.ask(
            "press o and Enter to open it at \(VisibleText.escaped(place)): ",
            until: .now + .seconds(Self.offerSecondsMax))
        if case .line("o") = answer { return true }
        return false
    }

    /// How long an address is offered, in seconds.
    private static let offerSecondsMax = 300

    /// Opens the address with the answer, once, where somebody here dealt with whoever asks.
    func open(_ callback: String) throws(CLIError) {
        let place = callback.prefix { $0 != "?" && $0 != "#" }
        if mayOpen(String(place)) { try URLOpener.open(callback) }
    }
}
