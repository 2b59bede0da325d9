/** Protocol Buffers, the writing half, into one buffer that grows: no object for each field, and no copy but of what is short. */

const FIRST_BYTES = 64 * 1024

/** Characters. */
const SHORT = 48

const VARINT = 0
const FIXED64 = 1
const BYTES = 2

export class ProtoWriter {
  private buffer = Buffer.allocUnsafe(FIRST_BYTES)
  private at = 0

  /** What was written; the writer is not used any more. */
  end(): Uint8Array {
    return this.buffer.subarray(0, this.at)
  }

  /** A message begins; it ends with `close` of what this gives back. */
  open(field: number): number {
    this.reserve(16)
    this.varint(field * 8 + BYTES)
    // Most are short, so that one byte is enough for their length.
    return this.at++
  }

  close(opened: number): void {
    const length = this.at - opened - 1
    if (length < 128) {
      this.buffer[opened] = length
      return
    }
    let more = 0
    for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) more++
    this.reserve(more)
    this.buffer.copyWithin(opened + 1 + more, opened + 1, this.at)
    const end = this.at + more
    this.at = opened
    this.varint(length)
    this.at = end
  }

  text(field: number, text: string): void {
    const { length } = text
    this.reserve(length * 3 + 16)
    const opened = this.open(field)
    if (length > SHORT || !this.ascii(text)) this.at += this.buffer.write(text, this.at)
    this.close(opened)
  }

  hex(field: number, digits: string): void {
    this.reserve(digits.length + 16)
    const opened = this.open(field)
    this.at += this.buffer.write(digits, this.at, "hex")
    this.close(opened)
  }

  /** A whole number from 0 to 2⁵³. */
  number(field: number, value: number): void {
    this.reserve(16)
    this.varint(field * 8 + VARINT)
    this.varint(value)
  }

  /** Decimal digits. */
  fixed64(field: number, digits: string): void {
    this.reserve(16)
    this.varint(field * 8 + FIXED64)
    this.at = this.buffer.writeBigUInt64LE(BigInt(digits), this.at)
  }

  double(field: number, value: number): void {
    this.reserve(16)
    this.varint(field * 8 + FIXED64)
    this.at = this.buffer.writeDoubleLE(value, this.at)
  }

  /** Writes a short text character by character, which is faster than a call out of JavaScript; false where it can't. */
  private ascii(text: string): boolean {
    const { at, buffer } = this
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code > 127) return false
      buffer[at + index] = code
    }
    this.at += text.length
    return true
  }

  private varint(value: number): void {
    let rest = value
    while (rest >= 128) {
      this.buffer[this.at++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    this.buffer[this.at++] = rest
  }

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes))
    this.buffer.copy(larger, 0, 0, this.at)
    this.buffer = larger
  }
}
