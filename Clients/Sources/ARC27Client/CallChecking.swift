// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The checks that every provider makes too; the effect of a transaction is not checked.
extension ARC27Client.Call {
    private static let dataBytesMax = 16 << 10
    private static let authenticatorDataBytes = 32...384
    private static let domainBytesMax = 253

    func check(providerID: String?) throws(ARC27ClientError) {
        switch self {
        case .discover, .signData: break
        default:
            guard providerID != nil else {
                throw .invalidCall("\(method.rawValue) needs a provider id; discover one first")
            }
        }
        switch self {
        case .discover: break
        case .enable(let hash): try Self.check(genesisHash: hash)
        case .disable(let hash, let sessions):
            try Self.check(genesisHash: hash)
            try Self.check(count: sessions?.count ?? 0, of: "sessionIds")
            guard sessions?.allSatisfy(WireText.isSessionID) != false else {
                throw .invalidCall("a session id is empty, too long or has hidden characters")
            }
        case .signTransactions(let list), .signAndPostTransactions(let list):
            try Self.check(list)
        case .postTransactions(let list):
            try Self.check(count: list.count, of: "stxns")
            for index in list.indices {
                guard MessagePack.canonicalMembers(list[index])?["txn"] != nil else {
                    throw .invalidCall("stxns[\(index)] is not a signed transaction")
                }
            }
        case .signMessage(_, let signer):
            guard signer.map(WireText.isAddress) != false else {
                throw .invalidCall("signer is not an address")
            }
        case .signData(let data): try Self.check(data)
        }
    }

    private static func check(genesisHash hash: [UInt8]?) throws(ARC27ClientError) {
        guard hash == nil || hash?.count == WireText.hashCount else {
            throw .invalidCall("a genesis hash has \(WireText.hashCount) bytes")
        }
    }

    private static func check(count: Int, of name: String) throws(ARC27ClientError) {
        guard count <= ARC27Client.itemCountMax else {
            throw .invalidCall("\(name) has more than \(ARC27Client.itemCountMax) elements")
        }
    }

    private static func check(
        _ list: [ARC27Client.TransactionToSign]
    ) throws(ARC27ClientError) {
        try check(count: list.count, of: "txns")
        var before: [UInt8]?
        for index in list.indices {
            let problem: String?
            do throws(ARC27ClientError) {
                let asked = try AskedTransaction(list[index])
                let isFollower = asked.group != nil && asked.group == before
                problem =
                    isFollower && list[index].groupMessage != nil
                    ? "groupMessage belongs to the first transaction of a group" : nil
                before = asked.group
            } catch {
                problem = error.text
            }
            if let problem { throw .invalidCall("txns[\(index)]: \(problem)") }
        }
    }

    private static func check(_ data: ARC27Client.DataToSign) throws(ARC27ClientError) {
        guard data.data.count <= dataBytesMax, (try? JSON.parse(data.data.span)) != nil else {
            throw .invalidCall("data must be JSON of at most \(dataBytesMax) bytes")
        }
        guard WireText.isAddress(data.signer) else {
            throw .invalidCall("signer is not an address")
        }
        guard (1...domainBytesMax).contains(data.domain.utf8.count) else {
            throw .invalidCall("domain must have 1 to \(domainBytesMax) bytes")
        }
        guard authenticatorDataBytes.contains(data.authenticatorData.count) else {
            throw .invalidCall("authenticatorData must have 32 to 384 bytes")
        }
        guard [data.requestID, data.path].allSatisfy({ $0.map(WireText.isID) != false }) else {
            throw .invalidCall("requestId or hdPath is empty, too long or has hidden characters")
        }
    }
}
