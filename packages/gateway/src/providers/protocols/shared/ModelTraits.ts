import { type ModelFacts, noFacts } from "../../../core/domain/models/ModelFacts.ts"

/** `traitsOf`, which runs once for the facts of each model. */
export const byFacts = <Traits>(traitsOf: (facts: ModelFacts) => Traits): ((facts?: ModelFacts) => Traits) => {
  const made = new WeakMap<ModelFacts, Traits>()
  return (facts = noFacts) => {
    let traits = made.get(facts)
    if (traits === undefined) {
      traits = traitsOf(facts)
      made.set(facts, traits)
    }
    return traits
  }
}
