/** Writes a form with files for an upstream. Its length is known before it is sent, and each attempt reads it again. */
import { randomUUID } from "node:crypto"
import type { JsonObject } from "../../core/domain/Json.ts"
import type { Upload } from "../../core/operations/RequestBody.ts"
import type { WireRequest } from "../../core/pool/Protocol.ts"

/**
 * The parts of a `WireRequest` that hold a form. Lists become fields `name[]`, several files of one field too; `null` and
 * undefined are left out; what is no text is written as JSON.
 */
export const formBody = (
  fields: JsonObject,
  files: ReadonlyArray<Upload>
): Pick<WireRequest, "body" | "headers"> & Required<Pick<WireRequest, "form">> => {
  // Nobody can guess it, so no file can hold it.
  const boundary = `form-${randomUUID()}`
  const pieces: Array<Uint8Array | Upload> = []
  let length = 0
  const add = (piece: Uint8Array | Upload) => {
    pieces.push(piece)
    length += "size" in piece ? piece.size : piece.length
  }
  const begin = (disposition: string, more = "") =>
    add(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`))
  const end = Buffer.from("\r\n")
  for (const [name, value] of Object.entries(fields)) {
    const isList = Array.isArray(value)
    for (const one of isList ? value : [value]) {
      if (one === undefined || one === null) continue
      begin(`name="${quoted(isList ? `${name}[]` : name)}"`)
      add(Buffer.from(`${typeof one === "string" ? one : JSON.stringify(one)}\r\n`))
    }
  }
  for (const file of files) {
    const isOne = files.every((other) => other === file || other.field !== file.field)
    begin(
      `name="${quoted(isOne ? file.field : `${file.field}[]`)}"; filename="${quoted(file.filename)}"`,
      `Content-Type: ${file.contentType}\r\n`
    )
    add(file)
    add(end)
  }
  add(Buffer.from(`--${boundary}--\r\n`))
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: "",
    form: { length, pieces: () => all(pieces) }
  }
}

async function* all(pieces: ReadonlyArray<Uint8Array | Upload>): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if ("size" in piece) yield* piece.pieces()
    else yield piece
  }
}

/** As browsers write names. */
const quoted = (name: string): string => name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22")
