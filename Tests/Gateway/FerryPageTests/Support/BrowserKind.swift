import FerryTesting
import Foundation
import Glibc

/// The browsers of the tests.
enum BrowserKind: String, CaseIterable, Sendable { case chromium, firefox }

/// The program that the browser starts for the extension.
enum NativeHostKind: String, CaseIterable, Sendable {
    case ferry
    /// There is no manifest.
    case missing
    /// The manifest names a program that does not exist.
    case wrongPath
    /// It exits at the first offer, each time it is started.
    case dying
    /// It exits once, before it passes the call on that keeps an offer.
    case dyingOnce
    /// It reads and never answers.
    case silent
    /// No daemon runs, and it starts one.
    case stopped
    /// Ferry refuses each download.
    case refusing

    /// The script's text, or `nil` if there is no script.
    fileprivate func script(for ferry: String, below home: String) -> String? {
        let host = "\(ferry) native-host"
        return switch self {
        case .ferry, .stopped, .refusing: "#!/bin/sh\nexec \(host) \"$@\"\n"
        case .missing, .wrongPath: nil
        case .silent: "#!/bin/sh\nexec cat >/dev/null\n"
        case .dying, .dyingOnce:
            """
            #!/usr/bin/env python3
            import os, struct, subprocess, sys
            host = subprocess.Popen(["\(ferry)", "native-host"], stdin=subprocess.PIPE)
            marker = "\(home)/has-died"
            while head := sys.stdin.buffer.read(4):
                body = sys.stdin.buffer.read(struct.unpack("=I", head)[0])
                dies = b'"\(self == .dying ? "offer" : "keep")"' in body
                if dies and (\(self == .dying ? "True" : "not os.path.exists(marker)")):
                    open(marker, "w").close()
                    break
                host.stdin.write(head + body)
                host.stdin.flush()
            host.stdin.close()
            host.wait()
            """
        }
    }
}

/// Runs `body` with a browser, then ends it.
func withBrowser(
    _ ferry: DaemonFixture, _ settings: Browser.Settings, _ body: (Browser) async throws -> Void
) async throws {
    let folder = ferry.home + "/browser"
    try FileManager.default.createDirectory(atPath: folder + "/downloads", withIntermediateDirectories: true)
    if settings.extensionFolder != nil { try await introduce(ferry, to: folder, settings) }
    let browser = try await start(ferry, settings, folder: folder)
    do {
        try await body(browser)
        await browser.quit()
    } catch {
        await browser.quit()
        throw error
    }
}

/// Starts a browser and opens its first page.
///
/// Headless Chromium sometimes never shows an extension's page if it was opened right after the start. Then another one
/// is started.
private func start(_ ferry: DaemonFixture, _ settings: Browser.Settings, folder: String) async throws -> Browser {
    for attempt in 1... {
        let browser =
            switch settings.kind {
            case .chromium: Browser(try await ChromiumDriver.start(ferry, settings, folder: folder))
            case .firefox: Browser(try await FirefoxDriver.start(ferry, settings, folder: folder))
            }
        guard let page = settings.firstPage else { return browser }
        do {
            try await browser.open(page)
            return browser
        } catch {
            await browser.quit()
            if attempt == 4 { throw error }
        }
    }
    throw TestingError("No browser starts.")
}

/// Registers the extension's native host with a browser, as an installation does.
private func introduce(_ ferry: DaemonFixture, to folder: String, _ settings: Browser.Settings) async throws {
    guard settings.host != .missing else { return }
    let script = ferry.home + "/native-host"
    if let text = settings.host.script(for: try BuiltProgram.ferry.path(), below: ferry.home) {
        try text.write(toFile: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    }
    let hosts =
        switch settings.kind {
        case .chromium: folder + "/NativeMessagingHosts"
        case .firefox: folder + "/.mozilla/native-messaging-hosts"
        }
    try FileManager.default.createDirectory(atPath: hosts, withIntermediateDirectories: true)
    let manifest = try await ferry.run(["native-host", "--manifest", settings.kind.rawValue, "--path", script])
    try manifest.stdout.write(toFile: hosts + "/ferry.native_host.json", atomically: true, encoding: .utf8)
}
