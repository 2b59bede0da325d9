import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readIds } from "../../../src/core/keys/KnownIds.ts"
import { KeyRepository } from "../../../src/core/keys/KeyRepository.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { key } from "../../storage/Support.ts"
import { settleDown } from "../call/Support.ts"

const idOf = (number: number): string => `key_${String(number).padStart(12, "0")}`

it.effect("may hold any id until all are read, and then those that are there", () =>
  Effect.gen(function* () {
    const repository = yield* KeyRepository
    for (let number = 0; number < 5_000; number++) yield* repository.insert(key({ id: idOf(number) }))
    const known = yield* readIds(repository)
    assert.isTrue(known.mayHold(idOf(4_999)))
    assert.isTrue(known.mayHold("key_madeup"))
    yield* settleDown
    for (let number = 0; number < 5_000; number++) assert.isTrue(known.mayHold(idOf(number)))
    let passed = 0
    for (let number = 5_000; number < 15_000; number++) if (known.mayHold(idOf(number))) passed++
    assert.isBelow(passed, 100)
  }).pipe(Effect.provide(SqliteStore.layerMemory))
)
