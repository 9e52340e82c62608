// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import LiquidAuth
import Relays
import SigningAgent
import SigningCore
import SigningFiles
import SigningService
import SigningStorage
import SigningWires
import Socket

extension CommandLineTool {
    static let agentCommands =
        tokenCommands + connectionCommands + [
            agentStart, agentStop, agentStatus, agentReady, agentLock, agentUnlock, agentForget,
            agentApprover, agentWeb, agent,
        ]

    static let agent = Command(
        name: "agent", options: AgentOptions.all, operands: 0...0,
        summary: "run the agent in this terminal",
        usage: """
            usage: countersign agent [start | stop | status | lock | unlock | ...] [OPTION...]

            options: --socket PATH, --idle MINUTES, --most HOURS, --locked, --web PORT,
                     --metrics PORT, --hook PATH, --terminal MINUTES, --liquid, --rpc URL,
                     --algod URL, --drop-box

            Asks for the passphrase once and answers the requests of your programs until you stop it
            (Ctrl-C). Programs connect to $XDG_RUNTIME_DIR/countersign/agent.sock (agent.sock in the
            home if the variable is not set), or to PATH, which has to be in a folder of yours that
            others cannot use. The agent asks its questions on its own terminal and shows them to
            you over the socket. Other commands let a running agent sign. Without a second word the
            agent stays in the foreground. It locks the vault after MINUTES without use (30; 0:
            never), after HOURS in any case (12; 0: never), and on SIGUSR1. With --locked the vault
            is locked at first. With --web your browser shows the inbox as a page on this machine:
            see "agent web". With --metrics a collector such as
            Prometheus reads the metrics at http://127.0.0.1:PORT/metrics, with an access token of
            the scope metrics. With --hook the agent runs your program at PATH, without a shell,
            when something begins or ceases to wait for you: COUNTERSIGN_NEWS in its environment
            says what, COUNTERSIGN_COUNT how many. It cannot answer, and ends after 10 s. After the
            passphrase was typed in a terminal, "inbox" and "liquid" need none there for the MINUTES
            of --terminal (15; 0: never); "agent forget" ends that. With --liquid the agent keeps
            the connections of "liquid connect". The other options are those of "handle".

            example: countersign agent --socket ~/.countersign/agent.sock
            """
    ) { invocation in
        ProcessHardening.settleIn()
        let home = try invocation.workspace(toWrite: true).open
        let times = try AgentOptions.times(invocation.arguments)
        let terminalMinutes = try AgentOptions.terminalMinutes(invocation.arguments)
        let lockFile = try AgentLockFile(of: home)
        let place = try AgentRun.place(invocation, for: home.home.path)
        let manager = AgentRun.manager(invocation.console)
        let program = place.isInherited ? ProgramFile() : nil
        let windows = try AgentWeb.windows(invocation, of: home)
        // At this point there is no second thread, no secret and no input of a client in memory.
        let liquid = try AgentLiquid(invocation)
        let approver = (try? ApproverSetting(in: home.vault)) ?? nil
        let helpers = AgentHelpers(for: times, hook: try AgentHook.path(invocation))
        let folders = [place.folder, program?.folder].compactMap { $0 }
        let events = FolderEvents(of: home, beside: folders)
        try AgentSandbox.checkReaches(home)
        _ = AgentSandbox.enter(
            for: home, at: place, starting: approver?.program, keeping: liquid?.program, invocation)
        let schemas = home.adapters.schemas
        let queue = QuestionQueue(schemas: schemas, beside: [AgentApproval(schemas: schemas)])
        let added = try AddedNetworks(in: home.vault)
        let couriers = invocation.couriers(and: added)
        try AgentRun.check(couriers, invocation, and: added)
        let signer = try LocalSigner(
            of: home, asking: queue, approvers: ApproverText.words(schemas), couriers: couriers,
            runtimeFolder: invocation.environment["XDG_RUNTIME_DIR"])
        let lock = AgentLock(of: home, by: signer, after: times)
        let inbox = ApproverInbox(of: home, signer.ledger)
        let watch = HomeWatch(of: home, records: inbox.ledgers, by: events)
        let relays = RelayTransport(
            of: HomeBunker(of: BunkerRegistry(of: home, signer.ledger), following: watch),
            environment: SystemEnvironment(), on: BlockingThreads.shared)
        let keepers = AgentKeepers(
            of: home, inbox, following: watch, asking: queue, after: times, by: helpers,
            approver: approver
        ) { relays.unansweredCount }
        let web = try AgentWeb(invocation, windows: windows)
        let metricsPort = try AgentMetricsPort.taken(invocation)
        let service = liquid.map { _ in LiquidService.ofAgent(asking: queue) }
        let resources = AgentRun.resources(
            for: home, signer, lock, queue, relays, service, keepers, invocation,
            remembering: terminalMinutes)
        let transport = AgentRun.transport(
            in: place, for: home, signer, relays, queue, resources + web.resources)
        if !invocation.arguments.has("--locked") { try AgentRun.unlock(signer, invocation) }
        AgentRun.reportUnanswered(relays, invocation.console)
        if let note = home.policyNote() { invocation.console.warn(note.state, hint: note.fix) }
        let console = invocation.console
        try await StopSignals.run {
            let beside = [
                Task { await AgentRun.endOnceMissing(lockFile, watch, console) },
                Task {
                    guard let program else { return }
                    await AgentRun.endOnceReplaced(program, home, queue, watch, console)
                },
                Task {
                    await keepers.run {
                        lock.lock()
                        queue.announce()
                        console.note("the vault is locked: \($0)")
                    } warn: {
                        console.warn($0, hint: "countersign agent status")
                    }
                },
            ]
            defer { for task in beside { task.cancel() } }
            let agent = Agent(
                of: home, by: signer, lockedBy: lock, following: watch,
                reportingTo: queue.events)
            let others: [any Transport] =
                [relays] + web.transports(resources) + [service].compactMap { $0 }
                + AgentMetricsPort.transports(metricsPort, of: transport, signer)
            try await withTaskCancellationHandler {
                try await agent.run(transport, beside: others) { news in
                    AgentRun.note(news, lockFile, at: place.path, manager, console)
                    AgentRun.report(news, console)
                } whenLocked: {
                    queue.announce()
                    console.note("the vault is locked: \($0)")
                }
            } onCancel: {
                queue.stop()
            }
        }
        return .done
    }
}

/// The options of the commands that start an agent.
enum AgentOptions {
    static let all =
        [
            Option(name: "--socket", value: "PATH"), Option(name: "--idle", value: "MINUTES"),
            Option(name: "--most", value: "HOURS"), Option(name: "--locked", value: nil),
            AgentWeb.option, AgentMetricsPort.option, AgentHook.option,
            Option(name: "--terminal", value: "MINUTES"), AgentLiquid.option,
        ] + passedOn
    private static let passedOn = [
        Answering.dropBoxOption, NEARNodes.option, AlgorandNodes.option,
    ]

    /// The time limits of an unlocked vault.
    static func times(_ arguments: Arguments) throws -> LockTimes {
        let idle = try arguments.count("--idle", default: 30, min: 0, max: 1_440)
        let most = try arguments.count("--most", default: 12, min: 0, max: 168)
        return LockTimes(
            idle: idle == 0 ? nil : .seconds(60 * idle),
            most: most == 0 ? nil : .seconds(3_600 * most))
    }

    /// The time for which a terminal with the passphrase is remembered, in minutes.
    static func terminalMinutes(_ arguments: Arguments) throws -> Int {
        try arguments.count(
            "--terminal", default: OwnerTerminals.minutesDefault, min: 0,
            max: OwnerTerminals.minutesMax)
    }

    /// Returns these options as the arguments of another process.
    static func words(_ arguments: Arguments) -> [String] {
        all.flatMap { option -> [String] in
            guard let value = arguments.value(option.name) else { return [] }
            return option.value == nil ? [option.name] : [option.name, value]
        }
    }
}
