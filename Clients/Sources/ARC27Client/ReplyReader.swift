// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs

/// Reads the reply to one request: the envelope, then the error or the result.
struct ReplyReader {
    let request: ARC27Client.PendingRequest

    init(_ request: ARC27Client.PendingRequest) { self.request = request }

    func reply(_ members: JSONObject) throws(ARC27ClientError) -> ARC27Client.Reply {
        guard let id = members["id"]?.text, WireText.isID(id) else {
            throw .invalidReply("the reply has no id")
        }
        guard let reference = members["reference"]?.text, WireText.isReplyReference(reference)
        else { throw .invalidReply("the reply has a wrong reference") }
        switch (members["result"], members["error"]) {
        case (let result?, nil):
            guard let object = result.object else { throw .invalidReply("result is not an object") }
            return try reply(ReplyObject(object, "result"))
        case (nil, let error?):
            return .refused(try ARC27Client.Refusal(error, count: transactionCount))
        default: throw .invalidReply("the reply must have either a result or an error")
        }
    }

    var transactionCount: Int {
        switch request.call {
        case .signTransactions(let list), .signAndPostTransactions(let list): list.count
        case .postTransactions(let list): list.count
        default: 0
        }
    }

    private func reply(_ result: ReplyObject) throws(ARC27ClientError) -> ARC27Client.Reply {
        try checkProvider(result)
        switch request.call {
        case .discover: return .discovered(try discovery(result))
        case .enable(let hash): return .enabled(try enabled(result, asked: hash))
        case .disable(let hash, _):
            return .disabled(
                ARC27Client.Disabled(
                    network: try network(result, asked: hash),
                    sessionIDs: try result.optionalTexts("sessionIds", WireText.isSessionID)))
        case .signTransactions(let asked): return .signed(try signed(result, asked))
        case .signAndPostTransactions, .postTransactions:
            return .posted(transactionIDs: try transactionIDs(result))
        case .signMessage, .signData: return .messageSigned(try message(result))
        }
    }

    /// Checks the provider id, which only replies of signing methods may omit, as Pera does.
    ///
    /// A constant used in place of an id is not compared.
    private func checkProvider(_ result: ReplyObject) throws(ARC27ClientError) {
        guard let id = try result.optionalText("providerId", WireText.isID) else {
            switch request.call.method {
            case .signTransactions, .signAndPostTransactions, .signMessage: return
            default: throw .invalidReply("result.providerId is missing")
            }
        }
        guard let asked = request.providerID,
            !UUIDText.isSame(asked, ARC27Client.liquidProviderID)
        else { return }
        guard UUIDText.isSame(id, asked) else {
            throw .invalidReply("another provider sent the reply")
        }
    }

    private func discovery(
        _ result: ReplyObject
    ) throws(ARC27ClientError) -> ARC27Client.Discovery {
        var networks: [ARC27Client.Discovery.Network] = []
        for member in try result.objects("networks") {
            networks.append(
                ARC27Client.Discovery.Network(
                    network: try network(member, asked: nil),
                    methods: try member.texts("methods", WireText.isMethod)))
        }
        return ARC27Client.Discovery(
            providerID: try result.text("providerId", WireText.isID),
            name: ARC27Client.PeerText(verbatim: try result.text("name")),
            networks: networks,
            host: try result.optionalText("host").map(ARC27Client.PeerText.init),
            icon: try result.optionalText("icon").map(ARC27Client.PeerText.init))
    }

    private func enabled(
        _ result: ReplyObject, asked: [UInt8]?
    ) throws(ARC27ClientError) -> ARC27Client.Enabled {
        var accounts: [ARC27Client.Enabled.Account] = []
        for member in try result.objects("accounts") {
            accounts.append(
                ARC27Client.Enabled.Account(
                    address: try member.text("address", WireText.isAddress),
                    name: try member.optionalText("name").map(ARC27Client.PeerText.init)))
        }
        return ARC27Client.Enabled(
            accounts: accounts, network: try network(result, asked: asked),
            sessionID: try result.optionalText("sessionId", WireText.isSessionID))
    }

    private func network(
        _ object: ReplyObject, asked: [UInt8]?
    ) throws(ARC27ClientError) -> AlgorandNetwork {
        let text = try object.text("genesisHash")
        guard let hash = WireText.hash(text) else {
            throw .invalidReply("\(object.place).genesisHash is not 32 bytes of base64")
        }
        guard asked == nil || asked == hash else {
            throw .invalidReply("the reply is for another network")
        }
        return AlgorandNetwork(
            genesisID: try object.text("genesisId", WireText.isGenesisID),
            genesisHash: hash)
    }
}
