/// The file of a request: its folder, its name and its properties.
package struct RequestedFile: Hashable, Sendable {
    /// Absolute path of the file's folder.
    package var folder: String
    /// Absolute path of the partial file's folder. Nil for the file's folder.
    package var partialFolder: String?
    /// The file's name, or a path below the folder. Nil if the response decides.
    package var name: String?
    package var nameFrom: NameSource = .original
    /// The folders to which the file is limited, after links are resolved. Nil for no limit.
    package var allowedFolders: AllowedFolders?
    package var createFolders = true
    /// The umask for the file and created folders. Nil for the daemon's.
    package var umask: FileMask?
    package var onConflict: ConflictPolicy = .unique
    package var onFullDisk: FullDiskPolicy = .wait
    package var remoteTime = false
    package var originAttribute = false
    /// Whether the file stays in the service's spool until its client takes it. The service then chooses `folder` and
    /// `name`.
    package var spooled = false
    /// The partial file of an earlier transfer.
    package var continues: PartialSource?

    package init(folder: String) { self.folder = folder }
}

extension RequestedFile {
    typealias CodingKeys = TransferRequest.CodingKeys

    /// Decodes the group's keys of a request's JSON object. Absent keys have default values.
    ///
    /// - Parameter direction: An upload's response needs no folder.
    init(from box: KeyedDecodingContainer<CodingKeys>, _ direction: TransferDirection) throws {
        let given = direction == .upload ? try box.decodeIfPresent(String.self, forKey: .folder) ?? "" : nil
        self.init(folder: try given ?? box.decode(String.self, forKey: .folder))
        partialFolder = try box.decodeIfPresent(String.self, forKey: .partialFolder)
        name = try box.decodeIfPresent(String.self, forKey: .name)
        try box.take(.nameFrom, into: &nameFrom)
        allowedFolders = try box.decodeIfPresent(AllowedFolders.self, forKey: .allowedFolders)
        try box.take(.createFolders, into: &createFolders)
        umask = try box.decodeIfPresent(FileMask.self, forKey: .umask)
        try box.take(.onConflict, into: &onConflict)
        try box.take(.onFullDisk, into: &onFullDisk)
        try box.take(.remoteTime, into: &remoteTime)
        try box.take(.originAttribute, into: &originAttribute)
        try box.take(.spooled, into: &spooled)
        continues = try box.decodeIfPresent(PartialSource.self, forKey: .continues)
    }

    func encode(to box: inout KeyedEncodingContainer<CodingKeys>) throws {
        let usual = RequestedFile(folder: folder)
        try box.encode(folder, forKey: .folder)
        try box.encodeIfPresent(partialFolder, forKey: .partialFolder)
        try box.encodeIfPresent(name, forKey: .name)
        try box.put(nameFrom, .nameFrom, unless: usual.nameFrom)
        try box.encodeIfPresent(allowedFolders, forKey: .allowedFolders)
        try box.put(createFolders, .createFolders, unless: usual.createFolders)
        try box.encodeIfPresent(umask, forKey: .umask)
        try box.put(onConflict, .onConflict, unless: usual.onConflict)
        try box.put(onFullDisk, .onFullDisk, unless: usual.onFullDisk)
        try box.put(remoteTime, .remoteTime, unless: usual.remoteTime)
        try box.put(originAttribute, .originAttribute, unless: usual.originAttribute)
        try box.put(spooled, .spooled, unless: usual.spooled)
        try box.encodeIfPresent(continues, forKey: .continues)
    }
}
