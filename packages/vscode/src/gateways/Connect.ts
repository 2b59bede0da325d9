/** Connecting a gateway, step by step. Nothing is kept before the gateway has taken the key. */
import { AuthenticationError, type Gateway, PermissionError } from "@model-gateway/client"
import type { Editor } from "../editor/Editor.ts"
import { readOwnKey } from "../spend/OwnKey.ts"
import { cleanUrl, type Entry, nameProblem, urlProblem } from "./Entries.ts"
import { brief, clientOf, type Gateways } from "./Gateways.ts"
import { type Trouble, troubleOf } from "./Trouble.ts"

const DEMO = "http://127.0.0.1:4100"

/** → the name under which it is connected; undefined: somebody left. */
export const connect = async (editor: Editor, gateways: Gateways): Promise<string | undefined> => {
  const { dialogs } = editor
  const entries = gateways.entries()
  const typed = await dialogs.ask({
    title: "Connect a Model Gateway (1 of 3)",
    prompt: "The gateway's address",
    value: entries.length === 0 ? DEMO : "",
    placeholder: DEMO,
    problem: urlProblem
  })
  if (typed === undefined) return undefined
  const url = cleanUrl(typed)
  const key = await askForKey(editor, url)
  if (key === undefined) return undefined
  const before = entries.find((one) => one.url === url)
  const name = await dialogs.ask({
    title: "Connect a Model Gateway (3 of 3)",
    prompt: "A name for it; it stands beside its models when several are connected",
    value: before?.name ?? freeName(url, entries),
    problem: (text) =>
      nameProblem(text) ??
      (entries.some((one) => one.name === text.trim() && one.url !== url) ? "another gateway has this name" : undefined)
  })
  if (name === undefined) return undefined
  if (before !== undefined && before.name !== name.trim()) await gateways.remove(before.name)
  await gateways.add({ name: name.trim(), url }, key)
  return name.trim()
}

/** Asks until the gateway takes one, or somebody leaves. */
const askForKey = async (editor: Editor, url: string): Promise<string | undefined> => {
  for (let prompt = `Your virtual key for ${url}: mgw_…`; ;) {
    const typed = await editor.dialogs.ask({
      title: "Connect a Model Gateway (2 of 3)",
      prompt,
      secret: true,
      problem: keyProblem
    })
    if (typed === undefined) return undefined
    const key = typed.trim()
    const { text } = (await refusal(clientOf(url, key), url, editor)) ?? {}
    if (text === undefined) return key
    const again = await editor.dialogs.warn(text, "Enter Another Key")
    if (again === undefined) return undefined
    prompt = text
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
    await editor.dialogs.warn(describe(error, { name, url }, editor).text)
    return false
  }
  await gateways.addMasterKey(url, masterKey)
  return true
}

/** What keeps a key from being used; undefined: nothing. */
export const refusal = async (client: Gateway, url: string, editor: Editor): Promise<Trouble | undefined> => {
  try {
    await readOwnKey(client)
    return undefined
  } catch (error) {
    if (error instanceof PermissionError) {
      return {
        text: `${url} takes virtual keys here (mgw_…), and no master key. Make one with \`model-gateway keys create\`.`
      }
    }
    if (error instanceof AuthenticationError) {
      return { text: `${url} does not know this key: it is mistyped, revoked or expired.`, help: "connect" }
    }
    return describe(error, { name: url, url }, editor)
  }
}

const describe = (error: unknown, where: Entry, { clock, now }: Editor): Trouble =>
  troubleOf(error, { ...where, now: now(), clock })

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
