import FerryCore
import FerryFoundation
import Glibc

/// The manifest that names the program for a browser extension.
struct NativeManifest: Encodable {
    enum Kind: String, CaseIterable, Sendable { case chromium, firefox }

    /// The name under which the extension finds the program.
    static let name = "ferry.native_host"
    /// The extension's id, derived from the key in its own manifest.
    private static let chromiumOrigin = "chrome-extension://goooccgecnlfbafbpcjdiiapikeefmhl/"
    private static let firefoxID = "ferry@ferry.invalid"

    var name = Self.name
    var description = "Ferry finishes downloads"
    var path: String
    var type = "stdio"
    var allowedOrigins: [String]?
    var allowedExtensions: [String]?

    enum CodingKeys: String, CodingKey {
        case name, description, path, type
        case allowedOrigins = "allowed_origins"
        case allowedExtensions = "allowed_extensions"
    }

    /// - Parameter path: Absolute path of the program that the browser starts.
    init(_ kind: Kind, path: String) {
        self.path = path
        switch kind {
        case .chromium: allowedOrigins = [Self.chromiumOrigin]
        case .firefox: allowedExtensions = [Self.firefoxID]
        }
    }
}

/// Registers the native host with a user's browsers.
struct NativeInstallation {
    /// The user's home.
    let home: String
    /// The folder of the script that browsers start.
    let folder: String
    /// Absolute path of `ferry`.
    let program: String
    /// The folders of programs.
    let path: [String]

    /// - Throws: ``ServiceError`` with code `invalid_request` if the user has no home.
    init(in context: CommandContext) throws(ServiceError) {
        guard let home = context.home else {
            throw ServiceError(.invalidRequest, "HOME names no folder; browsers look for their manifests there.")
        }
        self.home = home
        let data = context.environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        folder = (data ?? home + "/.local/share") + "/ferry"
        program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "ferry"
        path = context.environment["PATH", default: ""].split(separator: ":").map(String.init)
    }

    /// The result for one installed browser.
    struct Outcome: Hashable, Sendable {
        let browser: String
        /// The manifest's path, or nil if there is none.
        let file: String?
        /// Advice for the user, as a sentence.
        var advice: String?
    }

    /// Writes the script, and a manifest for each installed browser.
    ///
    /// - Returns: One outcome for each installed browser, in the table's order. Empty without a browser.
    /// - Throws: ``ServiceError`` with code `destination_unwritable` if the script cannot be written.
    func install() throws(ServiceError) -> [Outcome] {
        let script = folder + "/native-host"
        try write(Self.script(for: program), to: script, in: folder, mode: 0o755)
        let manager = FileManager.default
        let installed = NativeBrowser.all.filter { browser in
            browser.isInstalled(exists: { manager.fileExists(atPath: "\(home)/\($0)") }) { name in
                path.contains { manager.isExecutableFile(atPath: "\($0)/\(name)") }
            }
        }
        var outcomes: [Outcome] = []
        for browser in installed { outcomes.append(register(browser, script: script)) }
        return outcomes
    }

    private func register(_ browser: NativeBrowser, script: String) -> Outcome {
        let below = "\(home)/\(browser.hosts)"
        let file = "\(below)/\(NativeManifest.name).json"
        do throws(ServiceError) {
            switch browser.confinement {
            case .closed:
                return Outcome(
                    browser: browser.name, file: nil,
                    advice: "It cannot start programs of the system; install the browser from another source.")
            case .none, .portal:
                try write(try text(browser, script), to: file, in: below, mode: 0o644)
                let portal = "It asks whether Ferry may be started, at the first download; allow it."
                return Outcome(
                    browser: browser.name, file: file, advice: browser.confinement == .portal ? portal : nil)
            case .flatpak(let id):
                let own = "\(home)/.var/app/\(id)"
                let wrapper = own + "/ferry-native-host"
                try write(Self.script(for: script, through: "flatpak-spawn --host "), to: wrapper, in: own, mode: 0o755)
                try write(try text(browser, wrapper), to: file, in: below, mode: 0o644)
                return Outcome(
                    browser: browser.name, file: file,
                    advice: """
                        It may start Ferry only after `flatpak override --user --talk-name=org.freedesktop.Flatpak \(id)`, \
                        which lets it start every program.
                        """)
            }
        } catch {
            return Outcome(browser: browser.name, file: nil, advice: error.message)
        }
    }

    private func text(_ browser: NativeBrowser, _ script: String) throws(ServiceError) -> String {
        try JSONText.line(NativeManifest(browser.kind, path: script)) + "\n"
    }

    /// The script, since browsers start a program without custom arguments.
    ///
    /// - Parameter launcher: A command that starts another one.
    static func script(for program: String, through launcher: String = "") -> String {
        let quoted = "'" + program.replacing("'", with: #"'\''"#) + "'"
        let call = launcher.isEmpty ? " native-host" : ""
        return "#!/bin/sh\nexec \(launcher)\(quoted)\(call) \"$@\"\n"
    }

    private func write(_ text: String, to file: String, in folder: String, mode: Int) throws(ServiceError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        } catch {
            throw ServiceError(
                .destinationUnwritable, "\(file.escapingControls) cannot be written; check the owner of its folder.")
        }
    }
}
