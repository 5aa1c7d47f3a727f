import FerryTesting
import Foundation
import Testing

/// Each kind of download, with each kind of native host: exactly one whole file, in the browser or in Ferry.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Browser.areInstalled, "scripts/test installs browsers"))
struct `A hand-over` {
    /// A kind of download, and whether Ferry can have it.
    private struct Kind {
        let name: String
        let isForFerry: Bool
    }

    private static let kinds = [
        Kind(name: "plain", isForFerry: true), Kind(name: "ranges", isForFerry: true),
        Kind(name: "noranges", isForFerry: true), Kind(name: "redirected", isForFerry: true),
        Kind(name: "once", isForFerry: false), Kind(name: "form", isForFerry: false),
        Kind(name: "single", isForFerry: false), Kind(name: "made", isForFerry: false),
        Kind(name: "private", isForFerry: false),
    ]

    /// The hosts with which Ferry gets what it can have. With the others the browser keeps everything.
    private static let working: Set<NativeHostKind> = [.ferry, .dyingOnce, .stopped]

    private static let size: Int64 = 1_500_000
    private static let body = SeededBody(seed: 71, size: size)

    @Test(arguments: BrowserKind.allCases, NativeHostKind.allCases)
    func `leaves one whole file`(kind: BrowserKind, host: NativeHostKind) async throws {
        // A server that allows one connection a user.
        let single = OriginScript(
            Self.body, .on(.always, .limit(1, status: 429), .contentType("application/octet-stream"), Self.slow))
        try await withOrigin(single) { single in
            try await withExtension {
                $0.kind = kind
                $0.host = host
            } _: { bed in
                let final = bed.origin.url("/final.bin", host: "localhost")
                bed.origin.script = Self.script(single: single.url("/single.bin"), final: final)
                try await bed.set(["leastBytes": 1_000_000, "patience": host == .silent ? 1 : 15])
                if host == .refusing { try await Self.refuse(bed) }
                if host == .stopped { _ = try await bed.ferry.run(["daemon", "stop"]) }
                let isForFerry = host == .ferry || host == .stopped
                if !isForFerry { bed.origin.release("files") }
                try await Self.download(in: bed)
                if isForFerry { try await Self.handOver(in: bed) }
                try await Self.settle(bed)
                try Self.check(bed, host)
            }
        }
    }

    // MARK: The site

    private static let slow = OriginMode.throttle(bytesPerSecond: 1_000_000)
    private static let held = OriginMode.hold("files", at: .body(size / 2))

    /// The files that Ferry can have stop in the middle until `files` is released. A browser on a slow machine could
    /// otherwise have the whole file before a daemon runs, and then keeps it.
    private static func script(single: String, final: String) -> OriginScript {
        let file = OriginMode.contentType("application/octet-stream")
        let login = raw("<!DOCTYPE html><title>Log in</title><p>Who are you?</p>")
        return OriginScript(
            body, .on(.path("/sw/page"), .raw(raw(page(single)))),
            .on(.path("/sw/worker.js"), .raw(raw(worker, type: "text/javascript"))),
            .on(.path("/login"), .raw(raw("<!DOCTYPE html><title>Welcome</title>", "Set-Cookie: login=1; Path=/\r\n"))),
            .on(.path("/once.bin"), .once), .on(.path("/noranges.bin"), .noRanges, .etag(nil), .lastModified(nil)),
            .on(.path("/plain.bin"), .etag(nil), .lastModified(nil)),
            .on(.path("/form.bin").and(.not(.method("POST"))), .raw(login)),
            .on(.path("/redirected.bin"), .redirect(to: final)),
            .on(.path("/final.bin"), .disposition("attachment; filename=redirected.bin")),
            .on(.path("/final.bin").and(.not(.has("Cookie"))), .raw(login)),
            // Only browsers send this field.
            .on(.path("/private.bin").and(.not(.has("Sec-Fetch-Mode"))), .raw(login)), .always(file, slow),
            .on(.path("/plain.bin"), held), .on(.path("/ranges.bin"), held), .on(.path("/noranges.bin"), held),
            .on(.path("/final.bin"), held))
    }

    private static func page(_ single: String) -> String {
        let links = ["plain", "ranges", "noranges", "redirected", "once", "private"].map {
            "<a id=\($0) href=/\($0).bin>\($0)</a> "
        }
        return """
            <!DOCTYPE html><title>Files</title>\(links.joined())
            <a id=single href=\(single)>single</a> <a id=made href=/sw/made.bin>made</a>
            <form method=post action=/form.bin><input name=q value=1><button id=form>form</button></form>
            <script>
            navigator.serviceWorker.register('/sw/worker.js', { scope: '/sw/' });
            navigator.serviceWorker.ready.then(() => { document.body.dataset.worker = 'ready'; });
            </script>
            """
    }

    /// A service worker that makes a file without a server, slowly.
    private static let worker = """
        addEventListener('install', () => skipWaiting());
        addEventListener('activate', event => event.waitUntil(clients.claim()));
        addEventListener('fetch', event => {
          if (!event.request.url.endsWith('/made.bin')) return;
          const stream = new ReadableStream({
            async start(controller) {
              for (let part = 0; part < 15; part += 1) {
                controller.enqueue(new Uint8Array(100000).fill(7));
                await new Promise(next => setTimeout(next, 50));
              }
              controller.close();
            },
          });
          event.respondWith(new Response(stream, { headers: {
            'Content-Type': 'application/octet-stream', 'Content-Length': '1500000',
            'Content-Disposition': 'attachment; filename=made.bin',
          } }));
        });
        """

    private static func raw(_ text: String, _ fields: String = "", type: String = "text/html") -> [UInt8] {
        let length = "Content-Length: \(text.utf8.count)\r\nConnection: close\r\n"
        return Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(fields)\(length)\r\n\(text)".utf8)
    }

    // MARK: Steps

    /// Ferry has no folder that it may write to.
    private static func refuse(_ bed: ExtensionBed) async throws {
        let added = try await bed.ferry.run(["gateway", "folders", "--add", "/proc/ferry"])
        #expect(added.status == 0, "\(added)")
        _ = try await bed.ferry.run(["gateway", "folders", "--remove", bed.ferry.folder])
    }

    private static func download(in bed: ExtensionBed) async throws {
        let browser = bed.browser
        try await browser.open(bed.origin.url("/login", host: "localhost"))
        try await browser.open(bed.origin.url("/sw/page"))
        try await browser.wait("The worker", until: "document.body.dataset.worker === 'ready'")
        for kind in kinds {
            try await browser.clickDownload("#\(kind.name)")
            // A click ends the navigation of the click before it, unless that one has become a download.
            try await eventually("\(kind.name) has begun") {
                try [bed.browserFolder, bed.ferry.folder].contains { folder in
                    try FileManager.default.contentsOfDirectory(atPath: folder).contains {
                        $0.trimmingPrefix(".").hasPrefix("\(kind.name).")
                    }
                }
            }
        }
    }

    /// Waits until Ferry has what it can have, then lets the files go on.
    private static func handOver(in bed: ExtensionBed) async throws {
        let names = kinds.filter(\.isForFerry).map { $0.name + ".bin" }
        try await eventually("Ferry has its files") {
            // Other commands would start the daemon.
            guard try await bed.ferry.run(["daemon", "status"]).status == 0 else { return false }
            let listed = try await bed.ferry.run(["list", "--json"]).json(JSON.self).items.map { $0["name"].text }
            return names.allSatisfy { listed.contains($0) }
        }
        bed.origin.release("files")
    }

    /// Waits until the browser and Ferry are done with all downloads, and the extension with all offers.
    private static func settle(_ bed: ExtensionBed) async throws {
        let browser = bed.browser
        try await browser.show(window: try await browser.openWindow())
        try await bed.open("options.html")
        let folders = [bed.browserFolder, bed.ferry.folder]
        do {
            try await eventually("each file is somewhere") {
                kinds.allSatisfy { kind in folders.contains { isWhole("\($0)/\(kind.name).bin") } }
            }
        } catch {
            Issue.record("\(folders.map { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] })")
            throw error
        }
        try await eventually("all downloads have ended") {
            let open = try await bed.run(
                """
                const items = await chrome.downloads.search({});
                const { pending } = await chrome.storage.local.get('pending');
                return items.filter(each => each.state === 'in_progress').length + Object.keys(pending ?? {}).length;
                """)
            return open == 0
        }
        guard try await bed.ferry.run(["daemon", "status"]).status == 0 else { return }
        try await eventually("Ferry's downloads have ended") {
            try await bed.ferry.run(["list", "--json"]).json(JSON.self).items.allSatisfy {
                ["succeeded", "failed"].contains($0["state"].text)
            }
        }
    }

    private static func isWhole(_ path: String) -> Bool {
        guard let data = FileManager.default.contents(atPath: path), data.count == size else { return false }
        return data.elementsEqual(body.bytes) || data.allSatisfy { $0 == 7 }
    }

    // MARK: The table

    private static func check(_ bed: ExtensionBed, _ host: NativeHostKind) throws {
        let works = working.contains(host)
        var table = "\(bed.kind.rawValue), \(host.rawValue)\n"
        for kind in kinds {
            let name = kind.name + ".bin"
            let places = [("browser", bed.browserFolder), ("ferry", bed.ferry.folder)]
                .filter { FileManager.default.fileExists(atPath: "\($0.1)/\(name)") }
            // Other hand-overs end with the program that dies.
            let isOpen = host == .dyingOnce && kind.isForFerry
            let isExpected = places.map(\.0) == [works && kind.isForFerry ? "ferry" : "browser"]
            #expect(isOpen ? places.count == 1 : isExpected, "\(kind.name) is in \(places.map(\.0))")
            #expect(places.allSatisfy { isWhole("\($0.1)/\(name)") }, "\(kind.name) is not whole")
            table += "\(kind.name): \(places.map(\.0).joined(separator: ", "))\n"
        }
        // No other file, such as a page, a part or an offer.
        let files = try [bed.browserFolder, bed.ferry.folder].flatMap {
            try FileManager.default.contentsOfDirectory(atPath: $0)
        }
        #expect(files.sorted() == kinds.map { $0.name + ".bin" }.sorted())
        Attachment.record(table, named: "hand-over.txt")
    }
}
