import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const src = join(import.meta.dirname, "../../src")

/** Parts of models' names. */
const NAMES =
  'claude|opus(?!\\|vorbis)|sonnet|haiku|fable|mythos|gemini|gemma|nano-banana|imagen|veo|gpt|chatgpt|dall-e|whisper|codex|grok|llama|mistral|mixtral|ministral|codestral|magistral|devstral|pixtral|voxtral|qwen|qwq|kimi|glm|deepseek|nova|titan|command|embed(?!dings")|rerank|voyage|jina|minimax|nemotron|phi|davinci|babbage|tts|transcribe|flux|stable-diffusion|deep-research|reasoner'

/** A regular expression in the source, and a comparison with a piece of a name. */
const PATTERN = new RegExp(
  `(?<![\\w)\\]/*"\`.])/(?![/*\\s])(?:\\\\.|\\[[^\\]]*\\]|[^/\\\\\\n])*(?:${NAMES})(?:\\\\.|\\[[^\\]]*\\]|[^/\\\\\\n])*/[a-z]*(?=[\\s.,;)\\]}]|$)`
)
const COMPARISON = new RegExp(`\\.(?:startsWith|endsWith|includes)\\("[^"]*(?:${NAMES})[^"]*"\\)`)

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(src, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)

const isCode = (line: string): boolean => !/^\s*(?:\*|\/\*|\/\/|import |export .* from )/.test(line)

const patternsIn = (file: string): ReadonlyArray<string> =>
  readFileSync(join(src, file), "utf8")
    .split("\n")
    .flatMap((line, index) => {
      const code = line.replace(/\s\/\/ .*$/, "")
      const found = isCode(line) && (PATTERN.test(code) || COMPARISON.test(code))
      return found ? [`${file}:${index + 1}: ${line.trim()}`] : []
    })

describe("patterns on the names of models", () => {
  // The names of coding agents are no models' names.
  const others = /^(?:providers\/demo\/|http\/proxy\/ClientSession\.ts)/
  const files = ["providers", "core", "http"].flatMap(filesIn).filter((file) => !others.test(file))

  it("stand in the model catalogue, not in the source", () => {
    assert.deepStrictEqual(files.flatMap(patternsIn), [])
  })

  it("are recognized", () => {
    const samples = [
      "[/^gpt-5/, x],",
      "const A = /claude-(?:v|2)/",
      'model.startsWith("kimi-")',
      "match: /(?:^|[/-])embed/i }"
    ]
    for (const sample of samples) assert.isTrue(PATTERN.test(sample) || COMPARISON.test(sample), sample)
    for (const other of [
      'import { x } from "../gemini/images/Size.ts"',
      "`/models/${model}:embed`",
      '"https://x.ai/grok"'
    ])
      assert.isFalse(PATTERN.test(other) || COMPARISON.test(other), other)
  })
})
