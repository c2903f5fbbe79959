internal import ArgumentParser

/// Whether there are colours in what a person reads.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never

    /// By the variables of bixense.com/clicolors and no-color.org where it is left to us, in gh's order.
    func isOn(_ settings: Settings, isTerminal: Bool) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .auto:
            func value(_ name: String) -> String { settings.environment[name] ?? "" }
            if !["", "0"].contains(value("CLICOLOR_FORCE")) { return true }
            if !value("NO_COLOR").isEmpty || value("CLICOLOR") == "0" { return false }
            return isTerminal && settings.terminalMoves
        }
    }
}
