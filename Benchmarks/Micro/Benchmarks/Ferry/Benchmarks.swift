import Benchmark

/// Called by the program that the plugin makes. Instructions gate where the machine can count them; time is only shown.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = Benchmark.Configuration(
        metrics: [.instructions, .wallClock],
        warmupIterations: 3,
        scalingFactor: .kilo,
        maxDuration: .seconds(3),
        maxIterations: 1000,
        thresholds: [.instructions: BenchmarkThresholds(relative: [.p90: 15])])
    decisionBenchmarks()
    rangeBenchmarks()
    journalBenchmarks()
    eventBenchmarks()
}
