/** FLAC (RFC 9639), where silence takes 14 bytes for 8 seconds. */

const crc8 = (bytes: Buffer): number => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x80 ? 0x07 : 0)) & 0xff
  }
  return crc
}

/** 65,535 samples at 8 kHz, 16 bits, one channel, all of them 0. */
const frame = (number: number): Buffer => {
  const name = Buffer.from(String.fromCodePoint(number))
  const head = Buffer.concat([Buffer.from([0xff, 0xf8, 0x74, 0x08]), name, Buffer.from([0xff, 0xfe])])
  return Buffer.concat([head, Buffer.from([crc8(head), 0, 0, 0, 0, 0, 0])])
}

/** At most 55,000 frames. `told`: the samples that its head says it has; 0: it does not say. */
export const silentFlac = (frames: number, told = 0): Buffer => {
  const head = Buffer.alloc(42)
  head.write("fLaC\x80\x00\x00\x22", 0, "latin1")
  head.writeUIntBE(8_000 << 4, 18, 3)
  head.writeUInt32BE(told, 22)
  return Buffer.concat([head, ...Array.from({ length: frames }, (_, number) => frame(number))])
}
