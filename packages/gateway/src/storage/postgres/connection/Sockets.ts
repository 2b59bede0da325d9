/**
 * The sockets to Postgres. A machine that is gone, or a network that swallows everything, never hangs up: without a hand here a statement
 * would wait for a quarter of an hour, until the system gives the connection up.
 */
import { connect, type Socket } from "node:net"
import { Redacted } from "effect"

/** https://www.postgresql.org/docs/current/runtime-config-connection.html, read 2026-11-22. */
const PORT = 5432

const KEEP_ALIVE_MS = 10_000

export class Sockets {
  /** What each had brought at the last look, in bytes. */
  private readonly brought = new Map<Socket, number>()

  /** How to connect to an address; undefined where it names something else than a host, which the client knows how to reach. */
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

  /** Those that have brought nothing since the last look. */
  silent(): ReadonlyArray<Socket> {
    const silent: Array<Socket> = []
    for (const [socket, before] of this.brought) {
      if (socket.bytesRead === before) silent.push(socket)
      this.brought.set(socket, socket.bytesRead)
    }
    return silent
  }
}
