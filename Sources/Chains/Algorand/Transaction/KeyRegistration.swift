// SPDX-License-Identifier: Apache-2.0

/// `keyreg`: registers the keys with which an account takes part in consensus, or ends that.
package struct KeyRegistration: Hashable, Sendable {
    /// The participation of the account from then on.
    package enum Participation: String {
        case online, offline
        /// Offline for ever: no transaction can reverse it.
        case nonparticipating
    }

    package var voteKey: [UInt8]?
    package var selectionKey: [UInt8]?
    package var stateProofKey: [UInt8]?
    package var firstVote: UInt64
    package var lastVote: UInt64
    package var keyDilution: UInt64
    package var isNonparticipating: Bool

    package var participation: Participation {
        if isNonparticipating { return .nonparticipating }
        return voteKey == nil ? .offline : .online
    }

    private static let stateProofKeyCount = 64

    package init(_ fields: TransactionFields) throws(AlgorandRefusal) {
        voteKey = try fields.bytes("votekey", count: AlgorandAddress.keyCount)
        selectionKey = try fields.bytes("selkey", count: AlgorandAddress.keyCount)
        stateProofKey = try fields.bytes("sprfkey", count: Self.stateProofKeyCount)
        firstVote = try fields.integer("votefst")
        lastVote = try fields.integer("votelst")
        keyDilution = try fields.integer("votekd")
        isNonparticipating = try fields.flag("nonpart")
        try check()
    }

    /// Throws if the fields are incomplete, or mix going online with another registration.
    private func check() throws(AlgorandRefusal) {
        guard (voteKey == nil) == (selectionKey == nil) else {
            throw .invalid("votekey and selkey must be given together")
        }
        guard voteKey == nil else {
            guard !isNonparticipating else {
                throw .invalid("nonpart cannot be used with participation keys")
            }
            guard lastVote >= firstVote else { throw .invalid("votelst is below votefst") }
            return
        }
        guard stateProofKey == nil, firstVote == 0, lastVote == 0, keyDilution == 0 else {
            throw .invalid("fields for going online need votekey")
        }
    }

    package func write(to fields: inout FieldWriter) {
        fields.add("votekey", voteKey)
        fields.add("selkey", selectionKey)
        fields.add("sprfkey", stateProofKey)
        fields.add("votefst", firstVote)
        fields.add("votelst", lastVote)
        fields.add("votekd", keyDilution)
        fields.add("nonpart", isNonparticipating)
    }
}
