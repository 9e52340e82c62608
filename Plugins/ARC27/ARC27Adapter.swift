// SPDX-License-Identifier: Apache-2.0

public import Algorand
import SigningCodecs
public import SigningCore

/// The provider side of ARC-27.
public struct ARC27Adapter: LooksUp {
    private(set) var configuration: ARC27Configuration
    /// The facts and dangers that rules may name.
    public let schema: FactSchema

    /// Creates the adapter of one installation.
    public init(_ configuration: ARC27Configuration) {
        self.configuration = configuration
        schema = AlgorandVocabulary.schema(
            methods: ARC27Wire.Method.allCases.map(\.rawValue),
            networks: configuration.networks.filter { $0.name == nil }.map(\.policyName))
    }

    /// The name of the adapter on the command line.
    public var id: AdapterID { .arc27 }
    /// The member that identifies a frame of this wire.
    public var marks: FrameMarks { FrameMarks(members: [["reference"]]) }
    /// The domains that keys may sign for.
    ///
    /// Text without a prefix is included only if the settings of a client ask for it.
    public var domains: [SigningDomain] {
        let isRaw = configuration.clients.values.contains { $0.messages == .raw }
        return [
            .algorandTransaction, .algorandMessage, .algorandLogin(),
        ] + (isRaw ? [.algorandRawMessage] : [])
    }
    /// The maximum size of a frame, in bytes; longer frames never reach `decode`.
    public var frameBytesMax: Int { ARC27Wire.frameBytesMax }

    /// Reads one frame; a frame that is not a request to this provider gets no reply.
    public func read(_ frame: Span<UInt8>) throws(AdapterError) -> ARC27Frame {
        do throws(IgnoredFrame) {
            let envelope = try ARC27Envelope(frame)
            try checkAddressee(of: envelope)
            return ARC27Frame(envelope: envelope)
        } catch {
            throw .ignored(error)
        }
    }

    /// Returns the questions for nodes.
    ///
    /// The methods that post, and `discover`, need to know which nodes are available. The methods
    /// that sign need to know which key signs for an account.
    public func need(
        of frame: ARC27Frame, in context: DecodingContext
    ) throws(AdapterError) -> AlgorandLookup.Need? {
        let networks = configuration.postingNetworks
        guard !networks.isEmpty, let method = ARC27Wire.Method(rawValue: frame.envelope.method)
        else { return nil }
        if method == .discover { return .offering(on: networks.filter { $0.name == nil }) }
        let needs =
            (method.posts
                ? [AlgorandLookup.Need.posting(on: targets(of: frame.envelope, among: networks))]
                : [])
            + questions(in: frame.envelope, method, context).prefix(Self.askedAccountsMax).map {
                .authority(of: $0.account, on: $0.networks)
            }
        return needs.count > 1 ? .several(needs) : needs.first
    }

    /// Returns placeholders for the answers of nodes; accounts are treated as if no node were
    /// configured.
    public func placeholder(for need: AlgorandLookup.Need) -> AlgorandLookup? {
        switch need {
        case .posting(on: let networks), .offering(on: let networks):
            .posting(able: networks, problems: [])
        case .authority(of: let account, on: _): .authority(.placeholder(for: account))
        case .several(let needs): .several(needs.compactMap(placeholder))
        }
    }

    /// Reads the parameters; without a lookup, every network that has a node is offered.
    public func decode(
        _ frame: ARC27Frame, with lookup: AlgorandLookup?, in context: DecodingContext
    ) throws(AdapterError) -> ARC27Request {
        let method = ARC27Wire.Method(rawValue: frame.envelope.method)
        let nodes = NodeAuthorities(
            asked: method.map { questions(in: frame.envelope, $0, context) } ?? [],
            answers: lookup?.authorities ?? [])
        var adapter = self
        var problems = nodes.problems
        if let (able, others) = lookup?.posting {
            let networks = configuration.postingNetworks.filter(able.contains)
            adapter.configuration.readPostingNetworks = { networks }
            problems += others
        }
        do throws(AdapterError) {
            return try adapter.decode(frame.envelope, in: context, nodes)
        } catch {
            throw error.explained(by: problems)
        }
    }

    private func decode(
        _ envelope: ARC27Envelope, in context: DecodingContext, _ nodes: NodeAuthorities
    ) throws(AdapterError) -> ARC27Request {
        var answer = ARC27Answer(
            to: envelope, freshID: context.freshID, providerID: configuration.publicID)
        do throws(AlgorandRefusal) {
            return try request(envelope, in: context, nodes, &answer)
        } catch {
            throw AdapterError(
                code: String(error.kind.code), reason: error.message,
                reply: answer.reply(error))
        }
    }

    /// Writes the answer in the form of the request.
    public func encode(_ outcome: Outcome, to request: ARC27Request) -> Reply {
        switch outcome {
        case .done(let results):
            if let broadcast = request.broadcast(of: results) { return .broadcast(broadcast) }
            guard let result = request.result(of: results) else {
                return .undeliverable(Reason(.keyFailed, "the results do not fit the request"))
            }
            return request.answer.reply(result: result)
        case .failed(let reason) where reason.code == .keyUnavailable:
            guard case .unserved(let failure) = request.body else {
                return request.answer.reply(AlgorandRefusal(reason.code, method: request.method))
            }
            return request.answer.reply(failure)
        case .denied(let reason), .failed(let reason):
            return request.answer.reply(AlgorandRefusal(reason.code, method: request.method))
        }
    }

    /// Returns the error without a reply: a frame that was not read has no id to answer.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        .ignored(IgnoredFrame("the frame has \(frameBytes) bytes; the limit is \(frameBytesMax)"))
    }

    /// Throws for a discovery of another provider, which must get no reply (ARC-27, discover).
    func checkAddressee(of envelope: ARC27Envelope) throws(IgnoredFrame) {
        guard envelope.method == ARC27Wire.Method.discover.rawValue,
            let providerID = envelope.params?["providerId"]?.text,
            configuration.named(providerID) == nil
        else { return }
        throw IgnoredFrame("the discovery is for another provider")
    }
}

/// The envelope of a request, with unread parameters.
public struct ARC27Frame: Sendable {
    let envelope: ARC27Envelope
}

extension AdapterError {
    /// Returns the error with the problems of nodes, if a method is not offered; only the owner
    /// sees them.
    fileprivate func explained(by problems: [String]) -> Self {
        guard code == String(AlgorandRefusal.Kind.methodNotSupported.code) else { return self }
        // Two questions to one node can report the same problem.
        let all = problems.reduce(into: [reason]) { all, problem in
            if !all.contains(problem) { all.append(problem) }
        }
        return Self(code: code, reason: all.joined(separator: "; "), reply: reply)
    }

    fileprivate static func ignored(_ frame: IgnoredFrame) -> Self {
        Self(code: "ignored", reason: frame.reason, reply: .silence(frame.reason))
    }
}

extension AdapterID {
    /// The wire of ARC-27 messages.
    public static let arc27 = AdapterID("arc27")
}
