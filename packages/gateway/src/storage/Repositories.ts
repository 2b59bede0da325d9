/** What a store brings: every port of what is remembered. */
import type { KeyRepository } from "../core/keys/KeyRepository.ts"
import type { RotationRepository } from "../core/pool/RotationRepository.ts"
import type { LedgerJournal } from "../core/ledger/LedgerJournal.ts"
import type { Nodes } from "../core/nodes/Nodes.ts"
import type { StoreHealth } from "../core/domain/StoreHealth.ts"
import type { ReceiptArchive } from "../core/receipts/ReceiptArchive.ts"
import type { IdempotencyRepository } from "../core/idempotency/IdempotencyRepository.ts"
import type { ResponseRepository } from "../core/responses/ResponseRepository.ts"
import type { SessionRepository } from "../core/administration/SessionRepository.ts"
import type { TrafficRepository } from "../core/traffic/TrafficRepository.ts"
import type { AuditRepository } from "../core/audit/AuditRepository.ts"
import type { AlertMarks } from "../core/alerts/AlertMarks.ts"

export type Repositories =
  | KeyRepository
  | RotationRepository
  | LedgerJournal
  | StoreHealth
  | Nodes
  | ReceiptArchive
  | IdempotencyRepository
  | ResponseRepository
  | SessionRepository
  | TrafficRepository
  | AuditRepository
  | AlertMarks
