/** The own ids of one response while it is lifted: the same item gets the same id in every event. */
import { ownId, prefixOf } from "../../core/operations/responses/OwnIds.ts"
import { textOf } from "../json/LooseJson.ts"

export class OwnIds {
  readonly response = ownId("resp")
  private readonly byId = new Map<string, string>()
  private readonly byPlace = new Map<number, string>()

  /** The own id of the item that the provider calls `id`, or that stands at `place` of the output; either may be unknown. */
  of(id: unknown, place: number | undefined, type: unknown): string {
    const name = textOf(id)
    const known = name === undefined ? undefined : this.byId.get(name)
    const own = known ?? (place === undefined ? undefined : this.byPlace.get(place)) ?? ownId(prefixOf(type, name))
    if (name !== undefined) this.byId.set(name, own)
    if (place !== undefined) this.byPlace.set(place, own)
    return own
  }
}
