/** What stands where a key or a `${NAME}` was meant. */
import type { KnownVendor } from "../core/domain/Settings.ts"

const NAME = "([A-Z_][A-Z0-9_]+|[a-z][a-z0-9]*(?:_[a-z0-9]+)+)"

/** How other programs refer to a variable of the environment. The name is in one of the groups. */
const REFERENCES = new RegExp(
  [
    String.raw`^\$${NAME}$`,
    String.raw`^\$\(${NAME}\)$`,
    String.raw`^\{\$${NAME}\}$`,
    String.raw`^\$env:${NAME}$`,
    String.raw`^%${NAME}%$`,
    String.raw`^\{?env[:.]${NAME}\}?$`,
    String.raw`^os\.environ[/.]${NAME}$`,
    String.raw`^os\.(?:environ\[|getenv\(|environ\.get\()["']${NAME}["'][\])]$`,
    String.raw`^process\.env\.${NAME}$`,
    String.raw`^ENV\[["']${NAME}["']\]$`,
    String.raw`^\{\{(?:[^}]*?${NAME}["'\s]*|.*)\}\}$`
  ].join("|")
)

/** The variable that a text of the file means without saying `${NAME}`; undefined where it means none. */
export const variableMeant = (text: string): string | undefined => {
  const found = text.length > 200 ? null : REFERENCES.exec(text.trim())
  return found === null ? undefined : (found.slice(1).find((name) => name !== undefined) ?? "NAME")
}

/** The name of a variable as operators write it. */
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|SECRET|PASSWORD|PAT|CREDENTIALS?)(?:_\d+)?$/

const PLACEHOLDER =
  /\.{3}|…|\*{3}|^<.*>$|^\[.*\]$|x{6}|^(?:sk-|key-|pk-)?x{3,}$|\byour[-_ ]|[-_ ](?:api[-_ ]?)?key[-_ ]?here|change[-_ ]?(?:me|this)|replace[-_ ]?(?:me|this|with)|^(?:todo|tbd|fixme|placeholder|api[-_ ]?key|null|undefined)$/i

/** Why a text is no key that a provider gave; undefined where it may be one. Nothing of it is in the words but the name of a variable. */
export const keyMistake = (key: string, isFilledIn: boolean): string | undefined => {
  if (VARIABLE.test(key) || /^\$\{\w+\}$/.test(key)) {
    const name = isFilledIn ? "NAME" : key.replace(/\W/g, "")
    return `this is the name of a variable, not a key; write "\${${name}}"`
  }
  if (PLACEHOLDER.test(key)) return "this is a placeholder, not a key (the value is not shown)"
  if (/^["'].*["']$/s.test(key)) return "this key stands in quotes; leave them out (the value is not shown)"
  if (/^(?:bearer|basic)\s/i.test(key)) return "leave out the word before the key: the gateway writes the header"
  if (/^\/[\w./-]*\/|^\.\.?\/|^file:/.test(key)) return 'this is a path, not a key; write "${file:/path}"'
  return /^[a-z][a-z0-9+.-]*:\/\//.test(key)
    ? "this is an address, not a key; fill a key in with ${NAME} or ${file:/path}"
    : undefined
}

/** How the keys of vendors begin, from their documentation. Only beginnings that no other vendor uses. */
const BEGINNINGS: ReadonlyArray<readonly [beginning: string, vendor: string]> = [
  ["sk-proj-", "openai"],
  ["sk-svcacct-", "openai"],
  ["sk-ant-", "anthropic"],
  ["sk-or-v1-", "openrouter"],
  ["gsk_", "groq"],
  ["xai-", "xai"],
  ["AIza", "google-ai-studio"],
  ["pplx-", "perplexity"],
  ["nvapi-", "nvidia"],
  ["hf_", "huggingface"],
  ["csk-", "cerebras"],
  ["github_pat_", "github"]
]

/** `this is a key of openai (sk-proj-…)`, where it is at another vendor's own address. */
export const otherVendorsKey = (key: string, { name }: KnownVendor): string | undefined => {
  const [beginning, owner] = BEGINNINGS.find(([start]) => key.startsWith(start)) ?? []
  const isOfOther = owner !== undefined && owner !== name && BEGINNINGS.some(([, vendor]) => vendor === name)
  return isOfOther ? `this is a key of ${owner} (${beginning}…), and this provider is ${name}` : undefined
}

/** Beginnings of the addresses' paths that only an endpoint has. */
const ENDPOINT =
  /\/(?:chat\/completions|completions|responses|messages|embeddings|models|moderations|rerank|images\/\w+|audio\/\w+|api\/(?:chat|generate|tags))\/*$/

/** Why paths can't be appended to an address. Nothing of it is in the words but an endpoint. */
export const addressMistake = (value: string, { hostname, pathname }: URL): string | undefined => {
  if (/\$|%7B|[{}<>]/i.test(value)) return "this address has a part that is not filled in; write ${NAME} for a variable"
  if (/(?:^|[.-])your[.-]|x{4}/.test(hostname)) return "this address is a placeholder"
  const endpoint = ENDPOINT.exec(pathname)?.[0].replace(/\/+$/, "")
  if (endpoint !== undefined)
    return `this address ends in an endpoint, and paths are appended to it: leave out ${endpoint}`
  return /\/(v\d+)\/\1\/*$/.test(pathname) ? "this address names its version twice" : undefined
}

/** Whose file this is, where its fields are those of another gateway. */
export const otherProgramsFile = (keys: ReadonlyArray<string>, file: string): string | undefined =>
  !keys.includes("providers") && ["model_list", "litellm_settings", "litellm_params"].some((key) => keys.includes(key))
    ? `this is a configuration of LiteLLM; \`model-gateway import litellm ${file}\` writes one for this gateway`
    : undefined
