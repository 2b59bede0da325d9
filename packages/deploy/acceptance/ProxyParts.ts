/** The examples of reverse proxies, changed in nothing but names, ports and certificates, in front of a gateway that streams. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { answering, ask, freePort, startDemo } from "./Demo.ts"
import { must, needs, type Part } from "./Parts.ts"

const examples = join(import.meta.dirname, "..", "proxies")
const HOST = "gateway.example.com"
const MB = 1024 * 1024

interface Place {
  readonly folder: string
  readonly port: number
  readonly gateway: number
  readonly certificate: string
  readonly key: string
}

/** The text with each of these replaced. One that is not there is a mistake of this file. */
export const replaced = (text: string, changes: ReadonlyArray<readonly [string, string]>): string => {
  let changed = text
  for (const [from, to] of changes) {
    if (!changed.includes(from)) throw new Error(`the example has no ${JSON.stringify(from)}`)
    changed = changed.replaceAll(from, to)
  }
  return changed
}

const behind = async (part: Part, start: (place: Place) => ChildProcess): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-proxy-"))
  const certificate = join(folder, "certificate.pem")
  const key = join(folder, "certificate.key")
  needs("openssl")
  const names = ["-subj", `/CN=${HOST}`, "-addext", `subjectAltName=DNS:${HOST}`]
  must("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, ...names)
  const demo = await startDemo(join(folder, "gateway"))
  const port = await freePort()
  const proxy = start({ folder, port, gateway: demo.port, certificate, key })
  let said = ""
  for (const stream of [proxy.stdout, proxy.stderr]) stream?.on("data", (text) => (said += String(text)))
  const caller = { port, key: demo.key }
  const chat = (content: string, stream: boolean) => ({
    model: "demo/mini",
    stream,
    messages: [{ role: "user", content }]
  })
  try {
    await answering(port, HOST).catch((error: Error) => {
      throw new Error(`${error.message}\n${said}`, { cause: error })
    })
    await part.check("a plain answer comes through", async () => {
      const { status, text } = await ask(caller, HOST, chat("hello", false))
      return status === 200 && text.includes("chat.completion") ? undefined : `${status} ${text}`
    })
    await part.check("events of a stream come one by one, while the model still writes", async () => {
      const { status, text, times } = await ask(caller, HOST, chat("tell me a story of the sea", true))
      const events = text.split("\n\n").length
      const [first = 0, last = 0] = [times[0], times.at(-1)]
      part.note(`${times.length} pieces of ${events} events, from ${Math.round(first)} to ${Math.round(last)} ms`)
      if (status !== 200 || !text.includes("[DONE]")) return `${status} ${text}`
      return times.length >= events / 2 && last - first > first ? undefined : "they came together"
    })
    await part.check("a body of 3 MB is the gateway's business", async () => {
      const { status, text } = await ask(caller, HOST, chat("a ".repeat(1.5 * MB), false))
      // Whatever it is, the gateway says it: its errors are JSON of its own.
      return text.startsWith("{") && status !== 413 ? undefined : `${status} ${text.slice(0, 500)}`
    })
    await part.check("a caller that leaves is known to have left", async () => {
      await ask(caller, HOST, chat("tell me a long story", true), 2)
      for (let tries = 0; tries < 60; tries++) {
        const metrics = await (await fetch(`http://127.0.0.1:${demo.port}/metrics`)).text()
        const [, count] = /^gateway_requests_total\{[^}]*"client_gone"[^}]*\} (\d+)/m.exec(metrics) ?? []
        if (Number(count) > 0) return undefined
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
      return "the gateway never heard of it"
    })
  } finally {
    proxy.kill("SIGTERM")
    demo.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const nginxPart = async (part: Part): Promise<void> => {
  needs("nginx")
  await behind(part, ({ certificate, folder, gateway, key, port }) => {
    const site = replaced(readFileSync(join(examples, "nginx.conf"), "utf8"), [
      ["listen 443 ssl http2;", `listen 127.0.0.1:${port} ssl http2;`],
      ["127.0.0.1:4100", `127.0.0.1:${gateway}`],
      ["/etc/ssl/gateway.example.com.pem", certificate],
      ["/etc/ssl/gateway.example.com.key", key]
    ])
    return nginxFor(folder, site)
  })
}

/** A real nginx with this site and nothing else, its files in the folder. */
export const nginxFor = (folder: string, site: string): ChildProcess => {
  for (const name of ["body", "proxy", "fastcgi", "uwsgi", "scgi"]) mkdirSync(join(folder, name))
  const file = join(folder, "nginx.conf")
  writeFileSync(
    file,
    `daemon off; error_log stderr; pid ${folder}/pid; events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
${site}
}
`
  )
  return spawn("nginx", ["-c", file, "-p", folder, "-e", "stderr"], { stdio: ["ignore", "pipe", "pipe"] })
}

export const caddyPart = async (part: Part): Promise<void> => {
  needs("caddy")
  await behind(part, ({ certificate, folder, gateway, key, port }) => {
    const site = replaced(readFileSync(join(examples, "Caddyfile"), "utf8"), [
      ["gateway.example.com {", `https://gateway.example.com:${port} {\n\ttls ${certificate} ${key}`],
      ["127.0.0.1:4100", `127.0.0.1:${gateway}`]
    ])
    const file = join(folder, "Caddyfile")
    writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
    return spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }
    })
  })
}

export const traefikPart = async (part: Part): Promise<void> => {
  needs("traefik")
  await behind(part, ({ certificate, folder, gateway, key, port }) => {
    const routes = join(folder, "routes.yaml")
    writeFileSync(
      routes,
      `${replaced(readFileSync(join(examples, "traefik", "routes.yaml"), "utf8"), [["127.0.0.1:4100", `127.0.0.1:${gateway}`]])}
tls:
  certificates: [{ certFile: ${certificate}, keyFile: ${key} }]
`
    )
    const file = join(folder, "traefik.yaml")
    writeFileSync(
      file,
      replaced(readFileSync(join(examples, "traefik", "traefik.yaml"), "utf8"), [
        [":443", `127.0.0.1:${port}`],
        ["/etc/traefik/routes.yaml", routes]
      ])
    )
    return spawn("traefik", [`--configFile=${file}`], { stdio: ["ignore", "pipe", "pipe"] })
  })
}
