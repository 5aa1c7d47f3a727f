/// The browsers that can start the native host, and where each looks for the host's manifest.
struct NativeBrowser: Hashable, Sendable {
    /// How a browser starts programs of the system.
    enum Confinement: Hashable, Sendable {
        case none
        /// Through a portal, which reads the manifests of browsers without confinement.
        case portal
        /// A Flatpak, which starts them with `flatpak-spawn --host` once the user allows it.
        case flatpak(String)
        /// Not at all.
        case closed
    }

    let name: String
    let kind: NativeManifest.Kind
    /// Folders of its profiles, below the home folder. One of them shows that it is installed.
    let profiles: [String]
    /// Its programs. One of them in `PATH` shows that it is installed, though not started yet.
    var programs: [String] = []
    /// The folder of manifests, below the home folder.
    let hosts: String
    var confinement = Confinement.none

    /// A browser is added by a line here.
    ///
    /// Sources: Mozilla's "Native manifests", Chrome's "Native messaging", and each browser's own documentation. Since
    /// Firefox 147, new profiles are below `.config/mozilla` (Mozilla's bug 259356), and manifests are where they were.
    /// Zen reads Firefox's.
    static let all: [NativeBrowser] =
        [
            mozilla("Firefox", [".mozilla/firefox", ".config/mozilla/firefox"], ["firefox", "firefox-esr"]),
            mozilla("Zen", [".zen", ".config/zen"], ["zen", "zen-browser"]),
            mozilla("LibreWolf", [".librewolf", ".config/librewolf"], ["librewolf"], hosts: ".librewolf"),
            mozilla("Waterfox", [".waterfox", ".config/waterfox"], ["waterfox"], hosts: ".waterfox"),
            chromium("Chromium", "chromium", ["chromium", "chromium-browser"]),
            chromium("Ungoogled Chromium", "ungoogled-chromium", ["ungoogled-chromium"]),
            chromium("Google Chrome", "google-chrome", ["google-chrome", "google-chrome-stable"]),
            chromium("Google Chrome Beta", "google-chrome-beta", ["google-chrome-beta"]),
            chromium("Google Chrome Dev", "google-chrome-unstable", ["google-chrome-unstable"]),
            chromium("Brave", "BraveSoftware/Brave-Browser", ["brave-browser", "brave"]),
            chromium("Microsoft Edge", "microsoft-edge", ["microsoft-edge", "microsoft-edge-stable"]),
            chromium("Microsoft Edge Beta", "microsoft-edge-beta", ["microsoft-edge-beta"]),
            chromium("Vivaldi", "vivaldi", ["vivaldi", "vivaldi-stable"]),
            chromium("Opera", "opera", ["opera"]),
            snap(
                "Firefox", "firefox", .firefox, profile: ".mozilla/firefox", hosts: ".mozilla/native-messaging-hosts",
                .portal),
            snap("Chromium", "chromium", .chromium, profile: "chromium", hosts: "", .closed),
            snap("Brave", "brave", .chromium, profile: ".config/BraveSoftware", hosts: "", .closed),
        ]
        + [
            ("Firefox", "org.mozilla.firefox", NativeManifest.Kind.firefox, ".mozilla/native-messaging-hosts"),
            ("LibreWolf", "io.gitlab.librewolf-community", .firefox, ".librewolf/native-messaging-hosts"),
            ("Zen", "app.zen_browser.zen", .firefox, ".mozilla/native-messaging-hosts"),
            ("Chromium", "org.chromium.Chromium", .chromium, "config/chromium/NativeMessagingHosts"),
            (
                "Ungoogled Chromium", "io.github.ungoogled_software.ungoogled_chromium", .chromium,
                "config/chromium/NativeMessagingHosts"
            ),
            ("Google Chrome", "com.google.Chrome", .chromium, "config/google-chrome/NativeMessagingHosts"),
            ("Brave", "com.brave.Browser", .chromium, "config/BraveSoftware/Brave-Browser/NativeMessagingHosts"),
            ("Microsoft Edge", "com.microsoft.Edge", .chromium, "config/microsoft-edge/NativeMessagingHosts"),
            ("Vivaldi", "com.vivaldi.Vivaldi", .chromium, "config/vivaldi/NativeMessagingHosts"),
        ].map(flatpak)

    private static func mozilla(
        _ name: String, _ profiles: [String], _ programs: [String], hosts: String = ".mozilla"
    ) -> NativeBrowser {
        NativeBrowser(
            name: name, kind: .firefox, profiles: profiles, programs: programs, hosts: hosts + "/native-messaging-hosts"
        )
    }

    private static func chromium(_ name: String, _ folder: String, _ programs: [String]) -> NativeBrowser {
        NativeBrowser(
            name: name, kind: .chromium, profiles: [".config/" + folder], programs: programs,
            hosts: ".config/\(folder)/NativeMessagingHosts")
    }

    private static func snap(
        _ name: String, _ package: String, _ kind: NativeManifest.Kind, profile: String, hosts: String,
        _ confinement: Confinement
    ) -> NativeBrowser {
        NativeBrowser(
            name: name + " (Snap)", kind: kind, profiles: ["snap/\(package)/common/\(profile)"], hosts: hosts,
            confinement: confinement)
    }

    private static func flatpak(
        _ name: String, _ id: String, _ kind: NativeManifest.Kind, _ hosts: String
    ) -> NativeBrowser {
        NativeBrowser(
            name: name + " (Flatpak)", kind: kind, profiles: [".var/app/" + id], hosts: ".var/app/\(id)/\(hosts)",
            confinement: .flatpak(id))
    }

    /// Whether it is installed.
    ///
    /// - Parameters:
    ///   - exists: Whether a path below the home folder exists.
    ///   - programs: Whether a program is in `PATH`.
    func isInstalled(exists: (String) -> Bool, program: (String) -> Bool) -> Bool {
        profiles.contains(where: exists) || programs.contains(where: program)
    }
}
