/// Calls a closure for each value, all at the same time.
func concurrently<Value: Sendable>(
    _ values: [Value], isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Value) async -> Void
) async {
    await withDiscardingTaskGroup { group in
        for value in values { group.addTask { await body(value) } }
    }
}
