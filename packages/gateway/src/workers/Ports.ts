/** The ports of the store, as a worker has them: each call is one of the owner's. */
import { Effect } from "effect"
import type { StoreUnavailable } from "../core/domain/Errors.ts"
import type { KeyRepository } from "../core/keys/KeyRepository.ts"
import type { LedgerJournal } from "../core/ledger/LedgerJournal.ts"
import type { ReceiptArchive } from "../core/receipts/ReceiptArchive.ts"
import type { ResponseRepository } from "../core/responses/ResponseRepository.ts"
import type { RotationRepository } from "../core/pool/RotationRepository.ts"
import type { Channel } from "./Channel.ts"

/** How a part of a port is asked for: `call` with what it is given, `value` as it is. What is left out can't be asked for. */
export type Shape<Port> = {
  readonly [Name in keyof Port]?: Port[Name] extends Effect.Effect<unknown, StoreUnavailable>
    ? "value"
    : Port[Name] extends (...given: infer _) => Effect.Effect<unknown, StoreUnavailable>
      ? "call"
      : never
}

const shapeOf =
  <Port>() =>
  <const S extends Shape<Port>>(shape: S): S =>
    shape

export const keyShape = shapeOf<KeyRepository["Service"]>()({
  pepper: "value",
  insert: "call",
  update: "call",
  touch: "call",
  find: "call",
  ids: "call",
  names: "call",
  list: "call",
  findTeam: "call",
  putTeam: "call",
  teams: "call",
  keysOf: "call",
  deleteTeam: "call",
  count: "value"
})

export const journalShape = shapeOf<LedgerJournal["Service"]>()({
  openWindow: "call",
  spentIn: "call",
  spend: "call"
})

export const rotationShape = shapeOf<RotationRepository["Service"]>()({ disabled: "value" })

export const receiptShape = shapeOf<ReceiptArchive["Service"]>()({ find: "call", list: "call", rate: "call" })

export const responseShape = shapeOf<ResponseRepository["Service"]>()({
  save: "call",
  find: "call",
  links: "call",
  withItem: "call",
  remove: "call",
  erase: "call",
  prune: "call"
})

/** The part of a port that its shape names, at the other end of a channel. */
export const remote = <Port, S extends Shape<Port>>(
  channel: Channel,
  name: string,
  shape: S
): Pick<Port, keyof S & keyof Port> => {
  const entries = Object.entries(shape).map(([part, kind]) => {
    const ask = (...given: ReadonlyArray<unknown>) => channel.call(`${name}.${part}`, ...given)
    return [part, kind === "value" ? ask() : ask]
  })
  // The shape was checked against the port.
  return Object.fromEntries(entries) as Pick<Port, keyof S & keyof Port>
}

/** Answers for a port. */
export const serve = <Port extends object, S extends Shape<Port>>(
  channel: Channel,
  name: string,
  port: Port,
  shape: S
): void => {
  for (const [part, kind] of Object.entries(shape)) {
    const found: unknown = Reflect.get(port, part)
    channel.answer(`${name}.${part}`, (...given: ReadonlyArray<never>) => {
      const asked: unknown = kind === "value" ? found : typeof found === "function" ? found(...given) : undefined
      return Effect.isEffect(asked)
        ? (asked as Effect.Effect<unknown, StoreUnavailable>)
        : Effect.die(`no ${part} in ${name}`)
    })
  }
}
