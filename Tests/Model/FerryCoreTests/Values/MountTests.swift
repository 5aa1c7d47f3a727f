import FerryCore
import Testing

@Suite struct `A mount` {
    private static let usb = Mount(point: "/mnt/usb", type: 0xEF53, id: 7)

    @Test(
        arguments: [
            (Mount(point: "/mnt/usb", type: 0xEF53, id: 7), nil),
            (Mount(point: "/", type: 0xEF53, id: 1), .unmounted),
            (Mount(point: "/mnt", type: 1), .unmounted),
            (Mount(point: "/mnt/usb", type: 0xEF53, id: 8), .another),
            (Mount(point: "/mnt/usb", type: 1), .another),
            // The folder moved to another disk, to which its path now leads.
            (Mount(point: "/mnt/usb2", type: 1), nil),
            (Mount(point: "/mnt/us", type: 1), nil),
            (Mount(point: "/mnt/usb/inner", type: 1), nil),
        ] as [(Mount, Mount.Difference?)])
    func `that a folder is on is compared with the recorded one`(now: Mount, difference: Mount.Difference?) {
        #expect(Self.usb.difference(to: now) == difference)
    }

    @Test func `without an id is told by its place and type`() {
        let mount = Mount(point: "/media/stick", type: 0x4d44)
        #expect(mount.difference(to: Mount(point: "/media/stick", type: 0x4d44, id: 3)) == nil)
        #expect(mount.difference(to: Mount(point: "/", type: 0xEF53)) == .unmounted)
    }
}
