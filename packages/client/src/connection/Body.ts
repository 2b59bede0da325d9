/** Bodies, read to their end or to a bound: a server that goes on and on fills no memory. */

/** Bytes of an answer, whole or in pieces: four times what the gateway itself takes of a provider. */
export const MOST_OF_ANSWER = 2 ** 28

/** What an error says stands at its beginning, however long it goes on. */
export const MOST_OF_ERROR = 65_536

export interface Beginning {
  readonly pieces: ReadonlyArray<Uint8Array>
  /** There is more than `most`; nobody waits for it. */
  readonly isCut: boolean
}

/** `came`: is called for every piece. */
export const beginningOf = async (
  body: ReadableStream<Uint8Array> | null,
  most: number,
  came: () => void = () => undefined
): Promise<Beginning> => {
  const pieces: Array<Uint8Array> = []
  const reader = body?.getReader()
  let size = 0
  for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
    came()
    pieces.push(read.value)
    size += read.value.byteLength
    if (size <= most) continue
    await reader?.cancel().catch(() => undefined)
    return { pieces, isCut: true }
  }
  return { pieces, isCut: false }
}

export const textOf = ({ pieces }: Beginning): string => {
  const decoder = new TextDecoder()
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode()
}

export const bytesOf = ({ pieces }: Beginning): Uint8Array => {
  const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  return bytes
}
