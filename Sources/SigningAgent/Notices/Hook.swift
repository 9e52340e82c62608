// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Sandbox
internal import SigningCore

/// The program of `agent --hook`, which is run when something begins or ceases to wait.
///
/// It runs outside of the sandbox without a shell. It learns the kind of news and a count, from
/// its environment, and nothing that a client chose.
struct Hook: Sendable {
    let path: String
    /// The line to the process that runs the program; nil if it cannot be started.
    let line: HelperLine?

    /// Starts the process that runs the program at a path; call it while there is only one thread.
    init(_ path: String) {
        self.path = path
        line = HelperProcess.start("countersign-run", prepare: nil) { Self.serve(path, $0) }
    }

    /// The time after which the program and all processes of its job are killed, in seconds.
    static let secondsMax: Int32 = 10

    private static func serve(_ path: String, _ line: HelperLine) {
        while true {
            switch line.next(milliseconds: -1) {
            case .nothing: continue
            case .over: return
            case .message(let bytes):
                guard let news = QuestionNews(bytes) else { return }
                let result = SandboxProgram.runHook(
                    path, news.word, news.count, seconds: secondsMax, line: line)
                line.send([result < 0 ? 1 : 0, UInt8(clamping: abs(result))])
            }
        }
    }

    /// The manner in which the program tells of news; a client cannot make it run more often.
    var manner: NoticeManner {
        let name = VisibleText.escaped(path) + ": "
        return NoticeManner(
            atFirst: name + "not run yet", meanwhile: name + "runs now", beforeProblem: name,
            pause: .seconds(2), secondsMax: Self.secondsMax + 5
        ) { reply in
            guard reply.count == 2 else { return nil }
            return name
                + (reply[0] == 0
                    ? "ended with exit status \(reply[1])"
                    : Int32(reply[1]) == ETIME
                        ? "was ended after \(Self.secondsMax) s"
                        : "cannot be run: \(Approver.problem(Int32(reply[1])))")
        }
    }
}
