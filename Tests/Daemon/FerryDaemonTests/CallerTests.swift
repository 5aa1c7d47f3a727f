import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The daemon of many programs` {
    private let body = SeededBody(seed: 83, size: 100_000)

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// Runs `ferry` with the given umask.
    private func run(_ arguments: [String], umask: String, _ ferry: DaemonFixture) async throws -> CommandResult {
        let program = try BuiltProgram.ferry.path()
        return await
            (try ferry.spawnApp(
                ["-c", "umask \(umask); exec \"$0\" \"$@\"", program] + arguments, program: "/bin/sh")).result()
    }

    /// The umask of the program that starts the daemon must not apply to other callers' files.
    @Test func `files and folders have the modes that their own caller's umask leaves`() async throws {
        try await withDaemon(OriginScript(body)) { ferry, origin in
            let first = try await run(["daemon", "start"], umask: "077", ferry)
            #expect(first.status == 0, "\(first)")
            for (mask, file, folder) in [("022", 0o644, 0o755), ("027", 0o640, 0o750), ("000", 0o666, 0o777)] {
                let result = try await run(["get", "-d", "\(mask)/b", origin.url()], umask: mask, ferry)
                #expect(result.status == 0, "\(result)")
                #expect(try mode(ferry.file("\(mask)/b/file.bin")) == file)
                #expect(try mode(ferry.file("\(mask)/b")) == folder)
                #expect(try mode(ferry.file(mask)) == folder)
            }
        }
    }

    @Test func `the daemon's own files are its user's alone, and it is in no folder of a client's`() async throws {
        try await withDaemon(OriginScript(body)) { ferry, origin in
            #expect(try await run(["get", origin.url()], umask: "000", ferry).status == 0)
            let state = ferry.home + "/state"
            let names = try FileManager.default.contentsOfDirectory(atPath: state)
            #expect(names.contains("journal.sqlite"))
            for name in names { #expect(try mode("\(state)/\(name)").map { $0 & 0o077 } == 0, "\(name)") }
            let pid = try #require(ferry.daemons.first)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd") == "/")
        }
    }

    /// The first client's proxy and trust roots must not break the downloads of others.
    @Test func `proxies and authorities of the client that starts the daemon are not those of others`() async throws {
        try await withOrigin(OriginScript(body), tls: .trusted) { origin in
            try await withDaemon { ferry in
                let broken = ["all_proxy": "http://127.0.0.1:1", "SSL_CERT_FILE": "/nonexistent/ca.pem"]
                try await ferry.startDaemon(broken)
                let pid = try #require(ferry.daemons.first)
                let variables = try #require(FileManager.default.contents(atPath: "/proc/\(pid)/environ"))
                for name in broken.keys { #expect(variables.range(of: Data("\(name)=".utf8)) == nil) }
                let trusting = ["SSL_CERT_FILE": try #require(origin.caFile)]
                try ferry.expectWhole(body, after: await ferry.run(["get", origin.url()], environment: trusting))
            }
        }
    }

    @Test func `--cacert is whom one command trusts`() async throws {
        try await withOrigin(OriginScript(body), tls: .trusted) { origin in
            try await withDaemon { ferry in
                let file = try #require(origin.caFile)
                try ferry.expectWhole(body, after: await ferry.run(["get", "--cacert", file, origin.url()]))
                let other = try await ferry.run(["get", origin.url("/other")])
                #expect(other.status == 4, "\(other)")
            }
        }
    }

    @Test(arguments: [["add"], ["get"], ["add", "-i", "-"]])
    func `a file of certificates that cannot be read is named at once`(command: [String]) async throws {
        try await withDaemon { ferry in
            let list = command.contains("-i")
            let result = try await ferry.run(
                command + ["--cacert", "missing.pem"] + (list ? [] : ["https://localhost/"]),
                input: list ? "https://localhost/a\nhttps://localhost/b\n" : nil)
            #expect(result.status == 64, "\(result)")
            #expect(result.stderr.contains(ferry.file("missing.pem")), "\(result)")
            #expect(try await ferry.list().isEmpty)
        }
    }

    @Test func `a proxy's password is shown nowhere`() async throws {
        try await withDaemon(OriginScript(body)) { ferry, origin in
            try await ferry.startDaemon(["FERRY_LOG_LEVEL": "trace"])
            let proxy = "http://me:hidden@127.0.0.1:1"
            let result = try await ferry.run(["get", "--retries", "0", "--json", "--proxy", proxy, origin.url()])
            #expect(result.status == 3, "\(result)")
            let list = try await ferry.run(["list", "--json"])
            let id = try #require(try await ferry.list().first?.id)
            let page = try await ferry.run(["info", id])
            // It writes its last lines before it ends.
            #expect(try await ferry.run(["daemon", "stop"]).status == 0)
            for text in [result.stdout, result.stderr, list.stdout, page.stdout, ferry.log] {
                #expect(!text.contains("hidden"))
            }
        }
    }
}
