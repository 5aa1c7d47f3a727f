// swift-tools-version: 6.2
import PackageDescription

/// Returns an example that imports one library.
func example(_ name: String, _ library: String, _ settings: [SwiftSetting] = []) -> Target {
    .executableTarget(
        name: name, dependencies: [.product(name: library, package: "ferry")], swiftSettings: settings)
}

// Code written for Apple's platforms keeps its language mode.
let swift5 = [SwiftSetting.swiftLanguageMode(.v5)]

// Programs like those of an app: they use only the public interface of Ferry's libraries.
let package = Package(
    name: "ferry-examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "ferry", path: "..")],
    targets: [
        // Ferry: managers and download tasks.
        example("FirstDownload", "Ferry"),  // ten seconds
        example("DownloadDemo", "Ferry"),  // a list of downloads in a terminal, which is there again after a kill
        example("Report", "Ferry"),  // with async and await
        example("ModelFetch", "Ferry"),  // the files of a language model, each with its digest, from links that expire
        example("Mirror", "Ferry"),  // a service: a list, structured cancellation, metrics
        example("Notified", "Ferry"),  // notifications on the main queue
        example("Shelf", "Ferry"),  // DownloadManager: models, pause and resume of all
        example("Snippets", "Ferry", swift5),  // code as it is written with Tiercel, Alamofire and DownloadManager
        example("DocumentationSamples", "Ferry"),  // the samples of the articles, each to be run
        .testTarget(
            name: "DownloadDemoTests", dependencies: ["DownloadDemo", .product(name: "Ferry", package: "ferry")]),
        // BackgroundURLSession.
        example("PauseAndResume", "BackgroundURLSession", swift5),  // pause and resume, with resume data
        example("AppDelegate", "BackgroundURLSession", swift5),  // an app that is launched for its events
        example("StreamedDownload", "BackgroundURLSession", swift5),  // a data task that appends to a file
        example("SessionOwner", "BackgroundURLSession", swift5),  // an object that owns its session
        example("UploadInBackground", "BackgroundURLSession", swift5),  // an upload that goes on after a kill
        example("SessionSamples", "BackgroundURLSession"),  // the samples of the articles, each to be run
        example("Relaunched", "BackgroundURLSession"),  // an app that is killed and started again to finish
    ]
)
