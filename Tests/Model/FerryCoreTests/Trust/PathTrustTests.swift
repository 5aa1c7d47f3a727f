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
            (.socket, 1000, 0o660, "chmod 600"), (.link, 1000, 0o777, "is not a socket"),
            (.other, 1000, 0o600, "is not a socket"), (.folder, 1000, 0o700, "is not a socket"),
        ] as [(PathFacts.Kind, UInt32, UInt32, String?)])
    func `the socket itself is the user's own`(
        kind: PathFacts.Kind, owner: UInt32, mode: UInt32, says: String?
    ) throws {
        // Among other users' entries, as in /tmp: only its owner can replace it.
        let message = refusal(
            part("/"), part("/tmp", mode: 0o1777), part("/tmp/s", kind, owner: owner, mode: mode), endingIn: .socket)
        guard let says else { return #expect(message == nil) }
        #expect(try #require(message).contains(says))
    }

    @Test(
        arguments: [
            (.folder, 1000, 0o700, nil), (.folder, 1000, 0o755, nil), (.folder, 0, 0o700, "belongs to user 0"),
            (.folder, 1000, 0o1777, "chmod 700"), (.folder, 1000, 0o770, "chmod 700"),
            (.link, 1000, 0o777, "is not a folder"), (.other, 1000, 0o600, "is not a folder"),
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

    @Test func `the listener is the user, and not even root`() {
        let trust = PathTrust(user: Self.user)
        #expect(trust.refusal(ofListener: 1000, at: "/s") == nil)
        #expect(trust.refusal(ofListener: 0, at: "/s")?.message.contains("belongs to user 0") == true)
        #expect(trust.refusal(ofListener: 1001, at: "/s\n")?.message.contains("/s\\u{a} belongs to user 1001") == true)
    }

    @Test func `a missing path is judged by its existing parent`() {
        let trust = PathTrust(user: Self.user)
        #expect(trust.refusal(ofWay: [part("/"), part("/tmp", mode: 0o1777)]) == nil)
        #expect(trust.refusal(ofWay: [part("/"), part("/shared", owner: 1001, mode: 0o755)]) != nil)
        #expect(trust.refusal(ofWay: []) == nil)
    }

    // MARK: User namespaces

    private static let overflow: UInt32 = 65534

    /// A namespace that maps only the user, as `unshare --map-current-user` creates.
    private static let narrow = UserNamespace(map: "      1000       1000          1\n", overflow: "65534\n")

    @Test(
        arguments: [
            ("0 0 4294967295\n", nil), ("1000 1000 1\n", 65534), ("0 1000 1\n", 65534),
            ("         0       1000          1\n         1     100000      65536\n", nil),
            ("0 1000 1\n1 100000 65533\n", 65534), ("65534 1000 1\n", nil), ("", 65534), ("garbage\n", nil),
            ("0 0 -1\n", nil), ("4294967295 0 4294967295\n", 65534),
        ] as [(String, UInt32?)])
    func `the overflow uid is an unknown user unless the namespace has it as a user`(map: String, unknown: UInt32?) {
        #expect(UserNamespace(map: map, overflow: "65534\n").unknownUser == unknown)
        #expect(UserNamespace(map: map, overflow: "").unknownUser == nil)
    }

    @Test(
        arguments: [
            (.folder, 0o755, true), (.folder, 0o700, true), (.link, 0o777, true), (.folder, 0o775, false),
            (.folder, 0o757, false), (.folder, 0o1777, false), (.other, 0o755, false),
        ] as [(PathFacts.Kind, UInt32, Bool)])
    func `a path of an unknown user is like root's where only its owner may write`(
        kind: PathFacts.Kind, mode: UInt32, passes: Bool
    ) throws {
        var way = part("/way", kind, owner: Self.overflow, mode: mode)
        way.isGroupPrivate = true
        let parts = [
            part("/", owner: Self.overflow), way, part("/way/run", owner: Self.user, mode: 0o700),
            part("/way/run/s", .socket, owner: Self.user, mode: 0o600),
        ]
        let inside = PathTrust(user: Self.user, in: Self.narrow).refusal(of: parts, endingIn: .socket)
        #expect((inside == nil) == passes)
        if !passes { #expect(try #require(inside).message.contains("/way")) }
        // Where every user is mapped, the same number is an ordinary user.
        let outside = PathTrust(user: Self.user).refusal(of: parts, endingIn: .socket)
        #expect(try #require(outside).message.contains("/, above Ferry's own files, belongs to user 65534"))
    }

    @Test(arguments: [PathFacts.Kind.folder, .link])
    func `an unknown user's entry of a folder that others may write to may be any user's`(kind: PathFacts.Kind) throws {
        let trust = PathTrust(user: 0, in: UserNamespace(map: "0 1000 1", overflow: "65534"))
        let entry = part("/tmp/l", kind, owner: Self.overflow)
        let error = trust.refusal(ofWay: [part("/", owner: Self.overflow), part("/tmp", mode: 0o1777), entry])
        #expect(try #require(error).message.contains("the folder that it is in"))
        #expect(error?.message.contains("FERRY_HOME") == true)
    }

    @Test func `the end is never an unknown user's, nor does one listen`() {
        let trust = PathTrust(user: Self.user, in: Self.narrow)
        let root = part("/", owner: Self.overflow)
        let ends: [(PathFacts.Kind, PathTrust.End)] = [(.folder, .folder), (.socket, .socket)]
        for (kind, end) in ends {
            let last = part("/end", kind, owner: Self.overflow, mode: 0o700)
            #expect(trust.refusal(of: [root, last], endingIn: end)?.message.contains("belongs to user 65534") == true)
        }
        #expect(trust.refusal(ofListener: Self.overflow, at: "/s") != nil)
    }

    /// If the user is unmapped, every unmapped user's file would pass as the user's own.
    @Test func `a user whom the namespace does not know has nothing of its own`() {
        let trust = PathTrust(user: Self.overflow, in: Self.narrow)
        let own = part("/end", owner: Self.overflow, mode: 0o700)
        let error = trust.refusal(of: [part("/", owner: Self.overflow), own], endingIn: .folder)
        #expect(error?.message.contains("does not map the user of this process") == true)
        #expect(error?.message.contains("FERRY_HOME") == false)
    }

    @Test(arguments: [(1001, 0o755), (0, 0o777)] as [(UInt32, UInt32)])
    func `advice leads around a folder, but not around the root`(owner: UInt32, mode: UInt32) throws {
        let trust = PathTrust(user: Self.user)
        let below = trust.refusal(ofWay: [part("/"), part("/way", owner: owner, mode: mode)])
        #expect(try #require(below).message.contains("FERRY_HOME"))
        let root = trust.refusal(ofWay: [part("/", owner: owner, mode: mode), part("/way")])
        #expect(try #require(root).message.contains("FERRY_HOME") == false)
    }
}
