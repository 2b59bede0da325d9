/** Reads a form while it arrives, its files into memory or onto disk. The next piece waits until the one before is stored. */
import { type Cause, Effect, type Scope } from "effect"
import { NoRoom } from "../../../core/domain/Errors.ts"
import { type HeldBytes, MEMORY_PER_BYTE } from "../../../core/limits/BytesInFlight.ts"
import type { FormBody } from "../../../core/operations/RequestBody.ts"
import { BodyTooLarge, InvalidForm, UnsupportedMediaType } from "../../errors/RequestErrors.ts"
import type { HttpRequest } from "../../routing/Endpoint.ts"
import { wordsForType, refuseEncoding } from "../ReadBody.ts"
import { type FormEvent, FormParts, withoutBrackets } from "./FormParts.ts"
import { HeldFile, isFull, isInMemory, MEMORY_BYTES, Room, TemporaryDisk } from "./HeldFile.ts"

/** Bytes of a form between two looks at what is free on the disk. */
const LOOK_EVERY = 1024 * 1024

/** A form of at most `maxBytes`, whose memory is taken of `held`. Its files are gone when the Scope closes. */
export const readForm = Effect.fnUntraced(function* (
  request: Pick<HttpRequest, "pieces" | "headers">,
  maxBytes: number,
  held: HeldBytes
): Effect.fn.Return<FormBody, BodyTooLarge | InvalidForm | NoRoom | UnsupportedMediaType, Scope.Scope> {
  yield* refuseEncoding(request.headers)
  const type = request.headers["content-type"]
  if (type === undefined || !isForm(type)) {
    const found = type === undefined ? "there is no Content-Type" : wordsForType(type)
    return yield* new UnsupportedMediaType({ message: `the body must be multipart/form-data, ${found}` })
  }
  const disk = yield* TemporaryDisk
  const takesMemory = isInMemory(yield* Effect.promise(disk))
  const limitBytes = takesMemory ? Math.min(maxBytes, Math.floor(held.most * MEMORY_PER_BYTE)) : maxBytes
  const announced = Number(request.headers["content-length"] ?? 0)
  if (announced > limitBytes) return yield* new BodyTooLarge({ limitBytes })
  let taken = 0
  /** Room for what a form of so many bytes takes of the memory: all of its files where their folder is in memory, else those that are held there. */
  const take = (bytes: number, fields: number): NoRoom | undefined => {
    const needed = fields + (takesMemory ? Math.ceil(bytes / MEMORY_PER_BYTE) : Math.min(bytes, MEMORY_BYTES))
    if (needed <= taken) return undefined
    const refused = held.take(needed - taken)
    if (refused === undefined) taken = needed
    return refused
  }
  const refused = take(announced, 0)
  if (refused !== undefined) return yield* refused
  const parts = new FormParts(type)
  const files: Array<HeldFile> = []
  const fields = new Map<string, string | Array<string>>()
  const room = new Room()
  let size = 0
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(files.map((file) => file.close()))))

  let nextLook = MEMORY_BYTES
  const store = async (events: ReadonlyArray<FormEvent>): Promise<void> => {
    if (!takesMemory && size > nextLook) {
      nextLook = size + LOOK_EVERY
      if (isFull(await disk())) throw new Error("no more is free than uploads leave free")
    }
    let bytes: Array<Uint8Array> = []
    for (const event of events) {
      if (event.kind === "bytes") {
        bytes.push(event.bytes)
        continue
      }
      if (bytes.length > 0) await files.at(-1)?.take(bytes)
      bytes = []
      if (event.kind === "file") files.push(new HeldFile(event, room))
      else addField(fields, event.name, event.value)
    }
    if (bytes.length > 0) await files.at(-1)?.take(bytes)
  }
  const refuse = Effect.suspend(() =>
    parts.mistake === undefined ? Effect.void : Effect.fail(new InvalidForm({ message: parts.mistake }))
  )
  yield* refuse
  yield* request.pieces(limitBytes, (piece): Effect.Effect<void, InvalidForm | NoRoom> => {
    size += piece.length
    const events = parts.push(piece)
    if (parts.mistake !== undefined) return refuse
    const refused = take(size, parts.fieldBytes)
    if (refused !== undefined) return Effect.fail(refused)
    // To the end: a file must not be closed while it is written to.
    return events.length === 0
      ? Effect.void
      : Effect.tryPromise(() => store(events)).pipe(Effect.catch(noDisk), Effect.uninterruptible)
  })
  parts.end()
  yield* refuse
  return { kind: "form", fields: Object.fromEntries(fields), files, bytes: size }
})

/** Nothing but the disk can fail there. */
const noDisk = ({ cause }: Cause.UnknownError) =>
  Effect.andThen(
    Effect.logWarning(`Files of an upload can't be written to the folder for temporary files: ${String(cause)}`),
    Effect.fail(new NoRoom({ of: "disk", limitBytes: 0 }))
  )

export const isForm = (type: string): boolean => /^\s*multipart\/form-data\s*(?:;|$)/i.test(type)

const addField = (fields: Map<string, string | Array<string>>, name: string, value: string): void => {
  const key = withoutBrackets(name)
  const before = fields.get(key)
  if (before !== undefined) fields.set(key, typeof before === "string" ? [before, value] : [...before, value])
  else fields.set(key, key === name ? value : [value])
}
