/// HTML. Values that are put into it are escaped.
struct HTML: ExpressibleByStringInterpolation, CustomStringConvertible {
    let description: String

    init(stringLiteral value: String) {
        description = value
    }

    init(stringInterpolation: Interpolation) {
        description = stringInterpolation.text
    }

    private init(text: String) {
        description = text
    }

    static func + (one: HTML, other: HTML) -> HTML { HTML(text: one.description + other.description) }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        mutating func appendInterpolation(_ html: HTML?) {
            text += html?.description ?? ""
        }

        mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.description }
        }

        /// Text, or the value of an attribute in double quotes.
        mutating func appendInterpolation(_ value: String) {
            for character in value.unicodeScalars {
                switch character {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                default: text.unicodeScalars.append(character)
                }
            }
        }
    }
}
