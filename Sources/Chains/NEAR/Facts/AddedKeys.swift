// SPDX-License-Identifier: Apache-2.0

/// The combined permissions of the added keys.
struct AddedKeys {
    private(set) var allowsAll = false
    private(set) var receivers: [String] = []
    private(set) var methods: [String] = []
    private var limited: UInt128?
    private var isUnlimited = false

    /// The amount that the keys may spend on gas; unlimited exceeds every limit in a rule.
    var allowance: Int128? {
        isUnlimited ? .max : limited.map { Int128(clamping: $0) }
    }

    mutating func add(_ access: AccessKey) {
        guard let bounds = access.bounds else {
            allowsAll = true
            isUnlimited = true
            return
        }
        if let limit = bounds.allowance { limited = (limited ?? 0).addingSaturated(limit) }
        if bounds.allowance == nil { isUnlimited = true }
        receivers.append(bounds.receiver)
        methods += bounds.methods.isEmpty ? ["*"] : bounds.methods
    }
}
