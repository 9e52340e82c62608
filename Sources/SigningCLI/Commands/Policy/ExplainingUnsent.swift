// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEP413
import SigningCore

extension SigningHub {
    /// Explains a frame that goes nowhere; what it needs from a node, if anything, is made up.
    func explainUnsent(
        _ frame: Frame, with adapter: any ProtocolAdapter
    ) throws(AdapterError) -> (Explanation, isMadeUp: Bool) {
        guard let near = adapter as? NEP413Adapter else {
            return (try explain(frame, with: adapter), false)
        }
        let reading = try read(frame, with: near)
        let need = try near.need(of: reading, in: context(of: frame, for: .near))
        let lookup = need.flatMap(NEARLookup.init(madeUpFor:))
        let explanation = try explain(frame, read: reading, having: lookup, with: near)
        return (explanation, lookup != nil)
    }
}

extension NEARLookup {
    /// Nil where none is made up, because it can be explained without.
    fileprivate init?(madeUpFor need: NEARLookupNeed) {
        guard !need.isOptional else { return nil }
        self.init(
            for: need,
            found: Found(
                nonces: (0..<UInt64(need.nonceCount)).map { $0 },
                blockHash: [UInt8](repeating: 0, count: 32), blockHeight: 0))
    }
}
