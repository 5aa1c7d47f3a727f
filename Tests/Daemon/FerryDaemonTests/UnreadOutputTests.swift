import FerryClient
import FerryCore
import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct `Commands whose output nobody reads` {
    private static let body = SeededBody(seed: 12, size: 100)

    /// Otherwise the command would block in its write, and only the second signal would end it.
    @Test(arguments: ["watch", "get"], [SIGTERM, SIGINT])
    func `the first signal ends a command that waits for room in a pipe`(_ command: String, signal: Int32) async throws
    {
        let script = OriginScript(Self.body, .on(.path("/held"), .hold("held", at: .head)))
        try await withDaemon(script) { ferry, origin in
            try await ferry.startDaemon()
            var arguments = [command, "--json"]
            if command == "get" {
                arguments = [command, origin.url("/held")]
                arguments += (0..<200).map { origin.url("/\($0)-\(String(repeating: "x", count: 60))") }
            } else {
                try await ferry.withClient { client in
                    let requests = (0..<60).map { number in
                        var request = TransferRequest(url: origin.url("/\(number)"), folder: ferry.folder)
                        request.timing.paused = true
                        return request
                    }
                    _ = try await client.submit(requests)
                }
            }
            let pipe = try UnreadPipe(ferry.file("pipe"))
            // The stream to which the command writes while it waits.
            let stream = command == "get" ? 2 : 1
            let words = #"exec "$0" "$@" \#(stream)>"$PIPE" \#(3 - stream)>/dev/null"#
            let child = try ferry.spawnApp(
                ["-c", words, BuiltProgram.ferry.path()] + arguments, environment: ["PIPE": pipe.path],
                program: "/bin/sh")
            try await eventually("something is written") { pipe.hasBytes }
            pipe.fill()
            child.send(signal)
            #expect(await child.result().status == 128 + signal)
            pipe.close()
            origin.release("held")
        }
    }
}

/// A named pipe that is open at both ends and that no process reads.
private struct UnreadPipe {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        guard unsafe mkfifo(path, 0o600) == 0 else { throw TestingError("no pipe at \(path)") }
        descriptor = unsafe open(path, O_RDWR | O_NONBLOCK)
        guard descriptor >= 0 else { throw TestingError("\(path) cannot be opened") }
        // F_SETPIPE_SZ with the minimum size, so that a few lines fill the pipe.
        _ = fcntl(descriptor, 1031, 4096)
    }

    var hasBytes: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&polled, 1, 0) == 1
    }

    /// Fills the pipe completely.
    func fill() {
        var byte = UInt8(ascii: " ")
        while unsafe write(descriptor, &byte, 1) == 1 {}
    }

    func close() { _ = Glibc.close(descriptor) }
}
