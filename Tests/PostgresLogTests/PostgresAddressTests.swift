// SPDX-License-Identifier: Apache-2.0

import SigningStorage
import Testing

@testable import PostgresLog

@Suite("Addresses of shared logs")
struct PostgresAddressTests {
    @Test("a server is verified unless it is this machine's own")
    func whole() throws {
        let address = try PostgresAddress(
            "postgresql://hub@db.example.org:6432/team?sslrootcert=/etc/ca.pem&replicas=1"
                + "&schema=signing&passfile=/etc/pass&sslmode=verify-full")
        #expect(address.places == [.init(host: "db.example.org", port: 6_432)])
        #expect(address.user == "hub")
        #expect(address.database == "team")
        #expect(address.schema == "signing")
        #expect(address.replicas == 1)
        #expect(address.authoritiesFile == "/etc/ca.pem")
        #expect(address.passwordFile == "/etc/pass")
        #expect(address.files == ["/etc/ca.pem", "/etc/pass"])
    }

    @Test("a possible loss is accepted in the address, and not beside replicas")
    func asynchronous() throws {
        let start = "postgresql://hub@/team?host=/run"
        #expect(try PostgresAddress(start + "&replication=asynchronous").mayLoseLast)
        #expect(try !PostgresAddress(start + "&replicas=0").mayLoseLast)
        for end in ["asynchronous&replicas=1", "synchronous", ""] {
            #expect(throws: SharedLogAddressError.self) {
                try PostgresAddress(start + "&replication=" + end)
            }
        }
    }

    @Test("several servers, by name and by number")
    func several() throws {
        let address = try PostgresAddress(
            "postgresql://hub@A.example.org,b.example.org:5433,[::1]:5434,10.0.0.1/team"
                + "?sslrootcert=/etc/ca.pem")
        #expect(
            address.places == [
                .init(host: "a.example.org", port: 5_432),
                .init(host: "b.example.org", port: 5_433),
                .init(host: "::1", port: 5_434), .init(host: "10.0.0.1", port: 5_432),
            ])
        #expect(address.schema == "countersign")
        #expect(address.replicas == 0)
    }

    @Test(
        "a Unix socket needs no TLS",
        arguments: [
            "postgresql://hub@/team?host=/run/postgresql&port=5433",
            "postgresql://hub@/team?port=5433&host=%2Frun%2Fpostgresql",
            "postgresql://hub@%2Frun%2Fpostgresql:5433/team",
            "postgresql://hub@%2frun%2fpostgresql:5433/team?sslmode=disable",
        ])
    func socket(text: String) throws {
        let address = try PostgresAddress(text)
        #expect(address.places == [.init(host: "/run/postgresql", port: 5_433)])
        #expect(address.authoritiesFile == nil)
        #expect(address.files.contains("/run/postgresql"))
    }

    @Test(
        "plain connections stay on this machine",
        arguments: ["localhost", "127.0.0.1", "[::1]", "127.0.0.1:1,localhost:65535"])
    func plain(hosts: String) throws {
        let address = try PostgresAddress("postgresql://hub@\(hosts)/team?sslmode=disable")
        #expect(address.authoritiesFile == nil)
    }

    @Test("metacharacters of SQL are characters of names")
    func metacharacters() throws {
        let address = try PostgresAddress(
            "postgresql://o%27x@/te%22am%3B--?host=/run&schema=a%22.b;DROP%20TABLE%20x")
        #expect(address.user == "o'x")
        #expect(address.database == "te\"am;--")
        #expect(address.schema == "a\".b;DROP TABLE x")
        #expect(PostgresSchema.quoted(address.schema) == "\"a\"\".b;DROP TABLE x\"")
        #expect(PostgresSchema.quoted("\"") == "\"\"\"\"")
        #expect(PostgresSchema.quoted("team") == "\"team\"")
    }

    static let refused: [(String, String)] = [
        ("", "does not begin"),
        ("postgres://hub@/team?host=/run", "does not begin"),
        ("POSTGRESQL://hub@/team?host=/run", "does not begin"),
        ("host=/run dbname=team", "space"),
        ("postgresql://hub@/team?host=/run#x", "a #"),
        ("postgresql://hub@/team?host=/r\u{e9}n", "ASCII"),
        ("postgresql://hub@/team?host=/run\n", "space"),
        ("postgresql://hub@/" + String(repeating: "t", count: 2_048), "longer"),
        ("postgresql://hub:secret@db/team", "password"),
        ("postgresql://hub:@db/team", "password"),
        ("postgresql://hub@db/team?password=secret", "password"),
        ("postgresql://hub@db/team?pass%77ord=secret", "password"),
        ("postgresql://db/team", "does not name a user"),
        ("postgresql://@db/team", "does not name a user"),
        ("postgresql://a@b@db/team", "does not name a user"),
        ("postgresql://hub@db", "one database"),
        ("postgresql://hub@db/", "does not name a database"),
        ("postgresql://hub@db/team/more", "one database"),
        ("postgresql://hub@/team", "does not name a server"),
        ("postgresql://hub@/team?host=db.example.org", "folder"),
        ("postgresql://hub@/team?host=", "folder"),
        ("postgresql://hub@/team?host=/a,/b", "comma"),
        ("postgresql://hub@/team?host=/" + String(repeating: "t", count: 80), "at most 80"),
        ("postgresql://hub@db/team?host=/run&sslrootcert=/ca", "host= is only"),
        ("postgresql://hub@db/team?port=1&sslrootcert=/ca", "port= is only"),
        ("postgresql://hub@a,b,c,d,e,f,g,h,i/team?sslrootcert=/ca", "more than 8"),
        ("postgresql://hub@a,A/team?sslrootcert=/ca", "twice"),
        ("postgresql://hub@a,/team?sslrootcert=/ca", "neither a host"),
        ("postgresql://hub@a b/team?sslrootcert=/ca", "space"),
        ("postgresql://hub@a%20b/team?sslrootcert=/ca", "neither a host"),
        ("postgresql://hub@a%2Cb/team?sslrootcert=/ca", "neither a host"),
        ("postgresql://hub@[::1/team?sslrootcert=/ca", "neither a host"),
        ("postgresql://hub@[::g]/team?sslrootcert=/ca", "neither a host"),
        ("postgresql://hub@1.2.3/team?sslrootcert=/ca", "neither a host"),
        ("postgresql://hub@0x7f.1/team?sslmode=disable", "neither a host"),
        ("postgresql://hub@db:0/team?sslrootcert=/ca", "port"),
        ("postgresql://hub@db:65536/team?sslrootcert=/ca", "port"),
        ("postgresql://hub@db:/team?sslrootcert=/ca", "port"),
        ("postgresql://hub@db:+1/team?sslrootcert=/ca", "port"),
        ("postgresql://hub@db:05432/team?sslrootcert=/ca", "port"),
        ("postgresql://hub@db:1:2/team?sslrootcert=/ca", "port"),
        ("postgresql://hub@db/team", "certificates that verify"),
        ("postgresql://hub@127.0.0.1/team", "certificates that verify"),
        ("postgresql://hub@db/team?sslmode=disable", "this machine only"),
        ("postgresql://hub@localhost,db/team?sslmode=disable", "this machine only"),
        ("postgresql://hub@/team?host=/run&sslmode=verify-full", "a Unix socket does not use TLS"),
        ("postgresql://hub@%2Frun,db/team?sslrootcert=/ca", "a Unix socket does not use TLS"),
        ("postgresql://hub@/team?host=/run&sslrootcert=/ca", "plain connection"),
        ("postgresql://hub@db/team?sslmode=verify-ca&sslrootcert=/ca", "neither verify-full"),
        ("postgresql://hub@db/team?sslmode=require", "neither verify-full"),
        ("postgresql://hub@db/team?sslmode=prefer", "neither verify-full"),
        ("postgresql://hub@db/team?sslmode=", "neither verify-full"),
        ("postgresql://hub@db/team?sslrootcert=ca.pem", "not the path"),
        ("postgresql://hub@db/team?sslrootcert=system", "not the path"),
        ("postgresql://hub@db/team?sslrootcert=/c%00a", "not the path"),
        ("postgresql://hub@db/team?sslrootcert=/ca&passfile=pass", "not the path"),
        ("postgresql://hub@db/team?sslrootcert=/ca&sslrootcert=/cb", "twice"),
        ("postgresql://hub@db/team?options=-c%20fsync%3Doff", "does not take options="),
        ("postgresql://hub@db/team?service=x", "does not take service="),
        ("postgresql://hub@db/team?hostaddr=10.0.0.1", "does not take hostaddr="),
        ("postgresql://hub@db/team?target_session_attrs=any", "does not take"),
        ("postgresql://hub@db/team?Schema=x", "does not take"),
        ("postgresql://hub@db/team?%0Axy=x", "does not take"),
        ("postgresql://hub@db/team?schema", "name=value"),
        ("postgresql://hub@db/team?=x", "name=value"),
        ("postgresql://hub@db/team?schema=a=b", "name=value"),
        ("postgresql://hub@db/team?schema=a&", "name=value"),
        ("postgresql://hub@db/team?sslrootcert=/ca&schema=", "does not name a schema"),
        ("postgresql://hub@db/team?sslrootcert=/ca&schema=pg_catalog", "reserves"),
        ("postgresql://hub@db/team?sslrootcert=/ca&schema=a%00b", "has to be at most"),
        ("postgresql://hub@db/team?sslrootcert=/ca&schema=a%0Ab", "has to be at most"),
        ("postgresql://hub@db/te%zzam", "two hex digits"),
        ("postgresql://hub@db/te%F", "two hex digits"),
        ("postgresql://hub@db/te%FFam", "not UTF-8"),
        ("postgresql://" + String(repeating: "u", count: 64) + "@db/team", "at most 63"),
        ("postgresql://hub@db/team?sslrootcert=/ca&replicas=-1", "replicas="),
        ("postgresql://hub@db/team?sslrootcert=/ca&replicas=10", "replicas="),
        ("postgresql://hub@db/team?sslrootcert=/ca&replicas=x", "replicas="),
        ("postgresql://hub@db/team?sslrootcert=/ca&replicas=", "replicas="),
    ]

    @Test("everything else is refused, with a reason that repeats no secret", arguments: refused)
    func refusal(text: String, reason: String) {
        let error = #expect(throws: SharedLogAddressError.self) { try PostgresAddress(text) }
        #expect(error?.text.contains(reason) == true, "\(error?.text ?? "none")")
        #expect(error?.hint.isEmpty == false)
        #expect(error?.text.contains("secret") != true)
        #expect(error?.hint.contains("secret") != true)
    }
}
