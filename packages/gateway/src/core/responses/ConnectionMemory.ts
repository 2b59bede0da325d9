/** The last response of a WebSocket connection, which the next request may continue even with `store: false`. */
import type { JsonObject } from "../domain/Json.ts"
import type { SharedCapacity } from "../limits/BytesInFlight.ts"

interface LastResponse {
  readonly id: string
  /** The conversation up to this response and with it. */
  readonly items: ReadonlyArray<unknown>
  readonly isStored: boolean
}

export class ConnectionMemory {
  last: LastResponse | undefined
  private bytes = 0
  private readonly keyId: string
  private readonly all: SharedCapacity

  /** `all`: the memory of all connections. */
  constructor(all: SharedCapacity, keyId: string) {
    this.all = all
    this.keyId = keyId
  }

  /** Replaces the last response. Without room for it the caller has to send the conversation again. */
  keep(id: string, input: ReadonlyArray<unknown>, output: unknown, isStored: boolean): void {
    this.clear()
    const items = [...input, ...(Array.isArray(output) ? (output as ReadonlyArray<JsonObject>) : [])]
    const bytes = Buffer.byteLength(JSON.stringify(items))
    if (this.all.take(this.keyId, bytes) !== undefined) return
    this.bytes = bytes
    this.last = { id, items, isStored }
  }

  clear(): void {
    if (this.bytes > 0) this.all.add(this.keyId, -this.bytes)
    this.bytes = 0
    this.last = undefined
  }
}
