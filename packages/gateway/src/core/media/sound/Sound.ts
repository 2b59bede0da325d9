/**
 * How long a recording is, as every reader of it says: WAV, MP3, FLAC and Ogg with Opus or Vorbis. Undefined for other kinds, and where
 * readers may come to different results.
 */
import { flacSeconds } from "./Flac.ts"
import { mp3Seconds, tagLength } from "./Mp3.ts"
import { oggSeconds } from "./Ogg.ts"
import { isWave, waveSeconds } from "./Wave.ts"

/** Names of each kind, in media types, formats of the chat API and file names. */
const KINDS = {
  wav: /^(?:x-|vnd\.)?wave?$/,
  mp3: /^(?:x-)?(?:mp3|mpeg3?|mpga|mpg)$/,
  flac: /^(?:x-)?flac$/,
  ogg: /^(?:x-)?(?:ogg|oga|opus|vorbis)$/
}

/** `names`: what the request says of its kind, such as `audio/wav`, `mp3` or `talk.flac`; those that say nothing are left out. */
export const soundSeconds = (bytes: Buffer, names: ReadonlyArray<string>): number | undefined => {
  try {
    const seconds = secondsIn(bytes, names)
    return Number.isFinite(seconds) ? seconds : undefined
  } catch {
    // It breaks off where a field should be.
    return undefined
  }
}

const secondsIn = (bytes: Buffer, names: ReadonlyArray<string>): number | undefined => {
  const start = tagLength(bytes)
  if (start === undefined || bytes.length < start + 64) return undefined
  const mark = bytes.toString("latin1", start, start + 4)
  const kind = start === 0 && isWave(bytes) ? "wav" : mark === "fLaC" ? "flac" : mark === "OggS" ? "ogg" : "mp3"
  if (names.some((name) => !KINDS[kind].test(name.slice(name.search(/[^/.]+$/)).toLowerCase()))) return undefined
  if (kind === "ogg" && start > 0) return undefined
  switch (kind) {
    case "wav":
      return waveSeconds(bytes)
    case "mp3":
      return mp3Seconds(bytes)
    case "flac":
      return flacSeconds(bytes, start)
    case "ogg":
      return oggSeconds(bytes)
  }
}
