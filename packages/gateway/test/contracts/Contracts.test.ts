/** Every contract on every layer of its service: another limiter or another store is a line here. */
import { Layer } from "effect"
import { CachedResponses, KeptResponses } from "../../src/core/kept/KeptResponses.ts"
import { KeyStore } from "../../src/core/keys/KeyStore.ts"
import { SpendLedger } from "../../src/core/ledger/SpendLedger.ts"
import { RateLimiter } from "../../src/core/limits/RateLimiter.ts"
import { alertMarksContract } from "./administration/alertMarks.ts"
import { auditContract } from "./administration/audit.ts"
import { identityContract } from "./administration/identity.ts"
import { sessionsContract } from "./administration/sessions.ts"
import { teamsContract } from "./administration/teams.ts"
import { keptResponsesContract } from "./keptResponses.ts"
import { keyChangesContract } from "./keyChanges.ts"
import { keyImportsContract } from "./keyImports.ts"
import { keyRepositoryContract } from "./keyRepository.ts"
import { keyStoreContract } from "./keyStore.ts"
import {
  keyStoreMethods,
  ledgerJournalMethods,
  rateLimiterMethods,
  rotationMethods,
  spendLedgerMethods
} from "./lawful.ts"
import { lawsContract } from "./laws.ts"
import { ledgerJournalContract } from "./ledgerJournal.ts"
import { rateLimiterContract } from "./rateLimiter.ts"
import { rateLimiterPatternsContract } from "./rateLimiterPatterns.ts"
import { receiptsContract } from "./receipts.ts"
import { responsesContract } from "./responses.ts"
import { rotationContract } from "./rotation.ts"
import { spendContract } from "./spend.ts"
import { spendLedgerContract } from "./spendLedger.ts"
import { spendLedgerChangesContract } from "./spendLedgerChanges.ts"
import { trafficContract } from "./traffic.ts"
import { importing, stores } from "./stores.ts"
import { shared } from "../support/postgres/Stores.ts"
import { isSkipped } from "../support/postgres/Databases.ts"
import { ledgerOn, limiterOn } from "../support/postgres/Nodes.ts"
import { ledgerOnShares, limiterOf } from "../core/grants/Nodes.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"

rateLimiterContract("memory", RateLimiter.layerMemory)
rateLimiterPatternsContract("memory", RateLimiter.layerMemory)
lawsContract("RateLimiter · memory", RateLimiter.layerMemory, rateLimiterMethods)
const onShares = Layer.orDie(Layer.provide(limiterOf(1), SqliteStore.layerMemory))
rateLimiterContract("shares", onShares)
rateLimiterPatternsContract("shares", onShares)
lawsContract("RateLimiter · shares", onShares, rateLimiterMethods)

for (const [name, { layer, reopened }] of Object.entries(stores)) {
  keyRepositoryContract(name, layer)
  teamsContract(name, layer)
  auditContract(name, layer, reopened)
  alertMarksContract(name, layer, reopened)
  ledgerJournalContract(name, layer, reopened)
  spendContract(name, layer)
  receiptsContract(name, layer)
  responsesContract(name, layer, reopened)
  rotationContract(name, reopened)
  sessionsContract(name, layer, reopened)
  identityContract(name, layer)
  trafficContract(name, layer, reopened)
  keptResponsesContract(name, KeptResponses, layer, reopened)
  keptResponsesContract(name, CachedResponses, layer, name === "SQLite in memory" ? undefined : reopened)
  keyStoreContract(name, Layer.provide(KeyStore.layer, layer))
  const ledger = Layer.provide(SpendLedger.layer, layer)
  spendLedgerContract(name, ledger)
  spendLedgerChangesContract(name, ledger)
  lawsContract(`SpendLedger · ${name}`, ledger, spendLedgerMethods)
  lawsContract(`KeyStore · ${name}`, Layer.provide(KeyStore.layer, layer), keyStoreMethods)
  lawsContract(`LedgerJournal · ${name}`, layer, ledgerJournalMethods)
  lawsContract(`RotationRepository · ${name}`, layer, rotationMethods)
  const shares = Layer.provide(ledgerOnShares, layer)
  spendLedgerContract(`shares of ${name}`, shares)
  spendLedgerChangesContract(`shares of ${name}`, shares)
  lawsContract(`SpendLedger · shares of ${name}`, shares, spendLedgerMethods)
}

if (!isSkipped) {
  for (const count of [1, 3]) {
    const name = count === 1 ? "shares on Postgres" : `shares on Postgres of ${count} gateways in turn`
    rateLimiterContract(name, Layer.orDie(limiterOn(count)), count)
    rateLimiterPatternsContract(name, Layer.orDie(limiterOn(count)), count)
    if (count > 1) {
      spendLedgerContract(name, ledgerOn(count), count)
      spendLedgerChangesContract(name, ledgerOn(count), count)
    }
  }
}

if (!isSkipped) keyChangesContract("Postgres", shared)
for (const [name, layer] of Object.entries(importing)) keyImportsContract(name, layer)
