/** What was spent at another gateway, as a row of the ledger: of no provider here, and exact as far as that gateway counted. */
import type { NanoUsd } from "@model-gateway/gateway/internal/core/domain/Money"
import { noUsage } from "@model-gateway/gateway/internal/core/domain/Usage"
import type { ImportedKey, ImportedTeam } from "./KeyImports.ts"
import type { SettlementRow } from "@model-gateway/gateway/internal/core/ledger/LedgerJournal"

interface Spending {
  /** The end of the row's `request_id`. */
  readonly name: string
  readonly keyId: string
  readonly team: string | null
  readonly tags: ReadonlyArray<string>
  readonly spent: NanoUsd
}

export const ofKey = ({ key, spent }: ImportedKey): Spending => ({
  name: key.id,
  keyId: key.id,
  team: key.team,
  tags: key.tags,
  spent
})

/** Spent by keys that did not come along, or that have no budget of their own. */
export const ofTeam = ({ spent, team }: ImportedTeam): Spending => ({
  name: `team_${team.name}`,
  keyId: "litellm",
  team: team.name,
  tags: [],
  spent
})

export const spendingRow = (id: number, { keyId, name, spent, tags, team }: Spending, at: number): SettlementRow => ({
  reservation: {
    id,
    requestId: `import_${name}`,
    attempt: 0,
    at,
    keyId,
    team,
    provider: "litellm",
    model: "imported",
    deployment: "litellm/imported",
    operation: "chat",
    tags: tags.toSorted().join(","),
    reserved: spent,
    priceSource: "import",
    priceVersion: "litellm",
    isAuto: false
  },
  settledAt: at,
  cost: spent,
  baseline: 0,
  usage: noUsage,
  estimated: false,
  status: "settled",
  counts: "nothing",
  charges: []
})
