/** Results of a live check of providers. Keys are named by their position in the configuration. */
import type { KeyAnswer, ProviderCheck } from "../catalogue/LiveCheck.ts"
import { table } from "./Table.ts"

export interface LiveReport {
  readonly text: string
  /** Providers that did not respond, refused keys, and missing deployments. */
  readonly problems: number
}

interface Line {
  readonly what: string
  readonly said: string
  readonly mark: Mark
}

type Mark = "✓" | "✗" | "?"

export const liveReport = (checks: ReadonlyArray<ProviderCheck>): LiveReport => {
  const lines = checks.flatMap((check) => [...providerLines(check), ...deploymentLines(check)])
  return {
    text: table(
      [
        { title: "", value: ({ mark }: Line) => mark },
        { title: "WHAT", value: ({ what }: Line) => what },
        { title: "SAID", value: ({ said }: Line) => said, wraps: true }
      ],
      lines
    ),
    problems: lines.filter(({ mark }) => mark === "✗").length
  }
}

const providerLines = ({ hasKeys, keys, name }: ProviderCheck): ReadonlyArray<Line> =>
  keys.length === 0
    ? [{ what: name, said: "not called: it has no list of models", mark: "?" }]
    : keys.map((answer, index) => ({
        what: keys.length === 1 ? name : `${name}, key ${index + 1} of ${keys.length}`,
        said: inWords(answer, hasKeys),
        mark: marks[answer.kind]
      }))

const marks: { readonly [Kind in KeyAnswer["kind"]]: Mark } = {
  taken: "✓",
  refused: "✗",
  waiting: "?",
  unreachable: "✗"
}

const inWords = (answer: KeyAnswer, hasKeys: boolean): string => {
  switch (answer.kind) {
    case "taken":
      return answer.models === undefined
        ? "responds, but does not list its models"
        : `responds, and lists ${answer.models.size} ${answer.models.size === 1 ? "model" : "models"}`
    case "refused":
      return answer.status === 0
        ? "its credentials give no access: no token was given out, or nothing could be signed"
        : hasKeys
          ? `refuses the key (${answer.status}): put another one in its api_key`
          : `requires a key (${answer.status}): give it an api_key`
    case "waiting":
      return "rate-limited (429): its models are not known"
    case "unreachable":
      return answer.why
  }
}

const deploymentLines = ({ deployments, name }: ProviderCheck): ReadonlyArray<Line> =>
  deployments.map(({ id, model, presence }) => ({
    what: `  ${id}`,
    said:
      presence === "there"
        ? "is there"
        : presence === "missing"
          ? `${name} lists no model ${JSON.stringify(model)}`
          : "not known whether it is there",
    mark: presence === "there" ? "✓" : presence === "missing" ? "✗" : "?"
  }))
