/** The choices of a stream that have not finished. A server that ends with `[DONE]` alone leaves some. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject, objectsIn } from "../../../json/LooseJson.ts"

export class OpenChoices {
  /** By index: whether the choice calls tools; undefined once it has finished. */
  private readonly calls = new Map<unknown, boolean | undefined>()
  private head: JsonObject = {}

  add({ choices, usage: _, ...head }: JsonObject): void {
    const given = objectsIn(choices)
    if (given.length > 0) this.head = head
    for (const { delta, finish_reason: reason, index } of given) {
      // Some servers send the usage in one more chunk of a choice that has finished.
      if (this.calls.has(index) && this.calls.get(index) === undefined) continue
      const isFinished = typeof reason === "string" && reason !== ""
      const isCalling = isObject(delta) && Array.isArray(delta["tool_calls"])
      this.calls.set(index, isFinished ? undefined : isCalling || this.calls.get(index) === true)
    }
  }

  /** The chunks that finish them, one for each. `empty`: what a choice holds beside its index and its reason. */
  finishes(empty: JsonObject): ReadonlyArray<JsonObject> {
    return [...this.calls].flatMap(([index, isCalling]) => {
      if (isCalling === undefined) return []
      const choice = { index, ...empty, finish_reason: isCalling ? "tool_calls" : "stop" }
      return [{ ...this.head, choices: [choice] }]
    })
  }
}
