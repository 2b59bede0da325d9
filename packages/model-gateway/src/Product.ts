/** The command itself, before it has any commands. */
import { Command } from "effect/cli"

export const product = Command.make("model-gateway").pipe(
  Command.withDescription(
    "One HTTP gateway in front of many model providers: keys, limits, budgets, failover and routing."
  )
)
