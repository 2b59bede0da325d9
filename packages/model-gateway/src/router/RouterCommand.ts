/** `model-gateway router`: what `auto` decides, and by what. */
import { Command } from "effect/cli"
import { diff } from "./RouterDiffCommand.ts"
import { evaluate } from "./RouterEvalCommand.ts"
import { explain } from "./RouterExplainCommand.ts"
import { exportOutcomes } from "./RouterExportCommand.ts"
import { train } from "./RouterTrainCommand.ts"

export const router = Command.make("router").pipe(
  Command.withDescription(
    'The router behind model "auto": explain decisions, export outcomes, evaluate the router and train your own model.'
  ),
  Command.withShortDescription("Explain, evaluate and train the router behind auto"),
  Command.withSubcommands([explain, exportOutcomes, train, evaluate, diff]),
  Command.withExamples([
    { command: 'model-gateway router explain "Prove that 2 is prime"' },
    { command: "model-gateway router export > outcomes.jsonl" },
    { command: "model-gateway router train outcomes.jsonl --out my-router.json" },
    { command: "model-gateway router eval outcomes.jsonl" },
    { command: "model-gateway router diff prompts.jsonl" }
  ])
)
