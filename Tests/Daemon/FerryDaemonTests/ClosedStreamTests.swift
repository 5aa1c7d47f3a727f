import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct `Programs that lack something` {
    private static let body = SeededBody(seed: 45, size: 100_000)

    private static func programs() throws -> [String: String] { ["FERRY": try BuiltProgram.ferry.path()] }

    /// A regression: a socket with descriptor 2 was taken for the terminal, and the command never ended.
    @Test(arguments: ["2>&-", ">&- 2>&-", "<&- >&- 2>&-", "<&-"])
    func `end as usual without standard streams`(closing: String) async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let command = "exec \"$FERRY\" get -q \(origin.url("/file.bin")) \(closing)"
            let shell = try ferry.spawnApp(["-c", command], environment: Self.programs(), program: "/bin/sh")
            #expect(await shell.result().status == 0)
            #expect(try ferry.sha256("file.bin") == Self.body.sha256Hex)
        }
    }

    /// Foundation's write to standard error ends the process if the write fails.
    @Test func `ferryd says with a status why it cannot start, wherever its words go`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, _ in
            let full = try ferry.spawnApp(
                ["-c", "exec \"$FERRYD\" nonsense 2>/dev/full"], program: "/bin/sh")
            #expect(await full.result().status == 64)
        }
    }

    /// A regression: without a thread from the system, the process trapped or hung forever.
    @Test(.enabled(if: geteuid() == 0, "another user is needed")) func `ferryd does not start without threads`()
        async throws
    {
        try await withDaemon(OriginScript(Self.body)) { ferry, _ in
            // The user id 64123 has no other processes that count, and cannot read the home.
            let command = """
                cp "$FERRYD" /tmp/ferryd-$$ && chmod 755 /tmp/ferryd-$$ && \
                setpriv --reuid=64123 --clear-groups prlimit --nproc=8 env FERRY_HOME=/tmp/none-$$ /tmp/ferryd-$$; \
                status=$?; rm -f /tmp/ferryd-$$; exit $status
                """
            let result = await (try ferry.spawnApp(["-c", command], environment: Self.programs(), program: "/bin/sh"))
                .result()
            #expect(result.status == 14 && result.stderr.contains("ulimit -u"), "\(result)")
        }
    }
}
