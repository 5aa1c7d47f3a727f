import FerryCore
import FerryTesting
import Foundation
import Testing

/// Folder of aria2p from PyPI, which scripts/test installs.
private let python = ProcessInfo.processInfo.environment["FERRY_ARIA2P"] ?? ""

@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: !python.isEmpty, "scripts/test installs aria2p"))
struct `aria2p` {
    private static let script = OriginScript(
        SeededBody(seed: 33, size: 300_000), .on(.path("/held"), .stall(after: 100_000)))

    /// Each step prints one line, which the test compares.
    private static let steps = """
        import os, sys, threading
        import aria2p

        port, secret, origin = int(sys.argv[1]), sys.argv[2], sys.argv[3]
        api = aria2p.API(aria2p.Client(host="http://localhost", port=port, secret=secret))
        events, changed = [], threading.Condition()

        def note(name):
            def call(api, gid):
                with changed:
                    events.append((name, gid))
                    changed.notify_all()
            return call

        def heard(name, gid):
            with changed:
                return changed.wait_for(lambda: (name, gid) in events, timeout=30)

        def becomes(download, status):
            while download.status != status:
                download.update()

        names = ["start", "pause", "stop", "complete", "error"]
        api.listen_to_notifications(threaded=True, timeout=60, **{f"on_download_{name}": note(name) for name in names})
        # The listener says nothing when it is connected: the first download shows it.
        for number in range(100):
            probe = api.add_uris([f"{origin}/probe"], options={"out": f"probe{number}"})
            becomes(probe, "complete")
            with changed:
                if changed.wait_for(lambda: ("complete", probe.gid) in events, timeout=0.2):
                    break
        print("listens", heard("complete", probe.gid))
        api.purge()

        held = api.add_uris([f"{origin}/held"], options={"gid": "00000000000000ab", "out": "held.bin"})
        becomes(held, "active")
        print("add", held.gid, heard("start", held.gid))
        print("pause", api.pause([held]), heard("pause", held.gid))
        becomes(held, "paused")
        others = [api.add_uris([f"{origin}/{name}"], options={"pause": "true", "out": name}) for name in ["b", "c"]]
        first = api.add_uris([f"{origin}/a"], options={"pause": "true", "out": "a"}, position=0)
        line = lambda: [d["gid"] for d in api.client.tell_waiting(0, 9, ["gid"])]
        print("line", line() == [first.gid, held.gid] + [d.gid for d in others])
        api.move_to_top(others[1])
        print("move", line() == [others[1].gid, first.gid, held.gid, others[0].gid])
        held.options.max_download_limit = "20K"
        print("option", api.get_options([held])[0].max_download_limit)
        api.set_global_options({"max-concurrent-downloads": "7"})
        print("global", api.get_global_options().max_concurrent_downloads)
        print("resume", api.resume(others + [first]))
        for download in others + [first]:
            print("complete", heard("complete", download.gid))
        print("resumed", api.resume([held])[0], heard("start", held.gid))
        print("remove", api.remove([held], clean=False)[0], heard("stop", held.gid))
        print("files", sorted(d.name for d in api.get_downloads() if d.status == "complete"))
        print("stat", api.get_stats().num_active)
        try:
            api.add_uris([f"{origin}/x"], options={"dir": "/etc"})
        except aria2p.ClientException as error:
            print("refused", "writes no files to /etc" in str(error))
        try:
            aria2p.Client(host="http://localhost", port=port, secret="wrong").get_version()
        except aria2p.ClientException as error:
            print("wrong", error)
        # The listener would be waited for until its timeout.
        sys.stdout.flush()
        os._exit(0)
        """

    @Test func `adds, lists, moves, changes and removes downloads, and hears of them`() async throws {
        try await withDaemon(Self.script) { ferry, origin in
            let (port, secret) = try await ferry.openGateway()
            let client = try await ferry.spawnApp(
                ["-c", Self.steps, "\(port)", secret, origin.url("").trimmingSlash], program: python
            ).result()
            #expect(
                client.stdout == """
                    listens True
                    add 00000000000000ab True
                    pause [True] True
                    line True
                    move True
                    option 20480
                    global 7
                    resume [True, True, True]
                    complete True
                    complete True
                    complete True
                    resumed True True
                    remove True True
                    files ['a', 'b', 'c']
                    stat 0
                    refused True
                    wrong Unauthorized

                    """, "\(client)")
            for name in ["a", "b", "c"] { #expect(FileManager.default.fileExists(atPath: ferry.file(name))) }
        }
    }
}

extension String {
    fileprivate var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
