/**
 * What a process allocates, by Chrome's protocol for debuggers: a sample every few kB, also of what is collected at once.
 * https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/ (2026-11-22)
 */
import type { ServerProcess } from "./ServerProcess.ts"

/** Makes a process of Node's one that can be sampled. */
export const samplable = "--inspect=0"

const INTERVAL_BYTES = 16_384

export interface Frame {
  readonly url: string
  readonly functionName: string
  /** From 0. */
  readonly lineNumber: number
}

/** Undefined for what counts for its caller. */
type NameOf = (frame: Frame) => string | undefined

interface Node {
  readonly callFrame: Frame
  readonly selfSize: number
  readonly children: ReadonlyArray<Node>
}

export class HeapSampler {
  private readonly socket: WebSocket
  private readonly answers = new Map<number, (result: unknown) => void>()
  private asked = 0

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.addEventListener("message", ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { readonly id?: number; readonly result?: unknown }
      if (id === undefined) return
      this.answers.get(id)?.(result)
      this.answers.delete(id)
    })
  }

  static async of(server: ServerProcess): Promise<HeapSampler> {
    // The gateway replaces its own process at the start: the last one is it.
    const address = server.said
      .map((line) => /listening on (ws:\S+)/.exec(line)?.[1])
      .findLast((found) => found !== undefined)
    if (address === undefined) throw new Error(`${server.name} can't be sampled: start it with ${samplable}`)
    const socket = new WebSocket(address)
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve(), { once: true })
      socket.addEventListener("error", () => reject(new Error(`${address} can't be opened`)), { once: true })
    })
    return new HeapSampler(socket)
  }

  /**
   * Bytes that were allocated while `work` ran, by the room of the code that did, or by whatever `nameOf` makes of it. `survivors`: only
   * what outlived the collections of the young generation.
   */
  async during<A>(
    work: () => Promise<A>,
    nameOf: NameOf = roomOf,
    survivors = false
  ): Promise<{ readonly result: A; readonly rooms: ReadonlyMap<string, number> }> {
    await this.send("HeapProfiler.startSampling", {
      samplingInterval: INTERVAL_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: !survivors
    })
    const result = await work()
    const { profile } = (await this.send("HeapProfiler.stopSampling")) as { readonly profile: { readonly head: Node } }
    const rooms = new Map<string, number>()
    const visit = (node: Node, caller: string): void => {
      const room = nameOf(node.callFrame) ?? caller
      if (node.selfSize > 0) rooms.set(room, (rooms.get(room) ?? 0) + node.selfSize)
      for (const child of node.children) visit(child, room)
    }
    visit(profile.head, "V8 itself")
    return { result, rooms }
  }

  close(): void {
    this.socket.close()
  }

  private send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.asked
    return new Promise((resolve) => {
      this.answers.set(id, resolve)
      this.socket.send(JSON.stringify({ id, method, params }))
    })
  }
}

/** A package, a folder of the gateway, or Node's own code. */
const roomOf: NameOf = ({ url }) => {
  if (url === "") return undefined
  if (url.startsWith("node:")) return "node"
  const [, dependency] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? []
  if (dependency !== undefined) return dependency
  const [, folder] = /\/packages\/gateway\/src\/(.*)\/[^/]+$/.exec(url) ?? []
  if (folder !== undefined) return folder.split("/").slice(0, 2).join("/")
  const [, name] = /\/packages\/([^/]+)\//.exec(url) ?? []
  if (name !== undefined) return name
  return url.includes("/scripts/") ? "the proxy's own code" : "the rest"
}

/** A function, by its file and line. */
export const functionOf: NameOf = ({ functionName, lineNumber, url }) =>
  url === ""
    ? undefined
    : `${url.replace(/^.*\/(node_modules|packages|scripts)\//, "")}:${lineNumber + 1} ${functionName}`
