// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningPolicy

/// The policy of a home as long as its file stays as it was read.
///
/// A person may take minutes to answer; what the file says by then is what counts. Once it has
/// changed its hash is another, so nothing judged by the old text is carried out (step 7).
struct PolicyInForce: Policy {
    private let policy: TOMLPolicy
    private let source: [UInt8]
    private let path: String

    init(_ policy: TOMLPolicy, source: [UInt8], path: String) {
        self.policy = policy
        self.source = source
        self.path = path
    }

    var hash: [UInt8] {
        do throws(PolicyFileError) {
            let now = try PolicyFile.read(path)
            return now == source ? policy.hash : Digest.sha256(now.span)
        } catch {
            return [UInt8](repeating: 0, count: policy.hash.count)
        }
    }

    func understands(_ fact: Fact, of protocolID: ProtocolID) -> Bool {
        policy.understands(fact, of: protocolID)
    }

    func judge(
        _ request: JudgedRequest, usage: some LimitUsage
    ) throws(LedgerError) -> Judgement {
        try policy.judge(request, usage: usage)
    }
}
