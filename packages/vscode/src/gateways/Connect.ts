/** Connecting a gateway, step by step. Nothing is kept before the gateway has taken the key. */
import { AuthenticationError, type Gateway, PermissionError } from "@model-gateway/client"
import type { Editor } from "../editor/Editor.ts"
import { readOwnKey } from "../spend/OwnKey.ts"
import { cleanUrl, type Entry, nameProblem, urlProblem } from "./Entries.ts"
import { brief, clientOf, type Gateways } from "./Gateways.ts"
import { troubleOf, type Where } from "./Trouble.ts"

const DEMO = "http://127.0.0.1:4100"

/** → the name under which it is connected; undefined: somebody left. */
export const connect = async (editor: Editor, gateways: Gateways): Promise<string | undefined> => {
  const entries = gateways.entries()
  const access = await askForAccess(editor, entries.length === 0 ? DEMO : "")
  if (access === undefined) return undefined
  const { key, url } = access
  const before = entries.find((one) => one.url === url)
  const typed = await editor.dialogs.ask({
    title: "Connect a Model Gateway (3 of 3)",
    prompt: "A name for it; it stands beside its models when several are connected",
    value: before?.name ?? freeName(url, entries),
    problem: (text) =>
      nameProblem(text) ??
      (entries.some((one) => one.name === text.trim() && one.url !== url) ? "another gateway has this name" : undefined)
  })
  if (typed === undefined) return undefined
  const name = typed.trim()
  if (before !== undefined && before.name !== name) await gateways.remove(before.name)
  await gateways.add({ name, url }, key)
  return name
}

/** Asks until a gateway takes the key, or somebody leaves. What was wrong is said where the next answer is typed. */
const askForAccess = async (
  { clock, dialogs, now }: Editor,
  suggestion: string
): Promise<{ readonly url: string; readonly key: string } | undefined> => {
  let wrongUrl: Refusal | undefined
  for (let value = suggestion; ;) {
    const typedUrl = await dialogs.ask({
      title: "Connect a Model Gateway (1 of 3)",
      prompt: wrongUrl?.text ?? "The gateway's address",
      value,
      placeholder: DEMO,
      problem: urlProblem
    })
    if (typedUrl === undefined) return undefined
    const url = cleanUrl(typedUrl)
    value = url
    for (let wrongKey: Refusal | undefined; ;) {
      const typedKey = await dialogs.ask({
        title: "Connect a Model Gateway (2 of 3)",
        prompt: wrongKey?.text ?? `Your virtual key for ${url}: mgw_…`,
        secret: true,
        problem: keyProblem
      })
      if (typedKey === undefined) return undefined
      const key = typedKey.trim()
      const found = await refusal(clientOf(url, key), { name: url, url, now: now(), clock })
      if (found === undefined) return { url, key }
      wrongKey = found
      if (found.about === "key") continue
      wrongUrl = found
      break
    }
  }
}

/** A master key for what administrators see: deployments, all keys, all spend. → whether there is one now. */
export const addMasterKey = async (editor: Editor, gateways: Gateways, { name, url }: Entry): Promise<boolean> => {
  const typed = await editor.dialogs.ask({
    title: `The master key of ${name}`,
    prompt: "It opens deployments, keys and spend. It is kept in the editor's store of secrets alone.",
    secret: true,
    problem: keyProblem
  })
  if (typed === undefined) return false
  const masterKey = typed.trim()
  try {
    await clientOf(url, "", masterKey).admin.deployments.list(brief)
  } catch (error) {
    const { clock, now } = editor
    await editor.dialogs.warn(troubleOf(error, { name, url, now: now(), clock }).text)
    return false
  }
  await gateways.addMasterKey(url, masterKey)
  return true
}

/** What keeps a gateway from being used, and what has to be another. */
export interface Refusal {
  readonly text: string
  readonly about: "key" | "address"
}

/** undefined: the gateway takes the key. */
export const refusal = async (client: Gateway, where: Where): Promise<Refusal | undefined> => {
  const { url } = where
  try {
    await readOwnKey(client)
    return undefined
  } catch (error) {
    if (error instanceof PermissionError) {
      const text = `${url} takes virtual keys here (mgw_…), and no master key. Make one with \`model-gateway keys create\`.`
      return { text, about: "key" }
    }
    if (error instanceof AuthenticationError) {
      return { text: `${url} does not know this key: it is mistyped, revoked or expired.`, about: "key" }
    }
    return { text: troubleOf(error, where).text, about: "address" }
  }
}

/** A space or a line break comes along when a key is copied out of a terminal; inside of one it is a mistake. */
const keyProblem = (text: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(text.trim()) ? undefined : "a key has neither spaces nor letters outside ASCII"

/** From the host: `gateway.example.com` is Gateway. */
const freeName = (url: string, entries: ReadonlyArray<Entry>): string => {
  const { hostname } = new URL(url)
  const isLocal = hostname === "localhost" || /^[\d.[\]:]+$/.test(hostname)
  const base = isLocal ? "Local" : (hostname.split(".")[0] ?? "Gateway")
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base} ${number}`
    if (!entries.some((one) => one.name === name)) return name
  }
}
