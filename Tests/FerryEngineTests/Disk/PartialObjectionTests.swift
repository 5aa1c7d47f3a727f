import Testing

@testable import FerryEngine

@Suite struct `Files that a transfer goes on with` {
    private func file(
        _ kind: FileIdentity.Kind = .regular, size: Int64 = 100, links: UInt64 = 1, owner: UInt32 = 1000
    ) -> FileIdentity {
        FileIdentity(
            kind: kind, device: 1, inode: 2, size: size, links: links, owner: owner, mode: 0o600, modified: 0,
            changed: 0)
    }

    private func reason(_ found: FileIdentity?) -> String? {
        PartialObjection(to: found, after: 100, user: 1000)?.reason
    }

    @Test func `are regular, of one name, the user's own and long enough`() {
        #expect(reason(file()) == nil)
        #expect(reason(file(size: 101)) == nil)
        #expect(reason(nil) == "is gone")
        #expect(reason(file(.link)) == "is a symbolic link")
        #expect(reason(file(.folder)) == "is a folder")
        #expect(reason(file(.other)) == "is no regular file")
        #expect(reason(file(owner: 0)) == "belongs to user 0, not to user 1000")
        #expect(reason(file(links: 2))?.contains("has 2 names") == true)
        #expect(reason(file(size: 99))?.contains("has 99 bytes") == true)
    }
}
