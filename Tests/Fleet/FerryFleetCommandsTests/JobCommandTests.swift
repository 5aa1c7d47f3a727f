import ArgumentParser
import FerryCommands
import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryFleetCommands

@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(2)))
struct `Commands for the jobs of a fleet` {
    @Test func `init and migrate do nothing the second time`() async throws {
        try await FleetBed.with(isInitialized: false) { bed in
            #expect(await bed.ferry("init").talk == "Created the schema ferry, version 2.\n")
            #expect(await bed.ferry("init").talk == "The schema ferry is up to date, version 2.\n")
            #expect(await bed.ferry("migrate").talk == "The schema ferry is up to date, version 2.\n")
            let doctor = await bed.ferry("doctor")
            #expect(doctor.output.contains("ferry fleet store set NAME FOLDER"), "\(doctor)")
        }
    }

    @Test func `add prints numbers in the order of the URLs, from a list too`() async throws {
        try await FleetBed.with { bed in
            let outcome = await bed.ferry(
                "add", "-i", "/list", "--to", bed.results + "/{host}", "--name", "{n}-{name}",
                files: ["/list": "https://b.example/x\nhttps://a.example/y\n"])
            #expect(outcome.status == 0 && outcome.talk.isEmpty, "\(outcome)")
            let numbers = outcome.lines.compactMap { Int($0) }
            #expect(numbers.count == 2 && numbers == numbers.sorted())
            let listed = await bed.ferry("list")
            #expect(
                listed.output.contains("/b.example/1-x\n") && listed.output.contains("/a.example/2-y\n"), "\(listed)")
        }
    }

    @Test func `pause, resume, cancel, retry and remove change the state`() async throws {
        try await FleetBed.with { bed in
            let id = try await bed.add("a")[0]
            func state() async -> String {
                let info = await bed.ferry("info", id)
                return info.lines.first { $0.hasPrefix("State") }?.split(separator: " ")[1].description ?? "gone"
            }
            for (verb, expected) in [
                ("pause", "paused"), ("resume", "waiting"), ("cancel", "canceled"), ("retry", "waiting"),
                ("remove", "gone"),
            ] {
                let outcome = await bed.ferry(verb, id)
                #expect(outcome.status == 0 && outcome.talk.isEmpty, "\(verb): \(outcome)")
                #expect(await state() == expected, "after \(verb)")
            }
        }
    }

    @Test func `a selection acts on every job of a state`() async throws {
        try await FleetBed.with { bed in
            let ids = try await bed.add("a", "b", "c")
            #expect(await bed.ferry("pause", ids[1]).status == 0)
            #expect(await bed.ferry("cancel", "--state", "waiting").status == 0)
            let canceled = await bed.ferry("list", "--state", "canceled")
            #expect(canceled.lines.count == 2 && !canceled.output.contains("/b\n"), "\(canceled)")
            #expect(await bed.ferry("remove", "--all").status == 0)
            #expect(await bed.ferry("list", "--all").talk == "No such jobs.\n")
        }
    }

    @Test func `wait has the exit status of the first failure`() async throws {
        try await FleetBed.with { bed in
            let ids = try await bed.add("a", "b")
            #expect(await bed.ferry("cancel", ids[1]).status == 0)
            let canceled = await bed.ferry("wait", ids[1])
            #expect(canceled.status == ErrorCode.canceled.row.exitStatus && canceled.isOneLine, "\(canceled)")
            #expect(await bed.ferry("cancel", ids[0]).status == 0)
            #expect(await bed.ferry("wait").status == 0, "nothing is unfinished")
        }
    }

    @Test func `status and info print JSON too`() async throws {
        try await FleetBed.with { bed in
            let id = try await bed.add("a")[0]
            let status = await bed.ferry("status", "--json")
            let decoded = try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any]
            let tenants = decoded?["tenants"] as? [[String: Any]]
            #expect(tenants?.first?["waiting"] as? Int == 1, "\(status)")
            let info = await bed.ferry("info", id, "--json")
            let job = try JSONSerialization.jsonObject(with: Data(info.output.utf8)) as? [String: Any]
            #expect(job?["state"] as? String == "waiting" && job?["destination"] as? String == bed.results + "/a")
        }
    }

    @Test func `texts of jobs move no cursor of the terminal`() async throws {
        try await FleetBed.with { bed in
            let id = try await bed.add("%1b[2J%07", policy: "unique")[0]
            for outcome in [await bed.ferry("list"), await bed.ferry("info", id), await bed.ferry("status")] {
                #expect(!outcome.output.contains("\u{1b}") && !outcome.output.contains("\u{7}"), "\(outcome)")
            }
        }
    }

    @Test func `an origin is limited, held and released`() async throws {
        try await FleetBed.with { bed in
            try await bed.add("a")
            let origin = "https://example.org"
            #expect(await bed.ferry("origin", "set", origin, "--at-once", "2").status == 0)
            #expect(await bed.ferry("origin", "hold", origin, "--seconds", "60").status == 0)
            let held = await bed.ferry("status")
            #expect(held.output.contains("https://example.org:443: 0 of 2 running, held for"), "\(held)")
            #expect(await bed.ferry("origin", "release", origin).status == 0)
            #expect(await !bed.ferry("status").output.contains("held for"))
        }
    }

    @Test(arguments: FleetCommand.allCommands.map(\.name))
    func `the help of each command ends with its exit statuses`(name: String) async throws {
        let help = await FleetBed.ferry(name.split(separator: " ").map(String.init) + ["--help"])
        #expect(help.status == 0 && help.output.contains("\n\nEXIT STATUS:\n"), "\(help)")
        #expect(!help.output.contains("). (default:"), "\(help)")
    }
}

extension FleetCommand {
    /// All commands with an action.
    static var allCommands: [(name: String, command: any FerrySubcommand.Type)] {
        func commands(of parent: any ParsableCommand.Type, _ words: String) -> [(String, any FerrySubcommand.Type)] {
            parent.configuration.subcommands.flatMap { child in
                let name = words + child._commandName
                if let command = child as? any FerrySubcommand.Type { return [(name, command)] }
                return commands(of: child, name + " ")
            }
        }
        return commands(of: FleetCommand.self, "").map { (name: $0.0, command: $0.1) }
    }
}
