// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Sandbox

/// Where the programs are that come with `countersign`.
enum HelperPlace {
    /// Why one is not used.
    enum PlaceError: Error, Hashable {
        /// It is nowhere.
        case missing
        /// It is there; what is wrong with it, in words.
        case unusable(String)

        /// The fault in words.
        func words(on name: String) -> String {
            switch self {
            case .missing: "\(name) is not there"
            case .unusable(let problem): "\(name) cannot be used: \(problem)"
            }
        }
    }

    /// How one that is missing comes there.
    static func installing(_ variable: String) -> String {
        "build and install it: make datachannel install, or name its place in \(variable)"
    }

    /// Looks where `named` says, or else beside the program that runs and in `libexec` next to
    /// its folder.
    static func of(_ name: String, named: String?) throws(PlaceError) -> String {
        for place in named.map({ [$0] }) ?? places(of: name) {
            if let file = SandboxProgram.look(at: place) {
                close(file)
                return place
            }
            let number = errno
            guard number != ENOENT, number != ENOTDIR else { continue }
            let text = unsafe String(cString: strerror(number))
            throw .unusable(
                number == EPERM ? "others could change it, or a folder above it" : text)
        }
        throw .missing
    }

    private static func places(of name: String) -> [String] {
        var bytes = [Int8](repeating: 0, count: 4_096)
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0, count < bytes.count,
            let own = String(
                validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self),
            let slash = own.lastIndex(of: "/")
        else { return [] }
        let folder = own[..<slash]
        let above = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
        return ["\(folder)/\(name)", "\(above)/libexec/\(name)"]
    }
}
