/**
 * Remembers verified credentials, so that a key in use is not hashed for every request: the hash costs more than all limit checks.
 * An entry holds only for the record it was verified against, and every change of a key replaces its record.
 */
import type { SecretHash } from "./KeyRepository.ts"

/** About 200 bytes each. */
const MOST = 10_000

export class VerifiedCredentials<Record extends object> {
  private readonly known = new Map<string, { readonly record: Record; readonly secret: SecretHash }>()

  /** The record that `credential` was verified against; undefined if its secret has expired since. */
  find(credential: string, now: number): Record | undefined {
    const found = this.known.get(credential)
    if (found === undefined) return undefined
    const { record, secret } = found
    return secret.validUntil === null || secret.validUntil > now ? record : undefined
  }

  remember(credential: string, record: Record, secret: SecretHash): void {
    // Clears everything. Keys in use come back for one hash each.
    if (this.known.size >= MOST) this.known.clear()
    this.known.set(credential, { record, secret })
  }
}
