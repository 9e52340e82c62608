// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
internal import SigningFiles
package import SigningStorage
internal import SigningVault
internal import SigningWires

/// The signer of a home that is open in this process.
public struct LocalSigner: KnowsConnections {
    package let home: OpenHome
    let hub: SigningHub
    /// The couriers, one for each chain with networks.
    private let couriers: [any Courier]
    private let runtimeFolder: String?
    private let keyStore: UnlockOnUse
    private let parts: OwnParts
    private let shadow: ShadowJudge
    /// The record of the home, and of its answers unless the program has its own.
    package let ledger: SQLiteLedger
    /// The counts of denied and failed requests since this signer was made.
    package let endings = EndingTally()

    /// Makes the hub of a home.
    ///
    /// `approval` asks a person; `passphrase` supplies the vault's passphrase when it is needed.
    /// `words` are the texts for several people; without them such questions are unavailable.
    /// `couriers` go to the networks of chains. `runtimeFolder` is the user's runtime folder, which
    /// contains the drop box. `parts` replace those of the home.
    public init(
        of home: OpenHome, asking approval: any Approval = NoApproval(),
        approvers words: JointWords? = nil,
        unlockedBy passphrase: any PassphraseSource = NoPassphrase(),
        couriers: [any Courier] = [], runtimeFolder: String? = nil,
        with parts: OwnParts = OwnParts()
    ) throws(ServiceError) {
        self.home = home
        self.parts = parts
        self.couriers = couriers
        self.runtimeFolder = runtimeFolder
        shadow = ShadowJudge(of: home.home)
        let policy: any Policy
        do {
            ledger = try home.openLedger()
            policy = try Self.terms(of: home, with: parts).policy
        } catch {
            throw ServiceError(error)
        }
        // Until the mark is recorded, its file stops signing as well.
        try? ledger.recordFreezeMark()
        keyStore = UnlockOnUse(
            home.vault, passphrase, checkLedger: home.checkpointer(of: ledger).check)
        let keys: any KeyStore =
            parts.keyStore == nil && parts.ledger == nil
            ? keyStore
            : GuardedKeys(
                vaultKeys: keyStore, own: parts.keyStore, vault: home.vault, ledger: ledger)
        // The answers of several people are in the home's record.
        let people: any SeveralPeople =
            parts.ledger == nil ? JointQuestions(ledger, home.vault, words) : NoSeveralPeople()
        hub = SigningHub(
            policy: PolicyInForce(policy, of: home.vault),
            keyStore: keys, ledger: parts.ledger ?? ledger, approval: approval,
            environment: SystemEnvironment(), people: people,
            stillProves: { [home, ledger] in Self.stillProves($0, in: home, ledger) },
            nameable: { [home, ledger] client, peer, accounts in
                Self.nameable(by: client, from: peer, among: accounts, in: home, ledger)
            })
    }

    /// The reason that the vault could not be unlocked for the last request that needed it.
    public var unlockingError: ServiceError? { keyStore.unlockingError }

    /// Unlocks the vault ahead of any request; fails if the record is older than the vault knows.
    public func unlock(passphrase: borrowing SecretBytes) throws(ServiceError) {
        do { try keyStore.unlock(passphrase: passphrase) } catch { throw ServiceError(error) }
    }

    /// Answers one frame under the settings in force now.
    ///
    /// If the wire is unknown the frame is not decoded, and the reply is silence. It may wait for a
    /// disk and therefore runs on separate threads.
    public func answer(_ frame: Frame, over wire: AdapterID? = nil) async -> Answer {
        await withTaskExecutorPreference(BlockingThreads.shared) {
            await answerBlocking(frame, over: wire)
        }
    }

    private func answerBlocking(_ frame: Frame, over wire: AdapterID?) async -> Answer {
        let overturnedCount = keyStore.overturnedCount
        let terms = Result { try Self.terms(of: home, with: parts) }
        let adapters = (try? terms.get())?.adapters ?? home.adapters
        let adapter: any ProtocolAdapter
        do throws(ChoosingError) {
            adapter = try adapters.choose(named: wire?.name, for: frame.bytes.span)
        } catch {
            return .refused(
                AdapterError(
                    code: "unknown_wire", reason: "no wire reads this request",
                    hint: "name the wire", reply: .silence("its wire is not known")))
        }
        if let problem = scopeProblem(of: frame.peer, with: adapter.schema.protocolID) {
            await hub.turnAway(frame, over: adapter, because: problem.message)
            return .unavailable(
                problem, as: AdapterError.outOfScope, to: frame, over: adapter)
        }
        do {
            let current = try terms.get()
            // A program's own policy has no rules to compare with.
            let note = parts.policy == nil && shadow.isOn ? LastJudgement() : nil
            let policy = PolicyInForce(
                current.policy, of: home.vault, noting: note?.keeper
            ) { [keyStore] in keyStore.overturnedCount == overturnedCount }
            let hub = hub.judging(by: policy, naming: current.names)
            let answer = try await answer(frame, with: adapter, by: hub)
            endings.count(answer)
            if let last = note?.last {
                shadow.add(
                    last, wasCharged: answer.usedLimits, in: parts.ledger ?? ledger,
                    over: current.adapters)
            }
            // A freeze that was only noted in a file is recorded as soon as that is possible.
            if case .outcome(.denied(let reason)) = answer.ending, reason.code == .frozen {
                try? ledger.recordFreezeMark()
            }
            return answer
        } catch {
            return .unavailable(ServiceError(error), to: frame, over: adapter)
        }
    }

    /// Returns the wires, the names and the policy that judges now: the program's own, or the
    /// attested rules.
    private static func terms(
        of home: OpenHome, with parts: OwnParts
    ) throws -> (adapters: AdapterSet, policy: any Policy, names: (any AccountNames)?) {
        if let own = parts.policy {
            let now = try home.partsNow()
            return (now.adapters, own, try now.names.get())
        }
        let inForce = try home.inForce()
        return (inForce.adapters, inForce.policy, inForce.names)
    }

    /// Answers a frame through the hub, with its drop box and with the courier of its chain.
    private func answer(
        _ frame: Frame, with adapter: any ProtocolAdapter, by hub: SigningHub
    ) async throws(ServiceError) -> Answer {
        let courier = couriers.first { $0.protocolID == adapter.schema.protocolID }
        // An error in an address is reported before a key is used.
        if let problem = courier?.problem { throw ServiceError(problem.text, hint: problem.hint) }
        let box = try place(of: frame, for: adapter)
        let whole = Frame(
            bytes: frame.bytes, enclosure: try box?.content() ?? frame.enclosure,
            peer: frame.peer, requestID: frame.requestID)
        let answer =
            if let courier {
                await hub.answer(whole, with: adapter, by: courier)
            } else {
                await hub.answer(whole, with: adapter)
            }
        if case .deposit(let bytes, _) = answer.reply, let box { try box.put(bytes) }
        return answer
    }

    /// Returns the account that a client is connected to on a network; nil if there is none.
    public func account(
        connectedTo peer: Peer, in protocolID: ProtocolID, on network: String
    ) -> Account? {
        hub.account(connectedTo: peer, in: protocolID, on: network)
    }

    /// Returns whether a person or a rule has decided about the client, now or before.
    ///
    /// Only then may an answer open a program: a link must not be able to start one.
    public func hasDecided(_ frame: Frame, _ answer: Answer) -> Bool {
        answer.isDecision || knowsClient(of: frame)
    }

    /// Returns whether a person or a rule has decided about the client of a frame before.
    ///
    /// A denial by a rule does not count, because it also covers unknown clients.
    package func knowsClient(of frame: Frame, over wire: AdapterID? = nil) -> Bool {
        let adapter = try? home.adapters.choose(named: wire?.name, for: frame.bytes.span)
        guard let claimed = (adapter as? any NamesClient)?.client(of: frame.bytes.span) else {
            return false
        }
        let client = frame.peer.client(claimedAs: claimed)
        let noted = try? ledger.noted(Note.seen, about: client.subject)
        return (noted ?? nil) != nil
    }

    /// Returns the reason that all signing is stopped; nil if it is not, or cannot be read.
    package func freezeReason() -> String? { (try? ledger.freezeReason()) ?? nil }

    /// Returns whether another hub put a different policy in force; false if that cannot be read.
    package func hasNewerPolicy() -> Bool { ((try? home.newerPolicy(in: ledger)) ?? nil) != nil }

    /// The reason that this version can no longer use the files of the home; nil if it can.
    ///
    /// A newer version has changed their format.
    package var formatProblem: String? { ledger.formatProblem ?? home.vault.formatProblem }

    /// Signs a checkpoint of the record after the last answer, and waits for the shadow policy.
    public func finish() throws(ServiceError) {
        defer { shadow.judgeWaiting() }
        do { try home.checkpointAtExit(ledger) } catch { throw ServiceError(error) }
    }

    /// The drop box file that a request names for data that is too large for its URL.
    struct Place {
        let folder: DropBoxFolder
        let token: String
        let bytesMax: Int

        /// Returns the content, which stays there.
        func look() throws(ServiceError) -> [UInt8]? {
            try folder.look(at: token, bytesMax: bytesMax)
        }

        func content() throws(ServiceError) -> [UInt8]? {
            try folder.take(token, bytesMax: bytesMax)
        }

        func put(_ bytes: [UInt8]) throws(ServiceError) { try folder.put(bytes, under: token) }
    }

    func place(
        of frame: Frame, for adapter: any ProtocolAdapter
    ) throws(ServiceError) -> Place? {
        guard let adapter = adapter as? any TakesEnclosures,
            let token = adapter.enclosureName(in: frame.bytes.span)
        else { return nil }
        return Place(
            folder: try DropBoxFolder(runtime: runtimeFolder), token: token,
            bytesMax: adapter.enclosureBytesMax)
    }
}

extension Answer {
    /// True if a person or a rule decided about the client by this answer.
    package var isDecision: Bool {
        switch ending {
        case .outcome(.done): true
        case .outcome(.denied(let reason)): reason.code == .personDenied
        case .outcome(.failed), .refused: false
        }
    }

    /// True if the request used limits: it was carried out.
    fileprivate var usedLimits: Bool {
        if case .outcome(.done) = ending { true } else { false }
    }

    /// Makes the answer to a frame that a home cannot answer, in the format of its wire if
    /// possible.
    package static func unavailable(
        _ error: ServiceError, as code: String = "unavailable", to frame: Frame,
        over adapter: any ProtocolAdapter
    ) -> Answer {
        let failure = (adapter as? any AnswersFailures)?.failure(of: frame.bytes.span)
        return .refused(
            AdapterError(
                code: code, reason: error.message, hint: error.hint,
                reply: failure.map { .message($0) } ?? .silence(error.message)))
    }
}
