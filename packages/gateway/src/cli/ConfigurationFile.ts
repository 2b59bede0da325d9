/** The flags that name a configuration file: one to read, one to write. */
import { Flag } from "effect/cli"

const DEFAULT = "gateway.yaml"

/** `what`: what is read from it. */
export const fileToRead = (what = "the configuration file: .yaml, .toml or .json") =>
  Flag.String("config").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(`${what} (default: ${DEFAULT})`),
    Flag.withDefault(DEFAULT)
  )

/** `flag`: its name. */
export const fileToWrite = (flag: string) =>
  Flag.String(flag).pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(`the file to write (default: ${DEFAULT})`),
    Flag.filter(
      (file) => /\.ya?ml$/i.test(file),
      () => "a name that ends in .yaml: that is what gets written"
    ),
    Flag.withDefault(DEFAULT)
  )
