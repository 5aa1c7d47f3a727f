// swift-tools-version: 6.2
import PackageDescription

// Ferry is for Linux. On Apple's systems the module BackgroundURLSession is Foundation's URLSession and has no other
// sources, so that an app of both systems has one import.
#if os(Linux)
    let (otherSystems, implementation) = ("Apple", ["FerryURLSession"] as [Target.Dependency])
#else
    let (otherSystems, implementation) = ("Linux", [] as [Target.Dependency])
#endif

let package = Package(
    name: "ferry",
    products: [
        .library(name: "Ferry", targets: ["Ferry"]),
        .library(name: "BackgroundURLSession", targets: ["BackgroundURLSession"]),
        .executable(name: "ferry", targets: ["ferry"]),
        .executable(name: "ferryd", targets: ["ferryd"]),
        .executable(name: "ferry-fleet", targets: ["ferry-fleet"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // The parts of Foundation that small programs need.
        .target(name: "FerryFoundation"),
        // The model: the values that cross a process border, the error table, the service protocols.
        .target(name: "FerryCore", dependencies: ["FerryFoundation"]),
        // The decisions about one transfer, as values.
        .target(
            name: "FerryRules",
            dependencies: [
                "FerryCore", "FerryFoundation",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ]),
        // System calls that Swift's modules lack.
        .target(name: "CFerrySystem", linkerSettings: [.linkedLibrary("z")]),
        // The calls of a file system.
        .target(name: "FerryDisk", dependencies: ["CFerrySystem", "FerryCore", "FerryFoundation"]),
        // Runs one transfer: network and file.
        .target(
            name: "FerryEngine",
            dependencies: [
                "CFerrySystem", "FerryCore", "FerryDisk", "FerryFoundation", "FerryRules",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ]),
        // The decisions about many transfers, as values, and the journal's protocol.
        .target(
            name: "FerryQueue",
            dependencies: [
                "FerryCore", "FerryFoundation", "FerryRules",
                .product(name: "HeapModule", package: "swift-collections"),
            ]),
        // The journal, stored in SQLite.
        .target(
            name: "FerryStore",
            dependencies: [
                "FerryCore", "FerryQueue", "FerryRules",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Performs the queue's decisions.
        .target(
            name: "FerryService",
            dependencies: [
                "CFerrySystem", "FerryCore", "FerryDisk", "FerryEngine", "FerryQueue", "FerryRules", "FerrySystem",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // The folders, files and environment of Ferry's own programs.
        .target(name: "FerrySystem", dependencies: ["CFerrySystem", "FerryCore", "FerryFoundation"]),
        // The control API's contract.
        .target(name: "FerryAPI", dependencies: ["FerryCore", "FerryFoundation"]),
        // aria2's JSON-RPC interface over a service, without sockets.
        .target(
            name: "FerryAria2",
            dependencies: [
                "FerryCore", "FerryFoundation", .product(name: "DequeModule", package: "swift-collections"),
            ]),
        // The gateway's web page: its files, embedded by the C compiler.
        .target(name: "FerryPage", exclude: ["files"]),
        .target(
            name: "FerryServer",
            dependencies: [
                "FerryAPI", "FerryAria2", "FerryCore", "FerryFoundation", "FerryPage", "FerryQueue", "FerryService",
                "FerryStore",
                "FerrySystem",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "FerryClient",
            dependencies: [
                "FerryAPI", "FerryCore", "FerryFoundation", "FerrySystem",
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        // URLSession with background sessions: the module that apps import, and its implementation.
        .target(name: "BackgroundURLSession", dependencies: implementation, exclude: [otherSystems]),
        .target(
            name: "FerryURLSession",
            dependencies: [
                "FerryAPI", "FerryClient", "FerryCore", "FerryDisk", "FerryEngine", "FerryFoundation", "FerryQueue",
                "FerryRules",
                "FerryService", "FerrySystem",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Download managers: the module that apps import.
        .target(
            name: "Ferry",
            dependencies: [
                "BackgroundURLSession", "FerryClient", "FerryCore", "FerryURLSession",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "FerryCommands",
            dependencies: [
                "FerryAPI", "FerryClient", "FerryCore", "FerryFoundation", "FerrySystem",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // A fleet: many machines that share one queue. Nothing else depends on these modules or on libpq.
        .target(
            name: "FerryFleet",
            dependencies: [
                "CFerrySystem", "FerryAPI", "FerryClient", "FerryCore", "FerryFoundation",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .systemLibrary(name: "CPostgres", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "FerryPostgres",
            dependencies: ["CPostgres", "FerryAPI", "FerryCore", "FerryFleet", "FerryFoundation"]),
        .target(
            name: "FerryFleetCommands",
            dependencies: [
                "FerryAPI", "FerryClient", "FerryCommands", "FerryCore", "FerryFleet", "FerryFoundation",
                "FerryPostgres", "FerrySystem",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Yams", package: "Yams"),
            ]),
        .executableTarget(name: "ferry-fleet", dependencies: ["FerryCommands", "FerryFleetCommands"]),
        .executableTarget(name: "ferry", dependencies: ["FerryCommands"]),
        .executableTarget(name: "ferryd", dependencies: ["FerryServer"]),
        // A console in memory, for tests of commands.
        .target(
            name: "CommandKit",
            dependencies: ["FerryCommands", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        // The shared queue in memory, for tests.
        .target(
            name: "FleetKit",
            dependencies: [
                "FerryCore", "FerryFleet", "FerryFoundation", "SeedKit",
            ]),
        .testTarget(
            name: "FerryFleetTests",
            dependencies: [
                "FerryCore", "FerryFleet", "FerryFoundation", "FleetKit",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .testTarget(
            name: "FerryPostgresTests",
            dependencies: ["FerryCore", "FerryFleet", "FerryFoundation", "FerryPostgres", "FerryTesting", "FleetKit"]),
        .testTarget(
            name: "FerryFleetCommandsTests",
            dependencies: [
                "CommandKit", "FerryCommands", "FerryCore", "FerryFleet", "FerryFleetCommands", "FerryPostgres",
                "FerryTesting", "ferry-fleet", "ferryd",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // Random numbers from a seed, for all tests.
        .target(name: "SeedKit"),
        // Misbehaving origins and daemons that crash: shared by the test targets, in no product.
        .target(
            name: "FerryTesting",
            dependencies: [
                "FerryAPI", "FerryClient", "FerryCore", "FerryDisk", "FerryEngine", "FerryRules", "SeedKit",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOResumableUpload", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]),
        .testTarget(
            name: "BackgroundURLSessionTests",
            dependencies: [
                "FerryAPI", "FerryClient", "FerryCore", "FerryEngine", "FerryRules", "FerryService", "FerryTesting",
                "FerryURLSession", "ferryd",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Clients as apps write them, in both language modes and without Ferry's own settings.
        .testTarget(
            name: "ClientSwift5Tests", dependencies: ["BackgroundURLSession"], swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "ClientSwift6Tests", dependencies: ["BackgroundURLSession"],
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")]),
        .testTarget(name: "ClientFerryTests", dependencies: ["BackgroundURLSession", "Ferry"]),
        // Histories of the daemon's service that follow from a seed, and the program of scripts/simulate. The C target is the
        // hook by which Swift's runtime gives up the jobs of its thread pool.
        .target(name: "CTaskHooks"),
        .target(
            name: "FerrySimulation",
            dependencies: [
                "CTaskHooks", "FerryCore", "FerryDisk", "FerryEngine", "FerryQueue", "FerryRules", "FerryService",
                "FerryStore",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["mistakes.txt"]),
        .executableTarget(name: "FerrySimulator", dependencies: ["FerrySimulation"]),
        // Benchmark of URLSession, run by scripts/bench.
        .executableTarget(
            name: "URLSessionBenchmark", dependencies: ["BackgroundURLSession"], path: "Benchmarks/URLSessionBenchmark"),
        // Benchmark of session managers, run by scripts/bench.
        .executableTarget(name: "FerryBenchmark", dependencies: ["Ferry"], path: "Benchmarks/FerryBenchmark"),
        // A relay that adds round-trip time before the server of scripts/bench.
        .executableTarget(
            name: "FerryRelay",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Benchmarks/FerryRelay"),
        // Apps for the tests of app termination, and their shared code.
        .target(name: "TestAppKit", dependencies: ["BackgroundURLSession"]),
        .executableTarget(
            name: "BackgroundTestApp", dependencies: ["BackgroundURLSession", "TestAppKit"]),
        .testTarget(
            name: "BackgroundProcessTests",
            dependencies: ["BackgroundTestApp", "FerryClient", "FerryCore", "FerryTesting", "ferry", "ferryd"]),
        .executableTarget(name: "FerryTestApp", dependencies: ["Ferry", "TestAppKit"]),
        .testTarget(
            name: "FerryProcessTests",
            dependencies: [
                "FerryClient", "FerryCore", "FerryQueue", "FerryRules", "FerryStore", "FerryTestApp", "FerryTesting",
                "ferry", "ferryd",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // The programs of Examples/, which is a package of its own.
        .testTarget(name: "ExampleTests", dependencies: ["FerryTesting", "ferry", "ferryd"]),
        .testTarget(name: "FerryCoreTests", dependencies: ["FerryCore"]),
        .testTarget(name: "FerryRulesTests", dependencies: ["FerryCore", "FerryRules", "SeedKit"]),
        .testTarget(
            name: "FerryQueueTests",
            dependencies: [
                "FerryCore", "FerryQueue", "FerryRules", "SeedKit",
            ]),
        .testTarget(
            name: "FerryClientTests",
            dependencies: [
                "FerryAPI", "FerryClient", "FerryCore", "FerrySystem", "FerryTesting", "SeedKit",
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .testTarget(
            name: "FerryCommandsTests",
            dependencies: [
                "CommandKit", "FerryClient", "FerryCommands", "FerryCore", "FerryTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["Help", "Manual"]),
        .testTarget(
            name: "FerryTests",
            dependencies: [
                "BackgroundURLSession", "Ferry", "FerryClient", "FerryCore", "FerryTesting", "FerryURLSession",
                "SeedKit", "ferryd",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "FerryEngineTests",
            dependencies: [
                "FerryCore", "FerryDisk", "FerryEngine", "FerryRules", "FerryTesting", "SeedKit",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .testTarget(
            name: "FerryDaemonTests",
            dependencies: [
                "FerryClient", "FerryCore", "FerryFoundation", "FerryTesting", "SeedKit", "ferry", "ferryd",
            ]),
        // The gateway's page in a browser.
        .testTarget(
            name: "FerryPageTests", dependencies: ["FerryTesting", "ferry", "ferryd"]),
        .testTarget(
            name: "FerryServiceTests",
            dependencies: [
                "FerryAPI", "FerryClient", "FerryCore", "FerryEngine", "FerryQueue", "FerryRules", "FerryServer",
                "FerryService", "FerryStore", "FerrySystem", "FerryTesting", "JournalKit", "SeedKit",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // Sample records and shortcuts for the tests of journals.
        .target(
            name: "JournalKit",
            dependencies: [
                "FerryCore", "FerryQueue", "FerryRules", "FerryStore", .product(name: "Logging", package: "swift-log"),
            ]),
        // The contract of both journals.
        .testTarget(
            name: "FerryJournalTests",
            dependencies: [
                "FerryCore", "FerryQueue", "FerryRules", "FerryService", "FerryStore", "JournalKit",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "FerrySimulationTests",
            dependencies: ["FerryCore", "FerrySimulation", "FerrySimulator", "FerryTesting"], exclude: ["Histories"]),
        .testTarget(
            name: "FerrySystemTests",
            dependencies: [
                "FerryCore", "FerryFoundation", "FerrySystem", "FerryTesting",
            ]),
        .testTarget(name: "FerryAPITests", dependencies: ["FerryAPI", "FerryCore", "FerryRules"]),
        .testTarget(
            name: "FerryAria2Tests", dependencies: ["FerryAria2", "FerryCore", "FerryFoundation", "FerryTesting"]),
        .testTarget(
            name: "FerryServerTests",
            dependencies: [
                "FerryAPI", "FerryCore", "FerryQueue", "FerryServer", "FerrySystem", "FerryTesting", "SeedKit",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "FerryStoreTests",
            dependencies: [
                "FerryCore", "FerryQueue", "FerryRules", "FerryStore", "JournalKit",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "FerryTestingTests",
            dependencies: [
                "FerryCore", "FerryTesting",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// FERRY_TARGETS, a comma-separated list of names, keeps only these targets and their dependencies. Scripts use it to build and
// link only the targets that they need.
if let names = Context.environment["FERRY_TARGETS"], !names.isEmpty {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var kept: Set<String> = []
    var open = names.split(separator: ",").map(String.init)
    while let name = open.popLast() {
        guard let target = targets[name], kept.insert(name).inserted else { continue }
        open += target.dependencies.compactMap { dependency in
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): name
            default: nil
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
}

/// The folders below Sources, which show what a part is for, and their targets. docs/architecture.md describes them.
let sources = [
    "Model": ["FerryCore"],
    "Transfer": ["FerryRules", "FerryEngine"],
    "Queue": ["FerryQueue", "FerryStore"],
    "Daemon": ["FerryService", "FerryServer", "ferryd"],
    "Control": ["FerryAPI", "FerryClient"],
    "Apps": ["FerryURLSession", "BackgroundURLSession", "Ferry"],
    "Gateway": ["FerryAria2", "FerryPage"],
    "CommandLine": ["FerryCommands", "ferry"],
    "Fleet": ["FerryFleet", "FerryPostgres", "FerryFleetCommands", "ferry-fleet"],
    "System": ["FerryFoundation", "FerryDisk", "FerrySystem", "CFerrySystem", "CPostgres"],
    "Testing": ["FerryTesting"],
]

/// The same folders below Tests.
let tests = [
    "Model": ["FerryCoreTests"],
    "Transfer": ["FerryRulesTests", "FerryEngineTests"],
    "Queue": ["FerryQueueTests", "FerryStoreTests", "FerryJournalTests", "JournalKit"],
    "Daemon": ["FerryServiceTests", "FerryServerTests", "FerryDaemonTests"],
    "Control": ["FerryAPITests", "FerryClientTests"],
    "Apps": [
        "BackgroundURLSessionTests", "BackgroundProcessTests", "BackgroundTestApp", "ClientSwift5Tests",
        "ClientSwift6Tests", "ClientFerryTests", "FerryTests", "FerryTestApp", "FerryProcessTests", "TestAppKit",
        "ExampleTests",
    ],
    "Gateway": ["FerryAria2Tests", "FerryPageTests"],
    "CommandLine": ["FerryCommandsTests", "CommandKit"],
    "Fleet": ["FerryFleetTests", "FleetKit", "FerryPostgresTests", "FerryFleetCommandsTests"],
    "System": ["FerrySystemTests"],
    "Testing": [
        "FerryTestingTests", "SeedKit", "CTaskHooks", "FerrySimulation", "FerrySimulationTests", "FerrySimulator",
    ],
]

for (root, folders) in ["Sources": sources, "Tests": tests] {
    for (folder, names) in folders {
        for target in package.targets where names.contains(target.name) {
            target.path = "\(root)/\(folder)/\(target.name)"
        }
    }
}

/// Targets with a README.md.
let documented: Set = [
    "FerryFoundation", "FerryDisk", "FerrySystem", "FerryCore", "FerryRules", "FerryEngine", "FerryQueue", "FerryStore",
    "FerryService", "FerryAPI",
    "FerryAria2",
    "FerryPage", "FerryServer", "FerryClient", "FerryCommands", "FerryFleet", "FerryPostgres", "FerryFleetCommands",
    "FerryTesting", "FerryURLSession", "BackgroundURLSession", "Ferry",
]

/// Targets without Ferry's own Swift settings.
let foreign: Set = [
    "CFerrySystem", "CPostgres", "CTaskHooks", "FerryPage", "ClientFerryTests", "ClientSwift5Tests",
    "ClientSwift6Tests",
]

// Not NonisolatedNonsendingByDefault: with Swift 6.3.1, after such a function throws, an actor's code continues off the
// actor (swiftlang/swift#88259). A test of FerryEngineTests shows when a compiler is ready for the feature.
for target in package.targets {
    if documented.contains(target.name) { target.exclude.append("README.md") }
    if foreign.contains(target.name) { continue }
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("InferIsolatedConformances"),
            .enableUpcomingFeature("ImmutableWeakCaptures"),
            .strictMemorySafety(),
        ] + (Context.environment["FERRY_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)])
}
