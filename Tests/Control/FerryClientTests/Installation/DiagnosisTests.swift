import FerryAPI
import FerryCore
import FerrySystem
import FerryTesting
import Foundation
import Testing

@testable import FerryClient

@Suite(.timeLimit(.minutes(1))) struct `Faults of an installation` {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func facts(_ change: (inout InstallationFacts) -> Void = { _ in }) throws -> InstallationFacts {
        var facts = InstallationFacts(
            paths: .success(try FerryPaths(environment: ["FERRY_HOME": "/home/me/ferry"], userID: 1000)),
            program: .success("/usr/bin/ferryd"), daemon: .success(nil), now: now)
        facts.rooms = [.init(folder: "/home/me", bytes: 1 << 40, files: 1 << 20)]
        facts.network.nameServers = 1
        facts.authorities = ["/etc/ssl/certs/ca-certificates.crt"]
        change(&facts)
        return facts
    }

    /// A fault of an installation, and the expected diagnosis.
    struct Change: Sendable, CustomTestStringConvertible {
        let topic: String
        let words: String
        let apply: @Sendable (inout InstallationFacts) -> Void

        init(_ topic: String, _ words: String, _ apply: @escaping @Sendable (inout InstallationFacts) -> Void) {
            (self.topic, self.words, self.apply) = (topic, words, apply)
        }

        var testDescription: String { "\(topic): \(words)" }
    }

    private static func status(version: String = FerryVersion.current, warnings: [String] = []) -> ServiceStatus {
        ServiceStatus(version: version, pid: 42, startedAt: now, transfers: [:], lastEvent: 0, warnings: warnings)
    }

    @Test func `L15 is nothing where all is well`() throws {
        let diagnosis = Diagnosis(of: try Self.facts())
        #expect(!diagnosis.hasProblems)
        #expect(diagnosis.findings.map(\.verdict) == Array(repeating: .fine, count: 7))
        #expect(
            diagnosis.findings.map(\.topic)
                == ["program", "folders", "daemon", "room", "clock", "names", "certificates"])
    }

    @Test(
        arguments: [
            Change(
                "program", "no ferryd",
                { $0.program = .failure(ServiceError(.daemonUnreachable, "There is no ferryd.")) }),
            Change(
                "program", "libbroken.so.1: cannot open",
                {
                    $0.programRun = ProgramRun(
                        end: .exited(127), output: "ferryd: error while loading libbroken.so.1: cannot open\nmore\n")
                }),
            Change("program", "signal 11", { $0.programRun = ProgramRun(end: .killed(11)) }),
            Change("program", "10 s", { $0.programRun = ProgramRun(end: .late) }),
            Change(
                "folders",
                "its journal in /home/me/ferry/state: /home/me: Read-only file system. Correct HOME",
                { $0.obstacles = [Obstacle(.state, "/home/me", errorNumber: EROFS)] }),
            Change(
                "folders", "/run/user/1000, which belongs to root: Permission denied.",
                { $0.obstacles = [Obstacle(.socket, "/run/user/1000", errorNumber: EACCES, owner: "root")] }),
            Change(
                "folders", "too long", { $0.paths = .failure(ServiceError(.invalidRequest, "The path is too long.")) }),
            Change(
                "folders", "chmod",
                { $0.distrust = [ServiceError(.daemonUnreachable, "Others may write; run chmod.")] }),
            Change(
                "daemon", "silent", { $0.daemon = .failure(ServiceError(.daemonUnreachable, "The daemon is silent.")) }
            ),
            Change("room", "Free some space", { $0.rooms = [.init(folder: "/data", bytes: 1 << 20)] }),
            Change("room", "No more files", { $0.rooms = [.init(folder: "/data", bytes: 1 << 40, files: 0)] }),
            Change("clock", "past", { $0.now = Date(timeIntervalSince1970: 86_400) }),
            Change("clock", "last used", { $0.lastUse = now + 200_000 }),
            Change("names", "localhost", { ($0.network.resolvesNames, $0.network.nameServers) = (false, nil) }),
            Change("proxy", "https_proxy cannot be used", { $0.environment = ["https_proxy": "gopher://x"] }),
            Change(
                "proxy", "https_proxy is http://p:1, which cannot be used: it refuses connections",
                {
                    $0.environment = ["https_proxy": "http://me:secret@p:1"]
                    $0.proxyFaults = ["https_proxy": "it refuses connections"]
                }
            ),
            Change(
                "certificates", "SSL_CERT_FILE is /nowhere",
                { ($0.environment, $0.authorities) = (["SSL_CERT_FILE": "/nowhere"], []) }
            ),
            Change("certificates", "ca-certificates", { $0.authorities = [] }),
        ])
    func `L15 is one problem with what to do about it`(change: Change) throws {
        let problems = Diagnosis(of: try Self.facts(change.apply)).findings.filter { $0.verdict == .problem }
        #expect(problems.map(\.topic) == [change.topic])
        #expect(problems.first?.text.contains(change.words) ?? false, "\(problems)")
    }

    @Test(
        arguments: [
            Change("daemon", "version", { $0.daemon = .success(status(version: "0.0.1")) }),
            Change("daemon", "A row", { $0.daemon = .success(status(warnings: ["A row was damaged."])) }),
            Change("room", "free some", { $0.rooms = [.init(folder: "/data", bytes: 100 << 20)] }),
            Change("names", "Add it to /etc/hosts", { $0.network.resolvesNames = false }),
            Change("names", "no server", { $0.network.nameServers = 0 }),
            Change("names", "no server", { $0.network.nameServers = nil }),
            Change("network", "only this machine is reached", { $0.network.routes = NetworkRoutes() }),
            Change(
                "network", "only hosts of 192.168.7.0/24 are reached",
                {
                    var routes = NetworkRoutes()
                    routes.subnets = [Subnet(.v4(0xC0A8_0700), prefix: 24)]
                    $0.network.routes = routes
                }),
            Change(
                "waiting", "2 transfers wait for the network, such as 0000000000000001 http://h/.",
                {
                    $0.network.waiting = [
                        .init(
                            reason: .network, count: 2, example: "0000000000000001 http://h/.", sentence: "the network")
                    ]
                }),
            Change(
                "folders", "choose one with -d",
                { $0.obstacles = [Obstacle(.downloads, "/", errorNumber: EACCES, owner: "root")] }),
            Change("cookies", "Install the package publicsuffix", { $0.hasPublicSuffixes = false }),
            Change("proxy", "http_proxy in lowercase", { $0.environment = ["HTTP_PROXY": "http://proxy:1"] }),
        ])
    func `L15 may be worth a remark alone`(change: Change) throws {
        let diagnosis = Diagnosis(of: try Self.facts(change.apply))
        let remarks = diagnosis.findings.filter { $0.verdict == .remark }
        #expect(!diagnosis.hasProblems)
        #expect(remarks.map(\.topic) == [change.topic])
        #expect(remarks.first?.text.contains(change.words) ?? false, "\(remarks)")
    }

    @Test func `L15 a default route is fine`() throws {
        let diagnosis = Diagnosis(
            of: try Self.facts {
                var routes = NetworkRoutes()
                routes.uplinks = [2]
                $0.network.routes = routes
            })
        #expect(diagnosis.findings.first { $0.topic == "network" }?.verdict == .fine)
    }

    @Test func `L15 shows no password of a proxy`() throws {
        let diagnosis = Diagnosis(
            of: try Self.facts { $0.environment = ["https_proxy": "http://me:secret@proxy:3128"] })
        let proxy = diagnosis.findings.first { $0.topic == "proxy" }
        #expect(proxy?.text == "https_proxy is http://proxy:3128.")
        #expect(proxy?.verdict == .fine)
    }

    @Test func `L15 is found on this machine without a daemon`() async throws {
        try await withTemporaryFolder { temporary in
            let folder = temporary.path
            let facts = InstallationFacts.ofSystem(
                environment: ["FERRY_HOME": folder + "/home", "PATH": ""], currentFolder: folder, daemon: .success(nil),
                now: Date())
            #expect(facts.distrust.isEmpty)
            #expect(facts.rooms.map(\.folder) == [folder + "/home/state", folder])
            #expect(facts.rooms.allSatisfy { $0.bytes > 0 })
            #expect(facts.lastUse == nil)
            // The diagnosis created nothing.
            #expect(temporary.contents.isEmpty)
        }
    }
}

@Suite struct `A proxy that is looked at` {
    @Test func `is fine as long as it takes connections`() async throws {
        let server = try await ScriptedProxy.start(.silence)
        let proxy = try ProxyChoice(parsing: "http://127.0.0.1:\(server.port)")
        #expect(ProxyProbe.fault(of: proxy) == nil)
        await server.shutdown()
        #expect(ProxyProbe.fault(of: proxy) == "it refuses connections")
        #expect(try ProxyProbe.fault(of: ProxyChoice(parsing: "http://nowhere.invalid:1")) == "its name is unknown")
    }
}
