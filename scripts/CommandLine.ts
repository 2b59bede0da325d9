/** The options of a script: `--help` says what it does; what makes no sense ends it with a sentence and exit code 2. */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: Options }>>["values"]

export const commandLine = <const Options extends ParseArgsOptionsConfig>(
  help: string,
  options: Options
): Values<Options> => {
  if (process.argv.includes("--help")) {
    console.log(help)
    process.exit(0)
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    const [why = ""] = String(error instanceof Error ? error.message : error).split(". ")
    return refuse(`${why}; --help lists the options`)
  }
}

export const refuse: (why: string) => never = (why) => {
  console.error(why)
  process.exit(2)
}

/** A whole number of at least `from`, or the end. */
export const whole = (name: string, text: string, from: number): number => {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= from) return number
  return refuse(`--${name} must be a whole number of at least ${from}, not ${text}`)
}
