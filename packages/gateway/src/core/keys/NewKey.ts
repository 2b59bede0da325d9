/** What whoever makes a key may say of it, and a key of which nothing is said. */
import { NO_REQUIREMENT } from "../domain/Choice.ts"
import type { KeyRecord } from "./KeyRepository.ts"

export type KeySettings = Omit<
  KeyRecord,
  | "id"
  | "holder"
  | "isSuspended"
  | "disabled"
  | "createdAt"
  | "updatedAt"
  | "revokedAt"
  | "lastUsedAt"
  | "importedSecret"
>

/** A key that is to be made. Fields that are left out don't restrict it. */
export type NewKey = Partial<KeySettings & Pick<KeyRecord, "holder">>

const unrestricted: KeySettings = {
  name: null,
  team: null,
  models: [],
  limits: { rpm: undefined, tpm: undefined, maxParallel: undefined },
  budgets: [],
  tags: [],
  metadata: {},
  onUnknownPrice: "default",
  unknownFields: "remove",
  rules: undefined,
  require: NO_REQUIREMENT,
  expiresAt: null
}

export const freshKey = (id: string, now: number, settings: NewKey = {}): KeyRecord => ({
  ...unrestricted,
  ...settings,
  id,
  disabled: false,
  createdAt: now,
  updatedAt: now,
  revokedAt: null,
  lastUsedAt: null
})
