/** What the tests of the store share: a folder that goes away, records to change, and a second process. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Option } from "effect"
import type { Receipt } from "../../src/core/receipts/Receipt.ts"
import type { ReservationRow, SettlementRow, WindowCharge } from "../../src/core/ledger/LedgerJournal.ts"
import type { StoredKey } from "../../src/core/keys/KeyRepository.ts"
import { freshKey } from "../../src/core/keys/NewKey.ts"
import type { SpendQuery } from "../../src/core/ledger/Spend.ts"
import { ReceiptArchive, type ReceiptFilter } from "../../src/core/receipts/ReceiptArchive.ts"
import { noUsage } from "../../src/core/domain/Usage.ts"

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-store-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The path of a store that does not exist yet. */
export const temporaryFile = Effect.map(temporaryFolder, (folder) => join(folder, "gateway.db"))

/** 2026-03-01T10:20:00Z */
export const NOW = Date.UTC(2026, 2, 1, 10, 20)

export const HOUR = 3_600_000

export const usage = { ...noUsage, input: 100, cachedInput: 20, output: 50, reasoning: 5 }

export const reservation = (fields: Partial<ReservationRow> & { readonly id: number }): ReservationRow => ({
  requestId: `request_${fields.id}`,
  attempt: 0,
  at: NOW,
  keyId: "key_a",
  team: "red",
  provider: "openai",
  model: "gpt-5-mini",
  deployment: "openai/gpt-5-mini",
  operation: "chat",
  tags: "",
  reserved: 900,
  priceSource: "test",
  priceVersion: "1",
  isAuto: false,
  ...fields
})

export const settlement = (row: ReservationRow, fields: Partial<Omit<SettlementRow, "reservation">> = {}) => ({
  reservation: row,
  settledAt: row.at + 1000,
  cost: 700,
  baseline: 0,
  usage,
  estimated: false,
  status: "settled" as const,
  counts: "request" as const,
  charges: [],
  ...fields
})

/** One that needed two attempts. */
export const receipt = (fields: Partial<Receipt> & { readonly requestId: string }): Receipt => ({
  at: NOW,
  durationMs: 1_500,
  keyId: "key_a",
  keyName: null,
  team: "red",
  endpoint: "/v1/chat/completions",
  requestedModel: "auto",
  deployment: "openai/gpt-5-mini",
  provider: "openai",
  model: "gpt-5-mini",
  bucket: "simple",
  score: 0.1234,
  reasons: ["auto: score 0.1234 is below 0.35, bucket simple", "short"],
  attempts: [
    {
      deployment: "backup/b",
      provider: "backup",
      model: "b",
      outcome: "unavailable",
      httpStatus: 503,
      startedMs: 0,
      firstTokenMs: null,
      durationMs: 40,
      cost: 0,
      usage: noUsage,
      estimated: false
    },
    {
      deployment: "openai/gpt-5-mini",
      provider: "openai",
      model: "gpt-5-mini",
      outcome: "ok",
      httpStatus: 200,
      startedMs: 50,
      firstTokenMs: 700,
      durationMs: 1_450,
      cost: 700,
      usage,
      estimated: true
    }
  ],
  status: "ok",
  stream: true,
  priced: true,
  priceSource: "test",
  priceVersion: "1",
  tags: ["a", "b"],
  ...fields
})

/** All that was ever spent, as one sum. */
export const everything: SpendQuery = {
  visibility: "all",
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
  timeZone: "UTC",
  key: undefined,
  team: undefined,
  model: undefined,
  provider: undefined,
  groupBy: []
}

export const anyReceipt: ReceiptFilter = {
  visibility: "all",
  limit: 100,
  after: undefined,
  key: undefined,
  team: undefined,
  model: undefined,
  status: undefined,
  from: undefined,
  to: undefined
}

/** The ids of the requests whose receipts are listed. */
export const listed = (filter: Partial<ReceiptFilter> = {}) =>
  Effect.map(
    Effect.flatMap(ReceiptArchive, (archive) => archive.list({ ...anyReceipt, ...filter })),
    (page) => Option.getOrThrow(page).receipts.map(({ requestId }) => requestId)
  )

/** The window of a day in UTC. */
export const today = (scope: string, at = NOW): WindowCharge => ({
  scope,
  window: "day@UTC",
  start: Math.floor(at / (24 * HOUR)) * 24 * HOUR
})

export const key = (fields: Partial<StoredKey> & { readonly id: string }): StoredKey => ({
  ...freshKey(fields.id, NOW, { onUnknownPrice: "allow" }),
  secrets: [],
  ...fields
})

/**
 * Another process that runs `children/<name>.ts`: completes with it once it has printed a line. It is killed, with no chance to
 * tidy up, when the scope closes or `kill` runs.
 */
export const child = (name: string, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const script = join(import.meta.dirname, "children", `${name}.ts`)
    const running = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--conditions=model-gateway-source", script, ...args], {
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (running) => Effect.sync(() => running.kill("SIGKILL"))
    )
    const line = yield* Effect.callback<string>((resume) => {
      running.stdout.once("data", (bytes: Buffer) => resume(Effect.succeed(bytes.toString().trim())))
      running.once("exit", (code) => resume(Effect.die(new Error(`${name} ended with ${code} and said nothing`))))
    })
    const kill = Effect.callback<void>((resume) => {
      running.once("exit", () => resume(Effect.void))
      running.kill("SIGKILL")
    })
    return { pid: running.pid, line, kill }
  })
