// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Sandbox
internal import SigningCodecs
internal import SigningCore
package import SigningService
internal import SigningVault
internal import Socket
internal import Synchronization

/// The approver program that the owner named, which shows questions and answers them.
///
/// It has an owner session without a passphrase while the vault is unlocked. It receives questions
/// and sends answers as lines of JSON on its standard input and output. Its answers pass the same
/// checks as answers over the socket.
package final class Approver: Sendable {
    private let home: OpenHome
    private let queue: QuestionQueue
    private let watch: HomeWatch
    private let named: ApproverSetting?
    private let statusText = Mutex("not set")
    private let listening = BlockingThread("countersign.approver.in")
    private let announcing = BlockingThread("countersign.approver.out")

    /// Creates an approver; `named` is the program that the sandbox was set up with.
    package init(
        of home: OpenHome, asking queue: QuestionQueue, following watch: HomeWatch,
        named: ApproverSetting?
    ) {
        self.home = home
        self.queue = queue
        self.watch = watch
        self.named = named
    }

    /// The state of the program, in words.
    package var text: String { statusText.withLock { $0 } }

    /// Keeps the program running while the vault is unlocked, until the task is cancelled.
    package func keep(_ warn: @escaping @Sendable (String) -> Void) async {
        var pause = Self.pauseSeconds.lowerBound
        var unlocking: Int?
        while !Task.isCancelled {
            let seen = watch.revision
            guard let (socket, term) = start() else {
                await watch.wait(after: seen)
                continue
            }
            if term.unlocking != unlocking { pause = Self.pauseSeconds.lowerBound }
            unlocking = term.unlocking
            let start = ContinuousClock.now
            if let socket {
                note("runs: \(VisibleText.escaped(term.setting.path))")
                await converse(ApproverLines(socket), during: term)
                SandboxProgram.end()
            }
            guard !Task.isCancelled, isOn(term) else { continue }
            if .now - start > .seconds(Self.pauseSeconds.upperBound) {
                pause = Self.pauseSeconds.lowerBound
            }
            if socket != nil {
                note("ended, and is started again in \(pause) s")
                warn("the approver ended; it is started again in \(pause) s")
            }
            try? await Task.sleep(for: .seconds(pause))
            pause = min(2 * pause, Self.pauseSeconds.upperBound)
        }
    }

    /// The period in which a program may run: one unlocking of the vault with one setting.
    private struct Term {
        let unlocking: Int
        let setting: ApproverSetting
    }

    private func isOn(_ term: Term) -> Bool {
        home.vault.unlocking == term.unlocking
            && (try? ApproverSetting(in: home.vault)) == term.setting
    }

    /// Starts the named program if its file is unchanged; nil if no program should run.
    ///
    /// The socket is nil if the program cannot be run. The caller then pauses before the next
    /// attempt, as each attempt reads the whole file.
    private func start() -> (socket: Int32?, term: Term)? {
        // While the vault is locked the setting is not authenticated, and owner sessions are closed
        // too.
        guard let unlocking = home.vault.unlocking else {
            note(named == nil ? "not set" : "waits for the vault to be unlocked")
            return nil
        }
        guard let setting = (try? ApproverSetting(in: home.vault)) ?? nil else {
            note("not set")
            return nil
        }
        guard setting == named else {
            note("another program was set after the agent started: start the agent again")
            return nil
        }
        let socket = SandboxProgram.run()
        if socket == nil {
            note(
                errno == EKEYREJECTED
                    ? "the program changed after it was set: countersign agent approver sets it "
                        + "again"
                    : "cannot be run: \(Self.problem(errno))")
        }
        return (socket, Term(unlocking: unlocking, setting: setting))
    }

    /// The reason that a program is not run.
    package static func problem(_ code: Int32) -> String {
        switch code {
        case EPERM: "others may change it, or a folder above it"
        case EACCES: "it is not an executable file"
        case EINVAL: "its path does not begin with a slash"
        default: unsafe String(cString: strerror(code))
        }
    }

    private func note(_ text: String) { statusText.withLock { $0 = text } }

    private static let pauseSeconds: ClosedRange<Int64> = 1...60
}

extension Approver {
    private func converse(_ lines: ApproverLines, during term: Term) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: listening) { await self.listen(to: lines) }
            group.addTask(executorPreference: announcing) { await self.announce(on: lines) }
            group.addTask { await self.waitForEnd(of: term) }
            await group.next()
            // When one of the tasks ends, the others end too.
            lines.shut()
            group.cancelAll()
        }
    }

    private func waitForEnd(of term: Term) async {
        while !Task.isCancelled {
            let seen = watch.revision
            guard isOn(term) else { return }
            await watch.wait(after: seen)
        }
    }

    private func announce(on lines: ApproverLines) async {
        var known: Set<String> = []
        while !Task.isCancelled {
            let overview = queue.overview
            let waiting = overview.waiting
            for id in known.subtracting(waiting.map(\.id)) {
                let ending = queue.findEnded(id)?.ending.word ?? ""
                let json: JSON = [
                    "event": "ended", "id": .string(id), "ending": .string(ending),
                ]
                guard lines.put(json) else { return }
            }
            for held in waiting where !known.contains(held.id) {
                guard lines.put(held.whole(at: queue.now()).tagged(as: "question")) else { return }
            }
            known = Set(waiting.map(\.id))
            if await !queue.wait(after: overview.revision, seconds: Self.newsSeconds) {
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func listen(to lines: ApproverLines) async {
        await lines.read { line in lines.put(await self.answer(to: line)) }
    }

    /// The reply to a line from the program.
    func answer(to line: [UInt8]) async -> JSON {
        guard let object = (try? JSON.parse(line.span, limits: Self.limits))?.object else {
            return Self.refusal(of: nil, "bad_json", "the line is not a JSON object")
        }
        if let id = object["details"]?.text, object.members.count == 1 {
            guard let held = queue.find(id) else {
                return Self.refusalEvent(queue.missing(id).body, of: id)
            }
            return held.details.tagged(as: "details")
        }
        guard let id = object["id"]?.text else {
            return Self.refusal(of: nil, "bad_member", "id must be the id of a question")
        }
        let rest = JSON.object(JSONObject(object.members.filter { $0.name != "id" }))
        let response = await queue.answer(id, rest.write(), isByProgram: true)
        guard response.status == 200 else { return Self.refusalEvent(response.body, of: id) }
        return ((try? JSON.parse(response.body.span)) ?? [:]).tagged(as: "answered")
    }

    private static func refusalEvent(_ problem: [UInt8], of id: String) -> JSON {
        let json = try? JSON.parse(problem.span)
        return refusal(of: id, json?["code"]?.text ?? "", json?["detail"]?.text ?? "")
    }

    private static func refusal(of id: String?, _ code: String, _ detail: String) -> JSON {
        [
            "event": "refused", "id": id.map { .string($0) } ?? .null, "code": .string(code),
            "detail": .string(detail),
        ]
    }

    private static let limits = JSONLimits(bytesMax: ApproverLines.lineBytesMax, depthMax: 2)
    private static let newsSeconds: Int64 = 3_600
}

extension JSON {
    /// This object with the name of an event in front.
    fileprivate func tagged(as event: String) -> JSON {
        .object(JSONObject([.init(name: "event", value: .string(event))] + (object?.members ?? [])))
    }
}

extension ApproverSetting {
    /// The program in the form that starts it; nil if the digest is malformed.
    package var program: NamedProgram? {
        (try? Hex.decode(digest)).flatMap { NamedProgram(path, digest: $0) }
    }

    /// The setting for an open file; nil if the file cannot be read or is too large.
    package init?(path: String, of file: Int32) {
        guard let digest = ProgramDigest.of(file) else { return nil }
        self.init(path: path, digest: Hex.encode(digest.span))
    }
}
