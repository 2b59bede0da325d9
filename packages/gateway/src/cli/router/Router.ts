/**
 * `model-gateway router`: what `auto` decides, and by what.
 */
import { Command } from "effect/cli"
import { explain } from "./Explain.ts"

export const router = Command.make("router").pipe(
  Command.withDescription('The router behind model "auto": why a prompt goes where it goes.'),
  Command.withShortDescription("Look into the router behind auto"),
  Command.withSubcommands([explain]),
  Command.withExamples([{ command: 'model-gateway router explain "Prove that 2 is prime"' }])
)
