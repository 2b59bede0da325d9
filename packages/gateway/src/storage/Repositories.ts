/** All ports of persistent state, which every store provides. */
import type { EndUserRepository } from "../core/keys/EndUserRepository.ts"
import type { KeyRepository } from "../core/keys/KeyRepository.ts"
import type { RotationRepository } from "../core/pool/RotationRepository.ts"
import type { LedgerJournal } from "../core/ledger/LedgerJournal.ts"
import type { Nodes } from "../core/admin/Nodes.ts"
import type { StoreHealth } from "../core/domain/StoreHealth.ts"
import type { ReceiptArchive } from "../core/receipts/ReceiptArchive.ts"
import type { CachedResponses, KeptResponses } from "../core/kept/KeptResponses.ts"
import type { ResponseRepository } from "../core/responses/ResponseRepository.ts"
import type { IdentityRepository } from "../core/admin/IdentityRepository.ts"
import type { SessionRepository } from "../core/admin/SessionRepository.ts"
import type { TrafficRepository } from "../core/admin/TrafficRepository.ts"
import type { AuditRepository } from "../core/domain/AuditRepository.ts"
import type { AlertMarks } from "../core/admin/AlertMarks.ts"

export type Repositories =
  | KeyRepository
  | EndUserRepository
  | RotationRepository
  | LedgerJournal
  | StoreHealth
  | Nodes
  | ReceiptArchive
  | KeptResponses
  | CachedResponses
  | ResponseRepository
  | IdentityRepository
  | SessionRepository
  | TrafficRepository
  | AuditRepository
  | AlertMarks
