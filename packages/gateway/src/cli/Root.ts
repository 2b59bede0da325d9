/**
 * All commands of `model-gateway`.
 */
import { Command } from "effect/cli"
import { check } from "./Check.ts"
import { demo } from "./Demo.ts"
import { init } from "./Init.ts"
import { serve } from "./Serve.ts"

export const root = Command.make("model-gateway").pipe(
  Command.withDescription("One HTTP gateway in front of many model providers: keys, limits, budgets, failover and routing."),
  Command.withSubcommands([{ group: "Set up and run", commands: [demo, init, check, serve] }]),
  Command.withExamples([
    { command: "model-gateway init", description: "Write a configuration file to start from" },
    { command: "model-gateway keys create --name my-app --budget 10/day", description: "Make a key for a caller" }
  ])
)
