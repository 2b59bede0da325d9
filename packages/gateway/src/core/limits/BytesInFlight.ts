/**
 * Bounds the bytes of bodies, large responses and stored content in memory, for the process and for each key (half of that).
 * They are taken before they are read, and free when the request ends. A byte of a body takes about 3.5 bytes of memory.
 */
import { Effect } from "effect"
import { usableMemory } from "../collections/UsableMemory.ts"
import { NoRoom } from "../domain/Errors.ts"

export const MEMORY_PER_BYTE = 3.5

/** The share of the memory that bytes in flight may be, unless it is configured: they take 3.5 times as much, and the rest is the gateway's. */
const SHARE = 8

export const defaultBytesInFlight = (): number => Math.floor(usableMemory() / SHARE)

/** Bytes of a response that always have room: it is paid for. They count all the same. */
const SMALL_ANSWER = 1024 * 1024

/** An amount, such as of bytes or of connections, that is bounded for the process and for each key. */
export class SharedCapacity {
  readonly most: number
  /** Of one key. What is larger never fits. */
  readonly mostOfKey: number
  used = 0
  private readonly byKey = new Map<string, number>()

  constructor(most: number, mostOfKey = Math.floor(most / 2)) {
    this.most = most
    this.mostOfKey = mostOfKey
  }

  /** Whose bound leaves no room for `amount`, if one does. Else it is taken. */
  take(keyId: string, amount: number): "key" | "process" | undefined {
    const own = this.byKey.get(keyId) ?? 0
    if (own + amount > this.mostOfKey) return "key"
    if (this.used + amount > this.most) return "process"
    this.add(keyId, amount)
    return undefined
  }

  /** Takes an amount that can't be refused; a negative number gives it back. */
  add(keyId: string, amount: number): void {
    const own = (this.byKey.get(keyId) ?? 0) + amount
    this.used += amount
    if (own > 0) this.byKey.set(keyId, own)
    else this.byKey.delete(keyId)
  }
}

export class HeldBytes {
  private readonly all: SharedCapacity
  private readonly keyId: string
  private bytes = 0
  private answer = 0

  constructor(all: SharedCapacity, keyId: string) {
    this.all = all
    this.keyId = keyId
  }

  /** Bytes that a body may have at most. */
  get most(): number {
    return this.all.mostOfKey
  }

  /** Takes more for the request's body, all or nothing. */
  take(bytes: number): NoRoom | undefined {
    const { all } = this
    const full = all.take(this.keyId, bytes)
    if (full !== undefined) return new NoRoom({ of: full, limitBytes: full === "key" ? all.mostOfKey : all.most })
    this.bytes += bytes
    return undefined
  }

  /** Takes more for the response, as it arrives. False: there is no room, and it is larger than what always has some. */
  answered(bytes: number): boolean {
    if (this.answer + bytes > SMALL_ANSWER) {
      if (this.take(bytes) !== undefined) return false
    } else {
      this.all.add(this.keyId, bytes)
      this.bytes += bytes
    }
    this.answer += bytes
    return true
  }

  /** The response failed: frees the bytes that it took. */
  unanswered(): void {
    this.all.add(this.keyId, -this.answer)
    this.bytes -= this.answer
    this.answer = 0
  }

  free(): void {
    if (this.bytes > 0) this.all.add(this.keyId, -this.bytes)
    this.bytes = 0
  }
}

/** Takes room for what is read from the store. Without `held` everything has room. */
export const takeRoom = (held: HeldBytes | undefined, bytes: number): Effect.Effect<void, NoRoom> => {
  const refused = held?.take(bytes)
  return refused === undefined ? Effect.void : Effect.fail(refused)
}
