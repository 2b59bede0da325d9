/** `check --live --calls`: asks for confirmation, calls the deployments, prints the results, and writes the facts they show. */
import { dirname } from "node:path"
import { Clock, Console, Effect, FileSystem } from "effect"
import { Flag } from "effect/cli"
import type { Deployment } from "@model-gateway/gateway/internal/core/domain/Deployment"
import { LEARNT_SCHEMA, type LearntFile } from "@model-gateway/gateway/internal/core/domain/models/CatalogueFormat"
import type { Settings } from "@model-gateway/gateway/internal/core/domain/Settings"
import { writeCatalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/LoadFile"
import type { ProviderCheck } from "../catalogue/LiveCheck.ts"
import { Ask } from "../Environment.ts"
import { CommandFailed, wrongUsage } from "../Failure.ts"
import { reasonNotWritten } from "../NotWritten.ts"
import { callsReport } from "../output/CallsView.ts"
import { liveCalls } from "./calls/LiveCalls.ts"
import { cells } from "./calls/Probes.ts"
import { toggle } from "../Flags.ts"

/** USD of all calls of one run together. */
const MOST_USD = 0.05

export const callFlags = {
  calls: toggle(
    "calls",
    `also send each deployment up to ${cells.length} small requests (${cells.join(", ")}), after a confirmation; with --live`
  ),
  maxUsd: Flag.Finite("max-usd").pipe(
    Flag.withMetavar("USD"),
    Flag.filter(
      (usd) => usd > 0 && usd <= MOST_USD,
      (usd) => `--max-usd must be more than 0 and at most ${MOST_USD}, got ${usd}`
    ),
    Flag.withDescription(`maximum cost of all calls together (default: ${MOST_USD}); with --calls`),
    Flag.optional
  ),
  yes: toggle("yes", "call without a confirmation; with --calls")
}

interface CallFlags {
  readonly calls: boolean
  readonly maxUsd: { readonly _tag: "None" } | { readonly _tag: "Some"; readonly value: number }
  readonly yes: boolean
}

/** Flags that need another one. */
export const checkedFlags = ({ calls, live, maxUsd, yes }: CallFlags & { readonly live: boolean }) => {
  if (calls && !live) return wrongUsage("--calls is a part of --live: write `check --live --calls`")
  if (!calls && yes) return wrongUsage("--yes confirms --calls: write `check --live --calls --yes`")
  if (!calls && maxUsd._tag === "Some") return wrongUsage("--max-usd limits what --calls may cost: add --live --calls")
  return undefined
}

/** `checks`: the results of the providers. Fails if a call failed without showing a fact. */
export const checkCalls = Effect.fnUntraced(function* (
  settings: Settings,
  deployments: ReadonlyArray<Deployment>,
  checks: ReadonlyArray<ProviderCheck>,
  { maxUsd, yes }: CallFlags
) {
  const { catalogue } = settings
  if (catalogue === undefined) return
  const reachable = reachableIn(checks)
  const called = deployments.filter(({ id }) => reachable.has(id))
  if (called.length === 0) {
    const message = "No deployment can be called: no provider takes the key and has the model. Nothing was called."
    return yield* new CommandFailed({ message })
  }
  const { file } = catalogue.learnt
  yield* writable(file)
  const limit = maxUsd._tag === "Some" ? maxUsd.value : MOST_USD
  if (!yes && !(yield* agreed(called.length, limit, file))) return yield* Console.log("Nothing was called.")
  const calls = yield* liveCalls(settings, called, limit, (cell, count) =>
    Console.error(`${cell}: calling ${count === 1 ? "one deployment" : `${count} deployments`}`)
  ).pipe(Effect.mapError(({ message }) => new CommandFailed({ message })))
  yield* Console.log(callsReport(calls, limit))
  const outcomes = calls.rows.flatMap((row) => [...row.outcomes.values()])
  if (outcomes.every(({ kind }) => kind === "over" || kind === "unbounded" || kind === "unsupported")) {
    const why = outcomes.some(({ kind }) => kind === "over") ? `${limit} USD pay for no call: each may cost more. ` : ""
    return yield* new CommandFailed({ message: `${why}Nothing was called.` })
  }
  const made = `${new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 19)}Z`
  const written: LearntFile = { schema: LEARNT_SCHEMA, made, models: calls.models }
  yield* Effect.mapError(writeCatalogue(file, written), notWritten(file))
  yield* Console.log(`${file} is written; a running gateway loads it within a second.`)
  const failed = outcomes.filter(({ isLearnt = false, kind }) => kind === "failed" || (kind === "refused" && !isLearnt))
  if (failed.length === 0) return
  const message = `${failed.length === 1 ? "One call" : `${failed.length} calls`} did not work.`
  return yield* new CommandFailed({ message })
})

/** Those whose provider takes a key, and does not lack the model. */
const reachableIn = (checks: ReadonlyArray<ProviderCheck>): ReadonlySet<string> =>
  new Set(
    checks
      .filter(({ keys }) => keys.length === 0 || keys.some(({ kind }) => kind === "taken" || kind === "waiting"))
      .flatMap(({ deployments }) => deployments.flatMap(({ id, presence }) => (presence === "missing" ? [] : [id])))
  )

/** Before anything is spent. */
const writable = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const trial = `${file}.new`
  yield* files
    .makeDirectory(dirname(file), { recursive: true })
    .pipe(
      Effect.andThen(files.writeFileString(trial, "")),
      Effect.andThen(files.remove(trial)),
      Effect.mapError(notWritten(file, ": nothing was called"))
    )
})

const notWritten =
  (file: string, then = "") =>
  (error: Parameters<typeof reasonNotWritten>[0]) =>
    new CommandFailed({ message: `${file} can't be written: ${reasonNotWritten(error, "`store.sqlite`")}${then}.` })

const agreed = Effect.fnUntraced(function* (count: number, limit: number, file: string) {
  const plan = `${count === 1 ? "One deployment gets" : `${count} deployments get`} up to ${cells.length} small requests${count === 1 ? "" : " each"}, for at most ${limit} USD in all`
  const ask = yield* Ask
  if (ask === undefined) {
    const message = `${plan}. This needs a confirmation, and there is no terminal: add --yes. Nothing was called.`
    return yield* new CommandFailed({ message })
  }
  const answer = yield* ask(`\n${plan}. What they show is written to ${file}. Go on? [y/N] `)
  return /^y(?:es)?$/i.test(answer.trim())
})
