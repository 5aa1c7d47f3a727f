// Ferry: FerryEngine
// Why we ended an exchange ourselves.

import FerryCore

/// Ends of an exchange that are our own decision and no failure; carried as errors through the HTTP client.
enum ExchangeEnd {
    /// The service asked for the transfer to stop.
    static let stopped = TransferError(.canceled, "The transfer was stopped.")
}

/// What was asked has arrived; the rest of the response is not wanted.
struct EnoughReceived: Error {}
