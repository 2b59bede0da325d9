/** Filters of streams besides Flate (ISO 32000-1, 7.4). */
import { isDict, isList, isSpace, type PdfValue, Unclear } from "./PdfLexer.ts"

/** ISO 32000-1, 7.4.3. */
export const base85 = (data: Buffer): Buffer => {
  const result = Buffer.alloc(data.length * 4)
  let [length, group, digits] = [0, 0, 0]
  for (const byte of data) {
    if (isSpace(byte)) continue
    if (byte === 0x7e) break
    if (byte === 0x7a && digits === 0) {
      length += 4
      continue
    }
    if (byte < 0x21 || byte > 0x75) throw new Unclear("a stream is malformed")
    group = group * 85 + (byte - 0x21)
    if (++digits < 5) continue
    if (group >= 2 ** 32) throw new Unclear("a stream is malformed")
    result.writeUInt32BE(group, length)
    length += 4
    group = digits = 0
  }
  for (let missing = digits; missing > 0 && missing < 5; missing++) group = group * 85 + 84
  if (digits > 1) {
    result.writeUInt32BE(group % 2 ** 32, length)
    length += digits - 1
  }
  return result.subarray(0, length)
}

/** Undoes the differences between rows (RFC 2083, 6) that tables of objects have. */
export const unpredicted = (data: Buffer, parameters: PdfValue | undefined): Buffer => {
  const given = isList(parameters) ? parameters.find(isDict) : parameters
  if (given === undefined || given === null) return data
  const predictor = isDict(given) ? (given.get("Predictor") ?? 1) : undefined
  if (predictor === 1) return data
  const columns = isDict(given) ? (given.get("Columns") ?? 1) : 1
  const plain = isDict(given) && [...given.keys()].every((key) => key === "Predictor" || key === "Columns")
  if (!plain || typeof predictor !== "number" || predictor < 10 || typeof columns !== "number" || columns < 1) {
    throw new Unclear("a stream has a filter that is not read here")
  }
  const rows = Math.floor(data.length / (columns + 1))
  const result = Buffer.alloc(rows * columns)
  for (let row = 0; row < rows; row++) {
    const kind = data[row * (columns + 1)]
    if (kind !== 0 && kind !== 2) throw new Unclear("a stream has a filter that is not read here")
    for (let column = 0; column < columns; column++) {
      const above = kind === 0 || row === 0 ? 0 : result[(row - 1) * columns + column]!
      result[row * columns + column] = data[row * (columns + 1) + 1 + column]! + above
    }
  }
  return result
}
