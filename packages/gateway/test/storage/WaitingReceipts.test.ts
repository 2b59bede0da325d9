import { assert, describe, it } from "@effect/vitest"
import type { PageDraft } from "../../src/storage/records/receipts/PageDraft.ts"
import { decodePage } from "../../src/storage/records/receipts/ReceiptPages.ts"
import { PAGE, WaitingReceipts } from "../../src/storage/records/receipts/WaitingReceipts.ts"
import { receipt } from "./Support.ts"

/** A store that takes pages, or none, and notes their receipts; the second passes when the test says so. */
const made = () => {
  const store = { isWell: true, ticks: 0, pages: [] as Array<ReadonlyArray<string>> }
  const write = (page: PageDraft, _prompts: unknown, done: (isWritten: boolean) => void) => {
    if (store.isWell) store.pages.push(decodePage(page.body).map(({ requestId }) => requestId))
    done(store.isWell)
  }
  const waiting = new WaitingReceipts({ enough: PAGE, write, hurry: () => {} }, () => void store.ticks++)
  const add = (from: number, to: number) => {
    for (let n = from; n < to; n++) waiting.add(receipt({ requestId: `req_${n}` }), undefined)
  }
  return { add, store, waiting }
}

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `req_${from + index}`)

describe("receipts that wait", () => {
  it("go in full pages at once, and the rest after its second", () => {
    const { add, store, waiting } = made()
    add(0, PAGE + 2)
    assert.deepStrictEqual(store.pages, [names(0, PAGE)])
    waiting.tick()
    assert.deepStrictEqual(store.pages, [names(0, PAGE), names(PAGE, PAGE + 2)])
    assert.strictEqual(waiting.find("req_0"), undefined)
  })

  it("are all found and none is written twice while the store takes none, and then go in their order", () => {
    const { add, store, waiting } = made()
    store.isWell = false
    add(0, 10)
    waiting.tick()
    add(10, PAGE + 20)
    waiting.tick()
    add(PAGE + 20, PAGE + 30)
    for (const id of ["req_0", "req_9", `req_${PAGE}`, `req_${PAGE + 29}`]) {
      assert.deepStrictEqual(waiting.find(id), receipt({ requestId: id }))
    }
    assert.deepStrictEqual(store.pages, [])
    store.isWell = true
    waiting.tick()
    assert.deepStrictEqual(store.pages.flat(), names(0, PAGE + 30))
    assert.isAtMost(store.pages.length, 3)
    waiting.tick()
    assert.strictEqual(store.pages.flat().length, PAGE + 30)
  })

  it("are not more than 4,096: the oldest are lost", () => {
    const { add, store, waiting } = made()
    store.isWell = false
    add(0, 6_000)
    waiting.tick()
    store.isWell = true
    waiting.tick()
    const written = store.pages.flat()
    assert.isAtMost(written.length, 4_096 + PAGE)
    assert.isAtLeast(written.length, 4_096 - PAGE)
    assert.deepStrictEqual(written, names(6_000 - written.length, 6_000))
  })
})
