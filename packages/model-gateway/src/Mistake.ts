/** The error of a command line as a sentence that says what would be right. */
import type { CliError } from "effect/cli"

export const mistakeOf = (error: CliError.CliError): string => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const where = error.command === undefined ? "" : ` of ${error.command.join(" ")}`
      return `There is no flag ${error.option}${where}.${suggested(error.suggestions)}`
    }
    case "UnknownSubcommand": {
      const where = error.parent === undefined ? "" : ` ${error.parent.join(" ")}`
      return `There is no command${where} ${error.subcommand}.${suggested(error.suggestions)}`
    }
    case "InvalidValue": {
      // A switch with a value.
      if (error.expected.startsWith("omit")) return error.message
      const what = error.kind === "argument" ? `<${error.option}>` : `--${error.option}`
      const not = error.value === "" ? "" : `, not "${error.value}"`
      return `${what} takes ${expectedBy(error.expected)}${not}.`
    }
    default:
      return error.message
  }
}

const suggested = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : ` Did you mean ${names.join(" or ")}?`

/** The library's names of types, in words. */
const types: Readonly<Record<string, string>> = {
  "a string representing a finite number": "a number",
  "an integer": "a whole number"
}

/** Words of a closed list come as `"a" | "b"`. */
const expectedBy = (expected: string): string => {
  const bare = expected.replace(/^Expected:? /, "")
  if (!bare.startsWith('"')) return types[bare] ?? bare
  const words = bare.split(" | ").map((word) => word.replaceAll('"', ""))
  return words.length === 1 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`
}
