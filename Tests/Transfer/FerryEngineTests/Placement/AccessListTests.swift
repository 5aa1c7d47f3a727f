import FerryCore
import FerryDisk
import FerryTesting
import Testing
@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `The default access list of a folder` {
    /// Entries of a tag and permissions, in the kernel's form.
    private static func list(_ entries: [(tag: UInt8, permissions: UInt8)]) -> [UInt8] {
        [2, 0, 0, 0] + entries.flatMap { [$0.tag, 0, $0.permissions, 0, 0, 0, 0, 0] }
    }

    @Test(
        arguments: [
            ([(1, 7), (4, 7), (0x20, 5)], 0o664), ([(1, 7), (4, 5), (0x20, 0)], 0o640),
            // The mask is the most that the group and named users get.
            ([(1, 7), (2, 7), (4, 5), (0x10, 7), (0x20, 4)], 0o664),
            ([(1, 6), (2, 7), (4, 7), (0x10, 4), (0x20, 0)], 0o640),
        ] as [([(tag: UInt8, permissions: UInt8)], UInt32)])
    func `decides about modes`(entries: [(tag: UInt8, permissions: UInt8)], mode: UInt32) {
        #expect(DefaultAccessList(Self.list(entries))?.applied(to: 0o666) == mode)
    }

    @Test(
        arguments: [
            [], [2, 0, 0, 0], [1, 0, 0, 0] + Array(list([(1, 7), (4, 7), (0x20, 5)]).dropFirst(4)),
            list([(1, 7), (4, 7)]), Array(list([(1, 7), (4, 7), (0x20, 5)]).dropLast()),
        ] as [[UInt8]])
    func `in another form is ignored`(bytes: [UInt8]) { #expect(DefaultAccessList(bytes) == nil) }

    @Test(arguments: [9, 2 << 20] as [Int64])
    func `gives a file its mode in place of the umask`(size: Int64) async throws {
        let body = SeededBody(seed: 97, size: size)
        try await withEngine(OriginScript(body)) { harness, origin in
            let folder = try harness.disk.openFolder(harness.folder)
            let list = String(decoding: Self.list([(1, 7), (4, 7), (0x20, 5)]), as: UTF8.self)
            guard try harness.disk.setAttribute(DefaultAccessList.attribute, list, of: folder) else { return }
            let request = harness.request(origin.url()) { $0.file.umask = FileMask(0o022) }
            try harness.expectFile(await harness.transfer(request), body)
            #expect(try harness.mode("file.bin") == 0o664)
        }
    }
}
