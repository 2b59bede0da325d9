/**
 * Messages of `effect/cli` itself. Stdout has results alone, so that a program that reads it never gets an unexpected help text. Each
 * mistake is one line on stderr, without a help page that hides it.
 */
import { Console, Effect } from "effect"
import { CliOutput } from "effect/cli"
import { asCalled } from "./Environment.ts"
import { mistakeOf } from "./Mistake.ts"

export const layerPresenter = CliOutput.layerPresenter({
  present: (event) => {
    switch (event._tag) {
      case "InvalidInvocation": {
        const command = event.commandPath.join(" ")
        const mistakes = event.errors.map((error) => printable(mistakeOf(error)))
        return Effect.flatMap(seeHelpOf(command), (hint) => Console.error([...mistakes, hint].join("\n")))
      }
      case "Help":
        return event.reason === "Implicit" && event.commandPath.length > 1
          ? Effect.flatMap(commandMissing(event), Console.error)
          : CliOutput.defaultPresenter.present(event)
      case "Version":
        return Console.log(`${event.name} ${event.version}`)
    }
  }
})

/** A group of commands was named, and none of them. */
const commandMissing = ({ commandPath, helpDoc }: CliOutput.Presenter.Help) => {
  const path = commandPath.join(" ")
  const names = (helpDoc.subcommands ?? []).flatMap((group) => group.commands.map((command) => command.name))
  const missing = `${path} needs a subcommand: ${names.join(", ")}`
  return Effect.map(seeHelpOf(path), (hint) => `${missing}\n${hint}`)
}

const seeHelpOf = (command: string) => asCalled(`See: ${command} --help`)

/** Arguments are echoed: they must not steer the terminal. */
const printable = (text: string): string =>
  text
    .split(/\s*\n\s*/)
    .join(" ")
    // oxlint-disable-next-line no-control-regex
    .replace(/[\x00-\x1f\x7f-\x9f]/g, "?")
