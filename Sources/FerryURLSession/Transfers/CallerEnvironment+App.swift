// Ferry: FerryURLSession
// What an app's requests take along of its environment.

import FerryClient
package import FerryCore
import Foundation

extension CallerEnvironment {
    /// That of this app at this moment.
    package static var ofApp: CallerEnvironment {
        CallerEnvironment(
            variables: ProcessInfo.processInfo.environment, umask: .ofProcess,
            currentFolder: FileManager.default.currentDirectoryPath)
    }

    /// That of a session: its configuration's own proxies take the place of the app's.
    static func of(_ configuration: URLSessionConfiguration) -> CallerEnvironment {
        var caller = ofApp
        caller.proxies = ProxyMapping.environment(configuration.connectionProxyDictionary, inherited: caller.proxies)
        return caller
    }
}
