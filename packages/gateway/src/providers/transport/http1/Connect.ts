/** Opens connections to one origin: TCP, or TLS with the session of an earlier one. */
import * as net from "node:net"
import type { ConnectionOptions } from "node:tls"

/** After this long without a byte the system asks the other end whether it is still there. */
const PROBE_AFTER_MS = 60_000

/** What one read of a connection brings at most, in bytes. */
const READ_BYTES = 64 * 1024

/** One for all: whoever gets it reads it at once, or copies it. Node makes 64 KB for each read without it. */
const buffer = Buffer.allocUnsafeSlow(READ_BYTES)

export class Connect {
  /** For the `Host` header. */
  readonly host: string
  private readonly isSecure: boolean
  private readonly port: number
  /** A name or an address. */
  private readonly hostname: string
  private session: Buffer | undefined

  constructor(origin: string) {
    const url = new URL(origin)
    this.host = url.host
    this.isSecure = url.protocol === "https:"
    this.port = Number(url.port) || (this.isSecure ? 443 : 80)
    this.hostname = url.hostname.replace(/^\[(.*)\]$/, "$1")
  }

  /** Calls `onOpen` once it is connected, and `onRead` with each read: the first `size` bytes of a buffer that the next read overwrites. */
  open(onOpen: () => void, onRead: (bytes: Buffer, size: number) => void): net.Socket {
    const options = {
      host: this.hostname,
      port: this.port,
      onread: {
        buffer,
        callback: (size: number) => {
          onRead(buffer, size)
          return true
        }
      }
    }
    const socket = this.isSecure ? this.secure(options, onOpen) : net.connect(options, onOpen)
    // Node 22 takes neither from the options of a connection over TLS.
    return socket.setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS)
  }

  private secure(options: net.TcpNetConnectOpts, onOpen: () => void): net.Socket {
    const secure: ConnectionOptions & net.TcpNetConnectOpts = {
      ...options,
      // An address is no name that a server could be asked for by.
      servername: net.isIP(this.hostname) === 0 ? this.hostname : "",
      ALPNProtocols: ["http/1.1"],
      ...(this.session === undefined ? {} : { session: this.session })
    }
    // Loaded by the first that needs it.
    const socket = process.getBuiltinModule("node:tls").connect(secure, onOpen)
    socket.on("session", (session) => {
      this.session = session
    })
    // It may be why.
    socket.on("error", () => {
      this.session = undefined
    })
    return socket
  }
}
