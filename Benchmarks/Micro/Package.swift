// swift-tools-version: 6.2
import PackageDescription

// The modules are symbolic links to Ferry's own: what is measured has package access, and no product shows it.
let package = Package(
    name: "FerryMicrobenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .target(name: "FerryCore", exclude: ["README.md"]),
        .target(name: "FerryAPI", dependencies: ["FerryCore"], exclude: ["README.md"]),
        .target(
            name: "FerryStore",
            dependencies: [
                "FerryCore",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["README.md"]),
        .executableTarget(
            name: "Ferry",
            dependencies: [
                "FerryAPI", "FerryCore", "FerryStore",
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks/Ferry",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .plugin {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"), .enableUpcomingFeature("ImmutableWeakCaptures"),
    ]
}
