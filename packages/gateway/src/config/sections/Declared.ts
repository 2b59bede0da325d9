/**
 * What `deployments` declares, whatever else is wrong with it: the names that the rest of the file refers to, and what can only be
 * said of several deployments or fields together.
 */
import { fieldOf } from "../Decode.ts"
import type { Here } from "../Here.ts"
import { type Declared, splitName } from "../SettingNames.ts"
import { duration, text } from "../SettingValues.ts"
import { AUTO, defaultTimeouts, RESERVED } from "./DeploymentsSection.ts"

/** An id must be of one deployment only. */
export const deploymentsIn = (section: Here | undefined): ReadonlyArray<Declared> => {
  const byId = new Map<string, { readonly declared: Declared; readonly here: Here }>()
  for (const here of section?.items ?? []) {
    const read = here.node.kind === "table" ? readLong(here) : readShort(here)
    if (read === undefined) continue
    const { declared, idHere } = read
    const first = byId.get(declared.id)
    if (first !== undefined) {
      idHere.problem(
        `${declared.isFilledIn ? "this id" : JSON.stringify(declared.id)} is the id of ${first.here.path} (line ${first.here.at.line}) already; give one of them another id`,
        "an id of its own"
      )
    } else if (declared.id === AUTO) idHere.problem(RESERVED, "another id")
    else byId.set(declared.id, { declared, here })
  }
  return [...byId.values()].map((one) => one.declared)
}

interface ReadDeployment {
  readonly declared: Declared
  /** Where a problem with the id is to be shown. */
  readonly idHere: Here
}

const readShort = (here: Here): ReadDeployment | undefined => {
  const parts = here.text === undefined ? undefined : splitName(here.text)
  if (parts === undefined) return undefined
  const { isFilledIn } = here
  return { declared: { ...parts, id: `${parts.provider}/${parts.model}`, isFilledIn, here }, idHere: here }
}

const readLong = (here: Here): ReadDeployment | undefined => {
  const id = fieldOf(here, "id", text("an id"))
  const provider = fieldOf(here, "provider", text("a provider's name"))
  const model = fieldOf(here, "model", text("a model's name"))
  if (id === undefined && (provider === undefined || model === undefined)) return undefined
  const idHere = id === undefined ? undefined : here.field("id")
  const names = idHere === undefined ? [here.field("provider"), here.field("model")] : [idHere]
  return {
    declared: {
      id: id ?? `${provider}/${model}`,
      provider: provider ?? "",
      model: model ?? "",
      isFilledIn: names.some((one) => one?.isFilledIn),
      here: here.field("model") ?? here
    },
    idHere: idHere ?? here
  }
}

/** A limit that is wrong counts as left out here. */
export const checkTimeouts = (section: Here | undefined): void => {
  for (const deployment of section?.items ?? []) {
    const here = deployment.field("timeouts")
    const response = here && fieldOf(here, "response", duration(1))
    const total = (here && fieldOf(here, "total", duration(1))) ?? defaultTimeouts.total
    if (response !== undefined && response > total) {
      here?.problem(
        `response (${response / 1000}s) is longer than total (${total / 1000}s), which ends every call; make it shorter, or total longer`,
        "at most total"
      )
    }
  }
}
