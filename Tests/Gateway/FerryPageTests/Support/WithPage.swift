import FerryTesting
import Foundation
import Glibc
import Testing

/// A real daemon's page in a browser, with an origin.
struct PageBed: Sendable {
    let ferry: DaemonFixture
    let origin: ScriptedOrigin
    let browser: Browser
    let port: Int
    let secret: String

    var address: String { "http://127.0.0.1:\(port)/" }

    func open() async throws {
        try await browser.open("about:blank")
        try await browser.open(try await codeAddress())
        try await browser.wait("The list", until: "document.body.dataset.link === 'live'")
    }

    /// Returns the address that `ferry web` prints, with a new code.
    func codeAddress() async throws -> String { try await ferry.run(["web", "--print"]).lines.first ?? "" }

    /// Adds a transfer with the command line and returns its id.
    @discardableResult
    func add(_ path: String, _ options: String...) async throws -> String {
        let added = try await ferry.run(["add", "-d", ferry.folder] + options + [origin.url(path)])
        #expect(added.status == 0, "\(added)")
        return added.stdout.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns the state of a transfer, from the command line.
    func info(_ id: String) async throws -> JSON {
        let shown = try await ferry.run(["info", "--json", id])
        return try JSONDecoder().decode(JSON.self, from: Data(shown.stdout.utf8))
    }

    /// Waits until a transfer's row contains a text.
    func waitForRow(_ id: String, _ text: String) async throws {
        try await browser.wait(
            "“\(text)” in the row of \(id)",
            until: "document.getElementById(`row-${given[0]}`).textContent.includes(given[1])", .text(id), .text(text))
    }

    /// Returns the names in the list, from the top.
    func names() async throws -> [String] {
        try await browser.run("return [...document.querySelectorAll('.row .name')].map(each => each.textContent)")
            .strings
    }
}

/// Runs `body` with a daemon, its gateway on a free port, and a browser without an open page.
func withPage(
    _ script: OriginScript = OriginScript(rules: []), _ settings: Browser.Settings = Browser.Settings(),
    _ body: (PageBed) async throws -> Void
) async throws {
    try await withOrigin(script) { origin in
        let ferry = try DaemonFixture()
        do {
            let (port, secret) = try await ferry.openGateway()
            try await withBrowser(ferry, settings) { browser in
                let bed = PageBed(ferry: ferry, origin: origin, browser: browser, port: port, secret: secret)
                do {
                    try await body(bed)
                    let complaints = try await browser.complaints()
                    #expect(complaints == [])
                } catch {
                    Attachment.record(try await browser.screenshot(), named: "page.png")
                    throw error
                }
            }
        } catch {
            await end(ferry)
            throw error
        }
        await end(ferry)
    }
}

private func end(_ ferry: DaemonFixture) async {
    let log = ferry.log
    await ferry.stop()
    Attachment.record(log, named: "ferryd.log")
}

/// Runs `body` with a browser, then stops its driver.
func withBrowser(
    _ ferry: DaemonFixture, _ settings: Browser.Settings, _ body: (Browser) async throws -> Void
) async throws {
    guard let program = Browser.path(of: "chromedriver") else { throw TestingError("chromedriver is not installed.") }
    var driver: DriverConnection
    var process: ChildProcess
    repeat {
        driver = DriverConnection(port: try await LocalPorts.free(1)[0])
        process = try ferry.spawnApp(["--port=\(driver.port)"], program: program)
        try await eventually("chromedriver listens") { [driver, process] in
            if !process.isRunning { return true }
            return await driver.isReady()
        }
    } while !process.isRunning
    let folder = ferry.home + "/browser"
    if settings.extensionFolder != nil { try await introduce(ferry, to: folder, isBroken: settings.isHostBroken) }
    let browser = try await Browser(driver, settings, folder: folder)
    do {
        try await body(browser)
        await browser.quit()
    } catch {
        await browser.quit()
        throw error
    }
    process.send(SIGTERM)
    _ = await process.result()
}

/// Registers the extension's native host with a browser, as an installation does.
private func introduce(_ ferry: DaemonFixture, to folder: String, isBroken: Bool) async throws {
    let script = ferry.home + "/native-host"
    let command = isBroken ? "exit 1" : "exec \(try BuiltProgram.ferry.path()) native-host \"$@\""
    try "#!/bin/sh\n\(command)\n".write(toFile: script, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    let hosts = folder + "/NativeMessagingHosts"
    try FileManager.default.createDirectory(atPath: hosts, withIntermediateDirectories: true)
    let manifest = try await ferry.run(["native-host", "--manifest", "chromium", "--path", script])
    try manifest.stdout.write(toFile: hosts + "/ferry.native_host.json", atomically: true, encoding: .utf8)
}
