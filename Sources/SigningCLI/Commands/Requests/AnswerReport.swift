// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCore
import SigningService
import SigningTerminal

/// The words of a command on the answer to its request.
struct AnswerReport {
    private let given: CommandAnswer
    private let outbox: OutboxText?
    private let words: CallWords?
    private let console: Console

    private var answer: Answer { given.answer }

    /// Reports an answer over a wire on a console; `words` replace the names of the wire's members.
    init(
        _ given: CommandAnswer, over adapter: any ProtocolAdapter, spokenAs words: CallWords?,
        on console: Console
    ) {
        self.given = given
        self.words = words
        self.console = console
        outbox = OutboxText.of(adapter.schema.protocolID)
    }

    /// The exit status of the command.
    var status: ExitStatus {
        switch answer.ending {
        case .refused, .outcome(.failed): .failed
        case .outcome(.denied): .denied
        case .outcome(.done): answer.deliveries.allSatisfy(\.isAccepted) ? .done : .failed
        }
    }

    /// Shows the reason that there is no result, except for refusals with these codes.
    func show(except codes: Set<String>) {
        switch answer.ending {
        case .refused(let error) where codes.contains(error.code): break
        case .refused(let error): show(error)
        case .outcome(.denied(let reason)):
            let refusal = given.remembered.first { $0.answer == .no }?.id
            let grant = refusal ?? Self.grantID(in: reason)
            let why = given.freeze.map { " (\(VisibleText.escaped($0)))" } ?? ""
            console.complain(
                "denied: \(Self.text(reason))\(why)",
                hint: grant.map { "take it back with \"countersign grant revoke \($0)\"" }
                    ?? reason.hint)
        case .outcome(.failed(let reason)): showFailure(reason)
        case .outcome(.done):
            guard !answer.deliveries.allSatisfy(\.isAccepted) else { break }
            for delivery in answer.deliveries { show(delivery, outbox ?? .near) }
        }
    }

    /// Shows new remembered answers and a policy change by another hub.
    func showChanges() {
        if given.hasNewerPolicy {
            console.warn(
                "another hub put a different policy in force", hint: "countersign policy sync")
        }
        for one in given.remembered {
            let span = GrantText.span(
                expires: one.expires, isForLogin: one.isForLogin, limits: one.limits)
            let older =
                one.replaces.isEmpty
                ? "" : ", which replaces grant \(one.replaces.joined(separator: ", "))"
            console.note("remembered: \(one.answer.rawValue) \(span), grant \(one.id)\(older)")
        }
    }

    private func show(_ error: AdapterError) {
        var silence = ""
        if case .silence = answer.reply { silence = ", and no reply was sent" }
        let code = VisibleText.escaped(error.code)
        console.complain(
            VisibleText.escaped(words?.spoken(error.reason) ?? error.reason),
            hint: error.hint ?? words?.hint(code) ?? CallWords.hint(code)
                ?? "the request was refused as \(code)\(silence)")
    }

    private func showFailure(_ reason: Reason) {
        if given.isByAgent, reason.code == .keyUnavailable, !reason.isAboutMissingKey {
            console.complain(
                "failed: \(Self.text(reason))", hint: "if it is locked: countersign agent unlock")
        } else if let cause = given.unlockingError {
            console.complain(cause.message, hint: cause.hint)
        } else {
            console.complain("failed: \(Self.text(reason))", hint: reason.hint)
        }
    }

    /// Reports each delivery if one failed, as the request must not be repeated as a whole.
    private func show(_ delivery: Broadcast.Delivery, _ outbox: OutboxText) {
        let id = delivery.item.id
        switch delivery.result {
        case .accepted: console.note("\(id) was \(outbox.taken); do not send it again")
        case .failed:
            console.complain(
                "\(id) reached the chain and failed there",
                hint: "the outcome in the answer says why; its gas is spent")
        case .refused(_, let text):
            console.complain(
                "\(id) is signed and was refused for good: \(VisibleText.escaped(text))",
                hint: "it was not carried out; send a new request")
        case .declined(_, let text):
            console.complain(
                "\(id) is signed and may be carried out, but \(VisibleText.escaped(text))",
                hint: "see \(outbox.listing) before you send a new request")
        case .notSent(let text), .unknown(let text):
            console.complain(
                "\(id) is signed, but may not have arrived: \(VisibleText.escaped(text))",
                hint: "see \(outbox.listing) before you send a new request")
        }
    }

    /// The id of the denying grant that a reason names.
    private static func grantID(in reason: Reason) -> String? {
        guard reason.code == .personDenied, let start = reason.text.firstRange(of: "(grant ")
        else { return nil }
        let id = reason.text[start.upperBound...].prefix { $0.isHexDigit }
        return id.isEmpty ? nil : String(id)
    }

    private static func text(_ reason: Reason) -> String {
        "\(reason.code.rawValue): \(VisibleText.escaped(reason.text))"
    }
}

extension Broadcast.Delivery {
    var isAccepted: Bool { if case .accepted = result { true } else { false } }
}
