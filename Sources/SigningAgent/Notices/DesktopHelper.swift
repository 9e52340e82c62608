// SPDX-License-Identifier: Apache-2.0

package import Sandbox

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

extension NoticeManner {
    /// A notification on the desktop.
    static let desktop = NoticeManner(
        atFirst: "not yet: no request has waited", beforeProblem: "no: ",
        pause: .milliseconds(300), secondsMax: 10
    ) {
        DesktopStatus($0).flatMap { $0 == .takenBack ? nil : $0.text }
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
                guard let news = QuestionNews(bytes) else { return }
                line.send([show(news, &bus, &number).rawValue])
            }
        }
    }

    private static func show(
        _ news: QuestionNews, _ bus: inout SystemdBus?, _ number: inout UInt32
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
