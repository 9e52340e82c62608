// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningService
import Testing

@testable import SigningAgent

@Suite("An agent as a service")
struct ServiceTests {
    /// A socket that receives the messages for a service manager.
    private struct Manager: ~Copyable {
        let socket: Int32

        init(at name: [UInt8]) throws {
            socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) {
                unsafe $0.copyBytes(from: name)
            }
            let size = socklen_t(2 + name.count)
            let isBound = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(socket, $0, size) == 0
                }
            }
            try #require(isBound)
        }

        deinit { close(socket) }

        func message() -> String {
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = unsafe recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    @Test("reports to a service manager at a path and at an abstract address")
    func ready() throws {
        let name = "/tmp/countersign-notify-\(getpid())"
        defer { _ = unsafe unlink(name) }
        for address in [name, "@" + name.dropFirst()] {
            var bytes = Array(address.utf8)
            if address.hasPrefix("@") { bytes[0] = 0 }
            let manager = try Manager(at: bytes)
            let service = try ServiceManager(at: address)
            service.reportReady()
            #expect(manager.message() == "READY=1", "\(address)")
        }
    }

    @Test(
        "refuses an address where no service manager is",
        arguments: [
            "", "@", "relative", "/nowhere/notify", "/" + String(repeating: "a", count: 107),
        ])
    func absent(address: String) {
        #expect(throws: ServiceError.self) { try ServiceManager(at: address) }
    }

    @Test("notices that its program was replaced, but not that it was only removed")
    func replaced() throws {
        let path = "/tmp/countersign-program-\(getpid())"
        func make(_ path: String) { close(unsafe creat(path, 0o600)) }
        make(path)
        defer { _ = unsafe unlink(path) }
        let program = try #require(ProgramFile(at: path))
        #expect(program.folder == "/tmp" && !program.isReplaced)
        make(path + ".new")
        _ = unsafe rename(path + ".new", path)
        #expect(program.isReplaced)
        _ = unsafe unlink(path)
        #expect(!program.isReplaced && ProgramFile(at: path) == nil)
        #expect(ProgramFile()?.isReplaced == false)
    }
}
