import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Placement` {
    private let body = SeededBody(seed: 91, size: 300_000)
    private var midway: OriginScript { OriginScript(body, .on(.request(1), .hold("midway", at: .body(150_000)))) }

    // MARK: Conflicts

    @Test func `F6 CVE_2020_8177 unique takes the next free name`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("file.bin")
            try harness.put("file-1.bin")
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body, name: "file-2.bin", among: ["file.bin", "file-1.bin"])
            #expect(harness.text("file.bin") == "old")
        }
    }

    /// A regression: a numbered name got another number, as in `file-1-1.bin`.
    @Test func `a numbered name that was reserved and is taken since leads to the next number`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("file.bin")
            try harness.put("file-1.bin")
            var facts = TransferFacts()
            facts.destination = harness.path("file-1.bin")
            let history = await harness.transfer(harness.request(origin.url()), from: facts)
            try harness.expectFile(history, body, name: "file-2.bin", among: ["file.bin", "file-1.bin"])
        }
    }

    @Test func `F6 fail leaves the old file and nothing else`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("file.bin")
            let history = await harness.transfer(harness.request(origin.url()) { $0.file.onConflict = .fail })
            #expect(history.failure?.code == .destinationExists)
            #expect(harness.text("file.bin") == "old")
            #expect(harness.contents == ["file.bin"])
        }
    }

    @Test func `F6 skip has succeeded and keeps the old file`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("file.bin")
            let history = await harness.transfer(harness.request(origin.url()) { $0.file.onConflict = .skip })
            #expect(history.success?.unchanged == true)
            #expect(history.success?.path == harness.path("file.bin"))
            #expect(harness.text("file.bin") == "old")
            #expect(harness.contents == ["file.bin"])
        }
    }

    /// A regression: a rename replaced a device by a file.
    @Test(arguments: ConflictPolicy.allCases, [false, true])
    func `F6 a FIFO is never replaced, and its name is refused`(policy: ConflictPolicy, appearsLate: Bool) async throws
    {
        let script = appearsLate ? midway : OriginScript(body)
        try await withEngine(script) { harness, origin in
            let fifo = harness.path("file.bin")
            if !appearsLate { try #require(unsafe mkfifo(fifo, 0o600) == 0) }
            async let transferred = harness.transfer(harness.request(origin.url()) { $0.file.onConflict = policy })
            if appearsLate {
                await origin.waitForHold("midway")
                try #require(unsafe mkfifo(fifo, 0o600) == 0)
                origin.release("midway")
            }
            let history = await transferred
            #expect(history.failure?.code == .destinationExists, "\(history.errors)")
            #expect(history.failure?.message.contains("a device, a FIFO or a socket") == true)
            var facts = stat()
            #expect(unsafe lstat(fifo, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO)
            #expect(!harness.contents.contains("file-1.bin"))
            if !appearsLate { #expect(harness.contents == ["file.bin"]) }
        }
    }

    @Test func `F6 a small file and a renamed one replace no FIFO either`() async throws {
        let small = SeededBody(seed: 92, size: 1000)
        try await withEngine(OriginScript(small)) { harness, origin in
            try #require(unsafe mkfifo(harness.path("file.bin"), 0o600) == 0)
            let refused = await harness.transfer(harness.request(origin.url()) { $0.file.onConflict = .replace }) {
                EngineHarness.expectShort(&$0)
            }
            #expect(refused.failure?.code == .destinationExists, "\(refused.errors)")
            let other = await harness.transfer(harness.request(origin.url()) { $0.file.name = "other.bin" })
            let placement = try #require(other.facts.placement)
            let isRenamed = try await harness.engine.files.renamePlacedFile(placement, to: "file.bin", replacing: true)
            #expect(!isRenamed)
            #expect(harness.contents == ["file.bin", "other.bin"])
        }
    }

    @Test(arguments: [0o600, 0o640, 0o444])
    func `F6 F11 CVE_2022_32207 replace keeps the old file's mode`(mode: Int) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("file.bin", mode: mode)
            let history = await harness.transfer(harness.request(origin.url()) { $0.file.onConflict = .replace })
            try harness.expectFile(history, body)
            #expect(try harness.mode("file.bin") == mode)
        }
    }

    /// Downloaded contents must never run with the permissions of a program that they replace.
    @Test(arguments: [0o4755, 0o2755, 0o1755])
    func `F6 F11 replace does not keep setuid, setgid and sticky bits`(mode: Int) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("file.bin", mode: mode)
            try #require(try harness.mode("file.bin") == mode)
            let history = await harness.transfer(harness.request(origin.url()) { $0.file.onConflict = .replace })
            try harness.expectFile(history, body)
            #expect(try harness.mode("file.bin") == 0o755)
        }
    }

    @Test func `F6 replace takes a link's place and leaves its target`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("target")
            try harness.link("file.bin", to: harness.path("target"))
            let history = await harness.transfer(harness.request(origin.url()) { $0.file.onConflict = .replace })
            try harness.expectFile(history, body, among: ["target"])
            #expect(harness.target(ofLink: "file.bin") == nil)
            #expect(harness.text("target") == "old")
        }
    }

    @Test func `F6 replace never replaces a folder`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try FileManager.default.createDirectory(
                atPath: harness.path("file.bin"), withIntermediateDirectories: false)
            let history = await harness.transfer(harness.request(origin.url()) { $0.file.onConflict = .replace })
            #expect(history.failure?.code == .destinationExists)
            #expect(harness.contents == ["file.bin"])
        }
    }

    @Test func `F6 unique counts a link as a name that is taken`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.link("file.bin", to: harness.outside.file("nowhere"))
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body, name: "file-1.bin", among: ["file.bin"])
            #expect(harness.outside.contents == ["in"])
        }
    }

    @Test func `F7 a name that another transfer holds is taken`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.journal.take(harness.path("file.bin"))
            try harness.expectFile(
                await harness.transfer(harness.request(origin.url())), body, name: "file-1.bin")
            harness.journal.take(harness.path("other.bin"))
            let history = await harness.transfer(
                harness.request(origin.url("/other.bin")) { $0.file.onConflict = .replace })
            #expect(history.failure?.code == .destinationExists)
            #expect(harness.contents == ["file-1.bin"])
        }
    }

    /// Runs a transfer and an action once half of the body has arrived.
    private func transfer(
        _ harness: EngineHarness, _ origin: ScriptedOrigin, _ policy: ConflictPolicy = .unique,
        midway: () throws -> Void
    ) async throws -> History {
        let request = harness.request(origin.url()) { $0.file.onConflict = policy }
        async let history = harness.transfer(request)
        await origin.waitForHold("midway")
        await harness.journal.wait { $0.partial != nil }
        try midway()
        origin.release("midway")
        return await history
    }

    @Test func `F6 F8 a file that appears during the download is not overwritten`() async throws {
        try await withEngine(midway) { harness, origin in
            let history = try await transfer(harness, origin) { try harness.put("file.bin", "mine") }
            try harness.expectFile(history, body, name: "file-1.bin", among: ["file.bin"])
            #expect(harness.text("file.bin") == "mine")
        }
    }

    @Test func `F6 fail at placement keeps the whole file for another destination`() async throws {
        try await withEngine(midway) { harness, origin in
            let history = try await transfer(harness, origin, .fail) { try harness.put("file.bin", "mine") }
            #expect(history.failure?.code == .destinationExists)
            #expect(harness.text("file.bin") == "mine")
            #expect(history.facts.ranges == ByteRangeSet(0..<body.size))
            try FileManager.default.removeItem(atPath: harness.path("file.bin"))
            let again = await harness.transfer(
                harness.request(origin.url()) { $0.file.onConflict = .fail }, from: history.facts)
            try harness.expectFile(again, body)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `F6 skip at placement keeps the file that appeared`() async throws {
        try await withEngine(midway) { harness, origin in
            let history = try await transfer(harness, origin, .skip) { try harness.put("file.bin", "mine") }
            #expect(history.success?.unchanged == true)
            #expect(harness.text("file.bin") == "mine")
            #expect(harness.contents == ["file.bin"])
        }
    }

    @Test func `F6 replace at placement replaces the file that appeared`() async throws {
        try await withEngine(midway) { harness, origin in
            let history = try await transfer(harness, origin, .replace) {
                try harness.put("file.bin", "mine", mode: 0o600)
            }
            try harness.expectFile(history, body)
            #expect(try harness.mode("file.bin") == 0o600)
        }
    }

    @Test func `F6 replace never replaces a folder that appeared`() async throws {
        try await withEngine(midway) { harness, origin in
            let history = try await transfer(harness, origin, .replace) {
                try FileManager.default.createDirectory(
                    atPath: harness.path("file.bin"), withIntermediateDirectories: false)
            }
            #expect(history.success == nil)
            #expect(harness.contents.contains("file.bin"))
        }
    }

    @Test(arguments: FaultyDisk.Renaming.allCases)
    func `F8 a name that is taken at the last moment is not overwritten`(renaming: FaultyDisk.Renaming) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.setRenaming(renaming)
            harness.disk.before(.rename) {
                harness.disk.before(.rename, nil)
                try? harness.put("file.bin", "mine")
            }
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body, name: "file-1.bin", among: ["file.bin"])
            #expect(harness.text("file.bin") == "mine")
        }
    }

    @Test(arguments: FaultyDisk.Renaming.allCases)
    func `F8 a file is placed without the newest calls`(renaming: FaultyDisk.Renaming) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.setRenaming(renaming)
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
        }
    }

    @Test(arguments: FaultyDisk.Renaming.allCases)
    func `F10 CVE_2014_4877 a link planted at the final name is not followed`(
        renaming: FaultyDisk.Renaming
    ) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.setRenaming(renaming)
            harness.disk.before(.rename) {
                harness.disk.before(.rename, nil)
                try? harness.link("file.bin", to: harness.outside.file("planted"))
            }
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body, name: "file-1.bin", among: ["file.bin"])
            #expect(harness.outside.contents == ["in"])
        }
    }

    // MARK: Failures

    @Test func `a failed rename keeps the whole file, which the next attempt places`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.fail(.rename, EIO, times: 1)
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == [.placementFailed])
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `D1 a failed sync of the folder is no success`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.fail(.syncFolder, EIO, times: 1)
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == [.diskIO])
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `D1 intent comes before the rename and the folder's sync after it`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            let events = harness.disk.events
            let rename = try #require(events.firstIndex(of: .renamed("file.bin")))
            #expect(try #require(events.firstIndex(of: .folderSynced)) > rename)
            let intent = try #require(harness.journal.commits.first { $0.facts.placement != nil })
            #expect(intent.diskEvents <= rename)
            #expect(intent.facts.ranges == ByteRangeSet(0..<body.size))
            #expect(events[..<intent.diskEvents].contains(.syncEnded))
        }
    }

    @Test func `F10 a folder that was replaced during the download is not written to`() async throws {
        try await withEngine(midway) { harness, origin in
            let history = try await transfer(harness, origin) {
                try FileManager.default.moveItem(atPath: harness.folder, toPath: harness.outside.file("moved"))
                try FileManager.default.createDirectory(atPath: harness.folder, withIntermediateDirectories: false)
            }
            #expect(history.failure?.code == .destinationUnwritable)
            #expect(harness.contents == [])
        }
    }

    @Test func `F10 a folder that became a link elsewhere is not written to`() async throws {
        try await withEngine(midway) { harness, origin in
            let history = try await transfer(harness, origin) {
                try FileManager.default.moveItem(atPath: harness.folder, toPath: harness.outside.file("moved"))
                let elsewhere = harness.outside.file("elsewhere")
                try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
                try FileManager.default.createSymbolicLink(
                    atPath: harness.folder, withDestinationPath: elsewhere)
            }
            #expect(history.failure?.code == .destinationUnwritable)
            #expect(try FileManager.default.contentsOfDirectory(atPath: harness.outside.file("elsewhere")) == [])
        }
    }

    @Test func `F5 a folder that cannot be made is named before a byte is stored`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("taken")
            let history = await harness.transfer(
                harness.request(origin.url()) { $0.file.folder = harness.path("taken/below") })
            #expect(history.failure?.code == .destinationUnwritable)
            #expect(harness.contents == ["taken"])
        }
    }

    // MARK: The partial file

    @Test func `F9 CVE_2016_7098 the partial file is hidden and readable by its owner only`() async throws {
        try await withEngine(midway) { harness, origin in
            let history = try await transfer(harness, origin) {
                let mode = try harness.mode(EngineHarness.partialName)
                #expect(harness.contents == [EngineHarness.partialName])
                #expect(mode == 0o600)
            }
            try harness.expectFile(history, body)
        }
    }

    @Test func `F9 CVE_2014_4877 a link planted at the partial name is not followed`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let target = harness.outside.file("target")
            try Data("old".utf8).write(to: URL(filePath: target))
            try harness.link(EngineHarness.partialName, to: target)
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body, among: [EngineHarness.partialName])
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "old")
            #expect(harness.target(ofLink: EngineHarness.partialName) == target)
        }
    }

    @Test func `F9 F12 CVE_2022_27778 foreign partial files are left alone`() async throws {
        try await withEngine(OriginScript(body, always: .status(404))) { harness, origin in
            try harness.put("mine")
            try FileManager.default.linkItem(
                atPath: harness.path("mine"), toPath: harness.path(EngineHarness.partialName))
            try harness.put(".ferry-00000000000000ff.part")
            _ = await harness.transfer(harness.request(origin.url()))
            origin.script = OriginScript(body)
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(
                history, body, among: [EngineHarness.partialName, ".ferry-00000000000000ff.part", "mine"])
            #expect(harness.text("mine") == "old")
        }
    }

    @Test func `F12 removing a transfer's file removes that file alone`() async throws {
        try await withEngine(OriginScript(body, always: .cut(after: 100_000))) { harness, origin in
            let facts = await harness.transfer(harness.request(origin.url()), tries: 1).facts
            let partial = try #require(facts.partial)
            try FileManager.default.moveItem(
                atPath: harness.path(partial.name), toPath: harness.outside.file("moved"))
            try harness.put(partial.name, "somebody's")
            try await harness.engine.files.removePartialFile(partial)
            #expect(harness.text(partial.name) == "somebody's")
        }
    }

    // MARK: Attributes

    @Test func `F11 a new file has the usual mode and no execute bit`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            try harness.put("plain")
            let made = FileManager.default.createFile(atPath: harness.path("usual"), contents: nil)
            #expect(made)
            #expect(try harness.mode("file.bin") == (try harness.mode("usual")))
        }
    }

    @Test(arguments: [true, false])
    func `F11 remoteTime sets the server's time`(isOn: Bool) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.file.remoteTime = isOn })
            try harness.expectFile(history, body)
            let date = try FileManager.default.attributesOfItem(atPath: harness.path("file.bin"))[.modificationDate]
            let seconds = (date as? Date)?.timeIntervalSince1970
            #expect((seconds == Double(OriginResource.lastModifiedSeconds)) == isOn)
        }
    }

    /// A regression: the server's 304 was trusted, although it only refers to the server's own file.
    @Test func `F6 update fetches a file again whose bytes were changed in place`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let request = harness.request(origin.url()) { $0.file.onConflict = .update }
            let first = await harness.transfer(request)
            let existing = ExistingFile(
                placement: try #require(first.facts.placement), identity: try #require(first.facts.identity))
            let same = await harness.transfer(request) { $0.existing = existing }
            #expect(same.success?.unchanged == true)
            let file = try #require(FileHandle(forUpdatingAtPath: harness.path("file.bin")))
            try file.write(contentsOf: Data([~body.bytes[0]]))
            try file.close()
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: harness.path("file.bin"))
            let second = await harness.transfer(request) { $0.existing = existing }
            #expect(second.success?.unchanged == false)
            #expect(harness.fileBytes == body.bytes)
        }
    }
}
