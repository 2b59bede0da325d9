/** Small files of several kinds, whose headers say what a test wants. */

/** A PNG of that size as a data URL: its header, and nothing to see. */
export const png = (width: number, height: number): string => {
  const bytes = Buffer.alloc(33)
  bytes.write("\x89PNG\r\n\x1a\n", 0, "latin1")
  bytes.writeUInt32BE(13, 8)
  bytes.write("IHDR", 12, "latin1")
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return `data:image/png;base64,${bytes.toString("base64")}`
}
