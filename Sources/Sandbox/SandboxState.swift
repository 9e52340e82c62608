// SPDX-License-Identifier: Apache-2.0

/// Something that a process in a sandbox may touch: a file, or a folder with all below it.
package struct SandboxPlace: Hashable, Sendable {
    /// What may be done there.
    package enum Access: Hashable, Sendable {
        /// Files are read.
        case reads
        /// Files and sockets are read, written, made and removed.
        case changes
        /// A device is read, written and set.
        case usesDevice
        /// Sockets are renamed and removed, and nothing is read.
        case movesSockets
    }

    let path: String
    let access: Access

    /// Names it.
    package init(_ path: String, _ access: Access) {
        self.path = path
        self.access = access
    }
}

/// What binds a process, in words for its owner.
package struct SandboxState: Hashable, Sendable {
    /// One thing that is bound, or is not.
    package struct Part: Hashable, Sendable {
        /// What it is about.
        package let name: String
        /// How it is bound; nil where it is not.
        package let bound: String?
        /// Why it is not.
        package let problem: String

        init(_ name: String, _ bound: String?, problem: String) {
            self.name = name
            self.bound = bound
            self.problem = bound == nil ? problem : ""
        }
    }

    /// All that could be bound.
    package let parts: [Part]

    /// Whether nothing is missing.
    package var isWhole: Bool { parts.allSatisfy { $0.bound != nil } }

    /// In one line.
    package var text: String {
        let bound = parts.compactMap { part in part.bound.map { "\(part.name): \($0)" } }
        let missing = parts.filter { $0.bound == nil }.map { "\($0.name) (\($0.problem))" }
        let head =
            bound.isEmpty ? "not in a sandbox" : "in a sandbox; " + bound.joined(separator: ", ")
        return missing.isEmpty ? head : head + "; not bound: " + missing.joined(separator: ", ")
    }
}
