/** One gateway on a SQLite file. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Scope } from "effect"
import { type GatewayProcess, gatewayProcess, listening } from "../../support/GatewayProcess.ts"
import { ledgerOf, masterKey, temporaryStore } from "../../support/RunningGateway.ts"
import { verifiedLedger } from "../../support/VerifiedLedger.ts"
import { type Blow, type Fleet, told } from "./Fleet.ts"

/** `yaml`: providers, deployments, and whatever else its configuration says. */
export const onFile = Effect.fnUntraced(function* (yaml: string) {
  const scope = yield* Effect.scope
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  const shared = `
master_key: "${masterKey}"
store: { sqlite: "${store}" }
`
  yield* Effect.sync(() => writeFileSync(config, shared + yaml))
  let gateway: GatewayProcess<string> | undefined
  const start = gatewayProcess(["serve", "--config", config, "--port", "0"], listening).pipe(
    Effect.tap((started) => Effect.sync(() => (gateway = started))),
    Effect.provideService(Scope.Scope, scope)
  )
  const books = Effect.sync(() => ledgerOf(store))
  const after = Effect.suspend(() => {
    const dying = gateway
    gateway = undefined
    return dying === undefined ? Effect.void : Effect.asVoid(dying.end("SIGKILL"))
  })
  return {
    parts: 1,
    booksFirst: false,
    start: Effect.map(
      Effect.suspend(() => (gateway === undefined ? start : Effect.succeed(gateway))),
      ({ ready }) => [ready]
    ),
    books,
    atRest: books,
    open: yield* countingOpen(store),
    verified: verifiedLedger(["--store", store]),
    blows: (draws) => draws.map((): Blow => ({ kind: "gateway", after })),
    said: () => told(gateway?.stderr() ?? "")
  } satisfies Fleet as Fleet
})

/** Many looks at a store that a gateway makes: one connection, from the first look on. */
const countingOpen = (store: string) => {
  let db: DatabaseSync | undefined
  const count = Effect.sync(() => {
    db ??= new DatabaseSync(store, { readOnly: true })
    return Number(db.prepare("SELECT count(*) AS count FROM ledger WHERE status = 'reserved'").get()?.["count"])
  })
  return Effect.as(
    Effect.addFinalizer(() => Effect.sync(() => db?.close())),
    count
  )
}
