import Dispatch
import FerryTesting
import Foundation
import Glibc

/// Firefox, controlled over Marionette, its own protocol for WebDriver's commands: JSON with a length prefix over TCP
/// (Mozilla's "Marionette protocol").
final class FirefoxDriver: WebDriver {
    /// The id under which pages of the extension are found.
    static let host = "5a3f2c14-9d6b-4c1e-8f70-2b6d1e4a9c35"
    private static let extensionID = "ferry@ferry.invalid"

    private let process: ChildProcess
    private let descriptor: CInt
    /// Commands run one after the other.
    private let queue = DispatchQueue(label: "marionette")

    private init(_ process: ChildProcess, _ descriptor: CInt) {
        self.process = process
        self.descriptor = descriptor
    }

    /// - Parameter folder: Folder for the browser's profile and home.
    static func start(
        _ ferry: DaemonFixture, _ settings: Browser.Settings, folder: String
    ) async throws -> FirefoxDriver {
        let profile = folder + "/profile"
        try FileManager.default.createDirectory(atPath: profile, withIntermediateDirectories: true)
        try preferences(settings, folder: folder).write(
            toFile: profile + "/user.js", atomically: true, encoding: .utf8)
        let process = try ferry.spawnApp(
            [
                "--headless", "--marionette", "--remote-allow-system-access", "--profile", profile, "--no-remote",
                "--width", "\(settings.width)", "--height", "\(settings.height)", "about:blank",
            ], environment: ["HOME": folder], program: try Browser.program("firefox-esr"))
        let file = profile + "/MarionetteActivePort"
        func port() -> Int? {
            (try? String(contentsOfFile: file, encoding: .utf8)).flatMap {
                Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
        try await eventually("Firefox listens") { port() != nil || !process.isRunning }
        guard let port = port(), let descriptor = LoopbackSocket.connect(port: port) else {
            throw TestingError("Firefox does not start: \(await process.result())")
        }
        let driver = FirefoxDriver(process, descriptor)
        _ = try await driver.read()
        _ = try await driver.send("WebDriver:NewSession", ["capabilities": ["alwaysMatch": [:]]])
        _ = try await driver.send("WebDriver:SetTimeouts", ["script": 60000, "pageLoad": 30000])
        if let path = settings.extensionFolder {
            _ = try await driver.send(
                "Addon:Install", ["path": .text(path), "temporary": true, "allowPrivateBrowsing": true])
        }
        return driver
    }

    private static func preferences(_ settings: Browser.Settings, folder: String) -> String {
        let values: [String: JSON] = [
            "marionette.port": 0, "browser.download.dir": .text(folder + "/downloads"),
            "browser.download.folderList": 2, "browser.download.useDownloadDir": true,
            "browser.helperApps.neverAsk.saveToDisk": "application/octet-stream",
            "browser.download.alwaysOpenPanel": false, "intl.accept_languages": .text(settings.language),
            "intl.locale.requested": .text(settings.language),
            "layout.css.prefers-color-scheme.content-override": settings.isDark ? 0 : 1,
            "ui.systemUsesDarkTheme": settings.isDark ? 1 : 0,
            "extensions.webextensions.uuids": .text("{\"\(extensionID)\":\"\(host)\"}"),
            // Firefox asks its maker's servers for nothing.
            "app.update.enabled": false, "browser.safebrowsing.downloads.enabled": false,
            "browser.safebrowsing.malware.enabled": false, "browser.safebrowsing.phishing.enabled": false,
            "browser.shell.checkDefaultBrowser": false, "datareporting.policy.dataSubmissionEnabled": false,
            "extensions.getAddons.cache.enabled": false, "network.captive-portal-service.enabled": false,
            "network.connectivity-service.enabled": false, "services.settings.server": "http://127.0.0.1:1",
            "toolkit.telemetry.enabled": false,
        ]
        let encoder = JSONEncoder()
        // Preferences know no escaped slashes.
        encoder.outputFormatting = .withoutEscapingSlashes
        return values.map { name, value in
            let text = (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
            return "user_pref(\"\(name)\", \(text));\n"
        }.joined()
    }

    // MARK: Commands

    /// Marionette's names of WebDriver's commands, by method and path.
    private static let names = [
        "POST url": "Navigate", "GET url": "GetCurrentURL", "GET title": "GetTitle", "POST refresh": "Refresh",
        "POST execute/async": "ExecuteAsyncScript", "POST element": "FindElement", "GET screenshot": "TakeScreenshot",
        "POST window/new": "NewWindow", "GET window": "GetWindowHandle", "POST window": "SwitchToWindow",
        "GET window/handles": "GetWindowHandles",
        "POST click": "ElementClick", "POST clear": "ElementClear", "POST value": "ElementSendKeys",
        "POST actions": "PerformActions",
    ]

    func command(_ method: String, _ path: String, _ body: JSON?) async throws -> JSON {
        // Firefox has no log of a page's errors.
        if path == "se/log" { return .list([]) }
        let parts = path.split(separator: "/").map(String.init)
        var parameters = body ?? [:]
        var key = "\(method) \(path)"
        if parts.count == 3, parts[0] == "element" {
            key = "\(method) \(parts[2])"
            parameters = parameters.with("id", .text(parts[1]))
        }
        guard let name = Self.names[key] else { throw TestingError("Firefox has no command for \(key).") }
        let result = try await send("WebDriver:" + name, parameters)
        return result.count == 1 && result.has("value") ? result["value"] : result
    }

    func quit() async {
        _ = try? await send("Marionette:Quit", ["flags": ["eForceQuit"]])
        close(descriptor)
        _ = await process.result()
    }

    /// Sends a command and returns its result.
    private func send(_ name: String, _ parameters: JSON) async throws -> JSON {
        let message = try JSONEncoder().encode(JSON.list([0, 1, .text(name), parameters]))
        let answer = try await withCheckedThrowingContinuation { continuation in
            queue.async { [descriptor] in
                continuation.resume(
                    with: Result {
                        try LoopbackSocket.write(Data("\(message.count):".utf8) + message, to: descriptor)
                        return try Self.receive(from: descriptor)
                    })
            }
        }
        if let error = answer[2]["error"].text {
            throw TestingError("\(name): \(error): \(answer[2]["message"].text ?? "")")
        }
        return answer[3]
    }

    private func read() async throws -> JSON {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [descriptor] in
                continuation.resume(with: Result { try Self.receive(from: descriptor) })
            }
        }
    }

    private static func receive(from descriptor: CInt) throws -> JSON {
        var length = 0
        while true {
            let byte = try LoopbackSocket.read(1, from: descriptor)[0]
            if byte == UInt8(ascii: ":") { break }
            length = length * 10 + Int(byte) - 48
        }
        return try JSONDecoder().decode(JSON.self, from: try LoopbackSocket.read(length, from: descriptor))
    }
}
