import FerryCore
import Testing

@Suite struct `Trust in a path` {
    private static let user: UInt32 = 1000

    private func part(
        _ path: String, _ kind: PathFacts.Kind = .folder, owner: UInt32 = 0, mode: UInt32 = 0o755
    ) -> PathFacts {
        PathFacts(path: path, kind: kind, owner: owner, mode: mode)
    }

    private func refusal(_ parts: PathFacts..., endingIn end: PathTrust.End) -> String? {
        let error = PathTrust(user: Self.user).refusal(of: parts, endingIn: end)
        #expect(error == nil || error?.code == .daemonUnreachable)
        return error?.message
    }

    @Test(
        arguments: [
            (0, 0o755, nil), (1000, 0o700, nil), (1000, 0o755, nil), (0, 0o1777, nil), (1000, 0o1777, nil),
            (1001, 0o700, "belongs to user 1001"), (1001, 0o1777, "belongs to user 1001"),
            (1000, 0o775, "chmod go-w"), (1000, 0o757, "chmod go-w"), (0, 0o777, "chmod go-w"),
        ] as [(UInt32, UInt32, String?)])
    func `a folder above is root's or the user's own, and others may write only where it is sticky`(
        owner: UInt32, mode: UInt32, says: String?
    ) throws {
        let message = refusal(
            part("/"), part("/way", owner: owner, mode: mode), part("/way/run", owner: Self.user, mode: 0o700),
            part("/way/run/s", .socket, owner: Self.user, mode: 0o600), endingIn: .socket)
        guard let says else { return #expect(message == nil) }
        #expect(try #require(message).contains(says))
        #expect(message?.contains("/way") == true)
    }

    @Test(
        arguments: [
            (.socket, 1000, 0o600, nil), (.socket, 1000, 0o755, nil), (.socket, 1001, 0o600, "belongs to user 1001"),
            (.socket, 0, 0o600, "belongs to user 0, not to user 1000"), (.socket, 1000, 0o666, "chmod 600"),
            (.socket, 1000, 0o660, "chmod 600"), (.link, 1000, 0o777, "is no socket"),
            (.other, 1000, 0o600, "is no socket"), (.folder, 1000, 0o700, "is no socket"),
        ] as [(PathFacts.Kind, UInt32, UInt32, String?)])
    func `the socket itself is the user's own`(
        kind: PathFacts.Kind, owner: UInt32, mode: UInt32, says: String?
    ) throws {
        // Beside the entries of others, as in /tmp: only its owner can replace it.
        let message = refusal(
            part("/"), part("/tmp", mode: 0o1777), part("/tmp/s", kind, owner: owner, mode: mode), endingIn: .socket)
        guard let says else { return #expect(message == nil) }
        #expect(try #require(message).contains(says))
    }

    @Test(
        arguments: [
            (.folder, 1000, 0o700, nil), (.folder, 1000, 0o755, nil), (.folder, 0, 0o700, "belongs to user 0"),
            (.folder, 1000, 0o1777, "chmod 700"), (.folder, 1000, 0o770, "chmod 700"),
            (.link, 1000, 0o777, "is no folder"), (.other, 1000, 0o600, "is no folder"),
        ] as [(PathFacts.Kind, UInt32, UInt32, String?)])
    func `a folder at the end is the user's own, and sticky does not help`(
        kind: PathFacts.Kind, owner: UInt32, mode: UInt32, says: String?
    ) throws {
        let message = refusal(part("/"), part("/end", kind, owner: owner, mode: mode), endingIn: .folder)
        guard let says else { return #expect(message == nil) }
        #expect(try #require(message).contains(says))
    }

    @Test(arguments: [(0o775, true, true), (0o775, false, false), (0o777, true, false), (0o757, true, false)])
    func `a group that has no member but the owner is the owner`(mode: Int, isPrivate: Bool, passes: Bool) {
        var home = part("/home", owner: Self.user, mode: UInt32(mode))
        home.isGroupPrivate = isPrivate
        let end = part("/home/run", owner: Self.user, mode: 0o700)
        #expect((refusal(part("/"), home, end, endingIn: .folder) == nil) == passes)
    }

    @Test func `a link on the way counts by its owner, whatever its mode says`() throws {
        let end = part("/real/s", .socket, owner: Self.user, mode: 0o600)
        #expect(
            refusal(part("/"), part("/l", .link, owner: 0, mode: 0o777), part("/real"), end, endingIn: .socket) == nil)
        let foreign = refusal(
            part("/"), part("/l", .link, owner: 7, mode: 0o777), part("/real"), end, endingIn: .socket)
        #expect(try #require(foreign).contains("/l, above Ferry's own files, belongs to user 7"))
    }

    @Test func `who listens is the user, and not even root`() {
        let trust = PathTrust(user: Self.user)
        #expect(trust.refusal(ofListener: 1000, at: "/s") == nil)
        #expect(trust.refusal(ofListener: 0, at: "/s")?.message.contains("belongs to user 0") == true)
        #expect(trust.refusal(ofListener: 1001, at: "/s\n")?.message.contains("/s\\u{a} belongs to user 1001") == true)
    }

    @Test func `what is missing is judged by what is there`() {
        let trust = PathTrust(user: Self.user)
        #expect(trust.refusal(ofWay: [part("/"), part("/tmp", mode: 0o1777)]) == nil)
        #expect(trust.refusal(ofWay: [part("/"), part("/shared", owner: 1001, mode: 0o755)]) != nil)
        #expect(trust.refusal(ofWay: []) == nil)
    }
}
