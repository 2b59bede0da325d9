/** A running gateway: its keys, and its books as an administrator reads them. */
import { DatabaseSync } from "node:sqlite"
import { masterKey, type RunningProcess } from "./GatewayProcess.ts"

/** Nano-USD of an amount in USD; the ledger knows nothing smaller. */
export const nano = (usd: number | null | undefined): number => Math.round((usd ?? Number.NaN) * 1e9)

/** What happened to one request, as far as tests look at it. Amounts in USD. */
export interface Receipt {
  readonly id: string
  readonly status: "ok" | "failed" | "cut" | "client_gone" | "refused" | "abandoned"
  readonly stream: boolean
  readonly requested_model: string
  readonly decision: {
    readonly provider: string
    readonly model: string
    readonly deployment: string
    readonly bucket: string
    readonly score: number
  }
  readonly attempts: ReadonlyArray<{ readonly deployment: string; readonly outcome: string }>
  readonly usage: { readonly input: number; readonly output: number; readonly reasoning: number }
  readonly cost_usd: number
  readonly cost_is_estimate: boolean
  readonly client_disconnected: boolean
  readonly tags: ReadonlyArray<string>
}

/** A row of the ledger, one per call of a provider. Amounts in nano-USD. */
export interface LedgerRow {
  readonly request_id: string
  readonly key_id: string
  readonly deployment: string
  readonly status: "reserved" | "settled" | "void" | "abandoned"
  readonly reserved: number
  readonly cost: number
}

export interface VirtualKey {
  readonly id: string
  /** The secret. */
  readonly key: string
}

export class Gateway {
  readonly url: string
  readonly masterKey = masterKey
  private readonly store: string

  constructor({ store, url }: Pick<RunningProcess, "store" | "url">) {
    this.url = url
    this.store = store
  }

  /** What a client is given: where to call, as whom. A key of its own, so that its spend is its own. */
  async client(key: object = {}): Promise<{ readonly id: string; readonly baseUrl: string; readonly apiKey: string }> {
    const { id, key: apiKey } = await this.createKey(key)
    return { id, baseUrl: this.url, apiKey }
  }

  /** `POST /admin/keys` with these fields. */
  async createKey(fields: object = {}): Promise<VirtualKey> {
    const { id, key } = await this.admin("POST", "/admin/keys", fields)
    return { id, key }
  }

  /** The receipt of a request; waits for one that is still being written. */
  receipt(id: string): Promise<Receipt> {
    return until(`a receipt ${id}`, () => this.admin("GET", `/admin/requests/${id}`).catch(() => undefined))
  }

  /** The receipts of a key's requests, the earliest first, as soon as there are `count`. */
  receipts(key: string, count: number): Promise<ReadonlyArray<Receipt>> {
    return until(`${count} receipts of ${key}`, async () => {
      const { data } = await this.admin("GET", `/admin/requests?key=${key}&limit=1000`)
      return data.length >= count ? data.toReversed() : undefined
    })
  }

  /** Completes when so many requests of a key have been sent on to a provider and are open. */
  async underway(key: string, count: number): Promise<void> {
    await until(`${count} open requests of ${key}`, async () => {
      const open = this.rows(key).filter(({ status }) => status === "reserved")
      return open.length >= count ? open : undefined
    })
  }

  /** What the ledger says a key has spent, in USD. */
  async spent(key: string): Promise<number> {
    const { total } = await this.admin("GET", `/admin/spend?key=${key}`)
    return total.cost_usd
  }

  /** The ledger rows of a key, in order, as soon as there are `count` and none of them is open. */
  ledger(key: string, count = 0): Promise<ReadonlyArray<LedgerRow>> {
    return until(`${count} closed ledger rows of ${key}`, async () => {
      const rows = this.rows(key)
      return rows.length < count || rows.some((row) => row.status === "reserved") ? undefined : rows
    })
  }

  private rows(key: string): ReadonlyArray<LedgerRow> {
    const db = new DatabaseSync(this.store, { readOnly: true })
    try {
      const rows = db.prepare("SELECT * FROM ledger WHERE key_id = ? ORDER BY id").all(key)
      return rows as unknown as ReadonlyArray<LedgerRow>
    } finally {
      db.close()
    }
  }

  /** A call of the admin API; rejects with the answer's text when it is no success. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each caller knows what it asked for
  async admin(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${masterKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
}

const LONGEST_MS = 25_000

/** The books are written behind the answers: asks again until `look` finds something. What never comes fails before the test does. */
const until = async <A>(what: string, look: () => Promise<A | undefined>): Promise<A> => {
  for (const deadline = performance.now() + LONGEST_MS; performance.now() < deadline;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`There is not ${what}.`)
}
