// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningDigests

/// A whole atomic group within a request, or one transaction outside any group.
package struct TransactionGroup: Hashable, Sendable {
    /// The range of its members in the request.
    package let members: Range<Int>
    /// True if the total fee is unusual; fees are added because members may pay for each other.
    package let hasHighFee: Bool
    /// A hash of the effect of each member; empty for a single transaction.
    package let contents: [[UInt8]]
    /// The types of its members in their order, such as `pay,axfer`.
    package let types: String

    /// The maximum number of members that the protocol allows.
    package static let countMax = 16
    /// The usual maximum fee per member, in microAlgo.
    package static let feeUsualMax: Int128 = 10_000
    /// The fee that one member usually pays for each other member, in microAlgo: the minimum fee.
    package static let feeForOthers: Int128 = 1_000
    /// The fee for going online with rewards, in microAlgo.
    fileprivate static let feeOfGoingOnline: UInt64 = 2_000_000
    /// The prefix of the list of ids that is hashed.
    private static let prefix: [UInt8] = [UInt8(ascii: "T"), UInt8(ascii: "G")]

    /// Splits the transactions of a request into groups and verifies every group id.
    package static func all(
        in transactions: [Transaction]
    ) throws(AlgorandRefusal) -> [Self] {
        var groups: [Self] = []
        var start = 0
        while start < transactions.count {
            var end = start + 1
            let id = transactions[start].group
            while id != nil, end < transactions.count, transactions[end].group == id { end += 1 }
            let members = Array(transactions[start..<end])
            if let id { try check(id, of: members) }
            groups.append(
                Self(
                    members: start..<end, hasHighFee: hasHighFee(members),
                    contents: members.count == 1
                        ? [] : members.map { $0.contentHash() },
                    types: members.map(\.type.rawValue).joined(separator: ",")))
            start = end
        }
        return groups
    }

    private static func check(
        _ id: [UInt8], of members: [Transaction]
    ) throws(AlgorandRefusal) {
        guard members.count <= countMax else {
            throw .invalid("a group has more than \(countMax) transactions")
        }
        let ids = members.map { member in
            MessagePack.binary(Transaction.id(ofEncoded: member.encoded(withGroup: false)))
        }
        let list = MessagePack.map([MessagePackMember(name: "txlist", value: .array(ids))])
        let preimage = prefix + list.encode()
        let computed = Digest.sha512_256(preimage.span)
        guard computed == id else { throw .invalidGroupID(computed: computed) }
    }

    /// True if one member pays more than is usual for itself and for all the others.
    package func isHigh(feeOf member: Transaction) -> Bool {
        guard !member.paysForGoingOnline else { return false }
        let others = Int128(members.count - 1) * Self.feeForOthers
        return Int128(member.fee) > Self.feeUsualMax + others
    }

    private static func hasHighFee(_ members: [Transaction]) -> Bool {
        let total = members.reduce(Int128(0)) { $0 + Int128($1.paysForGoingOnline ? 0 : $1.fee) }
        return total > feeUsualMax * Int128(members.count)
    }
}

extension Transaction {
    /// True if its fee is the one that the protocol asks of an account that wants rewards.
    fileprivate var paysForGoingOnline: Bool {
        guard case .keyRegistration(let registration) = body else { return false }
        return registration.participation == .online && fee == TransactionGroup.feeOfGoingOnline
    }
}
