/** The models of the demo vendor: four that answer, one for each kind of routing bucket, and those that misbehave on request. */
import type { Capability } from "../../core/Deployment.ts"
import type { ConfiguredPrice } from "../../core/Settings.ts"
import { readFault, type Fault } from "./Faults.ts"

export interface DemoModel {
  readonly name: string
  /** Tokens of input and output together. */
  readonly contextWindow: number
  readonly maxOutputTokens: number
  /** Invented, in the proportions of real price lists, so that costs, budgets and the ledger have something to show. */
  readonly price: ConfiguredPrice
  readonly supports: ReadonlyArray<Capability>
  readonly fault: Fault
}

const supports: ReadonlyArray<Capability> = ["chat", "stream", "tools", "json_schema", "images"]

const price = (input: number, cachedInput: number, output: number): ConfiguredPrice => ({
  input,
  cachedInput,
  cacheWrite: undefined,
  output,
  reasoning: undefined
})

const mini = { contextWindow: 16_384, maxOutputTokens: 4_096, price: price(0.1, 0.025, 0.4), supports }
const standard = { contextWindow: 131_072, maxOutputTokens: 16_384, price: price(0.5, 0.125, 2), supports }
const large = { contextWindow: 1_048_576, maxOutputTokens: 32_768, price: price(2, 0.5, 8), supports }
const reasoner = {
  contextWindow: 262_144,
  maxOutputTokens: 65_536,
  price: price(3, 0.75, 12),
  supports: [...supports, "reasoning" as const]
}

const answering = { mini, standard, large, reasoner }

/** The models that answer, cheapest first. */
export const demoModels: ReadonlyArray<DemoModel> = Object.entries(answering).map(([name, model]) => ({
  ...model,
  name,
  fault: { kind: "none" }
}))

/** The model of this name; one with a fault is otherwise like `standard`. Undefined: there is none. */
export const demoModel = (name: string): DemoModel | undefined => {
  const model = demoModels.find((one) => one.name === name)
  if (model !== undefined) return model
  const fault = readFault(name)
  return fault === undefined ? undefined : { ...standard, name, fault }
}
