import FerryAPI
import FerryCore
import FerryFoundation
import FerrySystem
import Glibc

/// The problems of an installation, with advice.
package struct Diagnosis: Sendable {
    /// The result of one check.
    package struct Finding: Hashable, Encodable, Sendable {
        package enum Verdict: String, Codable, Sendable {
            case fine = "ok"
            /// Possibly surprising, but Ferry works.
            case remark
            /// Transfers fail until it is fixed.
            case problem
        }

        package let verdict: Verdict
        package let topic: String
        /// The result in words. Includes advice unless everything is fine.
        package let text: String
    }

    package private(set) var findings: [Finding] = []

    /// Whether transfers fail until something is fixed.
    package var hasProblems: Bool { findings.contains { $0.verdict == .problem } }

    package init(of facts: InstallationFacts) {
        judgeProgram(facts)
        judgeFolders(facts)
        judgeDaemon(facts.daemon)
        for room in facts.rooms { judge(room) }
        judgeClock(facts)
        judgeNames(facts)
        judgeNetwork(facts)
        judgeProxies(facts)
        judgeSuffixes(facts)
        judgeCertificates(facts)
    }

    private mutating func add(_ verdict: Finding.Verdict, _ topic: String, _ text: String) {
        findings.append(Finding(verdict: verdict, topic: topic, text: text))
    }

    // MARK: Ferry's own parts

    private mutating func judgeProgram(_ facts: InstallationFacts) {
        switch facts.program {
        case .failure(let error): add(.problem, "program", error.message)
        case .success(let path):
            guard let run = facts.programRun, let fault = Self.fault(of: run) else {
                return add(.fine, "program", "The daemon's program is \(path).")
            }
            add(.problem, "program", "The daemon's program, \(path), cannot run: \(fault). Install Ferry again.")
        }
    }

    /// Why a program that should print its version does not, or `nil` if it does.
    private static func fault(of run: ProgramRun) -> String? {
        switch run.end {
        case .exited(0): return nil
        case .exited(let status): return run.firstLine ?? "it ended with status \(status)"
        case .killed(let signal): return "it was ended by signal \(signal)"
        case .late: return "it did not end within 10 s"
        case .notStarted(let code): return unsafe String(cString: strerror(code))
        }
    }

    private mutating func judgeFolders(_ facts: InstallationFacts) {
        switch facts.paths {
        case .failure(let error): add(.problem, "folders", error.message)
        case .success(let paths):
            for error in facts.distrust { add(.problem, "folders", error.message) }
            for obstacle in facts.obstacles { judge(obstacle, paths) }
            guard facts.distrust.isEmpty, !facts.obstacles.contains(where: { $0.purpose != .downloads }) else { return }
            add(.fine, "folders", "The journal and the log are in \(paths.stateFolder), the socket is \(paths.socket).")
        }
    }

    private mutating func judge(_ obstacle: Obstacle, _ paths: FerryPaths) {
        let (what, advice) =
            switch obstacle.purpose {
            case .state:
                (
                    "The daemon cannot write its journal in \(paths.stateFolder)",
                    "Correct HOME or the folder's owner, or let FERRY_HOME name another place."
                )
            case .socket:
                (
                    "The daemon cannot make its socket in \(paths.runtimeFolder)",
                    "Let XDG_RUNTIME_DIR or FERRY_HOME name a folder of yours."
                )
            case .downloads: ("Downloads without -d cannot be written", "Go to another folder, or choose one with -d.")
            }
        let cause = unsafe String(cString: strerror(obstacle.errorNumber))
        let owner = obstacle.owner.map { ", which belongs to \($0)" } ?? ""
        add(
            obstacle.purpose == .downloads ? .remark : .problem, "folders",
            "\(what): \(obstacle.path)\(owner): \(cause). \(advice)")
    }

    private mutating func judgeDaemon(_ daemon: Result<ServiceStatus?, ServiceError>) {
        switch daemon {
        case .failure(let error): add(.problem, "daemon", error.message)
        case .success(nil): add(.fine, "daemon", "None runs; the first command that needs one starts it.")
        case .success(let status?):
            if status.version == FerryVersion.current {
                add(.fine, "daemon", "Version \(status.version) runs as process \(status.pid).")
            } else {
                add(
                    .remark, "daemon",
                    "Version \(status.version) runs as process \(status.pid), and this command is of version "
                        + "\(FerryVersion.current). Run ferry daemon stop; the next command starts the new one.")
            }
            for warning in status.warnings { add(.remark, "daemon", warning) }
        }
    }

    // MARK: The machine

    /// Free bytes below which the journal cannot grow, or a download can hardly begin.
    private static let leastRoom: Int64 = 16 << 20
    private static let littleRoom: Int64 = 512 << 20

    private mutating func judge(_ room: InstallationFacts.Room) {
        let mebibytes = "\(room.bytes >> 20) MiB are free for \(room.folder)."
        if room.files == 0 {
            add(.problem, "room", "No more files can be created on the file system of \(room.folder). Remove some.")
        } else if room.bytes < Self.leastRoom {
            add(.problem, "room", mebibytes + " Free some space, or choose another folder.")
        } else {
            let isLittle = room.bytes < Self.littleRoom
            let advice = " Large downloads will wait for space; free some, or choose another folder with -d."
            add(isLittle ? .remark : .fine, "room", isLittle ? mebibytes + advice : mebibytes)
        }
    }

    /// 2026-01-01. A clock that shows an earlier time is wrong.
    private static let earliest = Date(timeIntervalSince1970: 1_767_225_600)
    private static let day: TimeInterval = 86_400

    private mutating func judgeClock(_ facts: InstallationFacts) {
        let shown = facts.now.formatted(.iso8601)
        let advice = "Certificates and schedules depend on it. Set it, for example with timedatectl set-ntp true."
        if facts.now < Self.earliest {
            add(.problem, "clock", "The clock shows \(shown), a time in the past. \(advice)")
        } else if let lastUse = facts.lastUse, lastUse > facts.now + Self.day {
            let used = lastUse.formatted(.iso8601)
            add(.problem, "clock", "The clock shows \(shown), and Ferry was last used at \(used). \(advice)")
        } else {
            add(.fine, "clock", "The clock shows \(shown).")
        }
    }

    private mutating func judgeNames(_ facts: InstallationFacts) {
        let servers = facts.network.nameServers ?? 0
        switch (facts.network.resolvesNames, servers) {
        case (false, 0):
            add(
                .problem, "names",
                "Not even localhost resolves to an address, and /etc/resolv.conf names no server. "
                    + "Check /etc/hosts, /etc/nsswitch.conf and /etc/resolv.conf.")
        case (false, _):
            add(.remark, "names", "The name localhost does not resolve. Add it to /etc/hosts.")
        case (true, 0):
            add(
                .remark, "names",
                "/etc/resolv.conf names no server, so only names of this machine may resolve. "
                    + "Check the network settings if host names are unknown.")
        case (true, _):
            add(.fine, "names", "Host names are resolved, with \(servers) \(servers == 1 ? "server" : "servers").")
        }
    }

    private mutating func judgeNetwork(_ facts: InstallationFacts) {
        if let routes = facts.network.routes {
            let subnets = routes.subnets.map(\.description).sorted().joined(separator: ", ")
            if !routes.uplinks.isEmpty {
                add(.fine, "network", "There is a default route to other networks.")
            } else if subnets.isEmpty {
                add(
                    .remark, "network",
                    "There is no default route, and no interface has a subnet: only this machine is reached, and other transfers wait. Connect a network; ip route shows the routes."
                )
            } else {
                add(
                    .remark, "network",
                    "There is no default route: only hosts of \(subnets) are reached, and other transfers wait. ip route shows the routes."
                )
            }
        }
        for waiting in facts.network.waiting {
            let transfers = waiting.count == 1 ? "1 transfer waits" : "\(waiting.count) transfers wait"
            add(.remark, "waiting", "\(transfers) for \(waiting.sentence), such as \(waiting.example)")
        }
    }

    // MARK: The environment

    private mutating func judgeProxies(_ facts: InstallationFacts) {
        let environment = facts.environment
        for (name, value) in facts.proxies {
            do throws(ServiceError) {
                let proxy = try ProxyChoice(parsing: value)
                if let fault = facts.proxyFaults[name] {
                    add(
                        .problem, "proxy",
                        "\(name) is \(proxy.shown), which cannot be used: \(fault). Start the proxy, or unset the variable."
                    )
                } else {
                    add(.fine, "proxy", "\(name) is \(proxy.shown).")
                }
            } catch {
                add(.problem, "proxy", "\(name) cannot be used: \(error.message)")
            }
        }
        if let ignored = environment["HTTP_PROXY"], !ignored.isEmpty, environment["http_proxy"] == nil {
            add(.remark, "proxy", "HTTP_PROXY is ignored, as by curl. Set http_proxy in lowercase.")
        }
    }

    private mutating func judgeSuffixes(_ facts: InstallationFacts) {
        guard !facts.hasPublicSuffixes else { return }
        add(
            .remark, "cookies",
            "The list of public suffixes is missing, so a login's cookie is sent only to the host that set it. Install the package publicsuffix."
        )
    }

    private mutating func judgeCertificates(_ facts: InstallationFacts) {
        let variable = SystemRoots.variables.first { !(facts.environment[$0] ?? "").isEmpty }
        if let found = facts.authorities.first {
            add(.fine, "certificates", "The authorities of \(found) are trusted.")
        } else if let variable {
            let value = facts.environment[variable] ?? ""
            add(
                .problem, "certificates",
                "\(variable) is \(value), and no certificate can be read there. Correct the path, or unset the variable."
            )
        } else {
            add(
                .problem, "certificates",
                "The system's certificate authorities are missing, so no https server is trusted. "
                    + "Install the package ca-certificates.")
        }
    }
}
