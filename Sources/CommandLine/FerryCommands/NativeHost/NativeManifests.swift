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

/// Installs the manifests for a user's browsers.
struct NativeInstallation {
    /// The browsers' folders in the home folder, and their manifest folders.
    private static let browsers: [(folder: String, below: String, kind: NativeManifest.Kind)] = [
        (".mozilla", "native-messaging-hosts", .firefox), (".config/chromium", "NativeMessagingHosts", .chromium),
        (".config/google-chrome", "NativeMessagingHosts", .chromium),
        (".config/BraveSoftware/Brave-Browser", "NativeMessagingHosts", .chromium),
        (".config/microsoft-edge", "NativeMessagingHosts", .chromium),
    ]

    /// The user's home.
    let home: String
    /// The folder of the script that browsers start.
    let folder: String
    /// Absolute path of `ferry`.
    let program: String

    /// - Throws: ``ServiceError`` with code `invalid_request` if the user has no home.
    init(in context: CommandContext) throws(ServiceError) {
        guard let home = context.home else {
            throw ServiceError(.invalidRequest, "HOME names no folder; browsers look for their manifests there.")
        }
        self.home = home
        let data = context.environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        folder = (data ?? home + "/.local/share") + "/ferry"
        program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "ferry"
    }

    /// Writes the script and a manifest for each installed browser.
    ///
    /// - Returns: The paths of the manifests. Empty without a browser.
    func install() throws(ServiceError) -> [String] {
        let script = folder + "/native-host"
        try write(Self.script(for: program), to: script, in: folder, mode: 0o755)
        var written: [String] = []
        for browser in Self.browsers {
            let base = "\(home)/\(browser.folder)"
            guard FileManager.default.fileExists(atPath: base) else { continue }
            let below = "\(base)/\(browser.below)"
            let file = "\(below)/\(NativeManifest.name).json"
            let text = try JSONText.line(NativeManifest(browser.kind, path: script)) + "\n"
            try write(text, to: file, in: below, mode: 0o644)
            written.append(file)
        }
        return written
    }

    /// The script, since browsers start a program without custom arguments.
    static func script(for program: String) -> String {
        let quoted = "'" + program.replacing("'", with: #"'\''"#) + "'"
        return "#!/bin/sh\nexec \(quoted) native-host \"$@\"\n"
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
