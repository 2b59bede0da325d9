/** The environment variables of the process, as the one place where commands get them from. */
import { createInterface } from "node:readline"
import { Console, Context, Effect } from "effect"

type Variables = Readonly<Record<string, string | undefined>>

export const Environment = Context.Reference<Variables>("gateway/cli/Environment", {
  defaultValue: () => process.env
})

/** Whether the output goes to a terminal. */
export const IsTerminal = Context.Reference<boolean>("gateway/cli/IsTerminal", {
  defaultValue: () => Boolean(process.stdout.isTTY)
})

/** Prompts at the terminal and returns the typed line; undefined without a terminal. */
export const Ask = Context.Reference<((question: string) => Effect.Effect<string>) | undefined>("gateway/cli/Ask", {
  defaultValue: () => (process.stdin.isTTY && process.stdout.isTTY ? asked : undefined)
})

const asked = (question: string): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout })
    // The end of the input is no yes.
    lines.once("close", () => resume(Effect.succeed("")))
    lines.question(question, (line) => {
      resume(Effect.succeed(line))
      lines.close()
    })
    return Effect.sync(() => lines.close())
  })

/** How this program is called where it runs: from a clone, by npx, or installed. */
const nameOf = ({ npm_command: by, npm_lifecycle_event: script }: Variables): string => {
  if (script === "gateway" || script === "start") return "npm run gateway --"
  return by === "exec" ? "npx model-gateway" : "model-gateway"
}

/** Text whose commands (`model-gateway keys create`) work as they stand in the place where this program runs. */
export const asCalled = (text: string) =>
  Effect.map(Environment, (environment) =>
    text.replaceAll(/\bmodel-gateway (?=[a-z]|--help)/g, `${nameOf(environment)} `)
  )

/** On stdout, with commands as they are called here. */
export const say = (text: string) => Effect.flatMap(asCalled(text), Console.log)
