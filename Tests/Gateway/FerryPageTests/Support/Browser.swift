import FerryTesting
import Foundation

/// Sends the commands of a WebDriver session (W3C WebDriver), named by their paths below the session.
protocol WebDriver: Sendable {
    /// Returns the `value` of the response.
    ///
    /// - Throws: ``TestingError`` with the browser's error message.
    func command(_ method: String, _ path: String, _ body: JSON?) async throws -> JSON

    /// Ends the browser.
    func quit() async
}

/// A headless browser, controlled by clicks, keys and the pointer.
final class Browser: Sendable {
    private let driver: any WebDriver

    /// The settings of a new browser.
    struct Settings: Sendable {
        var kind = BrowserKind.chromium
        var width = 1280
        var height = 800
        var language = "en"
        var isDark = false
        /// Folder of an extension to load.
        var extensionFolder: String?
        /// The page to open first.
        var firstPage: String?
        /// The native host that the extension finds.
        var host = NativeHostKind.ferry
    }

    init(_ driver: any WebDriver) { self.driver = driver }

    /// Returns a program's path, or `nil` if it is not installed.
    static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin"]
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    static let isInstalled = path(of: "chromium") != nil && path(of: "chromedriver") != nil
    /// Whether the extension's tests can run too.
    static let areInstalled = isInstalled && path(of: "firefox-esr") != nil

    static func program(_ name: String) throws -> String {
        guard let path = path(of: name) else { throw TestingError("\(name) is not installed.") }
        return path
    }

    func quit() async { await driver.quit() }

    @discardableResult
    private func command(_ path: String, _ body: JSON = [:]) async throws -> JSON {
        try await driver.command("POST", path, body)
    }

    private func get(_ path: String) async throws -> String {
        try await driver.command("GET", path, nil).text ?? ""
    }

    // MARK: The page

    func open(_ url: String) async throws { try await command("url", ["url": .text(url)]) }
    func reload() async throws { try await command("refresh") }

    /// Runs a script in each page before the page's own ones. Only Chromium can.
    func beforeEachPage(_ script: String) async throws {
        let command: JSON = ["cmd": "Page.addScriptToEvaluateOnNewDocument", "params": ["source": .text(script)]]
        _ = try await self.command("goog/cdp/execute", command)
    }

    func title() async throws -> String { try await get("title") }
    func address() async throws -> String { try await get("url") }

    /// Runs the body of an async function in the page, with its arguments as `given`, and returns its result.
    @discardableResult
    func run(_ body: String, _ given: JSON...) async throws -> JSON { try await run(body, given: given) }

    @discardableResult
    func run(_ body: String, given: [JSON]) async throws -> JSON {
        let script = """
            const done = arguments[arguments.length - 1], given = [...arguments].slice(0, -1);
            (async () => { \(body) })().then(value => done({ value: value ?? null }), error => done({ error: String(error?.stack ?? error) }));
            """
        let answer = try await command("execute/async", ["script": .text(script), "args": .list(given)])
        if let error = answer["error"].text { throw TestingError("The page's script failed: \(error)") }
        return answer["value"]
    }

    /// Waits until an expression is true in the page.
    func wait(_ what: String, until expression: String, _ given: JSON...) async throws {
        let loop = """
            const end = Date.now() + 30000;
            for (;;) {
              let holds = false;
              try { holds = (\(expression)); } catch {}
              if (holds) return true;
              if (Date.now() > end) return document.body.innerText.slice(0, 4000);
              await new Promise(next => setTimeout(next, 10));
            }
            """
        let answer = try await run(loop, given: given)
        guard answer == .bool(true) else {
            throw TestingError("\(what) did not come. The page shows:\n\(answer.text ?? "")")
        }
    }

    func text(_ selector: String) async throws -> String {
        try await run("return document.querySelector(given[0])?.innerText ?? ''", .text(selector)).text ?? ""
    }

    /// Returns script errors and violations of the page's policy. The page itself reports failed requests.
    func complaints() async throws -> [String] {
        let lines = try await command("se/log", ["type": "browser"]).items
        return lines.filter { $0["level"].text == "SEVERE" }.compactMap(\.["message"].text)
            .filter { !$0.contains("Failed to load resource") && !$0.contains("net::ERR_") }
            // Chromium's parser reports a document's errors inside a styled document of its own.
            .filter { !$0.contains("/metalink.js") || !$0.contains("inline style") }
    }

    func screenshot() async throws -> Data { Data(base64Encoded: try await get("screenshot")) ?? Data() }

    /// Returns the findings of axe-core about the open page. None without axe-core.
    func audit() async throws -> [String] {
        let path = ProcessInfo.processInfo.environment["FERRY_AXE"] ?? ""
        guard !path.isEmpty else { return [] }
        let source = try String(contentsOfFile: path, encoding: .utf8)
        return try await run(
            """
            if (!window.axe) { \(source) }
            const { violations } = await axe.run(document, { resultTypes: ['violations'] });
            return violations.map(each => `${each.id}: ${each.help}: ${each.nodes.map(node => node.html).join(' ').slice(0, 500)}`);
            """
        ).strings
    }

    // MARK: Windows

    func windows() async throws -> [String] { try await driver.command("GET", "window/handles", nil).strings }

    func openWindow() async throws -> String {
        try await command("window/new", ["type": "tab"])["handle"].text ?? ""
    }

    /// Opens a tab and shows it. Returns the one that was shown, and the new one.
    func openTab() async throws -> (former: String, opened: String) {
        let (former, opened) = (try await window(), try await openWindow())
        try await show(window: opened)
        return (former, opened)
    }

    func window() async throws -> String { try await get("window") }
    func closeWindow() async throws { _ = try await driver.command("DELETE", "window", nil) }
    func show(window: String) async throws { try await command("window", ["handle": .text(window)]) }

    // MARK: Input

    private func element(_ selector: String) async throws -> JSON {
        try await wait(selector, until: "document.querySelector(given[0])", .text(selector))
        return try await command("element", ["using": "css selector", "value": .text(selector)])
    }

    func click(_ selector: String) async throws {
        let id = try await element(selector).first ?? ""
        try await command("element/\(id)/click")
    }

    /// Clicks an element whose link becomes a download, while holding a key. Unlike ``click(_:)``, this waits for no other
    /// page.
    func clickDownload(_ selector: String, holding key: String? = nil) async throws {
        let element = try await element(selector)
        let pause: JSON = ["type": "pause", "duration": 0]
        let pointer: [JSON] = [
            ["type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element], pause,
            ["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0], pause,
        ]
        var actions: [JSON] = [["type": "pointer", "id": "mouse", "actions": .list(pointer)]]
        if let key {
            let keys: [JSON] = [
                pause, ["type": "keyDown", "value": .text(key)], pause, pause, ["type": "keyUp", "value": .text(key)],
            ]
            actions.append(["type": "key", "id": "keys", "actions": .list(keys)])
        }
        try await command("actions", ["actions": .list(actions)])
    }

    /// Clicks the visible button with this text.
    func press(_ label: String, in scope: String = "body") async throws {
        let find = """
            [...document.querySelector(given[1]).querySelectorAll('button')]
              .find(each => (each.innerText.trim() === given[0] || each.ariaLabel === given[0]) && each.checkVisibility() && !each.disabled)
            """
        try await wait("The button “\(label)”", until: find, .text(label), .text(scope))
        let node = try await run("return \(find)", .text(label), .text(scope))
        try await command("element/\(node.first ?? "")/click")
    }

    /// Replaces the contents of a field.
    func type(_ text: String, into selector: String) async throws {
        let id = try await element(selector).first ?? ""
        try await command("element/\(id)/clear")
        try await command("element/\(id)/value", ["text": .text(text)])
    }

    /// Replaces the contents of a field as a user does, key by key, and leaves the field.
    func retype(_ text: String, into selector: String) async throws {
        _ = try await element(selector)
        try await run("const field = document.querySelector(given[0]); field.focus(); field.select();", .text(selector))
        for character in text { try await keys(String(character)) }
        try await keys(Key.tab)
    }

    /// Presses keys one after another in the focused element, while holding the modifiers.
    func keys(_ keys: String..., holding modifiers: [String] = []) async throws {
        func action(_ kind: String, _ key: String) -> JSON { ["type": .text(kind), "value": .text(key)] }
        var steps = modifiers.map { action("keyDown", $0) }
        for key in keys { steps += [action("keyDown", key), action("keyUp", key)] }
        steps += modifiers.map { action("keyUp", $0) }
        try await command("actions", ["actions": [["type": "key", "id": "keys", "actions": .list(steps)]]])
    }

    /// Drags with the pointer from the center of an element to a point of the window, in small steps.
    func drag(_ selector: String, toX x: Double, y: Double) async throws {
        let from = try await run(
            "const { x, y, width, height } = document.querySelector(given[0]).getBoundingClientRect(); "
                + "return [Math.round(x + width / 2), Math.round(y + height / 2)]", .text(selector)
        ).items.compactMap(\.number)
        func move(_ x: Double, _ y: Double) -> JSON {
            ["type": "pointerMove", "duration": 20, "x": .number(x.rounded()), "y": .number(y.rounded())]
        }
        var steps: [JSON] = [move(from[0], from[1]), ["type": "pointerDown", "button": 0]]
        steps += (1...5).map { step in
            let part = Double(step) / 5
            return move(from[0] + (x - from[0]) * part, from[1] + (y - from[1]) * part)
        }
        steps.append(["type": "pointerUp", "button": 0])
        try await command("actions", ["actions": [["type": "pointer", "id": "mouse", "actions": .list(steps)]]])
    }
}

/// Keys without a character, encoded as in WebDriver §17.4.2.
enum Key {
    static let shift = "\u{E008}"
    static let control = "\u{E009}"
    static let alt = "\u{E00A}"
    static let enter = "\u{E007}"
    static let escape = "\u{E00C}"
    static let tab = "\u{E004}"
    static let up = "\u{E013}"
    static let down = "\u{E015}"
    static let end = "\u{E010}"
    static let home = "\u{E011}"
    static let delete = "\u{E017}"
}
