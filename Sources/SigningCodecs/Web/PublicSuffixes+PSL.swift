// SPDX-License-Identifier: Apache-2.0

import CPSL

/// The names under which people register domains, as the Public Suffix List has them.
@safe struct PublicSuffixes: @unchecked Sendable {  // SAFETY: libpsl only reads a loaded list.
    /// The newest list of the machine, or the one in the library; read when first asked for.
    static let shared = PublicSuffixes()

    private let list: OpaquePointer

    private init?() {
        guard let list = unsafe psl_latest(nil) else { return nil }
        unsafe self.list = list
    }

    /// The suffix and one label more; nil for a suffix itself and for a name of one label.
    func registrableDomain(of name: String) -> String? {
        unsafe name.withCString { place in
            guard let domain = unsafe psl_registrable_domain(list, place) else { return nil }
            return unsafe String(cString: domain)
        }
    }
}
