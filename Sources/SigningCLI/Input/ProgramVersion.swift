// SPDX-License-Identifier: Apache-2.0

import CLinux
import SigningCodecs
import SigningService

extension ProductVersion {
    /// The version of the running program, even if its file was replaced since.
    static let ofProgram: ProductVersion = {
        var bytes = [UInt8](repeating: 0, count: buildIDBytesMax)
        let count = unsafe linux_shim_build_id(&bytes, bytes.count)
        let id = Array(bytes.prefix(count))
        return ProductVersion(build: id.isEmpty ? nil : Hex.encode(id.span))
    }()

    private static let buildIDBytesMax = 64
}
