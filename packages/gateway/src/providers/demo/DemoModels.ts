/**
 * The models of the demo vendor: those that answer, and those that misbehave on request. Their prices and sizes are in the
 * catalogue, with every other vendor's.
 */
import { readFault, type Fault } from "./DemoFaults.ts"

interface DemoModel {
  readonly name: string
  readonly thinks: boolean
  readonly fault: Fault
}

/** The models that answer, cheapest first. */
export const demoModels: ReadonlyArray<DemoModel> = ["mini", "standard", "large", "reasoner"].map((name) => ({
  name,
  thinks: name === "reasoner",
  fault: { kind: "none" }
}))

/** The model of this name; one with a fault is otherwise like `standard`. Undefined: there is none. */
export const demoModel = (name: string): DemoModel | undefined => {
  const model = demoModels.find((one) => one.name === name)
  if (model !== undefined) return model
  const fault = readFault(name)
  return fault === undefined ? undefined : { name, thinks: false, fault }
}
