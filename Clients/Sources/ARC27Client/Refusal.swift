// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension ARC27Client {
    /// An error of ARC-27 as a reply to a request.
    public struct Refusal: Hashable, Sendable {
        /// The error code on the wire.
        public let code: Int64
        /// The meaning of the code.
        public let cause: Cause
        /// The message of the provider.
        public let message: PeerText
        /// The id of the provider, if the error contains it.
        public let providerID: String?
    }

    /// The meaning of an error code; missing or invalid error data is nil.
    public enum Cause: Hashable, Sendable {
        /// Code 4000.
        case unknown
        /// Code 4001: the user or a rule denied the request.
        case canceled(method: String?)
        /// Code 4002: there was no answer in time.
        case timedOut(method: String?)
        /// Code 4003.
        case methodNotSupported(method: String?)
        /// Code 4004, with the genesis hashes that are not supported.
        case networkNotSupported(genesisHashes: [[UInt8]]?)
        /// Code 4100, with the address that may not sign.
        case unauthorizedSigner(address: String?)
        /// Code 4200.
        case invalidInput
        /// Code 4201, with the group id that the provider computed.
        case invalidGroupID(computed: [UInt8]?)
        /// Code 4300, with an id for each transaction that was sent; nil if that is unknown.
        case notAllPosted(transactionIDs: [String?]?)
        /// A code that ARC-27 does not define.
        case other
    }
}

extension ARC27Client.Refusal {
    /// Reads the error of a reply to a request about `count` transactions.
    init(_ json: JSON, count: Int) throws(ARC27ClientError) {
        guard let code = json["code"]?.integerValue, let message = json["message"]?.text else {
            throw .invalidReply("error has no code or no message")
        }
        let providerID = json["providerId"]?.text
        self.init(
            code: code, cause: ARC27Client.Cause(code, json["data"], count: count),
            message: ARC27Client.PeerText(verbatim: message),
            providerID: providerID.flatMap { WireText.isID($0) ? $0 : nil })
    }
}

extension ARC27Client.Cause {
    fileprivate init(_ code: Int64, _ data: JSON?, count: Int) {
        let method = data?["method"]?.text.flatMap { WireText.isMethod($0) ? $0 : nil }
        switch code {
        case 4000: self = .unknown
        case 4001: self = .canceled(method: method)
        case 4002: self = .timedOut(method: method)
        case 4003: self = .methodNotSupported(method: method)
        case 4004: self = .networkNotSupported(genesisHashes: Self.hashes(data))
        case 4100:
            let address = data?["signer"]?.text.flatMap { WireText.isAddress($0) ? $0 : nil }
            self = .unauthorizedSigner(address: address)
        case 4200: self = .invalidInput
        case 4201:
            self = .invalidGroupID(
                computed: data?["computedGroupId"]?.text.flatMap(WireText.hash))
        case 4300:
            self = .notAllPosted(
                transactionIDs: Self.transactionIDs(data?["successTxnIDs"], count: count))
        default: self = .other
        }
    }

    /// Returns `genesisHash`, or the list that the JavaScript library sends.
    private static func hashes(_ data: JSON?) -> [[UInt8]]? {
        let list = data?["genesisHash"].map { [$0] } ?? data?["genesisHashes"]?.list
        guard let list, list.count <= ARC27Client.itemCountMax else { return nil }
        let hashes = list.compactMap { $0.text.flatMap(WireText.hash) }
        return hashes.count == list.count ? hashes : nil
    }

    private static func transactionIDs(_ json: JSON?, count: Int) -> [String?]? {
        guard let list = json?.list, list.count == count else { return nil }
        var texts: [String?] = []
        for element in list {
            let text = element.text
            guard element.isNull || text.map(WireText.isTransactionID) == true else { return nil }
            texts.append(text)
        }
        return texts
    }
}
