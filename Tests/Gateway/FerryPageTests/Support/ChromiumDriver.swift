import FerryTesting
import Foundation
import Glibc

/// Chromium with its chromedriver.
struct ChromiumDriver: WebDriver {
    private let connection: DriverConnection
    private let session: String
    private let process: ChildProcess

    /// - Parameter folder: Folder for the browser's profile.
    static func start(
        _ ferry: DaemonFixture, _ settings: Browser.Settings, folder: String
    ) async throws -> ChromiumDriver {
        let program = try Browser.program("chromedriver")
        var connection: DriverConnection
        var process: ChildProcess
        repeat {
            connection = DriverConnection(port: try await LocalPorts.free(1)[0])
            process = try ferry.spawnApp(["--port=\(connection.port)"], program: program)
            try await eventually("chromedriver listens") { [connection, process] in
                if !process.isRunning { return true }
                return await connection.isReady()
            }
        } while !process.isRunning
        let capabilities = try capabilities(settings, folder: folder)
        let made = try await connection.send("POST", "/session", ["capabilities": capabilities])
        let driver = ChromiumDriver(connection: connection, session: made["sessionId"].text ?? "", process: process)
        _ = try await driver.command("POST", "timeouts", ["script": 60000, "pageLoad": 10000])
        return driver
    }

    private static func capabilities(_ settings: Browser.Settings, folder: String) throws -> JSON {
        // Without Chromium's sandbox, which containers often do not allow. The browser only opens the page.
        var arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--window-size=\(settings.width),\(settings.height)", "--hide-scrollbars", "--user-data-dir=\(folder)",
        ]
        if settings.isDark { arguments.append("--blink-settings=preferredColorScheme=0") }
        if let path = settings.extensionFolder {
            arguments += ["--load-extension=\(path)", "--disable-features=DisableLoadExtensionCommandLineSwitch"]
        }
        return [
            "alwaysMatch": [
                "browserName": "chrome", "goog:loggingPrefs": ["browser": "ALL"],
                "goog:chromeOptions": [
                    "binary": .text(try Browser.program("chromium")), "args": .list(arguments.map { .text($0) }),
                    "prefs": [
                        "intl.accept_languages": .text(settings.language),
                        "download.default_directory": .text(folder + "/downloads"),
                    ],
                ],
            ]
        ]
    }

    func command(_ method: String, _ path: String, _ body: JSON?) async throws -> JSON {
        try await connection.send(method, "/session/\(session)/\(path)", body)
    }

    func quit() async {
        _ = try? await connection.send("DELETE", "/session/\(session)")
        process.send(SIGTERM)
        _ = await process.result()
    }
}
