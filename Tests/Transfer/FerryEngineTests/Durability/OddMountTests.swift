import FerryCore
import FerryDisk
import FerryRules
import FerryTesting
import Foundation
import Testing
@testable import FerryEngine

/// Disks that are mounted anew, as another device or for another user, and file systems with numbers of their own.
@Suite(.timeLimit(.minutes(1))) struct `A file on any mount` {
    private static let body = SeededBody(seed: 92, size: 300_000)
    private static let received: Int64 = 150_000
    private static let script = OriginScript(body, .on(.request(1), .cut(after: received)))

    /// Other looks of the mount after the first attempt.
    private static let changes = [
        OddMount(device: 77), OddMount(owner: 4321), OddMount(device: 77, owner: 4321), OddMount(inodes: .ofLook),
        OddMount(inodes: .ofPath, device: 77, generation: 5),
    ]

    @Test(arguments: FaultyDisk.Renaming.allCases, OddMount.Inodes.allCases)
    func `is placed once, whatever its numbers and renames are`(
        renaming: FaultyDisk.Renaming, inodes: OddMount.Inodes
    ) async throws {
        for size in [9, 2 << 20] as [Int64] {
            let body = SeededBody(seed: 93, size: size)
            try await withEngine(OriginScript(body)) { harness, origin in
                harness.disk.setRenaming(renaming)
                harness.disk.setMount(OddMount(inodes: inodes))
                let history = await harness.transfer(harness.request(origin.url()))
                try harness.expectFile(history, body)
                #expect(origin.requests.count == 1)
                let placement = try #require(history.facts.placement)
                harness.disk.setMount(OddMount(inodes: inodes, device: 78, generation: 9))
                #expect(await harness.engine.files.isPlacedFileIntact(placement))
            }
        }
    }

    @Test(arguments: changes, [true, false])
    func `resumes after it was mounted anew`(mount: OddMount, isCrash: Bool) async throws {
        try await withEngine(Self.script) { harness, origin in
            if mount.inodes != .stored { harness.disk.setMount(OddMount(inodes: mount.inodes)) }
            var facts = await harness.transfer(harness.request(origin.url()), tries: 1).facts
            #expect(facts.ranges == ByteRangeSet(0..<Self.received))
            if isCrash { facts.stamp = nil }
            harness.disk.setMount(mount)
            let history = await harness.transfer(harness.request(origin.url()), from: facts)
            try harness.expectFile(history, Self.body)
            #expect(origin.requests.last?.value("Range") == "bytes=\(Self.received)-")
            #expect(history.facts.startedOver == nil)
        }
    }

    @Test(arguments: [OddMount.Inodes.ofPath, .ofLook])
    func `starts over if a crash left other bytes, and removes them`(inodes: OddMount.Inodes) async throws {
        try await withEngine(Self.script) { harness, origin in
            harness.disk.setMount(OddMount(inodes: inodes))
            var facts = await harness.transfer(harness.request(origin.url()), tries: 1).facts
            facts.stamp = nil
            let file = try #require(FileHandle(forUpdatingAtPath: harness.path(EngineHarness.partialName)))
            try file.seek(toOffset: 70_000)
            try file.write(contentsOf: Data("other".utf8))
            try file.close()
            let history = await harness.transfer(harness.request(origin.url()), from: facts)
            try harness.expectFile(history, Self.body)
            #expect(origin.requests.last?.value("Range") == nil)
        }
    }

    @Test(arguments: changes)
    func `is removed after it was mounted anew`(mount: OddMount) async throws {
        try await withEngine(Self.script) { harness, origin in
            if mount.inodes != .stored { harness.disk.setMount(OddMount(inodes: mount.inodes)) }
            let facts = await harness.transfer(harness.request(origin.url()), tries: 1).facts
            harness.disk.setMount(mount)
            try await harness.engine.files.removePartialFile(try #require(facts.partial))
            #expect(harness.contents.isEmpty)
        }
    }

    @Test func `of another user stays, though its name is that of a partial file`() async throws {
        try await withEngine(Self.script) { harness, origin in
            let facts = await harness.transfer(harness.request(origin.url()), tries: 1).facts
            let partial = try #require(facts.partial)
            let folder = try harness.disk.openFolder(harness.folder)
            let found = try #require(try harness.disk.identity(of: partial.name, in: folder))
            let evidence = PartialEvidence(recorded: partial, stamp: facts.stamp, durable: Self.received)
            #expect(evidence.verdict(on: found, isOwn: true) == .recorded)
            #expect(evidence.verdict(on: found, isOwn: false) == .foreign)
            #expect(harness.contents == [partial.name])
        }
    }

    // MARK: Placeholders

    @Test(arguments: [true, false])
    func `replaces its placeholder after a crash, and no other empty file`(isPlaceholder: Bool) async throws {
        try await withEngine(OriginScript(Self.body)) { harness, origin in
            harness.disk.setRenaming(.withoutFlags)
            harness.disk.fail(.rename, EIO, times: 1)
            let facts = await harness.transfer(harness.request(origin.url()), tries: 1).facts
            #expect(facts.placement != nil)
            try harness.put("file.bin", "")
            let mark = Placeholder.mark(for: EngineHarness.partialName)
            if isPlaceholder {
                let date = Date(timeIntervalSince1970: Double(mark))
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: harness.path("file.bin"))
            }
            let history = await harness.transfer(harness.request(origin.url()), from: facts)
            if isPlaceholder {
                try harness.expectFile(history, Self.body)
            } else {
                try harness.expectFile(history, Self.body, name: "file-1.bin", among: ["file.bin"])
            }
        }
    }

    @Test func `leaves no placeholder when its transfer is removed`() async throws {
        try await withEngine(OriginScript(Self.body)) { harness, origin in
            harness.disk.fail(.rename, EIO, times: 1)
            let facts = await harness.transfer(harness.request(origin.url()), tries: 1).facts
            try harness.put("file.bin", "")
            let date = Date(timeIntervalSince1970: Double(Placeholder.mark(for: EngineHarness.partialName)))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: harness.path("file.bin"))
            let left = Leftovers(
                id: EngineHarness.id, partial: facts.partial, copy: nil, placed: nil, intended: facts.placement,
                partialFolder: harness.folder)
            #expect(await harness.engine.files.remove([left]).isEmpty)
            #expect(harness.contents.isEmpty)
        }
    }

    // MARK: Replacing

    @Test(arguments: FaultyDisk.Renaming.allCases, [9, 2 << 20] as [Int64])
    func `replaces another one`(renaming: FaultyDisk.Renaming, size: Int64) async throws {
        let body = SeededBody(seed: 94, size: size)
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.setRenaming(renaming)
            try harness.put("file.bin")
            let request = harness.request(origin.url()) { $0.file.onConflict = .replace }
            try harness.expectFile(await harness.transfer(request), body)
        }
    }

    /// Leaves the state of a crash between the two renames of a replacement.
    private static func interrupted(_ harness: EngineHarness, _ origin: ScriptedOrigin) async throws
        -> (TransferRequest, TransferFacts)
    {
        let request = harness.request(origin.url()) { $0.file.onConflict = .replace }
        harness.disk.fail(.rename, EIO, times: 1)
        let facts = await harness.transfer(request, tries: 1).facts
        #expect(facts.placement != nil)
        try harness.put(EngineHarness.partialName + ".old")
        return (request, facts)
    }

    @Test func `replaces another one after a crash`() async throws {
        try await withEngine(OriginScript(Self.body)) { harness, origin in
            let (request, facts) = try await Self.interrupted(harness, origin)
            try harness.expectFile(await harness.transfer(request, from: facts), Self.body)
        }
    }

    @Test func `with two names after a crash has one`() async throws {
        try await withEngine(OriginScript(Self.body)) { harness, origin in
            harness.disk.fail(.rename, EIO, times: 1)
            let facts = await harness.transfer(harness.request(origin.url()), tries: 1).facts
            let partial = harness.path(EngineHarness.partialName)
            try FileManager.default.linkItem(atPath: partial, toPath: harness.path("file.bin"))
            try harness.expectFile(await harness.transfer(harness.request(origin.url()), from: facts), Self.body)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `gives the old one its name back when its transfer is removed`() async throws {
        try await withEngine(OriginScript(Self.body)) { harness, origin in
            let (_, facts) = try await Self.interrupted(harness, origin)
            let left = Leftovers(
                id: EngineHarness.id, partial: facts.partial, copy: nil, placed: nil, intended: facts.placement,
                partialFolder: harness.folder)
            #expect(await harness.engine.files.remove([left]).isEmpty)
            #expect(harness.contents == ["file.bin"])
            #expect(harness.text("file.bin") == "old")
        }
    }

    // MARK: Mount points

    @Test(arguments: [Mount(point: "/", type: 2), Mount(point: "/mnt/usb", type: 1, id: 8)])
    func `waits for its disk, and writes nothing elsewhere`(below: Mount) async throws {
        try await withEngine(Self.script) { harness, origin in
            var usb = OddMount()
            usb.shown = Mount(point: "/mnt/usb", type: 1, id: 7)
            harness.disk.setMount(usb)
            let facts = await harness.transfer(harness.request(origin.url()), tries: 1).facts
            let partial = harness.path(EngineHarness.partialName)
            try FileManager.default.moveItem(atPath: partial, toPath: harness.outside.file("kept"))
            var unmounted = OddMount()
            unmounted.shown = below
            harness.disk.setMount(unmounted)
            let waiting = await harness.transfer(harness.request(origin.url()), from: facts, tries: 1)
            #expect(waiting.codes == [.destinationUnwritable])
            #expect(waiting.errors.first?.errorClass == .wait)
            #expect(waiting.facts.ranges == facts.ranges)
            #expect(harness.contents.isEmpty)
            #expect(origin.requests.count == 1)
            try FileManager.default.moveItem(atPath: harness.outside.file("kept"), toPath: partial)
            harness.disk.setMount(usb)
            let history = await harness.transfer(harness.request(origin.url()), from: waiting.facts)
            try harness.expectFile(history, Self.body)
            #expect(origin.requests.last?.value("Range") == "bytes=\(Self.received)-")
        }
    }

    @Test(arguments: [9, 2 << 20] as [Int64], [true, false])
    func `waits for its disk before its first byte`(size: Int64, isShort: Bool) async throws {
        let body = SeededBody(seed: 95, size: size)
        try await withEngine(OriginScript(body)) { harness, origin in
            var usb = OddMount()
            usb.shown = Mount(point: "/mnt/usb", type: 1, id: 7)
            harness.disk.setMount(usb)
            await harness.engine.places.noteSubmission(to: harness.folder)
            var unmounted = OddMount(device: 99)
            unmounted.shown = Mount(point: "/", type: 2)
            harness.disk.setMount(unmounted)
            let waiting = await harness.transfer(harness.request(origin.url()), tries: 1) {
                if isShort { EngineHarness.expectShort(&$0) }
            }
            #expect(waiting.codes == [.destinationUnwritable])
            #expect(waiting.errors.first?.errorClass == .wait)
            #expect(harness.contents.isEmpty)
            #expect(origin.requests.count == (isShort ? 1 : 0))
            harness.disk.setMount(usb)
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
        }
    }

    // MARK: Limits

    @Test func `that is always replaced at the end ends its transfer`() async throws {
        try await withEngine(OriginScript(Self.body)) { harness, origin in
            harness.disk.before(.rename) {
                for name in harness.contents where harness.text(name) != "other" {
                    try? FileManager.default.removeItem(atPath: harness.path(name))
                    try? harness.put(name, "other")
                }
            }
            let history = await harness.transfer(harness.request(origin.url()), tries: 50)
            #expect(history.failure?.code == .partialLost)
            #expect(origin.requests.count < 10)
        }
    }
}
