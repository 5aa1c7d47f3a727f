// Ferry: FerryCommands
// Words of the core as option values.

import ArgumentParser
import FerryCore

extension ConflictPolicy: ExpressibleByArgument {}

extension Priority: ExpressibleByArgument {
    package init?(argument: String) { self.init(word: argument) }

    package var defaultValueDescription: String { word }
}

extension TransferState: ExpressibleByArgument {
    package init?(argument: String) {
        guard let state = TransferState(rawValue: argument), state != .unknown else { return nil }
        self = state
    }

    package static var allValueStrings: [String] { known.map(\.rawValue) }
}
