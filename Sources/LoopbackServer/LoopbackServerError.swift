/// Why nothing listens.
package enum LoopbackServerError: Error, Sendable, Hashable {
    /// Every port of the range is in use.
    case portBusy(ClosedRange<Int>)
    /// The system refuses, with its error number; nil where it gave none.
    case cannotBind(errno: Int32?)
}
