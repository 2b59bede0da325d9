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

export class BytesInFlight {
  /** Of one key. A body that is larger never has room. */
  readonly mostOfKey: number
  used = 0
  private readonly most: number
  private readonly byKey = new Map<string, number>()

  constructor(most: number, mostOfKey = Math.floor(most / 2)) {
    this.most = most
    this.mostOfKey = mostOfKey
  }

  /** Why so many bytes have no room, if they have none. Else they are taken. */
  take(keyId: string, bytes: number): NoRoom | undefined {
    const own = this.byKey.get(keyId) ?? 0
    if (own + bytes > this.mostOfKey) return new NoRoom({ of: "key", limitBytes: this.mostOfKey })
    if (this.used + bytes > this.most) return new NoRoom({ of: "process", limitBytes: this.most })
    this.add(keyId, bytes)
    return undefined
  }

  /** Takes bytes that can't be refused; a negative number gives bytes back. */
  add(keyId: string, bytes: number): void {
    const own = (this.byKey.get(keyId) ?? 0) + bytes
    this.used += bytes
    if (own > 0) this.byKey.set(keyId, own)
    else this.byKey.delete(keyId)
  }
}

export class HeldBytes {
  private readonly all: BytesInFlight
  private readonly keyId: string
  private bytes = 0
  private answer = 0

  constructor(all: BytesInFlight, keyId: string) {
    this.all = all
    this.keyId = keyId
  }

  /** Bytes that a body may have at most. */
  get most(): number {
    return this.all.mostOfKey
  }

  /** Takes more for the request's body, all or nothing. */
  take(bytes: number): NoRoom | undefined {
    const refused = this.all.take(this.keyId, bytes)
    if (refused === undefined) this.bytes += bytes
    return refused
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
