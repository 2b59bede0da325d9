/**
 * Files with one line for each request. A file is compressed when the next one begins, and deleted when its time is over. Names hold
 * the time of the first line and the process, so that several gateways can share a folder.
 */
import { createReadStream, createWriteStream } from "node:fs"
import { appendFile, mkdir, readdir, readFile, rename, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import { createGzip, gunzip } from "node:zlib"
import { type Cause, Clock, Effect } from "effect"

const gunzipped = promisify(gunzip)

/** Names of files begin with it, and with their first time. */
const NAME = /^content-(\d{13})-.*\.jsonl(?:\.gz)?$/
/** Clocks of gateways differ, and lines wait for others. */
const AROUND_MS = 60_000

interface JsonlFiles {
  readonly folder: string
  readonly rotateMs: number
  /** 0: forever. */
  readonly keepMs: number
}

export class JsonlSink {
  private readonly files: JsonlFiles
  private readonly clock: Clock.Clock
  private file: { readonly path: string; readonly since: number } | undefined

  constructor(files: JsonlFiles, clock: Clock.Clock) {
    this.files = files
    this.clock = clock
  }

  /** Fails where the file can't be written: then no line of them counts as written. */
  write(lines: ReadonlyArray<string>): Effect.Effect<void, Cause.UnknownError> {
    return Effect.tryPromise(async () => {
      const now = this.clock.currentTimeMillisUnsafe()
      const { folder, rotateMs } = this.files
      if (this.file !== undefined && now - this.file.since >= rotateMs) {
        this.file = undefined
        await this.tidy(now)
      }
      if (this.file === undefined) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        this.file = { path: join(folder, `content-${now}-${process.pid}.jsonl`), since: now }
      }
      await appendFile(this.file.path, lines.join(""), { mode: 0o600 })
    })
  }

  /** Compresses files that no gateway writes to any more, and deletes those whose time is over. */
  async tidy(now: number): Promise<void> {
    const { folder, keepMs, rotateMs } = this.files
    for (const { name, since } of await filesIn(folder)) {
      const path = join(folder, name)
      if (path === this.file?.path) continue
      const { mtimeMs } = await stat(path)
      if (keepMs > 0 && Math.max(mtimeMs, since) + keepMs <= now) await unlink(path)
      else if (!name.endsWith(".gz") && since + rotateMs <= now) await compress(path)
    }
  }

  /** The line about a request that ended at a time. */
  async find(requestId: string, endedAt: number): Promise<string | undefined> {
    const { folder, rotateMs } = this.files
    const mark = `"request_id":${JSON.stringify(requestId)}`
    for (const { name, since } of await filesIn(folder)) {
      if (since > endedAt + AROUND_MS || since + rotateMs + AROUND_MS < endedAt) continue
      const bytes = await readFile(join(folder, name))
      const text = (name.endsWith(".gz") ? await gunzipped(bytes) : bytes).toString()
      const at = text.indexOf(mark)
      if (at >= 0) return text.slice(text.lastIndexOf("\n", at) + 1, text.indexOf("\n", at))
    }
    return undefined
  }
}

const filesIn = async (folder: string) =>
  (await readdir(folder).catch(() => [] as Array<string>)).flatMap((name) => {
    const [, since] = NAME.exec(name) ?? []
    return since === undefined ? [] : [{ name, since: Number(since) }]
  })

/** A file that is half written has another name. */
const compress = async (path: string): Promise<void> => {
  const half = `${path}.gz.part`
  await pipeline(createReadStream(path), createGzip(), createWriteStream(half, { mode: 0o600 }))
  await rename(half, `${path}.gz`)
  await unlink(path)
}
