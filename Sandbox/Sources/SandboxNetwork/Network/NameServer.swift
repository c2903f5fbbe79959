import NIOCore
import NIOPosix
import Synchronization

/// Answers questions for TXT records over UDP (RFC 1035), on a port of loopback that it takes when the first name is set.
final class NameServer: Sendable {
    private let records = Mutex<[String: [String]]>([:])
    private let starting = Mutex<EventLoopFuture<any Channel>?>(nil)

    /// Sets the texts of a name; none removes it. Names are compared without regard to case.
    ///
    /// - Returns: where to ask, as `127.0.0.1:PORT`.
    func set(_ texts: [String], of name: String) async throws -> String {
        records.withLock { $0[name.lowercased()] = texts.isEmpty ? nil : texts }
        let channel = try await listening().get()
        return "127.0.0.1:\(channel.localAddress?.port ?? 0)"
    }

    private func listening() -> EventLoopFuture<any Channel> {
        starting.withLock { starting in
            if let starting { return starting }
            let bound = DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { [self] channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Handler(server: self))
                    }
                }
                .bind(host: "127.0.0.1", port: 0)
            starting = bound
            return bound
        }
    }

    /// The answer to a message; nil for one that is no question.
    private func answer(_ message: [UInt8]) -> [UInt8]? {
        guard let question = Question(message) else { return nil }
        let texts = records.withLock { $0[question.name.lowercased()] }
        let found = question.isForTexts ? texts ?? [] : []
        // An authoritative answer; code 3 is for a name that does not exist.
        let head = Array(message[..<2]) + [0x84 | message[2] & 1, texts == nil ? 3 : 0, 0, 1]
        return head + Self.number(found.count) + [0, 0, 0, 0] + question.bytes
            + found.flatMap { text in
                let data = Self.strings(text)
                // The name of the question, TXT, IN, one minute.
                return [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60] + Self.number(data.count) + data
            }
    }

    /// A text as strings of at most 255 bytes (RFC 1035 §3.3.14).
    private static func strings(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return [0] }
        return stride(from: 0, to: bytes.count, by: 255).flatMap { start in
            let part = bytes[start..<min(start + 255, bytes.count)]
            return [UInt8(part.count)] + part
        }
    }

    private static func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xff), UInt8(value & 0xff)] }

    private struct Question {
        let name: String
        let isForTexts: Bool
        /// The question as it came.
        let bytes: ArraySlice<UInt8>

        init?(_ message: [UInt8]) {
            guard message.count > 16, message[2] & 0x80 == 0, message[4] == 0, message[5] == 1 else {
                return nil
            }
            var labels: [String] = []
            var place = 12
            while place < message.count, message[place] != 0 {
                let end = place + 1 + Int(message[place])
                guard message[place] < 64, end < message.count else { return nil }
                labels.append(String(decoding: message[place + 1..<end], as: UTF8.self))
                place = end
            }
            guard place + 5 <= message.count else { return nil }
            name = labels.joined(separator: ".")
            isForTexts = message[place + 1] == 0 && message[place + 2] == 16
            bytes = message[12..<place + 5]
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        typealias OutboundOut = AddressedEnvelope<ByteBuffer>

        private let server: NameServer

        init(server: NameServer) {
            self.server = server
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let envelope = unwrapInboundIn(data)
            guard let answer = server.answer(Array(envelope.data.readableBytesView)) else { return }
            let reply = AddressedEnvelope(
                remoteAddress: envelope.remoteAddress, data: context.channel.allocator.buffer(bytes: answer))
            context.writeAndFlush(wrapOutboundOut(reply), promise: nil)
        }
    }
}
