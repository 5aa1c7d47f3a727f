import FerryCore

/// Numbers as text: the limits of their ranges, and values beyond.
enum NumberText {
    /// Returns JSON numbers, and texts that other programs write instead.
    ///
    /// - Parameter keys: A text that contains the keys whose limits are included.
    static func json(for keys: String) -> [String] {
        let others = [
            "-0.0", "0.5", "1e-300", "1e18", "1e300", "-1e300", "1e309", "NaN", "Infinity", "\"NaN\"", "\"7\"",
        ]
        return whole + others + ends(of: keys).filter { !whole.contains($0) }
    }

    /// Integers for HTTP fields and command lines.
    static let whole = [
        "-9223372036854775808", "-1", "-0", "0", "1", "9007199254740992", "999999999999999999", "1000000000000000000",
        "9223372036854775807", "9223372036854775808", "18446744073709551615", "99999999999999999999999999999999",
    ]

    /// Returns the limits of some ranges, and their neighbors.
    private static func ends(of keys: String) -> [String] {
        let ranges =
            SettingRange<Int>.all.map { ($0.key, [Int64($0.allowed.lowerBound), Int64($0.allowed.upperBound)]) }
            + SettingRange<Int64>.all.map { ($0.key, [$0.allowed.lowerBound, $0.allowed.upperBound]) }
            + SettingRange<Double>.all.map { ($0.key, [Int64($0.allowed.lowerBound), Int64($0.allowed.upperBound)]) }
        let numbers = ranges.filter { keys.contains("\($0.0)") }.flatMap(\.1)
        return Set(numbers.flatMap { [$0.addingSaturated(-1), $0, $0.addingSaturated(1)] }).sorted().map(String.init)
    }

    /// The keys of a request, with `#` in place of the number.
    static let request = [
        #""rate_limit":#"#, #""connections":#"#, #""retries":#"#, #""status_retries":#"#, #""give_up_after":#"#,
        #""expected_size":#"#, #""max_size":#"#, #""min_speed":#"#, #""min_speed":1,"min_speed_time":#"#,
        #""idle_timeout":#"#, #""resource_timeout":#"#, #""priority":#"#,
        #""status_policy":"strict","acceptable_statuses":{"lower":#,"upper":600}"#,
        #""acceptable_statuses":{"lower":100,"upper":#}"#,
        #""method":"PUT","body":{"file":{"_0":{"path":"/etc/passwd","size":#,"modified":0}}}"#,
        #""method":"PUT","body":{"file":{"_0":{"path":"/etc/passwd","size":1,"modified":#}}}"#,
        #""spooled":true,"continues":{"path":"/nowhere","offset":#}"#,
        #""spooled":true,"continues":{"path":"/nowhere","offset":1,"complete_length":#}"#,
        #""note":{"application":"a","identifier":"i","task":#,"kind":"download","data":""}"#,
        rule(#""initial_delay":#"#), rule(#""multiplier":#"#), rule(#""maximum_delay":#"#), rule(#""jitter":#"#),
        rule(#""maximum_attempts_without_progress":#"#), rule(#""doubtful_retries":#"#),
        rule(#""unreachable_retries":#"#),
        rule(#""status_codes":[503,#]"#),
        rule(#""expired_status_codes":[#]"#),
    ]

    private static func rule(_ changed: String) -> String {
        let usual = [
            #""initial_delay":1"#, #""multiplier":2"#, #""maximum_delay":300"#, #""jitter":0.2"#, #""status_codes":[]"#,
            #""expired_status_codes":[]"#,
        ]
        let key = changed.prefix { $0 != ":" }
        let rest = usual.filter { !$0.hasPrefix(key) }
        return #""retry_rule":{"# + (rest + [changed]).joined(separator: ",") + "}"
    }

    static let settings = [
        "connections_per_host", "connections_total", "active_transfers", "rate_limit", "reserve",
    ]
    static let session = ["active_transfers", "host_connections", "rate_limit", "idle_timeout"]
}
