/** Detects connections to a machine that lost power: the system would close them after 15 minutes only. */
import { connect, type Socket } from "node:net"
import { Redacted } from "effect"

/** https://www.postgresql.org/docs/current/runtime-config-connection.html, read 2026-11-22. */
const PORT = 5432

const KEEP_ALIVE_MS = 10_000

export class Sockets {
  /** Bytes that each socket had received at the last check. */
  private readonly brought = new Map<Socket, number>()

  /** Connects to an address. Undefined if it names something other than a host, which the client can connect to itself. */
  to(url: Redacted.Redacted<string>): (() => Socket) | undefined {
    const parsed = URL.parse(Redacted.value(url))
    if (parsed === null || parsed.hostname === "" || parsed.hostname.includes("%") || parsed.searchParams.has("host")) {
      return undefined
    }
    const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1")
    const port = parsed.port === "" ? PORT : Number(parsed.port)
    return () => {
      const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS })
      this.brought.set(socket, 0)
      return socket.once("close", () => this.brought.delete(socket))
    }
  }

  /** Sockets that received nothing since the last check. */
  silent(): ReadonlyArray<Socket> {
    const silent: Array<Socket> = []
    for (const [socket, before] of this.brought) {
      if (socket.bytesRead === before) silent.push(socket)
      this.brought.set(socket, socket.bytesRead)
    }
    return silent
  }
}
