/** The bytes of an exported table as text, or why they are none. */
import { Result } from "effect"

const utf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/** Of a file without a byte order mark. */
const looksLikeUtf16 = (bytes: Uint8Array): boolean => bytes.length > 3 && (bytes[1] === 0 || bytes[0] === 0)

const AS_UTF8 = "export the table as UTF-8"

export const textOf = (bytes: Uint8Array): Result.Result<string, string> => {
  if (bytes.length === 0) return Result.fail("it is empty")
  if (utf16(bytes) || looksLikeUtf16(bytes)) return Result.fail(`it is UTF-16; ${AS_UTF8}`)
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return Result.fail("it is compressed; unpack it first (gunzip)")
  if (bytes[0] === 0x50 && bytes[1] === 0x4b)
    return Result.fail("it is a ZIP archive or a spreadsheet; export the table as CSV")
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    const zero = text.indexOf("\0")
    if (zero === -1) return Result.succeed(text)
    return Result.fail(`line ${lineAt(text, zero)} holds a zero byte, so it is no text`)
  } catch {
    return Result.fail(`it is no UTF-8; ${AS_UTF8}`)
  }
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length
