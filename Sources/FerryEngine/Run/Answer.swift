// Ferry: FerryEngine
// A judged response whose body has not been read.

import FerryCore

/// A response after all redirects, with its verdict; its body waits.
struct Answer: Sendable {
    let exchange: Exchange
    let head: ResponseHead
    let url: HTTPURL
    let chain: RedirectChain
    let verdict: ResumeVerdict
    /// The method of the last request.
    let method: String
    /// How it was asked for.
    let course: Course
    /// Seconds from the last request to its head.
    let setup: Double
}
