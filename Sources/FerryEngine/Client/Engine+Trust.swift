// Ferry: FerryEngine
// The trust of requests.

package import FerryCore

extension Engine {
    /// Looks whether the files of a request's trust can be used.
    ///
    /// - Throws: ``TransferError`` with code `invalid_request` that names the file which cannot.
    package func check(_ trust: RequestTrust?) async throws(TransferError) { _ = try await material(of: trust) }

    /// Where the certificates of a trust are read: those on a disk that does not answer hold up no others.
    func certificates(of trust: TrustMaterial?) -> DiskQueue { certificates(of: trust?.trust ?? RequestTrust()) }

    private func certificates(of trust: RequestTrust) -> DiskQueue {
        let path = trust.authorities.first ?? trust.certificate ?? trust.key
        return disk.at(.folder(path?.folderPart ?? "certificates of the system"))
    }

    /// What the connections of a request show and trust; its files are read if they have changed.
    ///
    /// - Throws: ``TransferError`` with code `invalid_request` that names the file which cannot be used.
    func material(of trust: RequestTrust?) async throws(TransferError) -> RequestMaterial {
        guard let trust else { return RequestMaterial() }
        // Where the engine trusts the system's roots too, requests share its connections.
        if trust.isUsual, configuration.trust.isUsual { return RequestMaterial() }
        let files = trustFiles
        let looked = await certificates(of: trust).result { _ throws(DiskError) in
            Result { () throws(TransferError) -> RequestMaterial in
                let home = try files.read(trust)
                let foreign = trust.foreign == trust ? home : try files.read(trust.foreign)
                return RequestMaterial(home: home, foreign: foreign)
            }
        }
        switch looked {
        case .success(let result): return try result.get()
        case .failure(let error): throw error.transferError
        }
    }
}
