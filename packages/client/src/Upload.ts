/** Files of forms: from a path, from bytes, from a stream. */
import { ConfigurationError } from "./Errors.ts"

type Bytes = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** A file to send. Its name tells providers the format; where there is none it is read from the first bytes. */
export type Upload =
  | Bytes
  /** Node, Bun and Deno: sent from the disk, never whole in memory. */
  | { readonly path: string }
  | { readonly data: Bytes; readonly name?: string | undefined; readonly type?: string | undefined }

export const isUpload = (value: unknown): value is Upload =>
  value instanceof Blob ||
  value instanceof ArrayBuffer ||
  value instanceof Uint8Array ||
  value instanceof ReadableStream ||
  (typeof value === "object" && value !== null && (Symbol.asyncIterator in value || "path" in value || "data" in value))

/** What a form takes: bytes that can be sent again, and a name. */
export const fileOf = async (upload: Upload): Promise<{ readonly blob: Blob; readonly name: string }> => {
  if ("path" in upload) {
    const name = upload.path.replace(/^.*[/\\]/, "")
    return { blob: await open(upload.path), name }
  }
  const given = "data" in upload ? upload : { data: upload }
  const blob = await blobOf(given.data, given.type)
  const own = given.name ?? (given.data as { readonly name?: unknown }).name
  return { blob, name: typeof own === "string" && own !== "" ? own : `file${await extension(blob)}` }
}

const blobOf = async (data: Bytes, type = ""): Promise<Blob> => {
  if (data instanceof Blob && type === "") return data
  if (data instanceof Blob || data instanceof ArrayBuffer || data instanceof Uint8Array)
    return new Blob([data], { type })
  const pieces: Array<Uint8Array<ArrayBuffer>> = []
  for await (const piece of data as AsyncIterable<Uint8Array<ArrayBuffer>>) pieces.push(piece)
  return new Blob(pieces, { type })
}

interface FileSystem {
  readonly openAsBlob?: (path: string) => Promise<Blob>
  readonly promises: { readonly readFile: (path: string) => Promise<Uint8Array<ArrayBuffer>> }
}

const open = async (path: string): Promise<Blob> => {
  // A name in a variable: a bundler for browsers must not look for it.
  const name = "node:fs"
  let fs: FileSystem
  try {
    fs = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as FileSystem
  } catch (cause) {
    throw new ConfigurationError("A file can't be sent by its path here: pass its bytes, or a `File`.", { cause })
  }
  try {
    return fs.openAsBlob === undefined ? new Blob([await fs.promises.readFile(path)]) : await fs.openAsBlob(path)
  } catch (cause) {
    throw new ConfigurationError(`The file ${path} can't be read: ${String(cause)}`, { cause })
  }
}

/** Formats by their first bytes, as Latin-1. */
const formats: ReadonlyArray<readonly [extension: string, start: RegExp]> = [
  [".wav", /^RIFF....WAVE/s],
  [".webp", /^RIFF....WEBP/s],
  [".mp3", /^(ID3|\xff[\xe2-\xfb])/],
  [".ogg", /^OggS/],
  [".flac", /^fLaC/],
  [".webm", /^.E\xdf\xa3/s],
  [".m4a", /^....ftyp/s],
  [".png", /^\x89PNG/],
  [".jpg", /^\xff\xd8/]
]

const extension = async (blob: Blob): Promise<string> => {
  const bytes = new Uint8Array(await blob.slice(0, 12).arrayBuffer())
  const start = String.fromCharCode(...bytes)
  return formats.find(([, pattern]) => pattern.test(start))?.[0] ?? ""
}
