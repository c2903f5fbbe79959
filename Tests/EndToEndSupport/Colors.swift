import Foundation

/// A colour in front of another one, as CSS writes computed colours.
package struct Colors: Decodable, Sendable, Hashable {
    package let color: String
    package let background: String

    /// How well one is seen on the other, from 1 to 21 (WCAG 2.2, contrast ratio); nil where a colour is none
    /// that covers what is behind it.
    package var contrast: Double? {
        guard let front = Self.luminance(color), let back = Self.luminance(background) else { return nil }
        return (max(front, back) + 0.05) / (min(front, back) + 0.05)
    }

    /// The relative luminance of `rgb(1, 2, 3)`, from 0 to 1.
    private static func luminance(_ text: String) -> Double? {
        guard let match = text.wholeMatch(of: /rgb\((\d+), (\d+), (\d+)\)/),
            let red = Double(match.output.1), let green = Double(match.output.2),
            let blue = Double(match.output.3)
        else { return nil }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    private static func linear(_ value: Double) -> Double {
        let share = value / 255
        return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
}
