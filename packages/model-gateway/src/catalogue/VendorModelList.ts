/** The names in a vendor's list of models. Lists differ in where they stand and in what a name is called. */
import { Predicate } from "effect"

/** Undefined if it is no list. OpenAI and most others: `data`; Gemini, Ollama, Cohere: `models`; Together: the list itself. */
export const namesIn = (answer: unknown): ReadonlySet<string> | undefined => {
  const list = listIn(answer)
  if (list === undefined) return undefined
  return new Set(
    list.flatMap((one: unknown) => {
      const name = Predicate.hasProperty(one, "id") ? one.id : Predicate.hasProperty(one, "name") ? one.name : one
      return typeof name === "string" ? [name.replace(/^models\//, "")] : []
    })
  )
}

const listIn = (answer: unknown): ReadonlyArray<unknown> | undefined => {
  const places = [
    answer,
    Predicate.hasProperty(answer, "data") ? answer.data : undefined,
    Predicate.hasProperty(answer, "models") ? answer.models : undefined
  ]
  return places.find((place): place is ReadonlyArray<unknown> => Array.isArray(place))
}
