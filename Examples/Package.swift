// swift-tools-version: 6.2
import PackageDescription

// Programs as an app would be: they see what Ferry's library shows, and nothing else.
let package = Package(
    name: "ferry-examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "ferry", path: "..")],
    targets: [
        "PauseAndResume",  // pause and resume, with resume data
        "AppDelegate",  // an app delegate whose app is launched for its events
        "StreamedDownload",  // a data task that appends to a file
        "SessionOwner",  // an object that owns its session
        "Relaunched",  // an app that is killed in the middle and started again to finish
    ].map { name in
        .executableTarget(
            name: name,
            dependencies: [.product(name: "BackgroundURLSession", package: "ferry")],
            // Code that comes from Apple's platforms keeps the mode that it was written in.
            swiftSettings: name == "Relaunched" ? [] : [.swiftLanguageMode(.v5)])
    }
)
