/// Why the server could not listen.
package enum LoopbackServerError: Error, Sendable, Hashable {
    /// Every port of the range is in use.
    case portBusy(ClosedRange<Int>)
    /// The system refused, with its error number if it gave one.
    case cannotBind(errno: Int32?)
}
