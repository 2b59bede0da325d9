/** The commands of a process whose first argument is `serve`. It loads none of the others: a start is sooner and keeps less. */
import { Command } from "effect/cli"
import { product } from "../Product.ts"
import { serve } from "./Serve.ts"

export const root = product.pipe(Command.withSubcommands([serve]))
