/**
 * The Dockerfile as it is, built and run. Its bases come from wherever `buildah` gets them; where there is no way to a registry, stand-ins
 * take their place: what the Dockerfile uses of each, of this machine's own programs and the Node that this repository pins.
 */
import { spawn } from "node:child_process"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { freePort } from "./Demo.ts"
import { must, needs, type Part, run } from "./Parts.ts"

const deploy = join(import.meta.dirname, "..")
const root = join(deploy, "..", "..")
const TAG = "localhost/model-gateway:acceptance"
const MOST_PACKED_MB = 60
const SLOWEST_START_MS = 5_000
const MASTER_KEY = "5f0b7be1c9a2d4837e6610f4a98dc2b35d7e1f0c9b86a3d2"

const base = (name: string): string => {
  const [, value] = new RegExp(`^ARG ${name}=(\\S+)$`, "m").exec(readFileSync(join(deploy, "Dockerfile"), "utf8")) ?? []
  if (value === undefined) throw new Error(`the Dockerfile has no ${name}`)
  return value
}

/** A program with the libraries that it loads, at the places where they are here. */
const copyProgram = (program: string, folder: string, at: string): void => {
  mkdirSync(dirname(join(folder, at)), { recursive: true })
  cpSync(realpathSync(program), join(folder, at))
  for (const [, library = ""] of must("ldd", realpathSync(program)).matchAll(/(\/\S+) \(0x/g)) {
    mkdirSync(dirname(join(folder, library)), { recursive: true })
    cpSync(realpathSync(library), join(folder, library))
  }
}

const which = (program: string): string => must("sh", "-c", `command -v ${program}`).trim()

/** As `base` of the image: Node where distroless has it, a user, certificates, no shell. */
const runStandIn = (folder: string): void => {
  copyProgram(process.execPath, folder, "/nodejs/bin/node")
  mkdirSync(join(folder, "etc", "ssl", "certs"), { recursive: true })
  mkdirSync(join(folder, "tmp"))
  chmodSync(join(folder, "tmp"), 0o1777)
  writeFileSync(join(folder, "etc", "passwd"), "root:x:0:0::/root:/x\nnonroot:x:65532:65532::/home/nonroot:/x\n")
  writeFileSync(join(folder, "etc", "group"), "root:x:0:\nnonroot:x:65532:\n")
}

const buildStandIn = (folder: string): void => {
  for (const program of ["sh", "tar", "gzip", "mkdir", "chown"]) copyProgram(which(program), folder, `/bin/${program}`)
  writeFileSync(join(folder, "etc-passwd"), "")
}

const makeImage = (name: string, folder: string, fill: (folder: string) => void): void => {
  const files = join(folder, basename(name).replaceAll(":", "-"))
  mkdirSync(files, { recursive: true })
  fill(files)
  const container = must("buildah", "from", "scratch").trim()
  must("buildah", "add", "--quiet", container, files, "/")
  must("buildah", "config", "--env", "PATH=/bin:/nodejs/bin", container)
  must("buildah", "commit", "--quiet", "--rm", container, name)
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** What a pod and compose do: nothing may be written but to volumes, and there are no privileges. */
const LOCKED = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--tmpfs=/tmp:size=64m"]
/** Where this runs in a container itself, only runc and the host's network will do, and limits can't be raised. */
const HERE = ["--runtime=runc", "--network=host", "--ulimit=nofile=20000:20000", "--ulimit=nproc=4096:4096"]

export const imagePart = async (part: Part): Promise<void> => {
  needs("buildah", "podman", "runc", "skopeo")
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-image-"))
  // What was made here goes again: it has the names of others.
  const made = [TAG]
  try {
    const context = join(folder, "context")
    mkdirSync(context)
    for (const name of ["Dockerfile", "warm.mjs", "bill.mjs", ".dockerignore"])
      cpSync(join(deploy, name), join(context, name))
    must("npm", "pack", "--silent", "--prefix", root, "-w", "model-gateway", "--pack-destination", context)
    const pulled = ["BUILD_BASE", "RUN_BASE"].every(
      (name) => run("buildah", "pull", "--quiet", "--policy=missing", base(name)).status === 0
    )
    const standIns = { BUILD_BASE: `${TAG}-build-base`, RUN_BASE: `${TAG}-run-base` }
    if (!pulled) {
      part.note("no registry is in reach: the bases are stand-ins, of this machine's programs")
      makeImage(standIns.BUILD_BASE, folder, buildStandIn)
      makeImage(standIns.RUN_BASE, folder, runStandIn)
      made.push(...Object.values(standIns))
    }
    const bases = pulled ? [] : Object.entries(standIns).map(([name, value]) => `--build-arg=${name}=${value}`)
    await part.check("the Dockerfile builds, and the gateway runs in it once", () => {
      const { status, stderr, stdout } = run(
        "buildah",
        "bud",
        "--pull-never",
        "--isolation=chroot",
        ...bases,
        "--tag",
        TAG,
        context
      )
      return status === 0 ? undefined : stdout.slice(-2000) + stderr.slice(-2000)
    })
    // Nothing else can be said of an image that there is not.
    if (part.failed > 0) return
    await part.check(`it is at most ${MOST_PACKED_MB} MB packed`, () => {
      const archive = join(folder, "image")
      must("skopeo", "copy", "--quiet", "--dest-compress", `containers-storage:${TAG}`, `dir:${archive}`)
      const { layers }: { readonly layers: ReadonlyArray<{ readonly size: number }> } = JSON.parse(
        readFileSync(join(archive, "manifest.json"), "utf8")
      )
      const size = layers.reduce((sum, layer) => sum + layer.size, 0)
      part.note(`${megabytes(size)} packed in ${layers.length} layers`)
      return size <= MOST_PACKED_MB * 1e6 ? undefined : megabytes(size)
    })
    await part.check("its settings are a user without privileges, a volume, a health check", () => {
      const { OCIv1, Docker } = JSON.parse(must("buildah", "inspect", "--type", "image", TAG))
      const { Labels, User, Volumes } = OCIv1.config
      const isRight =
        User === "65532:65532" &&
        Volumes["/data"] !== undefined &&
        Labels["org.opencontainers.image.licenses"] === "Apache-2.0"
      return isRight ? undefined : JSON.stringify({ ...OCIv1.config, ...Docker.config }, null, 2)
    })
    const podman = (...args: ReadonlyArray<string>) => ["run", "--rm", ...LOCKED, ...HERE, ...args]
    await part.check("it has a bill of what is in it: the command, Node, and the packages of its base", () => {
      const script = "process.stdout.write(require('fs').readFileSync('/app/sbom/image.cdx.json'))"
      const { status, stderr, stdout } = run("podman", ...podman("--entrypoint=/nodejs/bin/node", TAG, "-e", script))
      if (status !== 0) return stderr
      const { bomFormat, components }: { bomFormat: string; components: ReadonlyArray<{ name: string }> } =
        JSON.parse(stdout)
      const names = new Set(components.map(({ name }) => name))
      part.note(`${components.length} components`)
      const missing = ["model-gateway", "effect", "node", "openssl"].filter((name) => !names.has(name))
      return bomFormat === "CycloneDX" && missing.length === 0 ? undefined : `it lacks ${missing.join(", ")}`
    })
    await part.check("there is no shell in it", () => {
      const { status, stderr } = run("podman", ...podman("--entrypoint=/bin/sh", TAG, "-c", "true"))
      return status !== 0 && /not found|no such file/i.test(stderr) ? undefined : `${status} ${stderr}`
    })
    await part.check("without a configuration it says so in one line", () => {
      const { status, stderr, stdout } = run("podman", ...podman(TAG))
      const said = (stderr + stdout).trim()
      return status === 1 && /gateway\.yaml: no such file/.test(said) && said.split("\n").length === 1
        ? undefined
        : `${status} ${said}`
    })
    await part.check("it starts read-only and unprivileged, answers, drains a stream and ends well", () =>
      serves(part, folder, podman)
    )
  } finally {
    run("buildah", "rmi", "--force", ...made)
    rmSync(folder, { recursive: true, force: true })
  }
}

const serves = async (
  part: Part,
  folder: string,
  podman: (...args: ReadonlyArray<string>) => ReadonlyArray<string>
): Promise<string | undefined> => {
  const port = await freePort()
  const data = join(folder, "data")
  const file = join(folder, "gateway.yaml")
  mkdirSync(data)
  must("chown", "65532:65532", data)
  writeFileSync(
    file,
    `server: { port: ${port} }\nmaster_key: ${MASTER_KEY}\nstore: { sqlite: /data/gateway.db }
providers: { demo: { vendor: demo, tokens_per_second: 20 } }\ndeployments: [demo/mini]\n`,
    { mode: 0o644 }
  )
  const mounts = [`--volume=${data}:/data`, `--volume=${file}:/etc/model-gateway/gateway.yaml:ro`]
  const began = performance.now()
  const container = spawn("podman", podman("--name=model-gateway-acceptance", ...mounts, TAG), {
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  const ended = new Promise<number | null>((resolve) => container.once("exit", resolve))
  const ready = new Promise<number>((resolve, reject) => {
    for (const stream of [container.stderr, container.stdout]) {
      stream.on("data", (text) => {
        said += String(text)
        if (said.includes("listening on")) resolve(performance.now() - began)
      })
    }
    void ended.then((code) => reject(new Error(`it ended with ${code}\n${said}`)))
  })
  try {
    const took = await ready
    const headers = { authorization: `Bearer ${MASTER_KEY}`, "content-type": "application/json" }
    const url = `http://127.0.0.1:${port}`
    const made = await fetch(`${url}/admin/keys`, { method: "POST", headers, body: "{}" })
    const { key }: { readonly key: string } = JSON.parse(await made.text())
    const memory = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pidOf()}/status`, "utf8"))?.[1] ?? ""
    part.note(
      `ready after ${Math.round(took)} ms with podman's own time, ${Math.round(Number(memory) / 1024)} MB RSS, database of ${megabytes(statSync(join(data, "gateway.db")).size)}`
    )
    const stream = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: JSON.stringify({
        model: "demo/mini",
        stream: true,
        messages: [{ role: "user", content: "a story of the sea" }]
      })
    })
    must("podman", "kill", "--signal=TERM", "model-gateway-acceptance")
    const text = await stream.text()
    const code = await ended
    if (!text.includes("[DONE]")) return `the stream was cut: ${text.slice(-500)}\n${said}`
    if (code !== 0) return `it ended with ${code}\n${said}`
    return took <= SLOWEST_START_MS ? undefined : `it took ${took} ms`
  } finally {
    run("podman", "rm", "--force", "model-gateway-acceptance")
  }
}

const pidOf = (): string => must("podman", "inspect", "--format={{.State.Pid}}", "model-gateway-acceptance").trim()
