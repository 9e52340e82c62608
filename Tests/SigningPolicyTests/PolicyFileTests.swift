// SPDX-License-Identifier: Apache-2.0
import Glibc
import PolicyReference
import Testing

@testable import SigningPolicy

@Suite("Reading a policy file")
struct PolicyFileTests {
    /// Runs `body` with a temporary folder.
    static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = "/tmp/policy-test-\(UInt64.random(in: .min ... .max))"
        try #require(unsafe mkdir(folder, 0o700) == 0)
        defer {
            for name in ["policy.toml", "link"] { unsafe unlink("\(folder)/\(name)") }
            unsafe rmdir(folder)
        }
        try body(folder)
    }

    static func write(_ count: Int, to path: String, mode: mode_t) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let bytes = [UInt8](repeating: 65, count: count)
        #expect(unsafe Glibc.write(file, bytes, count) == count)
        #expect(fchmod(file, mode) == 0)
    }

    static func result(_ path: String) -> Result<[UInt8], PolicyFileError> {
        Result { () throws(PolicyFileError) in try PolicyFile.read(path) }
    }

    @Test("gives the bytes of a file that only its owner can write", arguments: [0, 5, 200_000])
    func good(_ count: Int) throws {
        try Self.withFolder { folder in
            for mode: mode_t in [0o600, 0o644, 0o444] {
                try Self.write(count, to: "\(folder)/policy.toml", mode: mode)
                let read = Self.result("\(folder)/policy.toml")
                #expect(read == .success([UInt8](repeating: 65, count: count)))
                unsafe unlink("\(folder)/policy.toml")
            }
        }
    }

    @Test("refuses files that others may write", arguments: [0o620, 0o602, 0o666, 0o777])
    func writable(_ mode: Int) throws {
        try Self.withFolder { folder in
            try Self.write(1, to: "\(folder)/policy.toml", mode: mode_t(mode))
            #expect(
                Self.result("\(folder)/policy.toml")
                    == .failure(.writableByOthers(mode: UInt32(mode))))
        }
    }

    @Test("refuses a file that is missing or not regular")
    func kinds() throws {
        try Self.withFolder { folder in
            let path = "\(folder)/policy.toml"
            #expect(Self.result(path) == .failure(.missing))
            #expect(Self.result(folder) == .failure(.notRegular))
            try Self.write(1, to: path, mode: 0o600)
            #expect(unsafe symlink(path, "\(folder)/link") == 0)
            #expect(Self.result("\(folder)/link") == .failure(.notRegular))
            unsafe unlink(path)
            #expect(unsafe mkfifo(path, 0o600) == 0)
            #expect(Self.result(path) == .failure(.notRegular))
            #expect(Self.result("/dev/null") == .failure(.notRegular))
        }
    }

    @Test("refuses the file of another user")
    func owner() throws {
        // Only root can change the owner of a file.
        guard geteuid() == 0 else { return }
        try Self.withFolder { folder in
            try Self.write(1, to: "\(folder)/policy.toml", mode: 0o600)
            #expect(unsafe chown("\(folder)/policy.toml", 12_345, 12_345) == 0)
            let read = Self.result("\(folder)/policy.toml")
            #expect(read == .failure(.wrongOwner(userID: 12_345)))
        }
    }

    @Test("reads up to the largest size and not a byte more")
    func size() throws {
        try Self.withFolder { folder in
            let path = "\(folder)/policy.toml"
            try Self.write(TOMLPolicy.fileBytesMax, to: path, mode: 0o600)
            let read = try Self.result(path).get()
            #expect(read.count == TOMLPolicy.fileBytesMax)
            try Self.write(TOMLPolicy.fileBytesMax + 1, to: path, mode: 0o600)
            #expect(Self.result(path) == .failure(.tooLarge))
        }
    }
}
