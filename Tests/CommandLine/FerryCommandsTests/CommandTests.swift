import CommandKit
import FerryCore
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `Commands` {
    private static let good = "http://example.com/good"
    private static let bad = "http://example.com/bad"
    private static let worse = "http://example.com/worse"
    private static let ends: [String: Result<String, ServiceError>] = [
        good: .success("/home/me/good"),
        bad: .failure(ServiceError(.notFound, "The server has no such file.")),
        worse: .failure(ServiceError(.diskFull, "The disk is full.")),
    ]

    @Test(
        arguments: [
            ([good], 0), ([bad], 5), ([good, worse, bad], 9), ([good, bad, worse], 5),
        ] as [([String], Int32)])
    func `E1 get ends with the status of the first transfer that failed`(urls: [String], status: Int32) async {
        let console = RecordingConsole(files: ["list": urls.joined(separator: "\n")])
        #expect(await ferry("get", "-i", "list", daemon: FakeDaemon(ends: Self.ends), console: console) == status)
        #expect(console.output.isEmpty)
    }

    @Test func `get says where the file is`() async {
        let console = RecordingConsole()
        #expect(await ferry("get", Self.good, daemon: FakeDaemon(ends: Self.ends), console: console) == 0)
        #expect(console.talk.contains("saved: /home/me/good (1.0 MiB)"))
    }

    @Test func `get gives up after five attempts and add leaves that to the daemon`() async {
        let daemon = FakeDaemon(ends: Self.ends)
        _ = await ferry("get", Self.good, daemon: daemon)
        _ = await ferry("add", Self.good, daemon: daemon)
        _ = await ferry("get", Self.good, "--retries", "9", daemon: daemon)
        #expect(daemon.requests.map(\.timing.retries) == [5, nil, 9])
        #expect(daemon.requests.map(\.timing.retryRule) == [RetryRule(unreachableRetries: 2), nil, nil])
    }

    @Test func `E1 an interrupted get pauses its transfers and says how to resume`() async {
        let console = RecordingConsole(signals: [.interrupt])
        let daemon = FakeDaemon()
        #expect(await ferry("get", Self.good, daemon: daemon, console: console) == 130)
        #expect(daemon.actions == [.pause])
        #expect(console.talk.contains("ferry resume 0000000000000001"))
    }

    @Test func `SIGTERM leaves the transfers of a get running`() async {
        let daemon = FakeDaemon()
        #expect(await ferry("get", Self.good, daemon: daemon, console: RecordingConsole(signals: [.terminate])) == 143)
        #expect(daemon.actions.isEmpty)
    }

    @Test func `add prints one id a line and says what was refused`() async {
        let console = RecordingConsole()
        let daemon = FakeDaemon(refusals: [Self.bad: ServiceError(.destinationUnwritable, "The folder is read-only.")])
        #expect(await ferry("add", Self.good, Self.bad, Self.worse, daemon: daemon, console: console) == 10)
        #expect(console.output == "0000000000000001\n0000000000000002\n")
        #expect(console.talk == "ferry: \(Self.bad): The folder is read-only. (destination_unwritable)\n")
    }

    @Test func `add takes a file of URLs as a list, and says of it what it says of arguments`() async {
        let files = ["list": "# all\n\n \(Self.good)\t\r\n\(Self.bad)\n\(Self.worse)"]
        let console = RecordingConsole(files: files)
        let daemon = FakeDaemon(refusals: [Self.bad: ServiceError(.destinationUnwritable, "The folder is read-only.")])
        #expect(await ferry("add", "--paused", "-i", "list", daemon: daemon, console: console) == 10)
        #expect(await ferry("add", "--paused", "-i", "list", Self.good, daemon: daemon, console: console) == 10)
        #expect(
            daemon.requests.map(\.url) == [Self.good, Self.bad, Self.worse, Self.good, Self.good, Self.bad, Self.worse])
        #expect(daemon.requests.map(\.timing.paused) == Array(repeating: true, count: 7))
        #expect(console.output == (1...5).map { "000000000000000\($0)\n" }.joined())
        let refusal = "ferry: \(Self.bad): Line 4 of “list”: The folder is read-only. (destination_unwritable)\n"
        #expect(console.talk == refusal + refusal)
    }

    @Test(
        arguments: [
            (["get"], "Nothing to fetch"), (["add"], "Nothing to fetch"),
            (["get", "-i", "empty"], "there is no URL in “empty”"), (["get", "-i", "gone"], "cannot be read"),
            (["get", "-o", "x", "http://a/1", "http://a/2"], "-o names one file"),
            (["get", "-o", "x", "-i", "two"], "-o names one file"),
            (["get", "http://a/1", "--limit-rate", "fast"], "fast"),
            (["get", "http://a/1", "--connections", "0"], "“0” is not a number from 1 to 64"),
            (["add", "http://a/1", "--connections", "65"], "“65” is not a number from 1 to 64"),
            (["get", "http://a/1", "-x", "many"], "“many” is not a number from 1 to 64"),
            (["get", "http://a/1", "-x", "-1"], "“-1” is not a number from 1 to 64"),
            (["get", "--mirror", "http://b/1", "http://a/1", "http://a/2"], "--mirror is for one file"),
            (["get", "--mirror", "http://b/1", "-i", "two"], "--mirror is for one file"),
            (["get", "http://a/1", "--on-conflict", "maybe"], "maybe"),
            (["get", "http://a/1", "--checksum", "x"], "checksum"),
            (["pause"], "--all"), (["pause", "--all", "0000000000000001"], "not both"), (["frobnicate"], "frobnicate"),
            (["list", "--state", "odd"], "odd"), (["list", "--limit", "0"], "--limit"),
        ])
    func `E1 a usage error has status 64 and a sentence`(arguments: [String], sentence: String) async {
        let console = RecordingConsole(files: ["empty": "# nothing\n", "two": "http://a/1\nhttp://a/2"])
        let context = CommandContext(console: console, environment: [:], currentFolder: "/") { FakeDaemon() }
        #expect(await FerryProgram.run(arguments, in: context) == 64)
        #expect(console.talk.contains(sentence))
        #expect(console.output.isEmpty)
    }

    @Test(arguments: [["info", "12"], ["info", "00000000000000ff"], ["wait", "xyz"], ["pause", "00000000000000ff"]])
    func `an unknown id has status 15`(arguments: [String]) async {
        let console = RecordingConsole()
        let context = CommandContext(console: console, environment: [:], currentFolder: "/") { FakeDaemon() }
        #expect(await FerryProgram.run(arguments, in: context) == 15)
        #expect(console.talk.contains("(unknown_transfer)"))
    }

    @Test func `an unreachable daemon has status 14`() async {
        let console = RecordingConsole()
        let context = CommandContext(console: console, environment: [:], currentFolder: "/") {
            throw ServiceError(.daemonUnreachable, "No daemon.")
        }
        #expect(await FerryProgram.run(["list"], in: context) == 14)
        #expect(console.talk == "ferry: No daemon. (daemon_unreachable)\n")
    }

    @Test func `the daemon's status has its process and its transfers`() async {
        let console = RecordingConsole()
        #expect(await ferry("daemon", "status", "--json", console: console) == 0)
        #expect(console.output.contains(#""pid":42"#))
        #expect(console.output.contains(#""transfers":{"running":2}"#))
    }

    @Test func `without a daemon its status is 14`() async {
        let console = RecordingConsole()
        #expect(await ferry("daemon", "status", "--json", daemon: FakeDaemon(isRunning: false), console: console) == 14)
        #expect(console.output == #"{"pid":null,"transfers":{},"version":null}"# + "\n")
    }

    @Test func `list prints a table, or JSON with one element a line`() async {
        let daemon = FakeDaemon()
        _ = await ferry("add", Self.good, Self.bad, daemon: daemon)
        let table = RecordingConsole()
        #expect(await ferry("list", daemon: daemon, console: table) == 0)
        #expect(table.output.hasPrefix("0000000000000001  running  25%  4.0 MiB  1.0 MiB/s  0:03  "))
        let json = RecordingConsole()
        #expect(await ferry("list", "--json", daemon: daemon, console: json) == 0)
        #expect(json.output.split(separator: "\n").count == 4)
        #expect(json.output.contains(#""bytes_received":1048576"#))
    }

    /// A damaged journal that was set aside shows as an empty list.
    @Test func `an empty list comes with what the daemon found at its start`() async {
        let daemon = FakeDaemon(warnings: ["The journal\nwas damaged."])
        let console = RecordingConsole()
        #expect(await ferry("list", "--json", daemon: daemon, console: console) == 0)
        #expect(console.output == "[]\n")
        #expect(console.talk == "ferry: Warning: The journal\\u{a}was damaged.\n")
        _ = await ferry("add", Self.good, daemon: daemon)
        let other = RecordingConsole()
        #expect(await ferry("list", daemon: daemon, console: other) == 0)
        #expect(other.talk.isEmpty)
    }

    @Test func `the version is printed`() async {
        let console = RecordingConsole()
        #expect(await ferry("--version", console: console) == 0)
        #expect(console.output == FerryVersion.current + "\n")
    }
}
