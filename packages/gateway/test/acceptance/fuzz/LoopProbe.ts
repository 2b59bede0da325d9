/**
 * Loaded into the gateway's process before it: says on stderr when the event loop was held up, with the processor time its thread
 * took meanwhile. On a busy machine a process may wait long without having done anything.
 */
const EVERY_MS = 10
const WORTH_TELLING_MS = Number(process.env["LOOP_PROBE_FROM_MS"] ?? 60)

let lastAt = performance.now()
let lastCpu = process.threadCpuUsage()
setInterval(() => {
  const now = performance.now()
  const cpu = process.threadCpuUsage(lastCpu)
  const cpuMs = (cpu.user + cpu.system) / 1000
  const heldMs = now - lastAt - EVERY_MS
  if (heldMs > WORTH_TELLING_MS && cpuMs > WORTH_TELLING_MS) {
    const from = performance.timeOrigin + lastAt
    process.stderr.write(
      `\nloop-held ${Math.round(Math.min(heldMs, cpuMs))} ms from ${Math.round(from)} to ${Date.now()}\n`
    )
  }
  lastAt = performance.now()
  lastCpu = process.threadCpuUsage()
}, EVERY_MS).unref()
