import FerryTesting
import Foundation

/// A message bus service with a name, and with properties that a test changes.
final class FakeBusService: Sendable {
    enum Value: Sendable {
        case number(Int)
        case text(String)
        case truth(Bool)

        fileprivate var json: String {
            switch self {
            case .number(let number): "[\"u\", \(number)]"
            case .text(let text): "[\"s\", \"\(text)\"]"
            case .truth(let truth): "[\"b\", \(truth ? 1 : 0)]"
            }
        }
    }

    private let orders: String
    private let process: ChildProcess

    init(_ name: String, _ properties: [String: Value], socket: String, in folder: TemporaryFolder) throws {
        let files = folder.file("service-" + UUID().uuidString)
        orders = files + ".orders"
        guard unsafe mkfifo(orders, 0o600) == 0 else { throw TestingError("A pipe cannot be made.") }
        process = try ChildProcess(
            ChildProcess.Command(
                PrivateBus.python, ["-c", Self.program, socket, name, orders, Self.json(properties)], environment: [:],
                folder: folder.path), files: files)
    }

    /// Changes properties and announces the change, as services do.
    func set(_ properties: [String: Value]) throws {
        guard let pipe = FileHandle(forWritingAtPath: orders) else { throw TestingError("The service is gone.") }
        try pipe.write(contentsOf: Data((Self.json(properties) + "\n").utf8))
        try pipe.close()
    }

    func end() async {
        process.send(SIGKILL)
        _ = await process.result()
    }

    private static func json(_ properties: [String: Value]) -> String {
        "{" + properties.map { "\"\($0.key)\": \($0.value.json)" }.joined(separator: ", ") + "}"
    }

    /// Implements D-Bus itself over the socket, so that only an interpreter is needed.
    private static let program = #"""
        import json, os, select, socket, struct, sys

        path, name, orders, properties = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
        serial = 0

        def pad(data, size): return data + b"\0" * (-len(data) % size)
        def text(value): return struct.pack("<I", len(value.encode())) + value.encode() + b"\0"

        def send(kind, fields, signature=b"", body=b""):
            global serial
            serial += 1
            if signature: fields = fields + [(8, b"g", bytes([len(signature)]) + signature + b"\0")]
            array = b""
            for code, form, value in fields:
                array = pad(array, 8) + bytes([code, 1]) + form + b"\0" + value
            head = struct.pack("<cBBBII", b"l", kind, 0, 1, len(body), serial)
            bus.sendall(pad(head + struct.pack("<I", len(array)) + array, 8) + body)

        def call(member, signature=b"", body=b""):
            send(1, [(1, b"o", text("/org/freedesktop/DBus")), (2, b"s", text("org.freedesktop.DBus")),
                     (3, b"s", text(member)), (6, b"s", text("org.freedesktop.DBus"))], signature, body)

        def receive(count):
            data = b""
            while len(data) < count:
                more = bus.recv(count - len(data))
                if not more: sys.exit(0)
                data += more
            return data

        def message():
            head = receive(16)
            kind, length, number, size = head[1], *struct.unpack("<III", head[4:])
            array, fields, at = receive(size + -size % 8), {}, 0
            while at < size:
                at += -at % 8
                code, form = array[at], array[at + 2:at + 3]
                at += 4
                if form in b"so":
                    (count,) = struct.unpack_from("<I", array, at)
                    fields[code] = array[at + 4:at + 4 + count].decode()
                    at += 5 + count
                elif form == b"g":
                    fields[code] = array[at + 1:at + 1 + array[at]]
                    at += 2 + array[at]
                else:
                    (fields[code],) = struct.unpack_from("<I", array, at)
                    at += 4
            return kind, number, fields, receive(length)

        def answer(number, fields, body):
            reply = [(5, b"u", struct.pack("<I", number)), (6, b"s", text(fields[7]))]
            (count,) = struct.unpack_from("<I", body, 0)
            at = (4 + count + 1 + 3) // 4 * 4
            (count,) = struct.unpack_from("<I", body, at)
            form, value = properties.get(body[at + 4:at + 4 + count].decode(), (None, None))
            if form is None: return send(3, reply + [(4, b"s", text("org.example.Unknown"))])
            data = text(value) if form == "s" else struct.pack("<I", value)
            send(2, reply, b"v", pad(b"\1" + form.encode() + b"\0", 4) + data)

        def announce(names):
            body = pad(pad(text(name), 4) + struct.pack("<I", 0), 8)
            list = b""
            for each in names: list = pad(list, 4) + text(each)
            place = "/" + name.replace(".", "/")
            send(4, [(1, b"o", text(place)), (2, b"s", text("org.freedesktop.DBus.Properties")),
                     (3, b"s", text("PropertiesChanged"))], b"sa{sv}as", body + struct.pack("<I", len(list)) + list)

        bus = socket.socket(socket.AF_UNIX)
        bus.connect(path)
        bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        line = b""
        while not line.endswith(b"\r\n"): line += receive(1)
        bus.sendall(b"BEGIN\r\n")
        call("Hello")
        call("RequestName", b"su", pad(text(name), 4) + struct.pack("<I", 0))
        pipe = os.open(orders, os.O_RDWR)
        while True:
            for ready in select.select([bus, pipe], [], [])[0]:
                if ready is bus:
                    kind, number, fields, body = message()
                    if kind == 1 and fields.get(3) == "Get": answer(number, fields, body)
                else:
                    for order in os.read(pipe, 65536).decode().splitlines():
                        changed = json.loads(order)
                        properties.update(changed)
                        announce(changed)
        """#
}
