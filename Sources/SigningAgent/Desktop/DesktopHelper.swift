// SPDX-License-Identifier: Apache-2.0

package import Sandbox

/// The content of the desktop notification.
enum DesktopNews: Hashable, Sendable {
    case nothing
    /// This number of requests waits for the owner.
    case waiting(UInt16)
    /// Clients get no answer until the vault is unlocked.
    case unanswered
    /// This number of questions to several people waits for an approver key of the home.
    case approvals(UInt16)

    /// Only the most urgent news is shown.
    init(_ waitingCount: Int, approvals: Int, unanswered: Int) {
        self =
            waitingCount > 0
            ? .waiting(UInt16(clamping: waitingCount))
            : approvals > 0
                ? .approvals(UInt16(clamping: approvals))
                : unanswered > 0 ? .unanswered : .nothing
    }

    /// Three bytes: the kind and a count.
    var message: [UInt8] {
        switch self {
        case .nothing: [0, 0, 0]
        case .waiting(let count): [1, UInt8(count >> 8), UInt8(count & 0xFF)]
        case .unanswered: [2, 0, 0]
        case .approvals(let count): [3, UInt8(count >> 8), UInt8(count & 0xFF)]
        }
    }

    init?(_ message: [UInt8]) {
        guard message.count == 3 else { return nil }
        let count = UInt16(message[1]) << 8 | UInt16(message[2])
        switch (message[0], count) {
        case (0, 0): self = .nothing
        case (1, 1...): self = .waiting(count)
        case (2, 0): self = .unanswered
        case (3, 1...): self = .approvals(count)
        default: return nil
        }
    }

    /// The text of the notification; nil for none.
    var text: String? {
        switch self {
        case .nothing: nil
        case .waiting(1): "One request waits for your answer: countersign inbox"
        case .waiting(let count): "\(count) requests wait for your answer: countersign inbox"
        case .approvals(1):
            "One question to several people waits for you: countersign approver pending"
        case .approvals(let count):
            "\(count) questions to several people wait for you: countersign approver pending"
        case .unanswered: "Clients over relays get no answer: countersign agent unlock"
        }
    }
}

/// The result of showing or removing a notification.
enum DesktopStatus: UInt8, Sendable {
    case shown = 1
    case noLibrary, noBus, noService, takenBack

    init?(_ message: [UInt8]) {
        guard message.count == 1 else { return nil }
        self.init(rawValue: message[0])
    }

    var text: String {
        switch self {
        case .shown: "on the desktop"
        case .noLibrary: "no: libsystemd is not on this machine"
        case .noBus: "no: the session bus does not run"
        case .noService: "no: no program on the session bus shows notifications"
        case .takenBack: "not now"
        }
    }
}

/// The helper process that shows notifications; it can only say that requests wait.
package enum DesktopHelper {
    /// Starts the process; nil if that fails.
    package static func start() -> HelperLine? {
        HelperProcess.start("countersign-say") {
            _ = SystemdBus.isReady
        } _: { line in
            serve(line)
        }
    }

    private static func serve(_ line: HelperLine) {
        var bus: SystemdBus?
        var number: UInt32 = 0
        while true {
            switch line.next(milliseconds: -1) {
            case .nothing: continue
            case .over:
                if number != 0 { bus?.takeBack(number) }
                return
            case .message(let bytes):
                guard let news = DesktopNews(bytes) else { return }
                line.send([show(news, &bus, &number).rawValue])
            }
        }
    }

    private static func show(
        _ news: DesktopNews, _ bus: inout SystemdBus?, _ number: inout UInt32
    ) -> DesktopStatus {
        guard let text = news.text else {
            if number != 0 { bus?.takeBack(number) }
            number = 0
            return .takenBack
        }
        guard SystemdBus.isReady else { return .noLibrary }
        bus = bus ?? .ofSession()
        guard let opened = bus else { return .noBus }
        guard let shown = opened.notify("Countersign", text, replacing: number) else {
            (bus, number) = (nil, 0)
            return .noService
        }
        number = shown
        return .shown
    }
}
