/** A store that can't be used when the gateway starts: one sentence that says what is wrong and what to do, and exit code 1. */
import { truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { masterKey, startGateway, temporaryStore } from "../support/RunningGateway.ts"
import { scribble, smallDisk } from "./TroubledStore.ts"

/** What `serve` says when it does not start. */
const refusal = Effect.fnUntraced(function* (store: string) {
  const config = join(dirname(yield* temporaryStore), "gateway.yaml")
  const yaml = `
master_key: "${masterKey}"
server: { port: 0 }
store: { sqlite: "${store}" }
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
`
  yield* Effect.sync(() => writeFileSync(config, yaml))
  const { message } = yield* Effect.flip(gatewayProcess(["serve", "--config", config], listening))
  assert.match(message, /ended with 1 before it was ready/)
  assert.notMatch(message, /\n\s+at /)
  return message.slice(message.indexOf("\n") + 1)
})

/** A store with a few keys in it. */
const used = Effect.gen(function* () {
  const store = yield* temporaryStore
  yield* Effect.scoped(Effect.flatMap(startGateway({ store }), ({ createKey }) => createKey()))
  return store
})

describe("serve", () => {
  it.live("refuses a store whose pages are garbage, or that was cut off", () =>
    Effect.gen(function* () {
      for (const spoil of [scribble, (store: string) => truncateSync(store, 3 * 4096)]) {
        const store = yield* used
        spoil(store)
        assert.strictEqual(
          yield* refusal(store),
          `The store ${store} can't be used: the database is corrupted: restore it from a backup.\n`
        )
      }
    })
  )

  it.live("refuses a file that is no database, and leaves it as it is", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      writeFileSync(store, "a letter to somebody")
      const said = yield* refusal(store)
      assert.isTrue(
        said.endsWith(`store.sqlite: ${store} is a file of another kind; name the file of the store\n`),
        said
      )
    })
  )

  it.live("says that the disk is full, or that it is read-only", (context) =>
    Effect.gen(function* () {
      const full = yield* smallDisk(8)
      const frozen = yield* smallDisk(64, ",ro")
      if (full === undefined || frozen === undefined) return context.skip("this machine does not permit to mount")
      assert.match(yield* refusal(join(full, "gateway.db")), /can't be used: the disk is full\.\n$/)
      assert.match(yield* refusal(join(frozen, "gateway.db")), /can't be used: the file system is read-only\.\n$/)
    })
  )

  it.live("says that another program has locked it", () =>
    Effect.gen(function* () {
      const store = yield* used
      const intruder = new DatabaseSync(store)
      intruder.exec("BEGIN EXCLUSIVE")
      assert.match(yield* refusal(store), /^The store .*: another program has locked the database\.\n$/)
      intruder.close()
    })
  )
})
