/** Which values must not be copied, and which variable of the environment stands in for them. */

const KNOWN_KEY =
  /(?:^|[^A-Za-z0-9])(?:(?:sk|pk|rk|gsk|hf|xai|ghp|gho|glpat|pplx|nvapi|fw|tgp|csk|r8|pat|dapi)[-_][\w-]{6,}|hf_\w{6,}|github_pat_\w+|AKIA[A-Z0-9]{8,}|ASIA[A-Z0-9]{8,}|AIza[\w-]{10,}|eyJ[\w-]{10,}|dapi[0-9a-f]{10,}|Bearer\s+\S+)/

/** Long, of letters and digits, and no word. */
const RANDOM = /(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{24,}/

const isMixed = (text: string): boolean => /[0-9]/.test(text) && /[A-Za-z]/.test(text)

export const looksSecret = (text: string): boolean =>
  KNOWN_KEY.test(text) || (text.match(new RegExp(RANDOM.source, "g")) ?? []).some(isMixed)

/** What people write where a server wants no key. */
const STAND_INS =
  /^(?:none|null|dummy[\w-]*|fake[\w-]*|test(?:-?key)?|anything|empty|no-?key[\w-]*|not-?needed|not-?required|n\/?a|na|xx+|ollama|lm-?studio|local|key|api-?key|sk-(?:1234|xxx*|dummy|fake[\w-]*|none|no-key-required|local|test)|bearer|-|\.)$/i

export const isStandIn = (text: string): boolean => text === "" || STAND_INS.test(text)

/** `<your-key>`, `your-api-key`, `sk-...`: someone was to put a key there. */
export const isPlaceholder = (text: string): boolean =>
  /^<.*>$|^\[.*\]$|your|replace|change-?me|\.\.\.|…|^\*+$|example|insert/i.test(text)

const ENVIRON = /^os\.environ\/\s*([A-Za-z_]\w*)$/
const DOLLAR = /^\$([A-Za-z_]\w*)$/
const BRACES = /^\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}$/

/** The name of the variable that a whole value is. A default beside it is not copied: it may be a secret. */
export const variableIn = (text: string): string | undefined =>
  ENVIRON.exec(text)?.[1] ?? BRACES.exec(text)?.[1] ?? DOLLAR.exec(text)?.[1]

const IN_TEXT = /\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/g

export const reference = (variable: string): string => `\${${variable}}`

/** A text that is no secret, as the new file has it. */
export const asSetting = (text: string): string => {
  const variable = variableIn(text)
  if (variable !== undefined) return reference(variable)
  const parts = text.split(IN_TEXT)
  // Every third part is text between variables; a `${` there would be read as the beginning of one.
  return parts
    .map((part = "", index) =>
      index % 3 === 0 ? part.replaceAll("${", () => "$${") : index % 3 === 1 ? `\${${part}}` : ""
    )
    .join("")
}

/** The names of variables for secrets that the file has in the clear: one for each secret, and none that the file uses itself. */
export class Variables {
  private readonly taken: Set<string>
  private readonly bySecret = new Map<string, string>()
  readonly secrets = new Set<string>()

  constructor(taken: Iterable<string>) {
    this.taken = new Set(taken)
  }

  for(secret: string, wish: string): string {
    this.secrets.add(secret)
    const known = this.bySecret.get(secret)
    if (known !== undefined) return known
    let name = wish
    for (let count = 2; this.taken.has(name); count++) name = `${wish}_${count}`
    this.taken.add(name)
    this.bySecret.set(secret, name)
    return name
  }
}

/** All variables that a file refers to. */
export const variablesOf = (text: string): ReadonlyArray<string> => [
  ...new Set(
    Array.from(
      text.matchAll(/os\.environ\/\s*([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)/g),
      (found) => found[1] ?? found[2] ?? ""
    )
  )
]
