/**
 * Credentials that were verified before, so that a key in use is not hashed again for each request: that would cost more than all
 * its limits. An answer holds only for the very record it was given for, which every change of a key replaces.
 */
import type { SecretHash } from "./KeyRepository.ts"

/** About 200 bytes each. */
const MOST = 10_000

export class VerifiedCredentials<Record extends object> {
  private readonly known = new Map<string, { readonly record: Record; readonly secret: SecretHash }>()

  /** The record that `credential` was verified for, unless its secret has run out since. */
  find(credential: string, now: number): Record | undefined {
    const found = this.known.get(credential)
    if (found === undefined) return undefined
    const { record, secret } = found
    return secret.validUntil === null || secret.validUntil > now ? record : undefined
  }

  remember(credential: string, record: Record, secret: SecretHash): void {
    // Those in use come back at the price of one hash.
    if (this.known.size >= MOST) this.known.clear()
    this.known.set(credential, { record, secret })
  }
}
