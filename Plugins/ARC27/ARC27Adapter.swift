// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
public import SigningCore

/// The provider side of ARC-27.
public struct ARC27Adapter: ProtocolAdapter {
    let configuration: ARC27Configuration
    /// What rules may name.
    public let schema: FactSchema

    /// Makes the adapter of one installation.
    public init(_ configuration: ARC27Configuration) {
        self.configuration = configuration
        schema = AlgorandVocabulary.schema(
            methods: ARC27Wire.Method.allCases.map(\.rawValue),
            networks: configuration.networks.map(\.policyName))
    }

    /// The name on the command line.
    public var id: AdapterID { AdapterID("arc27") }
    /// The member that says which message it is.
    public var marks: FrameMarks { FrameMarks(members: [["reference"]]) }
    /// What keys may sign.
    ///
    /// A text without anything before it is one of them only where a client is served so.
    public var domains: [SigningDomain] {
        let isRaw = configuration.clients.values.contains { $0.messages == .raw }
        return [
            .algorandTransaction, .algorandMessage, .algorandLogin(),
        ] + (isRaw ? [.algorandRawMessage] : [])
    }
    /// Longer frames never reach `decode`.
    public var frameBytesMax: Int { ARC27Wire.frameBytesMax }

    /// Reads one frame; what is no request to us gets no answer.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> ARC27Request {
        let envelope: ARC27Envelope
        do throws(IgnoredFrame) {
            envelope = try ARC27Envelope(frame)
            try checkAddressee(of: envelope)
        } catch {
            throw .ignored(error)
        }
        var answer = ARC27Answer(
            to: envelope, freshID: context.freshID, providerID: configuration.providerID)
        do throws(AlgorandFailure) {
            return try request(envelope, in: context, &answer)
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
                return request.answer.reply(AlgorandFailure(reason.code, method: request.method))
            }
            return request.answer.reply(failure)
        case .denied(let reason), .failed(let reason):
            return request.answer.reply(AlgorandFailure(reason.code, method: request.method))
        }
    }

    /// Whether the client is still served as it was.
    public func isCurrent(_ request: ARC27Request) -> Bool {
        guard let clientsNow = configuration.clientsNow, let client = request.client else {
            return true
        }
        return clientsNow().map { $0[client.id] ?? ARC27ClientSettings() } == request.settings
    }

    /// A frame that was not read has no id to answer to.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        .ignored(IgnoredFrame("a frame of \(frameBytes) bytes; \(frameBytesMax) is the limit"))
    }

    /// Whoever is not meant by a discovery stays silent (ARC-27, discover).
    func checkAddressee(of envelope: ARC27Envelope) throws(IgnoredFrame) {
        guard envelope.method == ARC27Wire.Method.discover.rawValue,
            let providerID = envelope.params?["providerId"]?.text,
            !UUIDText.isSame(providerID, configuration.providerID)
        else { return }
        throw IgnoredFrame("a discovery of another provider")
    }
}

extension AdapterError {
    fileprivate static func ignored(_ frame: IgnoredFrame) -> Self {
        Self(code: "ignored", reason: frame.reason, reply: .silence(frame.reason))
    }
}
