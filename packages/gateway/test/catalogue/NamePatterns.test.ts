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

/** What is left, each with its reason. A line that excuses nothing fails. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ["core/bounds/HostedTools.ts", "models that search by themselves, at hosts whose models no catalogue has"],
  ["providers/vendors/Compatible.ts", "parameters of OpenAI's models"],
  ["providers/vendors/CompatibleBounds.ts", "models of unknown servers, of which no one says whether they reason"],
  ["providers/vendors/Families.ts", "kinds of models by the words in their names, for names that no catalogue has"],
  ["providers/vendors/OpenAiImages.ts", "prices of images by size and quality, which are no rates"],
  ["providers/vendors/clouds/Azure.ts", "Azure's spelling of gpt-3.5"],
  ["providers/vendors/hosts/Cerebras.ts", "limits of one host"],
  ["providers/vendors/makers/Cohere.ts", "limits of Cohere's models"],
  ["providers/vendors/makers/Voyage.ts", "kinds of Voyage's models"],
  ["providers/vendors/servers/Ollama.ts", "names of a server's own files, which no catalogue has"],
  ["providers/protocols/ollama/request/Request.ts", "names of a server's own files, which no catalogue has"],
  ["providers/protocols/openai/speech/Speech.ts", "how OpenAI's speech models bill"]
])

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
  const files = ["providers", "core", "http"].flatMap(filesIn).filter((file) => !file.startsWith("providers/demo/"))
  const found = new Map(
    files.map((file) => [file, patternsIn(file)]).filter(([, lines]) => lines!.length > 0) as Array<
      [string, ReadonlyArray<string>]
    >
  )

  it("stand in the model catalogue, not in the source", () => {
    const unexpected = [...found].filter(([file]) => !ALLOWED.has(file)).flatMap(([, lines]) => lines)
    assert.deepStrictEqual(unexpected, [])
  })

  it("are excused nowhere without need", () => {
    assert.deepStrictEqual(
      [...ALLOWED.keys()].filter((file) => !found.has(file)),
      []
    )
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
