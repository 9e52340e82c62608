// SPDX-License-Identifier: Apache-2.0

import CPSL

/// The suffixes under which people register domains, from the Public Suffix List.
@safe struct PublicSuffixes: @unchecked Sendable {  // SAFETY: libpsl only reads a loaded list.
    /// The newest list of the machine, or the library's; read on first use.
    static let shared = PublicSuffixes()

    private let list: OpaquePointer

    private init?() {
        guard let list = unsafe psl_latest(nil) else { return nil }
        unsafe self.list = list
    }

    /// Returns the suffix and one label more; nil for a suffix and for a name of one label.
    func registrableDomain(of name: String) -> String? {
        unsafe name.withCString { place in
            guard let domain = unsafe psl_registrable_domain(list, place) else { return nil }
            return unsafe String(cString: domain)
        }
    }
}
