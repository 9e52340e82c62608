// SPDX-License-Identifier: Apache-2.0
import PolicyReference

@testable import SigningCore
@testable import SigningPolicy

/// Limit usage that cannot be read.
struct BrokenUsage: LimitUsage {
    func firstUse(of _: Counterparty) throws(LedgerError) -> FirstUse {
        throw .unavailable("no disk")
    }

    func usedByName(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        throw .unavailable("no disk")
    }

    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        throw .unavailable("no disk")
    }
}

/// The errors of a file that does not load, one line each.
func headlines(_ text: String) -> [String] {
    do throws(PolicyLoadError) {
        _ = try loaded(text)
        return []
    } catch {
        return error.diagnostics.filter { $0.severity == .error }.map(\.headline)
    }
}

extension TOMLPolicy {
    func verdict(_ request: FakeRequest, _ counts: [String: Int128] = [:]) throws -> String {
        try judge(request.judged(), usage: FakeUsage(counts: counts)).verdict.name
    }
}
